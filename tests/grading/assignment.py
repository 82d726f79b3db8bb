"""A small assignment with hidden tests, submissions for it, and a course with a class for tests of whole runs."""

import contextlib
import csv
import io
import json
import os
import shutil
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
from grading.feedback import write_feedback
from grading.folder import Folder, Record, save
from grading.gradebook import enter, exercises, prepare, release
from grading.job import Outcome
from grading.problem import problem
from tests.house.files import HOME

NAME = "05_how_small_can_a_course_be"
DOUBLE, TRIPLE = "def double(x):\n    return 2 * x", "def triple(x):\n    return x + x + x"
RIGHT = {"double": DOUBLE, "triple": TRIPLE, "why": "It adds."}
STUBS = {n: f'def {n}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError("replace this line")' for n in RIGHT}
STUBS["why"] = "YOUR ANSWER HERE"
POINTS = {"double-check": 2.0, "triple-check": 3.0, "why": 4.0}
FULL = {"double-check": 2.0, "triple-check": 3.0}
SCORES = {"double-check": (2.0, 2.0, False), "triple-check": (3.0, 3.0, False), "why": (0.0, 4.0, True)}
SECRET = "assert double(double(3)) == 12, 'the secret'"
LIMITS = {"total_s": 40, "cell_s": 3, "cpu_s": 6, "memory_mb": 400, "disk_mb": 32, "processes": 64, "output_kb": 100}
GIVEN = """from math import isclose


def check_double(function, numbers=(1, 2.5, -3)):
    for x in numbers:
        assert isclose(function(x), 2 * x), f"double({x}) is not {2 * x}"
"""


def nbgrader(name, points=None, solution=False):
    """nbgrader's metadata; a cell is locked unless it is an answer."""
    rights = {"schema_version": 3, "grade_id": name, "grade": points is not None, "solution": solution, "task": False}
    return {"nbgrader": rights | {"locked": not solution} | ({} if points is None else {"points": points})}


def cell(kind, source, name, points=None, answer=False):
    """A cell with nbgrader's metadata."""
    return kind(source, id=name, metadata=nbgrader(name, points, answer))


def notebook_of(cells):
    """A notebook for Python."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def solved(name):
    """An answer as its author writes it."""
    return RIGHT[name].replace("\n", "\n    ### BEGIN SOLUTION\n") + "\n    ### END SOLUTION"


def check(visible, hidden):
    """A check with a hidden test."""
    return f"{visible}\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"


def source(secret=SECRET):
    """The source notebook: two functions with checks, and a text graded by hand."""
    cells = [
        new_markdown_cell("# Numbers", id="title"),
        cell(new_code_cell, GIVEN, "given"),
        cell(new_code_cell, solved("double"), "double", answer=True),
        cell(
            new_code_cell, check("check_double(double)", f"check_double(double, (7, 21))\n{secret}"), "double-check", 2
        ),
        new_markdown_cell("Write `triple`.", id="task"),
        cell(new_code_cell, solved("triple"), "triple", answer=True),
        cell(new_code_cell, check("assert triple(2) == 6", "assert triple('ab') == 'ababab'"), "triple-check", 3),
        cell(new_markdown_cell, "### BEGIN SOLUTION\nBecause.\n### END SOLUTION", "why", 4, answer=True),
    ]
    return notebook_of(cells)


SOURCE = nbformat.writes(source()).encode()


def submit(change=lambda notebook: None, **answers):
    """A submission with these answers (right by default, the stub for None), then changed as JSON."""
    notebook = json.loads(nbformat.writes(source()))
    for one in notebook["cells"]:
        name = one["id"]
        if name in RIGHT:
            answer = answers.get(name, RIGHT[name])
            one["source"] = STUBS[name] if answer is None else answer
        elif name in POINTS:
            one["source"] = one["source"][0].rstrip("\n")
    return json.dumps(change(notebook) or notebook).encode()


def make_course(place, assignment=NAME, content=SOURCE):
    """A course folder with one assignment."""
    path = place / "solutions" / assignment / f"{assignment}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    shutil.copy(HOME / "nbgrader_config.py", place)
    return place


def make_results(place, content=SOURCE):
    """A folder of results in which an assignment is prepared."""
    course = make_course(place / "course", content=content)
    (place / "results").mkdir()
    folder = Folder(place / "results", NAME, NAME)
    prepare(folder, course / "solutions" / NAME / f"{NAME}.ipynb", course / "nbgrader_config.py")
    return folder


def entered(folder, mark="1", scores=FULL, change=lambda cells: None, **more):
    """Enter ada's outcome and write her page: (True, True) if both were written. `change` gets {id: cell}."""
    notebook, released = nbformat.read(folder.solution, as_version=4), release(folder)
    cells = {one.id: one for one in notebook.cells}
    by_hand = [one for one in exercises(released) if cells[one].metadata.nbgrader.solution]
    change(cells)
    found = {name: (scores.get(name, 0.0), most, name in by_hand) for name, most in exercises(released).items()}
    about = {"graded": True, "scores": found, "autograded": nbformat.writes(notebook).encode(), **more}
    record = Record(mark, Outcome("ada", NAME, **about))
    save(folder, record)
    return enter(folder, record, released), write_feedback(folder, "ada")


