"""nbgrader in a private course folder, in a process of its own: python -m course_lib.grading.course WHAT FOLDER

`release`    makes the gradebook (with the hidden tests) and the released notebook out of source/
`autograde`  grades the notebook in submitted/, and writes what came of it into outcome.json

The process limits its memory, ends with the one that started it, and leaves none of its own behind.
"""

import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

sys.modules.setdefault("rfc3987_syntax", None)  # jsonschema would build a grammar with it that nobody uses: one second

from nbconvert.preprocessors import ClearMetadataPreprocessor  # noqa: E402
from nbgrader.api import Gradebook  # noqa: E402
from nbgrader.converters import Autograde, GenerateAssignment  # noqa: E402
from nbgrader.coursedir import CourseDirectory  # noqa: E402
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, IgnorePattern, SaveAutoGrades  # noqa: E402

from .execute import SandboxExecute  # noqa: E402
from .limits import limit  # noqa: E402
from .processes import adopt_orphans, end_all, end_with_parent  # noqa: E402
from .settings import Settings  # noqa: E402

ASSIGNMENT, STUDENT, NOTEBOOK = "assignment", "student", "notebook"  # as all are called in their private course
OWN_MEMORY_MB = 2048  # of this process, which reads what hand-ins send
STUB = '# YOUR CODE HERE\nraise NotImplementedError("replace this line")'


def course_directory(folder: Path) -> CourseDirectory:
    """The private course in this folder."""
    course = CourseDirectory(root=str(folder), course_id="course", assignment_id=ASSIGNMENT, student_id=STUDENT)
    course.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    return course


def release(folder: Path) -> None:
    """Make the gradebook and the release of source/assignment/notebook.ipynb."""
    maker = GenerateAssignment(coursedir=course_directory(folder))
    maker.config.ClearSolutions.code_stub = {"python": STUB}
    maker.start()


def autograde(folder: Path, settings: Settings, answered: dict[str, list[str]], imports: str) -> dict[str, Any]:
    """Grade the notebook in submitted/; the scores and what is to be said."""
    executor = SandboxExecute(settings=settings, answered=answered, imports=imports)
    grader = Autograde(coursedir=course_directory(folder))
    save = [SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
    grader.autograde_preprocessors = [executor, IgnorePattern, ClearMetadataPreprocessor, *save]
    grader.start()
    with Gradebook(grader.coursedir.db_url, "course") as book:
        grades = book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, STUDENT).grades
        scores = {one.name: (one.auto_score or 0.0, one.max_score, bool(one.needs_manual_grade)) for one in grades}
    return {"scores": scores, "reasons": executor.reasons, "started_s": executor.started_s}


def stop(number: int, frame: FrameType | None) -> None:
    """Leave nothing behind when this process is told to end."""
    end_all(5)
    os._exit(128 + number)


def main(what: str, folder: Path) -> None:
    """Do one of the two, in this folder."""
    signal.signal(signal.SIGTERM, stop)
    end_with_parent()
    adopt_orphans()
    limit("RLIMIT_DATA", OWN_MEMORY_MB << 20)
    try:
        if what == "release":
            release(folder)
        else:
            task = json.loads((folder / "task.json").read_text())
            outcome = autograde(folder, Settings(**task.pop("settings")), **task)
            (folder / "outcome.json").write_text(json.dumps(outcome))
    finally:
        end_all()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
