"""Every submission of the table of hostile and broken ones: a sensible outcome, a reason, and nothing left behind.

The table is graded by several threads at once. After every few of them the same process grades a good submission.
"""

import html
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from sqlalchemy import text as sql

from grading import pool, workers
from grading.processes import descendants
from grading.sandbox import OWN_USER

from . import classes
from .assignment import FULL
from .conftest import SOURCE
from .hostile import CASES

THREADS, TOGETHER = 3, 9


def points(outcome):
    """{grade id: points} of what was graded by running it; None where there is no grade."""
    return {name: outcome.scores[name][0] for name in FULL} if outcome.graded else None


def contents(folder):
    """{path: bytes} of everything in a folder."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course folder in which grading is at work, with what a submission would like to read or change."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("solutions/numbers/numbers.ipynb", "submitted/other/numbers/numbers.ipynb", "gradebook.db"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        workers.close()  # the next ones start here
        yield folder


@pytest.fixture(scope="module")
def graders():
    """The processes that grade, noted when they start."""
    noted, start = [], workers.Worker.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers.Worker, "__init__", lambda self: (start(self), noted.append(self.process.pid))[0])
        yield noted


@pytest.fixture(scope="module")
def before(private):
    """What lay in the folder for temporary files before, and which processes there were: those of other tests."""
    workers.close()
    return set(os.listdir(private)), set(descendants(os.getpid()))


@pytest.fixture(scope="module")
def graded(course, before, graders, grade, settings, release, good):
    """{name of a case: what is to come of it}, and of the good submissions between them.

    A clock is short only for those that it has to end: a busy machine is no hostile submission. Broken files that are
    mended into one and the same notebook are run once; the good submissions, each time.
    """
    patient = replace(settings, total_s=300, cell_s=60)
    short = {"longer": settings, "processor time": replace(patient, cpu_s=2)}
    known, this, run = {}, threading.local(), job_module.autograde

    def autograde(notebook, prepared, limits):
        key = nbformat.writes(notebook), limits
        if this.is_good or key not in known:
            known[key] = run(notebook, prepared, limits)
        return known[key]

    def graded_as(submission, limits, is_good=False):
        this.is_good = is_good
        return grade(submission, settings=limits)

    def several(cases):
        limits = (next((short[word] for word in short if word in case.says), patient) for case in cases)
        found = [graded_as(case.make(release), each) for case, each in zip(cases, limits, strict=True)]
        return [*found, graded_as(good, patient, is_good=True)]

    groups = [CASES[k : k + TOGETHER] for k in range(0, len(CASES), TOGETHER)]
    with ThreadPoolExecutor(THREADS) as threads, pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_module, "autograde", autograde)
        futures = [threads.submit(several, group) for group in groups]
        places = {
            case.name: (future, k)
            for group, future in zip(groups, futures, strict=True)
            for k, case in enumerate(group)
        }
        yield {"good": [(future, -1) for future in futures], **places}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_outcome(graded, case):
    """Rejects a grader that a submission can stop, mislead or talk into points, or that does not say what happened."""
    future, place = graded[case.name]
    outcome = future.result()[place]
    said = "\n".join([outcome.reason, *outcome.notes])
    assert points(outcome) == case.scores, said
    assert re.search(case.says, said), said
    assert outcome.graded == (outcome.autograded is not None)
    assert outcome.graded or outcome.reason


def test_good_handins_between_them_get_full_marks(graded):
    """Rejects a grader in which one submission leaves something behind that the next one meets."""
    for future, place in graded["good"]:
        outcome = future.result()[place]
        assert points(outcome) == FULL, outcome.reason
        assert outcome.scores["why"] == (0, 4, True)
        assert (outcome.reason, outcome.notes) == ("", [])


def test_a_class_with_all_of_them(graded, release, good, tmp_path, monkeypatch):
    """Rejects a gradebook, a table or a page that one of them spoils, for itself or for others; nor does a page tell
    the hidden tests. (They are graded above; here their outcomes go through `make grade`.)
    """
    cases = {f"case{number:03}": case for number, case in enumerate(CASES) if case.make(release) is not None}
    submissions = {student: case.make(release) for student, case in cases.items()}
    known = {submissions[student]: graded[case.name] for student, case in cases.items()} | {good: graded["good"][0]}
    outcomes = {content: future.result()[place] for content, (future, place) in known.items()}
    course = classes.make_course(tmp_path, "numbers", SOURCE)
    between = {f"{student}-good": good for student in list(cases)[::20]}
    classes.make_class(course / "submissions", "numbers", **submissions, **between)
    monkeypatch.setattr(pool, "prepare", lambda source, settings: None)
    monkeypatch.setattr(
        pool, "grade_one", lambda job: replace(outcomes[job.submission], student=job.student, assignment=job.assignment)
    )
    assert classes.call(course, "grade", "--from", "submissions", "--to", "results", assignment="numbers").status == 0
    rows = classes.table(course / "results", "numbers")
    assert rows.keys() == submissions.keys() | between.keys()
    for student, row in rows.items():
        expected = cases[student].scores if student in cases else FULL
        found = {name: float(row[name]) for name in FULL}
        assert (None if row["remark"].startswith("not graded") else found) == expected, student
        assert sum(found.values()) == 0 or expected, student
        assert row["by hand"] or (row["why"] == "0" and student in cases)
        page = course / "results" / "feedback" / student / "numbers" / "numbers.html"
        told = html.unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")))
        assert "check_double(double, (7, 21))" not in told, student
        assert "double(double(3))" not in told, student
    assert len(list((course / "results" / "feedback").rglob("*.html"))) == len(rows)
    with classes.gradebook(course / "results") as book:
        assert book.db.execute(sql("PRAGMA integrity_check")).scalar_one() == "ok"
        assert len(book.assignment_submissions("numbers")) == len(rows)


def test_nothing_is_left_behind(graded, private, before, course, graders):
    """Rejects a grader that loses sight of a process or a file, and a sandbox that lets files be changed."""
    for future, _ in graded["good"]:
        future.result()
    files, processes = before
    idle = {worker.process.pid for worker in workers.IDLE}
    assert idle
    assert not set(descendants(os.getpid())) - idle - processes
    workers.close()
    assert not set(descendants(os.getpid())) - processes
    users = {OWN_USER + pid for pid in graders}
    assert users
    assert [path.name for path in Path("/proc").glob("[0-9]*") if owner(path) in users] == []
    assert [name for name in set(os.listdir(private)) - files if not name.startswith("pytest-")] == []
    assert {path.name: data for path, data in contents(course).items()} == dict.fromkeys(
        ["gradebook.db", "numbers.ipynb"], b"{}"
    )
    assert len(contents(course)) == 3


def owner(path):
    """The user that a process belongs to; -1 where it is gone."""
    try:
        return path.stat().st_uid
    except OSError:
        return -1


def test_each_case_has_a_name_of_its_own():
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) >= 45
