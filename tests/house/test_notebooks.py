"""Every chapter keeps the laws of form.py, and has its solutions, exercises and a row in README."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from scripts.exercises import contents, generate
from scripts.notebooks import MAX_KB, clean

from . import form
from .files import CHAPTER, HOME, chapters, none


@pytest.mark.parametrize("law", form.LAWS, ids=lambda law: law.__name__)
def test_chapters_keep(law):
    none(f"{path.name}: {wrong}" for path in chapters() for wrong in law(nbformat.read(path, as_version=4)))


def test_chapters_are_small():
    sizes = {path.name: path.stat().st_size / 1024 for path in chapters()}
    none(f"{name} has {size:.0f} KB (at most {MAX_KB})" for name, size in sizes.items() if size > MAX_KB)


def test_chapters_are_found_by_number():
    """Rejects a name without a number, two chapters of one number, and exercises whose chapter has another name."""
    names = [path.stem for path in chapters()]
    numbers = [CHAPTER.fullmatch(name)[1] for name in names]
    assert len(set(numbers)) == len(numbers) > 0
    for folder in ("solutions", "exercises"):
        none(f"{path}: no such chapter" for path in chapters(folder) if not path.parent.name == path.stem in names)


def test_readme_has_a_row_for_each_chapter():
    """Rejects a chapter without its row, a row without its chapter, and another title or time."""
    readme = (HOME / "README.md").read_text(encoding="utf-8").splitlines()
    shown = [[part.strip() for part in line.split("|")[1:-1]] for line in readme if "](notebooks/" in line]
    expected = []
    for path in chapters():
        title, *rest = nbformat.read(path, as_version=4).cells[0].source.splitlines()
        number, title = title.removeprefix("# ").split(" · ")
        assert number == (CHAPTER.fullmatch(path.stem)[1].lstrip("0") or "0")
        (minutes,) = form.re.findall(r"(\d+) minutes", "\n".join(rest))
        exercises = HOME / "exercises" / path.stem
        linked = f"[exercises](exercises/{path.stem})" if exercises.is_dir() else ""
        expected.append([number, f"[{title}](notebooks/{path.name})", minutes, linked])
    assert [[*row[:3], row[-1]] for row in shown] == expected


def test_solutions_and_exercises_have_no_outputs():
    cells = {path: form.code_cells(nbformat.read(path, as_version=4)) for path in chapters("solutions")}
    none(str(path) for path in cells if any(cell.outputs or cell.execution_count for cell in cells[path]))


def test_exercises_are_what_the_solutions_make(tmp_path):
    generate(HOME, tmp_path / "exercises")
    made, there = contents(tmp_path / "exercises"), contents(HOME / "exercises")
    names = sorted(made.keys() | there.keys())
    none(f"exercises/{name}: make exercises" for name in names if made.get(name) != there.get(name))


# ── The laws can fail ─────────────────────────────────────────────────────────────────────────────────────────────────


def chapter(changes):
    """A chapter that keeps all laws, but for the changed sources (text) or outputs (a list) of some cells."""
    picture = {"image/png": {"alt": "a heat map"}}
    cells = [
        new_markdown_cell("# 7 · May a chapter be this short?\n\n**Time:** 5 minutes."),
        new_markdown_cell("**Predict.** Is $0.5$ more than `0.4`, as section 3.2 says?"),
        new_code_cell("def dot(q, k):\n    return q * k", metadata={"tags": ["derivation"]}),
        new_markdown_cell("## 2. Play"),
        new_code_cell("print(1)", outputs=[new_output("display_data", {"image/png": "aGk="}, metadata=picture)]),
        new_markdown_cell("## What we measured"),
        new_code_cell("assert 3 > 2"),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"c{number}"
        if number in changes:
            cell["source" if isinstance(changes[number], str) else "outputs"] = changes[number]
    for count, cell in enumerate(form.code_cells(new_notebook(cells=cells)), start=1):
        cell.execution_count = count
    return clean(new_notebook(cells=cells))


BROKEN = [
    (form.title_asks_a_question, {0: "# Attention\n\n5 minutes"}),
    (form.title_asks_a_question, {0: "# What?\n\nsoon done"}),
    (form.parts_are_there, {1: "Guess."}),
    (form.parts_are_there, {3: "## Rest"}),
    (form.parts_are_there, {2: "2 * 3"}),
    (form.parts_are_there, {6: "print(1)"}),
    (form.code_cells_are_short, {4: "x = 1\n" * 21}),
    *[(form.nothing_forbidden, {4: source}) for source in ("plt.imshow(x)", "%pip install torch")],
    (form.library_is_not_defined_again, {4: "def dot(q, k):\n    return q @ k"}),
    *[(form.numbers_are_printed_by_code, {3: f"It reaches {number} here."}) for number in ("0.93", "97 %", "−.25")],
    (form.views_can_run_again, {2: "x = y = z = 1", 4: "FigureView(x, y, z)", 6: "x = y = z = 2\nassert x"}),
    (form.every_cell_was_run, {4: []}),
    (form.outputs_are_in_order, {4: [new_output("error", ename="E", evalue="no", traceback=[])]}),
    (form.outputs_are_in_order, {4: [new_output("stream", name="stderr", text="Warning: old")]}),
    (form.outputs_are_in_order, {4: [new_output("stream", text="<object at 0x7f3a2b1c>")]}),
    (form.pictures_have_words, {4: [new_output("display_data", {"image/png": "aGk="})]}),
]


@pytest.mark.parametrize(("law", "changes"), [*[(law, {}) for law in form.LAWS], *BROKEN])
def test_a_law_finds_a_chapter_that_breaks_it(law, changes):
    assert len(list(law(chapter(changes)))) == len(changes)
