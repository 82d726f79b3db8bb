"""The larger corpora, on small files of the same formats: whole, damaged, missing, and fetched without a network."""

import gzip
import hashlib
import io
import zipfile
from pathlib import Path
from urllib.error import URLError

import pytest

from course_lib.data import corpora
from course_lib.data.corpora import TATOEBA, fetch, main, multi30k, tatoeba

REAL = Path(__file__).parents[3] / "shared" / "data"
CREDIT = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CK) & #2 (Martha)"
MULTI30K = {
    "val.de": "Ein Hund läuft.\nZwei Männer, die kochen.\n",
    "val.fr": "Un chien court.\nDeux hommes qui cuisinent.\n",
    "val.en": "A dog runs.\nTwo men cooking.\n",
}
CHINESE = f"Hi.\t嗨。\t{CREDIT}\nI didn't run.\t我没跑。\t{CREDIT}\n"


@pytest.fixture
def small(tmp_path):
    """A folder with two lines of each corpus."""
    (tmp_path / "multi30k").mkdir()
    (tmp_path / "tatoeba").mkdir()
    for name, text in MULTI30K.items():
        (tmp_path / "multi30k" / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / TATOEBA).write_bytes(gzip.compress(CHINESE.encode()))
    return tmp_path


@pytest.fixture
def recorded(small, monkeypatch):
    """The same folder, and the sums in the code are those of its files; two lines of Tatoeba are enough."""
    names = [f"multi30k/{name}.gz" for name in MULTI30K] + [TATOEBA]
    sums = {name: hashlib.sha256((small / name).read_bytes()).hexdigest() for name in names}
    monkeypatch.setattr(corpora, "SHA256", sums)
    monkeypatch.setattr(corpora, "TATOEBA_LINES", 2)
    return small


