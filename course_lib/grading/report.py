"""What the instructor reads: a table with a row a student, and who was graded, who was not and why, whom to look at."""

import csv
import io
import re

from .folder import Around, Folder, Record, load_around, write
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
    around = load_around(folder)
    columns = {name: column(name, headings.get(name, "")) for name in points}
    write(folder.table, table(columns, points, rows, records, around).encode("utf-8"))
    text = summary(folder, columns, rows, records, around)
    write(folder.summary, text.encode("utf-8"))
    return text


# ── The table ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def column(name: str, heading: str) -> str:
    """An exercise with its number, where its heading has one: "2 look-check" under "## 2 · One look, with padding"."""
    number = re.match(r"\d+", heading)
    return f"{number[0]} {name}" if number else name


def table(
    columns: dict[str, str],
    points: dict[str, float],
    rows: dict[str, Row],
    records: dict[str, Record],
    around: Around,
) -> str:
    """The table as CSV: a column for each exercise, empty where a hand has to give the points."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["student", *columns.values(), *TOTALS])
    for student in sorted({*rows, *around.without, *around.failed, *around.waiting}):
        lines.writerow([student, *line(columns, points, rows.get(student)), remark(student, records, around)])
    return text.getvalue()


def line(columns: dict[str, str], points: dict[str, float], row: Row | None) -> list[str]:
    """A student's fields between the name and the remark."""
    if row is None:
        return [*[""] * len(points), "0", plain(sum(points.values())), ""]
    given = ["" if name in row.by_hand and not row.points[name] else plain(row.points.get(name, 0)) for name in points]
    total = max(0.0, sum(row.points.get(name, 0) for name in points) - row.penalty)
    by_hand = ", ".join(columns[name] for name in points if name in row.by_hand)
    return [*given, plain(total), plain(sum(points.values())), by_hand]


def remark(student: str, records: dict[str, Record], around: Around) -> str:
    """Why a row has no points, in words."""
    if student in around.failed:
        return NOT_GRADED + around.failed[student]
    if student in around.waiting:
        return NOT_GRADED + "the run was interrupted"
    record = records.get(student)
    if record is None:
        return around.without.get(student, NOT_GRADED + "its record is gone; the same command grades it")
    return "" if record.outcome.graded else NOT_GRADED + record.outcome.reason


def plain(number: float) -> str:
    """2 for 2.0, 0.33 for a third."""
    return f"{round(number, 2):g}"


# ── The summary ───────────────────────────────────────────────────────────────────────────────────────────────────────


def summary(
    folder: Folder, columns: dict[str, str], rows: dict[str, Row], records: dict[str, Record], around: Around
) -> str:
    """The whole class on one page."""
    ended = {one: record.outcome for one, record in records.items() if one not in (*around.failed, *around.waiting)}
    graded = [one for one, outcome in ended.items() if outcome.graded]
    not_graded = {one: outcome.reason for one, outcome in ended.items() if not outcome.graded}
    by_hand = [columns[name] for name in columns if any(name in row.by_hand for row in rows.values())]
    several = len({*records, *around.failed, *around.waiting})
    parts = [f"{folder.assignment}: {len(graded)} of {several} hand-ins are graded."]
    if around.waiting:
        parts.append(f"Interrupted before the end: {len(around.waiting)}; the same command goes on with them.")
    parts += section("Could not be graded, and will not be until they change (their feedback says why):", not_graded)
    parts += section("Failed on this machine or its workers; the same command tries them again:", around.failed)
    parts += section("Look at:", worth_a_look(records, around))
    parts += section("Handed in something, but not this:", around.without)
    parts += [f"Passed over: {problem}" for problem in around.problems]
    if by_hand:
        whose = f"hand-ins: {sum(bool(row.by_hand) for row in rows.values())}"
        parts.append(f"To be graded by hand (docs/instructors.md), {whose}; exercises: {', '.join(by_hand)}")
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
