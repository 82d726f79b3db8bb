"""Every chapter keeps the laws of form.py, and each law is shown to find a chapter that breaks it."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from scripts.exercises import contents, generate
from scripts.notebooks import MAX_KB, VIEW, clean

from . import form
from .files import HOME, chapters, none
from .form import LAWS, code_cells


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_chapters_keep(law):
    none(f"{path.name}: {wrong}" for path in chapters() for wrong in law(nbformat.read(path, as_version=4)))


def test_chapters_are_small():
    sizes = {path.name: path.stat().st_size / 1024 for path in chapters()}
    none(f"{name} has {size:.0f} KB (at most {MAX_KB})" for name, size in sizes.items() if size > MAX_KB)


def has_outputs(notebook):
    """True where a notebook carries something of a run."""
    return any(cell.outputs or cell.execution_count for cell in code_cells(notebook))


def test_solutions_and_exercises_have_no_outputs():
    paths = [*chapters("solutions"), *chapters("exercises")]
    none(str(path.relative_to(HOME)) for path in paths if has_outputs(nbformat.read(path, as_version=4)))


def test_exercises_are_what_the_solutions_make(tmp_path):
    generate(HOME, tmp_path / "exercises")
    made, there = contents(tmp_path / "exercises"), contents(HOME / "exercises")
    none(
        f"exercises/{name}: make exercises"
        for name in sorted(made.keys() | there.keys())
        if made.get(name) != there.get(name)
    )


# ── The laws can fail ─────────────────────────────────────────────────────────────────────────────────────────────────


def picture(alt):
    """The output of a cell that shows a picture."""
    return new_output("execute_result", {"image/png": "aGk=", "text/plain": "x"}, metadata={"image/png": {"alt": alt}})


def chapter():
    """A chapter that keeps all laws."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 7 · May a chapter be this short?\n\n**Time:** 5 minutes."),
            new_code_cell("import math"),
            new_markdown_cell("**Predict.** Is $0.5$ more than `0.4`, as section 3.2 says? Look for the answer."),
            new_code_cell("def dot(q, k):\n    return q * k\n\n\ndot(2, 3)", metadata={"tags": ["derivation"]}),
            new_markdown_cell("## 2. Play\n\n## 3. Measure"),
            new_code_cell("print(math.pi)", outputs=[new_output("stream", text="3.14\n"), picture("a heat map")]),
            new_markdown_cell("## Verdict"),
            new_code_cell("assert math.pi > 3"),
        ]
    )
    for number, cell in enumerate(notebook.cells):
        cell.id = f"c{number}"
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    return clean(notebook)


def source(number, text, **metadata):
    """A change: other text, and perhaps metadata, in a cell."""

    def change(notebook):
        notebook.cells[number].source = text
        notebook.cells[number].metadata.update(metadata)

    return change


def output(number, *outputs):
    """A change: other outputs of a cell."""

    def change(notebook):
        notebook.cells[number].outputs = list(outputs)

    return change


def code_only(notebook):
    """A change: four code cells in a row."""
    for number in range(4, 7):
        notebook.cells[number] = new_code_cell("1", id=f"c{number}")


def never_run(notebook):
    """A change: as an editor leaves a new cell."""
    notebook.cells[3].execution_count = None


def same_ids(notebook):
    """A change: a copied cell."""
    notebook.cells[4].id = notebook.cells[2].id


def widget_state(notebook):
    """A change: what JupyterLab saves with a view."""
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}


def timing(notebook):
    """A change: what JupyterLab's timing option leaves."""
    notebook.cells[3].metadata["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00Z"}


BROKEN = [
    (form.title_asks_a_question, source(0, "# Attention\n\n5 minutes")),
    (form.title_asks_a_question, source(0, "# What?\n\nsoon done")),
    (form.rhythm, source(2, "Look for it.")),
    (form.rhythm, source(2, "**Predict.**")),
    (form.rhythm, source(4, "## Measure")),
    (form.rhythm, source(4, "## Play")),
    (form.rhythm, source(6, "The end")),
    (form.rhythm, source(7, "print(1)")),
    (form.rhythm, source(3, "2 * 3")),
    (form.first_idea_comes_soon, source(3, "import torch")),
    (form.import_cell_is_short, source(1, "import a\n" * 7)),
    (form.code_cells_are_short, source(3, "x = 1\n" * 21)),
    (form.code_cells_are_short, lambda notebook: [source(n, "x = 1\n" * 7)(notebook) for n in (3, 5, 7)]),
    (form.words_come_between_code, code_only),
    (form.nothing_forbidden, source(3, "plt.imshow(x)")),
    (form.nothing_forbidden, source(3, "import sys\nsys.path.insert(0, '..')")),
    (form.nothing_forbidden, source(3, "%pip install torch")),
    (form.nothing_forbidden, source(3, "!pip install torch")),
    (form.nothing_forbidden, source(3, "warnings.filterwarnings('ignore')")),
    (form.nothing_forbidden, source(3, "from torch import *")),
    (form.library_is_not_defined_again, source(3, "def dot(q, k):\n    return q @ k", tags=[])),
    (form.numbers_are_printed_by_code, source(4, "It reaches 0.93 here.")),
    (form.numbers_are_printed_by_code, source(4, "It reaches 97 % here.")),
    (form.numbers_are_printed_by_code, source(4, "between −.25 and 3")),
    (form.every_cell_was_run, never_run),
    (form.every_cell_was_run, lambda notebook: [output(n)(notebook) for n in (1, 3, 5, 7)]),
    (form.outputs_are_in_order, output(5, new_output("error", ename="E", evalue="no", traceback=[]))),
    (form.outputs_are_in_order, output(5, new_output("stream", name="stderr", text="Warning: old"))),
    (form.outputs_are_in_order, output(5, new_output("stream", text="<object at 0x7f3a2b1c>"))),
    (
        form.outputs_are_in_order,
        output(5, new_output("display_data", {VIEW: {"model_id": "1"}, "text/plain": "VBox()"})),
    ),
    (form.pictures_have_words, output(5, picture(""))),
    (form.notebook_is_clean, widget_state),
    (form.notebook_is_clean, timing),
    (form.notebook_is_clean, same_ids),
    (form.notebook_is_clean, output(5, new_output("stream", text="1%\r100%\n"))),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_good_chapter_is_let_pass(law):
    none(law(chapter()))


@pytest.mark.parametrize(("law", "change"), BROKEN)
def test_a_broken_chapter_is_found(law, change):
    notebook = chapter()
    change(notebook)
    assert len(list(law(notebook))) == 1


def test_a_quoted_number_may_be_tagged():
    notebook = chapter()
    source(4, "BLEU 26.75 (Bahdanau 2015, table 1)", tags=["sourced"])(notebook)
    assert list(form.numbers_are_printed_by_code(notebook)) == []


def test_each_law_is_shown_to_fail():
    assert {law for law, _ in BROKEN} == set(LAWS)
