"""A reader in real JupyterLab; the pictures that the tests take lie in test-artefacts/ afterwards."""

import shutil

import nbformat
import pytest

from scripts.notebooks import VIEW
from tests.browser.conftest import ARTEFACTS
from tests.browser.lab import do, errors_of, open_notebook, run_cells
from tests.house.files import chapters

pytestmark = pytest.mark.browser

CODE = """\
import numpy as np
from course_lib.show import AttentionView
AttentionView(np.eye(3), ["I", "am", "here"], ["je", "suis", "ici"])"""


def test_the_first_chapter_is_opened_and_nothing_in_it_changes(page, blocked, first_visit):
    """Rejects another start page, a dirty tab after merely opening, a file that saving changes, instructors' menus."""
    lab, folder = first_visit
    open_notebook(page, lab)
    path = f"notebooks/{chapters()[0].name}"
    assert page.evaluate("() => course.path()") == path
    contents = page.locator("#left-panel-container, .jp-SidePanel, #jp-left-stack").get_by_role("treeitem")
    contents.first.wait_for()
    page.screenshot(path=ARTEFACTS / "first_chapter.png")
    assert contents.count() > 5
    before = (folder / path).read_bytes()
    assert not page.evaluate("() => course.isDirty()")
    do(page, "course.save")
    assert (folder / path).read_bytes() == before
    assert "Kernel" in page.locator(".lm-MenuBar-itemLabel").all_inner_texts()
    assert "Nbgrader" not in page.locator(".lm-MenuBar-itemLabel").all_inner_texts()
    assert page.get_by_text("Create Assignment").count() == 0
    page.get_by_role("button", name="Validate", exact=True).wait_for()
    assert blocked == []


def frame_with_view(page):
    """Return the frame that shows a view without a kernel."""
    return page.frame_locator(".jp-OutputArea iframe").first.locator("#view canvas").first


def test_a_saved_view_needs_no_kernel(window, notebook, lab_folder, lab, page, blocked):
    """Rejects a file with a widget that dies with its kernel, and a hook that takes the view from the open page."""
    notebook("saved.ipynb", [CODE])
    live = window.open("saved.ipynb")
    run_cells(live)
    assert errors_of(live) == []
    do(live, "course.save")
    saved = nbformat.read(lab_folder / "saved.ipynb", as_version=4)
    (output,) = saved.cells[0].outputs
    assert "widgets" not in saved.metadata
    assert VIEW not in output.data
    assert {"text/html", "image/png"} <= output.data.keys()
    assert live.locator(".jp-Notebook .lesson-view").is_visible()
    shutil.copy(lab_folder / "saved.ipynb", lab_folder / "next_day.ipynb")
    open_notebook(page, f"{lab}/lab/tree/next_day.ipynb?reset")
    frame_with_view(page).wait_for()
    page.screenshot(path=ARTEFACTS / "the_next_day.png")
    assert "model not found" not in page.inner_text(".jp-Notebook")
    assert (blocked, window.wrong) == ([], [])
