"""Worker processes that grade one submission after another: each task has a deadline, and a dead worker is replaced.

A hang, a crash or a lack of memory costs one submission. A worker is reused, since its imports take seconds.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
MAX_TASKS = 25  # submissions graded by one process
IDLE: list["Worker"] = []
LOCK = threading.Lock()


class Stopped(Exception):
    """Why a worker process failed."""


class Worker:
    """A worker process (worker.py)."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        env = os.environ | {"PATH": path}  # nbgrader calls alembic by its name
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        command = [sys.executable, "-m", "grading.worker"]
        self.process = subprocess.Popen(command, env=env, start_new_session=True, **pipes)
        self.owner, self.tasks, self.late = os.getpid(), 0, False

    def do(self, what: str, folder: Path, seconds: int) -> str:
        """Run a task in a folder; the reason if it failed, else ""."""
        self.tasks += 1
        timer = threading.Timer(seconds, self.stop, [True])
        timer.start()
        try:
            print(json.dumps([what, str(folder)]), file=self.process.stdin, flush=True)
            reply = self.process.stdout.readline()
        except OSError:
            reply = ""
        finally:
            timer.cancel()
        if reply:
            return json.loads(reply)
        if self.late:
            return f"Grading took longer than {seconds} s and was stopped."
        return f"Grading stopped: its process ended with status {self.process.wait()}."

    def stop(self, late: bool = False) -> None:
        """Terminate the process with its children; kill it after ten seconds."""
        self.late = self.late or late
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # the process did not read everything
                pipe.close()


def close() -> None:
    """End the idle processes."""
    with LOCK:
        for worker in IDLE:
            if worker.owner == os.getpid():
                worker.stop()
        IDLE.clear()


atexit.register(close)


def run(what: str, folder: Path, seconds: int) -> None:
    """Run a task in a private course folder, in a worker process with a deadline.

    Raises Stopped with the reason if it fails.
    """
    with LOCK:
        mine = [worker for worker in IDLE if worker.owner == os.getpid() and worker.process.poll() is None]
        worker = mine[-1] if mine else Worker()
        IDLE[:] = [other for other in mine if other is not worker]
    try:
        reason = worker.do(what, folder, seconds)
    except BaseException:
        worker.stop()
        raise
    if reason or worker.late or worker.tasks >= MAX_TASKS:
        worker.stop()
    else:
        with LOCK:
            IDLE.append(worker)
    if reason:
        raise Stopped(reason)
