"""The result of a check: a card in a notebook, text elsewhere."""

import os
import re
from html import escape

import numpy as np
from IPython.display import display

from .difference import Difference

# Of the bar at the side only: the text has the page's own colour, light or dark.
RIGHT, WRONG = "#2e8b57", "#d9534f"
CELL = "padding:2px 8px;text-align:right;border:1px solid transparent;font-variant-numeric:tabular-nums"
HERE = "border:2px solid;font-weight:bold"


class WrongAnswer(AssertionError):
    """What is wrong with an answer. Notebooks show a short line of it, since a card with everything stands above.

    Nothing stands above in the results of nbgrader's Validate button.
    """

    def _render_traceback_(self) -> list[str]:
        if "NBGRADER_VALIDATING" in os.environ:
            return [f"WrongAnswer: {self}"]
        return ["WrongAnswer: what to think about stands above"]


class Card:
    """A heading, sentences, and perhaps two small tables; text where there is no HTML."""

    def __init__(self, mark: str, heading: str, text: str = "", difference: Difference | None = None) -> None:
        self.mark, self.heading, self.text, self.difference = mark, heading, text, difference

    def __repr__(self) -> str:
        return "\n".join(filter(None, [f"{self.mark} {self.heading}", self.text]))

    def _repr_html_(self) -> str:
        colour = RIGHT if self.mark == "✓" else WRONG
        heading = f"<div><strong>{self.mark} {code(self.heading)}</strong></div>"
        text = "".join(f"<div style='margin-top:4px'>{code(line)}</div>" for line in self.text.splitlines())
        return f"<div style='border-left:4px solid {colour};padding:4px 12px'>{heading}{text}{self.pictures()}</div>"

    def pictures(self) -> str:
        """The two tables, cells that differ in a frame."""
        found = self.difference
        if found is None or found.got is None:
            return ""
        differs = ~np.isclose(found.got, found.expected, rtol=found.allowed, atol=found.allowed, equal_nan=True)
        both = ((found.expected, "expected"), (found.got, "yours; framed: what differs"))
        tables = "".join(table(numbers, caption, differs) for numbers, caption in both)
        part = f"<div style='margin-top:8px'>Of a larger table: {found.place}.</div>" if found.place else ""
        style = "display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start;margin-top:8px"
        return f"{part}<div style='{style}'>{tables}</div>"


def code(text: str) -> str:
    """Escaped; what stands between `…` as code, what stands between $…$ in italics."""
    parts = escape(text).split("`")
    letters = (re.sub(r"\$([^$]+)\$", r"<i>\1</i>", part) for part in parts)
    return "".join(
        f"<code>{part}</code>" if k % 2 else italic for k, (part, italic) in enumerate(zip(parts, letters, strict=True))
    )


def table(numbers: np.ndarray, caption: str, differs: np.ndarray) -> str:
    """A small table of numbers."""
    rows = "".join(
        "<tr>"
        + "".join(f"<td style='{CELL};{HERE if d else ''}'>{x:.3g}</td>" for x, d in zip(*pair, strict=True))
        + "</tr>"
        for pair in zip(numbers, differs, strict=True)
    )
    return (
        f"<table><caption style='text-align:left;white-space:nowrap'>{caption}</caption><tbody>{rows}</tbody></table>"
    )


def accept(name: str, cases: int) -> None:
    """Say that an answer is right."""
    display(Card("✓", f"`{name}` is right: it was tried on {cases} inputs." if cases > 1 else f"`{name}` is right."))


def reject(name: str, message: str, case: str = "", difference: Difference | None = None, more: str = "") -> None:
    """Show what is wrong, and raise it; `more` comes last."""
    where = f" ({case})" if case else ""
    text = "\n".join(filter(None, [message, difference and difference.words, more]))
    display(Card("✗", f"`{name}` is not right yet{where}.", text, difference))
    raise WrongAnswer(f"{name} is not right yet{where}.\n{text}")
