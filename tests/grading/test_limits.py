"""Each limit of the sandbox holds, and the ways around them are closed."""

import subprocess
import sys

import pytest

from grading import limits
from grading.processes import Watch
from grading.sandbox import command
from grading.settings import Settings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these limits are Linux's")
SMALL = Settings(cpu_s=2, memory_mb=300, disk_mb=8, processes=20)
THREADS = "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=[9], daemon=True).start()"


def run(code, settings=SMALL):
    """How a Python program in the sandbox ended, and what it said."""
    whole = command([sys.executable, "-c", code], settings)
    done = subprocess.run(whole, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("bytearray(400 << 20)", "MemoryError"),
        ("while True: pass", ""),
        ("open('/tmp/x', 'wb').truncate(1 << 40)", "File too large"),
        ("import os, time\nwhile os.fork(): pass\ntime.sleep(9)", "temporarily unavailable"),
        (THREADS, "start new thread"),
        ("kept = [open('/dev/null') for _ in range(1000)]", "Too many open files"),
        ("import os\nos.memfd_create('x')", "not permitted"),
        ("import ctypes\nassert ctypes.CDLL(None).unshare(1 << 28) == 0, 'no namespace'", "no namespace"),
    ],
    ids=["memory", "time", "file", "processes", "threads", "open files", "memory of nobody", "namespaces"],
)
@pytest.mark.usefixtures("needs_sandbox")
def test_limits_hold(code, word):
    """Rejects a sandbox without one of the limits."""
    status, said = run(code)
    assert status != 0
    assert word in said


def test_a_process_whose_name_is_no_text_is_watched_too():
    """Rejects a watch that ends when it cannot read a name: all processes of a submission together then have no limit."""
    rename = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff) \\xff', 0, 0, 0); print(1, flush=True)"
    code = f"{rename}; kept = bytearray(b'x') * (100 << 20); time.sleep(60)"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        watch = Watch(process.pid, memory=60, cpu_s=60)
        watch.start()
        watch.join(50)
        process.kill()
    assert watch.why == "it used more memory than it may (60 MB)"


def test_a_limit_that_is_lower_already_stays(monkeypatch):
    """Rejects limits that stop a grader whose own are tighter."""
    asked = []
    monkeypatch.setattr(limits.resource, "getrlimit", lambda kind: (50, 50))
    monkeypatch.setattr(limits.resource, "setrlimit", lambda kind, pair: asked.append(pair))
    limits.limit("RLIMIT_NOFILE", 100)
    limits.limit("RLIMIT_OF_ANOTHER_SYSTEM", 100)
    assert asked == [(50, 50)]


def test_without_a_sandbox_the_limits_hold_too():
    """Rejects SANDBOX=none without limits."""
    done = subprocess.run(
        command([sys.executable, "-c", "bytearray(400 << 20)"], Settings(sandbox="none", memory_mb=300)),
        capture_output=True,
        text=True,
    )
    assert "MemoryError" in done.stderr


def test_numbers_of_system_calls_are_those_of_the_machine():
    """Rejects a list in which the same calls have not as many numbers on each machine, or one number twice."""
    for _, calls in limits.REFUSED.values():
        assert len(calls) == len(set(calls)) == 14
        assert not set(calls) & set(limits.REFUSED_EVERYWHERE)
