"""The larger corpora, on small files of the same formats: sound, damaged, missing, and fetched without a network."""

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


def zipped(**texts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.txt", text)
    return content.getvalue()


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with two lines of each corpus, whose sums are the recorded ones; there is no network."""
    folder = tmp_path / "small"
    texts = {f"multi30k/{name}.gz": text for name, text in MULTI30K.items()} | {TATOEBA: CHINESE}
    contents = {name: gzip.compress(text.encode()) for name, text in texts.items()}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    settings = {"SHA256": sums, "TATOEBA_LINES": 2, "FOLDER": tmp_path / "fetched", "urlopen": None}
    for name, value in settings.items():
        monkeypatch.setattr(corpora, name, value)
    return folder


@pytest.fixture
def publishers(small, monkeypatch):
    """The publishers' answers, {address: content or exception}, to be changed by a test."""
    answers = {corpora.MULTI30K_URL + f"{name}.gz": (small / f"multi30k/{name}.gz").read_bytes() for name in MULTI30K}
    answers[corpora.TATOEBA_URL] = zipped(cmn=CHINESE)

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


def test_loaded(small):
    """Rejects swapped sides, one language for the other, another tokeniser, and attributions in a sentence."""
    german = [("ein hund läuft .", "a dog runs ."), ("zwei männer , die kochen .", "two men cooking .")]
    assert as_text(multi30k("de", "val", folder=small)) == german
    assert as_text(multi30k("fr", "val", folder=str(small)))[1] == ("deux hommes qui cuisinent .", "two men cooking .")
    assert as_text(tatoeba(folder=small)) == [("嗨 。", "hi ."), ("我 没 跑 。", "i didn't run .")]


def test_fetched_files_lie_in_the_checkout():
    """Rejects a folder that git does not ignore."""
    assert Path(__file__).resolve().parents[2] / ".data" == corpora.FOLDER


def test_what_is_not_there(small):
    """Rejects another language or split, fetching by default, and an error without the command."""
    for source, split in (("cs", "val"), ("de", "test")):
        with pytest.raises(ValueError, match="'de' or 'fr', split one of train, val, test_2016_flickr"):
            multi30k(source, split, folder=small)
    for load, name in ((multi30k, "train.de.gz"), (tatoeba, "cmn.txt.gz")):
        with pytest.raises(FileNotFoundError, match=rf"{name} is missing: `make data` .*`make data FROM=folder`"):
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
def test_damaged_files_raise(small, damage):
    """Rejects sentences from half a file, and errors that name no file and no cure."""
    loads = {"multi30k/val.en.gz": lambda: multi30k("fr", "val", small), TATOEBA: lambda: tatoeba(small)}
    for name, load in loads.items():
        path = small / name
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
        cause = "is damaged|is empty|has an empty line, number 3"
        with pytest.raises(ValueError, match=f"{path.name} ({cause}).*make data"):
            load()


def test_sides_and_columns_that_do_not_fit_raise(small):
    """Rejects zip(), which would drop the rest, and guessing which column is missing."""
    (small / "multi30k" / "val.en.gz").write_bytes(gzip.compress(b"A dog runs.\n"))
    with pytest.raises(ValueError, match="val has 2 lines in de, but 1 in en"):
        multi30k("de", "val", folder=small)
    (small / TATOEBA).write_bytes(gzip.compress(CHINESE.encode() + "Run.\t跑。\n".encode()))
    with pytest.raises(ValueError, match="three columns, but line 3 has 2"):
        tatoeba(folder=small)


def test_fetched_from_publishers(publishers, small, tmp_path, capsys):
    """Rejects other file names, Tatoeba left zipped, fetching sound files again, and keeping damaged ones."""
    folder = tmp_path / "fetched"
    fetch(folder)
    assert files_in(folder).keys() == corpora.SHA256.keys()
    assert multi30k("fr", "val", folder) == multi30k("fr", "val", small)
    assert tatoeba(folder) == tatoeba(small)
    whole, damaged = files_in(folder), "multi30k/val.en.gz"
    (folder / damaged).write_bytes(b"half")
    needed = {corpora.MULTI30K_URL + "val.en.gz"}
    publishers.update({url: AssertionError(f"{url} was there already") for url in publishers if url not in needed})
    capsys.readouterr()
    fetch(folder)
    assert files_in(folder) == whole
    written = [line for line in capsys.readouterr().out.splitlines() if "up to date" not in line]
    assert written == [f"{damaged}: {len(whole[damaged])} bytes"]


def test_copied_from_a_folder(small, tmp_path):
    """Rejects going to the network although a folder is given, another folder, and files that are not recorded."""
    main(["--from", str(small)])
    assert files_in(tmp_path / "fetched") == files_in(small)
    with pytest.raises(FileNotFoundError, match="the folder that holds multi30k/ and tatoeba/"):
        fetch(tmp_path / "copy", small / "multi30k")
    (small / TATOEBA).write_bytes(gzip.compress(CHINESE.encode() * 2))
    with pytest.raises(ValueError, match=r"cmn\.txt\.gz is not the recorded file"):
        fetch(tmp_path / "copy", small)
    assert not (tmp_path / "copy" / TATOEBA).exists()


REFUSED = "did not return the expected file|did not return a zip file"
BAD_ANSWERS = {
    "no network": (URLError("Name or service not known"), "could not fetch .*make data FROM=folder"),
    "too slow": (TimeoutError("timed out"), "could not fetch .*timed out"),
    "cut off": (b"\x1f\x8b", REFUSED),
    "an error page": (b"<html>", REFUSED),
    "another text": (gzip.compress(CHINESE.encode()), REFUSED),
    "another zip": (zipped(other=""), REFUSED),
}


@pytest.mark.parametrize("which", ["multi30k/val.fr.gz", TATOEBA])
@pytest.mark.parametrize("answer", BAD_ANSWERS)
def test_bad_answers_end_with_one_line(publishers, tmp_path, answer, which):
    """Rejects a traceback, a wrong or unfinished file in place, and losing the files that came before."""
    content, message = BAD_ANSWERS[answer]
    publishers[corpora.TATOEBA_URL if which == TATOEBA else corpora.MULTI30K_URL + "val.fr.gz"] = content
    with pytest.raises(SystemExit, match=message) as end:
        main([])
    assert "\n" not in str(end.value)
    names = [*corpora.SHA256]
    assert files_in(tmp_path / "fetched").keys() == {*names[: names.index(which)]}


def test_a_later_edition_of_tatoeba_needs_enough_lines(publishers, monkeypatch, tmp_path):
    """Rejects any text with three columns, and a limit that is one off."""
    monkeypatch.setitem(corpora.SHA256, TATOEBA, "another edition")
    fetch(tmp_path / "fetched")
    monkeypatch.setattr(corpora, "TATOEBA_LINES", 3)
    with pytest.raises(ValueError, match=r"cmn-eng\.zip did not return the expected file"):
        fetch(tmp_path / "fetched")


def test_the_real_files(tmp_path):
    """Rejects sums, counts or columns that are not those of the real corpora."""
    if not (REAL / TATOEBA).is_file():
        pytest.skip("the real corpora are not in ../shared/data beside the checkout")
    fetch(tmp_path, REAL)
    sizes = {split: len(multi30k("fr", split, tmp_path)) for split in corpora.SPLITS}
    assert sizes == {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000}
    german = multi30k("de", "test_2016_flickr", tmp_path)[0]
    assert " ".join(german.source) == "ein mann mit einem orangefarbenen hut , der etwas anstarrt ."
    assert " ".join(german.target) == "a man in an orange hat starring at something ."
    pairs = tatoeba(tmp_path)
    assert len(pairs) == 29_155
    assert all(pair.source and pair.target for pair in pairs)
