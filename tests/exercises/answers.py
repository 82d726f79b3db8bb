"""Answers that students might give: right ones by another route, and wrong ones with what they are told."""

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """A function in the place of the solution to `exercise`; `told` is a piece of the message, None if it is right."""

    exercise: str
    function: Callable
    told: str | None

    @property
    def name(self) -> str:
        """How the test that uses it is called."""
        return f"{self.exercise}-{self.function.__name__}"


ANSWERS: list[Answer] = []


def right(exercise):
    """Note a function that the check must accept."""
    return _note(exercise, None)


def wrong(exercise, told):
    """Note a function that the check must reject, with these words among what it says."""
    return _note(exercise, told)


def _note(exercise, told):
    def note(function):
        ANSWERS.append(Answer(exercise, function, told))
        return function

    return note
