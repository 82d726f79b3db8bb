"""A class is graded by one command that may be interrupted and repeated: nothing is lost or done twice."""

import os
import re
import signal
import time

import pytest

from .assignment import NAME, call, contents, ended, give, make_class, make_course, start, submit, table

GOOD = {"double-check": "2", "triple-check": "3", "total": "5", "of": "9", "by hand": "why", "remark": ""}
EMPTY = {"student": "emmy", "double-check": "0", "triple-check": "3", "why": "0", "total": "3", "of": "9"}
GRADE = ("--from", "submissions", "--to", "results", "--jobs", 1)
LOOP = (
    "def double(n):\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass"
)


def good(row):
    """True for the row of a submission that is right, except for the text graded by hand."""
    return GOOD.items() <= row.items()


def data(folder):
    """{path: bytes} of all files."""
    return {path: content for path, (content, _) in contents(folder).items()}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class with all kinds of submissions, graded once."""
    course = make_course(tmp_path_factory.mktemp("course"))
    group = make_class(
        course / "submissions",
        ada=submit(),
        damaged=submit()[:-40],
        emmy=submit(double=None, why=None),
        Grace_Hopper_12=submit(triple="def triple(x):\n    return x"),
        kurt=submit(triple='def triple(x):\n    """os._exit"""\n    return 3 * x'),
    )
    (group / "linked").mkdir()
    (group / "linked" / f"{NAME}.ipynb").symlink_to(group / "ada" / f"{NAME}.ipynb")
    (group / "missing").mkdir()
    (group / "missing" / "essay.txt").write_text("I was ill.")
    return course, call(course, "grade", *GRADE[:-1], 2)


def test_everybody_has_a_row_points_and_one_page(graded):
    """Rejects points for a stub, another student's reason, a second page, and silence about missing points."""
    course, done = graded
    assert done.status == 0, done.err
    rows = table(course / "results")
    assert good(rows["ada"])
    assert good(rows["kurt"])
    assert rows["emmy"] == EMPTY | {"by hand": "", "remark": ""}
    assert (rows["Grace Hopper 12"]["triple-check"], rows["Grace Hopper 12"]["total"]) == ("0", "2")
    assert "damaged" in rows["damaged"]["remark"]
    assert "symbolic link" in rows["linked"]["remark"]
    assert rows["missing"]["remark"] == "no notebook, only essay.txt"
    assert (rows["damaged"]["total"], rows["damaged"]["by hand"], rows["damaged"]["why"]) == ("0", "", "0")
    pages = sorted(path.relative_to(course / "results" / "feedback").parts for path in course.rglob("feedback/*/*/*"))
    assert pages == [(name, NAME, f"{NAME}.html") for name in sorted(rows) if name != "missing"]
    assert re.search(r"kurt: .*os\._exit", done.out)


def test_a_second_run_changes_nothing(graded):
    """Rejects grading or writing again, and an order or a time in the table."""
    course, _ = graded
    before = contents(course / "results")
    assert call(course, "grade", *GRADE).status == 0
    after = contents(course / "results")
    assert data(course / "results") == {path: content for path, (content, _) in before.items()}
    kept = [path for path in before if {"records", "autograded", "feedback"} & set(path.parts) and NAME in path.parts]
    assert len(kept) > 10
    assert [path for path in kept if before[path] != after[path]] == []


def test_points_given_by_hand_survive_and_reach_feedback_and_table(graded):
    """Rejects a second `make grade` that removes them, and a `make feedback` that ignores them."""
    course, _ = graded
    give(course / "results", "ada", 2.5, "Well planned!")
    assert call(course, "feedback", "--to", "results").status == 0
    first = table(course / "results")["ada"]
    assert (first["why"], first["total"], first["by hand"]) == ("2.5", "7.5", "")
    page = course / "results" / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "Well planned!" in page.read_text(encoding="utf-8")
    before = data(course / "results")
    assert call(course, "grade", *GRADE).status == 0
    assert data(course / "results") == before


def test_only_a_changed_submission_is_graded_again(graded):
    """Rejects keeping the old points, grading the whole class again, and keeping manual points without a review."""
    course, _ = graded
    give(course / "results", "Grace Hopper 12", 3)
    before = contents(course / "results" / "records" / NAME)
    make_class(course / "late", Grace_Hopper_12=submit(why="A better reason."))
    assert call(course, "grade", "--from", "late", "--to", "results").status == 0
    row = table(course / "results")["Grace Hopper 12"]
    assert (row["triple-check"], row["why"], row["total"], row["by hand"]) == ("3", "3", "8", "why")
    after = contents(course / "results" / "records" / NAME)
    assert [path.name for path in before if before[path] != after[path]] == ["Grace Hopper 12.json"]


def test_one_program_at_a_time(graded):
    """Rejects two programs that write one gradebook."""
    import fcntl

    course, _ = graded
    with (course / "results" / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = call(course, "grade", *GRADE)
    assert done.status == 1
    assert "Another make grade" in done.err


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGKILL", -9)])
def test_an_interrupted_run_continues(name, status, tmp_path):
    """Rejects a run that starts again, loses finished work, keeps half a file, or leaves programs running."""
    course = make_course(tmp_path)
    (tmp_path / "private").mkdir()
    make_class(course / "submissions", ada=submit(), grace=submit(double=LOOP), kurt=submit())
    process, program = start(course, "grade", *GRADE, TMPDIR=str(tmp_path / "private"))
    seen = b""
    while b"1/3" not in seen and process.poll() is None:  # the first is finished, the second never ends
        seen += process.stderr.read(1)
    while not list(tmp_path.glob("private/grading-*/k*/connection.json")) and process.poll() is None:
        time.sleep(0.05)
    os.kill(program, getattr(signal, name))
    out, err = ended(process)
    assert out == [str(status)], seen.decode() + err
    before = contents(course / "results" / "records" / NAME)
    assert {path.stem for path in before} == {"ada"}
    if name == "SIGINT":
        remarks = [row["remark"] for row in table(course / "results").values()]
        assert remarks == ["", *2 * ["not graded: the run was interrupted"]]
    make_class(course / "submissions", grace=submit())
    assert call(course, "grade", *GRADE).status == 0
    assert list(table(course / "results")) == ["ada", "grace", "kurt"]
    assert all(map(good, table(course / "results").values()))
    after = contents(course / "results" / "records" / NAME)
    assert {path: after[path] for path in before} == before
    assert not [path for path in (course / "results").rglob("*") if path.name.endswith(".part")]
