"""`make exercises`: generate exercises/, what students get, from solutions/, what authors write.

Each released notebook says what its cells are (own_copy.py), so that a student's copy can be brought up to the next
release. What somebody wrote in exercises/ by mistake is kept in work/ before it is overwritten.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from scripts.own_copy import with_record
from scripts.work import as_bytes, put, rescue

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
        for path in sorted(Path(course, "exercises").glob("*/*.ipynb")):
            notebook = with_record(nbformat.read(path, as_version=4))
            path.write_bytes(as_bytes(notebook))
        shutil.copytree(Path(course, "exercises"), target, dirs_exist_ok=True)


def contents(folder):
    """{relative path: bytes} of all files in a folder, line endings as Git stores them."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".ipynb_checkpoints" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in files}


def replace(folder, coming):
    """Let a folder hold {relative path: bytes} and nothing else; a file that is right already is not touched."""
    there = contents(folder)
    for name, data in coming.items():
        if there.get(name) != data:
            put(folder / name, data, (folder / name).read_bytes() if name in there else None)
    for name in there.keys() - coming.keys():
        (folder / name).unlink()
    for path in sorted(folder.rglob("*/"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def main(home=HOME):
    """Put what is generated in the place of exercises/; what somebody wrote there is kept in work/."""
    with tempfile.TemporaryDirectory() as made:
        generate(home, Path(made))
        coming = contents(Path(made))
    try:
        rescue(home, coming, print)
    except OSError as error:
        raise SystemExit(f"exercises/ is left as it is, since what is written there cannot be kept: {error}") from None
    replace(home / "exercises", coming)
    print(f"exercises/: {len(coming)} files")


if __name__ == "__main__":
    main()
