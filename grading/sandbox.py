"""The command that runs a program inside bubblewrap.

The program sees the system's programs, the Python environment and course_lib, read-only, and a private folder in
memory. It has no network, home, course folder or other processes. As root, bubblewrap first mounts what is needed (the
environment may lie in a folder of root's), then changes to an unprivileged user who starts the sandbox.
"""

import json
import os
import site
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from .settings import Settings

HOME = Path(__file__).resolve().parents[1]
OURS = (HOME / "course_lib", HOME / "grading" / "limits.py")  # what a submission sees of the course
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")
COURSE_MARKERS = (
    "solutions",
    "submitted",
    "gradebook.db",
    "nbgrader_config.py",
)  # a folder with one of them is a course folder
PARTS = ("bin", "lib", "lib64", "share", "etc", "pyvenv.cfg")  # of an environment made in the course folder
OWN_USER = 1_900_000_000  # plus the process id: no two processes share a user's limits
NOBODY = 65534
BECOME = """import os, sys
user = int(sys.argv[1])
os.setgroups([]), os.setgid(user), os.setuid(user)
os.execvp(sys.argv[2], sys.argv[2:])"""


def command(
    program: list[str], settings: Settings, files: dict[str, str] | None = None, env: dict[str, str] | None = None
) -> list[str]:
    """The command that runs a program with its limits, in the sandbox if the settings name one.

    `files` are further readable files: {path inside: path outside}.
    """
    limits = {name: asdict(settings)[name] for name in ("memory_mb", "cpu_s", "disk_mb", "processes")}
    if settings.sandbox == "none":
        limits["processes"] = 0  # outside, this limit counts all processes of the user
    limited = [sys.executable, "-I", "-S", str(OURS[1]), json.dumps(limits), *program]
    if settings.sandbox == "none":
        return limited if os.name == "posix" else program
    files, size = files or {}, str(settings.disk_mb << 20)
    inside = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    inside += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox", "--clearenv"]
    inside += [word for name, value in variables(env or {}).items() for word in ("--setenv", name, value)]
    inside += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        inside += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    inside += visible()  # after /tmp, since the course may lie there
    root = os.getuid() == 0
    inside += [word for seen, real in files.items() for word in ("--ro-bind", seen if root else real, seen)]
    inside += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--", *limited]
    return [*as_ordinary_user(files), *inside] if root else inside


def as_ordinary_user(files: dict[str, str]) -> list[str]:
    """The beginning of a command that mounts as root and continues as an unprivileged user.

    Its PID namespace ends all processes with it; without capabilities it could not send them a signal.
    """
    binds = [word for seen, real in files.items() for word in ("--ro-bind", real, seen)]
    kept = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    bare = ["--dev-bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]
    outside = ["bwrap", "--die-with-parent", "--unshare-pid", *bare, *visible()]
    become = [sys.executable, "-I", "-S", "-c", BECOME, str(ordinary_user())]
    return [*outside, *binds, *kept, "--", *become]


def ordinary_user() -> int:
    """A user id for this process alone, if the user namespace has one; else nobody's."""
    user = OWN_USER + os.getpid()
    ranges = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return user if any(first <= user < first + count for first, _, count in ranges) else NOBODY


def variables(env: dict[str, str]) -> dict[str, str]:
    """The environment variables inside the sandbox."""
    path = f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin"
    found = {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "USER": "student", "LOGNAME": "student"}
    found |= {"PYTHONUSERBASE": site.getuserbase()} if site.ENABLE_USER_SITE else {"PYTHONNOUSERSITE": "1"}
    found |= {} if HOME.name == "site-packages" else {"PYTHONPATH": str(HOME)}
    return found | {"PYTHONSAFEPATH": "1"} | env


# ── Visible files ─────────────────────────────────────────────────────────────────────────────────────────────────────


def visible() -> list[str]:
    """bubblewrap's options that mount the system and the environment, and hide course folders inside them."""
    shown = {path: "--ro-bind" for path in (*map(Path, (*SYSTEM, *SYSTEM_FILES)), *environment()) if path.exists()}
    shown = {path: how for path, how in shown.items() if not any(inside(path, other) for other in shown)}
    hidden = {path: "--tmpfs" for path in course_folders() if any(inside(path, other) for other in shown)}
    again = {path: "--ro-bind" for path in environment() if any(inside(path, other) for other in hidden)}
    words, made = [], set()
    for path, how in sorted((shown | hidden | again).items(), key=lambda item: len(item[0].parts)):
        for folder in reversed(path.parents[:-1]):
            if folder not in made and not any(inside(folder, other) or folder == other for other in shown):
                words += ["--dir", str(folder)]
                made.add(folder)
        if path.is_symlink() and len(path.parts) == 2:
            words += ["--symlink", os.readlink(path), str(path)]
        else:
            words += [how, str(path)] if how == "--tmpfs" else [how, str(path), str(path)]
    return words


def inside(path: Path, other: Path) -> bool:
    """True if a path lies below another one."""
    return other in path.parents


def environment() -> Iterator[Path]:
    """The paths of Python, its packages and course_lib."""
    python = Path(sys.executable)
    while python.is_symlink():  # an environment's Python links to the one it was made with
        python = python.parent / os.readlink(python)
        yield Path(os.path.normpath(python)).parent.parent
    for prefix in map(Path, {sys.prefix, sys.base_prefix}):
        parts = [prefix / name for name in PARTS] if prefix in course_folders() else [prefix]
        yield from filter(Path.exists, parts)
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())
    yield from OURS


def course_folders() -> set[Path]:
    """This checkout and the working directory, if they are course folders."""
    return {path for path in (HOME, Path.cwd()) if any((path / name).exists() for name in COURSE_MARKERS)}
