"""One submission is graded, by root or an unprivileged user, whatever happens to the process that grades it."""

import json
import os
import sys
import time

import nbformat
import pytest

from grading import job as job_module
from grading import workers
from grading.hide import STUB
from grading.job import Job, grade_one, prepare
from grading.sandbox import as_ordinary_user
from grading.settings import Settings
from grading.submission import is_test
from tests.house.files import HOME, chapters

from .assignment import DOUBLE, LIMITS, SCORES, SOURCE, ended, submit, supervise


def test_an_outcome_has_the_scores_and_the_executed_notebook(grade, release):
    """Rejects hidden tests in a release, a text that nobody grades, and a notebook without hidden tests."""
    released = nbformat.writes(release)
    assert [one for one in ("the secret", "return 2 * x") if one in released] == []
    assert "raise NotImplementedError" in released
    outcome = grade(submit())
    assert outcome.scores == SCORES
    sources = {cell.id: cell.source for cell in nbformat.reads(outcome.autograded.decode(), as_version=4).cells}
    assert sources["double"] == DOUBLE
    assert "BEGIN HIDDEN TESTS" in sources["triple-check"]
    assert (outcome.student, outcome.assignment, outcome.reason, outcome.notes) == ("student", "numbers", "", [])
    assert 0 < outcome.started_s < outcome.seconds


def test_students_get_the_stub_of_the_course():
    """Rejects a release whose stubs differ from those in exercises/: unchanged answers would look answered."""
    for path in chapters("exercises"):
        code = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        answers = [source for source in code if "raise NotImplementedError(" in source]
        assert answers, path.name
        assert [source for source in answers if not all(line in source for line in STUB.splitlines())] == [], path.name


@pytest.fixture
def worker(private):
    """A worker process."""
    one = workers.Worker()
    yield one
    one.stop()


@pytest.mark.parametrize("what", ["release", "autograde"])
def test_a_worker_reports_a_failure_and_ends_with_its_parent(worker, tmp_path, what):
    """Rejects a worker that dies of an empty folder, hides the reason, or waits for ever for tasks."""
    assert worker.do(what, tmp_path, 300).startswith("Grading stopped: ")
    assert worker.do(what, tmp_path, 300).startswith("Grading stopped: ")
    assert worker.process.poll() is None
    worker.process.stdin.close()
    assert worker.process.wait(300) == 0


def test_a_worker_is_replaced_after_some_submissions(grade, monkeypatch):
    """Rejects a process that grades for ever and accumulates memory."""
    workers.close()
    monkeypatch.setattr(workers, "MAX_TASKS", 1)
    grade(submit(double=None))
    assert workers.IDLE == []


def test_a_deadline_stops_the_worker_and_the_next_submission_is_graded(grade, monkeypatch):
    """Rejects a deadline that only the worker itself could keep."""
    prepare(SOURCE, Settings(**LIMITS | {"cell_s": 30}))
    monkeypatch.setattr(job_module, "GRACE_S", 6 - LIMITS["total_s"])
    outcome = grade(submit(double="import time\ntime.sleep(30)"), cell_s=30)
    monkeypatch.undo()
    assert (outcome.graded, outcome.reason) == (False, "Grading took longer than 6 s and was stopped.")
    assert grade(submit()).scores == SCORES


GRADE = """
import json, sys
from pathlib import Path
from grading import workers
from grading.job import Job, Settings, grade_one, prepare
source, submission, settings = *(Path(name).read_bytes() for name in sys.argv[1:3]), Settings(**json.loads(sys.argv[3]))
prepare(source, settings)
print(workers.IDLE[0].process.pid, flush=True)
outcome = grade_one(Job("student", "numbers", "numbers", submission, source, settings))
print(json.dumps([outcome.graded, outcome.reason, outcome.scores]), flush=True)
"""


