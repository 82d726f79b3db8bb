"""`make exercises`: generate exercises/, what students get, from solutions/, what authors write."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def generate(home: Path, target: Path) -> None:
    """Write into the folder `target` what exercises/ must be for the solutions/ in `home`."""
    with tempfile.TemporaryDirectory() as course:
        shutil.copy(home / "nbgrader_config.py", course)
        shutil.copytree(home / "solutions", Path(course, "solutions"))
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", "--assignment=*", "--force", "--no-db"]
        done = subprocess.run(command, cwd=course, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"nbgrader could not make the exercises:\n{done.stderr}")
        shutil.copytree(Path(course, "exercises"), target, dirs_exist_ok=True)


def contents(folder: Path) -> dict[str, bytes]:
    """{relative path: bytes} of all files in a folder, line endings as Git stores them."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".ipynb_checkpoints" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in files}


def main(home: Path = HOME) -> None:
    """Replace exercises/ by what is generated."""
    with tempfile.TemporaryDirectory() as made:
        generate(home, Path(made))
        shutil.rmtree(home / "exercises", ignore_errors=True)
        shutil.copytree(made, home / "exercises")


if __name__ == "__main__":
    main()
