"""The exercises: checks tell right answers from wrong ones, in words; what students get is complete, and unsolved.

That exercises/ is what solutions/ make is tested with the laws of the house; that solutions run, by nbval; that each
misconception is told from all others, in tests/checks.
"""

import ast
import re
from functools import cached_property

import nbformat
import pytest

from grading import probe
from tests.house.files import HOME, chapters, none

from . import (  # noqa: F401  (they note their answers)
    answers_00,
    answers_01,
    answers_02,
    answers_03,
    answers_04,
    answers_05,
    answers_06,
    answers_07,
)
from .answers import ANSWERS

pytestmark = pytest.mark.usefixtures("as_students")
CHECK_LINES, FEWEST, RIGHT_ANSWERS = 8, 5, 2
KINDS = ("implement", "find the bug", "predict, then test", "design an experiment")
RIGHT = [answer for answer in ANSWERS if answer.is_right]
WRONG = [answer for answer in ANSWERS if not answer.is_right]
SOLUTIONS = {path.stem: nbformat.read(path, as_version=4) for path in chapters("solutions")}


def role(cell):
    """What a cell is for: "answer", "check", "by hand", "given", or "" for text."""
    rights = cell.metadata.get("nbgrader", {})
    graded, solved = rights.get("grade"), rights.get("solution")
    return "by hand" if graded and solved else "check" if graded else "answer" if solved else "given" if rights else ""


def run(cell, names):
    """Run a cell in this name space."""
    exec(compile(cell.source, cell.id, "exec"), names)


class Exercise:
    """An exercise: the cells for the task, the answer and the check, and the notebook they stand in."""

    def __init__(self, notebook, place):
        self.notebook = notebook
        self.answer, self.check = notebook.cells[place : place + 2]
        self.task = next(cell for cell in notebook.cells[place::-1] if cell.cell_type == "markdown")

    @property
    def stub(self):
        """The function that students write, as syntax."""
        return ast.parse(self.answer.source).body[-1]

    @cached_property
    def given(self):
        """What students find: the names of all given cells before the check."""
        names = {}
        for cell in self.notebook.cells[: self.notebook.cells.index(self.check)]:
            if role(cell) == "given" and cell.cell_type == "code":
                run(cell, names)
        return names

    @property
    def checker(self):
        """The Check that the check cell calls."""
        return self.given[ast.parse(self.check.source).body[0].value.func.id]

    def answered(self, function=None):
        """What is given, and this function (else the solution) as the only answer."""
        names = dict(self.given)
        if function is None:
            run(self.answer, names)
        else:
            names[self.stub.name] = function
        return names

    def accepts(self, function=None):
        """Run the check with this function (else the solution), and with no other answer."""
        run(self.check, self.answered(function))


EXERCISES = {
    cell.id: Exercise(notebook, place)
    for notebook in SOLUTIONS.values()
    for place, cell in enumerate(notebook.cells)
    if role(cell) == "answer"
}
each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES.keys())
TASKS = [cell for notebook in SOLUTIONS.values() for cell in notebook.cells if cell.id.endswith("-task")]
each_task = pytest.mark.parametrize("task", TASKS, ids=[cell.id for cell in TASKS])
each_notebook = pytest.mark.parametrize("name", SOLUTIONS)


# ── The checks ────────────────────────────────────────────────────────────────────────────────────────────────────────


@each_exercise
def test_the_solution_is_accepted_in_silence(exercise, capfd):
    """Text on stderr would cost all points; and no other exercise's answer is there to be called."""
    exercise.accepts()
    said = capfd.readouterr()
    assert said.err == ""
    assert f"`{exercise.stub.name}` is right" in said.out


@each_exercise
def test_nonsense_is_rejected(exercise):
    """Rejects a check that nothing of nonsense fails: where submissions are graded, it could be bent unnoticed.

    By the grader's own code, which runs in a kernel there (tests/grading/test_job.py) and in this process here.
    """
    names = exercise.answered()
    codes = probe.probes(exercise.check.source, [exercise.stub.name])
    assert codes
    exec(probe.REPLACE.format(mark="mark", names=[exercise.stub.name]), names)
    for code in codes:
        with pytest.raises(AssertionError):
            exec(code, names)


@pytest.mark.parametrize("answer", RIGHT, ids=lambda answer: answer.name)
def test_a_right_answer_by_another_route_is_accepted(answer, capfd):
    EXERCISES[answer.exercise].accepts(answer.function)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("answer", WRONG, ids=lambda answer: answer.name)
