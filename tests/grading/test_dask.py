"""A class is graded on more than one machine, and workers that die lose and double nothing."""

import os
import signal
from unittest import mock

import dask
import pytest
from distributed import Client, LocalCluster

from grading import pool
from grading.files import Problem
from grading.folder import version
from grading.job import Outcome
from grading.settings import Settings

from .classes import FULL, NAME, call, everything, make_class, make_course, start, submit, table

QUICK = {
    "distributed.scheduler.allowed-failures": 1,
}


@pytest.fixture(scope="module")
def cluster():
    """Two workers on this machine, each a process. Dask sets variables of theirs here too, and leaves them: with its
    MALLOC_TRIM_THRESHOLD_, all that is trained afterwards takes half as long again.
    """
    with (
        mock.patch.dict(os.environ),
        dask.config.set(QUICK),
        LocalCluster(2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
    ):
        yield cluster


def ready(cluster):
    """Wait until both workers are there (again): {address: process}."""
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        return client.run(os.getpid)


def test_a_worker_that_dies_loses_and_doubles_nothing(cluster, tmp_path):
    """Rejects results that die with a worker, a submission that is forgotten, and one that is entered twice."""
    course = make_course(tmp_path)
    make_class(course / "submissions", **{name: submit() for name in ("ada", "emmy", "grace", "kurt")})
    words = ("--from", "submissions", "--to", "results", "--scheduler", cluster.scheduler_address)
    running, said = start(course, "grade", *words), b""
    victim = min(ready(cluster).values())
    while b"1/4" not in said:
        said += running.stderr.read(1)
    os.kill(victim, signal.SIGKILL)
    said += running.stderr.read()
    assert running.wait() == 0, said.decode()
    rows = table(course / "results")
    assert sorted(rows) == ["ada", "emmy", "grace", "kurt"]
    assert all({name: float(row[name]) for name in FULL} == FULL for row in rows.values())
    assert b"4/4" in said
    assert b"5/4" not in said
    before = everything(course / "results" / "records" / NAME)
    assert len(before) == 4
    assert call(course, "grade", *words).status == 0
    assert everything(course / "results" / "records" / NAME) == before


def dies_of(job):
    """Grade in no time; one submission is deadly to the worker."""
    if job.student == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return lives(job)


def lives(job):
    """Grade in no time."""
    return Outcome(job.student, job.assignment, True, scores={name: (most, most, False) for name, most in FULL.items()})


def test_a_hand_in_that_kills_its_workers_is_reported_and_tried_again_later(cluster, tmp_path, monkeypatch):
    """Rejects trying it for ever, a class that stops there, and a failure that is kept as if it were an outcome."""
    course = make_course(tmp_path)
    make_class(course / "submissions", ada=submit(), deadly=submit(), kurt=submit())
    words = ("--from", "submissions", "--to", "results", "--scheduler", cluster.scheduler_address)
    ready(cluster)
    monkeypatch.setattr(pool, "grade_one", dies_of)
    done = call(course, "grade", *words)
    assert done.status == 1
    assert "deadly: every worker that graded it died" in done.said
    rows = table(course / "results")
    assert [name for name in rows if rows[name]["total"] == "3"] == ["ada", "kurt"]
    assert "every worker" in rows["deadly"]["remark"]
    ready(cluster)
    monkeypatch.setattr(pool, "grade_one", lives)
    done = call(course, "grade", *words)
    assert done.status == 0, done
    assert table(course / "results")["deadly"]["total"] == "3"


class Workers:
    """A cluster's client whose workers say this."""

    def __init__(self, versions, problems=None):
        self.said = [versions, problems]

    def run(self, function, *arguments):
        """What each worker says."""
        return self.said.pop(0)


HERE = version(b"", Settings())


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        (Workers({}), "has no workers"),
        (Workers({"tcp://a": HERE, "tcp://b": "another"}, {}), "other checks than this machine, update them: tcp://b"),
        (Workers({"tcp://a": HERE}, {"tcp://a": "needs bubblewrap"}), "On a worker of tcp://s: needs bubblewrap"),
    ],
)
def test_workers_that_cannot_grade_are_refused_in_words(workers, said):
    """Rejects grading without a sandbox, or with other checks, because a machine elsewhere has none."""
    with pytest.raises(Problem, match=said):
        pool.check_workers(workers, "tcp://s", b"", Settings())


def test_workers_that_can_are_taken():
    """Rejects a check that refuses all."""
    pool.check_workers(Workers({"tcp://a": HERE}, {"tcp://a": None}), "tcp://s", b"", Settings())
