"""The gradebook holds what was graded and keeps what was given by hand."""

import html
import re
from pathlib import Path

import nbformat
import nbgrader
import pytest
from nbformat.v4 import new_markdown_cell, new_output
from sqlalchemy import text as sql

from grading.files import Problem
from grading.folder import Record, all_records, load, save
from grading.gradebook import NO_RESPONSE, Row, prepare, release, rows
from grading.hide import WITHHELD
from grading.job import Outcome

from .assignment import FULL, NAME, POINTS, SCORES, SECRET, STUBS, cell, entered, give, gradebook, source


def page(folder):
    """Ada's feedback."""
    return folder.feedback("ada").read_text(encoding="utf-8")


def test_entering_twice_changes_nothing_and_a_broken_entry_is_repeated(folder):
    """Rejects a second submission or doubled points, and taking a record, notebook or submission alone for an entry."""
    assert entered(folder) == (True, True)
    before = rows(folder), folder.autograded("ada").stat().st_mtime_ns, page(folder)
    assert entered(folder) == (False, False)
    assert (rows(folder), folder.autograded("ada").stat().st_mtime_ns, page(folder)) == before
    assert rows(folder) == {"ada": Row({**FULL, "why": 0.0}, ["why"], 0.0)}
    folder.autograded("ada").unlink()
    assert entered(folder)[0]
    with gradebook(folder.root) as book:
        book.remove_submission(NAME, "ada")
    assert entered(folder)[0]
    assert rows(folder)["ada"].points["double-check"] == 2


def test_points_given_by_hand_stay(folder):
    """Rejects an entry that overwrites them, and one that lets a changed answer pass as graded."""
    entered(folder)
    give(folder.root, "ada", 2.5, "Say what you will measure.")
    assert entered(folder) == (False, True)
    assert "Say what you will measure." in page(folder)
    assert rows(folder)["ada"].by_hand == []
    assert entered(folder, "2", scores={"triple-check": 1.0}) == (True, True)
    assert rows(folder)["ada"] == Row({"double-check": 0.0, "triple-check": 1.0, "why": 2.5}, ["why"], 0.0)
    give(folder.root, "ada", 1.5, name="double-check")
    assert entered(folder, "3") == (True, True)
    assert rows(folder)["ada"].points["double-check"] == 1.5
    assert sorted(rows(folder)["ada"].by_hand) == ["double-check", "why"]


def test_unchanged_answers_and_ungraded_submissions_need_no_person(folder):
    """Rejects "No response." as the instructor's comment, and a student who is missing in the formgrader."""
    entered(folder, change=lambda cells: cells["why"].update(release(folder).cells[-1]))
    with gradebook(folder.root) as book:
        assert book.find_comment("why", NAME, NAME, "ada").comment == NO_RESPONSE
        assert book.find_comment("double", NAME, NAME, "ada").comment is None
    assert STUBS["why"] in page(folder)
    assert "Not answered" in page(folder)
    assert NO_RESPONSE not in page(folder)
    entered(folder, "2", graded=False, reason="The file <b>is</b> damaged.")
    assert rows(folder)["ada"] == Row(dict.fromkeys(POINTS, 0.0), [], 0.0)
    head = page(folder).partition("</header>")[0]
    assert "The file &lt;" in head
    assert "<b>is" not in head
    for text in (SECRET, "Still open"):
        assert text not in page(folder)


def test_another_set_of_exercises_is_refused(folder, tmp_path):
    """Rejects a gradebook with the points of two assignments under one name."""
    entered(folder)
    before = folder.solution.read_bytes(), folder.release.read_bytes(), rows(folder)
    other = source()
    other.cells.append(cell(new_markdown_cell, "One more.", "more", points=1, answer=True))
    path = tmp_path / "course" / "solutions" / NAME / f"{NAME}.ipynb"
    nbformat.write(other, path)
    with pytest.raises(Problem, match="TO="):
        prepare(folder, path, tmp_path / "course" / "nbgrader_config.py")
    assert (folder.solution.read_bytes(), folder.release.read_bytes(), rows(folder)) == before
    nbformat.write(source("assert double(0.5) == 1, 'another test'"), path)
    prepare(folder, path, tmp_path / "course" / "nbgrader_config.py")
    assert rows(folder) == before[2]


