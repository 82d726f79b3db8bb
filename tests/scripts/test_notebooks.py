"""Cleaning chapters keeps what a reader sees, and nothing of the run or the editor."""

import copy
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from scripts import notebooks
from scripts.notebooks import VIEW, clean, complaints, without_bars

VIEW_DATA = {VIEW: {"model_id": "b3", "version_major": 2}, "text/html": "<img>", "image/png": "aGk=", "text/plain": "x"}


def notebook(*outputs, metadata=None, source="1"):
    """A notebook of one cell that was run, with these outputs."""
    cell = new_code_cell(source, id="a", outputs=list(outputs), execution_count=7, metadata=metadata or {})
    return new_notebook(cells=[new_markdown_cell("# What?", id="m"), cell])


def outputs_of(dirty):
    """The outputs of the only code cell after cleaning."""
    return clean(dirty).cells[1].outputs


def test_the_argument_is_not_changed():
    dirty = notebook(new_output("display_data", VIEW_DATA), metadata={"execution": {}})
    before = copy.deepcopy(dirty)
    clean(dirty)
    assert dirty == before


def test_cleaning_twice_is_cleaning_once():
    dirty = notebook(new_output("stream", text="1%\r2%\nend"), new_output("display_data", VIEW_DATA))
    assert clean(clean(dirty)) == clean(dirty)


def test_editors_notes_and_widget_state_go():
    dirty = notebook(metadata={"execution": {}, "collapsed": True, "trusted": True, "tags": ["derivation"]})
    dirty.metadata = nbformat.from_dict({"widgets": {"state": {}}, "toc": {}, "kernelspec": {"name": "my-kernel"}})
    cleaned = clean(dirty)
    assert cleaned.metadata == notebooks.METADATA
    assert cleaned.cells[1].metadata == {"tags": ["derivation"]}


def test_grading_metadata_stays():
    assert clean(notebook(metadata={"nbgrader": {"grade": True}})).cells[1].metadata == {"nbgrader": {"grade": True}}


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


def test_ids_stay_and_missing_ones_are_the_same_each_time():
    dirty = notebook()
    assert [cell.id for cell in clean(dirty).cells] == ["m", "a"]
    del dirty.cells[1]["id"]
    dirty.nbformat_minor = 4
    first, second = clean(dirty), clean(dirty)
    assert first.cells[1].id == second.cells[1].id
    nbformat.validate(first)


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
        ("\rfit:  10%|█         | 1/10 [00:01<00:09]\rfit:  20%|██        | 2/10 [00:02<00:08]\r      \r", ""),
        ("\r100%|██████████| 10/10 [00:05<00:00,  1.9it/s]\nloss 0.1\n", "loss 0.1\n"),
        ("\rfit: 10%\r          \rloss 0.1\n", "loss 0.1\n"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
    ],
)
def test_progress_bars_go_and_results_stay(printed, kept):
    assert without_bars(printed) == kept


def test_an_output_of_only_a_bar_leaves_nothing():
    assert outputs_of(notebook(new_output("stream", text="\r 5%|▌  | 1/20 [00:00<00:01]\r   \r"))) == []


def test_complaints_name_what_cannot_be_cleaned():
    wrong = [
        new_output("stream", name="stderr", text="UserWarning: old"),
        new_output("error", ename="ValueError", evalue="no", traceback=[]),
        new_output("display_data", {VIEW: {}, "text/plain": "VBox()"}),
    ]
    assert [len(list(complaints(notebook(output)))) for output in wrong] == [1, 1, 1]
    assert list(complaints(notebook(new_output("display_data", VIEW_DATA), new_output("stream", text="x")))) == []


# ── Whole runs, with a real kernel ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """Writes a chapter with this code into an empty folder of chapters."""
    monkeypatch.setattr(notebooks, "CHAPTERS", tmp_path)

    def write(source, name="02_why.ipynb"):
        nbformat.write(new_notebook(cells=[new_code_cell(source, id="a")]), tmp_path / name)
        return tmp_path / name

    return write


def test_a_chapter_is_run_in_its_folder_with_this_python(chapter, capsys):
    path = chapter("import os, sys\nprint(os.getcwd())\nprint(sys.prefix)\nprint(os.environ['OMP_NUM_THREADS'])")
    assert notebooks.main("02") == 0
    printed = nbformat.read(path, as_version=4).cells[0].outputs[0].text.splitlines()
    assert printed == [str(path.parent), sys.prefix, "1"]
    assert "CPU s" in capsys.readouterr().out


def test_two_runs_write_the_same_bytes(chapter):
    path = chapter("print({'b', 'a', 'c', 'd'})\nhash('word')")
    notebooks.main()
    first = path.read_bytes()
    notebooks.main()
    assert path.read_bytes() == first


def test_an_error_is_named_and_nothing_is_written(chapter, capsys):
    path = chapter("raise ValueError('no such word')")
    before = path.read_bytes()
    assert notebooks.main() == 1
    assert "no such word" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_warning_on_stderr_fails_loudly(chapter, capsys):
    chapter("import warnings\nwarnings.warn('old way')")
    assert notebooks.main() == 1
    assert "old way" in capsys.readouterr().err


def test_a_chapter_that_is_too_large_fails(chapter, capsys, monkeypatch):
    monkeypatch.setattr(notebooks, "MAX_KB", 1)
    chapter("print('x' * 2000)")
    assert notebooks.main() == 1
    assert "KB" in capsys.readouterr().err


def test_no_chapter_of_that_name(chapter, capsys):
    assert notebooks.main("07") == 1
    assert "'07'" in capsys.readouterr().err
