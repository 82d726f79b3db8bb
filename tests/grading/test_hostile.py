"""Every hand-in of the table of hostile and broken ones: a sensible outcome, a reason, and nothing left behind.

The table is graded by several threads at once. After every few of them the same process grades a good hand-in.
"""

import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from course_lib.grading import workers
from course_lib.grading.processes import descendants
from course_lib.grading.sandbox import OWN_USER

from .assignment import FULL
from .hostile import CASES

THREADS, TOGETHER = 3, 5
COURSE = Path(__file__).resolve().parents[2]


def points(outcome):
    """{grade id: points} of what was graded by running it; None where there is no grade."""
    return {name: outcome.scores[name][0] for name in FULL} if outcome.graded else None


def everything_below(*folders):
    """What the course's folders hold, as one number for each file."""
    files = (path for folder in folders for path in sorted((COURSE / folder).rglob("*")) if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in files if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def course_before():
    """The course's files before any hand-in is graded."""
    return everything_below("solutions", "exercises", "course_lib/grading")


@pytest.fixture(scope="module")
def graded(course_before, grade, release, good):
    """{name of a case: what is to come of it}, and of the good hand-ins between them."""

    def several(cases):
        return [*(grade(case.make(release)) for case in cases), grade(good)]

    groups = [CASES[k : k + TOGETHER] for k in range(0, len(CASES), TOGETHER)]
    with ThreadPoolExecutor(THREADS) as threads:
        futures = [threads.submit(several, group) for group in groups]
        places = {
            case.name: (future, k)
            for group, future in zip(groups, futures, strict=True)
            for k, case in enumerate(group)
        }
        yield {"good": [(future, -1) for future in futures], **places}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_outcome(graded, case):
    """Rejects a grader that a hand-in can stop, mislead or talk into points, or that does not say what happened."""
    future, place = graded[case.name]
    outcome = future.result()[place]
    said = "\n".join([outcome.reason, *outcome.notes])
    assert points(outcome) == case.scores, said
    assert re.search(case.says, said), said
    assert outcome.graded == (outcome.autograded is not None)
    assert outcome.graded or outcome.reason


def test_good_handins_between_them_get_full_marks(graded):
    """Rejects a grader in which one hand-in leaves something behind that the next one meets."""
    for future, place in graded["good"]:
        outcome = future.result()[place]
        assert points(outcome) == FULL, outcome.reason
        assert outcome.scores["why"] == (0, 4, True)
        assert (outcome.reason, outcome.notes) == ("", [])


def test_nothing_is_left_behind(graded, private, course_before):
    """Rejects a grader that loses sight of a process or a file, and a sandbox that lets files be changed."""
    for future, _ in graded["good"]:
        future.result()
    idle = {worker.process.pid for worker in workers.IDLE}
    assert idle
    assert not set(descendants(os.getpid())) - idle
    workers.close()
    assert not descendants(os.getpid())
    assert [path.name for path in Path("/proc").glob("[0-9]*") if owner(path) >= OWN_USER] == []
    assert os.listdir(private) == []
    assert everything_below("solutions", "exercises", "course_lib/grading") == course_before


def owner(path):
    """The user that a process belongs to; -1 where it is gone."""
    try:
        return path.stat().st_uid
    except OSError:
        return -1


def test_each_case_has_a_name_of_its_own():
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) >= 45
