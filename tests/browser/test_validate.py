"""A student's exercise in real JupyterLab: the Validate button says which checks do not pass."""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts import work
from scripts.exercises import generate
from scripts.notebooks import METADATA
from tests.house.files import HOME

pytestmark = pytest.mark.browser

CHECK = """\
from course_lib.checks.engine import Check, Misconception
check_double = Check(lambda x, times=2: x * times, lambda rng: {"one number": (rng.random(),)}, (
    Misconception("squared", {"times": 4}, "Twice two is not two squared."),))"""
ANSWER = "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
RIGHTS = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}


def graded(source, name, **rights):
    """Make a cell with nbgrader's metadata."""
    return new_code_cell(source, id=name, metadata={"nbgrader": {"grade_id": name, **RIGHTS, **rights}})


@pytest.fixture
def exercise(lab_folder, tmp_path):
    """Return the path of a student's copy of an exercise, from the lab's folder."""
    shutil.copy(HOME / "nbgrader_config.py", tmp_path)
    (tmp_path / "solutions" / "double").mkdir(parents=True)
    answer = graded(ANSWER, "double", locked=False, solution=True)
    cells = [graded(CHECK, "given"), answer, graded("check_double(double)", "double-check", grade=True, points=1)]
    notebook = new_notebook(cells=cells, metadata=METADATA)
    nbformat.write(notebook, tmp_path / "solutions" / "double" / "double.ipynb")
    generate(tmp_path, lab_folder / "exercises")
    work.main(lab_folder)
    return "work/double/double.ipynb"


def replace_in_stub(page, line):
    """Type an answer in the place of the stub's last line, as a student does."""
    page.evaluate("() => course.show(1)")
    page.locator(".jp-Notebook .jp-mod-active .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+Home")
    page.keyboard.type(line)


def validated(page):
    """Press Validate; return what it says when it is done."""
    page.get_by_role("button", name="Validate", exact=True).click()
    results = page.locator(".jp-Dialog").filter(has_text="Validation Results")
    results.get_by_text("failed").or_(results.get_by_text("Success")).first.wait_for()
    said = results.inner_text()
    results.get_by_role("button", name="Ok").click()
    results.wait_for(state="detached")
    return said


def test_validate_says_how_an_exercise_stands(exercise, window):
    """Rejects a button that does nothing, passes a stub, or does not see what was typed and not saved."""
    page = window.open(exercise)
    said = validated(page)
    assert "check_double(double)" in said
    assert "NotImplementedError: replace this line" in said
    replace_in_stub(page, "return 4 * x")
    assert "Twice two is not two squared." in validated(page)
    replace_in_stub(page, "return 2 * x")
    assert "Success! Your notebook passes all the tests." in validated(page)
