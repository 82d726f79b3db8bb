"""Executors return each submission once, on this machine or on a Dask cluster whose workers may die."""

import contextlib
import functools
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import dask
import pytest
from distributed import Client, LocalCluster

from grading import pool
from grading.files import Problem
from grading.folder import version
from grading.job import Job, Outcome
from grading.settings import Settings

from .assignment import FULL, NAME, call, contents, ended, make_class, make_course, start, submit, table

JOBS = [(str(number), Job(str(number), "02", "02", submit(), b"")) for number in range(7)]


def outcomes(grade, monkeypatch, jobs=JOBS, width=2):
    """{student: outcome} of a pool of two threads with another grader."""
    monkeypatch.setattr(pool, "grade_one", grade)
    with ThreadPoolExecutor(width) as executor:
        found = list(pool.outcomes(pool.Pool(executor, lambda: width), jobs))
    assert [mark for mark, *_ in found] == [job.student for _, job, _ in found]
    assert len({job.student for _, job, _ in found}) == len(found)
    return {job.student: outcome for _, job, outcome in found}


def outcome(job, graded=True):
    """An outcome without points."""
    return Outcome(job.student, job.assignment, graded, "" if graded else "Grading stopped.")


def test_each_submission_comes_back_once(monkeypatch):
    """Rejects losing the last ones, mixing them up, stopping at an exception, and reading the whole class first."""
    read, graded = [], []

    def grade(job):
        graded.append(len(read))
        if job.student == "3":
            raise OSError("the disk is full")
        return outcome(job)

    found = outcomes(grade, monkeypatch, (read.append(one) or one for one in JOBS))
    assert graded[0] <= 2
    assert max(seen - begun for begun, seen in enumerate(graded)) <= 2
    assert sorted(found) == [str(number) for number in range(7)]
    assert str(found.pop("3")) == "the disk is full"
    assert all(one.graded and one.student == student for student, one in found.items())


@pytest.mark.parametrize(("submission", "tries"), [(submit(), 2), (submit()[:-40], 1), (b"", 1), (None, 1)])
def test_a_readable_notebook_is_retried_once(submission, tries, monkeypatch):
    """Rejects losing points through a temporary failure, and retrying a file that is not a notebook."""
    begun = []
    jobs = [("ada", Job("ada", "02", "02", submission, b""))]
    found = outcomes(lambda job: begun.append(1) or outcome(job, graded=False), monkeypatch, jobs)
    assert (len(begun), found["ada"].graded) == (tries, False)
    begun.clear()
    found = outcomes(lambda job: begun.append(1) or outcome(job, graded=len(begun) > 1), monkeypatch, jobs)
    assert found["ada"].graded == (tries == 2)


def test_an_interrupt_waits_for_nobody(monkeypatch):
    """Rejects a run that continues until submissions that were begun or queued are graded."""
    begun, killed, calls = threading.Event(), threading.Event(), []

    def descendants(process):  # asked for a second time, to kill the workers
        calls.append(process)
        if len(calls) > 1:
            killed.set()
        return []

    monkeypatch.setattr(pool, "problem", lambda sandbox: None)
    monkeypatch.setattr(pool, "prepare", lambda source, settings: None)
    monkeypatch.setattr(pool, "descendants", descendants)
    monkeypatch.setattr(pool, "grade_one", lambda job: begun.set() or killed.wait())
    with pytest.raises(KeyboardInterrupt), pool.local(1, b"", Settings()) as local:  # noqa: PT012
        first, second = (local.executor.submit(pool.grade_one, job) for _, job in JOBS[:2])
        begun.wait()
        raise KeyboardInterrupt
    assert first.done()
    assert second.cancelled()


def test_solutions_that_cannot_be_graded_stop_the_class(monkeypatch):
    """Rejects a class in which everybody fails for the author's mistake."""
    monkeypatch.setattr(pool, "problem", lambda sandbox: None)
    monkeypatch.setattr(pool, "prepare", mock.Mock(side_effect=RuntimeError("fails here: softmax-check")))
    with pytest.raises(Problem, match="softmax-check"), pool.local(1, b"", Settings()):
        pytest.fail("began")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes on this machine. Dask sets environment variables, which are restored."""
    with (
        mock.patch.dict(os.environ),
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
    ):
        yield cluster


def ready(cluster):
    """Wait until both workers are there (again): {address: process id}."""
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        return client.run(os.getpid)


def test_a_worker_that_dies_loses_and_doubles_nothing(cluster, tmp_path):
    """Rejects results that die with a worker, and a submission that is forgotten or entered twice."""
    course = make_course(tmp_path)
    make_class(course / "submissions", **{name: submit() for name in ("ada", "emmy", "grace", "kurt")})
    words = ("--from", "submissions", "--to", "results", "--scheduler", cluster.scheduler_address)
    (process, _), seen = start(course, "grade", *words), b""
    victim = min(ready(cluster).values())
    while b"1/4" not in seen and process.poll() is None:
        seen += process.stderr.read(1)
    os.kill(victim, signal.SIGKILL)
    out, err = ended(process)
    assert out[-1] == "0", err
    assert "4/4" in err
    assert "5/4" not in err
    rows = table(course / "results")
    assert sorted(rows) == ["ada", "emmy", "grace", "kurt"]
    assert all({name: float(row[name]) for name in FULL} == FULL for row in rows.values())
    before = contents(course / "results" / "records" / NAME)
    assert len(before) == 4
    assert call(course, "grade", *words).status == 0
    assert contents(course / "results" / "records" / NAME) == before


def quick(job, deadly=""):
    """Grade without running anything; one submission kills its worker."""
    if job.student == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome(job.student, job.assignment, True, scores={name: (most, most, False) for name, most in FULL.items()})


def test_a_submission_that_kills_its_workers_is_reported_and_retried_later(cluster, tmp_path, monkeypatch):
    """Rejects retrying it for ever, a class that stops there, and a failure that is kept as an outcome."""
    course = make_course(tmp_path)
    make_class(course / "submissions", ada=submit(), deadly=submit(), kurt=submit())
    words = ("--from", "submissions", "--to", "results", "--scheduler", cluster.scheduler_address)
    ready(cluster)
    monkeypatch.setattr(pool, "grade_one", functools.partial(quick, deadly="deadly"))
    done = call(course, "grade", *words)
    assert done.status == 1
    assert "deadly: every worker that graded it died" in done.out
    rows = table(course / "results")
    assert [name for name in rows if rows[name]["total"] == "5"] == ["ada", "kurt"]
    assert "every worker" in rows["deadly"]["remark"]
    ready(cluster)
    monkeypatch.setattr(pool, "grade_one", quick)
    assert call(course, "grade", *words).status == 0
    assert table(course / "results")["deadly"]["total"] == "5"


HERE = version(b"", Settings())


@pytest.mark.parametrize(
    ("versions", "problems", "message"),
    [
        ({}, {}, "has no workers"),
        ({"tcp://a": HERE, "tcp://b": "another"}, {}, "other checks than this machine, update them: tcp://b"),
        ({"tcp://a": HERE}, {"tcp://a": "needs bubblewrap"}, "On a worker of tcp://s: needs bubblewrap"),
        ({"tcp://a": HERE}, {"tcp://a": None}, None),
    ],
)
def test_workers_that_cannot_grade_are_refused(versions, problems, message):
    """Rejects grading with other checks or without a sandbox on another machine, and refusing good workers."""
    client = mock.Mock(run=mock.Mock(side_effect=[versions, problems]))
    with pytest.raises(Problem, match=message) if message else contextlib.nullcontext():
        pool.check_workers(client, "tcp://s", b"", Settings())
