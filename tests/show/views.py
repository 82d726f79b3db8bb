"""The views as the browser tests try them: to add one is to add an entry to VIEWS (and to make its references).

Each is tried in JupyterLab and, if it needs no kernel, as an exported page; light and dark.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass

OUTPUT = "xpath=ancestor::*[contains(@class, 'jp-OutputArea-output')][1]"  # of a cell, from a view in it


@dataclass(frozen=True)
class Example:
    """A cell that makes a view as its last expression, and what a reader does with it.

    `keyboard` and `mouse` get Playwright's locator of the .lesson-view. After the one, and then after the other, the
    picture must be another one, the same in each run. `places` says where it is tried, `width` is that of the exported
    page in pixels, `alone` whether it moves without a kernel.
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


def drag(selector, *places):
    """Press at the first place of the first element that fits the selector, go on to the others, let go.

    A place is (x, y), in parts of the element's width and height.
    """

    def act(view):
        target, mouse = view.locator(selector).first, view.page.mouse
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        for number, (x, y) in enumerate(places):
            mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
            if not number:
                mouse.down()
        mouse.up()

    return act


def click(selector, x, y):
    """Click at a place of the first element that fits the selector."""
    return drag(selector, (x, y))


def beside(selector, act):
    """Do something with a control that Python has put beside the view, into the same output of a cell."""
    return lambda view: act(view.locator(OUTPUT).locator(selector).first)


def then(*acts):
    """One after the other."""
    return lambda view: [act(view) for act in acts]


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

UNROLLED = """\
import numpy as np
from course_lib.show import UnrolledView

random = np.random.default_rng(0)
scores, states = random.normal(0, 2, (3, 4)), random.uniform(-1, 1, (4, 6))
weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
written = ["the", "red", "小红"]
guesses = [[(word, 0.75), ("a", 0.15)] for word in written]
hidden = {"start": random.uniform(-1, 1, 4), "states": random.uniform(-1, 1, (3, 4))}
words = {"source": ["la", "zone", "rouge", "<eos>"], "read": ["<bos>", "the", "red"], "written": written}
looks = {"scores": scores, "weights": weights, "contexts": weights @ states, "guesses": guesses}
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
    "attention_lines": Example(
        f'{ATTENTION}AttentionView(scores=scores, queries=queries, keys=keys, form="lines")',
        keyboard=press("ArrowLeft"),
        mouse=choose("as", "0"),
        places=("page",),
    ),
    "unrolled": Example(
        f"{UNROLLED}UnrolledView(**words, **hidden, **looks, encoder_states=states, bidirectional=True, step=0)",
        keyboard=press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown", role="application"),
        mouse=click("canvas", 0.9, 0.5),
    ),
    "unrolled_fixed": Example(
        f"{UNROLLED}UnrolledView(**words, **hidden, encoder_states=states, contexts=states[-1], lang='zh')",
        keyboard=press("PageUp", role="application"),
        mouse=click("canvas", 0.1, 0.5),
        places=("page",),
        width=360,
    ),
    "soft_lookup": Example(
        "from course_lib.show import SoftLookupView\n"
        'SoftLookupView([[2, 1], [-1, 2], [-1, -2]], ["king", "queen", "小红"], [[1, 0], [0, 1], [-1, -1]])',
        keyboard=press("ArrowRight", "ArrowRight"),
        mouse=drag(".lesson-plane .frame", (0.2, 0.2), (0.3, 0.7)),
    ),
    "predict_pick": Example(
        "from course_lib.show import PredictView\n"
        'PredictView("Which is nearest to 小红?", options=["king", "queen", "小明"], answer="queen", why="Both are …")',
        keyboard=press("Space", role="radio"),
        mouse=click("button", 0.5, 0.5),
    ),
    "predict_drag": Example(
        "from course_lib.show import PredictView\n"
        'PredictView("画出准确率", labels=["4–7", "8–11", "12–15"], low=0, high=1, answer=[0.9, 0.3, 0.1], lang="zh")',
        keyboard=press("PageUp", "PageUp"),
        mouse=then(drag(".board", (0.2, 0.2), (0.5, 0.4), (0.8, 0.7)), click("button", 0.5, 0.5)),
        places=("page",),
        width=360,
    ),
    "interactive": Example(
        f"{ATTENTION}from course_lib.show import interactive\n"
        "view = AttentionView(gold, queries, keys)\n"
        "interactive(lambda share: share * gold + (1 - share) / 4, view, share=(0.0, 1.0, 0.25))",
        keyboard=beside(".noUi-handle", lambda handle: handle.press("ArrowRight")),
        mouse=beside(".noUi-target", lambda track: track.click(position={"x": 40, "y": 2})),
        places=("lab",),
        alone=False,
    ),
}


def examples(place):
    """The names of the views that are tried in "lab" or "page"."""
    return [name for name, example in VIEWS.items() if place in example.places]
