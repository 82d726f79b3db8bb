"""A pool of graders gives each submission back once, with what came of it."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from grading import pool
from grading.files import Problem
from grading.job import Job, Outcome
from grading.settings import Settings

from .classes import submit

JOBS = [(str(number), Job(str(number), "02", "02", submit(), b"")) for number in range(7)]


def outcomes(grade, monkeypatch, jobs=JOBS, width=2):
    """What a pool of two threads gives, with another grader in the place of ours: {student: outcome}."""
    monkeypatch.setattr(pool, "grade_one", grade)
    with ThreadPoolExecutor(width) as executor:
        given = [
            (mark, job.student, came) for mark, job, came in pool.outcomes(pool.Pool(executor, lambda: width), jobs)
        ]
    assert [mark for mark, *_ in given] == [student for _, student, _ in given]
    assert len({student for _, student, _ in given}) == len(given)
    return {student: came for _, student, came in given}


def outcome(job, graded=True):
    """An outcome without points."""
    return Outcome(job.student, job.assignment, graded, "" if graded else "Grading stopped.")


def test_each_hand_in_comes_back_once(monkeypatch):
    """Rejects a pool that loses the last ones, mixes them up, or stops at an exception."""

    def grade(job):
        if job.student == "3":
            raise OSError("the disk is full")
        return outcome(job)

    came = outcomes(grade, monkeypatch)
    assert sorted(came) == [str(number) for number in range(7)]
    assert str(came.pop("3")) == "the disk is full"
    assert all(one.graded and one.student == student for student, one in came.items())


def test_no_more_than_wanted_are_given_out_at_a_time(monkeypatch):
    """Rejects reading the whole class into memory before the first is graded."""
    read, graded = [], []
    jobs = (read.append(one) or one for one in JOBS)

    def grade(job):
        graded.append(len(read))
        return outcome(job)

    outcomes(grade, monkeypatch, jobs)
    assert graded[0] <= 2
    assert max(seen - begun for begun, seen in enumerate(graded)) <= 2


@pytest.mark.parametrize(("submission", "tries"), [(submit(), 2), (submit()[:-40], 1), (b"", 1), (None, 1)])
def test_what_came_to_nothing_is_tried_once_more_if_it_is_a_notebook(submission, tries, monkeypatch):
    """Rejects a student without points for a moment's weakness of the machine; a file that is no notebook stays one."""
    begun = []
    job = Job("ada", "02", "02", submission, b"")
    came = outcomes(lambda job: begun.append(1) or outcome(job, graded=False), monkeypatch, [("ada", job)])
    assert len(begun) == tries
    assert not came["ada"].graded
    begun.clear()
    came = outcomes(lambda job: begun.append(1) or outcome(job, graded=len(begun) > 1), monkeypatch, [("ada", job)])
    assert came["ada"].graded == (tries == 2)


def test_an_interrupt_waits_for_nobody(monkeypatch):
    """Rejects a run that goes on until the submissions that were begun or given out have come to their end."""
    begun, ended = threading.Event(), threading.Event()
    monkeypatch.setattr(pool, "problem", lambda sandbox: None)
    monkeypatch.setattr(pool, "prepare", lambda source, settings: None)
    monkeypatch.setattr(pool, "descendants", functools.partial(ends, ended))
    monkeypatch.setattr(pool, "grade_one", lambda job: begun.set() or ended.wait())
    with pytest.raises(KeyboardInterrupt), pool.local(1, b"", Settings()) as local:  # noqa: PT012
        first, second = (local.executor.submit(pool.grade_one, job) for _, job in JOBS[:2])
        begun.wait()
        raise KeyboardInterrupt
    assert first.done()
    assert second.cancelled()


def ends(ended, process, seen=[]):  # noqa: B006
    """Who asks a second time for the processes means to end them; a grader ends with its process."""
    seen.append(process)
    if len(seen) > 1:
        ended.set()
    return []


def test_solutions_that_cannot_be_graded_stop_the_class(monkeypatch):
    """Rejects a class in which everybody fails for the author's mistake."""

    def broken(source, settings):
        raise RuntimeError("The solutions do not pass their own checks here: softmax-check")

    monkeypatch.setattr(pool, "problem", lambda sandbox: None)
    monkeypatch.setattr(pool, "prepare", broken)
    with pytest.raises(Problem, match="softmax-check"), pool.local(1, b"", Settings()):
        pytest.fail("began")
