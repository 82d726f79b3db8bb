"""A new release meets a student's copy: the course's news come in, and no word of the student is lost or moved."""

import copy

import nbformat
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.utils import compute_checksum

from scripts.own_copy import RECORD, completed, name_of, record, renewed, with_record, written

STUB = "raise NotImplementedError"


def text(name, source=None):
    """A cell that says something."""
    return new_markdown_cell(source or f"About {name}", id=name)


def code(name, source, **roles):
    """A cell as nbgrader releases it."""
    rights = {"grade": False, "locked": not roles.get("solution"), "solution": False, "task": False, **roles}
    cell = new_code_cell(source, id=name, metadata={"deletable": False, "nbgrader": {"grade_id": name, **rights}})
    if rights["locked"]:
        cell.metadata["editable"] = False
    rights = cell.metadata.nbgrader
    rights["checksum"] = compute_checksum(cell)
    return cell


def exercise(name, stub=None, check=None, task=None):
    """A text, an answer and a check."""
    return [
        text(f"{name}-task", task),
        code(name, stub or f"def {name}():\n    {STUB}", solution=True),
        code(f"{name}-check", check or f"check({name})", grade=True, points=1),
    ]


def release(*exercises):
    """A released notebook: a title, then the exercises."""
    return with_record(new_notebook(cells=[text("title"), *(cell for cells in exercises for cell in cells)]))


def ran(cell, words="ran"):
    """The cell with an output."""
    cell.update(execution_count=1, outputs=[new_output("stream", text=words)])
    return cell


def find(notebook, name):
    """The cell with this name."""
    (found,) = [cell for cell in notebook.cells if name_of(cell) == name]
    return found


def sources(notebook):
    """What the cells say, in order."""
    return [cell.source for cell in notebook.cells]


OLD = release(exercise("a"), exercise("b"))


@pytest.fixture
def own():
    """A copy in which the student has answered a."""
    notebook = copy.deepcopy(OLD)
    ran(find(notebook, "a")).source = "def a():\n    return 1"
    ran(find(notebook, "a-check"))
    return notebook


def brought(new, own):
    """The copy after a release; bringing it once more must change nothing."""
    result, happened = renewed(new, own)
    nbformat.validate(result)
    assert renewed(new, result) == (result, {})
    return result, happened


# ── The course changes ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_release_changes_nothing(own):
    """Rejects a program that writes a file anew for nothing."""
    own.cells.insert(3, ran(new_code_cell("a()", id="mine")))
    own.cells.append(new_code_cell("", id="empty"))
    assert brought(OLD, own) == (own, {})


def test_new_texts_checks_and_stubs_come_in_and_answers_stay(own):
    """Rejects a program that leaves an old check, one that puts a stub over an answer, and one that drops outputs."""
    other = [exercise(name, "def x(new): ...", f"check({name}, seed=1)", "Say it better.") for name in "ab"]
    result, happened = brought(release(*other), own)
    answer = "def a():\n    return 1"
    assert sources(result)[1:] == [
        *("Say it better.", answer, "check(a, seed=1)"),
        *("Say it better.", "def x(new): ...", "check(b, seed=1)"),
    ]
    assert find(result, "a").outputs
    assert not find(result, "a-check").outputs
    assert happened == {"changed": ["a-task", "a-check", "b-task", "b", "b-check"]}


def test_outputs_stay_where_the_cell_is_the_same(own):
    """Rejects a program that clears all outputs."""
    result, _ = brought(release(exercise("a"), exercise("b", task="Other words")), own)
    assert find(result, "a").outputs == find(result, "a-check").outputs == [new_output("stream", text="ran")]


def test_new_points_come_in_without_a_new_text(own):
    """Rejects a program that looks at texts only: nbgrader would complain about the old check."""
    new = release(exercise("a"), exercise("b"))
    find(new, "a-check").metadata.nbgrader.points = 3
    result, _ = brought(new, own)
    assert find(result, "a-check").metadata.nbgrader.points == 3
    assert find(result, "a-check").outputs


