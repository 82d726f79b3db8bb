"""Exercises are derived from solutions: answers, hidden tests and all that lies beside the notebook are left out."""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts import exercises
from scripts.exercises import HOME, contents

SOLUTION = "def twice(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
TEST = "assert twice(2) == 4\n### BEGIN HIDDEN TESTS\nassert twice(3) == 6\n### END HIDDEN TESTS"
RIGHTS = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3}


def cell(source, name, **rights):
    """Make a cell with nbgrader's metadata."""
    return new_code_cell(source, id=name, metadata={"nbgrader": {"grade_id": name, **RIGHTS, **rights}})


@pytest.fixture
def home(tmp_path):
    """Return a course with one assignment, and a file beside it that no student may get."""
    folder = tmp_path / "solutions" / "00_words"
    folder.mkdir(parents=True)
    cells = [cell(SOLUTION, "twice", solution=True), cell(TEST, "check", grade=True, locked=True, points=1)]
    nbformat.write(new_notebook(cells=cells), folder / "words.ipynb")
    (folder / "words.py").write_text("def twice(x): return 2 * x")
    shutil.copy(HOME / "nbgrader_config.py", tmp_path)
    return tmp_path


def test_answers_and_hidden_tests_go_and_nothing_else_stays(home):
    """Rejects a release with an answer, and a left-over from an earlier release."""
    (home / "exercises" / "gone").mkdir(parents=True)
    (home / "exercises" / "gone" / "old.ipynb").touch()
    exercises.main(home)
    assert list(contents(home / "exercises")) == ["00_words/words.ipynb"]
    answer, check = nbformat.read(home / "exercises" / "00_words" / "words.ipynb", as_version=4).cells
    assert "2 * x" not in answer.source
    assert "raise NotImplementedError" in answer.source
    assert check.source == "assert twice(2) == 4"


def test_nbgraders_complaint_is_passed_on_and_nothing_is_removed(home):
    """Two cells with the same grade id cannot be graded."""
    exercises.main(home)
    path = home / "solutions" / "00_words" / "words.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata.nbgrader.grade_id = "twice"
    nbformat.write(notebook, path)
    with pytest.raises(SystemExit, match="could not make the exercises"):
        exercises.main(home)
    assert list(contents(home / "exercises")) == ["00_words/words.ipynb"]
