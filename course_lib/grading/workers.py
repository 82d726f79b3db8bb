"""Processes that grade, one hand-in after another: each has a deadline, and one that hangs or dies is replaced.

A hang, a crash or a lack of memory of the process that grades ends one hand-in; what it has imported serves the next.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
MOST = 25  # hand-ins graded by one process
IDLE: list["Worker"] = []
TURN = threading.Lock()


class Stopped(Exception):
    """Why the process that grades came to nothing, in words."""


class Worker:
    """A process that waits for tasks (course.py)."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        env = os.environ | {"PATH": path}  # nbgrader calls alembic by its name
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(LIBRARY.parent), os.environ.get("PYTHONPATH")]))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        command = [sys.executable, "-m", "course_lib.grading.course"]
        self.process = subprocess.Popen(command, env=env, start_new_session=True, **pipes)
        self.owner, self.tasks, self.late = os.getpid(), 0, False

    def do(self, what: str, folder: Path, seconds: int) -> str:
        """Let the process do something in a folder; what it says about it, "" if all is well."""
        self.tasks += 1
        timer = threading.Timer(seconds, self.stop, [True])
        timer.start()
        try:
            print(json.dumps([what, str(folder)]), file=self.process.stdin, flush=True)
            said = self.process.stdout.readline()
        except OSError:
            said = ""
        finally:
            timer.cancel()
        if said:
            return json.loads(said)
        if self.late:
            return f"Grading took longer than {seconds} s and was stopped."
        return f"Grading stopped: its process ended with status {self.process.wait()}."

    def stop(self, late: bool = False) -> None:
        """Ask the process to end, with all that it has started; then make it."""
        self.late = self.late or late
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # something that the process did not read
                pipe.close()


def close() -> None:
    """End the processes that wait for hand-ins."""
    with TURN:
        for worker in IDLE:
            if worker.owner == os.getpid():
                worker.stop()
        IDLE.clear()


atexit.register(close)


def run(what: str, folder: Path, seconds: int) -> None:
    """Do something in a private course folder, in a process that ends in time.

    Raises Stopped, with the reason, if it comes to nothing.
    """
    with TURN:
        mine = [worker for worker in IDLE if worker.owner == os.getpid() and worker.process.poll() is None]
        worker = mine[-1] if mine else Worker()
        IDLE[:] = [other for other in mine if other is not worker]
    try:
        said = worker.do(what, folder, seconds)
    except BaseException:
        worker.stop()
        raise
    if said or worker.late or worker.tasks >= MOST:
        worker.stop()
    else:
        with TURN:
            IDLE.append(worker)
    if said:
        raise Stopped(said)