def test_a_new_exercise_appears_in_its_place(own):
    """Rejects a program that appends it, and one that tears a note from the exercise it belongs to."""
    own.cells.insert(4, new_markdown_cell("My note on a", id="note"))
    result, happened = brought(release(exercise("a"), exercise("new"), exercise("b")), own)
    assert sources(result)[3:7] == ["check(a)", "My note on a", "About new-task", f"def new():\n    {STUB}"]
    assert happened == {"new": ["new-task", "new", "new-check"]}


def test_an_answer_whose_exercise_is_gone_stands_at_the_end_in_an_ordinary_cell(own):
    """Rejects a program that loses it, and one that leaves nbgrader a cell that it does not know."""
    result, happened = brought(release(exercise("b")), own)
    assert sources(result)[:5] == [
        "About title",
        "About b-task",
        f"def b():\n    {STUB}",
        "check(b)",
        result.cells[4].source,
    ]
    assert "`a`" in result.cells[4].source
    assert sources(result)[5:] == ["def a():\n    return 1"]
    assert result.cells[5].metadata == {}
    assert result.cells[5].outputs
    assert happened == {"gone": ["a"]}


def test_a_stub_whose_exercise_is_gone_goes(own):
    """Rejects a program that keeps what nobody wrote."""
    assert sources(brought(release(exercise("a")), own)[0]) == [cell.source for cell in own.cells[:4]]


def test_an_exercise_with_another_name_keeps_its_answer(own):
    """Rejects a program that knows cells by nbgrader's name only: the function is the same."""
    new = release(exercise("a"), exercise("b"))
    for cell in new.cells[2:4]:
        cell.id = cell.metadata.nbgrader.grade_id = f"renamed-{cell.id}"
    result, _ = brought(with_record(new), own)
    assert find(result, "renamed-a").source == "def a():\n    return 1"
    assert len(result.cells) == 7


def test_the_course_orders_its_exercises_anew(own):
    """Rejects a program that keeps the old order where the student did not choose it."""
    own.cells.insert(4, new_markdown_cell("My note on a", id="note"))
    result, _ = brought(release(exercise("b"), exercise("a")), own)
    assert sources(result)[-2:] == ["check(a)", "My note on a"]


# ── The student changes ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_text_that_the_student_changed_stays(own):
    """Rejects a program that takes an edited text for an old one."""
    find(own, "b-task").source += "\n\nMy thoughts"
    result, _ = brought(release(exercise("a", check="check(a, 2)"), exercise("b")), own)
    assert find(result, "b-task").source == "About b-task\n\nMy thoughts"
    assert len(result.cells) == 7


def test_a_text_that_both_changed_is_there_twice(own):
    """Rejects a program that chooses one of them."""
    find(own, "b-task").source += "\n\nMy thoughts"
    result, happened = brought(release(exercise("a"), exercise("b", task="Clearer")), own)
    assert sources(result)[4:6] == ["Clearer", "About b-task\n\nMy thoughts"]
    assert happened == {"beside": ["b-task"]}


def test_a_locked_cell_is_the_courses_and_what_was_typed_there_stays_below(own):
    """Rejects a program that lets a changed check stand, and one that loses an answer typed into the wrong cell."""
    find(own, "b-check").source = "def b(): return 2"
    result, happened = brought(OLD, own)
    assert sources(result)[-2:] == ["check(b)", "def b(): return 2"]
    assert "nbgrader" not in result.cells[-1].metadata
    assert happened == {"beside": ["b-check"]}


def test_blanks_at_the_ends_of_a_checks_lines(own):
    """Rejects a copy that says the same, of which nbgrader's Validate says that a check was changed."""
    find(own, "a-check").source += "  \n"
    result, happened = brought(OLD, own)
    assert find(result, "a-check") == find(own, "a-check") | {"source": "check(a)"}
    assert happened == {}


