"""Exercises are derived from solutions: answers and hidden tests go, and so does all that lies beside the notebook.

What somebody wrote in exercises/ is kept (more on that in test_work.py).
"""

import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts import exercises
from scripts.exercises import HOME, SETTINGS, contents, generate, replace
from scripts.own_copy import written

SOLUTION = "def twice(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
TEST = "assert twice(2) == 4\n### BEGIN HIDDEN TESTS\nassert twice(3) == 6\n### END HIDDEN TESTS"


def cell(source, name, **roles):
    """A cell with nbgrader's metadata."""
    rights = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3, **roles}
    return new_code_cell(source, id=name, metadata={"nbgrader": {"grade_id": name, **rights}})


@pytest.fixture
def home(tmp_path):
    """A course with one assignment, and files beside it that nobody may get."""
    folder = tmp_path / "solutions" / "00_words"
    folder.mkdir(parents=True)
    graded = cell(TEST, "test-twice", grade=True, locked=True, points=1)
    nbformat.write(new_notebook(cells=[cell(SOLUTION, "twice", solution=True), graded]), folder / "words.ipynb")
    (folder / "words.py").write_text("def twice(x): return 2 * x")
    shutil.copy(HOME / SETTINGS, tmp_path)
    return tmp_path


@pytest.fixture
def made(home, tmp_path):
    """What is generated from it."""
    generate(home, tmp_path / "made")
    return tmp_path / "made"


def test_answers_and_hidden_tests_go_and_the_release_says_what_its_cells_are(made):
    """Rejects a release with an answer, and one whose copies could not tell a student's words from the course's."""
    assert list(contents(made)) == ["00_words/words.ipynb"]
    notebook = nbformat.read(made / "00_words" / "words.ipynb", as_version=4)
    first, second = notebook.cells
    assert "2 * x" not in first.source
    assert "raise NotImplementedError" in first.source
    assert second.source == "assert twice(2) == 4"
    assert [line.partition(" ")[0] for line in notebook.metadata.released] == ["twice", "test-twice"]
    assert written(notebook) == []


def test_a_course_without_assignments_has_no_exercises(tmp_path):
    shutil.copy(HOME / SETTINGS, tmp_path)
    generate(tmp_path, tmp_path / "out")
    assert contents(tmp_path / "out") == {}


def test_a_drift_is_seen(made, tmp_path):
    """Rejects a comparison that cannot fail: an edited exercise and a left-over file both differ."""
    for name in ("same", "edited", "more"):
        shutil.copytree(made, tmp_path / name)
    assert contents(made) == contents(tmp_path / "same")
    edited = tmp_path / "edited" / "00_words" / "words.ipynb"
    edited.write_text(edited.read_text().replace("== 4", "== 5"))
    assert contents(made) != contents(tmp_path / "edited")
    (tmp_path / "more" / "old.ipynb").touch()
    assert contents(made) != contents(tmp_path / "more")


def test_nbgraders_complaint_is_passed_on(home, tmp_path):
    """Two cells with the same grade id cannot be graded."""
    path = home / "solutions" / "00_words" / "words.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata.nbgrader.grade_id = "twice"
    nbformat.write(notebook, path)
    with pytest.raises(SystemExit, match="could not make the exercises"):
        generate(home, tmp_path / "out")


# ── In the place of what was there ────────────────────────────────────────────────────────────────────────────────────


def test_answers_in_exercises_are_kept_and_twice_changes_nothing(home, capsys):
    """Rejects a generator that overwrites an answer, and one that touches files that are right."""
    exercises.main(home)
    path = home / "exercises" / "00_words" / "words.ipynb"
    right = path.read_bytes()
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source = "def twice(x):\n    return x + x"
    nbformat.write(notebook, path)
    exercises.main(home)
    assert path.read_bytes() == right
    assert "return x + x" in (home / "work" / "00_words" / "words.ipynb").read_text()
    assert "work/00_words/words.ipynb: your copy, with what you wrote in exercises/" in capsys.readouterr().out
    before = path.stat().st_mtime_ns
    exercises.main(home)
    assert path.stat().st_mtime_ns == before
    assert capsys.readouterr().out == "exercises/: 1 files\n"


def test_exercises_stay_where_what_is_written_there_cannot_be_kept(home, monkeypatch):
    """Rejects a generator that overwrites an answer for which the disk has no room."""
    path = home / "exercises" / "00_words" / "words.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scripts.work.keep", full)
    with pytest.raises(SystemExit, match=r"left as it is.*No space left"):
        exercises.main(home)
    assert path.read_bytes() == b"{"


def test_what_is_no_exercise_any_more_goes(tmp_path):
    """Rejects a left-over that students would still find, and an empty folder."""
    for name in ("00_a/a.ipynb", "01_b/b.ipynb"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"old")
    replace(tmp_path, {"00_a/a.ipynb": b"new", "02_c/c.ipynb": b"new"})
    assert contents(tmp_path) == {"00_a/a.ipynb": b"new", "02_c/c.ipynb": b"new"}
    assert not (tmp_path / "01_b").exists()
