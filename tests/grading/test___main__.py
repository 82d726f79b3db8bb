"""The command line: problems are explained in one sentence and give a failing exit status."""

import os
import re
import shlex

import pytest

from grading import pool
from grading.__main__ import arguments
from grading.grade import find_source
from tests.house.files import HOME

from .assignment import NAME, call, make_class, make_course, sandbox, submit


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with a submission."""
    place = make_course(tmp_path_factory.mktemp("course"))
    make_class(place / "submissions", ada=submit())
    return place


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--assignment", "06"], rf"no such assignment.*\n  ASSIGNMENT={NAME}"),
        (["--assignment", ""], rf"ASSIGNMENT= must name.*\n  ASSIGNMENT={NAME}"),
        (["--from", "gone"], "gone: there is no such folder"),
        (["--from", "solutions"], "no notebook|no submission"),
        (["--from", ""], "FROM= must name"),
        (["--jobs", "0"], "JOBS=0"),
        (["--scheduler", "tcp://127.0.0.1:1"], "SCHEDULER=tcp://127.0.0.1:1 cannot be reached"),
        (["--sandbox", "none", "--assignment", "06"], "with your rights"),
    ],
)
def test_a_mistake_in_the_command_is_explained(words, message, course, monkeypatch):
    """Rejects a traceback, a success with nothing graded, and silence about a missing sandbox."""
    monkeypatch.setattr(pool, "TIMEOUT", "1s")
    done = call(course, "grade", "--from", "submissions", "--to", "elsewhere", *words)
    assert done.status == 1
    assert re.search(message, done.err), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("given", "name"), [("1", "01_one"), ("01", "01_one"), ("01_one", "01_one"), ("11", "11_two")])
def test_an_assignment_may_be_given_by_number(given, name, tmp_path):
    """Rejects 1 for 11 or 10, and a number that must be typed as folders have it."""
    for folder in ("01_one", "10_ten", "11_two"):
        (tmp_path / "solutions" / folder).mkdir(parents=True)
        (tmp_path / "solutions" / folder / f"{folder}.ipynb").touch()
    assert find_source(tmp_path, given).stem == name


def test_feedback_before_grading_is_a_problem(course):
    """Rejects an empty table."""
    done = call(course, "feedback", "--to", "nowhere")
    assert (done.status, done.out) == (1, "")
    assert "make grade comes first" in done.err
    assert not (course / "nowhere").exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="about root")
def test_root_does_not_grade_without_a_sandbox(course):
    """Rejects strangers' programs that run as root."""
    done = call(course, "grade", "--from", "submissions", "--to", "bare", "--sandbox", "none")
    assert done.status == 1
    assert "ordinary user" in done.err
    assert not (course / "bare").exists()
    assert sandbox() == "bwrap"


def test_the_limits_in_the_documentation_can_be_set():
    """Rejects documentation of an option that the command does not have."""
    page = (HOME / "docs" / "instructors.md").read_text(encoding="utf-8")
    words = shlex.split(re.search(r'LIMITS="([^"]+)"', page)[1])
    limits = {name[2:].replace("-", "_"): int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    assert limits.items() <= vars(arguments(["grade", *words])).items()
    assert "$(LIMITS)" in (HOME / "Makefile").read_text(encoding="utf-8")
