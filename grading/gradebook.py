"""nbgrader's gradebook in the folder of results, filled from records.

Points given by hand are kept. When a submission changes they are kept too, and the exercise is marked for manual
grading again, as nbgrader does.
"""

import contextlib
import functools
import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import nbgrader
from alembic.script import ScriptDirectory
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader import api
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log, compute_checksum, is_grade, is_locked, is_solution
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from .files import Problem
from .folder import Folder, Record, write
from .sanitise import sanitise

SETTINGS = "nbgrader_config.py"
MARK = "fingerprint"  # in the metadata of a notebook in autograded/
HEADING = re.compile(r"^## +(.*?) *$", re.M)
NO_RESPONSE = "No response."  # nbgrader's comment on an unchanged answer


def schema() -> str:
    """The version of the gradebook's schema. nbgrader runs a program for it, which takes seconds."""
    return ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head()


api.create_engine = functools.cache(api.create_engine)  # one engine, because it caches compiled queries


@dataclass(frozen=True)
class Row:
    """A student's {exercise: points}, exercises to be graded by hand, and late penalty."""

    points: dict[str, float]
    by_hand: list[str]
    penalty: float


def course(folder: Folder) -> tuple[CourseDirectory, Config]:
    """The folder of results as nbgrader's course and configuration."""
    config = PyFileConfigLoader(SETTINGS, path=str(folder.root)).load_config()
    root = str(folder.root.resolve())
    return CourseDirectory(config=config, root=root, assignment_id=folder.assignment), config


@contextlib.contextmanager
def opened(folder: Folder) -> Iterator[Gradebook]:
    """The gradebook, closed at the end."""
    api.get_alembic_version = schema
    place, _ = course(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # caused by nbgrader's order of additions
        with Gradebook(place.db_url, place.course_id) as book:
            yield book


# ── The assignment ────────────────────────────────────────────────────────────────────────────────────────────────────


def prepare(folder: Folder, source: Path, settings: Path) -> None:
    """Copy the assignment and nbgrader's settings into the folder of results and its gradebook.

    Raises Problem if the gradebook has points for other exercises than the assignment has.
    """
    write(folder.root / SETTINGS, settings.read_bytes())
    check_exercises(folder, nbformat.read(source, as_version=4))
    shutil.copytree(
        source.parent, folder.solution.parent, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "*.py", "*.md")
    )
    place, config = course(folder)
    application = GenerateAssignment(coursedir=place, config=config)
    application.force = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        result = capture_log(application)
    if not result["success"]:
        raise Problem(f"nbgrader could not prepare {folder.assignment}:\n{result.get('log') or result.get('error')}")


def check_exercises(folder: Folder, notebook: NotebookNode) -> None:
    """Raise Problem if submissions were graded on other cells: nbgrader cannot replace them."""
    kinds = (is_grade, is_solution, is_locked)
    now = {cell.metadata.nbgrader.grade_id for cell in notebook.cells if any(kind(cell) for kind in kinds)}
    with opened(folder) as book, contextlib.suppress(MissingEntry):
        known = book.find_notebook(folder.notebook, folder.assignment)
        if known.submissions and {cell.name for cell in known.source_cells} != now:
            raise Problem(
                f"The exercises of {folder.assignment} are not those that submissions in {folder.root} were graded on: "
                f"grade into another folder, as in TO={folder.root}-2."
            )


def release(folder: Folder) -> NotebookNode:
    """The released notebook."""
    return nbformat.read(folder.release, as_version=4)


def exercises(released: NotebookNode) -> dict[str, float]:
    """{exercise: its points}, in the order of the notebook."""
    return {c.metadata.nbgrader.grade_id: float(c.metadata.nbgrader.points) for c in released.cells if is_grade(c)}


def headings(released: NotebookNode) -> dict[str, str]:
    """{exercise: the heading that it stands under, as in "2 · Attention, with padding"}."""
    found, heading = {}, ""
    for cell in released.cells:
        if cell.cell_type == "markdown" and (match := HEADING.search(cell.source)):
            heading = match[1]
        if is_grade(cell):
            found[cell.metadata.nbgrader.grade_id] = heading
    return found


# ── Submissions ───────────────────────────────────────────────────────────────────────────────────────────────────────


def enter(folder: Folder, record: Record, released: NotebookNode) -> bool:
    """Enter an outcome; False if it had been entered already.

    The notebook is written last. If it is missing or has another fingerprint, the outcome is entered again.
    """
    student = record.outcome.student
    with opened(folder) as book:
        if has_been_entered(folder, record, book):
            return False
        notebook = displayed(record, released)
        book.update_or_create_student(student)
        submission = book.update_or_create_submission(folder.assignment, student)
        own = next(one for one in submission.notebooks if one.name == folder.notebook)
        left = (None, 0, True) if record.outcome.graded else (0.0, 0, False)
        scores = record.outcome.scores if record.outcome.graded else {}
        for grade in own.grades:
            score, _, by_hand = scores.get(grade.name, left)
            grade.auto_score = None if by_hand else score
            grade.needs_manual_grade = by_hand or grade.manual_score is not None
        unchanged = untouched(notebook)
        for comment in own.comments:
            comment.auto_comment = NO_RESPONSE if comment.name in unchanged else None
        book.db.commit()
    write(folder.autograded(student), nbformat.writes(notebook).encode("utf-8"))
    return True


def has_been_entered(folder: Folder, record: Record, book: Gradebook) -> bool:
    """True if the gradebook and the notebook in autograded/ hold this record."""
    try:
        book.find_submission(folder.assignment, record.outcome.student)
        return nbformat.read(folder.autograded(record.outcome.student), 4).metadata.get(MARK) == record.fingerprint
    except (MissingEntry, OSError, ValueError):
        return False


def displayed(record: Record, released: NotebookNode) -> NotebookNode:
    """The notebook to show: the executed one, or the released one with the reason why it was not run."""
    outcome = record.outcome
    if outcome.graded and outcome.autograded:
        notebook = sanitise(nbformat.reads(outcome.autograded.decode("utf-8"), as_version=4), released)
    else:
        words = new_markdown_cell(f"**This submission could not be graded.** {outcome.reason}", id="not-graded")
        notebook = sanitise(nbformat.from_dict({**released, "cells": [words, *released.cells]}), released)
    notebook.metadata[MARK] = record.fingerprint
    return notebook


def untouched(notebook: NotebookNode) -> set[str]:
    """The ids of the unchanged answers."""
    answers = [cell for cell in notebook.cells if is_solution(cell)]
    same = (cell for cell in answers if cell.metadata.nbgrader.get("checksum") == compute_checksum(cell))
    return {cell.metadata.nbgrader.grade_id for cell in same}


def rows(folder: Folder) -> dict[str, Row]:
    """The gradebook's row of each student."""
    found = {}
    with opened(folder) as book:
        for submission in book.assignment_submissions(folder.assignment):
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            by_hand = [grade.name for grade in grades if grade.needs_manual_grade]
            penalty = sum((one.late_submission_penalty or 0.0 for one in submission.notebooks), 0.0)
            found[submission.student.id] = Row({grade.name: grade.score for grade in grades}, by_hand, penalty)
    return dict(sorted(found.items()))
