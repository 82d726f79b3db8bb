"""`make lock`: install the newest packages that fit pyproject.toml in a fresh environment; write requirements.lock."""

import json
import re
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import distributions
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
OURS = "course-lib"
TORCH = "torch==2.13.0"  # the course's numbers were made with it: change it together with them
BY_TORCH = ("cuda-", "nvidia-", "triton")  # torch's CUDA build for Linux pins these itself, its CPU build needs none
HEADER = """\
# Every version that the course was last run with. Written by `make lock`; read by pip in `make lab` and `make test`.
# One file for Linux, macOS and Windows: what not all of them need says so. (jupytext, an editing tool, is not needed.)
"""
PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "darwin": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "win32": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}
WHEELS = {"darwin": "macosx_14_0_arm64", "win32": "win_amd64"}  # where to look for what this machine does not install


def call(*command):
    """The standard output of a command that must succeed."""
    return subprocess.run(list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE, cwd=HOME).stdout


def plain(name):
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(platform, installed):
    """What course_lib and its extras need on a platform, directly or not: {name: version or, if not here, None}."""
    from packaging.requirements import Requirement  # in the fresh environment, where this function runs

    done, todo = {}, [(OURS, ("lab", "test", "site"))]
    while todo:
        name, extras = todo.pop()
        if (name, extras) in done or name.startswith(BY_TORCH):
            continue
        found = installed.get(name)
        done[name, extras] = found and found.version
        for need in map(Requirement, (found and found.requires) or ()):
            if not need.marker or any(need.marker.evaluate({**platform, "extra": extra}) for extra in (*extras, "")):
                todo.append((plain(need.name), tuple(sorted(need.extras))))
    return {name: version for (name, _), version in done.items() if name != OURS}


def newest(python, name, platform):
    """The newest version of a package that only other platforms than this machine's need."""
    elsewhere = ["--platform", WHEELS[platform], "--only-binary=:all:", "--target", tempfile.gettempdir()]
    report = call(python, "-m", "pip", "install", "-q", "--dry-run", "--no-deps", "--report=-", *elsewhere, name)
    return json.loads(report)["install"][0]["metadata"]["version"]


def marker(platforms):
    """Which platforms need the package, as pip reads it; nothing when all do."""
    if platforms == set(PLATFORMS):
        return ""
    if len(platforms) == 1:
        return f' ; sys_platform == "{min(platforms)}"'
    return f' ; sys_platform != "{min(set(PLATFORMS) - platforms)}"'


def lock_lines(needs, version_elsewhere):
    """The lines from {platform: {name: version}}; what an index adds to a version (torch's +cpu) is left out."""
    for name in sorted({name for need in needs.values() for name in need}):
        platforms = {platform for platform, need in needs.items() if name in need}
        known = next((need[name] for need in needs.values() if need.get(name)), None)
        yield f"{name}=={(known or version_elsewhere(name, min(platforms))).split('+')[0]}{marker(platforms)}"


def main():
    """Make the environment, ask it what it has, write the lock."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        call(python, "-m", "pip", "install", "-q", TORCH, "-e", f"{HOME}[lab,test,site]")
        needs = json.loads(call(python, "-I", __file__, "needs"))
        lines = list(lock_lines(needs, lambda name, platform: newest(python, name, platform)))
    (HOME / "requirements.lock").write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["needs"]:
        here = {plain(found.name): found for found in distributions()}
        print(json.dumps({name: needed(platform, here) for name, platform in PLATFORMS.items()}))
    else:
        main()
