"""The views as the browser tests try them: to add one is to add an entry to VIEWS (and to make its references).

Each is tried in JupyterLab and, if it needs no kernel, as an exported page; light and dark.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A cell that makes a view as its last expression, and what a reader does with it.

    `keyboard` and `mouse` are called with Playwright's locator of the .lesson-view. After `keyboard`, and then after `mouse`, the picture must be another one, the same in each run. `places` says where
    it is tried, `width` is that of the exported page in pixels, `alone` whether it moves without a kernel.
    """

    code: str
    keyboard: Callable
    mouse: Callable
    places: tuple[str, ...] = ("lab", "page")
    width: int = 760
    alone: bool = True


def made(code):
    """The value of the last expression of a cell."""
    body = ast.parse(code).body
    names = {}
    exec(compile(ast.Module(body[:-1], []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(body[-1].value), "<cell>", "eval"), names)


def press(*keys, role="slider", nth=0):
    """Focus the nth thing of this role, and press these keys."""

    def act(view):
        target = view.get_by_role(role).nth(nth)
        target.focus()
        for key in keys:
            target.press(key)

    return act


def click(selector, x, y):
    """Click at a place of the first element that fits the selector: x and y are parts of its width and height."""

    def act(view):
        target = view.locator(selector).first
        box = target.bounding_box()
        target.click(position={"x": x * box["width"], "y": y * box["height"]})

    return act


def choose(label, option):
    """Choose from a list."""
    return lambda view: view.get_by_label(label).select_option(option)


ATTENTION = """\
import numpy as np
from course_lib.show import AttentionView

queries, keys = ["European", "Economic", "Area", "小红"], ["zone", "économique", "européenne", "喜欢"]
gold = np.eye(4, dtype=bool)[[2, 1, 0, 3]]
scores = 2 * gold + np.arange(16).reshape(4, 4) / 8
"""

VIEWS = {
    "attention": Example(
        f"{ATTENTION}AttentionView(scores=scores, queries=queries, keys=keys, gold=gold)",
        keyboard=press("ArrowLeft"),
        mouse=click("canvas.above", 0.4, 0.6),
    ),
    "attention_masked": Example(
        f"{ATTENTION}mask = np.tri(4, dtype=bool)\nheads = np.stack([scores, scores.T])\nheads[1, 2, 1] = np.nan\n"
        'AttentionView(scores=heads, queries=queries, keys=keys, mask=mask, lang="zh")',
        keyboard=press("Home", role="application"),
        mouse=choose("头", "2"),
        places=("page",),
        width=360,
    ),
}


def examples(place):
    """The names of the views that are tried in "lab" or "page"."""
    return [name for name, example in VIEWS.items() if place in example.places]
