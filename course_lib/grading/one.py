"""One hand-in graded, whatever it is: by nbgrader, in a private course, by a process with a deadline."""

import functools
import json
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode, ValidationError

from .canary import about_checks
from .handin import UnreadableHandin, grade_id, is_test, read, rebuild
from .problem import problem
from .settings import Settings
from .workers import Stopped, run

NOTEBOOK, GRADEBOOK, TASK, OUTCOME = "notebook.ipynb", "gradebook.db", "task.json", "outcome.json"
GRACE_S = 60  # beyond what the hand-in may take: for starting, stopping, writing
ONE_AT_A_TIME = threading.Lock()

Scores = dict[str, tuple[float, float, bool]]


@dataclass(frozen=True)
class Job:
    """A hand-in to be graded: its bytes (None: there is none), and the notebook of solutions/ with the hidden tests."""

    student: str
    assignment: str
    notebook: str
    handin: bytes | None
    source: bytes
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class Outcome:
    """What came of a hand-in.

    graded       whether there are scores
    reason       in words: why there are none, or what happened while it ran; "" when there is nothing to say
    scores       {grade id: (points, points at most, whether a person must grade it)}
    notes        what was strange about the file, and what is worth a look
    autograded   the notebook as it was run, hidden tests included
    seconds      how long all of it took, of which started_s until the kernel was ready
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
    """An assignment, ready for grading: nbgrader's gradebook, the release, and what is known of the checks."""

    gradebook: bytes
    release: NotebookNode
    checks: dict


def grade_one(job: Job) -> Outcome:
    """Grade a hand-in; nothing that it holds or does makes this raise.

    Raises RuntimeError where the sandbox cannot start, or the notebook of solutions/ is not what nbgrader expects.
    """
    began, notes = time.monotonic(), []
    if why := problem(job.settings.sandbox):
        raise RuntimeError(why)
    prepared = prepare(job.source, job.settings)
    try:
        if job.handin is None:
            raise UnreadableHandin("Nothing was handed in.")
        notebook, notes = rebuild(prepared.release, read(job.handin))
        found, autograded = autograde(notebook, prepared, job.settings)
    except (UnreadableHandin, Stopped) as error:
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
    """Grade a notebook in a new private course; the scores with what is to be said, and the notebook as it was run.

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
    """Make the gradebook and the release of an assignment out of the notebook in solutions/, once for each process."""
    with ONE_AT_A_TIME:
        return prepared_once(source, settings)


@functools.lru_cache(maxsize=8)
def prepared_once(source: bytes, settings: Settings) -> Prepared:
    """What `prepare` gives, made. The solutions are graded as a hand-in is, which also tries the canaries.

    Raises RuntimeError where nbgrader cannot make a release, or the solutions do not get all points.
    """
    try:
        whole = nbformat.reads(source.decode("utf-8"), as_version=4)
        with tempfile.TemporaryDirectory(prefix="grading-") as name:
            folder = Path(name)
            write(whole, folder / "source" / "assignment" / NOTEBOOK)
            run("release", folder, GRACE_S)
            release = nbformat.read(folder / "release" / "assignment" / NOTEBOOK, as_version=4)
            book = (folder / GRADEBOOK).read_bytes()
        checks = about_checks(release, whole)
        trial = Prepared(book, release, checks | {"trial": True})
        found, _ = autograde(rebuild(release, read(source))[0], trial, settings)
    except (Stopped, OSError, ValueError, ValidationError) as error:
        raise RuntimeError(f"The notebook of solutions/ cannot be graded: {error}") from None
    tests = {grade_id(cell) for cell in whole.cells if is_test(cell)}
    if lost := [name for name, (points, most, _) in found["scores"].items() if name in tests and points < most]:
        why = "; ".join(found["reasons"]) or "run it to see why"
        raise RuntimeError(f"The solutions do not pass their own checks here: {', '.join(lost)} ({why})")
    return Prepared(book, release, checks | {"canaries": found["noticed"], "fonts": found["fonts"]})


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook into a folder that is made for it."""
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
