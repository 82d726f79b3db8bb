"""A reader's own score in real JupyterLab: each move of the query travels to Python, and what it answers is drawn."""

import pytest

from tests.browser.lab import errors_of, run_cells

pytestmark = pytest.mark.browser

CODE = """\
import numpy as np
from course_lib.show import SoftLookupView

def score(q, k):
    x = float(q[0, 0])
    print(f"asked at {x:.2f}")
    if x > 1:
        return 1 / 0
    return -((q - k) ** 2).sum(-1)

view = SoftLookupView([[1, 0], [0, 1], [-1, 0]], ["right", "above", "left"], score=score, query=[0.0, 0.0])
view"""
WEIGHTS = """() => [...document.querySelectorAll(".lesson-rows > div")].map((cell) => cell.textContent)
  .filter((_, place) => place > 3 && place % 4 === 3).map(Number)"""


@pytest.fixture
def view(notebook, window):
    """The view, drawn."""
    notebook("own_score.ipynb", [CODE])
    page = window.open("own_score.ipynb")
    run_cells(page)
    assert errors_of(page) == []
    drawn = page.locator(".jp-Notebook .lesson-view")
    drawn.locator(".lesson-plane").scroll_into_view_if_needed()
    return drawn


def place_of(view, x, y):
    """Where a place of the plane is on the page."""
    dots = [dot.bounding_box() for dot in view.locator(".lesson-plane .dot").all()]
    right, above, left = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in dots)
    unit = (right[0] - left[0]) / 2
    return above[0] + x * unit, right[1] - y * unit


def test_python_is_asked_at_every_place_of_the_query(view):
    """Rejects weights that lag behind the query, a picture that vanishes with an error, and words that get lost."""
    page, message = view.page, view.locator(".lesson-message")
    message.get_by_text("asked at 0.00").wait_for()
    page.mouse.move(*place_of(view, 0, 0))
    page.mouse.down()
    page.mouse.move(*place_of(view, -0.9, 0), steps=20)
    page.wait_for_function(f"({WEIGHTS})()[2] > 0.8")
    message.get_by_text("asked at -0.9").wait_for()
    page.mouse.move(*place_of(view, 0.9, 0), steps=20)
    page.wait_for_function(f"({WEIGHTS})()[0] > 0.8")
    assert view.locator(".note").inner_text() == ""
    page.mouse.move(*place_of(view, 1.15, 0))
    message.get_by_text("ZeroDivisionError").wait_for()
    assert "return 1 / 0" in message.inner_text()
    assert page.evaluate(WEIGHTS)[0] > 0.8
    page.mouse.move(*place_of(view, 0, 0.9), steps=5)
    page.wait_for_function(f"({WEIGHTS})()[1] > 0.7")
    page.mouse.up()
    assert "Error" not in message.inner_text()


def test_without_a_kernel_the_weights_are_said_to_be_old(view):
    """Rejects a view that draws the last weights for a new query as if they were its own."""
    view.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    view.get_by_role("application").press("ArrowRight")
    view.locator(".note", has_text="computed by Python").wait_for()
    view.get_by_label("score").select_option("0")
    view.locator(".note", has_text="computed by Python").wait_for(state="detached")
