"""The folder of results, TO: what lies where, and what is known of each hand-in. Everything is written atomically.

A record is written as soon as a hand-in is graded, under a fingerprint of all that its points depend on: whoever has
a record with the same fingerprint is not graded again.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from .files import Problem
from .one import Outcome
from .settings import Settings

CHECKS = Path(__file__).resolve().parents[1] / "checks"


@dataclass(frozen=True)
class Folder:
    """The results of one assignment in TO."""

    root: Path
    assignment: str
    notebook: str

    def autograded(self, student: str) -> Path:
        """The notebook as it was run, for the formgrader and for feedback."""
        return self.root / "autograded" / student / self.assignment / f"{self.notebook}.ipynb"

    def feedback(self, student: str) -> Path:
        """The page for the student."""
        return self.root / "feedback" / student / self.assignment / f"{self.notebook}.html"

    @property
    def solution(self) -> Path:
        """The assignment as it was last graded."""
        return self.root / "solutions" / self.assignment / f"{self.notebook}.ipynb"

    @property
    def release(self) -> Path:
        """What students got."""
        return self.root / "exercises" / self.assignment / f"{self.notebook}.ipynb"

    @property
    def records(self) -> Path:
        """One file for each hand-in that is finished."""
        return self.root / "records" / self.assignment

    @property
    def table(self) -> Path:
        """The points, a row a student."""
        return self.root / f"{self.assignment}.csv"

    @property
    def summary(self) -> Path:
        """Who was graded, who was not and why, whom to look at."""
        return self.root / f"{self.assignment}.txt"


@dataclass(frozen=True)
class Record:
    """What came out for a hand-in, and the fingerprint of what its points depend on."""

    fingerprint: str
    outcome: Outcome


@dataclass
class Around:
    """What the last run found beside the hand-ins that it graded: it belongs to the summary."""

    notes: dict[str, str] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def version(source: bytes, settings: Settings) -> str:
    """The fingerprint of an assignment with its checks and limits: when it changes, all hand-ins are graded anew."""
    whole = sha256(source)
    for path in sorted(CHECKS.glob("*.py")):
        whole.update(path.name.encode() + path.read_bytes())
    whole.update(json.dumps(asdict(settings), sort_keys=True).encode())
    return whole.hexdigest()[:16]


def fingerprint(of_assignment: str, handin: bytes) -> str:
    """The fingerprint of a hand-in together with its assignment's."""
    return f"{of_assignment}-{sha256(handin).hexdigest()[:32]}"


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for the instructor's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def save(folder: Folder, record: Record) -> None:
    """Note that a hand-in is finished."""
    outcome = {**asdict(record.outcome), "autograded": (record.outcome.autograded or b"").decode("utf-8")}
    content = json.dumps({"fingerprint": record.fingerprint, "outcome": outcome}, ensure_ascii=False, indent=1)
    write(folder.records / f"{record.outcome.student}.json", content.encode("utf-8"))


def load(folder: Folder, student: str) -> Record | None:
    """The record of a hand-in; None where there is none, or one that cannot be read."""
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


def save_around(folder: Folder, around: Around) -> None:
    """Keep what a run found beside the records."""
    content = json.dumps(asdict(around), ensure_ascii=False, indent=1)
    write(folder.records.with_suffix(".json"), content.encode("utf-8"))


def load_around(folder: Folder) -> Around:
    """What the last run found beside the records."""
    try:
        return Around(**json.loads(folder.records.with_suffix(".json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return Around()


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Hold the folder of results: two programs that write there would mix their points.

    Raises Problem where another one holds it.
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
