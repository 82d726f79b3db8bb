"""The exercises: checks accept right answers and explain wrong ones; released notebooks are complete and unsolved.

That exercises/ is generated from solutions/ is tested in tests/house; that misconceptions differ, in tests/checks.
"""

import ast
import importlib
import re
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path

import nbformat
import pytest

from grading import probe
from tests.house.files import HOME, chapters

from .answers import ANSWERS

for path in sorted(Path(__file__).parent.glob("answers_*.py")):
    importlib.import_module(f".{path.stem}", __package__)

pytestmark = pytest.mark.usefixtures("as_students")
HINTS = ("$$", "<details><summary>A nudge</summary>", "<details><summary>Step by step</summary>")
KINDS = dict.fromkeys(("implement", "find the bug", "predict, then test"), HINTS) | {
    "design an experiment": ("| points |",)
}
NUMBERS = {5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine", 10: "Ten"}


def cells_of(folder, name):
    """The cells of the exercises of a chapter."""
    return nbformat.read(HOME / folder / name / f"{name}.ipynb", as_version=4).cells


def role(cell):
    """The role of a cell in nbgrader: "answer", "check", "by hand", "given", or "" for text."""
    rights = cell.metadata.get("nbgrader", {"grade": None, "solution": None})
    roles = {(True, True): "by hand", (True, False): "check", (False, True): "answer", (False, False): "given"}
    return roles.get((rights["grade"], rights["solution"]), "")


class Exercise:
    """The cells of an exercise: task, answer and check."""

    def __init__(self, cells, place):
        self.answer, self.check = cells[place : place + 2]
        self.task = next(cell.source for cell in cells[place::-1] if cell.cell_type == "markdown")
        self.before = [cell.source for cell in cells[:place] if role(cell) == "given" and cell.cell_type == "code"]
        self.stub = ast.parse(self.answer.source).body[-1]

    @cached_property
    def given(self):
        """The names that the given cells define."""
        names = {}
        for source in self.before:
            exec(source, names)
        return names

    def accepts(self, function=None):
        """Run the check with this function, else with the solution; no other exercise is answered."""
        names = dict(self.given)
        exec(self.answer.source, names)
        names[self.stub.name] = function or names[self.stub.name]
        exec(compile(self.check.source, self.check.id, "exec"), names)
        return names


SOLUTIONS = {path.stem: cells_of("solutions", path.stem) for path in chapters()}
EXERCISES = {
    (name.split("_")[0], cell.id): Exercise(cells, place)
    for name, cells in SOLUTIONS.items()
    for place, cell in enumerate(cells)
    if role(cell) == "answer"
}
each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=map("-".join, EXERCISES))
each_chapter = pytest.mark.parametrize("name", SOLUTIONS)


@each_exercise
def test_the_solution_is_accepted_and_nonsense_is_rejected(exercise, capfd):
    """Rejects a check that writes to stderr, which costs all points, and one that nonsense passes: grading needs it."""
    names = exercise.accepts()
    printed = capfd.readouterr()
    assert printed.err == ""
    assert f"`{exercise.stub.name}` is right" in printed.out
    codes = probe.probes(exercise.check.source, [exercise.stub.name])
    assert codes
    exec(probe.REPLACE.format(mark="mark", names=[exercise.stub.name]), names)
    for code in codes:
        with pytest.raises(AssertionError):
            exec(code, names)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_an_answer_is_accepted_or_rejected_with_its_cause(answer, capfd):
    """Rejects a check that takes right for wrong or wrong for right, and one that names other causes."""
    exercise = EXERCISES[answer.chapter, answer.exercise]
    if answer.is_right:
        exercise.accepts(answer.function)
        assert capfd.readouterr().err == ""
        return
    assert answer.says or answer.misconceptions, "state what the message must name"
    with pytest.raises(AssertionError) as rejected:
        exercise.accepts(answer.function)
    message, known = str(rejected.value), exercise.given[f"check_{answer.exercise}"].misconceptions
    assert {one.name for one in known if one.says in message} == set(answer.misconceptions), message
    assert answer.says in message


@each_chapter
def test_unsolved_each_check_fails_for_one_reason(name):
    """Rejects a check that a stub passes, given cells that need an answer, and a cell without its name and rights."""
    names = {}
    for cell in cells_of("exercises", name):
        if cell.cell_type == "code":
            assert cell.id == cell.metadata.nbgrader.grade_id
            assert cell.metadata.nbgrader.locked == (role(cell) not in ("answer", "by hand"))
            fails = pytest.raises(NotImplementedError) if role(cell) in ("check", "by hand") else nullcontext()
            with fails:
                exec(cell.source, names)


@each_chapter
def test_tasks_are_complete_and_counted(name):
    """Rejects a first cell with the wrong number, minutes or chapter, and a task that lacks a part."""
    title, *sources = (cell.source for cell in SOLUTIONS[name])
    found = [re.search(r"^[★☆]{3} · ([a-z, ]+) · (\d+) minutes\.", source, re.MULTILINE) for source in sources]
    tasks = [(source, *match.groups()) for source, match in zip(sources, found, strict=True) if match]
    assert f"{NUMBERS[len(tasks)]} exercises" in title
    assert f"{sum(int(minutes) for _, _, minutes in tasks)} minutes in all" in title
    assert f"(../../notebooks/{name}.ipynb)" in title
    for number, (source, kind, _) in enumerate(tasks, start=1):
        assert source.startswith(f"## {number} · ")
        assert all(part in source for part in KINDS[kind]), source


@each_exercise
def test_an_exercise_is_complete(exercise):
    """A typed stub, right below it a check with the task's points and a hidden test; right and wrong answers to try."""
    stub, check, call = exercise.stub, exercise.check, f"check_{exercise.answer.id}({exercise.stub.name}"
    assert all([ast.get_docstring(stub), stub.returns, *(argument.annotation for argument in stub.args.args)])
    assert (role(check), check.id) == ("check", f"{exercise.answer.id}-check")
    assert check.metadata.nbgrader.points == re.search("^[★☆]{3}", exercise.task, re.MULTILINE)[0].count("★")
    visible, _, hidden = check.source.partition("### BEGIN HIDDEN TESTS\n")
    assert f"{call})" in visible
    assert not stub.args.args or f"{call}, seed=" in hidden.partition("### END HIDDEN TESTS")[0]
    answers = [answer.is_right for answer in ANSWERS if EXERCISES[answer.chapter, answer.exercise] is exercise]
    assert not stub.args.args or (answers.count(True) >= 2 and answers.count(False) >= 3)
