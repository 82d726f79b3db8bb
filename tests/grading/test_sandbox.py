"""What a program in the sandbox sees, may do and may use, as whom it runs, and errors when it cannot start."""

import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from grading import limits, problem, sandbox
from grading.processes import Watch
from grading.sandbox import HOME, command, visible
from grading.settings import Settings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sandbox is for Linux")
SMALL = Settings(cpu_s=2, memory_mb=300, disk_mb=8, processes=20)


def run(code, settings=SMALL, **options):
    """Run a Python program in the sandbox: its exit status, and its output as JSON or text."""
    program = command([sys.executable, "-c", code], settings, **options)
    done = subprocess.run(program, capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout + done.stderr


@pytest.mark.usefixtures("needs_sandbox")
def test_it_sees_the_library_but_no_course_network_process_or_variable(monkeypatch, tmp_path):
    """Rejects a sandbox that shows solutions, other processes or secrets, has a network, or lacks what checks need."""
    monkeypatch.setenv("TOKEN", "hush")
    (tmp_path / "a.txt").write_text("7")
    tmp_path.chmod(0o700)
    code = f"""
import glob, json, os, socket
import course_lib.checks, torch, ipykernel, matplotlib
places = [{str(HOME)!r}, {str(HOME / "grading")!r}, "/"]
processes, devices = glob.glob("/proc/[0-9]*"), [name for _, name in socket.if_nameindex()]
print(json.dumps([*map(os.listdir, places), devices, len(processes), dict(os.environ), open("/a.txt").read()]))
"""
    files = {"/a.txt": str(tmp_path / "a.txt")}
    course, grading, top, devices, processes, variables, text = run(code, Settings(), files=files, env={"MINE": "1"})[1]
    assert set(course) - {".venv"} == {"course_lib", "grading"}
    assert grading == ["limits.py"]
    system = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "dev", "proc", "tmp", "nix", "a.txt"}
    assert set(top) <= system | {path.parts[1] for path in sandbox.environment()}
    assert (devices, processes <= 3, text) == (["lo"], True, "7")
    assert "TOKEN" not in variables
    assert (variables["MINE"], variables["HOME"]) == ("1", "/tmp")


@pytest.mark.usefixtures("needs_sandbox")
def test_only_two_folders_can_be_written_to_and_they_are_small():
    """Rejects bubblewrap's own tmpfs folders, / and /dev, which have no limit unless they are read-only."""
    code = """
import json, os
def fits(folder):
    size = 0
    try:
        with open(folder + "/x", "wb") as file:
            while size < 100 << 20: size += file.write(bytes(1 << 20))
    except OSError:
        pass
    return size >> 20
folders = []
for folder, inner, _ in os.walk("/"):
    folders.append(folder)
    inner[:] = [name for name in inner if name != "proc"] if folder.count("/") < 4 else []
print(json.dumps({folder: size for folder in folders if (size := fits(folder))}))
"""
    assert run(code, Settings(disk_mb=8)) == (0, {"/tmp": 8, "/dev/shm": 8})


def test_the_private_folder_is_mounted_before_the_course():
    """Rejects a /tmp that hides a course which lies in it."""
    words = command(["true"], SMALL)
    starts = [place for place, word in enumerate(words) if word == "bwrap"]
    for first, last in zip(starts, [*starts[1:], len(words)], strict=True):
        shown = [place for place in range(first, last) if words[place : place + 2] == ["--ro-bind", "/usr"]]
        assert first < words.index("/tmp", first) < shown[0]


def mounts():
    """[(option, path inside)] of the mounts, in order."""
    words = visible()
    return [(w, words[k + (1 if w == "--tmpfs" else 2)]) for k, w in enumerate(words) if w in ("--tmpfs", "--ro-bind")]


