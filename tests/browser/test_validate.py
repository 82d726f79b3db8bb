"""A student and the exercises in real JupyterLab: the course's file leads to their own; Validate says how it stands.

The pictures that the tests took lie in test-artefacts/ afterwards.
"""

import contextlib
import io
import os
import shutil
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from scripts import work
from scripts.exercises import generate
from scripts.notebooks import METADATA
from tests.browser.conftest import ARTEFACTS
from tests.browser.test_saving import choose, until
from tests.house.files import HOME

pytestmark = pytest.mark.browser

CHECK = """\
from course_lib.checks.engine import Check, Misconception
check_double = Check(lambda x, times=2: x * times, lambda rng: {"one number": (rng.random(),)}, (
    Misconception("squared", {"times": 4}, "Twice two is not two squared."),))"""
ANSWER = "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"


def graded(source, name, **rights):
    """A cell with nbgrader's marks."""
    marks = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3, **rights}
    return new_code_cell(source, id=name, metadata={"nbgrader": {"grade_id": name, **marks}})


@pytest.fixture(scope="module")
def course(lab_folder, tmp_path_factory):
    """The JupyterLab's folder with one exercise, and the student's copy of it."""
    author = tmp_path_factory.mktemp("author")
    shutil.copy(HOME / "nbgrader_config.py", author)
    (author / "solutions" / "double").mkdir(parents=True)
    cells = [
        new_markdown_cell("# Double it", id="title"),
        graded(CHECK, "given"),
        graded(ANSWER, "double", locked=False, solution=True),
        graded("check_double(double)", "double-check", grade=True, points=1),
    ]
    notebook = new_notebook(cells=cells, metadata=METADATA)
    nbformat.write(notebook, author / "solutions" / "double" / "double.ipynb")
    folder = lab_folder / "notebooks"
    generate(author, folder / "exercises")
    with contextlib.redirect_stdout(io.StringIO()):
        assert work.main(home=folder) == 0
    yield folder
    shutil.rmtree(folder / "exercises")
    shutil.rmtree(folder / "work")


def replace_in_stub(page, line):
    """Type an answer in the place of the stub's last line, as a student does."""
    place = next(n for n, text in enumerate(page.evaluate("() => course.sources()")) if "def double" in text)
    page.evaluate("place => course.show(place)", place)
    page.locator(".jp-Notebook .jp-mod-active .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+Home")
    page.keyboard.type(line)
    return place


def validated(page, picture):
    """Press Validate; return what it says when it is done."""
    page.get_by_role("button", name="Validate", exact=True).click()
    results = page.locator(".jp-Dialog").filter(has_text="Validation Results")
    results.wait_for()
    words = until(page, lambda: [said for said in results.all_inner_texts() if "failed" in said or "Success" in said])
    page.screenshot(path=ARTEFACTS / f"{picture}.png")
    results.get_by_role("button", name="Ok").click()
    results.wait_for(state="detached")
    return words[0]


def test_validate_says_how_an_exercise_stands(course, window):
    """Rejects a button that does nothing or passes a stub, that does not see what was just typed, or points elsewhere.

    The answers are typed and not saved: first a stub, then a known mistake, then the right one.
    """
    page = window.open("work/double/double.ipynb")
    said = validated(page, "validate_unsolved")
    assert "check_double(double)" in said
    assert "NotImplementedError: replace this line" in said
    assert "engine.py" not in said
    replace_in_stub(page, "return 4 * x")
    said = validated(page, "validate_wrong")
    assert "Twice two is not two squared." in said
    assert "stands above" not in said
    replace_in_stub(page, "return 2 * x")
    assert "Success! Your notebook passes all the tests." in validated(page, "validate_solved")


def test_the_courses_file_cannot_be_changed_and_leads_to_the_students(course, window):
    """Rejects an answer that can be typed into exercises/ and is lost there, and a link that leads nowhere."""
    before = (course / "exercises" / "double" / "double.ipynb").read_bytes()
    page = window.open("exercises/double/double.ipynb")
    place = replace_in_stub(page, "return 2 * x")
    assert "return 2 * x" not in page.evaluate("() => course.sources()")[place]
    page.keyboard.press("Control+s")
    page.get_by_text("notebook is read-only").wait_for()
    page.screenshot(path=ARTEFACTS / "exercises_read_only.png")
    page.get_by_role("link", name="work/double/double.ipynb").click()
    page.wait_for_function("() => jupyterapp.shell.currentWidget.context?.path === 'work/double/double.ipynb'")
    page.wait_for_function("() => course.idle()")
    assert "work/double" not in page.evaluate("() => course.sources()")[0]  # no way is needed to where one is
    assert (course / "exercises" / "double" / "double.ipynb").read_bytes() == before


def test_a_release_comes_while_the_notebook_is_open(course, window):
    """Rejects an own copy that JupyterLab makes forget what it is a copy of: then news would be lost, or doubled.

    What really happens: JupyterLab asks on saving, the student chooses Overwrite, and the next `make work` brings the
    news again and keeps the answer.
    """
    file = course / "work" / "double" / "double.ipynb"
    page = window.open("work/double/double.ipynb")
    replace_in_stub(page, "return x")
    choose(page, "File", "Save Notebook")
    until(page, lambda: "return x" in file.read_text(encoding="utf-8"))
    release = course / "exercises" / "double" / "double.ipynb"
    notebook = nbformat.read(release, as_version=4)
    notebook.cells[0].source = "# Double it, with care"
    nbformat.write(work.with_record(notebook), release)
    said = []
    assert work.bring_all(course, said.append) == []
    assert "1 cell with another text" in said[0]
    os.utime(file, (time.time() + 10, time.time() + 10))  # JupyterLab takes half a second for the same time
    replace_in_stub(page, "return x + x")
    choose(page, "File", "Save Notebook")
    page.locator(".jp-Dialog").filter(has_text="File Changed").get_by_role("button", name="Overwrite").click()
    until(page, lambda: "return x + x" in file.read_text(encoding="utf-8"))
    assert "with care" not in file.read_text(encoding="utf-8")
    assert work.bring_all(course, said.append) == []
    sources = [cell.source for cell in nbformat.read(file, as_version=4).cells]
    assert sources[0] == "# Double it, with care"
    assert sources[2].endswith("return x + x")
    assert len(sources) == 4
