"""Submissions are read whatever they are, and their answers put back onto the release: nothing else of them counts."""

import copy
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grading.submission import UnreadableSubmission, answers, has_answers, names, read, rebuild

from .assignment import DOUBLE, GIVEN, TRIPLE, nbgrader, released


def stub(name):
    """What students find."""
    return f'def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError("replace this line")'


@pytest.fixture
def release():
    """A release like that of the small assignment, with a plain code cell and a text graded by hand."""
    cells = [
        new_markdown_cell("# Numbers", id="title"),
        new_code_cell(GIVEN, metadata=nbgrader("given"), id="given"),
        new_code_cell("double_me = 3", id="example"),
        new_code_cell(stub("double"), metadata=nbgrader("double", solution=True), id="double"),
        new_code_cell("check_double(double)", metadata=nbgrader("double-check", points=2), id="double-check"),
        new_code_cell(stub("triple"), metadata=nbgrader("triple", solution=True), id="triple"),
        new_code_cell("assert triple(2) == 6", metadata=nbgrader("triple-check", points=3), id="triple-check"),
        new_markdown_cell("YOUR ANSWER HERE", metadata=nbgrader("why", points=4, solution=True), id="why"),
    ]
    return new_notebook(cells=cells)


def submitted(release, change=lambda notebook: None, **answers):
    """A submission that has been read."""
    return read(released(release, change, **answers))


def sources(notebook):
    """The sources of all cells."""
    return [cell.source for cell in notebook.cells]


def place(notebook, name):
    """Where a cell of a plain notebook stands."""
    return next(k for k, cell in enumerate(notebook["cells"]) if cell.get("id") == name)


def own(source, kind="code"):
    """A cell that a student adds."""
    return {"cell_type": kind, "metadata": {}, "source": source, "id": f"own-{abs(hash(source)) % 10**8}"}


def test_what_was_not_touched_stays_as_it_is(release):
    """Rejects a rebuild that changes anything by itself."""
    notebook, notes = rebuild(release, submitted(release))
    assert notebook == release
    assert notes == []
    assert has_answers(release, submitted(release)) == set()


def test_answers_are_put_back_code_and_texts_graded_by_hand(release):
    """Rejects a rebuild that takes cells with points for locked ones, or forgets those of text."""
    submission = submitted(release, double=DOUBLE, why="It *adds*.")
    notebook, notes = rebuild(release, submission)
    assert sources(notebook)[3] == DOUBLE
    assert sources(notebook)[7] == "It *adds*."
    assert sources(notebook)[5] == stub("triple")
    assert notes == []
    assert has_answers(release, submission) == {"double", "why"}
    assert answers(release, submission) == {"double": DOUBLE, "triple": stub("triple"), "why": "It *adds*."}


def test_the_release_itself_is_never_changed(release):
    """Rejects a rebuild that writes into the notebook that serves the next student."""
    before = copy.deepcopy(release)
    rebuild(release, submitted(release, double="x = 1"))
    assert release == before


def test_blanks_at_the_ends_of_lines_are_no_answer(release):
    """Rejects a comparison that takes an editor's blanks for an answer, or for an edited cell."""
    submission = submitted(release, double=stub("double").replace("\n", "  \n") + "\n\n")
    assert has_answers(release, submission) == set()


def test_added_cells_stay_behind_the_cell_they_followed(release):
    """Rejects a rebuild that drops what students add, or collects it where it comes too early or too late."""

    def add(notebook):
        notebook["cells"].insert(place(notebook, "double"), own("def half(x): return x"))
        notebook["cells"].insert(place(notebook, "why"), own("A thought.", "markdown"))
        notebook["cells"].insert(0, own("import math"))
        notebook["cells"].insert(place(notebook, "title") + 1, own("   "))

    notebook, notes = rebuild(release, submitted(release, add, double=DOUBLE))
    assert sources(notebook)[0] == "import math"
    assert sources(notebook)[3:6] == ["double_me = 3", "def half(x): return x", DOUBLE]
    assert sources(notebook)[-2:] == ["A thought.", "YOUR ANSWER HERE"]
    assert len(notebook.cells) == len(release.cells) + 3
    assert notes == []
    nbformat.validate(notebook)


