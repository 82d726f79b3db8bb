"""nbgrader in private course folders: a process that takes tasks from stdin, [what, folder], and answers on stdout.

`release`    makes the gradebook (with the hidden tests) and the released notebook out of source/
`autograde`  grades the notebook in submitted/, and writes what came of it into outcome.json

The answer is "" or, in words, why it came to nothing. The process limits its memory, ends with the one that started it,
and leaves none of its own behind.
"""

import json
import logging
import os
import queue
import shutil
import signal
import sqlite3
import sys
import threading
import time
import traceback
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader import api
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, IgnorePattern, SaveAutoGrades
from sqlalchemy.pool import NullPool

from .execute import SandboxExecute
from .hide import STUB
from .limits import limit
from .processes import adopt_orphans, end_all
from .settings import Settings

api.get_alembic_version = lambda: "none"  # of gradebooks that nobody will upgrade: to find it out takes three seconds
ASSIGNMENT, STUDENT, NOTEBOOK = "assignment", "student", "notebook"  # as all are called in their private course
AT_WORK: list[str] = []  # the folder of the present task
STUCK_S = 20  # for which the present task may hear nothing of a signal
OWN_MEMORY_MB = 2048  # of this process, which reads what hand-ins send


def course_directory(folder: Path) -> CourseDirectory:
    """The private course in this folder."""
    course = CourseDirectory(root=str(folder), course_id="course", assignment_id=ASSIGNMENT, student_id=STUDENT)
    course.db_url = "sqlite:///gradebook.db"  # in the folder of the present task: see main
    return course


def release(folder: Path) -> None:
    """Make the gradebook and the release of source/assignment/notebook.ipynb."""
    maker = GenerateAssignment(coursedir=course_directory(folder))
    maker.config.ClearSolutions.code_stub = {"python": STUB}
    maker.start()


def autograde(folder: Path, settings: Settings, **about_checks: Any) -> dict[str, Any]:
    """Grade the notebook in submitted/; the scores and what is to be said. About the checks: see SandboxExecute."""
    executor = SandboxExecute(settings=settings, folder=str(folder), **about_checks)
    grader = Autograde(coursedir=course_directory(folder))
    save = [SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
    grader.autograde_preprocessors = [executor, IgnorePattern, ClearMetadataPreprocessor, *save]
    grader.start()
    with api.Gradebook(grader.coursedir.db_url, "course") as book:
        grades = book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, STUDENT).grades
        scores = {one.name: (one.auto_score or 0.0, one.max_score, bool(one.needs_manual_grade)) for one in grades}
    return {"scores": scores} | {name: getattr(executor, name) for name in ("reasons", "noticed", "fonts", "started_s")}


# ── The process ───────────────────────────────────────────────────────────────────────────────────────────────────────


def do(what: str, folder: Path) -> str:
    """Do a task; why it came to nothing, if it did."""
    heard = Heard()
    logging.getLogger("traitlets").addHandler(heard)
    try:
        if what == "release":
            release(folder)
        else:
            task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
            outcome = autograde(folder, Settings(**task.pop("settings")), **task)
            (folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
    except MemoryError:
        return "Grading ran out of memory."
    except BaseException:
        return f"Grading stopped: {heard.last or traceback.format_exc().splitlines()[-1]}"[:500]
    finally:
        logging.getLogger("traitlets").removeHandler(heard)
        done = end_all()
    return "" if done else "Grading stopped: some of its processes cannot be ended."


class Heard(logging.Handler):
    """Keeps the last line of the last traceback that nbgrader wrote to its log."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        lines = record.getMessage().strip().splitlines()
        if lines and lines[0].startswith("Traceback"):
            self.last = lines[-1]


def listen(tasks: queue.SimpleQueue) -> None:
    """Put tasks into the queue; end when the process that sends them has ended."""
    for line in sys.stdin:
        tasks.put(json.loads(line))
    if hasattr(signal, "pthread_kill"):  # so that the task does not go on while its folder is being removed
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
        time.sleep(STUCK_S)
    stop()


def stop(number: int = 0, frame: FrameType | None = None) -> None:
    """Leave nothing behind, also of the one that sent the task and may be gone, and end."""
    end_all(5)
    for folder in AT_WORK:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Do one task after another."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is written
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that sends the tasks decides
    own = {"creator": lambda: sqlite3.connect(Path(AT_WORK[0], "gradebook.db")), "poolclass": NullPool}
    api.create_engine = cache(partial(api.create_engine, **own))  # one for all: it remembers its queries
    adopt_orphans()
    limit("RLIMIT_DATA", OWN_MEMORY_MB << 20)
    tasks = queue.SimpleQueue()
    threading.Thread(target=listen, args=[tasks], daemon=True).start()
    while True:
        what, folder = tasks.get()
        AT_WORK[:] = [folder]
        said = do(what, Path(folder))
        AT_WORK.clear()
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
