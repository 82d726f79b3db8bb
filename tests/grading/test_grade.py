"""A class is graded by one command, which may be interrupted and given again: nothing is lost, nothing done twice."""

import contextlib
import os
import re
import select
import signal
import time
from pathlib import Path

import pytest

from .classes import (
    NAME,
    call,
    everything,
    give,
    make_class,
    make_course,
    start,
    submit,
    table,
)

GOOD = {"double-check": "2", "half-check": "1", "total": "3", "of": "6", "by hand": "plan", "remark": ""}
INTERRUPTED = "not graded: the run was interrupted"
LOOP = (
    "def double(n):\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass"
)


def good(row):
    """True for the row of a submission that is right in all that needs no hand."""
    return GOOD.items() <= row.items()


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class with all kinds of submissions, graded once."""
    course = make_course(tmp_path_factory.mktemp("course"))
    group = make_class(
        course / "submissions",
        ada=submit(),
        damaged=submit()[:-40],
        emmy=submit(double=None, plan=None),
        Grace_Hopper_12=submit(half="def half(n):\n    return n // 3"),
        kurt=submit(half='def half(n):\n    """os._exit"""\n    return n * 0.5'),
    )
    (group / "linked").mkdir()
    (group / "linked" / f"{NAME}.ipynb").symlink_to(group / "ada" / f"{NAME}.ipynb")
    (group / "without").mkdir()
    (group / "without" / "essay.txt").write_text("I was ill.")
    return course, call(course, "grade", "--from", "submissions", "--to", "results", "--jobs", 2)


def test_everybody_has_a_row_points_and_one_page(graded):
    """Rejects points for a stub, a neighbour's reason, a second page, and silence about those without points."""
    course, done = graded
    assert done.status == 0, done.complained
    rows = table(course / "results")
    assert good(rows["ada"])
    assert good(rows["kurt"])
    assert rows["emmy"] == {
        "student": "emmy",
        "double-check": "0",
        "half-check": "1",
        "plan": "0",
        "total": "1",
        "of": "6",
        "by hand": "",
        "remark": "",
    }
    assert (rows["Grace Hopper 12"]["half-check"], rows["Grace Hopper 12"]["total"]) == ("0", "2")
    assert "damaged" in rows["damaged"]["remark"]
    assert "symbolic link" in rows["linked"]["remark"]
    assert rows["without"]["remark"] == "no notebook, only essay.txt"
    assert (rows["damaged"]["total"], rows["damaged"]["by hand"], rows["damaged"]["plan"]) == ("0", "", "0")
    pages = sorted(path.relative_to(course / "results" / "feedback") for path in course.rglob("feedback/*/*/*"))
    assert [path.parts for path in pages] == [
        (name, NAME, f"{NAME}.html") for name in sorted(rows) if name != "without"
    ]
    assert re.search(r"kurt: .*os\._exit", done.said)


def test_again_nothing_is_done_and_all_bytes_are_the_same(graded):
    """Rejects grading again, writing again, and an order or a time in the table."""
    course, _ = graded
    before = everything(course / "results")
    done = call(course, "grade", "--from", "submissions", "--to", "results", "--jobs", 1)
    after = everything(course / "results")
    kept = {path for path in before if {"records", "autograded", "feedback"} & set(path.relative_to(course).parts[1:2])}
    assert {path for path in kept if path.parent.name == NAME and before[path] != after[path]} == set()
    assert {path: content for path, (content, _) in before.items()} == {
        path: content for path, (content, _) in after.items()
    }
    assert done.status == 0


def test_points_given_by_hand_survive_and_reach_feedback_and_table(graded):
    """Rejects a second `make grade` that takes them away, and a `make feedback` that does not know them."""
    course, _ = graded
    give(course / "results", "ada", 2.5, "Well planned!")
    assert call(course, "feedback", "--to", "results").status == 0
    first = table(course / "results")["ada"]
    assert (first["plan"], first["total"], first["by hand"]) == ("2.5", "5.5", "")
    assert "Well planned!" in (course / "results" / "feedback" / "ada" / NAME / f"{NAME}.html").read_text(
        encoding="utf-8"
    )
    before = {path: content for path, (content, _) in everything(course / "results").items()}
    assert call(course, "grade", "--from", "submissions", "--to", "results").status == 0
    assert {path: content for path, (content, _) in everything(course / "results").items()} == before


def test_a_changed_hand_in_is_graded_anew_and_no_other(graded):
    """Rejects keeping the old points, and grading the whole class again; the one graded by hand is looked at again."""
    course, _ = graded
    give(course / "results", "Grace Hopper 12", 3)
    before = everything(course / "results" / "records")
    make_class(course / "late", Grace_Hopper_12=submit(plan="A better plan."))
    assert call(course, "grade", "--from", "late", "--to", "results").status == 0
    row = table(course / "results")["Grace Hopper 12"]
    assert (row["half-check"], row["plan"], row["total"], row["by hand"]) == ("1", "3", "6", "plan")
    after = everything(course / "results" / "records")
    assert {path.name for path in before if path.parent.name == NAME and before[path] != after[path]} == {
        "Grace Hopper 12.json"
    }


# ── Interrupted ───────────────────────────────────────────────────────────────────────────────────────────────────────


def programs(course):
    """The programs that were started in this course, and that these have started: by a variable that they inherit."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"CLASS={course}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
    return found


def wait_for_the_end(course):
    """Wait until none of them is there any more."""
    while left := programs(course):
        with contextlib.suppress(ProcessLookupError):
            select.select([os.pidfd_open(left[0])], [], [])


@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_an_interrupted_run_goes_on_where_it_was(name, tmp_path):
    """Rejects a run that begins again, loses what was finished, keeps half of something, or leaves programs running."""
    course = make_course(tmp_path)
    make_class(course / "submissions", ada=submit(), grace=submit(double=LOOP), kurt=submit())
    words = ("--from", "submissions", "--to", "results", "--jobs", 1)
    running, said = start(course, "grade", *words, CLASS=str(course)), b""
    while b"1/3" not in said:  # the first is finished, the second never ends
        said += running.stderr.read(1)
    while len(programs(course)) == 1:  # until the second is begun
        time.sleep(0.05)
    running.send_signal(getattr(signal, name))
    assert running.wait() == {"SIGINT": 130, "SIGKILL": -signal.SIGKILL}[name], said.decode()
    wait_for_the_end(course)
    before = everything(course / "results" / "records" / NAME)
    assert {path.stem for path in before} == {"ada"}
    if name == "SIGINT":
        assert [row["remark"] for row in table(course / "results").values()] == ["", *2 * [INTERRUPTED]]
    make_class(course / "submissions", grace=submit())
    assert call(course, "grade", *words).status == 0
    assert list(table(course / "results")) == ["ada", "grace", "kurt"]
    assert all(map(good, table(course / "results").values()))
    after = everything(course / "results" / "records" / NAME)
    assert {path: after[path] for path in before} == before
    assert not [path for path in (course / "results").rglob("*") if path.name.endswith(".part")]


def test_one_program_at_a_time(graded):
    """Rejects two programs that write one gradebook."""
    import fcntl

    course, _ = graded
    with (course / "results" / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = call(course, "grade", "--from", "submissions", "--to", "results")
    assert done.status == 1
    assert "Another make grade" in done.complained
