"""The exercises: checks tell right answers from wrong ones, in words; what students get is complete, and unsolved.

That exercises/ is what solutions/ make is tested with the laws of the house; that solutions run, by nbval.
"""

import ast
import re
from functools import cached_property, lru_cache

import nbformat
import pytest

from tests.house.files import HOME, chapters, none

from . import answers_00, answers_01, answers_02  # noqa: F401  (they note their answers)
from .answers import ANSWERS

CHECK_LINES, WRONG_ANSWERS = 24, 3
RIGHT = [answer for answer in ANSWERS if answer.told is None]
WRONG = [answer for answer in ANSWERS if answer.told is not None]
SOLUTIONS = {path.stem: nbformat.read(path, as_version=4) for path in chapters("solutions")}


def role(cell):
    """What a cell is for: "answer", "check", "given", or "" for text."""
    rights = cell.metadata.get("nbgrader", {})
    return "check" if rights.get("grade") else "answer" if rights.get("solution") else "given" if rights else ""


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
        return ast.parse(self.answer.source).body[0]

    @cached_property
    def given(self):
        """What students find: the names of all given cells before the check."""
        names = {}
        for cell in self.notebook.cells[: self.notebook.cells.index(self.check)]:
            if role(cell) == "given":
                run(cell, names)
        return names

    def accepts(self, function=None):
        """Run the check with this function (else the solution), and with no other answer."""
        names = dict(self.given)
        if function is None:
            run(self.answer, names)
        else:
            names[self.stub.name] = function
        run(self.check, names)


EXERCISES = {
    cell.id: Exercise(notebook, place)
    for notebook in SOLUTIONS.values()
    for place, cell in enumerate(notebook.cells)
    if role(cell) == "answer"
}
each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES.keys())


# ── The checks ────────────────────────────────────────────────────────────────────────────────────────────────────────


@each_exercise
def test_the_solution_is_accepted_in_silence(exercise, capfd):
    """Text on stderr would cost all points; and no other exercise's answer is there to be called."""
    exercise.accepts()
    said = capfd.readouterr()
    assert said.err == ""
    assert f"{exercise.stub.name} is right" in said.out


@pytest.mark.parametrize("answer", RIGHT, ids=lambda answer: answer.name)
def test_a_right_answer_by_another_route_is_accepted(answer, capfd):
    EXERCISES[answer.exercise].accepts(answer.function)
    assert capfd.readouterr().err == ""


@lru_cache
def rejection(answer):
    """What the check says to a wrong answer, and in which of its lines."""
    with pytest.raises(AssertionError) as rejected:
        EXERCISES[answer.exercise].accepts(answer.function)
    return str(rejected.value), rejected.traceback[-1].lineno + 1


@pytest.mark.parametrize("answer", WRONG, ids=lambda answer: answer.name)
def test_a_wrong_answer_is_told_what_is_wrong(answer):
    assert answer.told in rejection(answer)[0]


@each_exercise
def test_each_sentence_of_a_check_is_said_to_somebody(exercise):
    """Rejects an assertion that no wrong answer reaches: nobody knows whether it can fail; and one without words."""
    wrong = [answer for answer in WRONG if answer.exercise == exercise.answer.id]
    heard = {rejection(answer)[1] for answer in wrong}
    sentences = [node for node in ast.walk(ast.parse(exercise.check.source)) if isinstance(node, ast.Assert)]
    none(ast.unparse(node) for node in sentences if node.lineno not in heard or not node.msg)
    assert len(wrong) >= WRONG_ANSWERS
    assert any(answer.exercise == exercise.answer.id for answer in RIGHT)


# ── What students get ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", SOLUTIONS)
def test_unsolved_each_check_fails_for_one_reason(name):
    """Rejects a check that a stub passes, and given cells that need an answer."""
    names = {}
    for cell in nbformat.read(HOME / "exercises" / name / f"{name}.ipynb", as_version=4).cells:
        if role(cell) == "check":
            with pytest.raises(NotImplementedError):
                run(cell, names)
        elif cell.cell_type == "code":
            run(cell, names)


def test_each_chapter_has_exercises():
    assert SOLUTIONS.keys() == {path.stem for path in chapters()}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_the_first_cell_says_how_long_and_where(name):
    title, cells = SOLUTIONS[name].cells[0].source, SOLUTIONS[name].cells
    minutes = [int(found) for cell in cells[1:] for found in re.findall(r"· (\d+) minutes", cell.source)]
    assert f"{sum(minutes)} minutes in all" in title
    assert f"(../../notebooks/{name}.ipynb)" in title
    assert "Three exercises" in title
    assert len(minutes) == 3


@each_exercise
def test_an_exercise_is_complete(exercise):
    """Rejects a task without formula, hint, stars or minutes, and points that are not the stars."""
    text = exercise.task.source
    assert re.search(r"^## \d · ", text)
    assert "$$" in text
    assert "<details><summary>Hint</summary>" in text
    stars, _ = re.search(r"^([★☆]{3}) · (\d+) minutes\.", text, re.MULTILINE).groups()
    assert exercise.check.metadata.nbgrader.points == stars.count("★")


@each_exercise
def test_a_stub_says_its_shapes(exercise):
    arguments = [*exercise.stub.args.args, ast.arg("return", exercise.stub.returns)]
    none(f"{argument.arg} has no type" for argument in arguments if argument.annotation is None)
    assert ast.get_docstring(exercise.stub)


@each_exercise
def test_a_check_stands_right_below_is_short_and_has_no_value(exercise):
    """The value of a cell that is a number would be taken for points."""
    assert role(exercise.check) == "check"
    assert exercise.check.id == f"{exercise.answer.id}-check"
    assert len(exercise.check.source.splitlines()) <= CHECK_LINES
    last = ast.parse(exercise.check.source).body[-1]
    assert ast.unparse(last).startswith("print(")


@pytest.mark.parametrize("name", SOLUTIONS)
def test_cells_have_names_and_rights(name):
    """Rejects a code cell that nbgrader does not know, or knows by another name; and a check that can be edited."""
    for cell in SOLUTIONS[name].cells:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cell.id)
        if cell.cell_type == "code":
            assert cell.metadata.nbgrader.grade_id == cell.id
            assert cell.metadata.nbgrader.locked == (role(cell) != "answer")
