"""The course's environment: made when it is missing or out of date, then used. `make` calls this file.

Standard library only, and no syntax newer than Python 3.6: an old Python must get far enough to be told so.
The environment lies in .venv. Its stamp is written last, so that an interrupted build is noticed and begun again.
"""

import contextlib
import errno
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HOME, ".venv")
LOCK = os.path.join(HOME, "requirements.lock")
LAB_SETTINGS = os.path.join(HOME, "scripts", "lab_settings")  # jupyter_server_config.py, overrides.json
STAMP = "made-for.txt"  # in .venv; "unfinished" while it is being built
PIP_LOG = "pip.log"  # in .venv
PIP = ("-m", "pip", "install")
USED = (  # what readers' kernels import; and what serves and tests them. All else is compiled when it is first imported
    "torch, matplotlib.pyplot, ipykernel.kernelapp, anywidget, course_lib.models, course_lib.show, grading",
    "jupyterlab.labapp, nbgrader.apps, dask.distributed, hypothesis, nbval, playwright.sync_api, pytest, xdist",
)
OLDEST = (3, 11)
WORKERS = "3"  # on two cores, too: one often waits, for a kernel, a page or a deadline. 10:02 in place of 11:02
TEST = ("pytest", "--nbval-lax", "--nbval-current-env", "-n", WORKERS, "--dist", "loadscope", "--no-loadscope-reorder")
NO_NETWORK = re.compile(
    r"NewConnectionError|Connection(?:Timeout)?Error|ConnectTimeout|ReadTimeout|Max retries exceeded|ProxyError"
    r"|name resolution|Name or service not known|nodename nor servname|getaddrinfo failed|Network is unreachable"
)
NOT_FOUND = re.compile(r"No matching distribution found for ([^\s;]+)")
UNUSABLE = re.compile(r"^(?:ImportError|ModuleNotFoundError|OSError(?!: \[Errno)): (.+)", re.M)


class Problem(Exception):
    """What went wrong and how to mend it, in one sentence."""


# ── Is this Python, this port, this environment usable? ───────────────────────────────────────────────────────────────


def python_problem(version, path):
    """What is wrong with a Python of this version, or None."""
    if tuple(version[:2]) >= OLDEST:
        return None
    return (
        "The course needs Python {}.{} or newer; this is {} ({}): install one, or name one you have, as in: {}".format(
            OLDEST[0], OLDEST[1], ".".join(map(str, version[:3])), path, "make lab PYTHON=python3.12"
        )
    )


def port_number(text):
    """The port a user asks for."""
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise Problem(f"A port is a number from 1 to 65535, as in make lab PORT=8889; this is {text!r}")
    return int(text)


