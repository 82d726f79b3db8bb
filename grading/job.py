"""Grade one submission with nbgrader, in a private course folder and a process with a deadline."""

import functools
import json
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode, ValidationError

from .probe import check_options
from .problem import problem
from .settings import Settings
from .submission import UnreadableSubmission, grade_id, is_test, read, rebuild
from .workers import Stopped, run

NOTEBOOK, GRADEBOOK, TASK, OUTCOME = "notebook.ipynb", "gradebook.db", "task.json", "outcome.json"
GRACE_S = 60  # beyond total_s, for starting, stopping and writing
ONE_AT_A_TIME = threading.Lock()

Scores = dict[str, tuple[float, float, bool]]


@dataclass(frozen=True)
class Job:
    """A submission to grade: its bytes (None if there is none), and the source notebook with hidden tests."""

    student: str
    assignment: str
    notebook: str
    submission: bytes | None
    source: bytes
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class Outcome:
    """The result of grading a submission.

    graded       whether there are scores
    reason       why there are no scores, or what happened during the run; "" if nothing
    scores       {grade id: (points, points at most, whether a person must grade it)}
    notes        anomalies of the file, and what to review
    autograded   the executed notebook, hidden tests included
    seconds      the duration, including started_s until the kernel was ready
    """

    student: str
    assignment: str
    graded: bool
    reason: str = ""
    scores: Scores = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    autograded: bytes | None = None
    seconds: float = 0.0
    started_s: float = 0.0


@dataclass(frozen=True)
class Prepared:
    """An assignment, ready for grading: nbgrader's gradebook, the release, and SandboxExecute's options."""

    gradebook: bytes
    release: NotebookNode
    checks: dict


def grade_one(job: Job) -> Outcome:
    """Grade a submission; neither its content nor its behaviour makes this raise.

    Raises RuntimeError if the sandbox cannot start, or nbgrader cannot use the source notebook.
    """
    began, notes = time.monotonic(), []
    if why := problem(job.settings.sandbox):
        raise RuntimeError(why)
    prepared = prepare(job.source, job.settings)
    try:
        if job.submission is None:
            raise UnreadableSubmission("Nothing was submitted.")
        notebook, notes = rebuild(prepared.release, read(job.submission))
        found, autograded = autograde(notebook, prepared, job.settings)
    except (UnreadableSubmission, Stopped) as error:
        seconds = time.monotonic() - began
        return Outcome(job.student, job.assignment, False, str(error), notes=notes, seconds=seconds)
    return Outcome(
        job.student,
        job.assignment,
        True,
        "; ".join(found["reasons"]),
        {name: tuple(score) for name, score in found["scores"].items()},
        notes,
        autograded,
        time.monotonic() - began,
        found["started_s"],
    )


def autograde(notebook: NotebookNode, prepared: Prepared, settings: Settings) -> tuple[dict, bytes]:
    """Grade a notebook in a new private course: (scores and notes, the executed notebook).

    Raises Stopped.
    """
    with tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / GRADEBOOK).write_bytes(prepared.gradebook)
        write(notebook, folder / "submitted" / "student" / "assignment" / NOTEBOOK)
        task = {"settings": asdict(settings)} | prepared.checks
        (folder / TASK).write_text(json.dumps(task), encoding="utf-8")
        run("autograde", folder, settings.total_s + GRACE_S)
        found = json.loads((folder / OUTCOME).read_text(encoding="utf-8"))
        return found, (folder / "autograded" / "student" / "assignment" / NOTEBOOK).read_bytes()


def prepare(source: bytes, settings: Settings) -> Prepared:
    """Make the gradebook and the release of an assignment from its source notebook, once per process."""
    with ONE_AT_A_TIME:
        return prepare_cached(source, settings)


@functools.lru_cache(maxsize=8)
def prepare_cached(source: bytes, settings: Settings) -> Prepared:
    """The uncached `prepare`: grades the solutions like a submission, which also finds the effective probes.

    Raises RuntimeError if nbgrader cannot make a release, or the solutions do not get all points.
    """
    try:
        whole = nbformat.reads(source.decode("utf-8"), as_version=4)
        with tempfile.TemporaryDirectory(prefix="grading-") as name:
            folder = Path(name)
            write(whole, folder / "source" / "assignment" / NOTEBOOK)
            run("release", folder, GRACE_S)
            release = nbformat.read(folder / "release" / "assignment" / NOTEBOOK, as_version=4)
            book = (folder / GRADEBOOK).read_bytes()
        checks = check_options(release, whole)
        trial = Prepared(book, release, checks | {"trial": True})
        found, _ = autograde(rebuild(release, read(source))[0], trial, settings)
    except (Stopped, OSError, ValueError, ValidationError) as error:
        raise RuntimeError(f"The notebook of solutions/ cannot be graded: {error}") from None
    tests = {grade_id(cell) for cell in whole.cells if is_test(cell)}
    if lost := [name for name, (points, most, _) in found["scores"].items() if name in tests and points < most]:
        why = "; ".join(found["reasons"]) or "run it to see why"
        raise RuntimeError(f"The solutions do not pass their own checks here: {', '.join(lost)} ({why})")
    return Prepared(book, release, checks | {"probes": found["effective"], "fonts": found["fonts"]})


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook into a new folder."""
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
