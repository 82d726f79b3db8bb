"""`make work`: copy the exercises into work/, which belongs to the student.

A copy of each release lies in work/.released/. When exercises/ has a newer one, it replaces a file that the student has
not changed, and else is put beside it under another name. A file with answers is never written to.
"""

from itertools import chain, count
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def write(path: Path, data: bytes) -> None:
    """Write a file, and make its folder where necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def put_beside(own: Path, release: bytes) -> Path:
    """Write a release beside the student's file, under the first free name: `NN (new).ipynb`, `NN (new 2).ipynb`, …"""
    names = chain([own.with_stem(f"{own.stem} (new)")], (own.with_stem(f"{own.stem} (new {n})") for n in count(2)))
    path = next(name for name in names if not name.exists() or name.read_bytes() == release)
    write(path, release)
    return path


def bring(home: Path, name: str) -> str:
    """Bring exercises/`name` into work/; return what happened, in words, or an empty string."""
    release, own = (home / "exercises" / name).read_bytes(), home / "work" / name
    pristine = home / "work" / ".released" / name
    before = pristine.read_bytes() if pristine.exists() else None
    if not own.exists():
        write(own, release)
        said = f"work/{name}: new"
    elif own.read_bytes() == release or before == release:
        said = ""
    elif own.read_bytes() == before:
        write(own, release)
        said = f"work/{name}: replaced by the new version (you had not changed it)"
    else:
        said = f"work/{name}: your answers are as they were; the new version is in {put_beside(own, release).name}"
    if before != release:
        write(pristine, release)
    return said


def main(home: Path = HOME) -> None:
    """Bring all exercises into work/, and print a line for each that is new or has changed."""
    for path in sorted((home / "exercises").rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts and (said := bring(home, path.relative_to(home / "exercises"))):
            print(said)


if __name__ == "__main__":
    main()
