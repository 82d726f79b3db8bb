"""`make lab` and `make test` on machines where something is wrong: one clear sentence, and the next try recovers.

Nothing here needs a network, and nothing touches the environment that runs the tests.
"""

import ast
import importlib.util
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scripts import environment
from scripts.environment import HOME, Problem, interpreter, stamp, write_stamp

SCRIPT = Path(HOME, "scripts", "environment.py")
POSIX = pytest.mark.skipif(os.name != "posix", reason="file locks and fake programs are made for POSIX systems here")


def is_one_sentence(text):
    """One line, and not a traceback."""
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text


# ── The wrong Python ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_old_python_can_read_the_file():
    """Rejects syntax that Python 3.6 cannot parse: it would print a SyntaxError instead of the sentence."""
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_so_in_one_sentence():
    pretend = (
        "import runpy, sys; sys.version_info = (3, 9, 6, 'final', 0); sys.argv = ['environment.py', 'lab', '8888']"
    )
    code = f"{pretend}; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert is_one_sentence(done.stderr)
    assert "needs Python 3.11 or newer; this is 3.9.6" in done.stderr


@pytest.mark.parametrize(
    ("version", "good"), [((3, 10, 13), False), ((3, 11, 0), True), ((3, 13, 1), True), ((2, 7), False)]
)
def test_versions(version, good):
    assert (environment.python_problem(version, "python3") is None) is good


# ── The port ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_taken_port_is_named_with_one_that_is_free():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with pytest.raises(Problem, match=rf"Port {taken} is taken.*make lab PORT=") as problem:
            environment.check_port(taken)
        suggested = int(re.search(r"PORT=(\d+)", str(problem.value)).group(1))
        assert suggested != taken
        assert environment.port_is_free(suggested)


def test_a_free_port_is_let_pass():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        free = other.getsockname()[1]
    environment.check_port(free)


@pytest.mark.parametrize("text", ["", "abc", "0", "65536", "-1", "88.5"])
def test_no_port(text):
    with pytest.raises(Problem, match="from 1 to 65535"):
        environment.port_number(text)


