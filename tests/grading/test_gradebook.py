"""The gradebook holds what was graded, keeps what was given by hand, and its notebooks run nothing where they open."""

import html
import re
import shutil
from pathlib import Path

import nbformat
import nbgrader
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sqlalchemy import text as sql

from grading.feedback import write_feedback
from grading.files import Problem
from grading.folder import Folder, Record, all_records, load, save
from grading.gradebook import Row, enter, headings, prepare, release, rows
from grading.hide import WITHHELD
from grading.job import Outcome

from .classes import FULL, NAME, PLAN, POINTS, SECRET, cell, give, gradebook, make_course, source


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A course, and a folder of results in which its assignment is prepared: for all tests."""
    place = tmp_path_factory.mktemp("prepared")
    course = make_course(place / "course")
    (place / "results").mkdir()
    folder = Folder(place / "results", NAME, NAME)
    prepare(folder, course / "solutions" / NAME / f"{NAME}.ipynb", course / "nbgrader_config.py")
    return place


@pytest.fixture
def folder(prepared, tmp_path):
    """The same for one test."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return Folder(tmp_path / "results", NAME, NAME)


def outcome(folder, student="ada", scores=FULL, change=lambda notebook: None, **more):
    """An outcome as grading gives it, without grading."""
    notebook = nbformat.read(folder.solution, as_version=4)
    next(one for one in notebook.cells if one.id == "plan").source = "My plan."
    change(notebook)
    found = {name: (scores.get(name, 0.0), POINTS[name], name == "plan") for name in POINTS}
    told = {"graded": True, "reason": "", "notes": [], "seconds": 1.0, **more}
    return Outcome(student, NAME, scores=found, autograded=nbformat.writes(notebook).encode(), **told)


def entered(folder, mark, **more):
    """Enter an outcome, and write its feedback: True for each where something was written."""
    record = Record(mark, outcome(folder, **more))
    save(folder, record)
    return enter(folder, record, release(folder)), write_feedback(folder, record.outcome.student)


def page(folder, student="ada"):
    """The feedback of a student."""
    return folder.feedback(student).read_text(encoding="utf-8")


def put(notebook, name, *outputs):
    """Give a cell outputs."""
    next(one for one in notebook.cells if one.id == name).outputs = list(outputs)


def test_entering_twice_changes_nothing(folder):
    """Rejects a second entry of the same outcome: two submissions, doubled points, work done again."""
    assert entered(folder, "1") == (True, True)
    before = rows(folder), folder.autograded("ada").stat().st_mtime_ns, page(folder)
    assert entered(folder, "1") == (False, False)
    assert (rows(folder), folder.autograded("ada").stat().st_mtime_ns, page(folder)) == before
    assert rows(folder)["ada"].points == {**FULL, "plan": 0.0}
    assert rows(folder)["ada"].by_hand == ["plan"]


def test_an_entry_that_broke_off_is_made_again(folder):
    """Rejects taking points for entered because there is a record, or a notebook, or a submission alone."""
    entered(folder, "1")
    folder.autograded("ada").unlink()
    assert entered(folder, "1")[0]
    with gradebook(folder.root) as book:
        book.remove_submission(NAME, "ada")
    assert entered(folder, "1")[0]
    assert rows(folder)["ada"].points["double-check"] == 2


def test_points_given_by_hand_stay(folder):
    """Rejects an entry that overwrites them, and one that lets a changed answer pass as graded."""
    entered(folder, "1")
    give(folder.root, "ada", 2.5, "Say what you will measure.")
    assert entered(folder, "1") == (False, True)
    assert "Say what you will measure." in page(folder)
    assert rows(folder)["ada"].by_hand == []
    assert entered(folder, "2", scores={"half-check": 1.0}) == (True, True)
    assert rows(folder)["ada"].points == {"double-check": 0.0, "half-check": 1.0, "plan": 2.5}
    assert rows(folder)["ada"].by_hand == ["plan"]
    give(folder.root, "ada", 1.5, name="double-check")
    assert entered(folder, "3") == (True, True)
    assert rows(folder)["ada"].points["double-check"] == 1.5
    assert sorted(rows(folder)["ada"].by_hand) == ["double-check", "plan"]


def test_an_answer_as_it_was_released_is_told_so(folder):
    """Rejects a formgrader that shows an empty experiment as one to be read."""

    def leave(notebook):
        notebook.cells[-1] = release(folder).cells[-1]
        assert notebook.cells[-1].source == PLAN

    entered(folder, "1", change=leave)
    with gradebook(folder.root) as book:
        assert book.find_comment("plan", NAME, NAME, "ada").comment == "No response."
        assert book.find_comment("double", NAME, NAME, "ada").comment is None


def test_what_could_not_be_graded_has_its_place(folder):
    """Rejects a formgrader that asks for points for what is not shown, a student who is missing there, no feedback."""
    entered(folder, "1", graded=False, reason="The file is damaged.")
    assert rows(folder)["ada"] == Row(dict.fromkeys(POINTS, 0.0), [], 0.0)
    assert "The file is damaged." in page(folder)
    assert SECRET not in page(folder)


def test_each_exercise_has_the_heading_it_stands_under():
    """Rejects the chapter's title, a heading in code, and the heading after."""
    cells = [
        new_markdown_cell("# Exercises 2"),
        cell(new_code_cell, "1", "first", points=1),
        new_markdown_cell("Some words.\n\n## 1 · A score  \n\nMore words."),
        new_code_cell("## no heading"),
        cell(new_code_cell, "1", "second", points=1),
        new_markdown_cell("### A detail"),
        cell(new_markdown_cell, "Plan", "third", points=1, answer=True),
    ]
    assert headings(new_notebook(cells=cells)) == {"first": "", "second": "1 · A score", "third": "1 · A score"}