@pytest.fixture
def publishers(recorded, monkeypatch):
    """The publishers, without a network: {address: content}, to be changed by a test; content may be an exception."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("cmn.txt", CHINESE)
    answers = {
        corpora.MULTI30K_URL + f"{name}.gz": (recorded / f"multi30k/{name}.gz").read_bytes() for name in MULTI30K
    }
    answers[corpora.TATOEBA_URL] = zipped.getvalue()

    def urlopen(request, timeout):
        answer = answers[request.full_url]
        if isinstance(answer, Exception):
            raise answer
        return io.BytesIO(answer)

    monkeypatch.setattr(corpora, "urlopen", urlopen)
    return answers


def as_text(pairs):
    return [(" ".join(pair.source), " ".join(pair.target)) for pair in pairs]


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_multi30k(small):
    """Rejects swapped sides, one language for the other, and words that went through another tokeniser."""
    assert as_text(multi30k("de", "val", folder=small)) == [
        ("ein hund läuft .", "a dog runs ."),
        ("zwei männer , die kochen .", "two men cooking ."),
    ]
    assert as_text(multi30k("fr", "val", folder=str(small)))[1] == ("deux hommes qui cuisinent .", "two men cooking .")


def test_tatoeba(small):
    """Rejects English as the source, and attributions that end up in a sentence."""
    assert as_text(tatoeba(folder=small)) == [("嗨 。", "hi ."), ("我 没 跑 。", "i didn't run .")]


@pytest.mark.parametrize(("source", "split"), [("cs", "val"), ("de", "test")])
def test_what_multi30k_has_not(small, source, split):
    """Rejects looking for a file that was never offered."""
    with pytest.raises(ValueError, match="from 'de' or 'fr', in train, val, test_2016_flickr"):
        multi30k(source, split, folder=small)


@pytest.mark.parametrize("load", [multi30k, tatoeba])
def test_missing_files_name_the_command(tmp_path, monkeypatch, load):
    """Rejects fetching by default, and an error that does not say how to get the files."""
    monkeypatch.setattr(corpora, "FOLDER", tmp_path)
    monkeypatch.setattr(corpora, "urlopen", None)
    with pytest.raises(FileNotFoundError, match=r"is not there: `make data` .*`make data FROM=folder`"):
        load()


DAMAGE = {
    "cut off": lambda whole: whole[: len(whole) // 2],
    "one byte wrong": lambda whole: whole[:-6] + bytes([whole[-6] ^ 255]) + whole[-5:],
    "garbled": lambda whole: whole[:10] + b"\x07" + whole[11:],
    "not compressed": gzip.decompress,
    "no bytes": lambda whole: b"",
    "no text": lambda whole: gzip.compress(b"\n\n"),
    "not UTF-8": lambda whole: gzip.compress(b"\xff\xfe\n"),
    "an empty line": lambda whole: gzip.compress(gzip.decompress(whole) + b"\nlast\n"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files(small, damage):
    """Rejects sentences read from half a file, and errors that name no file and no cure."""
    for name, load in {
        "multi30k/val.en.gz": lambda: multi30k("fr", "val", small),
        TATOEBA: lambda: tatoeba(small),
    }.items():
        path = small / name
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
        with pytest.raises(
            ValueError, match=f"{path.name} (is damaged|is empty|has an empty line, number 3).*make data"
        ):
            load()


def test_sides_of_different_length(small):
    """Rejects zip(), which would silently shift or drop the rest."""
    (small / "multi30k" / "val.en.gz").write_bytes(gzip.compress(b"A dog runs.\n"))
    with pytest.raises(ValueError, match="val has 2 lines in de, 1 in en, so they are not pairs"):
        multi30k("de", "val", folder=small)


def test_tatoeba_without_attribution(small):
    """Rejects guessing which column is missing."""
    (small / TATOEBA).write_bytes(gzip.compress(CHINESE.encode() + "Run.\t跑。\n".encode()))
    with pytest.raises(ValueError, match="three columns: line 3 has 2"):
        tatoeba(folder=small)


def test_fetched_from_publishers(publishers, recorded, tmp_path, capsys):
    """Rejects files under other names, Tatoeba left zipped, fetching again what is right, and keeping what is wrong."""
    folder = tmp_path / "fetched"
    fetch(folder)
    assert files_in(folder).keys() == corpora.SHA256.keys()
    assert multi30k("fr", "val", folder) == multi30k("fr", "val", recorded)
    assert tatoeba(folder) == tatoeba(recorded)

    whole = files_in(folder)
    damaged = "multi30k/val.en.gz"
    (folder / damaged).write_bytes(b"half")
    needed = {corpora.MULTI30K_URL + "val.en.gz"}
    publishers.update({url: AssertionError(f"{url} was there already") for url in publishers if url not in needed})
    capsys.readouterr()
    fetch(folder)
    assert files_in(folder) == whole
    assert [line for line in capsys.readouterr().out.splitlines() if "already there" not in line] == [
        f"{damaged}: {len(whole[damaged])} bytes"
    ]


def test_copied_from_a_folder(recorded, tmp_path, monkeypatch):
    """Rejects going to the network although a folder is given."""
    monkeypatch.setattr(corpora, "urlopen", None)
    monkeypatch.setattr(corpora, "FOLDER", tmp_path / "copy")
    main(["--from", str(recorded)])
    assert files_in(tmp_path / "copy") == {name: (recorded / name).read_bytes() for name in corpora.SHA256}


BAD_ANSWERS = {
    "no network": (URLError("Name or service not known"), "could not fetch .*make data FROM=folder"),
    "too slow": (TimeoutError("timed out"), "could not fetch .*timed out"),
    "cut off": (b"\x1f\x8b", "not the file expected|not a zip file"),
    "an error page": (b"<html>", "not the file expected|not a zip file"),
    "another text": (gzip.compress(CHINESE.encode()), "not the file expected|not a zip file"),
}


@pytest.mark.parametrize("which", ["multi30k/val.fr.gz", TATOEBA])
@pytest.mark.parametrize("answer", BAD_ANSWERS)
def test_bad_answers(publishers, tmp_path, monkeypatch, answer, which):
    """Rejects a traceback, a wrong or unfinished file left in place, and losing the files that came well."""
    content, message = BAD_ANSWERS[answer]
    url = corpora.TATOEBA_URL if which == TATOEBA else corpora.MULTI30K_URL + "val.fr.gz"
    publishers[url] = content
    monkeypatch.setattr(corpora, "FOLDER", tmp_path / "fetched")
    with pytest.raises(SystemExit, match=message) as end:
        main([])
    assert "\n" not in str(end.value)
    names = [*corpora.SHA256]
    assert files_in(tmp_path / "fetched").keys() == {*names[: names.index(which)]}


def test_too_little_of_tatoeba(publishers, monkeypatch, tmp_path):
    """Rejects taking any text with three columns for the corpus."""
    monkeypatch.setattr(corpora, "TATOEBA_LINES", 3)
    monkeypatch.setitem(corpora.SHA256, TATOEBA, "another edition")
    with pytest.raises(ValueError, match=r"cmn-eng\.zip is not the file expected"):
        fetch(tmp_path / "fetched")


def test_zip_without_the_text(publishers, tmp_path):
    """Rejects a KeyError from inside zipfile."""
    zipped = io.BytesIO()
    zipfile.ZipFile(zipped, "w").close()
    publishers[corpora.TATOEBA_URL] = zipped.getvalue()
    with pytest.raises(ValueError, match=r"not a zip file with cmn\.txt"):
        fetch(tmp_path / "fetched")


def test_bad_folders(recorded, tmp_path):
    """Rejects copying what is not the recorded file, and an unclear error for a folder of another layout."""
    with pytest.raises(FileNotFoundError, match="give the folder that holds multi30k/ and tatoeba/"):
        fetch(tmp_path / "copy", recorded / "multi30k")
    (recorded / TATOEBA).write_bytes(gzip.compress(CHINESE.encode() * 2))
    with pytest.raises(ValueError, match=r"cmn\.txt\.gz is not the recorded file"):
        fetch(tmp_path / "copy", recorded)
    assert not (tmp_path / "copy" / TATOEBA).exists()


def test_the_real_files(tmp_path):
    """Rejects sums, counts or columns that are not those of the real corpora."""
    if not (REAL / TATOEBA).is_file():
        pytest.skip("the real corpora are not in ../shared/data beside the checkout")
    fetch(tmp_path, REAL)
    sizes = {split: len(multi30k("fr", split, tmp_path)) for split in corpora.SPLITS}
    assert sizes == {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}
    german = multi30k("de", "test_2016_flickr", tmp_path)[0]
    assert as_text([german]) == [
        (
            "ein mann mit einem orangefarbenen hut , der etwas anstarrt .",
            "a man in an orange hat starring at something .",
        )
    ]
    pairs = tatoeba(tmp_path)
    assert len(pairs) == 29_155
    assert all(pair.source and pair.target for pair in pairs)
