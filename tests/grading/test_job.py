"""One submission is graded, by root or an ordinary user, and whatever happens to the process that grades it."""

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from grading import job as job_module
from grading import workers
from grading.job import Job, Outcome, grade_one, prepare
from grading.kernel import CONNECTION
from grading.processes import descendants
from grading.sandbox import OWN_USER, as_ordinary_user
from grading.settings import Settings
from grading.submission import is_test
from grading.worker import STUB
from tests.house.files import HOME, chapters

from .assignment import DOUBLE, FULL, SETTINGS, TRIPLE, released, source

SLEEPS = "import time\ntime.sleep(30)"
SLEEPER = "a name that can be seen from outside"
SEEN_ASLEEP = f"import subprocess\nsubprocess.run(['sh', '-c', 'sleep 30; true', {SLEEPER!r}])"
PATIENT = Settings(**SETTINGS | {"cell_s": 30})


def points(outcome):
    """{grade id: points} of what was graded by running it."""
    return {name: outcome.scores[name][0] for name in FULL}


def wait_for(condition):
    """Wait until something holds, a minute at most."""
    deadline = time.monotonic() + 60
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def kernels():
    """The kernels that this process has started by way of others."""
    commands = ((pid, command(pid)) for pid in descendants(os.getpid()))
    return [pid for pid, words in commands if CONNECTION in words and "bwrap" not in words]