def test_another_set_of_exercises_is_refused_before_anything_changes(folder, tmp_path):
    """Rejects a gradebook with the points of two assignments under one name."""
    entered(folder, "1")
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


# ── What is opened runs nothing, and tells no hidden test ─────────────────────────────────────────────────────────────

SCRIPT = "<script>steal()</script>"
HTML = {"text/html": SCRIPT, "application/javascript": "steal()", "image/svg+xml": f"<svg>{SCRIPT}</svg>"}
OUTPUTS = [
    new_output("display_data", data=HTML),
    new_output("display_data", data={"text/latex": SCRIPT, "text/markdown": SCRIPT}),
    new_output("execute_result", data={"text/plain": SCRIPT}, execution_count=1),
    new_output("stream", text=SCRIPT),
    new_output("display_data", data={"image/png": f'">{SCRIPT}<img src="'}),
    new_output("display_data", data={"image/png": "aGVsbG8="}, metadata={"image/png": {"width": f'"{SCRIPT}'}}),
    new_output("error", ename=SCRIPT, evalue=SCRIPT, traceback=[SCRIPT]),
]


def test_what_a_hand_in_wrote_is_shown_and_never_run(folder):
    """Rejects a formgrader and a feedback page that hand the student's script to the instructor's browser.

    In outputs of every kind, in texts, in what only looks like a number or like the notebook's own data.
    """

    def change(notebook):
        put(notebook, "half", *OUTPUTS, new_output("stream", text="a < b"))
        notebook.cells[2].execution_count = SCRIPT
        notebook.cells[-1].source = f"My plan. {SCRIPT} [x](javascript:steal()) <img src=x onerror=steal()>"
        notebook.cells.insert(
            1, new_markdown_cell(f"{SCRIPT} and `<eos>`\n\n[x]: javascript:steal()\n\n[x]", id="added")
        )
        notebook.metadata.language_info = {"name": "python", "pygments_lexer": SCRIPT, "title": SCRIPT}

    entered(folder, "1", change=change)
    opened = nbformat.read(folder.autograded("ada"), as_version=4)
    assert SCRIPT not in str(opened.metadata)
    assert not any(SCRIPT in output.get("data", {}).get("image/png", "") for output in opened.cells[5].outputs)
    for text in (page(folder), shown_by_formgrader(folder)):
        for running in ("<script>steal", "<img src=x", 'href="javascript', "<svg"):
            assert running not in text
        for kept in ("My plan.", "eos", "a &lt; b", "data:image/png;base64,aGVsbG8=", "&lt;script&gt;steal()"):
            assert kept in text


def shown_by_formgrader(folder):
    """The page on which the formgrader shows a submission."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader.handlers import template_path
    from traitlets.config import Config

    settings = Config(HTMLExporter={"template_name": "formgrade", "extra_template_basedirs": [template_path]})
    about = {"index": 0, "total": 1, "base_url": "", "notebook_path": "", "submission_id": "1", "student": "ada"}
    about |= {"assignment_id": NAME, "notebook_id": NAME, "last_name": "", "first_name": ""}
    return HTMLExporter(config=settings).from_filename(str(folder.autograded("ada")), resources=about)[0]


COLOURED = SECRET.replace("assert", "\x1b[38;5;28;01massert\x1b[39;00m")
TRACEBACK = ["----> 3 \x1b[0m" + COLOURED, "AssertionError: another number, doubled"]


def test_feedback_quotes_no_hidden_test(folder):
    """Rejects nbgrader's feedback as it comes: it prints hidden tests, and tracebacks quote them, later ones too."""

    def change(notebook):
        put(notebook, "double-check", new_output("error", ename="AssertionError", evalue="wrong", traceback=TRACEBACK))
        later = new_output("error", ename="AssertionError", evalue="", traceback=TRACEBACK)
        history = new_output("stream", text=f"In[3] = \n{SECRET}\n")
        as_python_writes_it = new_output("display_data", data={"text/plain": repr(f"# one\n{SECRET}\n")})
        put(notebook, "half", later, history, as_python_writes_it, new_output("stream", text="my own words"))

    entered(folder, "1", change=change)
    text = html.unescape(re.sub(r"<[^>]*>", "", page(folder)))
    assert "double(21)" not in text
    assert text.count(WITHHELD) == 3
    for kept in ("double(1)", "wrong", "my own words"):
        assert kept in text


def test_the_gradebook_has_the_version_that_nbgrader_would_write(folder):
    """Rejects a gradebook that nbgrader's next release could not upgrade."""
    steps = [path.read_text() for path in Path(nbgrader.__file__).parent.glob("alembic/versions/*.py")]
    revisions, before = (
        {found[1] for step in steps if (found := re.search(rf"^{name} = '(\w+)'", step, re.MULTILINE))}
        for name in ("revision", "down_revision")
    )
    with gradebook(folder.root) as book:
        assert {book.db.execute(sql("SELECT version_num FROM alembic_version")).scalar_one()} == revisions - before


def test_records_are_read_as_they_were_written(folder):
    """Rejects a record that comes back different, and a broken one that is taken for finished."""
    written = Record("1", outcome(folder, student="José Ünal_12", notes=["`half` is missing"], reason="…"))
    save(folder, written)
    assert load(folder, "José Ünal_12") == written
    assert all_records(folder) == {"José Ünal_12": written}
    path = folder.records / "José Ünal_12.json"
    path.write_bytes(path.read_bytes()[:-20])
    assert load(folder, "José Ünal_12") is None
    assert all_records(folder) == {}
