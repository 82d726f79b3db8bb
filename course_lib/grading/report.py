"""What the instructor reads: a table with a row a student, and who was graded, who was not and why, whom to look at."""

import csv
import io

from .folder import Around, Folder, Record, load_around, write
from .gradebook import Row

TOTALS = ("total", "of", "by hand", "remark")
NOTHING = "handed in nothing"
NOT_GRADED = "not graded: "


def write_report(folder: Folder, points: dict[str, float], rows: dict[str, Row], records: dict[str, Record]) -> str:
    """Write the table and the summary into the folder of results, and return the summary."""
    around = load_around(folder)
    write(folder.table, table(points, rows, records, around).encode("utf-8"))
    text = summary(folder, rows, records, around)
    write(folder.summary, text.encode("utf-8"))
    return text


# ── The table ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def table(points: dict[str, float], rows: dict[str, Row], records: dict[str, Record], around: Around) -> str:
    """The table as CSV: a column for each exercise, empty where a hand has to give the points."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["student", *points, *TOTALS])
    for student in sorted({*rows, *around.without, *around.failed}):
        lines.writerow([student, *line(points, rows.get(student), remark(student, records, around))])
    return text.getvalue()


def line(points: dict[str, float], row: Row | None, why: str) -> list[str]:
    """A student's fields after the name."""
    if row is None:
        return [*[""] * len(points), "0", plain(sum(points.values())), "", why]
    given = ["" if name in row.by_hand and not row.points[name] else plain(row.points.get(name, 0)) for name in points]
    total = max(0.0, sum(row.points.get(name, 0) for name in points) - row.penalty)
    by_hand = [name for name in points if name in row.by_hand]
    return [*given, plain(total), plain(sum(points.values())), " ".join(by_hand), why]


def remark(student: str, records: dict[str, Record], around: Around) -> str:
    """Why a row has no points, in words."""
    if student in around.failed:
        return NOT_GRADED + around.failed[student]
    record = records.get(student)
    if record is None:
        return NOTHING
    return "" if record.outcome.graded else NOT_GRADED + record.outcome.reason


def plain(number: float) -> str:
    """2 for 2.0, 0.33 for a third."""
    return f"{round(number, 2):g}"


# ── The summary ───────────────────────────────────────────────────────────────────────────────────────────────────────


def summary(folder: Folder, rows: dict[str, Row], records: dict[str, Record], around: Around) -> str:
    """The whole class on one page."""
    graded = [one for one, record in records.items() if record.outcome.graded]
    not_graded = {one: record.outcome.reason for one, record in records.items() if not record.outcome.graded}
    by_hand = sorted({name for row in rows.values() for name in row.by_hand})
    parts = [f"{folder.assignment}: {len(graded)} of {len(records) + len(around.failed)} hand-ins are graded."]
    parts += section("Could not be graded, and will not be until they change (their feedback says why):", not_graded)
    parts += section("Failed on this machine or its workers; the same command tries them again:", around.failed)
    parts += section("Look at:", worth_a_look(records, around))
    parts += section("Handed in, but for this assignment:", around.without)
    parts += [f"Passed over: {problem}" for problem in around.problems]
    if by_hand:
        waiting = sum(bool(row.by_hand) for row in rows.values())
        parts.append(f"To be graded by hand, for {waiting} students (docs/instructors.md): {', '.join(by_hand)}")
    parts.append(f"Table: {folder.table}   Feedback: {folder.root / 'feedback'}/")
    return "\n".join(parts) + "\n"


def section(heading: str, lines: dict[str, str]) -> list[str]:
    """A heading and a line a student; nothing for nobody."""
    return [heading, *(f"  {student}: {lines[student]}" for student in sorted(lines))] if lines else []


def worth_a_look(records: dict[str, Record], around: Around) -> dict[str, str]:
    """What was strange about a hand-in that was graded."""
    found = {}
    for student, record in records.items():
        reason = [record.outcome.reason] if record.outcome.graded and record.outcome.reason else []
        about = [*reason, *record.outcome.notes, *filter(None, [around.notes.get(student)])]
        found |= {student: "; ".join(dict.fromkeys(about))} if about else {}
    return found
