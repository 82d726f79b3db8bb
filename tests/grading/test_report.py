"""The table and the summary agree with the gradebook and the records."""

import csv
import io

import pytest

from grading.folder import Folder, Record, RunNotes, save_run_notes
from grading.gradebook import Row
from grading.job import Outcome
from grading.report import table, write_report

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
    "ada": Row({"softmax-check": 2.0, "plan": 2.5}, ["plan"], 0.0),
    "alan": Row({"softmax-check": 0.0, "plan": 0.0}, [], 0.0),
    "grace": Row({"softmax-check": 2 / 3, "plan": 0.0}, ["plan"], 0.25),
}
RUN_NOTES = RunNotes(
    {"ada": "2 versions were submitted"},
    {"kurt": "no notebook, only essay.txt"},
    {"emmy": "KilledWorker"},
    ["x.ipynb: whose?"],
    ["sofia"],
)
WAITING = RunNotes(waiting=["ada"], failed={"grace": "KilledWorker"})


def test_each_student_has_one_row_and_each_exercise_a_column():
    """Rejects 0 for ungraded exercises, hiding old points given by hand, a lost student or penalty, long floats."""
    assert list(csv.reader(io.StringIO(table(COLUMNS, POINTS, ROWS, RECORDS, RUN_NOTES)))) == [
        ["student", "1 softmax-check", "plan", "total", "of", "by hand", "remark"],
        ["ada", "2", "2.5", "4.5", "5", "plan", ""],
        ["alan", "0", "0", "0", "5", "", "not graded: The file is damaged, quite."],
        ["emmy", "", "", "0", "5", "", "not graded: KilledWorker"],
        ["grace", "0.67", "", "0.42", "5", "plan", ""],
        ["kurt", "", "", "0", "5", "", "no notebook, only essay.txt"],
        ["sofia", "", "", "0", "5", "", "not graded: the run was interrupted"],
    ]


SUMMARY = [
    "2 of 5 submissions are graded",
    "Interrupted before the end: 1;",
    "alan: The file is damaged, quite.",
    "emmy: KilledWorker",
    "grace: the kernel was killed; `plan` is missing",
    "ada: 2 versions were submitted",
    "kurt: no notebook, only essay.txt",
    "x.ipynb: whose?",
    "submissions: 2; exercises: plan",
]


@pytest.mark.parametrize(
    ("notes", "summary", "row"),
    [
        (RUN_NOTES, SUMMARY, "ada,2,2.5,4.5,5,plan,\n"),
        (WAITING, ["0 of 3 submissions are graded"], "ada,2,2.5,4.5,5,plan,not graded: the run was interrupted\n"),
    ],
)
def test_the_summary_names_everybody_who_needs_attention(notes, summary, row, tmp_path):
    """Rejects counting a failure, or the old version of a changed submission, as graded, and a missing reason."""
    folder = Folder(tmp_path, "02", "02")
    save_run_notes(folder, notes)
    text = write_report(folder, POINTS, HEADINGS, ROWS, RECORDS)
    assert folder.summary.read_text(encoding="utf-8") == text
    assert [words for words in summary if words not in text] == []
    written = folder.table.read_text(encoding="utf-8")
    assert written == table(COLUMNS, POINTS, ROWS, RECORDS, notes)
    assert row in written
