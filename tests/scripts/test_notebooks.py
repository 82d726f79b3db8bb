"""Cleaning chapters keeps what a reader sees, and nothing of the run or the editor."""

import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from scripts import notebooks
from scripts.notebooks import VIEW, clean, complaints

VIEW_DATA = {VIEW: {"model_id": "b3", "version_major": 2}, "text/html": "<img>", "image/png": "aGk=", "text/plain": "x"}

KEPT = {"tags": ["derivation"], "nbgrader": {"grade": True}, "jupyter": {"source_hidden": True}}


def notebook(*outputs, metadata=None, source="1"):
    """A notebook of one cell that was run, with these outputs."""
    cell = new_code_cell(source, id="a", outputs=list(outputs), execution_count=7, metadata=metadata or {})
    return new_notebook(cells=[new_markdown_cell("# What?", id="m"), cell])


def outputs_of(dirty):
    """The outputs of the only code cell after cleaning."""
    return clean(dirty).cells[1].outputs


def test_cleaning_twice_is_cleaning_once():
    dirty = notebook(new_output("stream", text="1%\r2%\nend"), new_output("display_data", VIEW_DATA))
    assert clean(clean(dirty)) == clean(dirty)


def test_editors_notes_and_widget_state_go():
    dirty = notebook(metadata={"execution": {}, "collapsed": True, "trusted": True, **KEPT})
    dirty.metadata = nbformat.from_dict({"widgets": {"state": {}}, "toc": {}, "kernelspec": {"name": "my-kernel"}})
    cleaned = clean(dirty)
    assert cleaned.metadata == notebooks.METADATA
    assert cleaned.cells[1].metadata == KEPT


def test_a_view_keeps_its_picture_and_loses_its_kernel():
    (view,) = outputs_of(
        notebook(new_output("display_data", VIEW_DATA, metadata={VIEW: {}, "image/png": {"alt": "x"}}))
    )
    assert set(view.data) == {"text/html", "image/png", "text/plain"}
    assert view.metadata == {"image/png": {"alt": "x"}}


def test_cells_are_numbered_from_one_and_empty_ones_are_not():
    dirty = notebook(new_output("execute_result", {"text/plain": "1"}, execution_count=7))
    dirty.cells.insert(0, new_code_cell("", id="e"))
    cleaned = clean(dirty)
    assert [cell.get("execution_count") for cell in cleaned.cells] == [None, None, 1]
    assert cleaned.cells[2].outputs[0].execution_count == 1


def test_text_that_came_in_pieces_is_one_piece():
    """Rejects a cleaning that leaves it to the machine's speed how the text is cut."""
    whole = outputs_of(notebook(new_output("stream", text="one\ntwo\n")))
    assert outputs_of(notebook(new_output("stream", text="one\n"), new_output("stream", text="two\n"))) == whole


def test_text_before_and_after_a_picture_keeps_its_place():
    view = new_output("display_data", VIEW_DATA)
    kinds = [
        o.output_type
        for o in outputs_of(notebook(new_output("stream", text="a"), view, new_output("stream", text="b")))
    ]
    assert kinds == ["stream", "display_data", "stream"]


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("plain\n", "plain\n"),
        ("two\nlines", "two\nlines"),
        ("\rfit:  10%|█         | 1/10 [00:01<00:09]\rfit:  20%|██        | 2/10 [00:02<00:08]\r      \r", None),
        ("\rfit: 10%\r          \rloss 0.1\n", "loss 0.1\n"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
    ],
)
def test_progress_bars_go_and_results_stay(printed, kept):
    assert [output.text for output in outputs_of(notebook(new_output("stream", text=printed)))] == [kept] * bool(kept)


def test_complaints_name_what_cannot_be_cleaned():
    wrong = [
        new_output("stream", name="stderr", text="UserWarning: old"),
        new_output("error", ename="ValueError", evalue="no", traceback=[]),
        new_output("display_data", {VIEW: {}, "text/plain": "VBox()"}),
    ]
    assert [len(list(complaints(notebook(output)))) for output in wrong] == [1, 1, 1]
    assert list(complaints(notebook(new_output("display_data", VIEW_DATA), new_output("stream", text="x")))) == []


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """Return a function that writes a chapter with this code into an empty folder of chapters."""
    monkeypatch.setattr(notebooks, "CHAPTERS", tmp_path)

    def write(source, name="02a_why.ipynb"):
        nbformat.write(new_notebook(cells=[new_code_cell(source, id="a")]), tmp_path / name)
        return tmp_path / name

    return write


def test_an_optional_chapter_runs_in_its_folder_and_twice_the_same(chapter, capsys):
    path = chapter("import os, sys\nprint(os.getcwd(), sys.prefix, os.environ['OMP_NUM_THREADS'], hash('word'))")
    assert notebooks.main("02") == 0
    first = path.read_bytes()
    printed = nbformat.reads(first, as_version=4).cells[0].outputs[0].text
    assert printed.startswith(f"{path.parent} {sys.prefix} 1 ")
    assert "CPU s" in capsys.readouterr().out
    assert notebooks.main() == 0
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise ValueError('no such word')", "no such word"),
        ("import warnings\nwarnings.warn('old way')", "old way"),
        ("import random\nprint(random.randbytes(500_000).hex())", "KB"),
    ],
)
def test_what_is_wrong_fails(chapter, capsys, source, said):
    path = chapter(source)
    before = path.read_bytes()
    assert notebooks.main() == 1
    assert said in capsys.readouterr().err
    assert (path.read_bytes() == before) == ("raise" in source)


def test_no_chapter_of_that_name(chapter, capsys):
    assert notebooks.main("07") == 1
    assert "'07'" in capsys.readouterr().err
