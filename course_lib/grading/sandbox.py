"""The command that runs a program inside bubblewrap: what it sees, as whom it runs, and why it cannot start.

It sees the system's programs, the Python environment and course_lib, read-only, a private folder in memory, and
nothing else: no network, no home, no course folder, no other process. As root, bubblewrap first binds what is needed
(the environment may lie where only root may enter), then becomes an ordinary user, and starts the sandbox as that user.
"""

import json
import os
import site
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from .settings import Settings

LIBRARY = Path(__file__).resolve().parents[1]
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")
COURSE = ("solutions", "submitted", "gradebook.db", "nbgrader_config.py")  # by which a course folder is known
PARTS = ("bin", "lib", "lib64", "share", "etc", "pyvenv.cfg")  # of an environment made in the course folder itself
OWN_USER = 1_900_000_000  # as root: the ordinary user is this number plus the process, so that no two share limits
NOBODY = 65534
BECOME = """import os, sys
user = int(sys.argv[1])
os.setgroups([]), os.setgid(user), os.setuid(user)
os.execvp(sys.argv[2], sys.argv[2:])"""


def command(
    program: list[str], settings: Settings, files: dict[str, str] | None = None, env: dict[str, str] | None = None
) -> list[str]:
    """The command that runs a program with its limits, in the sandbox if the settings have one.

    `files` are further files that it may read: {where it sees them: where they are}.
    """
    limits = {name: asdict(settings)[name] for name in ("memory_mb", "cpu_s", "disk_mb", "processes")}
    if settings.sandbox == "none":
        limits["processes"] = 0  # outside, this limit would count all that the user runs
    limited = [sys.executable, "-I", "-S", str(LIBRARY / "grading" / "limits.py"), json.dumps(limits), *program]
    if settings.sandbox == "none":
        return limited if os.name == "posix" else program
    files, size = files or {}, str(settings.disk_mb << 20)
    inside = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    inside += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox", "--clearenv"]
    inside += [word for name, value in variables(env or {}).items() for word in ("--setenv", name, value)]
    inside += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        inside += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    inside += visible()  # after /tmp, where the course may lie
    root = os.getuid() == 0
    inside += [word for seen, real in files.items() for word in ("--ro-bind", seen if root else real, seen)]
    inside += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--", *limited]
    return [*as_ordinary_user(files), *inside] if root else inside


def as_ordinary_user(files: dict[str, str]) -> list[str]:
    """The beginning of a command that binds as root and goes on as an ordinary user.

    Its own list of processes is what ends them all with it: as root without rights it could not send them a signal.
    """
    binds = [word for seen, real in files.items() for word in ("--ro-bind", real, seen)]
    kept = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    bare = ["--dev-bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]
    outside = ["bwrap", "--die-with-parent", "--unshare-pid", *bare, *visible()]
    become = [sys.executable, "-I", "-S", "-c", BECOME, str(ordinary_user())]
    return [*outside, *binds, *kept, "--", *become]


def ordinary_user() -> int:
    """A user of its own for this process, where the system has numbers enough; else nobody."""
    user = OWN_USER + os.getpid()
    ranges = (map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines())
    return user if any(first <= user < first + count for first, _, count in ranges) else NOBODY


def variables(env: dict[str, str]) -> dict[str, str]:
    """The environment variables inside."""
    path = f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin"
    found = {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "USER": "student", "LOGNAME": "student"}
    found |= {"PYTHONUSERBASE": site.getuserbase()} if site.ENABLE_USER_SITE else {"PYTHONNOUSERSITE": "1"}
    found |= {} if LIBRARY.parent.name == "site-packages" else {"PYTHONPATH": str(LIBRARY.parent)}
    return found | {"PYTHONSAFEPATH": "1"} | env


# ── What is seen ──────────────────────────────────────────────────────────────────────────────────────────────────────


def visible() -> list[str]:
    """The bubblewrap options that show the system and the environment, and hide course folders that lie in them."""
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
    """True where a path lies below another one."""
    return other in path.parents


def environment() -> Iterator[Path]:
    """Where Python, its packages and course_lib lie."""
    python = Path(sys.executable)
    while python.is_symlink():  # an environment's Python leads to the one that it was made with
        python = python.parent / os.readlink(python)
        yield Path(os.path.normpath(python)).parent.parent
    for prefix in map(Path, {sys.prefix, sys.base_prefix}):
        parts = [prefix / name for name in PARTS] if prefix in course_folders() else [prefix]
        yield from filter(Path.exists, parts)
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())
    yield LIBRARY


def course_folders() -> set[Path]:
    """The folder of this checkout and the one that grading runs in, if they look like a course."""
    return {path for path in (LIBRARY.parent, Path.cwd()) if any((path / name).exists() for name in COURSE)}
