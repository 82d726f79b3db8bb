"""A small course and its classes for the tests: an assignment that needs no large package, and submissions to it."""

import contextlib
import csv
import functools
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook

from grading import __main__
from grading.problem import problem
from tests.house.files import HOME

NAME = "05_how_small_can_a_course_be"
STUB = '# YOUR CODE HERE\nraise NotImplementedError("replace this line")'
SECRET = "assert double(21) == 42, 'another number, doubled'"
PLAN = "YOUR ANSWER HERE"
HALVES = "### BEGIN SOLUTION\n    return n / 2\n    ### END SOLUTION"
RIGHT = {"double": "def double(n):\n    return 2 * n", "half": "def half(n):\n    return n / 2", "plan": "My plan."}
POINTS = {"double-check": 2.0, "half-check": 1.0, "plan": 3.0}
FULL = {"double-check": 2.0, "half-check": 1.0}


def cell(kind, source, grade_id, points=None, answer=False):
    """A cell with nbgrader's metadata."""
    rights = {"schema_version": 3, "grade_id": grade_id, "locked": not answer, "solution": answer, "task": False}
    rights |= {"grade": points is not None} | ({"points": points} if points is not None else {})
    return kind(source, id=grade_id, metadata={"nbgrader": rights})


def source(secret=SECRET):
    """The assignment as its author writes it."""
    double = "def double(n):\n    ### BEGIN SOLUTION\n    return 2 * n\n    ### END SOLUTION"
    check = f"assert double(1) == 2, 'one, doubled'\n### BEGIN HIDDEN TESTS\n{secret}\n### END HIDDEN TESTS"
    return new_notebook(
        cells=[
            new_markdown_cell("# How small can a course be?", id="title"),
            cell(new_code_cell, "import math", "imports"),
            cell(new_code_cell, double, "double", answer=True),
            cell(new_code_cell, check, "double-check", points=2),
            cell(new_code_cell, f"def half(n):\n    {HALVES}", "half", answer=True),
            cell(new_code_cell, "assert half(4) == 2, 'four, halved'", "half-check", points=1),
            cell(new_markdown_cell, "Measure it.", "plan", points=3, answer=True),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )


def submit(**answers):
    """A submission with these answers, as bytes; right ones where nothing is said, the stub for None."""
    notebook = source()
    for one in notebook.cells:
        name = one.metadata.get("nbgrader", {}).get("grade_id")
        if name in RIGHT:
            stub = PLAN if name == "plan" else f"def {name}(n):\n    " + STUB.replace("\n", "\n    ")
            given = answers.get(name, RIGHT[name])
            one.source = stub if given is None else given
        elif name == "double-check":
            one.source = one.source.partition("\n")[0]
    return nbformat.writes(notebook).encode()


def make_course(place, assignment=NAME, content=None):
    """The folder of a course that has the small assignment, or another one."""
    path = place / "solutions" / assignment / f"{assignment}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content or nbformat.writes(source()).encode())
    shutil.copy(HOME / "nbgrader_config.py", place)
    return place


def make_class(place, assignment=NAME, **submissions):
    """A folder of submissions, one folder a student; underlined names get a space."""
    for student, content in submissions.items():
        path = place / student.replace("_", " ") / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return place


def sandbox():
    """The sandbox to test with: bubblewrap where it can start, none for an ordinary user; else the test is skipped."""
    found = next((name for name in ("bwrap", "none") if not problem(name)), None)
    return found or pytest.skip(f"nothing can be graded here: {problem('bwrap')}")


def words_of(what, *words, assignment=NAME):
    """The command line that make gives."""
    limits = ["--sandbox", sandbox()] if what == "grade" else []
    return [what, "--assignment", assignment, *limits, *map(str, words)]


def start(course, what, *words, **variables):
    """Start a command in a course, with a bar that shows every step on a pipe."""
    command = [sys.executable, "-m", "grading", *words_of(what, *words)]
    variables = {**os.environ, "PYTHONPATH": str(HOME), "TQDM_MININTERVAL": "0", **variables}
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # what runs in the background ignores it
    return subprocess.Popen(command, cwd=course, env=variables, stderr=subprocess.PIPE, preexec_fn=heed)


class Done(NamedTuple):
    """The status of a command, and what it said."""

    status: int
    said: str
    complained: str


def call(course, what, *words, **more):
    """Do a command in a course, in this process (whose signals it leaves alone), which spares the start of another."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(__main__, "interruptible"),
        contextlib.chdir(course),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        status = __main__.main(words_of(what, *words, **more))
    return Done(status, out.getvalue(), errors.getvalue())


def table(results, assignment=NAME):
    """{student: {column: field}} of the table."""
    with (results / f"{assignment}.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@contextlib.contextmanager
def gradebook(results):
    """The gradebook, as nbgrader's formgrader opens it."""
    with Gradebook(f"sqlite:///{Path(results).resolve() / 'gradebook.db'}", "attention") as book:
        yield book


def give(results, student, points, comment=None, name="plan"):
    """Give points by hand, as the formgrader does, for the experiment or another exercise."""
    with gradebook(results) as book:
        grade = book.find_grade(name, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment:
            book.find_comment("plan", NAME, NAME, student).manual_comment = comment
        book.db.commit()


def everything(folder):
    """{path: (bytes, time of the last change)} of all files that are results."""
    files = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != "gradebook.db")
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
