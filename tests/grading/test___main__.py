"""The command line: problems are explained in one sentence and give a failing exit status."""

import re

import pytest

from grading import pool
from grading.grade import find_source

from .assignment import NAME, call, make_class, make_course, submit


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
