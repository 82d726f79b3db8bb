"""`make work`: students' own copies of the exercises, and new releases brought into them; `make lab` does it too.

work/ belongs to the student. What is written there is written in one step, the file as it was is kept in work/.before/
under a number of its own, and where nothing has changed nothing is written. A file that is no notebook any more is left
alone. Answers that were typed into exercises/ by mistake are brought over.
"""

import os
import shutil
import sys
import warnings
from itertools import count
from pathlib import Path

import nbformat

from scripts.own_copy import completed, record, renewed, with_record, written

HOME = Path(__file__).resolve().parent.parent
BEFORE = ".before"  # in work/: the files as they were
BESIDE = "_from_exercises"  # the name of what was typed into exercises/ where work/ has an answer too
BACK = "To have the course's files there again, also when git pull refuses: git checkout HEAD exercises"


class Problem(Exception):
    """What could not be done, and what helps where something does, in a sentence that names the file."""


# ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def parsed(data):
    """The notebook in these bytes, each cell with an id; raises ValueError, with the reason, where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of two cells with one id one gets another, without a word
            notebook = nbformat.reads(data.decode("utf-8"), as_version=4)
            if notebook.nbformat_minor < 5:
                notebook = nbformat.v4.upgrade(notebook, 4, notebook.nbformat_minor)
            nbformat.validate(notebook)
        [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    except Exception as error:  # whatever nbformat does with broken files
        raise ValueError(str(error).partition("\n")[0][:120] or type(error).__name__) from None
    return notebook


def as_bytes(notebook):
    """What is in the file of a notebook."""
    return (nbformat.writes(notebook) + "\n").encode()


def read(home, name):
    """The bytes of a notebook, and the notebook; raises Problem where it cannot be read."""
    try:
        data = (home / name).read_bytes()
        return data, parsed(data)
    except (OSError, ValueError) as error:
        helps = "; with another name for it, make work puts a fresh copy there" * name.startswith("work/")
        raise Problem(f"{name} cannot be read, and is left alone ({error}){helps}") from None


def read_release(home, name):
    """The bytes of a notebook of exercises/, and the notebook; one that is damaged is kept, since BACK removes it."""
    try:
        return read(home, f"exercises/{name}")
    except Problem as problem:
        kept = keep(typed_copy(home, name), (home / "exercises" / name).read_bytes())
        raise Problem(f"{problem}; as it is: {kept.relative_to(home).as_posix()}. {BACK}") from None


def put(path, data, before=None):
    """Write a file in one step; `before` is what must still be in it (None: it must not be there).

    A link stays a link: the file that it leads to is written. Raises Problem when another program has written there.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if (target.read_bytes() if target.exists() else None) != before:
            raise Problem(f"{path.name} was saved by another program just now, and is left alone: run make work again")
        if before is not None:
            shutil.copymode(target, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def numbered(path):
    """path_1, path_2, …: names for copies of a file."""
    return (path.with_name(f"{path.stem}_{number}{path.suffix}") for number in count(1))


def keep(path, data):
    """Write a copy under the first number that is free, unless the same copy is there; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    copy = next(one for one in numbered(path) if not os.path.lexists(one) or has(one, data))
    if not os.path.lexists(copy):
        with copy.open("xb") as file:
            file.write(data)
    return copy


def has(path, data):
    """True for a file with these bytes."""
    return path.is_file() and path.read_bytes() == data


def has_kept(path, data):
    """True when a copy with these bytes is there."""
    there = path.parent.iterdir() if path.parent.is_dir() else ()
    return any(copy.name.startswith(f"{path.stem}_") and has(copy, data) for copy in there)


# ── One notebook ──────────────────────────────────────────────────────────────────────────────────────────────────────


def is_exercise(notebook):
    """True for a notebook that the course released."""
    return bool(record(notebook)) or any("nbgrader" in cell.metadata for cell in notebook.cells)


def in_words(happened):
    """What a release brought, in words; `happened` is from `renewed`."""
    parts = []
    for event, words in (("new", "new"), ("changed", "with another text"), ("back", "back in its place")):
        if number := len(happened.get(event, [])):
            parts.append(f"{number} cell{'s' * (number > 1)} {words}")
    for event, words in (
        ("beside", "what you wrote in {} stands below the course's new text"),
        ("gone", "{} is no longer in the course: what you wrote there stands at the end"),
    ):
        if names := happened.get(event):
            parts.append(words.format(", ".join(f"`{name}`" for name in names)))
    return "; ".join(parts or ["brought up to the release"])


def leads_into_exercises(home, path):
    """True for a link to the course's files."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home / "exercises"))


def bring(home, name):
    """Bring the notebook exercises/`name` into work/: what changed there, in words, and True if someone wrote in it."""
    mine = home / "work" / name
    data, release = read_release(home, name)
    typed = is_exercise(release) and bool(written(release))
    if not os.path.lexists(mine):
        without = is_exercise(release) and not record(release) and not typed  # made by nbgrader alone
        put(mine, as_bytes(with_record(release)) if without else data)
        if typed:
            keep(typed_copy(home, name), data)
        return "your copy, with what you wrote in exercises/" if typed else "your copy", typed
    if leads_into_exercises(home, mine):
        raise Problem(f"work/{name} is a link into exercises/: remove it, then run make work again")
    if not is_exercise(release) or (typed and has_kept(typed_copy(home, name), data)):
        return "", typed
    before, own = read(home, f"work/{name}")
    if typed:
        return bring_typed(home, name, (data, release), (before, own)), typed
    result, happened = renewed(release, own)
    return f"{in_words(happened)}{replace(home, name, before, result)}" if result != own else "", typed


def bring_typed(home, name, typed, mine):
    """Bring what a student wrote in exercises/ into their copy, or beside it; returns what changed, in words."""
    (data, release), (before, own) = typed, mine
    (result, fits), path, words = completed(own, release), home / "work" / name, []
    if result != own:
        words.append(f"what you wrote in exercises/ is here now{replace(home, name, before, result)}")
    if not fits:
        beside = keep(path.with_name(f"{path.stem}{BESIDE}{path.suffix}"), data)
        words.append(f"you have other answers here than in exercises/: those are in {beside.name}")
    keep(typed_copy(home, name), data)
    return "; ".join(words)


def typed_copy(home, name):
    """Where a file from exercises/ is kept, under a number, once its answers are in work/."""
    path = home / "work" / BEFORE / name
    return path.with_name(f"{path.stem}{BESIDE}{path.suffix}")


def replace(home, name, before, result):
    """Put the notebook in the place of the student's file, and keep that; returns where, in words."""
    kept = keep(home / "work" / BEFORE / name, before)
    put(home / "work" / name, as_bytes(result), before)
    return f" (the file as it was: {kept.relative_to(home).as_posix()})"


# ── All of them ───────────────────────────────────────────────────────────────────────────────────────────────────────


def released(home):
    """The names of the files in exercises/."""
    folder = home / "exercises"
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".ipynb_checkpoints" not in path.parts)
    return [path.relative_to(folder).as_posix() for path in files]


