"""A reader's own score in real JupyterLab: each move of the query travels to Python, and its answer is drawn."""

import pytest

from tests.browser.lab import do, errors_of, run_cells

pytestmark = pytest.mark.browser

CODE = """\
from course_lib.show import SoftLookupView

def score(q, k):
    x = float(q[0, 0])
    print(f"x = {x:.1f}")
    return 1 / 0 if x > 1 else -((q - k) ** 2).sum(-1)

SoftLookupView([[1, 0], [0, 1], [-1, 0]], ["right", "above", "left"], score=score, query=[0.0, 0.0])"""


def test_python_answers_each_place_of_the_query_until_its_kernel_ends(notebook, window):
    """Rejects weights that lag behind the query, a picture that vanishes with an error, and words that get lost."""
    notebook("own_score.ipynb", [CODE])
    page = window.open("own_score.ipynb")
    run_cells(page)
    assert errors_of(page) == []
    view = page.locator(".jp-Notebook .lesson-view")
    message, status = view.locator(".lesson-message"), view.get_by_role("status")
    message.get_by_text("x = 0.0").wait_for()
    view.locator(".lesson-plane").scroll_into_view_if_needed()
    dots = [dot.bounding_box() for dot in view.locator(".lesson-plane .dot").all()]
    right, above, left = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in dots)

    def drag_to(x, y):
        page.mouse.move(above[0] + x * (right[0] - left[0]) / 2, right[1] - y * (right[0] - left[0]) / 2, steps=10)

    drag_to(0, 0)
    page.mouse.down()
    drag_to(-0.9, 0)
    status.filter(has_text=": “left” .8").wait_for()
    message.get_by_text("x = -0.9").wait_for()
    drag_to(0.9, 0)
    status.filter(has_text=": “right” .8").wait_for()
    assert view.locator(".note").inner_text() == ""
    drag_to(1.15, 0)
    message.get_by_text("ZeroDivisionError").filter(has_text="return 1 / 0").wait_for()
    assert ": “right” ." in status.inner_text(), "the last weights stay"
    drag_to(0, 0.9)
    status.filter(has_text=": “above” .").wait_for()
    page.mouse.up()
    message.filter(has_not_text="Error").wait_for()
    do(page, "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    view.get_by_role("application").press("ArrowRight")
    view.locator(".note", has_text="computed by Python").wait_for()
    view.get_by_label("score").select_option("0")
    view.locator(".note", has_text="computed by Python").wait_for(state="detached")
