"""The worker process: runs nbgrader in a private course folder for each task, [command, folder], read from stdin.

`release`    makes the gradebook (with the hidden tests) and the released notebook from source/
`autograde`  grades the notebook in submitted/, and writes the outcome into outcome.json

The reply on stdout is "" or the reason for the failure. The process limits its own memory, ends with its parent, and
stops all of its children.
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

api.get_alembic_version = lambda: "none"  # these gradebooks are temporary, and finding the version takes three seconds
ASSIGNMENT, STUDENT, NOTEBOOK = "assignment", "student", "notebook"  # the same in every private course
CURRENT: list[str] = []  # the folder of the current task
SIGNAL_S = 20  # seconds that the current task has to react to a signal
OWN_MEMORY_MB = 2048  # of this process, which reads the output of submissions


def course_directory(folder: Path) -> CourseDirectory:
    """The private course in a folder."""
    course = CourseDirectory(root=str(folder), course_id="course", assignment_id=ASSIGNMENT, student_id=STUDENT)
    course.db_url = "sqlite:///gradebook.db"  # relative to the folder of the current task: see main
    return course


def release(folder: Path) -> None:
    """Make the gradebook and the release of source/assignment/notebook.ipynb."""
    maker = GenerateAssignment(coursedir=course_directory(folder))
    maker.config.ClearSolutions.code_stub = {"python": STUB}
    maker.start()


def autograde(folder: Path, settings: Settings, **check_options: Any) -> dict[str, Any]:
    """Grade the notebook in submitted/; the scores and notes. For `check_options` see SandboxExecute."""
    executor = SandboxExecute(settings=settings, folder=str(folder), **check_options)
    grader = Autograde(coursedir=course_directory(folder))
    save = [SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
    grader.autograde_preprocessors = [executor, IgnorePattern, ClearMetadataPreprocessor, *save]
    grader.start()
    with api.Gradebook(grader.coursedir.db_url, "course") as book:
        grades = book.find_submission_notebook(NOTEBOOK, ASSIGNMENT, STUDENT).grades
        scores = {one.name: (one.auto_score or 0.0, one.max_score, bool(one.needs_manual_grade)) for one in grades}
    return {"scores": scores} | {
        name: getattr(executor, name) for name in ("reasons", "effective", "fonts", "started_s")
    }


# ── The process ───────────────────────────────────────────────────────────────────────────────────────────────────────


def do(what: str, folder: Path) -> str:
    """Run a task; the reason if it failed, else ""."""
    traceback_log = LastTraceback()
    logging.getLogger("traitlets").addHandler(traceback_log)
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
        return f"Grading stopped: {traceback_log.last or traceback.format_exc().splitlines()[-1]}"[:500]
    finally:
        logging.getLogger("traitlets").removeHandler(traceback_log)
        done = end_all()
    return "" if done else "Grading stopped: some of its processes cannot be ended."


class LastTraceback(logging.Handler):
    """Keeps the last line of the last traceback in nbgrader's log."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        lines = record.getMessage().strip().splitlines()
        if lines and lines[0].startswith("Traceback"):
            self.last = lines[-1]


def listen(tasks: queue.SimpleQueue) -> None:
    """Put tasks into the queue; stop when the parent process has ended."""
    for line in sys.stdin:
        tasks.put(json.loads(line))
    if hasattr(signal, "pthread_kill"):  # so that the task does not continue while its folder is removed
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
        time.sleep(SIGNAL_S)
    stop()


def stop(number: int = 0, frame: FrameType | None = None) -> None:
    """Stop all children, remove the folder of the current task, and exit."""
    end_all(5)
    for folder in CURRENT:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Run tasks one after another."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # only replies go to the original stdout
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides
    own = {"creator": lambda: sqlite3.connect(Path(CURRENT[0], "gradebook.db")), "poolclass": NullPool}
    api.create_engine = cache(partial(api.create_engine, **own))  # one engine, because it caches compiled queries
    adopt_orphans()
    limit("RLIMIT_DATA", OWN_MEMORY_MB << 20)
    tasks = queue.SimpleQueue()
    threading.Thread(target=listen, args=[tasks], daemon=True).start()
    while True:
        what, folder = tasks.get()
        CURRENT[:] = [folder]
        reason = do(what, Path(folder))
        CURRENT.clear()
        print(json.dumps(reason), file=answers, flush=True)


if __name__ == "__main__":
    main()
