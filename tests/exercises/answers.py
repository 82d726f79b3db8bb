"""Answers that students might give: right ones by another route, and wrong ones with what they are told."""

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """A function in the place of the solution to `exercise`, and what the check must make of it.

    Wrong answers name the misconceptions that the check must name, or a piece of what it says where it is none of them.
    """

    exercise: str
    function: Callable
    is_right: bool
    misconceptions: tuple[str, ...] = ()
    says: str = ""

    @property
    def name(self) -> str:
        """How the test that uses it is called."""
        return f"{self.exercise}-{self.function.__name__}"


ANSWERS: list[Answer] = []


def right(exercise):
    """Note a function that the check must accept."""
    return lambda function: _note(Answer(exercise, function, True))


def wrong(exercise, *misconceptions, says=""):
    """Note a function that the check must reject, as these misconceptions and no others, or with these words."""
    return lambda function: _note(Answer(exercise, function, False, misconceptions, says))


def _note(answer):
    ANSWERS.append(answer)
    return answer.function
