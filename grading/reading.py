"""Read the cells of a submission from arbitrary bytes."""

import json
from dataclasses import dataclass, field

MAX_FILE_BYTES, MAX_SOURCE_CHARS, MAX_CELLS = 64 << 20, 4 << 20, 2000
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\x1f\x8b": "a gzip archive",
}


class UnreadableSubmission(ValueError):
    """Why a file cannot be read as a notebook."""


@dataclass(frozen=True)
class Cell:
    """A cell of a submission; `label` is its cell id, `points` what its metadata claim."""

    kind: str
    grade_id: str | None
    source: str
    label: str | None = None
    points: object = None


@dataclass
class Submission:
    """The cells of a submission, and notes on anomalies of the file."""

    cells: list[Cell]
    notes: list[str] = field(default_factory=list)


def read(data: bytes) -> Submission:
    """Read a notebook of any version, however broken.

    Raises UnreadableSubmission with the reason if it has no cells.
    """
    notes: list[str] = []
    content = parsed(data, notes)
    if not isinstance(content, dict):
        raise UnreadableSubmission("The file is not a notebook: it is JSON of another kind.")
    version = content.get("nbformat")
    if version not in (3, 4):
        notes.append(f"the file says that its format is version {str(version)[:20]!r}, which is unknown")
    found = content.get("cells")
    if not isinstance(found, list):  # before version 4 cells lay in worksheets
        sheets = content.get("worksheets") if isinstance(content.get("worksheets"), list) else []
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        found = [cell for part in parts if isinstance(part, list) for cell in part]
    cells = [cell_of(raw) for raw in found[: MAX_CELLS + 1] if isinstance(raw, dict)]
    if not cells:
        raise UnreadableSubmission("The notebook has no cells.")
    if len(found) > MAX_CELLS or sum(len(cell.source) for cell in cells) > MAX_SOURCE_CHARS:
        raise UnreadableSubmission("The notebook is too large: more code than a person can have written.")
    if len(cells) < len(found):
        notes.append("some cells are not valid and were omitted")
    return Submission(cells, notes)


def parsed(data: bytes, notes: list[str]) -> object:
    """The JSON in these bytes."""
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableSubmission(
            f"The file is too large ({len(data) >> 20} MB). Clear its outputs and submit it again."
        )
    if not data.strip(b"\0 \r\n\t"):
        raise UnreadableSubmission("The file is empty.")
    for start, what in OTHER_FORMATS.items():
        if data.startswith(start):
            raise UnreadableSubmission(f"The file is {what}, not a notebook.")
    if data.lstrip()[:1] == b"<" and b"<<<<<<<" not in data:
        raise UnreadableSubmission("The file is a web page, not a notebook.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, "replace")
    if "\ufffd" in text:
        notes.append("some bytes of the file are not text and were replaced by �")
    try:
        return json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        if "<<<<<<<" in text and ">>>>>>>" in text:
            raise UnreadableSubmission("The file holds the marks of an unresolved merge (<<<<<<<).") from None
        raise UnreadableSubmission(f"The file is damaged: it is not JSON ({str(error)[:80]}).") from None


def cell_of(raw: dict) -> Cell:
    """A cell made from any JSON object."""
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    rights = metadata.get("nbgrader") if isinstance(metadata.get("nbgrader"), dict) else {}
    kind = raw.get("cell_type")
    return Cell(
        kind if kind in ("code", "markdown") else "markdown",
        rights["grade_id"] if isinstance(rights.get("grade_id"), str) else None,
        text_of(raw.get("source", raw.get("input", ""))),
        raw["id"] if isinstance(raw.get("id"), str) else None,
        rights.get("points"),
    )


def text_of(source: object) -> str:
    """The text of a cell, given as a string or as lines; characters that UTF-8 cannot encode become "?"."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source.encode("utf-8", "replace").decode() if isinstance(source, str) else ""
