"""A reader saves a notebook with a live view, exports it, opens it again the next day: the view is there, and moves.

The pictures that the tests took lie in test-artefacts/ afterwards.
"""

import shutil
import time

import nbformat
import pytest

from scripts.lab_server import ANSWER, errors_of, open_notebook, run_cells
from scripts.notebooks import VIEW
from tests.browser.conftest import ARTEFACTS
from tests.browser.test_lab import SMALL_CODE, first_view, moved

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def saved(notebook, lab_folder, lab_window):
    """A notebook with a view that was run and saved in JupyterLab, and is still open: its page and its file."""
    notebook("saved.ipynb", [SMALL_CODE])
    file = lab_folder / "notebooks" / "saved.ipynb"
    page = lab_window.open("saved.ipynb")
    run_cells(page)
    assert errors_of(page) == []
    choose(page, "File", "Save Notebook")
    until(page, lambda: file.stat().st_size and nbformat.read(file, as_version=4).cells[0].outputs)
    yield page, file
    lab_window.leave()


def choose(page, menu, *items):
    """Choose an item of a menu, or of the menu inside it."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    for item in items:
        page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def until(page, happens):
    """Return what happens as soon as it does."""
    end = time.monotonic() + ANSWER
    while not (found := happens()):
        assert time.monotonic() < end, "nothing happened"
        page.wait_for_timeout(100)  # the page goes on
    return found


def view_in_a_frame_moves(page):
    """Find the first frame with a view; fail if its slider does not change the picture in it."""

    def found():
        return next((frame for frame in page.frames[1:] if frame.locator("#view canvas").count()), None)

    frame = until(page, found)
    slider = frame.get_by_role("slider").first
    slider.press("Home")
    first = frame.locator("#view").screenshot()
    slider.press("End")
    until(page, lambda: frame.locator("#view").screenshot() != first)


def test_the_file_keeps_the_picture_and_the_page_its_view(saved, lab_window):
    """Rejects a hook that is not called, and one that takes the view from the page that is open."""
    page, file = saved
    written = nbformat.read(file, as_version=4)
    (output,) = written.cells[0].outputs
    assert "widgets" not in written.metadata
    assert VIEW not in output.data
    assert {"text/html", "image/png"} <= output.data.keys()
    view = first_view(page)
    view.get_by_role("slider").first.focus()
    moved(page, view, "ArrowLeft")
    choose(page, "File", "Save Notebook")
    view.get_by_role("slider").first.focus()
    moved(page, view, "ArrowRight")
    assert lab_window.blocked == []


@pytest.mark.parametrize("sanitize", [True, False])
def test_what_the_reader_exports_moves_from_disk(saved, page, tmp_path, sanitize):
    """File > Save and Export Notebook As > HTML, in the live session; JupyterLab proposes to sanitize the page.

    nbconvert asks for require.js and MathJax from elsewhere, and does not get them here: the view needs neither.
    """
    live, _ = saved
    choose(live, "File", "Save and Export Notebook As", "HTML")
    live.locator(".jp-Dialog input[type=checkbox]").set_checked(sanitize)
    with live.expect_download() as download:
        live.locator(".jp-Dialog .jp-mod-accept").click()
    download.value.save_as(tmp_path / "exported.html")
    page.goto((tmp_path / "exported.html").as_uri())
    view_in_a_frame_moves(page)
    page.screenshot(path=ARTEFACTS / f"exported_{'sanitized' if sanitize else 'as_it_is'}.png")


def test_the_next_day_the_view_is_there(saved, lab, page, blocked):
    """Rejects a file with a reference to a widget that is gone: a new page, another kernel, nothing was run."""
    _, file = saved
    shutil.copy(file, file.with_name("next_day.ipynb"))
    open_notebook(page, f"{lab}/lab/tree/next_day.ipynb?reset")
    view_in_a_frame_moves(page)
    page.screenshot(path=ARTEFACTS / "the_next_day.png")
    assert "model not found" not in page.inner_text(".jp-Notebook")
    assert blocked == []