def test_a_wrong_answer_is_told_what_is_wrong(answer):
    """Rejects a check that accepts it, and one that names another cause, too few or too many."""
    exercise = EXERCISES[answer.exercise]
    with pytest.raises(AssertionError) as rejected:
        exercise.accepts(answer.function)
    heard = {one.name for one in exercise.checker.misconceptions if one.says in str(rejected.value)}
    assert heard == set(answer.misconceptions), str(rejected.value)
    assert answer.says in str(rejected.value)
    assert answer.says or answer.misconceptions, "say what it must be told"


@each_exercise
def test_each_misconception_is_somebodys(exercise):
    """Rejects a misconception that no independent program shows: the check would only recognise its own switch."""
    tried = {name for answer in WRONG if answer.exercise == exercise.answer.id for name in answer.misconceptions}
    assert {one.name for one in exercise.checker.misconceptions} == tried
    rights = [answer for answer in RIGHT if answer.exercise == exercise.answer.id]
    assert len(rights) >= RIGHT_ANSWERS or not exercise.stub.args.args


# ── What students get ─────────────────────────────────────────────────────────────────────────────────────────────────


@each_notebook
def test_unsolved_each_check_fails_for_one_reason(name):
    """Rejects a check that a stub passes, and given cells that need an answer."""
    names = {}
    for cell in nbformat.read(HOME / "exercises" / name / f"{name}.ipynb", as_version=4).cells:
        if role(cell) in ("check", "by hand") and cell.cell_type == "code":
            with pytest.raises(NotImplementedError):
                run(cell, names)
        elif cell.cell_type == "code":
            run(cell, names)


def test_each_chapter_has_exercises():
    assert SOLUTIONS.keys() == {path.stem for path in chapters()}


@each_notebook
def test_the_first_cell_says_how_many_how_long_and_where(name):
    title, cells = SOLUTIONS[name].cells[0].source, SOLUTIONS[name].cells
    minutes = [int(found) for cell in cells[1:] for found in re.findall(r"· (\d+) minutes", cell.source)]
    assert f"{sum(minutes)} minutes in all" in title
    assert f"(../../notebooks/{name}.ipynb)" in title
    number = {5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}[len(minutes)]
    assert f"{number} exercises" in title
    assert len(minutes) >= FEWEST


def test_all_kinds_are_there():
    kinds = {kind for kind in KINDS for task in TASKS if f" · {kind} · " in task.source}
    assert kinds == set(KINDS)


@each_task
def test_an_exercise_is_complete(task):
    """Rejects a task without number, kind, minutes, or (but for an experiment) formula and two hints."""
    assert re.search(r"^## \d · ", task.source)
    found = re.search(r"^([★☆]{3}) · ([a-z, ]+) · (\d+) minutes\.", task.source, re.MULTILINE)
    assert found
    assert found[2] in KINDS
    if found[2] != KINDS[-1]:
        for part in ("$$", "<details><summary>A nudge</summary>", "<details><summary>Step by step</summary>"):
            assert part in task.source
    else:
        assert "| points |" in task.source


@each_exercise
def test_points_are_stars(exercise):
    stars = re.search(r"^([★☆]{3}) · ", exercise.task.source, re.MULTILINE)[1].count("★")
    assert exercise.check.metadata.nbgrader.points == stars


@each_exercise
def test_a_stub_says_its_shapes(exercise):
    arguments = [*exercise.stub.args.args, ast.arg("return", exercise.stub.returns)]
    none(f"{argument.arg} has no type" for argument in arguments if argument.annotation is None)
    assert ast.get_docstring(exercise.stub)


@each_exercise
def test_a_check_stands_right_below_is_short_and_has_no_value(exercise):
    """The value of a cell that is a number would be taken for points; a hidden test tries other inputs."""
    assert role(exercise.check) == "check"
    assert exercise.check.id == f"{exercise.answer.id}-check"
    assert len(exercise.check.source.splitlines()) <= CHECK_LINES
    assert f"check_{exercise.answer.id}({exercise.stub.name})" in exercise.check.source
    if exercise.stub.args.args:
        hidden = re.search(r"### BEGIN HIDDEN TESTS\n(.*)### END HIDDEN TESTS", exercise.check.source, re.DOTALL)
        assert f"check_{exercise.answer.id}({exercise.stub.name}, seed=" in hidden[1]


@each_notebook
def test_cells_have_names_and_rights(name):
    """Rejects a code cell that nbgrader does not know, or knows by another name; and a check that can be edited."""
    for cell in SOLUTIONS[name].cells:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cell.id)
        if cell.cell_type == "code":
            assert cell.metadata.nbgrader.grade_id == cell.id
            assert cell.metadata.nbgrader.locked == (role(cell) not in ("answer", "by hand"))