def port_is_free(port):
    """True when a server may listen on 127.0.0.1 at this port."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        if os.name == "posix":  # a port whose last connection has only just ended is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno == errno.EACCES:
                raise Problem(f"Port {port} is reserved by the system: choose another: make lab PORT=8889") from None
            return False
    return True


def check_port(port):
    """Raise Problem, naming the next free port, when this one is taken."""
    if not port_is_free(port):
        free = next((p for p in range(port + 1, min(port + 100, 65536)) if port_is_free(p)), 8889)
        raise Problem(f"Port {port} is taken (by a JupyterLab that still runs?): choose another: make lab PORT={free}")


def interpreter(folder):
    """The Python inside a virtual environment."""
    return os.path.join(folder, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def digest(*paths):
    """One fingerprint of the contents of these files, whatever the line endings of the checkout."""
    whole = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            whole.update(file.read().replace(b"\r\n", b"\n"))
    return whole.hexdigest()[:16]


def wanted():
    """What the stamp must say: the packages, and how course_lib is installed."""
    packages = f"python {sys.version_info[0]}.{sys.version_info[1]}, packages {digest(LOCK)}, in {VENV}"
    return packages, "course_lib " + digest(os.path.join(HOME, "pyproject.toml"))


def stamp(folder):
    """The lines of the environment's stamp; empty where there is no environment that works."""
    try:
        with open(os.path.join(folder, STAMP), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    return lines if os.path.exists(interpreter(folder)) else []


def write_stamp(folder, *lines):
    """Say what the environment in this folder was made for."""
    with open(os.path.join(folder, STAMP), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


# ── Making it ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def clean_variables():
    """The variables of this process without those that would mix another Python's packages or kernels into ours.

    Nor may one say that nothing be compiled: pip has not done it, so each kernel would have to, anew.
    Jupyter finds the course's configuration beside the reader's own.
    """
    drop = {"PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV", "PIP_REQUIRE_VIRTUALENV"}
    drop |= {"JUPYTER_PATH", "MPLBACKEND", "PYTHONDONTWRITEBYTECODE"}
    kept = {name: value for name, value in os.environ.items() if name not in drop}
    kept.update(JUPYTER_PREFER_ENV_PATH="1", PYTHONNOUSERSITE="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    kept["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [LAB_SETTINGS, os.environ.get("JUPYTER_CONFIG_PATH")]))
    return kept


def pip_problem(log, status):
    """One sentence about why pip stopped, read from its log."""
    if NO_NETWORK.search(log):
        return "the package index cannot be reached: check the network (or the proxy)"
    if "No space left on device" in log:
        return "the disk is full: the environment needs 2 GB, with CUDA 6"
    unusable = UNUSABLE.search(log)
    if unusable:
        return f"what was installed does not work on this system ({unusable.group(1)})"
    missing = NOT_FOUND.search(log)
    if missing and "(from versions: none)" in log:
        return f"pip cannot reach the package index, or it has no {missing.group(1)}: check the network (or the proxy)"
    if missing:
        python = "{}.{}".format(*sys.version_info)
        return f"there is no {missing.group(1)} for Python {python} on {sys.platform}: name another PYTHON=python3.12"
    return f"pip stopped with status {status}"


def together(folder, *commands, inherited=()):
    """Run the environment's Python with each of these lists of arguments, all at the same time.

    Their whole output goes to one log, their progress to the terminal. None is left running when we end.
    """
    path = os.path.join(folder, PIP_LOG)
    output, theirs = os.pipe()
    children = []
    try:
        with open(output, "rb") as lines, open(path, "wb") as log:
            with open(theirs, "wb") as end:  # closed here once each child has its own: the last to end ends the output
                for arguments in commands:
                    command = [interpreter(folder), *arguments]
                    streams = {"stdout": end, "stderr": subprocess.STDOUT}
                    children.append(
                        subprocess.Popen(command, cwd=HOME, env=clean_variables(), pass_fds=inherited, **streams)
                    )
            for line in lines:
                log.write(line)
                log.flush()
                show_progress(line.decode("utf-8", "replace"))
        status = max((child.wait() for child in children), key=abs)
    finally:
        for child in children:
            if child.poll() is None:
                child.terminate()
                child.wait()
    if status:
        with open(path, encoding="utf-8", errors="replace") as file:
            reason = pip_problem(file.read(), status)
        log = os.path.relpath(path, HOME)
        raise Problem(
            f"The environment could not be made: {reason}; then run the same command again (pip's log: {log})"
        )


def halves(lock):
    """The packages of this lock file in two lists that take pip about as long.

    torch is a quarter of all work: it goes with every third of the others. (pip is one process: two use two cores,
    and the one reads from the network while the other unpacks. Measured: 66 s in place of 93; 45 where only USED is
    compiled, a quarter of the files.)
    """
    with open(lock, encoding="utf-8") as file:
        packages = [line.strip() for line in file if "==" in line and not line.startswith("#")]
    torch = [package for package in packages if package.startswith("torch==")]
    others = [package for package in packages if package not in torch]
    return torch + others[::3], others[1::3] + others[2::3]


def show_progress(line):
    """Large downloads and the last step, which take long, get a line; the hundred others none."""
    large = re.match(r"\s*Downloading (\S+) \((\d{2,}\.\d MB|\d+\.\d GB)\)", line)
    if large:
        print(f"  downloading {os.path.basename(large.group(1))} ({large.group(2)})", flush=True)
    elif line.startswith("Installing collected packages") and "," in line:
        print("  installing {} packages".format(line.count(",") + 1), flush=True)


def make_room(folder):
    """Remove what an interrupted build of ours left; keep what somebody else made, under another name."""
    ours = os.path.exists(os.path.join(folder, STAMP)) and not os.path.islink(folder)
    if ours:
        shutil.rmtree(folder)
    elif os.path.lexists(folder):
        names = (f"{folder}.old-{n}" for n in range(1, 1000))
        kept = next(name for name in names if not os.path.lexists(name))
        os.rename(folder, kept)
        print(f"  The {os.path.basename(folder)} here was not made by this Makefile: kept as {os.path.basename(kept)}")
    os.makedirs(folder)
    write_stamp(folder, "unfinished")


def build(folder, packages, inherited=()):
    """Make the environment from nothing."""
    try:
        import ensurepip  # noqa: F401
        import venv
    except ImportError:
        hint = "on Debian or Ubuntu install it with: apt install python3-venv"
        raise Problem(f"This Python ({sys.executable}) has no venv: {hint}") from None
    print("Making the environment in .venv (once; one to some minutes) ...", flush=True)
    start = time.time()
    make_room(folder)
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    together(folder, *([*PIP, "--no-compile", "--no-deps", *half] for half in halves(LOCK)), inherited=inherited)
    together(folder, [*PIP, "-r", LOCK], inherited=inherited)  # what torch needs on this system only; else nothing
    together(folder, *(["-c", f"import {names}"] for names in USED), inherited=inherited)
    write_stamp(folder, packages)
    print(f"  done in {time.time() - start:.0f} s", flush=True)


def ready(folder=VENV):
    """The Python to use: the one named by PYTHON_ENV as it is, else .venv's, made or mended where necessary."""
    named = os.environ.get("PYTHON_ENV")
    if named:
        return usable(named)
    packages, library = wanted()
    if stamp(folder) != [packages, library]:
        with only_one(folder + ".lock") as held:
            if stamp(folder)[:1] != [packages]:
                build(folder, packages, held)
            if stamp(folder) != [packages, library]:
                together(folder, [*PIP, "--no-deps", "--no-build-isolation", "-e", HOME], inherited=held)
                write_stamp(folder, packages, library)
    return interpreter(folder)


def usable(named):
    """The full path of the Python that PYTHON_ENV names, when the course is installed in it."""
    path = shutil.which(named)
    if path is None:
        raise Problem(f"PYTHON_ENV={named} is not a program: name the Python of your environment")
    probe = "import importlib.util as u, sys; sys.exit(sum(u.find_spec(n) is None for n in sys.argv[1:]))"
    if subprocess.call([path, "-I", "-c", probe, "course_lib", "torch", "jupyterlab", "pytest"]):
        raise Problem(f"PYTHON_ENV={named} does not have the course: {named} -m pip install -e '.[lab,test,site]'")
    return os.path.abspath(path)


@contextlib.contextmanager
def only_one(path):
    """Hold the lock file, waiting for another `make` that holds it; yields what a child must inherit to hold it too.

    The system lets go of it when the last holder has ended, however it ended, so it is never left behind.
    """
    with open(path, "a") as file:
        try:
            import fcntl
        except ImportError:  # Windows: nothing to wait with; the stamp still tells a half-built environment
            yield ()
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another make is making the environment: waiting for it ...", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:  # a file system without locks
            pass
        yield (file.fileno(),)


# ── Using it ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def run(command, **variables):
    """Become this command where the system can, so that signals reach it; else call it. Returns its status."""
    environment = dict(clean_variables(), **variables)
    environment["PATH"] = os.path.dirname(command[0]) + os.pathsep + os.environ.get("PATH", os.defpath)
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    return subprocess.call(command, env=environment)


def first_chapter():
    """The chapter that JupyterLab opens on, or the folder while there is none."""
    folder = os.path.join(HOME, "notebooks")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    chapters = sorted(name for name in names if re.match(r"\d\d_.*\.ipynb$", name))
    return "/lab/tree/notebooks/" + chapters[0] if chapters else "/lab"


def lab_command(python, port, flags, root):
    """How JupyterLab is started; what the reader's flags say comes in the place of our own options."""
    options = {
        "--ServerApp.ip": "127.0.0.1",
        "--ServerApp.port": port,
        "--ServerApp.port_retries": 0,
        "--ServerApp.log_level": "WARN",
        "--ServerApp.root_dir": HOME,
        "--LabApp.default_url": first_chapter(),
        "--LabApp.app_settings_dir": LAB_SETTINGS,
    }
    named = {flag.partition("=")[0] for flag in flags}
    ours = [f"{name}={value}" for name, value in options.items() if name not in named]
    return [python, "-m", "jupyterlab", *ours, *(["--allow-root"] if root else []), *flags]


def lab(port, *flags):
    """JupyterLab, open on the first chapter, with the exercises in work/."""
    port = port_number(port)
    check_port(port)
    python = ready()
    subprocess.call([python, "-m", "scripts.work", "quietly"], cwd=HOME, env=clean_variables())  # says what goes wrong
    print(f"JupyterLab starts on http://127.0.0.1:{port} (to end it, press Ctrl-C here twice)", flush=True)
    return run(lab_command(python, port, flags, root=hasattr(os, "geteuid") and os.geteuid() == 0))


def test(*arguments):
    """Style, unit tests, chapters, solutions and browser tests, in one run of pytest."""
    settings = os.path.join(HOME, "test-artefacts", "ipython")  # not the reader's own
    os.makedirs(settings, exist_ok=True)
    return run([ready(), "-m", *TEST, *arguments], IPYTHONDIR=settings, OMP_NUM_THREADS="1", PYTHONHASHSEED="0")


def python(*arguments):
    """Any command of the environment's Python."""
    return run([ready(), *arguments])


def targets():
    """The Makefile's targets and what each does."""
    with open(os.path.join(HOME, "Makefile"), encoding="utf-8") as file:
        for name, purpose in re.findall(r"^([a-z][\w-]*):.*?## *(.*)$", file.read(), re.M):
            print(f"  make {name:<10} {purpose}")


COMMANDS = {"lab": lab, "test": test, "python": python, "targets": targets}


def stop(number, frame):
    """Being ended is like Ctrl-C: end pip first."""
    raise KeyboardInterrupt


def main(words):
    """Do the command; a problem is one sentence on stderr and status 1."""
    problem = python_problem(sys.version_info, sys.executable)
    if problem:
        sys.stderr.write(problem + "\n")
        return 1
    signal.signal(signal.SIGTERM, stop)
    try:
        return COMMANDS[words[0]](*words[1:])
    except Problem as error:
        sys.stderr.write(f"{error}\n")
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"The environment could not be made: {error} (mend that, then run the same command again)\n")
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. The same command begins again where it must.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
