"""The table and the summary say for each student what the gradebook and the records say, in a lasting form."""

import csv
import io

from grading.folder import Folder, Record, RunNotes, save, save_run_notes
from grading.gradebook import Row
from grading.job import Outcome
from grading.report import column, table, write_report

POINTS = {"softmax-check": 2.0, "plan": 3.0}
HEADINGS = {"softmax-check": "1 · The softmax", "plan": "A plan"}
COLUMNS = {"softmax-check": "1 softmax-check", "plan": "plan"}


def record(student, graded=True, reason="", notes=()):
    """A record without a notebook."""
    return Record("1", Outcome(student, "02", graded, reason, {}, list(notes)))


RECORDS = {
    "ada": record("ada"),
    "alan": record("alan", graded=False, reason="The file is damaged, quite."),
    "grace": record("grace", reason="the kernel was killed", notes=["`plan` is missing"]),
}
ROWS = {
    "ada": Row({"softmax-check": 2.0, "plan": 2.5}, [], 0.0),
    "alan": Row({"softmax-check": 0.0, "plan": 0.0}, [], 0.0),
    "grace": Row({"softmax-check": 2 / 3, "plan": 0.0}, ["plan"], 0.25),
}
RUN_NOTES = RunNotes(
    {"ada": "2 versions were handed in"},
    {"kurt": "no notebook, only essay.txt"},
    {"emmy": "KilledWorker"},
    ["x.ipynb: whose?"],
    ["sofia"],
)


def test_each_student_has_one_row_and_each_exercise_a_column():
    """Rejects 0 for what nobody has graded yet, a lost student, a lost penalty, and floats with many digits."""
    assert list(csv.reader(io.StringIO(table(COLUMNS, POINTS, ROWS, RECORDS, RUN_NOTES)))) == [
        ["student", "1 softmax-check", "plan", "total", "of", "by hand", "remark"],
        ["ada", "2", "2.5", "4.5", "5", "", ""],
        ["alan", "0", "0", "0", "5", "", "not graded: The file is damaged, quite."],
        ["emmy", "", "", "0", "5", "", "not graded: KilledWorker"],
        ["grace", "0.67", "", "0.42", "5", "plan", ""],
        ["kurt", "", "", "0", "5", "", "no notebook, only essay.txt"],
        ["sofia", "", "", "0", "5", "", "not graded: the run was interrupted"],
    ]


def test_points_given_by_hand_are_shown_while_another_look_is_due():
    """Rejects hiding them when a submission changed after it was graded by hand."""
    text = table(COLUMNS, POINTS, {"ada": Row({"softmax-check": 2.0, "plan": 2.5}, ["plan"], 0.0)}, RECORDS, RunNotes())
    assert text.splitlines()[1] == "ada,2,2.5,4.5,5,plan,"


def test_the_summary_names_everybody_who_needs_attention(tmp_path):
    """Rejects a summary that counts a failure as graded, or leaves out a reason."""
    folder = Folder(tmp_path, "02", "02")
    for one in RECORDS.values():
        save(folder, one)
    save_run_notes(folder, RUN_NOTES)
    text = write_report(folder, POINTS, HEADINGS, ROWS, RECORDS)
    assert folder.summary.read_text(encoding="utf-8") == text
    assert "2 of 5 submissions are graded" in text
    assert "Interrupted before the end: 1;" in text
    for words in (
        "alan: The file is damaged, quite.",
        "emmy: KilledWorker",
        "grace: the kernel was killed; `plan` is missing",
        "ada: 2 versions were handed in",
        "kurt: no notebook, only essay.txt",
        "x.ipynb: whose?",
        "submissions: 1; exercises: plan",
    ):
        assert words in text
    assert folder.table.read_text(encoding="utf-8") == table(COLUMNS, POINTS, ROWS, RECORDS, RUN_NOTES)


def test_a_changed_hand_in_that_was_not_reached_does_not_count(tmp_path):
    """Rejects counting its earlier version: the points of the table are not of what was handed in."""
    folder = Folder(tmp_path, "02", "02")
    save_run_notes(folder, RunNotes(waiting=["ada"], failed={"grace": "KilledWorker"}))
    text = write_report(folder, POINTS, HEADINGS, ROWS, RECORDS)
    assert "0 of 3 submissions are graded" in text
    assert "ada,2,2.5,4.5,5,,not graded: the run was interrupted" in folder.table.read_text(encoding="utf-8")


def test_columns_have_the_numbers_of_their_exercises():
    """Rejects names that an instructor has to look up in the notebook."""
    assert {name: column(name, HEADINGS[name]) for name in POINTS} == COLUMNS
