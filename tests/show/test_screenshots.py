"""The comparison of screenshots can fail: what an eye would notice is refused, what it would not is not."""

import io
from functools import cache

import numpy as np
import pytest
from PIL import Image

from tests.show import screenshots
from tests.show.screenshots import GROSS, NOTICED, SHARE, check, difference, distances, pixels, settled
from tests.show.views import ATTENTION, made

BOX = "\ue123"  # no font has it: browsers draw an empty box


def drawn(page_of, code, **options):
    """The picture of the view that a cell makes."""
    page = page_of(made(ATTENTION + code).to_html(), **options)
    return settled(page.locator(".lesson-view"))


PLAIN = "AttentionView(scores=scores, queries=queries, keys=keys, gold=gold, step=2)"


def drawn_by(browser, folder, pixels_each=1):
    """The picture of the plain view in a window of its own, with so many pixels of the screen for one of the page."""
    (folder / "plain.html").write_text(made(ATTENTION + PLAIN).to_html(), encoding="utf-8")
    size = {"width": 760, "height": 900}
    context = browser.new_context(viewport=size, device_scale_factor=pixels_each, offline=True)
    page = context.new_page()
    page.goto((folder / "plain.html").as_uri())
    picture = settled(page.locator(".lesson-view"))
    context.close()
    return picture


@pytest.fixture(scope="module")
def reference(browser, tmp_path_factory):
    """What the others are compared with."""
    return pixels(drawn_by(browser, tmp_path_factory.mktemp("reference")))


@pytest.mark.browser
@pytest.mark.parametrize(
    "code",
    [
        PLAIN.replace("step=2", "step=1"),
        PLAIN.replace("gold=gold, ", ""),
        PLAIN.replace("scores=scores", "scores=scores + np.eye(4)[[0, 3, 2, 1]] * (np.arange(4) == 3)"),
        PLAIN.replace("queries=queries", "queries=queries[::-1]"),
        PLAIN.replace("queries=queries", 'queries=["▯" * len(q) for q in queries]'),
    ],
    ids=["another step", "no gold", "another weight", "other words", "all queries are boxes"],
)
def test_another_view_is_refused(open_page, reference, code):
    assert difference(reference, pixels(drawn(open_page, code.replace("▯", BOX))))


@pytest.mark.browser
def test_boxes_in_place_of_half_of_the_words_are_refused(open_page, reference):
    """Every second query, key and button, as wide as the words: the hardest case, since the colours hardly change."""
    boxes = f'half = lambda words: [w if n % 2 else "{BOX}" * len(w) for n, w in enumerate(words)]\n'
    code = boxes + PLAIN.replace("queries=queries, keys=keys", "queries=half(queries), keys=half(keys)")
    found = distances(reference, pixels(drawn(open_page, code)))
    assert (found > NOTICED).mean() > 2 * SHARE


@pytest.mark.browser
def test_the_other_theme_is_refused(open_page, reference):
    assert difference(reference, pixels(drawn(open_page, PLAIN, theme="dark")))


@pytest.mark.browser
def test_an_empty_map_is_refused(open_page, reference):
    """Rejects a comparison that is content with buttons and words."""
    page = open_page(made(ATTENTION + PLAIN).to_html())
    page.evaluate("document.querySelectorAll('canvas').forEach((one) => one.remove())")
    assert difference(reference, pixels(settled(page.locator(".lesson-view"))))


@pytest.mark.browser
def test_an_empty_picture_and_another_size_are_refused(reference):
    assert "empty" in difference(reference, np.full_like(reference, 255))
    assert "empty" in difference(np.full_like(reference, 255), np.full_like(reference, 255))
    assert "pixels" in difference(reference, reference[:-20])


@pytest.mark.browser
def test_shifts_of_some_pixels_pass_and_larger_ones_do_not(reference):
    for shift in ((1, 0), (0, 1), (-1, 2), (3, -3)):
        assert not difference(reference, np.roll(reference, shift, (0, 1))), shift
    assert difference(reference, np.roll(reference, (8, 0), (0, 1)))
    assert not difference(reference, reference[:-4, :-4])
    neighbour = reference.copy()
    neighbour[-1] = 195  # the grey line of what stands below: a view may end between pixels
    assert not difference(reference, neighbour)


@pytest.mark.browser
@pytest.mark.parametrize("smoothing", [Image.Resampling.BOX, Image.Resampling.BICUBIC])
def test_other_edges_of_letters_pass(browser, tmp_path, reference, smoothing):
    """Drawn with twice as many pixels, with letters and lines at other places between them, and made smaller."""
    fine = Image.fromarray(pixels(drawn_by(browser, tmp_path, pixels_each=2)))
    coarse = np.asarray(fine.resize((fine.width // 2, fine.height // 2), smoothing))
    height = min(len(coarse), len(reference))
    assert np.abs(coarse[:height].astype(int) - reference[:height]).max() > 60  # they are other edges
    found = distances(reference, coarse)
    assert (found > NOTICED).mean() < SHARE / 2
    assert found.max() < 0.7 * GROSS


@cache
def striped():
    """A picture without a browser, as PNG: stripes of several colours."""
    picture = np.full((64, 96, 3), 255, np.uint8)
    picture[8:24] = [40, 80, 160]
    picture[40:48, :, 1] = np.arange(96)
    data = io.BytesIO()
    Image.fromarray(picture).save(data, "PNG")
    return data.getvalue()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Folders of this test for references and for what was seen."""
    monkeypatch.setattr(screenshots, "REFERENCES", tmp_path / "references")
    monkeypatch.setattr(screenshots, "ARTEFACTS", tmp_path / "seen")
    monkeypatch.setattr(screenshots, "SAME_LETTERS", True)
    monkeypatch.delenv(screenshots.WRITE, raising=False)
    return tmp_path


def test_a_reference_is_never_written_unasked(folders):
    with pytest.raises(AssertionError, match=r"no reference .*WRITE_REFERENCES=1"):
        check("stripes", striped())
    assert not list(folders.glob("references/*"))
    assert (folders / "seen" / "stripes.png").read_bytes() == striped()


def test_a_reference_is_written_when_asked_for_and_accepts_what_it_was_made_from(folders, monkeypatch):
    monkeypatch.setenv(screenshots.WRITE, "1")
    check("stripes", striped())
    monkeypatch.setenv(screenshots.WRITE, "")
    check("stripes", striped())


def test_another_picture_than_the_reference_is_refused(folders, monkeypatch):
    monkeypatch.setenv(screenshots.WRITE, "1")
    check("stripes", striped())
    monkeypatch.delenv(screenshots.WRITE)
    other = pixels(striped()).copy()
    other[8:24, 30:60] = 255
    data = io.BytesIO()
    Image.fromarray(other).save(data, "PNG")
    with pytest.raises(AssertionError, match="has changed"):
        check("stripes", data.getvalue())
    monkeypatch.setattr(screenshots, "SAME_LETTERS", False)
    check("stripes", data.getvalue())