def test_a_taken_port_is_noticed_before_anything_is_made(monkeypatch, capsys):
    """Rejects a `make lab` that installs for minutes and then fails."""
    monkeypatch.setattr(environment, "ready", lambda: pytest.fail("the environment was made first"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert environment.main(["lab", str(other.getsockname()[1])]) == 1
    assert is_one_sentence(capsys.readouterr().err)


# ── Making the environment ────────────────────────────────────────────────────────────────────────────────────────────

# What is done, in this order: torch is imported when it has all that it needs.
MADE = ["venv", "half and half", "packages", "compiled and compiled", "course_lib"]


def purpose(commands):
    """What the environment's Python is asked to do at the same time by these lists of arguments, as MADE says it."""
    signs = {"-c": "compiled", "-r": "packages", "-e": "course_lib", "--no-deps": "half"}
    return " and ".join(next(name for sign, name in signs.items() if sign in arguments) for arguments in commands)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The folder for an environment, and a list of what was done to make it; pip and venv only pretend."""
    done = []

    def create(folder, **options):
        done.append("venv")
        Path(interpreter(folder)).parent.mkdir()
        Path(interpreter(folder)).touch()
        Path(folder, "pyvenv.cfg").touch()

    def together(folder, *commands, inherited=()):
        done.append(purpose(commands))

    monkeypatch.delenv("PYTHON_ENV", raising=False)
    monkeypatch.setattr("venv.create", create)
    monkeypatch.setattr(environment, "together", together)
    return str(tmp_path / ".venv"), done


def test_made_once_and_then_used(made):
    folder, done = made
    assert environment.ready(folder) == interpreter(folder)
    assert done == MADE
    environment.ready(folder)
    assert len(done) == len(MADE)


def test_made_anew_when_the_lock_changes(made, monkeypatch, tmp_path):
    folder, done = made
    environment.ready(folder)
    other = tmp_path / "requirements.lock"
    other.write_text("torch==9.9\n")
    monkeypatch.setattr(environment, "LOCK", str(other))
    environment.ready(folder)
    assert done == MADE * 2


def test_made_anew_for_another_python(made, monkeypatch):
    folder, done = made
    environment.ready(folder)
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    environment.ready(folder)
    assert done == MADE * 2


def test_only_the_library_is_installed_again_when_only_its_metadata_changed(made):
    folder, done = made
    environment.ready(folder)
    write_stamp(folder, stamp(folder)[0], "course_lib of yesterday")
    environment.ready(folder)
    assert done == [*MADE, "course_lib"]


@pytest.mark.parametrize("step", MADE)
@pytest.mark.parametrize("end", [KeyboardInterrupt, Problem, OSError, SystemExit])
def test_what_was_interrupted_is_begun_again(made, monkeypatch, step, end):
    """Rejects a stamp that is written too early."""
    folder, done = made

    pretended = environment.together

    def broken(folder, *commands, **options):
        if step in ("venv", purpose(commands)):
            raise end
        pretended(folder, *commands)

    with monkeypatch.context() as patch:
        patch.setattr("venv.create" if step == "venv" else "scripts.environment.together", broken)
        with pytest.raises(end):
            environment.ready(folder)
    assert stamp(folder) != list(environment.wanted())
    done.clear()
    environment.ready(folder)
    assert done[-1] == "course_lib"
    assert stamp(folder) == list(environment.wanted())


def test_an_environment_whose_python_is_gone_is_made_anew(made):
    folder, done = made
    environment.ready(folder)
    os.remove(interpreter(folder))
    environment.ready(folder)
    assert done == MADE * 2


def test_an_environment_somebody_else_made_is_kept(made, capsys):
    folder, _ = made
    Path(folder).mkdir()
    Path(folder, "pyvenv.cfg").write_text("mine")
    environment.ready(folder)
    assert Path(folder + ".old-1", "pyvenv.cfg").read_text() == "mine"
    assert "kept as .venv.old-1" in capsys.readouterr().out
    assert stamp(folder) == list(environment.wanted())


def test_a_python_without_venv_is_told_how_to_get_it(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(Problem, match="apt install python3-venv"):
        environment.ready(made[0])


@POSIX
def test_two_makes_at_once_make_one_environment(made, monkeypatch):
    """Rejects a build without a lock: the second would delete what the first is making."""
    folder, done = made
    started, go_on = threading.Event(), threading.Event()
    pretended = environment.together

    def slow(*arguments, **options):
        started.set()
        go_on.wait(10)
        pretended(*arguments, **options)

    monkeypatch.setattr(environment, "together", slow)
    both = [threading.Thread(target=environment.ready, args=(folder,)) for _ in range(2)]
    both[0].start()
    assert started.wait(10)
    both[1].start()
    go_on.set()
    for thread in both:
        thread.join(10)
    assert done == MADE


# ── pip ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_halves_are_the_lock_each_package_once():
    """Rejects a half that forgets packages, doubles them, or drops what a system does not need."""
    first, second = environment.halves(environment.LOCK)
    lines = Path(environment.LOCK).read_text().splitlines()
    assert sorted(first + second) == sorted(line for line in lines if line and not line.startswith("#"))
    assert any(";" in package for package in first + second)
    assert first[0].startswith("torch==")
    assert len(first) < len(second) < 3 * len(first)


@POSIX
def test_a_half_that_fails_is_told_although_the_other_succeeds(tmp_path, monkeypatch, capfd):
    """Rejects the status of the last child for all; both say into one log what they did."""
    monkeypatch.setattr(environment, "interpreter", lambda folder: "/bin/echo")
    environment.together(str(tmp_path), ["this"], ["that", "there"])
    log = tmp_path / environment.PIP_LOG
    assert sorted(log.read_text().splitlines()) == ["that there", "this"]
    some = tmp_path / "python"
    some.write_text('#!/bin/sh\necho "$1"\n[ "$1" = good ]\n')
    some.chmod(0o755)
    monkeypatch.setattr(environment, "interpreter", lambda folder: str(some))
    for halves in (["good"], ["bad"]), (["bad"], ["good"]):
        with pytest.raises(Problem, match="pip stopped with status 1"):
            environment.together(str(tmp_path), *halves)
        assert sorted(log.read_text().split()) == ["bad", "good"]
    assert capfd.readouterr() == ("", "")


def test_pips_failure_is_one_sentence_and_the_log_is_kept(tmp_path, monkeypatch, capfd):
    """The real pip, asked for what there is not, without an index."""
    monkeypatch.setattr(environment, "interpreter", lambda folder: sys.executable)
    arguments = ["--isolated", "--no-index", "--target", str(tmp_path / "x"), "no-such-package-of-ours==1"]
    with pytest.raises(Problem, match=r"no-such-package-of-ours==1.*check the network.*pip\.log") as problem:
        environment.together(str(tmp_path), [*environment.PIP, *arguments])
    assert is_one_sentence(str(problem.value))
    assert "No matching distribution" in (tmp_path / environment.PIP_LOG).read_text()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (
            "NewConnectionError('<...>: Failed to establish a new connection')\nNo matching distribution found for x",
            "reached",
        ),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "reached"),
        ("ERROR: ReadTimeoutError: HTTPSConnectionPool", "reached"),
        ("(from versions: none)\nERROR: No matching distribution found for torch==2.13.0", "has no torch==2.13.0"),
        ("(from versions: 1.0, 1.1)\nERROR: No matching distribution found for torch==2.13.0", "name another PYTHON"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ImportError: libtorch.so: cannot allocate memory", "does not work on this system (libtorch.so: cannot"),
        ("OSError: libgomp.so.1: cannot open shared object file", "does not work on this system (libgomp.so.1: cannot"),
        ("OSError: [Errno 13] Permission denied", "status 7"),
        ("Segmentation fault", "status 7"),
    ],
)
def test_reasons_read_from_the_log(log, reason):
    assert reason in environment.pip_problem(log, 7)


@POSIX
def test_pip_ends_with_us(tmp_path, monkeypatch):
    """Rejects a Ctrl-C that leaves one of the pips writing into a folder that the next try removes."""
    slow = tmp_path / "python"
    slow.write_text(f"#!/bin/sh\necho $$ > '{tmp_path}/pid'$1\necho started\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(environment, "interpreter", lambda folder: str(slow))
    started = []

    def interrupt(line):
        started.append(line)
        if len(started) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(environment, "show_progress", interrupt)
    with pytest.raises(KeyboardInterrupt):
        environment.together(str(tmp_path), ["1"], ["2"])
    for file in (tmp_path / "pid1", tmp_path / "pid2"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.read_text()), 0)


@pytest.mark.parametrize("names", environment.USED)
def test_what_is_compiled_can_be_imported_in_the_folder_of_the_course(names):
    """Rejects a list with a name that is gone: no environment could be made."""
    tree = ast.parse(f"import {names}").body[0]
    for alias in tree.names:
        assert importlib.util.find_spec(alias.name), alias.name


def test_what_is_imported_is_compiled(tmp_path, monkeypatch):
    """Rejects a reader's PYTHONDONTWRITEBYTECODE: each kernel in the sandbox would compile torch anew."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(environment, "HOME", str(tmp_path))
    monkeypatch.setattr(environment, "interpreter", lambda folder: sys.executable)
    (tmp_path / "imported_once.py").touch()
    environment.together(str(tmp_path), ["-c", "import imported_once"])
    assert list(tmp_path.glob("__pycache__/imported_once.*.pyc"))


# ── Another environment ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_named_environment_is_used_as_it_is(made, monkeypatch):
    monkeypatch.setenv("PYTHON_ENV", sys.executable)
    assert environment.ready(made[0]) == sys.executable
    assert made[1] == []


def test_a_named_environment_that_is_no_program(monkeypatch):
    monkeypatch.setenv("PYTHON_ENV", "no-such-python")
    with pytest.raises(Problem, match="PYTHON_ENV=no-such-python is not a program"):
        environment.ready()


@POSIX
def test_a_named_environment_without_the_course(tmp_path, monkeypatch):
    bare = tmp_path / "python"
    bare.write_text(f"#!/bin/sh\nexec '{sys.executable}' -S \"$@\"\n")
    bare.chmod(0o755)
    monkeypatch.setenv("PYTHON_ENV", str(bare))
    with pytest.raises(Problem, match="does not have the course"):
        environment.ready()


# ── What is started ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_root_is_allowed_only_when_it_is_root():
    assert "--allow-root" in environment.lab_command("python", 8888, [], root=True)
    assert "--allow-root" not in environment.lab_command("python", 8888, [], root=False)


def test_the_lab_listens_on_this_machine_only_and_the_readers_flags_come_last():
    command = environment.lab_command("python", 8889, ["--no-browser"], root=False)
    assert "--ServerApp.ip=127.0.0.1" in command
    assert "--ServerApp.port=8889" in command
    assert command[-1] == "--no-browser"


def test_the_readers_flags_come_in_the_place_of_ours():
    """Rejects an option that is given twice, which JupyterLab does not accept."""
    command = environment.lab_command("python", 8889, ["--ServerApp.ip=0.0.0.0"], root=False)
    assert [word for word in command if word.startswith("--ServerApp.ip")] == ["--ServerApp.ip=0.0.0.0"]


def test_the_lab_opens_the_first_chapter(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "HOME", str(tmp_path))
    assert environment.first_chapter() == "/lab"
    (tmp_path / "notebooks").mkdir()
    for name in ("01_second.ipynb", "00_first.ipynb", "00_first.py", "A.ipynb"):
        (tmp_path / "notebooks" / name).touch()
    assert environment.first_chapter() == "/lab/tree/notebooks/00_first.ipynb"


def test_the_lab_starts_after_the_exercises_were_brought_to_work_or_could_not_be(monkeypatch):
    """Rejects a lab on yesterday's copies, and one that does not start because a copy is damaged."""
    called = []
    monkeypatch.setattr(environment, "check_port", lambda port: None)
    monkeypatch.setattr(environment, "ready", lambda: "python")
    monkeypatch.setattr(
        environment.subprocess, "call", lambda command, **how: called.append((command, how["cwd"])) or 1
    )
    monkeypatch.setattr(environment, "run", lambda command: called.append((command, None)) or 0)
    environment.lab("8889")
    assert called[0] == (["python", "-m", "scripts.work", "quietly"], environment.HOME)
    assert called[1][0][:3] == ["python", "-m", "jupyterlab"]


def test_packages_and_kernels_of_the_machine_stay_outside(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("JUPYTER_PATH", "elsewhere")
    variables = environment.clean_variables()
    assert not {"PYTHONPATH", "JUPYTER_PATH"} & variables.keys()
    assert variables["JUPYTER_PREFER_ENV_PATH"] == "1"
