"""Why the sandbox cannot start on this machine, and the remedy."""

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .sandbox import command
from .settings import Settings

OLDEST = (0, 8)  # bubblewrap's first version with --size and --disable-userns
APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
SWITCHES = {
    "kernel.unprivileged_userns_clone": ("/proc/sys/kernel/unprivileged_userns_clone", "1"),
    "user.max_user_namespaces": ("/proc/sys/user/max_user_namespaces", "10000"),
}
PROFILE = r"abi <abi/4.0>,\ninclude <tunables/global>\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\n"
NO_SANDBOX = "SANDBOX=none grades without one: every submission can then read, change and send away all that you can."


@functools.cache
def problem(sandbox: str = "bwrap") -> str | None:
    """Why submissions cannot run in this sandbox, and the remedy; None if they can."""
    if sys.platform == "win32":
        return "Grading needs Linux: on Windows, grade in WSL or in a container."
    if sandbox == "none":
        root = os.name == "posix" and os.getuid() == 0
        return "As root nothing is graded without a sandbox: grade as an ordinary user." if root else None
    if not sys.platform.startswith("linux"):
        return f"The sandbox needs Linux: grade in a container or on another machine. {NO_SANDBOX}"
    if not shutil.which("bwrap"):
        install = "`apt install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)"
        return f"The sandbox needs bubblewrap, which is not installed: {install}. {NO_SANDBOX}"
    version = subprocess.run(["bwrap", "--version"], capture_output=True, text=True).stdout.strip()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST:
        return f"The sandbox needs bubblewrap {OLDEST[0]}.{OLDEST[1]} or newer; this is {version!r}. {NO_SANDBOX}"
    try:
        probe = command([sys.executable, "-c", "import ipykernel_launcher"], Settings())
        done = subprocess.run(probe, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "The sandbox started and did not end within a minute."
    return None if done.returncode == 0 else f"The sandbox cannot start: {remedy(done.stderr)} {NO_SANDBOX}"


def remedy(stderr: str) -> str:
    """The remedy for an error of bubblewrap or of Python inside it."""
    last = " ".join(stderr.split()[-40:])
    if "bwrap:" not in stderr:
        return (
            "inside, an ordinary user must be able to read the Python environment and course_lib, and here that fails "
            f"({last}). Make them readable (`chmod -R go+rX`), or grade as their owner."
        )
    if APPARMOR.exists() and APPARMOR.read_text().strip() == "1":
        return (
            "this system (Ubuntu 24.04 and newer) lets only programs with an AppArmor profile make user namespaces. "
            f"Give it one: `printf '{PROFILE}' | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor`."
        )
    for name, (path, value) in SWITCHES.items():
        if Path(path).exists() and Path(path).read_text().strip() == "0":
            return f"user namespaces are switched off. As root: `sysctl {name}={value}`."
    return (
        f"{last}. In a container that happens where it may not make user namespaces: start it with `--privileged`, "
        "or grade outside."
    )
