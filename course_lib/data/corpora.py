"""Larger real corpora, on request: Multi30k (German–English, French–English) and Tatoeba (Chinese–English).

    make data                  fetches them from their publishers into .data/ of the checkout
    make data FROM=folder      copies them from a folder of the same layout

The course does not need them, fetches them only on request, and does not pass them on: see NOTICE.md for licences. Each
file must have its recorded SHA-256. Only Tatoeba is repacked by its publisher from time to time; a later edition must
have at least 25,000 lines of three columns.
"""

import argparse
import gzip
import hashlib
import http.client
import io
import sys
import zipfile
import zlib
from pathlib import Path
from urllib.request import Request, urlopen

from course_lib.data.interface import tokenise
from course_lib.data.pairs import Pair

FOLDER = Path(__file__).resolve().parents[2] / ".data"
SPLITS = ("train", "val", "test_2016_flickr")
TATOEBA = "tatoeba/cmn.txt.gz"
SHA256 = {
    "multi30k/test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "multi30k/test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "multi30k/test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
    "multi30k/train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "multi30k/train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "multi30k/train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "multi30k/val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "multi30k/val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "multi30k/val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    TATOEBA: "a7a213917adb1286bd154ad7eb5af56a51535ebe610f23bff9370b296693e626",
}
TATOEBA_LINES = 25_000  # at least
TATOEBA_URL = "https://www.manythings.org/anki/cmn-eng.zip"
MULTI30K_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
CURE = "`make data` fetches it from its publisher, `make data FROM=folder` copies it from a folder"


def multi30k(source: str = "de", split: str = "train", folder: str | Path | None = None) -> list[Pair]:
    """Descriptions of photographs, German ("de") or French ("fr") to English, in the order of the file.

    `split` is "train" (29,000 pairs), "val" (1,014) or "test_2016_flickr" (1,000); `folder` replaces `.data/`.
    Raises: ValueError for another language or split, for damaged files, or sides that differ in length;
    FileNotFoundError if a file is missing.
    Source: Elliott et al. 2016; French: Elliott et al. 2017.
    """
    if source not in ("de", "fr") or split not in SPLITS:
        raise ValueError(f"source must be 'de' or 'fr', split one of {', '.join(SPLITS)}, got {source!r}, {split!r}")
    home = Path(folder or FOLDER) / "multi30k"
    foreign, english = _lines(home / f"{split}.{source}.gz"), _lines(home / f"{split}.en.gz")
    if len(foreign) != len(english):
        raise ValueError(f"{home}: {split} has {len(foreign)} lines in {source}, but {len(english)} in en: {CURE}")
    return [Pair(tokenise(one), tokenise(other)) for one, other in zip(foreign, english, strict=True)]


def tatoeba(folder: str | Path | None = None) -> list[Pair]:
    """Everyday sentences, Chinese to English, short ones first; some occur several times, with other translations.

    The third column of the file attributes each sentence, as its licence (CC-BY 2.0 France) requires.
    Raises: ValueError for a damaged file, FileNotFoundError for a missing one.
    """
    path = Path(folder or FOLDER) / TATOEBA
    return [Pair(tokenise(chinese), tokenise(english)) for english, chinese, _ in _rows(_lines(path), path)]


def fetch(folder: Path, origin: Path | None = None) -> None:
    """Fetch every missing or damaged file into the folder, from its publisher or from the folder `origin`.

    A file is put in place only after it was checked. Prints a line for each file.
    Raises: ValueError for a file with another content, ConnectionError, FileNotFoundError.
    """
    for name in SHA256:
        path = folder / name
        if path.is_file() and _is_right(name, path.read_bytes()):
            print(f"{name}: up to date")
            continue
        content = _download(name) if origin is None else _copy(name, origin)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_bytes(content)
        unfinished.replace(path)
        print(f"{name}: {len(content):,} bytes")


def _lines(path: Path) -> list[str]:
    """The lines of a compressed text file, none of them empty."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: {CURE}")
    return _unpacked(path.read_bytes(), path)


def _unpacked(content: bytes, path: Path | str) -> list[str]:
    try:
        text = gzip.decompress(content).decode("utf-8")
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged ({error}): {CURE}") from error
    if not text.strip():
        raise ValueError(f"{path} is empty: {CURE}")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    gap = next((number for number, line in enumerate(lines, start=1) if not line.strip()), None)
    if gap:
        raise ValueError(f"{path} has an empty line, number {gap}: {CURE}")
    return lines


def _rows(lines: list[str], path: Path | str) -> list[list[str]]:
    """Lines of Tatoeba, split into English, Chinese and attribution."""
    rows = [line.split("\t") for line in lines]
    wrong = next((number for number, row in enumerate(rows, start=1) if len(row) != 3), None)
    if wrong:
        raise ValueError(f"{path} must have three columns, but line {wrong} has {len(rows[wrong - 1])}: {CURE}")
    return rows


def _is_right(name: str, content: bytes) -> bool:
    """Whether this is the recorded file, or a later edition of Tatoeba."""
    if hashlib.sha256(content).hexdigest() == SHA256[name]:
        return True
    if name != TATOEBA:
        return False
    try:
        return len(_rows(_unpacked(content, name), name)) >= TATOEBA_LINES
    except ValueError:
        return False


def _copy(name: str, origin: Path) -> bytes:
    if not (origin / name).is_file():
        raise FileNotFoundError(
            f"{origin} has no file {name}: FROM must be the folder that holds multi30k/ and tatoeba/"
        )
    content = (origin / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256[name]:
        raise ValueError(f"{origin / name} is not the recorded file, its SHA-256 differs: `make data` fetches that")
    return content


def _download(name: str) -> bytes:
    url = TATOEBA_URL if name == TATOEBA else MULTI30K_URL + name.removeprefix("multi30k/")
    try:
        with urlopen(Request(url, headers={"User-Agent": "course-lib"}), timeout=60) as answer:
            content = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionError(
            f"could not fetch {url} ({error}): try again later, or copy the files with `make data FROM=folder`"
        ) from error
    if name == TATOEBA:
        content = _repacked(content, url)
    if not _is_right(name, content):
        raise ValueError(f"{url} did not return the expected file ({len(content)} bytes); nothing was written")
    return content


def _repacked(archive: bytes, url: str) -> bytes:
    """The text of Tatoeba's zip file, compressed as the loader reads it."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            return gzip.compress(packed.read("cmn.txt"), mtime=0)
    except (zipfile.BadZipFile, KeyError, zlib.error) as error:
        raise ValueError(f"{url} did not return a zip file with cmn.txt in it: {error}") from error


def main(arguments: list[str] | None = None) -> None:
    """The command behind `make data`: fetch, or exit with one line that says why not."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.data.corpora", description="Fetch the larger corpora.")
    parser.add_argument("--from", dest="origin", type=Path, help="copy from this folder, not from the publishers")
    try:
        fetch(FOLDER, parser.parse_args(arguments).origin)
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