def make_class(place, assignment=NAME, **submissions):
    """A folder of submissions, one folder for each student; an underscore stands for a space."""
    for student, content in submissions.items():
        path = place / student.replace("_", " ") / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return place


def sandbox():
    """bubblewrap if it can start, else none for an unprivileged user; else skip the test."""
    found = next((name for name in ("bwrap", "none") if not problem(name)), None)
    return found or pytest.skip(f"nothing can be graded here: {problem('bwrap')}")


def command_line(what, *words, assignment=NAME):
    """The arguments that make passes."""
    limits = ["--sandbox", sandbox()] if what == "grade" else []
    return [what, "--assignment", assignment, *limits, *map(str, words)]


class Done(NamedTuple):
    """The exit status of a command and its output."""

    status: int
    out: str
    err: str


def call(course, what, *words, **more):
    """Run a command in a course, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(__main__, "interruptible"),
        contextlib.chdir(course),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = __main__.main(command_line(what, *words, **more))
    return Done(status, out.getvalue(), err.getvalue())


# Starts a program, prints its process id and at the end its exit status. It adopts all orphans (PR_SET_CHILD_SUBREAPER)
# and ends when the last of its descendants has: a process left behind keeps it running.
SUPERVISE = """
import ctypes, os, signal, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
program = subprocess.Popen(sys.argv[1:], preexec_fn=heed)
print(program.pid, flush=True)
status = program.wait()
try:
    while True: os.wait()
except ChildProcessError:
    print(status, flush=True)
"""


def supervise(*program, **options):
    """Start a program under SUPERVISE: (the supervisor, the program's process id)."""
    variables = {**os.environ, "PYTHONPATH": str(HOME), "TQDM_MININTERVAL": "0", **options.pop("env", {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", SUPERVISE, *program], env=variables, **streams, **options)
    return process, int(process.stdout.readline())


def start(course, what, *words, **variables):
    """Start a command in a course: (the supervisor, the command's process id)."""
    return supervise(sys.executable, "-m", "grading", *command_line(what, *words), cwd=course, env=variables)


def ended(process):
    """Wait until a supervised program and all its descendants have ended: its last lines on stdout, and stderr."""
    out, err = process.communicate(timeout=400)  # a program left behind runs longer
    return out.decode().splitlines(), err.decode()


def table(results, assignment=NAME):
    """{student: {column: field}} of the table."""
    with (results / f"{assignment}.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@contextlib.contextmanager
def gradebook(results):
    """The gradebook, as nbgrader's formgrader opens it."""
    with Gradebook(f"sqlite:///{Path(results).resolve() / 'gradebook.db'}", "attention") as book:
        yield book


def give(results, student, points, comment=None, name="why"):
    """Give points and a comment by hand, as the formgrader does."""
    with gradebook(results) as book:
        grade = book.find_grade(name, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment:
            book.find_comment(name, NAME, NAME, student).manual_comment = comment
        book.db.commit()


def contents(folder):
    """{path: (bytes, time of the last change)} of all files except the gradebook."""
    files = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != "gradebook.db")
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
