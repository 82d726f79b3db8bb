"""`make work` on a student's disk: files come, news come in, and nothing that the student wrote is lost on the way."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell

from scripts import work

from .test_own_copy import exercise, find, release

ONE, TWO = "00_words/00_words.ipynb", "01_sentences/01_sentences.ipynb"
POSIX = pytest.mark.skipif(os.name != "posix", reason="file rights and links as POSIX has them")


def write(path, notebook):
    """Write a notebook."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(work.as_bytes(notebook))


def course(home, *exercises):
    """Release two notebooks with these exercises."""
    for name in (ONE, TWO):
        write(home / "exercises" / name, release(*exercises))


def answer(path, name="a", source="def a():\n    return 1"):
    """Answer an exercise in this file."""
    notebook = nbformat.read(path, as_version=4)
    find(notebook, name).source = source
    write(path, notebook)


def everything(folder):
    """{path: (bytes, time)} of all files in a folder, the hidden ones too."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def home(tmp_path):
    """A course with two notebooks of two exercises."""
    course(tmp_path, exercise("a"), exercise("b"))
    return tmp_path


@pytest.fixture
def make(home, capsys):
    """A function that runs `make work` and returns its status, and the lines it says."""

    def run(*words):
        status = work.main(*words, home=home)
        said = capsys.readouterr()
        return status, (said.out + said.err).splitlines()

    return run


@pytest.fixture
def mine(home, make):
    """The student's copy of the first notebook, with an answer."""
    make()
    answer(home / "work" / ONE)
    return home / "work" / ONE


def source(path, name):
    """What a cell of a file says."""
    return find(nbformat.read(path, as_version=4), name).source


# ── The first time, the second, a new release ─────────────────────────────────────────────────────────────────────────


def test_what_is_missing_is_copied(home, make):
    """Rejects a copy that differs from the release."""
    assert make() == (0, [f"work/{ONE}: your copy", f"work/{TWO}: your copy"])
    for name in (ONE, TWO):
        assert (home / "work" / name).read_bytes() == (home / "exercises" / name).read_bytes()


def test_where_nothing_changed_nothing_is_written(home, mine, make):
    """Rejects a program that writes files anew, or keeps copies of what has not changed."""
    before = everything(home)
    assert make("quietly") == (0, [])
    status, (said,) = make()
    assert status == 0
    assert "answers are as you left them" in said
    assert everything(home) == before


def test_a_new_release_comes_in_and_the_file_as_it_was_is_kept(home, mine, make):
    """Rejects a program without a way back, or one that does not say what it did."""
    before = mine.read_bytes()
    course(home, exercise("a", check="check(a, 2)"), exercise("new"), exercise("b"))
    status, said = make()
    kept = home / "work" / ".before" / "00_words" / "00_words_1.ipynb"
    assert status == 0
    assert said[0] == (
        f"work/{ONE}: 3 cells new; 1 cell with another text (the file as it was: {kept.relative_to(home).as_posix()})"
    )
    assert "Reload Notebook from Disk" in said[-1]
    assert kept.read_bytes() == before
    assert source(mine, "a") == "def a():\n    return 1"
    assert source(mine, "a-check") == "check(a, 2)"
    assert make("quietly") == (0, [])


def test_what_was_kept_is_never_overwritten(home, mine, make):
    """Rejects a single backup, which the second release would overwrite."""
    versions = []
    for number in range(3):
        versions.append(mine.read_bytes())
        course(home, exercise("a", task=f"Version {number}"), exercise("b"))
        make()
    kept = sorted((home / "work" / ".before" / "00_words").iterdir())
    assert [path.read_bytes() for path in kept] == versions


def test_an_answer_to_a_gone_exercise_is_named(home, mine, make):
    """Rejects a program that moves an answer without a word."""
    course(home, exercise("b"))
    assert "`a` is no longer in the course: what you wrote there stands at the end" in make()[1][0]


def test_files_of_the_student_are_left_alone(home, mine, make):
    """Rejects a program that cleans up: in work/, or in a notebook that the course does not have any more."""
    (mine.parent / "notes.txt").write_text("mine")
    shutil.copy(mine, mine.parent / "old_exercise.ipynb")
    shutil.rmtree(home / "exercises" / "00_words")
    before = everything(home / "work")
    assert make("quietly") == (0, [])
    assert everything(home / "work") == before


def test_files_beside_a_notebook_come_once(home, make):
    """Rejects a program that leaves a picture behind, and one that overwrites the student's table each time."""
    (home / "exercises" / "00_words" / "table.csv").write_text("1")
    make()
    table = home / "work" / "00_words" / "table.csv"
    assert table.read_text() == "1"
    table.write_text("2")
    make()
    assert table.read_text() == "2"


