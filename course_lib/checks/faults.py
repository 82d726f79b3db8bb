"""Messages for answers that change their arguments or raise an exception."""

import traceback
from collections.abc import Callable
from typing import Any

from .compare import shape


def changed(names: tuple[str, ...], arguments: tuple, place: int) -> str:
    """An argument that was changed in place, in words."""
    name = names[place] if place < len(names) else f"argument {place}"
    says = f"Your function changes its argument `{name}` in place: the caller's values have changed."
    if hasattr(arguments[place], "add_"):
        return f"{says} Work on a copy (`clone`), or use what makes new numbers: `masked_fill`, not `masked_fill_`."
    return f"{says} Work on a copy, or make new numbers: `x = x - 1`, not `x -= 1`."


def raised(function: Callable, error: BaseException, arguments: dict[str, Any]) -> str:
    """An exception of the student's code, in words: which line, what it says, and what the function was given."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f" in line {lines[-1].lineno} of its cell, `{lines[-1].line}`" if lines else ""
    given = ", ".join(f"{name}: {shape(value)}" for name, value in arguments.items())
    arguments_line = f"\nIts arguments were {given}." if given else ""
    return f"Your function stopped with {type(error).__name__}{place}: {error}{arguments_line}"
