"""The folder of results (TO=): its layout, and the record of each submission. Every file is written atomically.

A record is written as soon as a submission is graded. It holds a fingerprint of everything that the points depend on,
so a submission with the same fingerprint is not graded again.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from .files import Problem
from .job import Outcome
from .settings import Settings

CHECKS = Path(__file__).resolve().parents[1] / "course_lib" / "checks"


@dataclass(frozen=True)
class Folder:
    """The results of one assignment in TO."""

    root: Path
    assignment: str
    notebook: str

    def autograded(self, student: str) -> Path:
        """The executed notebook, for the formgrader and for feedback."""
        return self.root / "autograded" / student / self.assignment / f"{self.notebook}.ipynb"

    def feedback(self, student: str) -> Path:
        """The page for the student."""
        return self.root / "feedback" / student / self.assignment / f"{self.notebook}.html"

    @property
    def solution(self) -> Path:
        """The source notebook that was last graded."""
        return self.root / "solutions" / self.assignment / f"{self.notebook}.ipynb"

    @property
    def release(self) -> Path:
        """The released notebook."""
        return self.root / "exercises" / self.assignment / f"{self.notebook}.ipynb"

    @property
    def records(self) -> Path:
        """A folder with one file for each graded submission."""
        return self.root / "records" / self.assignment

    @property
    def table(self) -> Path:
        """The points, one row for each student."""
        return self.root / f"{self.assignment}.csv"

    @property
    def summary(self) -> Path:
        """Who was graded, who was not and why, and what to review."""
        return self.root / f"{self.assignment}.txt"


@dataclass(frozen=True)
class Record:
    """The outcome of a submission, and the fingerprint of everything that it depends on."""

    fingerprint: str
    outcome: Outcome


@dataclass
class RunNotes:
    """What the last run found besides the outcomes, for the summary."""

    notes: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def version(source: bytes, settings: Settings) -> str:
    """The fingerprint of an assignment, its checks and limits; when it changes, all submissions are graded again."""
    whole = sha256(source)
    for path in sorted(CHECKS.rglob("*.py")):
        whole.update(path.relative_to(CHECKS).as_posix().encode() + path.read_bytes())
    whole.update(json.dumps(asdict(settings), sort_keys=True).encode())
    return whole.hexdigest()[:16]


def fingerprint(of_assignment: str, submission: bytes) -> str:
    """The fingerprint of a submission and its assignment."""
    return f"{of_assignment}-{sha256(submission).hexdigest()[:32]}"


def write(path: Path, content: bytes) -> None:
    """Write a file atomically, readable by the instructor only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def save(folder: Folder, record: Record) -> None:
    """Write the record of a graded submission."""
    outcome = {**asdict(record.outcome), "autograded": (record.outcome.autograded or b"").decode("utf-8")}
    content = json.dumps({"fingerprint": record.fingerprint, "outcome": outcome}, ensure_ascii=False, indent=1)
    write(folder.records / f"{record.outcome.student}.json", content.encode("utf-8"))


def load(folder: Folder, student: str) -> Record | None:
    """The record of a submission; None if it is missing or cannot be read."""
    try:
        content = json.loads((folder.records / f"{student}.json").read_bytes())
        about = content["outcome"]
        about["autograded"] = about["autograded"].encode() or None
        about["scores"] = {name: tuple(score) for name, score in about["scores"].items()}
        return Record(content["fingerprint"], Outcome(**about))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def all_records(folder: Folder) -> dict[str, Record]:
    """The records of all students, sorted by name."""
    found = {path.stem: load(folder, path.stem) for path in sorted(folder.records.glob("*.json"))}
    return {student: record for student, record in found.items() if record}


def save_run_notes(folder: Folder, run_notes: RunNotes) -> None:
    """Write the notes of a run."""
    content = json.dumps(asdict(run_notes), ensure_ascii=False, indent=1)
    write(folder.records.with_suffix(".json"), content.encode("utf-8"))


def load_run_notes(folder: Folder) -> RunNotes:
    """The notes of the last run; empty if there are none."""
    try:
        return RunNotes(**json.loads(folder.records.with_suffix(".json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return RunNotes()


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Lock the folder of results against a second program.

    Raises Problem if another program has locked it.
    """
    import fcntl  # grading runs on Linux

    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (root / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(f"Another make grade or make feedback is at work in {root}: wait for it.") from None
        except OSError:  # a file system without locks
            pass
        yield