def bring_file(home, name):
    """Bring one file of exercises/ into work/, as `bring` does; what is no notebook is copied where nothing is."""
    if name.endswith(".ipynb"):
        return bring(home, name)
    if not os.path.lexists(home / "work" / name):
        put(home / "work" / name, (home / "exercises" / name).read_bytes())
    return "", False


def bring_all(home, say):
    """Bring exercises/ into work/, and `say` what changed; returns what could not be done, in sentences."""
    problems, typed = [], False
    for name in released(home):
        try:
            words, written_in = bring_file(home, name)
            typed |= written_in
            if words:
                say(f"work/{name}: {words}")
        except Problem as problem:
            problems.append(str(problem))
        except OSError as error:
            problems.append(f"work/{name} cannot be written: {error.strerror or error}")
    if typed:
        say("What you wrote in exercises/ is safe in work/. " + BACK)
    return problems


def rescue(home, coming, say):
    """Before exercises/ is written anew with {name: bytes}, keep in work/ what somebody wrote there.

    Raises OSError where that cannot be done.
    """
    for name in released(home):
        data, mine, brought = (home / "exercises" / name).read_bytes(), home / "work" / name, typed_copy(home, name)
        if data.replace(b"\r\n", b"\n") == coming.get(name) or is_as_released(data):
            continue
        try:
            words = bring_file(home, name)[0]
            if words:
                say(f"work/{name}: {words}")
        except Problem:  # kept where it is seen, since it was not brought
            mine = brought = mine.with_name(f"{mine.stem}{BESIDE}{mine.suffix}")
        if not (has(mine, data) or has_kept(mine, data) or has_kept(brought, data)):
            say(f"exercises/{name}: kept as {keep(mine, data).relative_to(home).as_posix()}")


def is_as_released(data):
    """True for the bytes of a released notebook in which nobody has written."""
    try:
        notebook = parsed(data)
    except ValueError:
        return False
    return is_exercise(notebook) and not written(notebook)


def problem_of(home):
    """What is wrong with the folders, in a sentence, or None."""
    work = home / "work"
    if not (home / "exercises").is_dir():
        return "There is no exercises/ here: git checkout HEAD exercises"
    if os.path.lexists(work) and not work.is_dir():
        return "work is not a folder: give it another name, then run make work again"
    if leads_into_exercises(home, work):
        return "work is a link into exercises/: remove it, then run make work again"
    return None


def main(*words, home=HOME):
    """Bring exercises/ into work/ and say what changed; "quietly": nothing where nothing did. Returns the status."""
    said = []

    def say(sentence):
        said.append(sentence)
        print(sentence, flush=True)

    problems = [problem_of(home)] if problem_of(home) else bring_all(home, say)
    for problem in problems:
        print(problem, file=sys.stderr, flush=True)
    if any(BEFORE in sentence for sentence in said):
        print("A notebook that is open in JupyterLab shows it after File > Reload Notebook from Disk.")
    elif not said and not problems and "quietly" not in words:
        print("work/ has all of exercises/ already; your answers are as you left them.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
