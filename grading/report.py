"""The instructor's table, one row for each student, and the summary of the class."""

import csv
import io
import re

from .folder import Folder, Record, RunNotes, load_run_notes, write
from .gradebook import Row

TOTALS = ("total", "of", "by hand", "remark")
NOT_GRADED = "not graded: "


def write_report(
    folder: Folder,
    points: dict[str, float],
    headings: dict[str, str],
    rows: dict[str, Row],
    records: dict[str, Record],
) -> str:
    """Write the table and the summary into the folder of results, and return the summary."""
    run_notes = load_run_notes(folder)
    columns = {name: column(name, headings.get(name, "")) for name in points}
    write(folder.table, table(columns, points, rows, records, run_notes).encode("utf-8"))
    text = summary(folder, columns, rows, records, run_notes)
    write(folder.summary, text.encode("utf-8"))
    return text


# ── The table ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def column(name: str, heading: str) -> str:
    """An exercise with the number of its heading, if any: "2 masked-check" under "## 2 · Attention, with padding"."""
    number = re.match(r"\d+", heading)
    return f"{number[0]} {name}" if number else name


def table(
    columns: dict[str, str],
    points: dict[str, float],
    rows: dict[str, Row],
    records: dict[str, Record],
    run_notes: RunNotes,
) -> str:
    """The table as CSV: a column for each exercise, empty if its points must be given by hand."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["student", *columns.values(), *TOTALS])
    for student in sorted({*rows, *run_notes.missing, *run_notes.failed, *run_notes.waiting}):
        lines.writerow([student, *line(columns, points, rows.get(student)), remark(student, records, run_notes)])
    return text.getvalue()


def line(columns: dict[str, str], points: dict[str, float], row: Row | None) -> list[str]:
    """A student's fields between name and remark."""
    if row is None:
        return [*[""] * len(points), "0", plain(sum(points.values())), ""]
    given = ["" if name in row.by_hand and not row.points[name] else plain(row.points.get(name, 0)) for name in points]
    total = max(0.0, sum(row.points.get(name, 0) for name in points) - row.penalty)
    by_hand = ", ".join(columns[name] for name in points if name in row.by_hand)
    return [*given, plain(total), plain(sum(points.values())), by_hand]


def remark(student: str, records: dict[str, Record], run_notes: RunNotes) -> str:
    """Why a student has no points."""
    if student in run_notes.failed:
        return NOT_GRADED + run_notes.failed[student]
    if student in run_notes.waiting:
        return NOT_GRADED + "the run was interrupted"
    record = records.get(student)
    if record is None:
        return run_notes.missing.get(student, NOT_GRADED + "its record is gone; the same command grades it")
    return "" if record.outcome.graded else NOT_GRADED + record.outcome.reason


def plain(number: float) -> str:
    """A number with at most two decimals: 2 for 2.0, 0.33 for a third."""
    return f"{round(number, 2):g}"


# ── The summary ───────────────────────────────────────────────────────────────────────────────────────────────────────


def summary(
    folder: Folder, columns: dict[str, str], rows: dict[str, Row], records: dict[str, Record], run_notes: RunNotes
) -> str:
    """The summary of the class."""
    ended = {
        one: record.outcome for one, record in records.items() if one not in (*run_notes.failed, *run_notes.waiting)
    }
    graded = [one for one, outcome in ended.items() if outcome.graded]
    not_graded = {one: outcome.reason for one, outcome in ended.items() if not outcome.graded}
    by_hand = [columns[name] for name in columns if any(name in row.by_hand for row in rows.values())]
    several = len({*records, *run_notes.failed, *run_notes.waiting})
    parts = [f"{folder.assignment}: {len(graded)} of {several} submissions are graded."]
    if run_notes.waiting:
        parts.append(f"Interrupted before the end: {len(run_notes.waiting)}; the same command goes on with them.")
    parts += section("Could not be graded until they change (their feedback says why):", not_graded)
    parts += section("Failed on this machine or its workers; the same command tries them again:", run_notes.failed)
    parts += section("To be reviewed:", review_notes(records, run_notes))
    parts += section("Handed in something, but not this:", run_notes.missing)
    parts += [f"Passed over: {problem}" for problem in run_notes.problems]
    if by_hand:
        whose = f"submissions: {sum(bool(row.by_hand) for row in rows.values())}"
        parts.append(f"To be graded by hand (docs/instructors.md), {whose}; exercises: {', '.join(by_hand)}")
    parts.append(f"Table: {folder.table}   Feedback: {folder.root / 'feedback'}/")
    return "\n".join(parts) + "\n"


def section(heading: str, lines: dict[str, str]) -> list[str]:
    """A heading with one line for each student; empty if there are none."""
    return [heading, *(f"  {student}: {lines[student]}" for student in sorted(lines))] if lines else []


def review_notes(records: dict[str, Record], run_notes: RunNotes) -> dict[str, str]:
    """What to review in the graded submissions."""
    found = {}
    for student, record in records.items():
        reason = [record.outcome.reason] if record.outcome.graded and record.outcome.reason else []
        about = [*reason, *record.outcome.notes, *filter(None, [run_notes.notes.get(student)])]
        found |= {student: "; ".join(dict.fromkeys(about))} if about else {}
    return found
