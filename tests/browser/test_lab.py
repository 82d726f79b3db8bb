"""A reader in real JupyterLab: opens a chapter, runs all, and moves a live view by keyboard.

The pictures that the test took lie in test-artefacts/ afterwards.
"""

import time

import pytest

from scripts.lab_server import ANSWER, errors_of, run_cells
from tests.browser.conftest import ARTEFACTS
from tests.house.files import chapters

pytestmark = pytest.mark.browser

SMALL_CODE = """\
import numpy as np
from course_lib.show import AttentionView
AttentionView(np.eye(3), ["I", "am", "here"], ["je", "suis", "ici"])"""


def first_view(page):
    """Scroll to the first attention view of the notebook; return its element."""
    sources = page.evaluate("() => course.sources()")
    page.evaluate(
        "place => course.show(place)", next(n for n, text in enumerate(sources) if "\nAttentionView(" in text)
    )
    view = page.locator(".jp-Notebook .jp-mod-active .lesson-view")
    view.scroll_into_view_if_needed()
    return view


def moved(page, view, key):
    """Press a key; return the picture of the view when it has changed."""
    before = view.screenshot()
    page.keyboard.press(key)
    end = time.monotonic() + ANSWER
    while (after := view.screenshot()) == before:
        assert time.monotonic() < end, f"{key} on the step slider did not change the picture"
    return after


def name_of(number):
    """The file of the chapter with this number, or a reason to skip."""
    found = [path.name for path in chapters() if path.name.startswith(number)]
    return found[0] if found else pytest.skip(f"chapter {number} is not written yet")


@pytest.mark.parametrize("which", ["small", "00"])
def test_the_step_slider_moves_the_picture(window, notebook, which):
    """Rejects a view whose JavaScript fails in JupyterLab, or that draws the same picture for each step."""
    name = "small.ipynb" if which == "small" else name_of(which)
    if which == "small":
        notebook(name, [SMALL_CODE])
    page = window.open(name)
    run_cells(page)
    assert errors_of(page) == []
    view = first_view(page)
    view.get_by_role("slider").first.focus()
    page.screenshot(path=ARTEFACTS / f"lab_{which}_before.png")
    first = moved(page, view, "ArrowLeft")
    page.screenshot(path=ARTEFACTS / f"lab_{which}_after.png")
    assert moved(page, view, "ArrowRight") != first
    assert window.wrong == []
