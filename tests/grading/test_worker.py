"""nbgrader's part: a process that makes releases and grades, says why it could not, and ends when it should."""

import sqlite3

import nbformat
import pytest

from grading.job import write
from grading.workers import Worker

from .assignment import source


@pytest.fixture
def worker(private):
    """A process that grades."""
    one = Worker()
    yield one
    one.stop()


def test_a_release_has_no_hidden_tests_and_the_gradebook_has_them(worker, tmp_path):
    """Rejects a release that shows them, and a gradebook that puts back the checks without them."""
    write(nbformat.reads(source().decode(), as_version=4), tmp_path / "source" / "assignment" / "notebook.ipynb")
    assert worker.do("release", tmp_path, 60) == ""
    release = (tmp_path / "release" / "assignment" / "notebook.ipynb").read_text()
    assert "the secret" not in release
    assert "return 2 * x" not in release
    assert "raise NotImplementedError" in release
    with sqlite3.connect(tmp_path / "gradebook.db") as book:
        assert book.execute("select count(*) from source_cell where source like '%the secret%'").fetchone() == (1,)


@pytest.mark.parametrize("what", ["release", "autograde"])
def test_it_says_why_nothing_came_of_it_and_goes_on(worker, tmp_path, what):
    """Rejects a process that dies of a folder in which nothing lies, or keeps the reason to itself."""
    assert worker.do(what, tmp_path, 60).startswith("Grading stopped: ")
    assert worker.do(what, tmp_path, 60).startswith("Grading stopped: ")
    assert worker.process.poll() is None


def test_it_ends_when_the_one_who_sends_tasks_has_ended(worker):
    """Rejects a process that waits for ever for tasks that nobody can send."""
    worker.process.stdin.close()
    assert worker.process.wait(30) == 0