def test_a_plain_cell_that_was_edited_stands_behind_the_one_of_the_release(release):
    """Rejects a rebuild that loses what was written into a cell that belongs to nobody."""

    def edit(notebook):
        notebook["cells"][place(notebook, "example")]["source"] = "double_me = 4"

    notebook, _ = rebuild(release, submitted(release, edit))
    assert sources(notebook)[2:4] == ["double_me = 3", "double_me = 4"]


def test_locked_cells_points_and_order_come_from_the_course(release):
    """Rejects a rebuild that believes what a submission says about them."""

    def bend(notebook):
        notebook["cells"][place(notebook, "double-check")]["source"] = "pass"
        notebook["cells"][place(notebook, "triple-check")]["metadata"]["nbgrader"]["points"] = 100
        notebook["cells"].pop(place(notebook, "given"))
        notebook["cells"].reverse()

    notebook, notes = rebuild(release, submitted(release, bend))
    assert notebook == release
    assert notes == [
        "`given` is missing: put back",
        "`double-check` is a locked cell and was edited: restored",
        "the points of `triple-check` were changed: restored",
    ]


def test_of_two_answers_the_last_one_counts_and_the_first_is_run_before_it(release):
    """Rejects a rebuild that takes the first copy, or a copy of the stub, for the answer."""

    def copies(notebook):
        cell = notebook["cells"][place(notebook, "double")]
        notebook["cells"].insert(place(notebook, "double"), {**cell, "source": "first = 1", "id": "a"})
        notebook["cells"].insert(place(notebook, "double-check"), {**cell, "source": stub("double"), "id": "b"})

    notebook, notes = rebuild(release, submitted(release, copies, double=DOUBLE))
    assert sources(notebook)[3:5] == ["first = 1", DOUBLE]
    assert notes == ["`double` is there 2 times with different answers: the last one counts"]


def test_an_answer_that_became_text_is_code_again(release):
    """Rejects a rebuild that takes the kind of a cell from the submission."""

    def as_text(notebook):
        notebook["cells"][place(notebook, "double")]["cell_type"] = "raw"

    notebook, notes = rebuild(release, submitted(release, as_text, double=DOUBLE))
    assert notebook.cells[3].cell_type == "code"
    assert notes == ["`double` was changed into another kind of cell: restored"]


@pytest.mark.parametrize("ids", [True, False], ids=["by the ids of cells", "by what they define"])
def test_answers_are_found_where_the_metadata_are_gone(release, ids):
    """Rejects a rebuild in which an answer without its grade id is followed, and undone, by the stub."""

    def strip(notebook):
        for cell in notebook["cells"]:
            cell["metadata"] = {}
            if not ids:
                cell.pop("id")

    notebook, notes = rebuild(release, submitted(release, strip, double=DOUBLE, triple=TRIPLE))
    assert sources(notebook) == [*sources(release)[:3], DOUBLE, "check_double(double)", TRIPLE, *sources(release)[6:]]
    assert "`double` had lost its grade id: recognised by its content" in notes


def test_an_answer_beside_its_stub_stays_an_added_cell(release):
    """Rejects a rebuild that puts a function into the cell of another answer because of its name."""

    def beside(notebook):
        notebook["cells"].insert(place(notebook, "double-check"), own(DOUBLE))

    notebook, _ = rebuild(release, submitted(release, beside))
    assert sources(notebook)[3:5] == [stub("double"), DOUBLE]


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("import os\nos._exit(0)", "review: os._exit (in `double`)"),
        ("def check_double(*a): pass", "review: check_double is redefined (in `double`)"),
        ("from os.path import isabs as isclose", "review: isclose is redefined (in `double`)"),
    ],
)
def test_what_is_worth_a_look_is_said(release, code, note):
    """Rejects a rebuild that lets a bent check pass without a word."""
    assert note in rebuild(release, submitted(release, double=f"{code}\n{DOUBLE}"))[1]


