"""The table and the summary agree with the gradebook and the records."""

import csv

import pytest

from grading.folder import Folder, Record, RunNotes, save_run_notes
from grading.gradebook import Row
from grading.job import Outcome
from grading.report import write_report

POINTS = {"softmax-check": 2.0, "plan": 3.0}
HEADINGS = {"softmax-check": "1 · The softmax", "plan": "A plan"}


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


TABLE = {
    "ada": ["2", "2.5", "4.5", "5", "plan", ""],
    "alan": ["0", "0", "0", "5", "", "not graded: The file is damaged, quite."],
    "emmy": ["", "", "0", "5", "", "not graded: KilledWorker"],
    "grace": ["0.67", "", "0.42", "5", "plan", ""],
    "kurt": ["", "", "0", "5", "", "no notebook, only essay.txt"],
    "sofia": ["", "", "0", "5", "", "not graded: the run was interrupted"],
}
CHANGED = {
    "ada": ["2", "2.5", "4.5", "5", "plan", "not graded: the run was interrupted"],
    "grace": ["0.67", "", "0.42", "5", "plan", "not graded: KilledWorker"],
}
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
    ("notes", "summary", "changed"),
    [(RUN_NOTES, SUMMARY, {}), (WAITING, ["0 of 3 submissions are graded"], CHANGED)],
)
def test_the_table_and_the_summary_name_everybody(notes, summary, changed, tmp_path):
    """Rejects 0 for ungraded exercises, a lost student, penalty or reason, long floats, and old points as new ones."""
    folder = Folder(tmp_path, "02", "02")
    save_run_notes(folder, notes)
    text = write_report(folder, POINTS, HEADINGS, ROWS, RECORDS)
    assert folder.summary.read_text(encoding="utf-8") == text
    assert [words for words in summary if words not in text] == []
    found = list(csv.reader(folder.table.read_text(encoding="utf-8").splitlines()))
    assert found[0] == ["student", "1 softmax-check", "plan", "total", "of", "by hand", "remark"]
    expected = TABLE if notes is RUN_NOTES else {name: TABLE[name] for name in ROWS}
    assert {student: row for student, *row in found[1:]} == expected | changed