def test_a_cell_that_the_course_unlocked_is_unlocked(own):
    """Rejects a copy that keeps rights which the release has given up."""
    new = copy.deepcopy(OLD)
    find(new, "b-check").metadata = nbformat.from_dict({"tags": ["try"]})
    own.cells[-1].metadata["collapsed"] = True
    assert find(brought(new, own)[0], "b-check").metadata == {"tags": ["try"], "collapsed": True}


def test_what_was_deleted(own):
    """Rejects a program that brings a deleted hint back each time, and one that does not bring a check back."""
    kept = [cell for cell in own.cells if name_of(cell) not in ("a-task", "b", "b-check")]
    own.cells = kept
    result, happened = brought(OLD, own)
    assert [name_of(cell) for cell in result.cells] == ["title", "a", "a-check", "b-task", "b", "b-check"]
    assert happened == {"back": ["b", "b-check"]}
    result, _ = brought(release(exercise("a", task="Clearer"), exercise("b")), own)
    assert sources(result)[1] == "Clearer"


def test_an_emptied_answer_gets_its_stub_back(own):
    """Rejects a program that takes nothing for an answer."""
    find(own, "b").source = " \n"
    assert find(brought(OLD, own)[0], "b").source == f"def b():\n    {STUB}"


def test_a_copied_text_is_not_taken_for_the_courses(own):
    """Rejects a program that finds texts by what they say: the one that was edited then seems to be gone."""
    again = copy.deepcopy(find(own, "b-task"))
    again.id = "copy"
    own.cells.insert(1, again)
    find(own, "b-task").source += ", and my thoughts"
    assert brought(OLD, own) == (own, {})


def test_what_was_added_stays_behind_its_cell_with_its_outputs(own):
    """Rejects a program that keeps answers only, that moves notes, or that drops an empty cell at the end."""
    own.cells.insert(0, new_markdown_cell("Mine, first", id="first"))
    own.cells.insert(4, ran(new_code_cell("a() + 1", id="try"), "2"))
    own.cells.append(new_code_cell("", id="last"))
    result, _ = brought(release(exercise("a", task="Clearer", check="check(a, 2)"), exercise("b")), own)
    assert sources(result)[0] == "Mine, first"
    assert result.cells[4] == own.cells[4]
    assert sources(result)[-1] == ""


def test_of_two_answers_the_last_counts_and_the_first_stands_before_it(own):
    """Rejects a copy that nbgrader cannot read (two cells with one name), and one that loses an answer."""
    again = copy.deepcopy(find(own, "a"))
    again.update(id="copy", source="def a():\n    return 2")
    own.cells.append(again)
    result, _ = brought(OLD, own)
    assert sources(result)[1:5] == ["About a-task", "def a():\n    return 1", "def a():\n    return 2", "check(a)"]
    assert "nbgrader" not in result.cells[2].metadata
    assert len(result.cells) == 8


def test_a_copied_stub_goes_and_a_copied_check_becomes_ordinary(own):
    """Rejects a stub behind the answer, which would undo it."""
    find(own, "b").source = "def b():\n    return 3"
    for name in ("b", "b-check"):
        own.cells.append(copy.deepcopy(find(OLD, name)))
        own.cells[-1].id = f"{name}-copy"
    result, _ = brought(OLD, own)
    assert sources(result)[4:] == ["About b-task", "def b():\n    return 3", "check(b)", "check(b)"]
    assert "nbgrader" not in result.cells[-1].metadata


def test_the_students_order_stays_and_a_new_exercise_finds_its_neighbour(own):
    """Rejects a program that sorts the student's cells."""
    own.cells = [own.cells[0], *own.cells[4:], *own.cells[1:4]]
    assert brought(OLD, own) == (own, {})
    result, _ = brought(release(exercise("a"), exercise("new"), exercise("b")), own)
    names = [name_of(cell) for cell in result.cells]
    assert names == [
        "title",
        *("b-task", "b", "b-check"),
        *("a-task", "a", "a-check"),
        *("new-task", "new", "new-check"),
    ]


