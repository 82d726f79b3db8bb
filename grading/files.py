"""All files of a folder or a zip archive, including those in archives inside it."""

import io
import os
import re
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .reading import MAX_FILE_BYTES, UnreadableSubmission

DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError)


class Problem(Exception):
    """Why a class cannot be graded, and the remedy."""


@dataclass(frozen=True)
class File:
    """A file: its path in the folder or archive, its date (year, month, …), and a function that reads it.

    `read` raises UnreadableSubmission with the reason.
    """

    parts: tuple[str, ...]
    written: tuple[int, ...]
    read: Callable[[], bytes]

    @property
    def path(self) -> str:
        """The path as text."""
        return "/".join(self.parts)


def files(source: Path) -> Iterator[File]:
    """All files of a folder or an archive, except hidden ones and those of macOS.

    Raises Problem if the folder or the archive itself cannot be opened.
    """
    found = in_folder(source) if source.is_dir() else in_archive(source.open("rb"), ())
    return (file for file in found if not any(part.startswith((".", "__MACOSX")) for part in file.parts))


def in_folder(folder: Path) -> Iterator[File]:
    """The files below a folder. Symbolic links are not followed."""
    for place, folders, names in os.walk(folder, onerror=raise_problem):
        folders.sort()
        linked = [name for name in folders if Path(place, name).is_symlink()]
        for name in sorted([*names, *linked]):
            path = Path(place, name)
            about = path.lstat()
            written = time.gmtime(about.st_mtime)[:6]
            file = File(path.relative_to(folder).parts, written, lambda path=path, about=about: content(path, about))
            yield from opened(file) if stat.S_ISREG(about.st_mode) else [file]


def raise_problem(error: OSError) -> None:
    """Raise Problem for a folder that cannot be opened, which os.walk would skip silently."""
    raise Problem(f"{error.filename} cannot be opened: {error.strerror}.")


def content(path: Path, about: os.stat_result) -> bytes:
    """The bytes of a regular file."""
    if stat.S_ISLNK(about.st_mode):
        raise UnreadableSubmission(f"{path.name} is a symbolic link: not followed.")
    if not stat.S_ISREG(about.st_mode):
        raise UnreadableSubmission(f"{path.name} is not a regular file.")
    check_size(path.name, about.st_size)
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableSubmission(f"{path.name} cannot be read: {error.strerror}.") from None


def check_size(name: str, size: int) -> None:
    """Raise UnreadableSubmission for a file that is too large."""
    if size > MAX_FILE_BYTES:
        raise UnreadableSubmission(f"{name} is too large ({size >> 20} MB).")


def opened(file: File) -> Iterator[File]:
    """The files in this file if it is an archive, else the file itself."""
    if not file.parts[-1].lower().endswith(".zip"):
        yield file
        return
    try:
        yield from list(in_archive(io.BytesIO(file.read()), (*file.parts[:-1], file.parts[-1][:-4])))
    except (Problem, UnreadableSubmission):
        yield file


def in_archive(archive: io.BufferedIOBase, above: tuple[str, ...]) -> Iterator[File]:
    """The files in an archive and in the archives inside it, but no deeper."""
    try:
        members = zipfile.ZipFile(archive).infolist()
    except DAMAGED as error:
        raise Problem(f"The archive is damaged: {error}.") from None
    for member in members:
        parts = tuple(part for part in re.split(r"[/\\]", member.filename) if part not in ("", ".", ".."))
        if parts and not member.is_dir():
            file = File((*above, *parts), member.date_time, lambda member=member: unpacked(archive, member))
            yield from [file] if above else opened(file)


def unpacked(archive: io.BufferedIOBase, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member of an archive, at most the limit, whatever its header says."""
    if stat.S_ISLNK(member.external_attr >> 16):
        raise UnreadableSubmission(f"{member.filename} is a symbolic link: not followed.")
    try:
        with zipfile.ZipFile(archive) as whole, whole.open(member) as file:
            found = file.read(MAX_FILE_BYTES + 1)
    except DAMAGED as error:
        raise UnreadableSubmission(f"{member.filename} cannot be taken out of the archive: {error}.") from None
    check_size(member.filename, len(found))
    return found
