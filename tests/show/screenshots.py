"""Screenshots of views, compared with committed ones as a tolerant eye would.

A shift of a pixel and other edges of letters do not count; another step, another word, another colour do. The
references (references/*.png) were made on Linux with DejaVu Sans, which the `browser` fixture brings along; where the
letters are others (macOS, Windows), screenshots are taken and kept, and only an empty one is refused.

To make the references anew:

    WRITE_REFERENCES=1 make test ONLY="tests/show tests/browser"

and then look at them: what they show counts as right from then on.
"""

import io
import os
import sys
import time
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from tests.house.files import HOME

REFERENCES = Path(__file__).parent / "references"
ARTEFACTS = HOME / "test-artefacts" / "screenshots"
WRITE = "WRITE_REFERENCES"
SAME_LETTERS = sys.platform == "linux"
COLOURS = 128  # of a reference: a third of the bytes; what is lost is far below NOTICED
PATIENCE = 30  # seconds for a view to come to rest

# Colours are in levels from 0 to 255. What was measured is in test_screenshots.py, which holds these limits.
SIZE = 6  # pixels by which width and height may differ
SMEAR = 4  # pixels over which colours are averaged before anything is compared: letters, not their edges
BLOCK = 16  # pixels; each block of the picture may lie elsewhere
REACH = 3  # by at most this many pixels
EMPTY = 4  # levels; a block that varies less holds nothing
NOTICED = 10  # levels; the mean distance of a block, in its worst channel, from which it has changed
GROSS = 30  # levels; no block may have changed so much
SHARE = 0.02  # of the blocks with something in them may have changed


def pixels(png):
    """The colours (height width 3) of a PNG, given as bytes."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def smeared(picture):
    """The mean colour of every square of SMEAR pixels, mirrored beyond the last ones as far as the last blocks reach.

    Repeating the last row would make much of one pixel of a neighbour, which shows where a view ends between pixels.
    """
    lines = picture.astype(np.uint16)  # sixteen times 255 has room in it
    rows = sum(lines[shift : len(lines) - SMEAR + 1 + shift] for shift in range(SMEAR))
    squares = sum(rows[:, shift : rows.shape[1] - SMEAR + 1 + shift] for shift in range(SMEAR))
    to_fill = [(0, -size % BLOCK) for size in squares.shape[:2]]
    return np.pad(squares.astype(np.float32) / SMEAR**2, (*to_fill, (0, 0)), mode="symmetric")


def in_blocks(what, picture):
    """Sums or extremes (blocks 3) of the blocks of a picture (height width 3): `what` is np.add, np.maximum, …"""
    lines = what.reduce(picture.reshape(-1, BLOCK, *picture.shape[1:]), 1)
    return what.reduce(lines.reshape(len(lines), -1, BLOCK, 3), 2).reshape(-1, 3)


def distances(reference, picture):
    """How far each block with something in it (in one of the pictures) is from the nearest place in the picture."""
    height, width = (min(sizes) for sizes in zip(reference.shape[:2], picture.shape[:2], strict=True))
    ours, theirs = (smeared(each[:height, :width]) for each in (reference, picture))
    rows, columns = (each.ravel() for each in np.mgrid[0 : ours.shape[0] : BLOCK, 0 : ours.shape[1] : BLOCK])
    blocks = sliding_window_view(ours, (BLOCK, BLOCK), axis=(0, 1))[rows, columns]
    around = np.pad(theirs, ((REACH, REACH), (REACH, REACH), (0, 0)), mode="edge")
    places = sliding_window_view(around, (BLOCK, BLOCK), axis=(0, 1))

    def distance(which, down, right):
        found = places[rows[which] + REACH + down, columns[which] + REACH + right]
        return np.abs(blocks[which] - found).mean((2, 3)).max(1)

    everything = np.arange(len(rows))
    found = in_blocks(np.add, np.abs(ours - theirs)).max(1) / BLOCK**2
    varies = sum((in_blocks(np.maximum, each) - in_blocks(np.minimum, each)).max(1) for each in (ours, theirs))
    for down, right in np.ndindex(2 * REACH + 1, 2 * REACH + 1):
        changed = everything[found > NOTICED]
        found[changed] = np.minimum(found[changed], distance(changed, down - REACH, right - REACH))
    return found[(varies > EMPTY) | (found > NOTICED)]


def difference(reference, picture):
    """What an eye would notice, in words; nothing if the pictures show the same."""
    (height, width), (high, wide) = reference.shape[:2], picture.shape[:2]
    if abs(height - high) > SIZE or abs(width - wide) > SIZE:
        return f"it is {wide} × {high} pixels, expected {width} × {height} (± {SIZE})"
    if np.ptp(picture) <= EMPTY:
        return "it is empty"
    found = distances(reference, picture)
    share, most = (found > NOTICED).mean(), found.max()
    if share > SHARE or most > GROSS:
        return f"{share:.1%} of it has changed (at most {SHARE:.0%} may), a part by {most:.0f} levels (at most {GROSS})"
    return ""


DRAWN = """(view) => {
  const left = / (data-lm-suppress-shortcuts|style)=""/g;  // by keys, and by screenshots
  const canvases = [...view.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  const characters = new TextEncoder().encode(canvases.join() + view.innerHTML.replaceAll(left, ""));
  return characters.reduce((hash, character) => (Math.imul(hash, 31) + character) | 0, 0);
}"""


def drawn(view):
    """A number for what is drawn and written in an element of a page; the keyboard's focus does not change it."""
    return view.evaluate(DRAWN)


AFTER_PICTURE = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


def told(page):
    """The status line of the page's view: words follow a picture when that is on the screen."""
    page.evaluate(AFTER_PICTURE)
    return page.get_by_role("status").inner_text()


def settled(view):
    """The picture of an element of a page, as PNG, when it no longer changes: fonts have come, movements have ended."""
    view.evaluate(AFTER_PICTURE)
    end = time.monotonic() + PATIENCE
    before, now = None, view.screenshot()
    while now != before:
        assert time.monotonic() < end, "the view does not come to rest"
        before, now = now, view.screenshot()
    return now


def changed(view, act):
    """Let a reader act; return when something else is drawn, perhaps after Python's answer."""
    before, end = drawn(view), time.monotonic() + PATIENCE
    act(view)
    while drawn(view) == before:
        assert time.monotonic() < end, "the picture has not changed"
        time.sleep(0.02)


def moved(view, act):
    """Let a reader act; the view's picture, as PNG, when it has changed and come to rest."""
    changed(view, act)
    return settled(view)


def keep(name, png):
    """Put the picture into test-artefacts/screenshots/, for people to look at."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    (ARTEFACTS / f"{name}.png").write_bytes(png)


def check(name, png):
    """Keep the picture, and fail unless it looks like its reference."""
    keep(name, png)
    reference = REFERENCES / f"{name}.png"
    if os.environ.get(WRITE) == "1":
        reference.parent.mkdir(exist_ok=True)
        Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, kmeans=4).save(reference, optimize=True)
        return
    where = f"tests/show/references/{name}.png, and test-artefacts/screenshots/{name}.png"
    assert reference.is_file(), f"no reference ({where}): look at the picture, then make it with {WRITE}=1"
    expected = pixels(reference.read_bytes()) if SAME_LETTERS else pixels(png)
    wrong = difference(expected, pixels(png))
    assert not wrong, f"{name}: {wrong}; compare {where}; if the new one is right, make the reference with {WRITE}=1"
