"""The command line: what is in the way is told in words, with a status that says so."""

import os
import re
import shlex

import pytest

from grading import pool
from grading.__main__ import arguments
from grading.grade import find_source
from tests.house.files import HOME

from .classes import NAME, call, make_class, make_course, sandbox, submit


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with a submission."""
    place = make_course(tmp_path_factory.mktemp("course"))
    make_class(place / "submissions", ada=submit())
    return place


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--assignment", "06"], rf"no such assignment.*\n  ASSIGNMENT={NAME}"),
        (["--assignment", ""], rf"ASSIGNMENT= must name.*\n  ASSIGNMENT={NAME}"),
        (["--from", "gone"], "gone: there is no such folder"),
        (["--from", "solutions"], "no notebook|no submission"),
        (["--from", ""], "FROM= must name"),
        (["--jobs", "0"], "JOBS=0"),
        (["--scheduler", "tcp://127.0.0.1:1"], "SCHEDULER=tcp://127.0.0.1:1 cannot be reached"),
    ],
)
def test_a_mistake_in_the_command_is_told_in_words(words, said, course, monkeypatch):
    """Rejects a traceback, and a success with nothing graded."""
    monkeypatch.setattr(pool, "TIMEOUT", "1s")
    done = call(course, "grade", "--from", "submissions", "--to", "elsewhere", *words)
    assert done.status == 1
    assert re.search(said, done.complained), done.complained
    assert "Traceback" not in done.complained


@pytest.mark.parametrize(("asked", "name"), [("1", "01_one"), ("01", "01_one"), ("01_one", "01_one"), ("11", "11_two")])
def test_an_assignment_may_be_called_by_its_number(asked, name, tmp_path):
    """Rejects 1 for 11 or for 10, and a number that must be typed as folders have it."""
    for folder in ("01_one", "10_ten", "11_two"):
        (tmp_path / "solutions" / folder).mkdir(parents=True)
        (tmp_path / "solutions" / folder / f"{folder}.ipynb").touch()
    assert find_source(tmp_path, asked).stem == name


def test_feedback_before_grading_is_told_in_words(course):
    """Rejects an empty table."""
    done = call(course, "feedback", "--to", "nowhere")
    assert (done.status, done.said) == (1, "")
    assert "make grade comes first" in done.complained
    assert not (course / "nowhere").exists()


def test_without_a_sandbox_it_is_said_or_refused(course):
    """Rejects strangers' programs that run with the instructor's rights in silence, and any that run as root."""
    done = call(course, "grade", "--from", "submissions", "--to", "bare", "--sandbox", "none", "--assignment", "06")
    assert "with your rights" in done.complained
    if os.getuid() == 0:
        done = call(course, "grade", "--from", "submissions", "--to", "bare", "--sandbox", "none")
        assert done.status == 1
        assert "ordinary user" in done.complained
        assert not (course / "bare").exists()
        assert sandbox() == "bwrap"


def test_the_limits_that_the_page_shows_can_be_set():
    """Rejects a page with an option that the command does not have."""
    page = (HOME / "docs" / "instructors.md").read_text(encoding="utf-8")
    shown = re.search(r'LIMITS="([^"]+)"', page)[1]
    words = shlex.split(shown)
    asked = arguments(["grade", *words])
    limits = {name[2:].replace("-", "_"): int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    assert limits.items() <= vars(asked).items()
    assert "$(LIMITS)" in (HOME / "Makefile").read_text(encoding="utf-8")
