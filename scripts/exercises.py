"""`make exercises`: generate exercises/, what students get, from solutions/, what authors write."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
SETTINGS = "nbgrader_config.py"


def generate(home, target):
    """Write into the folder `target` what exercises/ must be for the solutions/ in `home`."""
    with tempfile.TemporaryDirectory() as course:
        shutil.copy(home / SETTINGS, course)
        if not list((home / "solutions").glob("*/*.ipynb")):
            target.mkdir(parents=True, exist_ok=True)
            return
        shutil.copytree(home / "solutions", Path(course, "solutions"))
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", "--assignment=*", "--force", "--no-db"]
        done = subprocess.run(command, cwd=course, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"nbgrader could not make the exercises:\n{done.stderr}")
        shutil.copytree(Path(course, "exercises"), target, dirs_exist_ok=True)


def contents(folder):
    """{relative path: bytes} of all files in a folder, line endings as Git stores them."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".ipynb_checkpoints" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in files}


def main():
    """Put what is generated in the place of exercises/."""
    with tempfile.TemporaryDirectory() as made:
        generate(HOME, Path(made))
        shutil.rmtree(HOME / "exercises", ignore_errors=True)
        shutil.copytree(made, HOME / "exercises")
    print(f"exercises/: {len(contents(HOME / 'exercises'))} files")


if __name__ == "__main__":
    main()
