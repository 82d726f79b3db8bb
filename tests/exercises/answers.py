"""Answers that students might give: right ones by other routes, and wrong ones with what the check must say."""

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    """A function in place of the solution to `exercise`, and what the check must make of it.

    A wrong answer names the misconceptions that the check must name, or a part of the message where it is none of them.
    """

    exercise: str
    function: Callable
    is_right: bool
    misconceptions: tuple[str, ...] = ()
    says: str = ""

    @property
    def chapter(self) -> str:
        """The number of the chapter: 02 for an answer in answers_02.py."""
        return self.function.__module__.rpartition("_")[2]

    @property
    def name(self) -> str:
        """The name of the test that uses it."""
        return f"{self.chapter}-{self.exercise}-{self.function.__name__}"


ANSWERS: list[Answer] = []


def right(exercise):
    """Register a function that the check must accept."""
    return lambda function: ANSWERS.append(Answer(exercise, function, True)) or function


def wrong(exercise, *misconceptions, says=""):
    """Register a function that the check must reject, naming exactly these misconceptions, and in these words."""
    return lambda function: ANSWERS.append(Answer(exercise, function, False, misconceptions, says)) or function
