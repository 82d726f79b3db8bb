"""A whole class graded: found, graded in parallel, entered into the gradebook, answered with feedback and a table.

Each hand-in is finished on its own: its record, its points, its page. So a run may be interrupted at any moment; the
next one keeps what is finished.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from tqdm import tqdm

from .feedback import write_feedback
from .files import File, Problem
from .find import find_handins
from .folder import Around, Folder, Record, all_records, alone, fingerprint, load, load_around, save, save_around
from .folder import version as version_of
from .gradebook import SETTINGS, enter, exercises, headings, prepare, release, rows
from .one import Job, Outcome
from .pool import Pool, cluster, local, outcomes
from .reading import UnreadableHandin
from .report import write_report
from .settings import Settings


@dataclass(frozen=True)
class Class:
    """What is to be graded, where the results go, and on what machines."""

    assignment: str
    handins: Path
    results: Path
    jobs: int = 1
    scheduler: str = ""
    settings: Settings = field(default_factory=Settings)
    course: Path = field(default_factory=Path)

    @property
    def source(self) -> Path:
        """The notebook with solutions and hidden tests."""
        return find_source(self.course, self.assignment)

    @property
    def folder(self) -> Folder:
        """The folder of results."""
        return Folder(self.results, self.source.parent.name, self.source.stem)


def find_source(course: Path, assignment: str) -> Path:
    """The notebook of an assignment, which may be named by its number alone.

    Raises Problem, with the names there are, where there is no such assignment.
    """
    names = sorted({path.parent.name for path in (course / "solutions").glob("[!.]*/*.ipynb")})
    number = assignment.zfill(2) if assignment.isdigit() else assignment  # chapter 1 is 01
    fitting = [name for name in names if name == assignment] or [
        name for name in names if assignment and re.match(rf"{re.escape(number)}(?![^\W_])", name)
    ]
    if len(fitting) != 1:
        there = "\n".join(f"  ASSIGNMENT={name}" for name in names)
        what = f"ASSIGNMENT={assignment}: there is no such assignment" if assignment else "ASSIGNMENT= must name one"
        raise Problem(f"{what}. There are:\n{there}")
    found = sorted((course / "solutions" / fitting[0]).glob("*.ipynb"))
    if len(found) != 1:
        raise Problem(f"solutions/{fitting[0]} must hold one notebook; it holds {len(found)}.")
    return found[0]


def grade_class(group: Class) -> tuple[str, bool]:
    """Grade all hand-ins that are not graded yet: (the summary, whether all came to an end).

    Raises Problem for what is in the way; KeyboardInterrupt passes through after what is finished has been kept.
    """
    folder, source = group.folder, group.source.read_bytes()
    found = find_handins(group.handins, folder.assignment)
    print(f"Hand-ins: {len(found.handins)}. First the solutions themselves are tried.", file=sys.stderr)
    with pool(group, source) as where, alone(group.results):  # nothing is written where there is no sandbox
        prepare(folder, group.source, group.course / SETTINGS)
        around = Around(found.notes, found.without, {}, found.problems, sorted(found.handins))
        note_others(folder, around, found.handins, version_of(source, group.settings))
        try:
            with tqdm(total=len(found.handins), unit="hand-in", smoothing=0) as bar:
                run(Run(folder, source, group.settings, release(folder), bar, around), found.handins, where)
        finally:
            save_around(folder, around)
            text = finish(folder)
    return text, not around.failed


def note_others(folder: Folder, around: Around, handins: dict[str, File], version: str) -> None:
    """Note who is not in this run, and is not finished, or by an earlier version of the assignment or other limits."""
    for student in sorted(load_around(folder).failed.keys() - handins.keys()):
        around.problems.append(f"{student}: failed in an earlier run, and is not among the hand-ins of this one")
    for student, record in all_records(folder).items():
        if student not in handins and not record.fingerprint.startswith(version):
            around.notes[student] = "graded by an earlier version of the assignment, and not among these hand-ins"


def pool(group: Class, source: bytes) -> AbstractContextManager[Pool]:
    """Where this class is graded."""
    if group.scheduler:
        return cluster(group.scheduler, source, group.settings)
    return local(group.jobs, source, group.settings)


def finish(folder: Folder) -> str:
    """Write the table and the summary from what is finished; the summary."""
    released = release(folder)
    return write_report(folder, exercises(released), headings(released), rows(folder), all_records(folder))


def write_all_feedback(folder: Folder) -> str:
    """Feedback, table and summary again, with the points given by hand since; the summary.

    Raises Problem where nothing has been graded yet.
    """
    if not folder.solution.exists():
        raise Problem(f"{folder.root} holds no points for {folder.assignment} yet: make grade comes first.")
    with alone(folder.root):
        released = release(folder)
        for record in tqdm(all_records(folder).values(), unit="student"):
            enter(folder, record, released)
            write_feedback(folder, record.outcome.student)
        return finish(folder)


# ── The hand-ins ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Run:
    """What all hand-ins of a run have in common."""

    folder: Folder
    source: bytes
    settings: Settings
    released: NotebookNode
    bar: tqdm
    around: Around

    def __post_init__(self) -> None:
        self.version = version_of(self.source, self.settings)

    def finish(self, record: Record) -> None:
        """Enter a hand-in that has a record, and write its page."""
        enter(self.folder, record, self.released)
        write_feedback(self.folder, record.outcome.student)
        self.ended(record.outcome.student)

    def ended(self, student: str) -> None:
        """Wait for a hand-in no more."""
        self.around.waiting.remove(student)
        self.bar.update()

    def unfinished(self, handins: dict[str, File]) -> Iterator[tuple[str, Job]]:
        """The jobs that are left; what has a record is entered, what cannot be read gets one."""
        for student, file in handins.items():
            about = {"student": student, "assignment": self.folder.assignment}
            try:
                content, why = file.read(), ""
            except UnreadableHandin as error:
                content, why = b"", str(error)
            mark = fingerprint(self.version, content + why.encode())
            record = load(self.folder, student)
            if why and not (record and record.fingerprint == mark):
                record = Record(mark, Outcome(**about, graded=False, reason=why, **EMPTY))
                save(self.folder, record)
            if record and record.fingerprint == mark:
                self.finish(record)
            else:
                about |= {"notebook": self.folder.notebook, "source": self.source, "settings": self.settings}
                yield mark, Job(**about, handin=content)


EMPTY = {"scores": {}, "notes": [], "autograded": None, "seconds": 0.0}


def run(whole: Run, handins: dict[str, File], where: Pool) -> None:
    """Grade what is left, and note each hand-in as soon as it is finished."""
    for mark, job, outcome in outcomes(where, whole.unfinished(handins)):
        if isinstance(outcome, Outcome):
            save(whole.folder, Record(mark, outcome))
            whole.finish(Record(mark, outcome))
        else:
            whole.around.failed[job.student] = (str(outcome) or type(outcome).__name__).splitlines()[0]
            whole.ended(job.student)