def test_an_exercise_that_nbgrader_alone_made(home, make):
    """Rejects a copy that does not know what it is a copy of: a later release would come twice."""
    notebook = release(exercise("a"))
    del notebook.metadata["released"]
    write(home / "exercises" / ONE, notebook)
    make()
    assert make("quietly") == (0, [])
    write(home / "exercises" / ONE, release(exercise("a", task="Clearer")))
    make()
    assert len(nbformat.read(home / "work" / ONE, as_version=4).cells) == 4


def test_an_old_format_is_read(home, make):
    """Rejects a program that knows only notebooks whose cells have ids."""
    notebook = nbformat.read(home / "exercises" / ONE, as_version=4)
    find(notebook, "a").source = "def a():\n    return 1"
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4
    write(home / "work" / ONE, notebook)
    course(home, exercise("a", check="check(a, 2)"), exercise("b"))
    assert make()[0] == 0
    assert source(home / "work" / ONE, "a") == "def a():\n    return 1"
    assert source(home / "work" / ONE, "a-check") == "check(a, 2)"


def test_two_cells_with_one_id(home, make, mine):
    """Rejects a notebook that JupyterLab finds damaged: another editor copies cells with their ids."""
    notebook = nbformat.read(mine, as_version=4)
    note = new_markdown_cell("A note", id="mine")
    notebook.cells += [note, note]
    mine.write_text(json.dumps(notebook), encoding="utf-8")
    course(home, exercise("a", task="News"), exercise("b"))
    assert make()[0] == 0
    cells = nbformat.read(mine, as_version=4).cells
    assert [cell.source for cell in cells[-2:]] == ["A note", "A note"]
    assert len({cell.id for cell in cells}) == len(cells)


# ── Where something is wrong ──────────────────────────────────────────────────────────────────────────────────────────

