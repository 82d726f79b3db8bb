"""Every hostile or broken submission gets the right outcome and a reason, and leaves nothing behind.

Several threads grade the table at once. After every few cases the same process grades a good submission.
"""

import html
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import nbformat
import pytest
from sqlalchemy import text as sql

from grading import job as job_module
from grading import pool, workers

from .assignment import FULL, SCORES, call, gradebook, make_class, make_course, submit, table
from .hostile import CASES

THREADS, TOGETHER = 3, 9
PATIENT = {"total_s": 300, "cell_s": 60, "cpu_s": 20}  # a busy machine must not fail a good submission
SHORT = {"longer": {"cell_s": 3}, "processor time": {"cpu_s": 3}}  # for those that a clock has to end


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course folder in which grading runs, with files that a submission might read or change."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("solutions/numbers/numbers.ipynb", "submitted/other/numbers/numbers.ipynb", "gradebook.db"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        workers.close()  # so that the next ones start here
        yield folder


@pytest.fixture(scope="module")
def before(private):
    """The temporary files of other tests."""
    workers.close()
    return set(os.listdir(private))


@pytest.fixture(scope="module")
def graded(course, before, grade, release):
    """{name of a case: its outcome as a future}, and the good submissions between them.

    Broken files that give the same notebook are run once; the good submissions are run each time.
    """
    known, this, run = {}, threading.local(), job_module.autograde

    def autograde(notebook, prepared, settings):
        key = nbformat.writes(notebook), settings
        if this.is_good or key not in known:
            known[key] = run(notebook, prepared, settings)
        return known[key]

    def graded_as(submission, limits, is_good=False):
        this.is_good = is_good
        return grade(submission, **PATIENT | limits)

    def several(cases):
        limits = [next((SHORT[word] for word in SHORT if word in case.note), {}) for case in cases]
        found = [graded_as(case.make(), each) for case, each in zip(cases, limits, strict=True)]
        return [*found, graded_as(submit(), {}, is_good=True)]

    groups = [CASES[k : k + TOGETHER] for k in range(0, len(CASES), TOGETHER)]
    with ThreadPoolExecutor(THREADS) as threads, pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_module, "autograde", autograde)
        futures = [threads.submit(several, group) for group in groups]
        places = {c.name: (f, k) for group, f in zip(groups, futures, strict=True) for k, c in enumerate(group)}
        assert len(places) == len(CASES)
        yield {"good": [(future, -1) for future in futures], **places}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_outcome(graded, case):
    """Rejects a grader that a submission can stop or mislead, or that gives no reason."""
    future, place = graded[case.name]
    outcome = future.result()[place]
    said = "\n".join([outcome.reason, *outcome.notes])
    assert ({name: outcome.scores[name][0] for name in FULL} if outcome.graded else None) == case.points, said
    assert re.search(case.note, said), said
    assert outcome.graded == (outcome.autograded is not None)
    assert outcome.graded or outcome.reason


def test_good_submissions_between_them_get_full_points(graded):
    """Rejects a grader in which a submission leaves something behind that affects the next one."""
    for future, place in graded["good"]:
        outcome = future.result()[place]
        assert (outcome.scores, outcome.reason, outcome.notes) == (SCORES, "", [])


def test_a_class_with_all_of_them(graded, tmp_path, monkeypatch):
    """Rejects a gradebook, table or page that one of them corrupts, and a page that shows hidden tests."""
    cases = {f"case{number:03}": case for number, case in enumerate(CASES) if case.make() is not None}
    submissions = {student: case.make() for student, case in cases.items()}
    known = {submissions[student]: graded[case.name] for student, case in cases.items()}
    known[submit()] = graded["good"][0]
    outcomes = {content: future.result()[place] for content, (future, place) in known.items()}
    course = make_course(tmp_path, "numbers")
    between = {f"{student}-good": submit() for student in list(cases)[::20]}
    make_class(course / "submissions", "numbers", **submissions, **between)
    monkeypatch.setattr(pool, "prepare", lambda source, settings: None)
    monkeypatch.setattr(
        pool, "grade_one", lambda job: replace(outcomes[job.submission], student=job.student, assignment=job.assignment)
    )
    words = ("--from", "submissions", "--to", "results")
    assert call(course, "grade", *words, assignment="numbers").status == 0
    rows = table(course / "results", "numbers")
    assert rows.keys() == submissions.keys() | between.keys()
    for student, row in rows.items():
        expected = cases[student].points if student in cases else FULL
        found = {name: float(row[name]) for name in FULL}
        assert (None if row["remark"].startswith("not graded") else found) == expected, student
        assert sum(found.values()) == 0 or expected, student
        assert row["by hand"] or (row["why"] == "0" and student in cases)
        page = course / "results" / "feedback" / student / "numbers" / "numbers.html"
        shown = html.unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")))
        assert not re.search(r"check_double\(double, \(7, 21\)\)|double\(double\(3\)\)", shown), student
    assert len(list((course / "results" / "feedback").rglob("*.html"))) == len(rows)
    with gradebook(course / "results") as book:
        assert book.db.execute(sql("PRAGMA integrity_check")).scalar_one() == "ok"
        assert len(book.assignment_submissions("numbers")) == len(rows)


def test_no_file_is_left_behind_or_changed(graded, private, before, course):
    """Rejects a grader that forgets temporary files, and a sandbox that lets the course be changed."""
    for future, _ in graded["good"]:
        future.result()
    workers.close()
    assert [name for name in set(os.listdir(private)) - before if not name.startswith("pytest-")] == []
    files = [path for path in course.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in files] == [b"{}"] * 3
