"""Submissions are read whatever their bytes, and only their answers and added cells reach the released notebook."""

import copy
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grading.submission import UnreadableSubmission, answers, has_answers, names, read, rebuild

from .assignment import DOUBLE, GIVEN, STUBS, TRIPLE, cell


@pytest.fixture
def release():
    """The release of the small assignment, with a plain code cell."""
    cells = [
        new_markdown_cell("# Numbers", id="title"),
        cell(new_code_cell, GIVEN, "given"),
        new_code_cell("double_me = 3", id="example"),
        cell(new_code_cell, STUBS["double"], "double", answer=True),
        cell(new_code_cell, "check_double(double)", "double-check", 2),
        cell(new_code_cell, STUBS["triple"], "triple", answer=True),
        cell(new_code_cell, "assert triple(2) == 6", "triple-check", 3),
        cell(new_markdown_cell, STUBS["why"], "why", 4, answer=True),
    ]
    return new_notebook(cells=cells)


def submitted(release, change=lambda notebook: None, **answers):
    """The bytes of a submission: the release with answers, then changed as JSON."""
    notebook = json.loads(nbformat.writes(release))
    for one in notebook["cells"]:
        one["source"] = answers.get(one["id"], one["source"])
    return json.dumps(change(notebook) or notebook)


def rebuilt(release, change=lambda notebook: None, **answers):
    """The rebuilt notebook, the sources of its cells, and the notes."""
    notebook, notes = rebuild(release, read(submitted(release, change, **answers).encode()))
    return notebook, [cell.source for cell in notebook.cells], notes


def place(notebook, name):
    """The index of a cell in a notebook as JSON."""
    return next(k for k, cell in enumerate(notebook["cells"]) if cell.get("id") == name)


def insert(notebook, name, source, kind="code", **more):
    """Insert an added cell before a cell."""
    own = {"cell_type": kind, "metadata": {}, "source": source, "id": f"own-{len(notebook['cells'])}", **more}
    notebook["cells"].insert(place(notebook, name), own)


def test_only_answers_change_the_release(release):
    """Rejects a rebuild that changes anything else, writes into the release, or takes whitespace for an answer."""
    before = copy.deepcopy(release)
    blank = read(submitted(release, double=STUBS["double"].replace("\n", "  \n") + "\n\n").encode())
    assert has_answers(release, blank) == set()
    assert rebuilt(release)[::2] == (release, [])
    submission = read(submitted(release, double=DOUBLE, why="It *adds*.").encode())
    notebook, notes = rebuild(release, submission)
    expected = {"double": DOUBLE, "triple": STUBS["triple"], "why": "It *adds*."}
    assert {cell.id: cell.source for cell in notebook.cells if cell.id in expected} == expected
    assert notes == []
    assert has_answers(release, submission) == {"double", "why"}
    assert answers(release, submission) == expected
    assert release == before


def test_added_and_edited_plain_cells_keep_their_place(release):
    """Rejects a rebuild that drops what students add, or runs it too early or too late."""

    def change(notebook):
        insert(notebook, "double", "def half(x): return x")
        insert(notebook, "why", "A thought.", "markdown")
        insert(notebook, "title", "import math")
        insert(notebook, "given", "   ")
        notebook["cells"][place(notebook, "example")]["source"] = "double_me = 4"

    notebook, sources, notes = rebuilt(release, change, double=DOUBLE)
    assert sources[0] == "import math"
    assert sources[3:7] == ["double_me = 3", "double_me = 4", "def half(x): return x", DOUBLE]
    assert sources[-2:] == ["A thought.", STUBS["why"]]
    assert len(sources) == len(release.cells) + 4
    assert notes == []
    nbformat.validate(notebook)


def test_locked_cells_points_and_order_come_from_the_course(release):
    """Rejects a rebuild that believes a submission about them."""

    def change(notebook):
        notebook["cells"][place(notebook, "double-check")]["source"] = "pass"
        notebook["cells"][place(notebook, "triple-check")]["metadata"]["nbgrader"]["points"] = 100
        notebook["cells"].pop(place(notebook, "given"))
        notebook["cells"].reverse()

    notebook, _, notes = rebuilt(release, change)
    assert notebook == release
    assert notes == [
        "`given` is missing: put back",
        "`double-check` is a locked cell and was edited: restored",
        "the points of `triple-check` were changed: restored",
    ]


