"""What a program in the sandbox sees, may do and may use; as whom it runs; and what is said where it cannot start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grading import problem, sandbox
from grading.processes import descendants, status
from grading.sandbox import HOME, command, visible
from grading.settings import Settings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sandbox is for Linux")
SMALL = Settings(cpu_s=2, memory_mb=300, disk_mb=8, processes=20)


def run(code, settings=SMALL, **options):
    """A Python program in the sandbox; how it ended, and what it printed as JSON (else as text)."""
    done = subprocess.run(
        command([sys.executable, "-c", code], settings, **options), capture_output=True, text=True, timeout=60
    )
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout + done.stderr


# ── What it sees ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_sandbox")
def test_it_sees_the_library_and_not_the_course():
    """Rejects a sandbox that shows the folder of the course, in which the solutions lie."""
    code = f"import json, os; print(json.dumps([*map(os.listdir, [{str(HOME)!r}, {str(HOME / 'grading')!r}, '/'])]))"
    _, (course, grading, top) = run(code)
    assert set(course) - {".venv"} == {"course_lib", "grading"}
    assert grading == ["limits.py"]
    system = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "dev", "proc", "tmp", "nix"}
    assert set(top) <= system | {path.parts[1] for path in sandbox.environment()}


def test_the_private_folder_is_there_before_the_course_is_shown():
    """Rejects a /tmp that hides a course which lies in it, as a clone does that is only tried out."""
    words = command(["true"], SMALL)
    starts = [place for place, word in enumerate(words) if word == "bwrap"]
    for first, last in zip(starts, [*starts[1:], len(words)], strict=True):
        shown = [place for place in range(first, last) if words[place : place + 2] == ["--ro-bind", "/usr"]]
        assert first < words.index("/tmp", first) < shown[0]


@pytest.mark.usefixtures("needs_sandbox")
def test_the_library_and_the_environment_work():
    """Rejects a sandbox without a part that the checks need."""
    status, said = run("import course_lib.checks, torch, ipykernel, matplotlib; print(1)", Settings())
    assert (status, said) == (0, 1)


@pytest.mark.usefixtures("needs_sandbox")
def test_only_two_folders_can_be_written_to_and_they_are_small():
    """Rejects bubblewrap's own folders in memory, / and /dev, which have no limit unless they are made read-only."""
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


@pytest.mark.usefixtures("needs_sandbox")
def test_it_has_no_network_and_sees_no_other_process():
    """Rejects a sandbox that shares the network, or the list of processes, with the machine."""
    code = """
import glob, json, socket
print(json.dumps([socket.if_nameindex(), len(glob.glob("/proc/[0-9]*"))]))
"""
    status, (devices, processes) = run(code)
    assert status == 0
    assert [name for _, name in devices] == ["lo"]
    assert processes <= 3


@pytest.mark.usefixtures("needs_sandbox")
def test_its_environment_variables_are_its_own(monkeypatch):
    """Rejects a sandbox that hands on what the grader has in its environment, a token perhaps."""
    monkeypatch.setenv("TOKEN", "hush")
    _, found = run("import json, os; print(json.dumps(dict(os.environ)))", env={"MINE": "1"})
    assert "TOKEN" not in found
    assert found["MINE"] == "1"
    assert found["HOME"] == "/tmp"


@pytest.mark.usefixtures("needs_sandbox")
def test_a_file_is_shown_where_it_is_asked_for(tmp_path):
    """Rejects a command in which a file of a folder that only its owner may enter is lost."""
    (tmp_path / "a.txt").write_text("7")
    tmp_path.chmod(0o700)
    assert run("print(open('/a.txt').read())", files={"/a.txt": str(tmp_path / "a.txt")}) == (0, 7)


def words(options):
    """bubblewrap's options, as (option, …, place)."""
    lines, line = [], []
    for word in options:
        if word.startswith("--") and line:
            lines.append(tuple(line))
            line = []
        line.append(word)
    return [*lines, tuple(line)]


def test_a_course_inside_a_folder_that_is_shown_is_hidden(tmp_path, monkeypatch):
    """Rejects a sandbox in which a course below /usr, or below the environment, shows its solutions."""
    course, library = tmp_path / "env" / "course", tmp_path / "env" / "course" / "course_lib"
    for folder in (course / "solutions", library, course / ".venv" / "bin"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(sandbox, "HOME", course)
    monkeypatch.setattr(sandbox, "OURS", (library,))
    monkeypatch.setattr(sys, "prefix", str(course / ".venv"))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "env"))
    found = words(visible())
    order = [line[-1] for line in found]
    assert ("--tmpfs", str(course)) in found
    assert order.index(str(tmp_path / "env")) < order.index(str(course)) < order.index(str(library))
    assert ("--ro-bind", str(course / ".venv"), str(course / ".venv")) in found