@pytest.mark.parametrize("victim", ["worker", "program"])
@pytest.mark.usefixtures("needs_sandbox")
def test_when_a_grader_is_killed_nothing_goes_on(victim, tmp_path):
    """Rejects kernels, workers and temporary files that outlive a killed worker or `make grade`."""
    settings = json.dumps(LIMITS | {"cell_s": 600, "total_s": 600})
    files = [tmp_path / "source", tmp_path / "submission"]
    for path, data in zip(files, (SOURCE, submit(double="import time\ntime.sleep(600)")), strict=True):
        path.write_bytes(data)
    (tmp_path / "private").mkdir()
    env = {"TMPDIR": str(tmp_path / "private")}
    process, program = supervise(sys.executable, "-c", GRADE, *files, settings, cwd=HOME, env=env)
    worker = int(process.stdout.readline())
    while not list(tmp_path.glob("private/grading-*/k*/connection.json")) and process.poll() is None:
        time.sleep(0.05)
    time.sleep(5)  # until the kernel runs; if it does not yet, the test passes all the same
    os.kill(worker if victim == "worker" else program, 9)
    out, err = ended(process)
    if victim == "worker":
        assert "its process ended with status -9" in json.loads(out[0])[1], err
    else:
        assert out == ["-9"], err
        assert list((tmp_path / "private").glob("grading-*")) == []


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("kind", ["bwrap", "none"])
@pytest.mark.usefixtures("needs_sandbox")
def test_an_unprivileged_user_grades_like_root(tmp_path, kind):
    """Rejects a sandbox that works for root only, and SANDBOX=none in which processes of a submission stay."""
    stay = "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    (tmp_path / "source").write_bytes(SOURCE)
    (tmp_path / "submission").write_bytes(submit(double=stay + DOUBLE))
    files = {"/source": str(tmp_path / "source"), "/submission": str(tmp_path / "submission")}
    files |= {str(HOME / "grading"): str(HOME / "grading")}
    program = ["/usr/bin/env", "TMPDIR=/tmp", "HOME=/tmp", sys.executable, "-c", GRADE, "/source", "/submission"]
    become = [word for word in as_ordinary_user(files) if word != "--unshare-pid"]
    process, _ = supervise(*become, *program, json.dumps(LIMITS | {"sandbox": kind}), cwd="/")
    out, err = ended(process)
    graded, reason, scores = json.loads(out[1])
    assert (graded, reason) == (True, ""), err
    assert scores == {name: list(score) for name, score in SCORES.items()}


def test_without_a_sandbox_nothing_is_graded(monkeypatch):
    """Rejects a grader that silently continues without a sandbox."""
    monkeypatch.setattr(job_module, "problem", lambda sandbox: "It needs bubblewrap.")
    with pytest.raises(RuntimeError, match="It needs bubblewrap"):
        grade_one(Job("student", "numbers", "numbers", b"", b""))


WRONG = {
    "no notebook": (SOURCE, b"{}", "cannot be graded"),
    "a wrong solution": (b"return 2 * x", b"return 3 * x", "do not pass their own checks here: double-check"),
    "a marker forgotten": (b"### END SOLUTION", b"", "cannot be graded: .*solution"),
}


@pytest.mark.parametrize(("old", "new", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_course_costs_no_student_points(grade, old, new, words):
    """Rejects zero points for everybody when the solutions themselves fail."""
    with pytest.raises(RuntimeError, match=words):
        grade(submit(), source=SOURCE.replace(old, new))


def without_experiments(path):
    """A source notebook up to its last check: experiments take long."""
    notebook = nbformat.read(path, as_version=4)
    last = max(k for k, cell in enumerate(notebook.cells) if is_test(cell))
    notebook.cells = notebook.cells[: last + 1]
    return nbformat.writes(notebook).encode()


@pytest.mark.slow
@pytest.mark.parametrize("path", chapters("solutions")[::6], ids=lambda path: path.name[:2])
def test_the_solutions_get_all_points_and_each_check_has_a_probe(private, path):
    """Rejects a check that the solutions fail in the sandbox, and one that wrong values pass (every sixth chapter)."""
    probes = prepare(without_experiments(path), Settings()).checks["probes"]
    assert probes
    assert {name for name, codes in probes.items() if not codes} == set()
