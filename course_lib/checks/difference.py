"""The first element in which an answer differs from the right one, in words and as two small tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .compare import array, first_difference, same, shape

WINDOW = 6  # rows and columns of a picture


@dataclass(frozen=True)
class Difference:
    """Where an answer differs, in words; and both tables around that place, if there are tables."""

    words: str
    got: np.ndarray | None = None
    expected: np.ndarray | None = None
    allowed: float = 0.0
    place: str = ""  # what is seen of a larger table


def where_it_differs(
    got: Any, expected: Any, axes: tuple[str, ...], allowed: float, parts: tuple[str, ...] = ()
) -> Difference:
    """The difference of type, else of shape, else the first element that differs.

    `parts` names the parts of a result that is a tuple.
    """
    pair = isinstance(got, list | tuple) and isinstance(expected, list | tuple)
    if pair and len(got) == len(expected) and (parts or array(expected) is None):
        for k, (one, other) in enumerate(zip(got, expected, strict=True)):
            found = where_it_differs(one, other, axes, allowed)
            if found.words:
                name = f"The {parts[k]}" if parts else f"Part {k} of the result"
                return Difference(f"{name}: {uncapital(found.words)}", found.got, found.expected, allowed, found.place)
        return Difference("")
    numbers, right = array(got), array(expected)
    if numbers is None or right is None:
        if numbers is right and same(got, expected):
            return Difference("")
        words, other = shape(expected), shape(got)
        if words == other and isinstance(got, list | tuple):  # not `Expected a list of 1, got a list of 1.`
            words, other = (f"{shape(part)} that begins with {shape(part[0])}" for part in (expected, got))
        return Difference(f"Expected {words}, got {other}.")
    if numbers.shape != right.shape and (isinstance(got, tuple) or not right.shape):
        return Difference(f"Expected {shape(expected)}, got {shape(got)}." if right.shape else one_number(numbers))
    if numbers.shape != right.shape:
        return Difference(f"Expected the shape {right.shape}, got {numbers.shape}." + turned(numbers, right))
    place = first_difference(numbers, right, allowed)
    if place is None:
        return Difference("")
    seen = around(numbers, right, place)
    return Difference(sentence(numbers, right, place, axes), *seen[:2], allowed, seen[2])


def uncapital(words: str) -> str:
    """A sentence without its capital, for use after a colon."""
    return words[0].lower() + words[1:]


def one_number(got: np.ndarray) -> str:
    """Several numbers where one is expected."""
    return f"Expected one number, got the shape {got.shape}."


def turned(got: np.ndarray, expected: np.ndarray) -> str:
    """What a wrong shape looks like."""
    if got.ndim == expected.ndim and sorted(got.shape) == sorted(expected.shape):
        return " These are the same sizes in another order: have two axes changed places?"
    if got.size == expected.size:
        return " There are as many numbers as expected, arranged in another way."
    return ""


def sentence(got: np.ndarray, expected: np.ndarray, place: tuple[int, ...], axes: tuple[str, ...]) -> str:
    """`First difference at query 0, key 1: expected 0.5, got NaN.`"""
    names = axes if len(axes) == len(place) else ("",) * len(place)
    at = ", ".join(f"{name} {index}".strip() for name, index in zip(names, place, strict=True))
    one, other = got[place], expected[place]
    text = f"First difference{f' at {at}' if place else ''}: expected {other:.5g}, got {one:.5g}."
    wrong = np.isnan(got).sum(), np.isinf(got).sum()
    if wrong[0]:
        text += f" {wrong[0]} of your {got.size} numbers are NaN (not a number): 0/0 or ∞ − ∞ makes them."
    elif wrong[1]:
        text += f" {wrong[1]} of your {got.size} numbers are infinite."
    return text


def around(got: np.ndarray, expected: np.ndarray, place: tuple[int, ...]) -> tuple:
    """Both tables (the last two axes) near the place, and what is seen of them; None where there is but one number."""
    if got.size < 2:
        return None, None, ""
    tables = [np.atleast_2d(numbers[place[:-2]]) for numbers in (got, expected)]
    row, column = place[-2:] if len(place) > 1 else (0, place[-1])
    top, left = max(0, row - WINDOW + 1), max(0, column - WINDOW + 1)
    seen = [table[top : top + WINDOW, left : left + WINDOW] for table in tables]
    rows, columns = seen[0].shape
    words = f"rows {top} to {top + rows - 1}, columns {left} to {left + columns - 1}"
    return *seen, words if seen[0].shape != tables[0].shape else ""
