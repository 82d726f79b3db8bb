"""Picture: a matplotlib figure that shows itself in a notebook, with a text alternative."""

import base64
import io
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from course_lib.show.fonts import font_family, missing_note
from course_lib.show.theme import MUTED, STYLE

PIXELS_PER_INCH = 96  # of a browser
SHARP = 1.5  # pixels of the file for each of the browser, for high-density screens
MARGIN = 0.06  # inches
RARE, FEW, COARSE = 1.5e-4, 60, 32  # colours of a smaller part of the pixels, or of fewer, are rounded to 32s


@dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """A figure and its text alternative; the last expression of a cell shows it.

    The bytes of the PNG are deterministic: no date, no version, no identifiers.
    """

    figure: Figure
    text: str
    sharp: float | int = SHARP

    def __repr__(self) -> str:
        return self.text

    def png(self) -> bytes:
        """The figure as the bytes of a PNG file, cropped to what is drawn."""
        buffer = io.BytesIO()
        with picture_style():
            self.figure.savefig(
                buffer,
                format="png",
                dpi=PIXELS_PER_INCH * self.sharp,
                bbox_inches="tight",
                pad_inches=MARGIN,
                metadata={"Software": None},
            )
        return fewer_colours(buffer)

    def save(self, path: str | Path) -> None:
        """Write the figure to a PNG file."""
        Path(path).write_bytes(self.png())

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        png = self.png()
        width, height = (round(pixels / self.sharp) for pixels in Image.open(io.BytesIO(png)).size)
        data = {"image/png": base64.b64encode(png).decode(), "text/plain": self.text}
        return data, {"image/png": {"width": width, "height": height, "alt": self.text}}


def fewer_colours(png: io.BytesIO) -> bytes:
    """The same PNG with a palette, in a third of the bytes.

    Areas keep their exact colours; only the many shades at the edges of letters and lines are rounded.
    """
    pixels = np.asarray(Image.open(png).convert("RGB")).astype(int)
    packed, index, count = np.unique(pixels @ [1 << 16, 1 << 8, 1], return_inverse=True, return_counts=True)
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1)
    rare = count < max(RARE * index.size, FEW)
    colours[rare] = np.minimum(255, np.round(colours[rare] / COARSE) * COARSE)
    coarse, place = np.unique(colours, axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), count)
    palette = coarse[np.argsort(-total, kind="stable")[:256]]
    nearest = ((coarse[:, None] - palette[None]) ** 2).sum(-1).argmin(1)
    image = Image.fromarray(nearest[place.ravel()][index].reshape(pixels.shape[:2]).astype(np.uint8), mode="P")
    image.putpalette(palette.astype(np.uint8).tobytes())
    small = io.BytesIO()
    image.save(small, format="png", optimize=True)
    return small.getvalue()


def picture_style():
    """A context manager with the style of the course; it restores the reader's own settings."""
    return matplotlib.rc_context({**STYLE, "font.family": font_family()})


def finished(figure: Figure, text: str) -> Picture:
    """The Picture of a figure, with a note below it if some character has no glyph."""
    if sentence := missing_note(text):
        width, height = figure.get_size_inches()
        drawn = figure.get_tightbbox()  # in inches
        figure.text(drawn.x0 / width, (drawn.y0 - 0.12) / height, sentence, size=8, color=MUTED, va="top")
    return Picture(figure, text)


def new_axes(width: float, height: float, count: int = 1, gap: float = 0.0) -> list[Axes]:
    """Axes of exactly this size in inches, beside each other in one figure.

    Labels may extend beyond the figure, since the file is cropped to what is drawn.
    """
    whole = count * (width + gap) - gap
    figure = Figure(figsize=(whole, height))
    return [figure.add_axes((place * (width + gap) / whole, 0, width / whole, 1)) for place in range(count)]