SCRIPT = "<script>steal()</script>"
HTML = {"text/html": SCRIPT, "application/javascript": "steal()", "image/svg+xml": f"<svg>{SCRIPT}</svg>"}
PICTURE = {"image/png": "aGVsbG8="}
OUTPUTS = [
    new_output("display_data", data=HTML),
    new_output("display_data", data={"text/latex": SCRIPT, "text/markdown": SCRIPT}),
    new_output("execute_result", data={"text/plain": SCRIPT}, execution_count=1),
    new_output("display_data", data={"text/plain": f"✗ `{SCRIPT}` $<b>$ {SCRIPT}"}),
    new_output("stream", text=f"{SCRIPT} a < b"),
    new_output("display_data", data={"image/png": f'">{SCRIPT}<img src="'}),
    new_output("display_data", data=PICTURE, metadata={"image/png": {"width": f'"{SCRIPT}'}}),
    new_output("error", ename=SCRIPT, evalue=SCRIPT, traceback=[SCRIPT]),
]
TEXT = f"""My plan. {SCRIPT} ${SCRIPT}$ <details open> `<eos>` [x](javascript:steal()) <img src=x onerror=steal()>

[x]: javascript:steal()

[x]"""


def formgrader(folder):
    """The formgrader's page of a submission."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader.handlers import template_path
    from traitlets.config import Config

    settings = Config(HTMLExporter={"template_name": "formgrade", "extra_template_basedirs": [template_path]})
    about = {"index": 0, "total": 1, "base_url": "", "notebook_path": "", "submission_id": "1", "student": "ada"}
    about |= {"assignment_id": NAME, "notebook_id": NAME, "last_name": "", "first_name": ""}
    return HTMLExporter(config=settings).from_filename(str(folder.autograded("ada")), resources=about)[0]


def test_nothing_of_a_submission_runs_where_it_is_opened(folder):
    """Rejects a formgrader and a page that pass the student's script to the instructor's browser."""

    def change(cells):
        cells["double"].update(outputs=OUTPUTS, execution_count=SCRIPT)
        cells["why"].source = TEXT

    entered(folder, change=change)
    opened = nbformat.read(folder.autograded("ada"), as_version=4)
    assert not any(SCRIPT in output.get("data", {}).get("image/png", "") for output in opened.cells[2].outputs)
    for text in (page(folder), formgrader(folder)):
        for running in ("<script>steal", "<img src=x", 'href="javascript', "<svg", "<b>", "<details open"):
            assert running not in text
        for kept in ("My plan.", "eos", "a &lt; b", "data:image/png;base64,aGVsbG8=", "&lt;script&gt;steal()"):
            assert kept in text


def test_feedback_quotes_no_hidden_test(folder):
    """Rejects nbgrader's feedback as it is: tracebacks and printed sources, in pieces too, quote hidden tests."""
    coloured = SECRET.replace("assert", "\x1b[38;5;28;01massert\x1b[39;00m")
    traceback = ["----> 3 \x1b[0m" + coloured, "AssertionError: another number, doubled"]
    picture = new_output("display_data", data=PICTURE)

    def change(cells):
        cells["double-check"].outputs = [
            new_output("error", ename="AssertionError", evalue="wrong", traceback=traceback)
        ]
        cells["triple"].outputs = [
            new_output("error", ename="AssertionError", evalue="", traceback=traceback),
            new_output("stream", text=SECRET[:20]),
            new_output("stream", text=f"{SECRET[20:]}\n"),
            picture,
            new_output("display_data", data={"text/plain": repr(f"# one\n{SECRET}\n")}),
            new_output("display_data", data={"text/plain": f"✗ {SECRET}"}),
            picture,
            new_output("stream", text="my own words"),
        ]

    entered(folder, change=change)
    text = html.unescape(re.sub(r"<[^>]*>", "", page(folder)))
    assert "double(double(3))" not in text
    assert text.count(WITHHELD) == 4
    for kept in ("check_double(double)", "wrong", "my own words"):
        assert kept in text


def test_the_gradebook_has_nbgraders_version(folder):
    """Rejects a gradebook that nbgrader's next release could not upgrade."""
    steps = [path.read_text() for path in Path(nbgrader.__file__).parent.glob("alembic/versions/*.py")]
    revisions, before = (
        {found[1] for step in steps if (found := re.search(rf"^{name} = '(\w+)'", step, re.MULTILINE))}
        for name in ("revision", "down_revision")
    )
    with gradebook(folder.root) as book:
        assert {book.db.execute(sql("SELECT version_num FROM alembic_version")).scalar_one()} == revisions - before


def test_records_are_read_as_they_were_written(folder):
    """Rejects a record that comes back different, and a broken one that counts as finished."""
    written = Record("1", Outcome("José Ünal_12", NAME, True, "…", SCORES, ["`half` is missing"], b"{}", 1.5))
    save(folder, written)
    assert all_records(folder) == {"José Ünal_12": written}
    path = folder.records / "José Ünal_12.json"
    path.write_bytes(path.read_bytes()[:-20])
    assert load(folder, "José Ünal_12") is None
    assert all_records(folder) == {}