def test_the_last_of_several_answers_counts(release):
    """Rejects taking the first copy or a copy of the stub, losing the first, and the kind of a cell from outside."""

    def change(notebook):
        answer = notebook["cells"][place(notebook, "double")]
        insert(notebook, "double", "first = 1", metadata=answer["metadata"])
        insert(notebook, "double-check", STUBS["double"], metadata=answer["metadata"])
        answer["cell_type"] = "raw"

    notebook, sources, notes = rebuilt(release, change, double=DOUBLE)
    assert sources[3:5] == ["first = 1", DOUBLE]
    assert notebook.cells[4].cell_type == "code"
    assert notes == [
        "`double` was changed into another kind of cell: restored",
        "`double` is there 2 times with different answers: the last one counts",
    ]


@pytest.mark.parametrize("ids", [True, False], ids=["by cell id", "by definition"])
def test_answers_without_metadata_are_found(release, ids):
    """Rejects a rebuild in which the stub follows, and undoes, an answer without its grade id."""

    def change(notebook):
        for k, one in enumerate(notebook["cells"]):
            one["metadata"] = {}
            if not ids:
                one.pop("id")
            elif k == 5:
                one["source"] = "triple = lambda x: 3 * x"

    answer = "x = 1" if ids else DOUBLE
    _, sources, notes = rebuilt(release, change, double=answer, triple=TRIPLE)
    assert sources[3:5] == [answer, "check_double(double)"]
    assert "`double` had lost its grade id: recognised by its content" in notes
    assert len(sources) == len(release.cells)


def test_an_answer_beside_its_stub_stays_an_added_cell(release):
    """Rejects moving a function into another cell because of its name."""
    _, sources, _ = rebuilt(release, lambda notebook: insert(notebook, "double-check", DOUBLE))
    assert sources[3:5] == [STUBS["double"], DOUBLE]


@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("import os\nos._exit(0)", ["review: os._exit (in `double`)"]),
        ("def check_double(*a): pass", ["review: check_double is redefined (in `double`)"]),
        ("from os.path import isabs as isclose", ["review: isclose is redefined (in `double`)"]),
        ("rows = 3", []),
        ("from math import isclose", []),
    ],
)
def test_tampering_is_noted(release, code, notes):
    """Rejects silence about redefined checks, and notes on names that no check uses or on the same import."""
    release.cells.insert(2, cell(new_code_cell, "rows = [1, 2]", "rows"))
    assert rebuilt(release, double=f"{code}\n{DOUBLE}")[2] == notes


def test_names_that_code_defines():
    code = (
        "import a.b, c as d\nfrom e import f\nx = y = 1\ndef g(): h = 1\nclass I: j = 1\nwith k() as m: n = 2\nz += 1"
    )
    assert names(code) == {"a.b": "a.b", "d": "c", "f": "e.f"} | dict.fromkeys(["x", "y", "g", "I", "m", "n", "z"], "")
    assert names("def broken(") == {}


# ── Reading ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.4", "a PDF"),
        (b"\xff\xff", "damaged"),
        (b"1" * 5000, "damaged"),
        (b'{"cells": {}}', "no cells"),
        (b'{"worksheets": [1, {"cells": 2}]}', "no cells"),
        (b'{"cells": [{"source": "' + b"x" * (5 << 20) + b'"}]}', "too large"),
        (b'{"cells": [' + b"{}," * 3000 + b"{}]}", "too large"),
        (b" " * (65 << 20), "too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_unreadable_bytes_have_a_reason(data, reason):
    """Rejects another exception, or none (hostile.py has more files)."""
    with pytest.raises(UnreadableSubmission, match=reason):
        read(data)


def test_cells_of_any_type_are_read():
    """Rejects a reader that trusts the types of what it finds."""
    rights = {"nbgrader": {"grade_id": "x", "points": 7}}
    cells = [
        {"cell_type": "code", "source": ["a\n", 1, None, "b"], "metadata": rights},
        {"cell_type": [], "source": {"a": 1}, "metadata": []},
        {"cell_type": "code", "source": "c", "metadata": {"nbgrader": {"grade_id": ["x"]}}, "id": 5},
        {"cell_type": "code", "input": "d\ud800", "metadata": None},
        5,
    ]
    submission = read(json.dumps({"nbformat": 4, "cells": cells}).encode())
    found = [(cell.kind, cell.grade_id, cell.source, cell.points, cell.label) for cell in submission.cells]
    assert found == [
        ("code", "x", "a\nb", 7, None),
        ("markdown", None, "", None, None),
        ("code", None, "c", None, None),
        ("code", None, "d?", None, None),
    ]
    assert submission.notes == ["some cells are not valid and were omitted"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_other_encodings_are_read(release, encoding):
    """Rejects a reader that knows UTF-8 only."""
    text = json.dumps(json.loads(submitted(release, double="s = '学生'")), ensure_ascii=False)
    submission = read(text.encode(encoding))
    assert answers(release, submission)["double"] == "s = '学生'"
    assert submission.notes == []