BROKEN = [
    b"",
    b"{",
    b"\xff\xfe\x00",
    b"[]",
    b"null",
    b'{"cells": 1, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    b'{"cells": [{"cell_type": "code"}], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    b'{"cells": [], "nbformat": 9, "nbformat_minor": 5, "metadata": {}}',
    b'{"cells": [], "nbformat": "x", "nbformat_minor": 5, "metadata": {}}',
    b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {"a": ' + b"[" * 9999 + b"]" * 9999 + b"}}",
    b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> main\n",
]
BROKEN.append(BROKEN[6].replace(b'"code"', b'"markdown", "id": "a", "metadata": {}'))  # a cell without a text
MARKS = '{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {"nbgrader": 1}, "source": ""}], %s}'
BROKEN.append((MARKS % '"nbformat": 4, "nbformat_minor": 5, "metadata": {}').encode())


@pytest.mark.parametrize("data", BROKEN)
def test_a_file_that_cannot_be_read_is_left_alone_and_named(home, make, mine, data):
    """Rejects a program that stops at it, and one that puts a fresh copy over it."""
    mine.write_bytes(data)
    course(home, exercise("a"), exercise("b", task="News"))
    status, said = make()
    assert status == 1
    assert mine.read_bytes() == data
    assert [line for line in said if line.startswith(f"work/{ONE} cannot be read, and is left alone (")]
    assert source(home / "work" / TWO, "b-task") == "News"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_file_as_it_was(home, make, mine, monkeypatch, error):
    """Rejects a program that empties the file before it writes it."""
    before = mine.read_bytes()
    course(home, exercise("a", task="News"), exercise("b"))

    def fail(*names):
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", fail)
        with pytest.raises(KeyboardInterrupt) if isinstance(error, KeyboardInterrupt) else contextlib.nullcontext():
            status, said = make()
            assert status == 1
            assert f"work/{ONE} cannot be written: No space left on device" in said
    assert mine.read_bytes() == before
    assert {path.name for path in mine.parent.iterdir()} == {"00_words.ipynb"}
    assert make()[0] == 0
    assert source(mine, "a-task") == "News"


def test_a_file_that_is_saved_at_this_very_moment_is_left_alone(home, make, mine, monkeypatch):
    """Rejects a program that overwrites what JupyterLab has saved since it read the file."""
    course(home, exercise("a", task="News"), exercise("b"))

    def save_meanwhile(release, own):
        answer(mine, "b", "def b():\n    return 'just saved'")
        return real(release, own)

    real = work.renewed
    with monkeypatch.context() as busy:
        busy.setattr(work, "renewed", save_meanwhile)
        status, said = make()
    assert status == 1
    assert any("run make work again" in line for line in said)
    assert make()[0] == 0
    assert source(mine, "b") == "def b():\n    return 'just saved'"
    assert source(mine, "a-task") == "News"


@contextlib.contextmanager
def as_an_ordinary_user(folder):
    """Be a user whom file rights stop: root is somebody else for a while."""
    if os.geteuid():
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@POSIX
def test_work_that_may_not_be_written(make):
    """Rejects a traceback, and a file that is half there."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # whose parents everybody may enter, unlike TMPDIR's
    try:
        course(folder, exercise("a"))
        work.main(home=folder)
        course(folder, exercise("a", task="News"))
        before = everything(folder)
        with as_an_ordinary_user(folder):
            for path in (folder / "work", *(folder / "work").rglob("*/")):
                path.chmod(0o555)
            said = []
            problems = work.bring_all(folder, said.append)
            for path in (folder / "work", *(folder / "work").rglob("*/")):
                path.chmod(0o755)
        assert everything(folder) == before
        assert said == []
        assert problems == [f"work/{name} cannot be written: Permission denied" for name in (ONE, TWO)]
    finally:
        shutil.rmtree(folder)


def test_work_that_is_a_file(home, make):
    """Rejects a traceback, and a program that removes the file."""
    (home / "work").write_text("mine")
    assert make() == (1, ["work is not a folder: give it another name, then run make work again"])
    assert (home / "work").read_text() == "mine"


def test_no_exercises(home, make):
    """Rejects a traceback where the folder was deleted."""
    shutil.rmtree(home / "exercises")
    status, (said,) = make()
    assert (status, "git checkout HEAD exercises" in said) == (1, True)


@POSIX
def test_links(home, make, mine, tmp_path_factory):
    """Rejects a program that puts a file in the place of a link, and one that writes into exercises/ through one."""
    disk = tmp_path_factory.mktemp("disk")
    shutil.move(mine, disk / "elsewhere.ipynb")
    mine.symlink_to(disk / "elsewhere.ipynb")
    other = home / "work" / TWO
    other.unlink()
    other.symlink_to(home / "exercises" / TWO)
    course(home, exercise("a", task="News"), exercise("b"))
    released = (home / "exercises" / TWO).read_bytes()
    status, said = make()
    assert status == 1
    assert f"work/{TWO} is a link into exercises/: remove it, then run make work again" in said
    assert (home / "exercises" / TWO).read_bytes() == released
    assert mine.is_symlink()
    assert source(disk / "elsewhere.ipynb", "a-task") == "News"
    assert source(disk / "elsewhere.ipynb", "a") == "def a():\n    return 1"


@POSIX
def test_links_that_lead_nowhere_or_in_a_circle(home, make):
    """Rejects a program that takes them for a missing file, and one that stops."""
    for name, target in ((ONE, "nowhere"), (TWO, Path(TWO).name)):
        (home / "work" / name).parent.mkdir(parents=True)
        (home / "work" / name).symlink_to(target)
    status, said = make()
    assert status == 1
    assert [line.partition(" ")[0] for line in said] == [f"work/{ONE}", f"work/{TWO}"]
    assert not (home / "work" / "00_words" / "nowhere").exists()


@POSIX
def test_work_may_lie_on_another_disk_but_not_in_exercises(home, make, tmp_path_factory):
    """Rejects a program that overwrites the course's files by way of a link."""
    (home / "work").symlink_to(home / "exercises")
    assert make() == (1, ["work is a link into exercises/: remove it, then run make work again"])
    (home / "work").unlink()
    (home / "work").symlink_to(tmp_path_factory.mktemp("disk"))
    assert make()[0] == 0
    assert (home / "work" / ONE).is_file()


# ── Written into exercises/ by mistake ────────────────────────────────────────────────────────────────────────────────

REMINDER = "What you wrote in exercises/ is safe in work/. " + work.BACK


def test_answers_in_exercises_when_there_is_no_work_yet(home, make):
    """Rejects a copy whose answers count as the course's: the next release would overwrite them."""
    answer(home / "exercises" / ONE)
    status, said = make()
    assert status == 0
    assert said == [f"work/{ONE}: your copy, with what you wrote in exercises/", f"work/{TWO}: your copy", REMINDER]
    course(home, exercise("a", "def a(new): ..."), exercise("b"))
    make()
    assert source(home / "work" / ONE, "a") == "def a():\n    return 1"


def test_answers_in_exercises_go_where_work_has_the_stub(home, make):
    """Rejects a program that leaves them there, that doubles them when it is called again, or that says nothing."""
    make()
    answer(home / "work" / ONE)
    answer(home / "exercises" / ONE, "b", "def b():\n    return 2")
    status, said = make()
    assert status == 0
    assert said[0].startswith(
        f"work/{ONE}: what you wrote in exercises/ is here now (the file as it was: work/.before/"
    )
    assert REMINDER in said
    assert source(home / "work" / ONE, "a") == "def a():\n    return 1"
    assert source(home / "work" / ONE, "b") == "def b():\n    return 2"
    before = everything(home)
    assert make() == (0, [REMINDER])
    assert everything(home) == before


def test_another_answer_is_kept_beside_and_the_students_goes_on(home, make, mine):
    """Rejects a program that chooses one of two answers, or that comes back to the old one at each call."""
    answer(home / "exercises" / ONE, "a", "def a():\n    return 2")
    typed = (home / "exercises" / ONE).read_bytes()
    _, said = make()
    beside = home / "work" / "00_words" / "00_words_from_exercises_1.ipynb"
    assert said[0].endswith("those are in 00_words_from_exercises_1.ipynb")
    assert beside.read_bytes() == typed
    assert source(mine, "a") == "def a():\n    return 1"
    answer(mine, "a", "def a():\n    return 3")
    before = everything(home)
    assert make() == (0, [REMINDER])
    assert everything(home) == before


def test_exercises_that_cannot_be_read(home, make, mine):
    """Rejects a program that stops there, or whose advice loses what is there: an unresolved merge may hold answers."""
    (home / "exercises" / ONE).write_bytes(b"<<<<<<< HEAD")
    before = mine.read_bytes()
    status, (said,) = make()
    assert status == 1
    assert said.startswith(f"exercises/{ONE} cannot be read")
    assert work.BACK in said
    assert (home / "work" / ".before" / "00_words" / "00_words_from_exercises_1.ipynb").read_bytes() == b"<<<<<<< HEAD"
    assert mine.read_bytes() == before


def git(folder, *words):
    """Run git for somebody; returns the finished process."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", *words]
    return subprocess.run(command, cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True)


@pytest.mark.skipif(not shutil.which("git"), reason="no git on this machine")
def test_git_pull_refuses_and_the_words_of_make_work_help(home, capsys, tmp_path_factory):
    """Rejects words that do not help: what they name is done, the pull goes through, the answer is there."""
    (home / ".gitignore").write_text("work/\n")
    git(home, "init")
    git(home, "add", ".")
    git(home, "commit", "-m", "first")
    student = tmp_path_factory.mktemp("student") / "course"
    assert git(home, "clone", str(home), str(student)).returncode == 0
    course(home, exercise("a", check="check(a, 2)"), exercise("b"))
    git(home, "commit", "-a", "-m", "second")
    answer(student / "exercises" / ONE)
    assert git(student, "pull").returncode != 0
    work.main(home=student)
    mend = capsys.readouterr().out.strip().rpartition(": git ")[2]
    assert git(student, *mend.split()).returncode == 0
    assert git(student, "pull").returncode == 0
    assert work.main(home=student) == 0
    assert source(student / "work" / ONE, "a") == "def a():\n    return 1"
    assert source(student / "work" / ONE, "a-check") == "check(a, 2)"


# ── Before exercises/ is written anew ─────────────────────────────────────────────────────────────────────────────────


def rescued(home, coming):
    """What `make exercises` says before it writes these notebooks."""
    said = []
    work.rescue(home, coming, said.append)
    return said


def test_nothing_is_rescued_where_nobody_wrote(home):
    """Rejects a work/ that appears for authors, who only generate."""
    coming = {ONE: b"another release"}
    assert rescued(home, coming) == []
    assert not (home / "work").exists()


def test_answers_are_brought_before_exercises_is_overwritten(home, mine):
    """Rejects a generator that overwrites an answer."""
    answer(home / "exercises" / ONE, "b", "def b():\n    return 2")
    (said,) = rescued(home, {ONE: b"another release"})
    assert said.startswith(f"work/{ONE}: what you wrote in exercises/ is here now")
    assert source(mine, "b") == "def b():\n    return 2"
    assert rescued(home, {ONE: b"another release"}) == []


@pytest.mark.parametrize("data", [b"{", b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'])
def test_other_notebooks_are_kept(home, mine, data):
    """Rejects a generator that removes what a student made in exercises/, or what is damaged there."""
    (home / "exercises" / "00_words" / "scratch.ipynb").write_bytes(data)
    assert len(rescued(home, {})) == 1
    assert data in [path.read_bytes() for path in (home / "work").rglob("scratch*.ipynb")]
    assert rescued(home, {}) == []


def test_an_answer_is_kept_where_the_copy_cannot_be_read(home, mine):
    """Rejects a generator that gives up on the answer, or that writes over the damaged copy."""
    answer(home / "exercises" / ONE, "b", "def b():\n    return 2")
    typed = (home / "exercises" / ONE).read_bytes()
    mine.write_bytes(b"{")
    (said,) = rescued(home, {})
    assert said == f"exercises/{ONE}: kept as work/00_words/00_words_from_exercises_1.ipynb"
    assert (mine.parent / "00_words_from_exercises_1.ipynb").read_bytes() == typed
    assert mine.read_bytes() == b"{"