def command(pid):
    """The command line of a process; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


# ── What comes of it ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_outcome_says_what_was_scored_and_shows_the_run(grade, good):
    """Rejects scores of other cells, a text that nobody grades, and a notebook without its hidden tests."""
    outcome = grade(good)
    assert outcome.scores == {"double-check": (2, 2, False), "triple-check": (3, 3, False), "why": (0, 4, True)}
    notebook = nbformat.reads(outcome.autograded.decode(), as_version=4)
    sources = {cell.id: cell.source for cell in notebook.cells}
    assert sources["double"] == DOUBLE
    assert "BEGIN HIDDEN TESTS" in sources["triple-check"]
    assert (outcome.student, outcome.assignment, outcome.reason, outcome.notes) == ("student", "numbers", "", [])
    assert 0 < outcome.started_s < outcome.seconds


def test_an_untouched_text_is_not_left_for_a_person(grade, release):
    """Rejects work for graders where nothing was written."""
    outcome = grade(released(release, double=DOUBLE))
    assert outcome.scores == {"double-check": (2, 2, False), "triple-check": (0, 3, False), "why": (0, 4, False)}


def test_students_get_the_stub_of_the_course():
    """Rejects a release whose stubs differ from those in exercises/: what nobody touched would look answered."""
    for path in chapters("exercises"):
        code = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        answers = [source for source in code if "raise NotImplementedError(" in source]
        assert answers, path.name
        assert [source for source in answers if not all(line in source for line in STUB.splitlines())] == [], path.name


def test_notebooks_are_counted_in_processes_that_are_replaced(grade, release, monkeypatch):
    """Rejects a process that grades for ever, and gathers what it does not give back."""
    workers.close()  # those of other tests
    monkeypatch.setattr(workers, "MAX_TASKS", 1)
    grade(released(release))
    assert [worker for worker in workers.IDLE if worker.process.poll() is None] == []


# ── What goes wrong with the grader itself ────────────────────────────────────────────────────────────────────────────


def test_a_grader_that_dies_ends_one_handin_and_the_next_is_graded(grade, release, good):
    """Rejects a class that ends with the process that grades, and a kernel that outlives it."""
    submission = released(release, double=SLEEPS)
    found = []
    thread = threading.Thread(target=lambda: found.append(grade(submission, settings=PATIENT)))
    prepare(source(), PATIENT)
    thread.start()
    (kernel, *_) = wait_for(kernels)
    grader = next(one for one in psutil.Process(kernel).parents() if "grading.worker" in one.cmdline())
    grader.kill()
    thread.join(60)
    assert not found[0].graded
    assert "its process ended" in found[0].reason
    assert wait_for(lambda: not command(kernel))
    assert points(grade(good)) == FULL


def test_a_deadline_ends_the_grader_with_all_that_it_started(grade, release, good, monkeypatch):
    """Rejects a deadline that only the grader itself could keep."""
    prepare(source(), PATIENT)
    monkeypatch.setattr(job_module, "GRACE_S", 6 - PATIENT.total_s)
    outcome = grade(released(release, double=SLEEPS), settings=PATIENT)
    monkeypatch.undo()
    assert (outcome.graded, outcome.reason) == (False, "Grading took longer than 6 s and was stopped.")
    assert kernels() == []
    assert points(grade(good)) == FULL


GRADE = """
import json, sys
from pathlib import Path
from grading.job import Job, Settings, grade_one
source, submission = (Path(name).read_bytes() for name in sys.argv[1:3])
outcome = grade_one(Job("student", "numbers", "numbers", submission, source, Settings(**json.loads(sys.argv[3]))))
print(json.dumps([outcome.graded, outcome.reason, outcome.scores]))
"""


def test_when_the_whole_program_is_killed_nothing_goes_on(private, release, tmp_path):
    """Rejects kernels, graders and temporary files that outlive an interrupted `make grade`."""
    before = set(Path(private).iterdir())  # of other tests that kill a grader
    (tmp_path / "source").write_bytes(source())
    (tmp_path / "submission").write_bytes(released(release, double=SEEN_ASLEEP))
    arguments = [str(tmp_path / "source"), str(tmp_path / "submission"), json.dumps(SETTINGS | {"cell_s": 30})]
    process = subprocess.Popen([sys.executable, "-c", GRADE, *arguments], cwd=HOME)
    asleep = wait_for(lambda: [pid for pid in descendants(process.pid) if SLEEPER in command(pid)])
    started = descendants(process.pid)
    process.kill()
    process.wait()
    assert asleep
    assert wait_for(lambda: not any(map(command, started)))
    assert wait_for(lambda: not set(Path(private).glob("grading-*")) - before)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="for root, who can become somebody else")
@pytest.mark.parametrize("kind", ["bwrap", "none"])
def test_an_ordinary_user_grades_as_root_does(private, release, tmp_path, kind):
    """Rejects a sandbox that works for root only, and SANDBOX=none in which a process of the submission goes on."""
    stay = "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    submission = released(release, double=stay + DOUBLE, triple=TRIPLE, why="x")
    for name, data in {"source": source(), "submission": submission}.items():
        (tmp_path / name).write_bytes(data)
    files = {"/source": str(tmp_path / "source"), "/submission": str(tmp_path / "submission")}
    program = ["/usr/bin/env", "TMPDIR=/tmp", "HOME=/tmp", sys.executable, "-c", GRADE, "/source", "/submission"]
    become = [word for word in as_ordinary_user(files) if word != "--unshare-pid"]
    settings = json.dumps(SETTINGS | {"sandbox": kind})
    done = subprocess.run([*become, *program, settings], capture_output=True, text=True, cwd="/")
    graded, reason, scores = json.loads(done.stdout)
    assert (graded, reason) == (True, ""), done.stderr
    assert scores == {"double-check": [2, 2, False], "triple-check": [3, 3, False], "why": [0, 4, True]}
    assert not [path.name for path in Path("/proc").glob("[0-9]*") if owner(path) == OWN_USER + os.getpid()]


def owner(path):
    """The user that a process belongs to; -1 where it is gone."""
    try:
        return path.stat().st_uid
    except OSError:
        return -1


# ── What goes wrong with the course ───────────────────────────────────────────────────────────────────────────────────


def test_without_a_sandbox_nothing_is_graded(monkeypatch):
    """Rejects a grader that goes on without a sandbox, silently."""
    monkeypatch.setattr(job_module, "problem", lambda sandbox: "It needs bubblewrap.")
    with pytest.raises(RuntimeError, match="It needs bubblewrap"):
        grade_one(Job("student", "numbers", "numbers", b"", b""))


WRONG = {
    "no notebook": (b"", b"", "cannot be graded"),
    "a wrong solution": (b"return 2 * x", b"return 3 * x", "do not pass their own checks here: double-check"),
    "a mark forgotten": (b"### END SOLUTION", b"", "cannot be graded: .*solution"),
}


@pytest.mark.parametrize(("old", "new", "words"), WRONG.values(), ids=WRONG)
def test_a_course_that_is_wrong_costs_no_student_points(grade, good, old, new, words):
    """Rejects zero points for everybody where the solutions themselves fail."""
    with pytest.raises(RuntimeError, match=words):
        grade(good, source=source().replace(old, new) if old else b"{}")


def test_a_job_and_its_outcome_can_be_sent_to_another_machine():
    """Rejects types that cannot be pickled for a cluster."""
    job = Job("a", "b", "c", None, b"", Settings())
    assert pickle.loads(pickle.dumps(job)) == job
    assert pickle.loads(pickle.dumps(Outcome("a", "b", False, "why"))) == Outcome("a", "b", False, "why")


# ── The course's own exercises ────────────────────────────────────────────────────────────────────────────────────────


def without_experiments(path):
    """A notebook of solutions/ without what is graded by hand, and what prepares it: experiments, which take long."""
    notebook = nbformat.read(path, as_version=4)
    graded = [k for k, cell in enumerate(notebook.cells) if is_test(cell)]
    notebook.cells = notebook.cells[: graded[-1] + 1]
    return nbformat.writes(notebook).encode()


@pytest.mark.slow
@pytest.mark.parametrize("path", chapters("solutions")[::6], ids=lambda path: path.name[:2])
def test_the_solutions_get_all_points_and_each_check_has_its_canary(private, path):
    """Rejects a check that the solutions fail where submissions are graded, and one that nonsense passes.

    Every sixth chapter: without torch, and with it and the arrays of the real model. All the others' checks meet the
    same nonsense in tests/exercises, and `make grade` begins with the solutions themselves.
    """
    found = prepare(without_experiments(path), Settings()).checks["probes"]
    assert found
    assert {name for name, codes in found.items() if not codes} == set()


@pytest.mark.slow
def test_a_student_of_chapter_0(private):
    """Rejects grading that works for small assignments only: a right answer, a wrong one, then a bent check."""
    whole = without_experiments(chapters("solutions")[0])
    cells = {cell.id: cell.source for cell in nbformat.reads(whole.decode(), as_version=4).cells}
    bend = "type(check_softmax).__call__ = lambda *a, **k: None\n"
    graded = []
    for softmax in (cells["softmax"], bend + cells["softmax"]):
        submission = released(prepare(whole, Settings()).release, softmax=softmax, answer="def answer(*a): return 0")
        graded.append(grade_one(Job("student", "chapter", "chapter", submission, whole)))
    assert [outcome.scores["softmax-check"][:2] for outcome in graded] == [(2, 2), (0, 2)]
    assert [outcome.scores["answer-check"][:2] for outcome in graded] == [(0, 2), (0, 2)]
    assert graded[0].reason == ""
    assert "`softmax-check`: the check passes with a wrong answer too" in graded[1].reason