def test_a_course_inside_a_visible_folder_is_hidden(tmp_path, monkeypatch):
    """Rejects showing solutions of a course below /usr, below the environment, or made with `python -m venv .`."""
    course = tmp_path / "env" / "course"
    library, own = course / "course_lib", course / ".venv"
    for folder in (course / "solutions", library, own / "bin", course / "bin", course / "lib"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(sandbox, "HOME", course)
    monkeypatch.setattr(sandbox, "OURS", (library,))
    monkeypatch.setattr(sys, "prefix", str(own))
    monkeypatch.setattr(sys, "base_prefix", str(course.parent))
    found, environment = mounts(), ("--ro-bind", str(course.parent))
    hidden, shown = ("--tmpfs", str(course)), ("--ro-bind", str(library))
    assert found.index(environment) < found.index(hidden) < found.index(shown)
    assert ("--ro-bind", str(own)) in found
    monkeypatch.setattr(sys, "prefix", str(course))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    shown = {path for option, path in mounts() if option == "--ro-bind" and path.startswith(str(tmp_path))}
    assert shown == {str(course / name) for name in ("bin", "lib", "course_lib")}


@pytest.mark.usefixtures("needs_sandbox")
def test_it_is_an_unprivileged_user_outside_too():
    """Rejects root that only looks like another user inside: the kernel would still let it change settings."""
    here, there = socket.socketpair()
    here.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    program = command([sys.executable, "-c", "import os; os.write(1, b'%d' % os.getuid())"], SMALL)
    subprocess.run(program, stdout=there, check=True)
    text, ((_, _, credentials),), *_ = here.recvmsg(100, socket.CMSG_SPACE(12))
    user = struct.unpack("3i", credentials)[1]  # of the sender, as this process sees it
    assert int(text) == sandbox.NOBODY
    assert user == os.getuid() if os.getuid() else user >= sandbox.NOBODY


@pytest.mark.parametrize(
    ("numbers", "own"), [("0 0 4294967295", True), ("0 1000 1\n1 100000 65536", False)], ids=["machine", "container"]
)
def test_the_unprivileged_user_exists(monkeypatch, numbers, own):
    """Rejects a user id that a container does not have, and one that processes share where there are enough."""
    monkeypatch.setattr(Path, "read_text", lambda path, **options: numbers)
    assert sandbox.ordinary_user() == (sandbox.OWN_USER + os.getpid() if own else sandbox.NOBODY)


THREADS = "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=[9], daemon=True).start()"


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
    status, output = run(code)
    assert status != 0
    assert word in output


def test_limits_hold_without_a_sandbox():
    """Rejects SANDBOX=none without limits."""
    status, output = run("bytearray(400 << 20)", Settings(sandbox="none", memory_mb=300))
    assert status != 0
    assert "MemoryError" in output


def test_a_process_with_an_undecodable_name_is_watched():
    """Rejects a watch that stops when it cannot read a name: a submission's processes then have no common limit."""
    rename = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff) \\xff', 0, 0, 0); print(1, flush=True)"
    code = f"{rename}; kept = bytearray(b'x') * (100 << 20); time.sleep(600)"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        watch = Watch(process.pid, memory=60, cpu_s=600)
        watch.start()
        watch.join(120)
        process.kill()
    assert watch.why == "it used more memory than it may (60 MB)"


def test_a_lower_existing_limit_is_kept(monkeypatch):
    """Rejects limits that stop a grader whose own limits are lower."""
    pairs = []
    monkeypatch.setattr(limits.resource, "getrlimit", lambda kind: (50, 50))
    monkeypatch.setattr(limits.resource, "setrlimit", lambda kind, pair: pairs.append(pair))
    limits.limit("RLIMIT_NOFILE", 100)
    limits.limit("RLIMIT_OF_ANOTHER_SYSTEM", 100)
    assert pairs == [(50, 50)]


@pytest.fixture
def why(monkeypatch):
    """A function that tests the sandbox again, on a machine changed with monkeypatch."""
    problem.problem.cache_clear()
    yield problem.problem
    problem.problem.cache_clear()


def fake(folder, script, version="0.9.0"):
    """A PATH with a bubblewrap that runs this script."""
    (folder / "bwrap").write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap {version} && exit\n{script}\n')
    (folder / "bwrap").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("system", "version", "words"),
    [
        ("darwin", None, "grade in a container"),
        ("win32", None, "WSL"),
        ("linux", None, "apt install bubblewrap"),
        ("linux", "0.6.1", "0.8 or newer; this is 'bubblewrap 0.6.1'"),
    ],
)
def test_a_missing_or_old_bubblewrap_is_refused(why, monkeypatch, tmp_path, system, version, words):
    """Rejects a refusal that does not say what to install, or names a package that the system does not have."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("PATH", fake(tmp_path, "", version) if version else str(tmp_path))
    assert words in why()
    assert system == "linux" or "apt" not in why()


@pytest.mark.parametrize(
    ("files", "stderr", "remedy"),
    [
        ({"apparmor": "1"}, "bwrap: setting up uid map: Permission denied", "profile bwrap /usr/bin/bwrap"),
        ({"apparmor": "0", "clone": "0"}, "bwrap: No permissions to create new namespace", "userns_clone=1"),
        ({}, "bwrap: Creating new namespace failed: Operation not permitted", "--privileged"),
        ({}, "python: can't open file: Permission denied", "chmod -R go+rX"),
    ],
    ids=["AppArmor", "switched off", "container", "environment"],
)
def test_an_error_of_bubblewrap_has_a_remedy(why, monkeypatch, tmp_path, files, stderr, remedy):
    """Rejects bubblewrap's words alone, and the wrong cause."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(problem, "APPARMOR", tmp_path / "apparmor")
    monkeypatch.setattr(problem, "SWITCHES", {"kernel.unprivileged_userns_clone": (str(tmp_path / "clone"), "1")})
    monkeypatch.setenv("PATH", fake(tmp_path, f'echo "{stderr}" >&2; exit 1'))
    assert remedy in why()
    assert "SANDBOX=none" in why()


def test_root_grades_nothing_without_a_sandbox(why, monkeypatch):
    """Rejects a stranger's program that runs as root."""
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert "As root nothing is graded" in why("none")
    problem.problem.cache_clear()
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert why("none") is None
