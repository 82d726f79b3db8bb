"""The views as the browser tests try them: to add one is to add an entry to VIEWS.

Each is tried in JupyterLab and, if it needs no kernel, as an exported page; light and dark.
"""

import ast
import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
from PIL import Image

from tests.house.files import HOME

ARTEFACTS = HOME / "test-artefacts" / "screenshots"
OUTPUT = "xpath=ancestor::*[contains(@class, 'jp-OutputArea-output')][1]"  # of a cell, from a view in it
HOSTILE = ["<img src=x onerror=document.title='owned'>", "</script><b>bold</b>", "'\"&quot;", "-->"]


@dataclass(frozen=True)
class Example:
    """A cell that makes a view as its last expression, and what a reader does with it.

    `keyboard` and `mouse` get Playwright's locator of the .lesson-view and are done one after the other; `says` is
    what the view's status line then contains, and did not before. `places` says where it is tried, `width` is that of
    the exported page in pixels.
    """

    code: str
    keyboard: Callable
    mouse: Callable
    says: tuple[str, str]
    places: tuple[str, ...] = ("lab", "page")
    width: int = 760

    def move(self, view, kind):
        """Use the view by "keyboard" or "mouse"; return when its status line says what has changed."""
        getattr(self, kind)(view)
        if text := self.says[kind == "mouse"]:
            view.get_by_role("status").filter(has_text=text).wait_for()


def made(code):
    """The value of the last expression of a cell."""
    body = ast.parse(code).body
    names = {}
    exec(compile(ast.Module(body[:-1], []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(body[-1].value), "<cell>", "eval"), names)


def press(*keys, role="slider"):
    """Focus the first element of this role, and press these keys."""

    def act(view):
        for key in keys:
            view.get_by_role(role).first.press(key)

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


def beside(selector, act):
    """Use a control that Python has put beside the view, into the same output of a cell."""
    return lambda view: act(view.locator(OUTPUT).locator(selector).first)


def keep(view, name):
    """Save a screenshot to test-artefacts/screenshots/, for people to look at."""
    view.screenshot(path=ARTEFACTS / f"{name}.png")


def painted(canvas):
    """The pixels of a canvas (height width rgba)."""
    png = canvas.evaluate("(canvas) => canvas.toDataURL()").partition(",")[2]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA")).astype(int)


class Outline(HTMLParser):
    """The names of the elements of a page, its srcdoc pages, and the text of its scripts."""

    def __init__(self, source):
        super().__init__()
        self.names, self.frames, self.scripts = [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.frames += [value for name, value in attrs if name == "srcdoc"]

    def handle_data(self, data):
        if self.names and self.names[-1] == "script":
            self.scripts.append(data)


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
attention = {"scores": scores, "weights": weights, "contexts": weights @ states, "guesses": guesses}
"""

VIEWS = {
    "attention": Example(
        f"{ATTENTION}AttentionView(scores=scores, queries=queries, keys=keys, gold=gold)",
        keyboard=press("ArrowLeft"),
        mouse=drag("canvas.above", (0.4, 0.6)),
        says=("step 3 of 4: writes “Area”", "“Area” → “économique”"),
    ),
    "attention_masked": Example(
        f"{ATTENTION}mask = np.tri(4, dtype=bool)\nheads = np.stack([scores, scores.T])\nheads[1, 2, 1] = np.nan\n"
        'AttentionView(scores=heads, queries=queries, keys=keys, mask=mask, lang="zh")',
        keyboard=press("Home", role="application"),
        mouse=lambda view: view.get_by_label("头").select_option("2"),
        says=("“小红” → “zone”: .071", "“小红” → “zone”: .026"),
        places=("page",),
        width=360,
    ),
    "attention_lines": Example(
        f'{ATTENTION}AttentionView(scores=scores, queries=queries, keys=keys, form="lines")',
        keyboard=press("ArrowLeft"),
        mouse=drag("canvas.all", (0.98, 0.1)),
        says=("step 3 of 4: writes “Area”", "“zone” is attended to by “Area”"),
        places=("page",),
    ),
    "unrolled": Example(
        f"{UNROLLED}UnrolledView(**words, **hidden, **attention, encoder_states=states, bidirectional=True, step=0)",
        keyboard=press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown", role="application"),
        mouse=drag("canvas", (0.9, 0.5)),
        says=("time step 1 of 3, step 1 of 6", "time step 3 of 3, step 6 of 6"),
    ),
    "unrolled_fixed": Example(
        f"{UNROLLED}UnrolledView(**words, **hidden, encoder_states=states, contexts=states[-1], lang='zh')",
        keyboard=press("PageUp", role="application"),
        mouse=drag("canvas", (0.1, 0.5)),
        says=("时间步 3 / 3, 步 1 / 4", "解码器的初始状态"),
        places=("page",),
        width=360,
    ),
    "soft_lookup": Example(
        "from course_lib.show import SoftLookupView\n"
        'SoftLookupView([[2, 1], [-1, 2], [-1, -2]], ["king", "queen", "小红"], [[1, 0], [0, 1], [-1, -1]])',
        keyboard=press("ArrowRight", "ArrowRight"),
        mouse=drag(".lesson-plane .frame", (0.2, 0.2), (0.3, 0.7)),
        says=("q = (1.04, .66): “king” .83", "“小红” .9"),
    ),
    "predict_pick": Example(
        "from course_lib.show import PredictView\n"
        'PredictView("Which is nearest to 小红?", options=["king", "queen", "小明"], answer="queen", why="Both are …")',
        keyboard=press("Space", role="radio"),
        mouse=drag("button", (0.5, 0.5)),
        says=("", "you predicted “king”, answer “queen”"),
    ),
    "predict_drag": Example(
        "from course_lib.show import PredictView\n"
        'PredictView("画出准确率", labels=["4–7", "8–11", "12–15"], low=0, high=1, answer=[0.9, 0.3, 0.1], lang="zh")',
        keyboard=press("PageUp", "PageUp"),
        mouse=lambda view: [
            act(view) for act in (drag(".board", (0.2, 0.2), (0.5, 0.4), (0.8, 0.7)), drag("button", (0.5, 0.5)))
        ],
        says=("1 / 3", "平均误差 .20"),
        places=("page",),
        width=360,
    ),
    "interactive": Example(
        f"{ATTENTION}from course_lib.show import interactive\n"
        "view = AttentionView(gold, queries, keys)\n"
        "interactive(lambda share: share * gold + (1 - share) / 4, view, share=(0.0, 1.0, 0.25))",
        keyboard=beside(".noUi-handle", lambda handle: handle.press("ArrowRight")),
        mouse=beside(".noUi-target", lambda track: track.click(position={"x": 40, "y": 2})),
        says=("attends to “喜欢” .81", "attends to “喜欢” .44"),
        places=("lab",),
    ),
}


def examples(place):
    """The names of the views that are tried in "lab" or "page"."""
    return [name for name, example in VIEWS.items() if place in example.places]
