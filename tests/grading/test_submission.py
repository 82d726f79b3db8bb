"""Only the answers and added cells of a submission reach the released notebook (hostile.py has broken files)."""

import copy

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grading.submission import answers, has_answers, read, rebuild

from .assignment import DOUBLE, RIGHT, STUBS, TRIPLE, cell, submit

RELEASE = nbformat.reads(submit(**dict.fromkeys(RIGHT)), as_version=4)


def insert(notebook, place, source, kind="code"):
    """Insert a cell before a place of the release."""
    own = {"cell_type": kind, "metadata": {}, "source": source, "id": f"own-{place}"}
    notebook["cells"].insert(place, own)


def test_only_answers_change_the_release():
    """Rejects a rebuild that changes anything else, writes into the release, or takes whitespace for an answer."""
    before = copy.deepcopy(RELEASE)
    blank = read(submit(double=STUBS["double"].replace("\n", "  \n") + "\n\n", triple=None, why=None))
    assert has_answers(RELEASE, blank) == set()
    assert rebuild(RELEASE, blank) == (RELEASE, [])
    submission = read(submit(triple=None))
    notebook, notes = rebuild(RELEASE, submission)
    expected = RIGHT | {"triple": STUBS["triple"]}
    assert [one.source for one in notebook.cells] == [expected.get(one.id, one.source) for one in RELEASE.cells]
    assert notes == []
    assert has_answers(RELEASE, submission) == {"double", "why"}
    assert answers(RELEASE, submission) == expected
    assert before == RELEASE


def test_added_cells_and_the_first_of_two_answers_keep_their_place():
    """Rejects dropping what students add, running it too early or late, and moving a function beside its stub."""

    def change(notebook):
        notebook["cells"][4]["source"] = "Write it."
        notebook["cells"].insert(2, dict(notebook["cells"][2], source="first = 1"))
        for place, source in ((8, "A thought."), (7, TRIPLE), (2, "def half(x): return x"), (1, "   "), (0, "a = 1")):
            insert(notebook, place, source, "markdown" if place == 8 else "code")

    notebook, notes = rebuild(RELEASE, read(submit(change, triple=None)))
    sources = [one.source for one in notebook.cells]
    assert sources[0] == "a = 1"
    assert sources[3:6] == ["def half(x): return x", "first = 1", DOUBLE]
    assert sources[7:11] == ["Write `triple`.", "Write it.", STUBS["triple"], TRIPLE]
    assert sources[-2:] == ["A thought.", RIGHT["why"]]
    assert len(sources) == len(RELEASE.cells) + 6
    assert notes == ["`double` is there 2 times with different answers: the last one counts"]
    nbformat.validate(notebook)


@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("import os\nos._exit(0)", ["review: os._exit (in `double`)"]),
        *[
            (code, ["review: isclose is redefined (in `double`)"])
            for code in (
                "from os.path import isabs as isclose",
                "x = isclose = 1",
                "def isclose(*a): pass",
                "class isclose: pass",
                "with open(0) as isclose: pass",
            )
        ],
        ("rows = 3", []),
        ("from math import isclose\ndef f(): isclose = 1", []),
        ("def broken(", []),
    ],
)
def test_tampering_is_noted(code, notes):
    """Rejects silence about redefined checks, and notes on names that no check uses or on the same import."""
    release = copy.deepcopy(RELEASE)
    release.cells.insert(2, cell(new_code_cell, "rows = [1, 2]", "rows"))
    submission = read(
        submit(lambda notebook: notebook["cells"].insert(2, release.cells[2]), double=f"{code}\n{DOUBLE}")
    )
    assert rebuild(release, submission)[1] == notes
