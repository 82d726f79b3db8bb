"""Grade a class: find submissions, grade them in parallel, enter points, write feedback and a table.

The record, points and page of each submission are written as soon as it is graded. A run may therefore be interrupted
at any moment, and the next one continues.
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
from .find import find_submissions
from .folder import (
    Folder,
    Record,
    RunNotes,
    all_records,
    fingerprint,
    load,
    load_run_notes,
    locked,
    save,
    save_run_notes,
)
from .folder import version as version_of
from .gradebook import SETTINGS, enter, exercises, headings, prepare, release, rows
from .job import Job, Outcome
from .pool import Pool, cluster, local, outcomes
from .reading import UnreadableSubmission
from .report import write_report
from .settings import Settings


@dataclass(frozen=True)
class Class:
    """What to grade, where to write the results, and on which machines."""

    assignment: str
    submissions: Path
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
    """The source notebook of an assignment, given its name or number.

    Raises Problem with the existing names if there is no such assignment.
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
    """Grade all submissions that are not graded yet: (the summary, whether none failed).

    Raises Problem if grading cannot start. KeyboardInterrupt passes through after finished submissions are saved.
    """
    folder, source = group.folder, group.source.read_bytes()
    found = find_submissions(group.submissions, folder.assignment)
    print(f"Submissions: {len(found.submissions)}. The solutions are graded first.", file=sys.stderr)
    with pool(group, source) as where, locked(group.results):  # nothing is written if there is no sandbox
        prepare(folder, group.source, group.course / SETTINGS)
        run_notes = RunNotes(found.notes, found.missing, {}, found.problems, sorted(found.submissions))
        note_absent(folder, run_notes, found.submissions, version_of(source, group.settings))
        try:
            with tqdm(total=len(found.submissions), unit="submission", smoothing=0) as bar:
                grade_remaining(
                    GradingRun(folder, source, group.settings, release(folder), bar, run_notes),
                    found.submissions,
                    where,
                )
        finally:
            save_run_notes(folder, run_notes)
            text = finish(folder)
    return text, not run_notes.failed


def note_absent(folder: Folder, run_notes: RunNotes, submissions: dict[str, File], version: str) -> None:
    """Note students who are not in this run and failed before, or were graded with an earlier version."""
    for student in sorted(load_run_notes(folder).failed.keys() - submissions.keys()):
        run_notes.problems.append(f"{student}: failed in an earlier run, and is not among the submissions of this one")
    for student, record in all_records(folder).items():
        if student not in submissions and not record.fingerprint.startswith(version):
            run_notes.notes[student] = "graded by an earlier version of the assignment, and not among these submissions"


def pool(group: Class, source: bytes) -> AbstractContextManager[Pool]:
    """The executor that grades this class."""
    if group.scheduler:
        return cluster(group.scheduler, source, group.settings)
    return local(group.jobs, source, group.settings)


def finish(folder: Folder) -> str:
    """Write the table and the summary of everything graded so far; return the summary."""
    released = release(folder)
    return write_report(folder, exercises(released), headings(released), rows(folder), all_records(folder))


def write_all_feedback(folder: Folder) -> str:
    """Write feedback, table and summary again, with points given by hand; return the summary.

    Raises Problem if nothing has been graded yet.
    """
    if not folder.solution.exists():
        raise Problem(f"{folder.root} holds no points for {folder.assignment} yet: make grade comes first.")
    with locked(folder.root):
        released = release(folder)
        for record in tqdm(all_records(folder).values(), unit="student"):
            enter(folder, record, released)
            write_feedback(folder, record.outcome.student)
        return finish(folder)


# ── The submissions ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class GradingRun:
    """What the submissions of a run share."""

    folder: Folder
    source: bytes
    settings: Settings
    released: NotebookNode
    bar: tqdm
    run_notes: RunNotes

    def __post_init__(self) -> None:
        self.version = version_of(self.source, self.settings)

    def finish(self, record: Record) -> None:
        """Enter a record into the gradebook and write its page."""
        enter(self.folder, record, self.released)
        write_feedback(self.folder, record.outcome.student)
        self.ended(record.outcome.student)

    def ended(self, student: str) -> None:
        """Note that a submission is finished."""
        self.run_notes.waiting.remove(student)
        self.bar.update()

    def unfinished(self, submissions: dict[str, File]) -> Iterator[tuple[str, Job]]:
        """The remaining jobs. Submissions with a record are entered; unreadable ones get a record."""
        for student, file in submissions.items():
            about = {"student": student, "assignment": self.folder.assignment}
            try:
                content, why = file.read(), ""
            except UnreadableSubmission as error:
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
                yield mark, Job(**about, submission=content)


EMPTY = {"scores": {}, "notes": [], "autograded": None, "seconds": 0.0}


def grade_remaining(run: GradingRun, submissions: dict[str, File], where: Pool) -> None:
    """Grade the remaining submissions, and save each as soon as it is graded."""
    for mark, job, outcome in outcomes(where, run.unfinished(submissions)):
        if isinstance(outcome, Outcome):
            save(run.folder, Record(mark, outcome))
            run.finish(Record(mark, outcome))
        else:
            run.run_notes.failed[job.student] = (str(outcome) or type(outcome).__name__).splitlines()[0]
            run.ended(job.student)