def test_an_environment_made_in_the_course_folder_itself_does_not_show_it(tmp_path, monkeypatch):
    """Rejects a sandbox that shows all of `python -m venv .`, the solutions with it."""
    for folder in ("solutions", "bin", "lib", "course_lib"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(sandbox, "HOME", tmp_path)
    monkeypatch.setattr(sandbox, "OURS", (tmp_path / "course_lib",))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    shown = [line[-1] for line in words(visible()) if line[0] == "--ro-bind"]
    mine = {path for path in shown if path.startswith(str(tmp_path))}
    assert mine == {str(tmp_path / name) for name in ("bin", "lib", "course_lib")}


# ── As whom it runs ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_sandbox")
def test_it_is_an_ordinary_user_on_the_machine_too():
    """Rejects root who only looks like somebody else inside: the system would still let root change its settings."""
    code = "import os, sys, time; print(os.getuid(), flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        command([sys.executable, "-c", code], SMALL), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == f"{sandbox.NOBODY}\n"
        users = {path.stat().st_uid for path in inner(process.pid)}
        process.stdin.close()
    assert users
    assert all(user == os.getuid() if os.getuid() else user >= sandbox.NOBODY for user in users)


def inner(pid):
    """The processes that lie deepest in a sandbox, as folders of /proc."""
    depths = {one: len("".join(status(one, "NSpid")).split()) for one in descendants(pid)}
    return [Path("/proc", str(one)) for one, depth in depths.items() if depth == max(depths.values())]


# ── Where it cannot start ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def asked(monkeypatch):
    """A function that asks anew what is in the way, on a machine that is changed with monkeypatch."""
    problem.problem.cache_clear()
    yield problem.problem
    problem.problem.cache_clear()


@pytest.mark.parametrize(("system", "words"), [("darwin", "grade in a container"), ("win32", "WSL")])
def test_other_systems_are_sent_to_a_container(asked, monkeypatch, system, words):
    """Rejects an answer that sends a reader of macOS to a package that does not exist there."""
    monkeypatch.setattr(sys, "platform", system)
    assert words in asked()
    assert "apt" not in asked()


def test_a_missing_bubblewrap_is_named_with_the_package(asked, monkeypatch, tmp_path):
    """Rejects a refusal that does not say what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt install bubblewrap" in asked()


def fake(folder, script):
    """A bubblewrap that does this, first on PATH."""
    (folder / "bwrap").write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit\n{script}\n')
    (folder / "bwrap").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_an_old_bubblewrap_is_refused(asked, monkeypatch, tmp_path):
    """Rejects a grader that finds out in the middle of a class."""
    monkeypatch.setenv("PATH", fake(tmp_path, ""))
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    assert "0.8 or newer; this is 'bubblewrap 0.6.1'" in asked()


@pytest.mark.parametrize(
    ("files", "said", "mend"),
    [
        ({"apparmor": "1"}, "bwrap: setting up uid map: Permission denied", "profile bwrap /usr/bin/bwrap"),
        ({"apparmor": "0", "clone": "0"}, "bwrap: No permissions to create new namespace", "userns_clone=1"),
        ({}, "bwrap: Creating new namespace failed: Operation not permitted", "--privileged"),
        ({}, "python: can't open file: Permission denied", "chmod -R go+rX"),
    ],
    ids=["AppArmor", "switched off", "container", "environment"],
)
def test_what_bubblewrap_says_is_told_with_the_mend(asked, monkeypatch, tmp_path, files, said, mend):
    """Rejects a refusal in bubblewrap's words alone, and one that guesses the wrong cause."""
    for name in ("apparmor", "clone"):
        if name in files:
            (tmp_path / name).write_text(files[name])
    monkeypatch.setattr(problem, "APPARMOR", tmp_path / "apparmor")
    monkeypatch.setattr(problem, "SWITCHES", {"kernel.unprivileged_userns_clone": (str(tmp_path / "clone"), "1")})
    monkeypatch.setenv("PATH", fake(tmp_path, f'echo "{said}" >&2; exit 1'))
    assert mend in asked()
    assert "SANDBOX=none" in asked()


def test_without_a_sandbox_nothing_is_graded_as_root(asked, monkeypatch):
    """Rejects a program of a stranger that is run as root."""
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert "As root nothing is graded" in asked("none")
    problem.problem.cache_clear()
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert asked("none") is None


@pytest.mark.parametrize(
    ("numbers", "own"), [("0 0 4294967295", True), ("0 1000 1\n1 100000 65536", False)], ids=["machine", "container"]
)
def test_the_ordinary_user_is_one_that_there_is(monkeypatch, numbers, own):
    """Rejects a number that a container does not know; where there is room, no two processes share one, nor a limit."""
    monkeypatch.setattr(Path, "read_text", lambda path, **options: numbers)
    assert sandbox.ordinary_user() == (sandbox.OWN_USER + os.getpid() if own else sandbox.NOBODY)
