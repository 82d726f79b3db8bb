"""One hand-in graded, whatever it is: by nbgrader, in a private course, by a process with a deadline."""

import functools
import json
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from .canary import answered_names, imports_again
from .handin import UnreadableHandin, read, rebuild
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
    """An assignment, ready for grading: nbgrader's gradebook, the release, what canaries need to know."""

    gradebook: bytes
    release: NotebookNode
    answered: dict[str, list[str]]
    imports: str


def grade_one(job: Job) -> Outcome:
    """Grade a hand-in; nothing that it holds or does makes this raise.

    Raises RuntimeError where the sandbox cannot start, or the notebook of solutions/ is not what nbgrader expects.
    """
    began, notes = time.monotonic(), []
    if why := problem(job.settings.sandbox):
        raise RuntimeError(why)
    prepared = prepare(job.source)
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
        task = {"settings": asdict(settings), "answered": prepared.answered, "imports": prepared.imports}
        (folder / TASK).write_text(json.dumps(task), encoding="utf-8")
        run("autograde", folder, settings.total_s + GRACE_S)
        found = json.loads((folder / OUTCOME).read_text(encoding="utf-8"))
        return found, (folder / "autograded" / "student" / "assignment" / NOTEBOOK).read_bytes()


@functools.lru_cache(maxsize=8)
def prepared_once(source: bytes) -> Prepared:
    """What `prepare` gives, made."""
    with tempfile.TemporaryDirectory(prefix="grading-") as name:
        folder = Path(name)
        write(nbformat.reads(source.decode("utf-8"), as_version=4), folder / "source" / "assignment" / NOTEBOOK)
        try:
            run("release", folder, GRACE_S)
            release = nbformat.read(folder / "release" / "assignment" / NOTEBOOK, as_version=4)
        except (Stopped, OSError) as error:
            raise RuntimeError(f"nbgrader cannot make a release of the notebook in solutions/: {error}") from None
        whole = nbformat.reads(source.decode("utf-8"), as_version=4)
        checked = answered_names(release, whole), imports_again(whole)
        return Prepared((folder / GRADEBOOK).read_bytes(), release, *checked)


def prepare(source: bytes) -> Prepared:
    """Make the gradebook and the release of an assignment out of the notebook in solutions/, once for each process."""
    with ONE_AT_A_TIME:
        return prepared_once(source)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook into a folder that is made for it."""
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