def test_an_answer_that_became_a_text_is_code_again(own):
    """Rejects a cell of which nbgrader says that its type has changed."""
    place = own.cells.index(find(own, "a"))
    own.cells[place] = new_markdown_cell("def a():\n    return 1", id="a", metadata=own.cells[place].metadata)
    result, _ = brought(OLD, own)
    assert find(result, "a").cell_type == "code"
    assert find(result, "a").source == "def a():\n    return 1"


def test_an_answer_from_another_notebook_is_a_cell_like_any_other(own):
    """Rejects a copy with a foreign name, about which nbgrader would complain."""
    own.cells.append(code("foreign", "x = 1", solution=True))
    result, _ = brought(OLD, own)
    assert result.cells[-1].source == "x = 1"
    assert "nbgrader" not in result.cells[-1].metadata


# ── What a copy lost on its way ───────────────────────────────────────────────────────────────────────────────────────


def test_a_copy_whose_editor_dropped_names_and_ids(own):
    """Rejects a program that doubles everything: cells are recognised by their texts and functions."""
    for number, cell in enumerate(own.cells):
        cell.id = f"other-{number}"
        cell.metadata = nbformat.from_dict({})
    result, _ = brought(OLD, own)
    assert [name_of(cell) for cell in result.cells] == [name_of(cell) for cell in OLD.cells]
    assert find(result, "a").source == "def a():\n    return 1"


def test_a_copy_made_by_hand_of_an_older_release(own):
    """Rejects a program that needs its own record: nbgrader's checksums tell an old check from a changed one."""
    del own.metadata[RECORD]
    find(own, "title").source = "Title, with a note of mine"
    new = release(exercise("a", check="check(a, 2)"), exercise("b", "def b(x): ...", "check(b, 2)"))
    result, _ = brought(new, own)
    assert sources(result)[:2] == ["About title", "Title, with a note of mine"]
    assert [name_of(cell) for cell in result.cells[2:]] == [name_of(cell) for cell in OLD.cells[1:]]
    assert find(result, "b").source == "def b(x): ..."
    assert find(result, "a").source == "def a():\n    return 1"


def test_a_copy_made_by_hand_with_an_exercise_that_is_gone(own):
    """Rejects a program that leaves the course's old stubs and checks as if the student had written them."""
    del own.metadata[RECORD]
    result, happened = brought(release(exercise("new")), own)
    names = [name_of(cell) for cell in result.cells]
    assert [name for name in names if name in ("a", "a-check", "b", "b-check")] == []
    assert sources(result)[-1] == "def a():\n    return 1"
    assert happened["gone"] == ["a"]


@pytest.mark.parametrize("damage", [None, "x", [1, None], ["no-hash"], {"a": 1}])
def test_a_damaged_record_counts_as_none(own, damage):
    """Rejects a program that stops at it."""
    own.metadata[RECORD] = damage
    assert record(own).keys() <= {"", "no-hash"}
    assert find(renewed(OLD, own)[0], "a").source == "def a():\n    return 1"


def test_two_cells_with_one_name_are_not_released():
    """Rejects a release in which a text has the name of a check: a copy could not tell them apart."""
    cells = [code("a", "x = 1"), text("a")]
    cells[0].id = "other"
    with pytest.raises(ValueError, match="a name of its own"):
        with_record(new_notebook(cells=cells))


# ── Nothing is lost, whatever they did ────────────────────────────────────────────────────────────────────────────────

VERSIONS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 2)), unique_by=lambda one: one[0], max_size=4)
DEEDS = st.lists(
    st.tuples(st.sampled_from(["write", "blank", "delete", "copy", "move", "add", "forget"]), st.integers(0, 99)),
    max_size=8,
)


def version_of(parts):
    """The release with these exercises, each in this version."""
    many = [exercise(name, f"def {name}(v{n}): {STUB}", f"check({name}, {n})", f"{name}, {n}") for name, n in parts]
    return release(*many)