def test_a_name_that_no_check_uses_may_have_any_meaning(release):
    """Rejects notes on every student who calls a number as the course calls one in an example."""
    release.cells.insert(2, new_code_cell("rows = [1, 2]", id="example", metadata=nbgrader("example")))
    assert rebuild(release, submitted(release, double=f"rows = 3\n{DOUBLE}"))[1] == []


def test_an_import_of_the_same_thing_is_nothing_to_look_at(release):
    """Rejects notes on every `import numpy as np`."""
    assert rebuild(release, submitted(release, double=f"from math import isclose\n{DOUBLE}"))[1] == []


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
        (b"", "is empty"),
        (b"\0" * 100, "is empty"),
        (b"PK\x03\x04", "a zip archive"),
        (b"%PDF-1.4", "a PDF"),
        (b"<html>", "a web page"),
        (b"[]", "another kind"),
        (b"\xff\xff", "damaged"),
        (b"[" * 10**5, "damaged"),
        (b"1" * 5000, "damaged"),
        (b'{"cells": {}}', "no cells"),
        (b'{"worksheets": [1, {"cells": 2}]}', "no cells"),
        (b'{"cells": [{"source": "' + b"x" * (5 << 20) + b'"}]}', "too large"),
        (b'{"cells": [' + b"{}," * 3000 + b"{}]}", "too large"),
        (b"{\n<<<<<<< a\n=======\n>>>>>>> b\n}", "unresolved merge"),
        (b" " * (65 << 20), "too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_said_in_words(data, reason):
    """Rejects a reader that stops in another way, or gives no reason."""
    with pytest.raises(UnreadableSubmission, match=reason):
        read(data)


def test_cells_of_any_type_are_read():
    """Rejects a reader that believes the types of what it finds."""
    cells = [
        {
            "cell_type": "code",
            "source": ["a\n", 1, None, "b"],
            "metadata": {"nbgrader": {"grade_id": "x", "points": 7}},
        },
        {"cell_type": [], "source": {"a": 1}, "metadata": []},
        {"cell_type": "code", "source": "c", "metadata": {"nbgrader": {"grade_id": ["x"]}}, "id": 5},
        {"cell_type": "code", "input": "d", "metadata": None},
        5,
    ]
    submission = read(json.dumps({"nbformat": 4, "cells": cells}).encode())
    found = [(cell.kind, cell.grade_id, cell.source, cell.points, cell.label) for cell in submission.cells]
    assert found == [
        ("code", "x", "a\nb", 7, None),
        ("markdown", None, "", None, None),
        ("code", None, "c", None, None),
        ("code", None, "d", None, None),
    ]
    assert submission.notes == ["some cells are not valid and were omitted"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_other_encodings_are_read(release, encoding):
    """Rejects a reader that knows UTF-8 only, as some editors do not."""
    submission = read(released(release, double="s = '学生'").decode().encode(encoding))
    assert answers(release, submission)["double"] == "s = '学生'"
    assert submission.notes == []


def test_text_that_cannot_be_written_is_replaced(release):
    """Rejects a reader whose strings stop whoever writes them to a file."""
    submission = submitted(release, double="s = '\ud800'")
    notebook, _ = rebuild(release, submission)
    assert nbformat.writes(notebook).encode()
    assert answers(release, submission)["double"] == "s = '?'"


def test_version_3_is_read(release):
    """Rejects a reader that looks for cells in one place only."""

    def worksheets(notebook):
        for cell in notebook["cells"]:
            cell["input"] = cell.pop("source")
        return {"nbformat": 3, "worksheets": [{"cells": notebook["cells"]}]}

    assert has_answers(release, submitted(release, worksheets, double=DOUBLE)) == {"double"}