def done(notebook, deeds):
    """The copy after what a student did to it, or their editor."""
    for number, (deed, place) in enumerate(deeds):
        cells = notebook.cells
        cell = cells[place % len(cells)] if cells else None
        if deed == "add" or cell is None:
            cells.insert(place % (len(cells) + 1), new_code_cell(f"added {number}", id=f"added-{number}"))
        elif deed == "write":
            cell.source = f"written {number}"
        elif deed == "blank":
            cell.source = ""
        elif deed == "delete":
            cells.remove(cell)
        elif deed == "copy":
            again = copy.deepcopy(cell)
            again.id = f"copy-{number}"
            cells.insert((place * 7) % (len(cells) + 1), again)
        elif deed == "move":
            cells.remove(cell)
            cells.insert((place * 5) % (len(cells) + 1), cell)
        elif deed == "forget":
            notebook.metadata.pop(RECORD, None)
    return notebook


@settings(max_examples=150, deadline=None)
@given(VERSIONS, DEEDS, VERSIONS)
@example(
    [("b", 0), ("c", 0), ("d", 0), ("a", 0)],
    [("delete", 0), ("move", 80), ("delete", 0), ("copy", 39)],
    [("a", 0), ("d", 0)],
)
def test_no_word_is_lost_and_the_course_is_complete(before, deeds, after):
    """Rejects a program that loses what was written in any of these ways, or a copy that nbgrader cannot read."""
    own, new = done(version_of(before), deeds), version_of(after)
    theirs = {line for line in sources(own) if line.startswith(("written", "added"))}
    result, _ = renewed(new, own)
    nbformat.validate(result)
    assert theirs <= set(sources(result))
    assert renewed(new, result) == (result, {})
    named = [cell for cell in result.cells if "nbgrader" in cell.metadata]
    wanted = {name_of(cell): cell for cell in new.cells if "nbgrader" in cell.metadata}
    assert sorted(map(name_of, named)) == sorted(wanted)
    for cell in named:
        assert cell.metadata.nbgrader == wanted[name_of(cell)].metadata.nbgrader
        assert cell.source == wanted[name_of(cell)].source or not cell.metadata.nbgrader.locked
    assert len({cell.id for cell in result.cells}) == len(result.cells)


# ── Written into the released notebook by mistake ─────────────────────────────────────────────────────────────────────


def test_what_is_written_is_found(own):
    """Rejects a program that takes outputs for words, or a release for somebody's work."""
    assert written(OLD) == []
    own.cells += [text("mine"), new_code_cell("", id="empty")]
    assert [name_of(cell) for cell in written(own)] == ["a", "mine"]


def test_an_answer_finds_room_where_the_stub_is(own):
    """Rejects a program that brings the stubs of exercises/ over the answers of work/."""
    typed = copy.deepcopy(OLD)
    ran(find(typed, "b")).source = "def b():\n    return 2"
    typed.cells.insert(6, new_markdown_cell("A note on b", id="note"))
    result, fits = completed(own, typed)
    assert fits
    assert sources(result)[2] == "def a():\n    return 1"
    assert sources(result)[4:] == ["About b-task", "def b():\n    return 2", "A note on b", "check(b)"]
    assert find(result, "b").outputs
    assert completed(result, typed) == (result, True)


def test_what_was_typed_into_a_check_becomes_an_ordinary_cell(own):
    """Rejects a copy whose check is the student's, and one that loses an answer typed into the wrong cell."""
    typed = copy.deepcopy(OLD)
    find(typed, "b-check").source = "def b(): return 2"
    result, fits = completed(own, typed)
    assert fits
    assert sources(result)[-2:] == ["check(b)", "def b(): return 2"]
    assert "nbgrader" not in result.cells[-1].metadata


def test_of_two_answers_that_of_the_copy_stays(own):
    """Rejects a program that overwrites an answer, and one that does not say so."""
    typed = copy.deepcopy(OLD)
    find(typed, "a").source = "def a():\n    return 2"
    assert completed(own, typed) == (own, False)
