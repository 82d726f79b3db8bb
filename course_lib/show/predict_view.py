"""PredictView: the reader commits to a guess before the answer shows, and keeps it beside the answer afterwards."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_lib.show import theme
from course_lib.show.arrays import ArrayLike, as_array, check_count, short
from course_lib.show.cells import draw_words
from course_lib.show.in_words import shortened
from course_lib.show.letters import written
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.picture import Picture, finished, new_axes, picture_style
from course_lib.show.theme import HERE
from course_lib.show.view import View

Number = float | int
CELL, LETTER, WIDEST = 0.4, 0.115, 6.0  # inches
STEPS, LETTERS, LAST_NARROW = 100, 66, "\u2e7f"  # in a scale; in a line of a picture; half as many of those beyond


class PredictView(View):
    """A question that the reader answers before the answer shows; everything happens in the browser.

    What is given says how the reader guesses:
    `options` one of these words; `rows` and `options` one of the words for each row; `low` and `high` a number;
    `labels`, `low` and `high` a number for each label, drawn as a curve (`given`: the first of them are known).

    `answer` is what a cell computed: a word, a word for each row, a number, a number for each label. `why` is shown
    with it. The answer may come later, by `reveal`. `step` is how fine a number can be said, `unit` is written behind
    it. `guess` is what the reader committed to, in the form of the answer, and None before.

    Raises ValueError if the parts do not fit together, or if the answer is none that the reader could give.
    """

    _esm = module("guess.js", "predict_view.js")
    _css = STYLE_SHEET + (HERE / "predict_view.css").read_text(encoding="utf-8")
    _carried = ("kind", "question", "options", "labels", "given", "scale", "unit", "sealed", "guess")
    _frame_title = "a guess, then the answer"

    kind = traitlets.Enum(("pick", "rows", "number", "drag"), "pick").tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)  # of the rows or of the columns
    given = traitlets.List(traitlets.Float()).tag(sync=True)
    scale = traitlets.Dict(value_trait=traitlets.Float()).tag(sync=True)  # {low, high, step, digits}
    unit = traitlets.Unicode().tag(sync=True)
    sealed = traitlets.Bytes().tag(sync=True)  # {answer, why} as JSON; as bytes, a page's source does not show it
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        question: str,
        *,
        answer: ArrayLike | str | None = None,
        why: str = "",
        options: Sequence[object] = (),
        rows: Sequence[str] = (),
        labels: Sequence[str] = (),
        given: ArrayLike = (),
        low: Number | None = None,
        high: Number | None = None,
        step: Number | None = None,
        unit: str = "",
        lang: str = "en",
        words: Mapping[str, str] | None = None,
    ):
        choices, known = [str(option) for option in options], as_array(given).tolist()
        kind = kind_of(choices, rows, labels, known)
        scale = {} if choices else scale_of(low, high, step)
        check_inside("given", as_array(known), scale)
        asked = {"question": question, "options": choices, "labels": [str(label) for label in (*rows, *labels)]}
        super().__init__(kind=kind, given=known, scale=scale, unit=unit, **asked, lang=lang, words=words)
        self._why = why
        self.reveal(answer)

    def reveal(self, answer: ArrayLike | str | None, why: str | None = None) -> None:
        """Tell the answer that was not known when the reader guessed; it shows in place, beside the guess.

        Raises ValueError if it is none that the reader could give.
        """
        self._why = self._why if why is None else why
        told = {"answer": None if answer is None else self._checked(answer), "why": self._why}
        seen = [getattr(self, name) for name in self._carried]
        with self.hold_sync():
            self.font = self._font_for(self.lang, self.words, self._why, seen)
            self.sealed = json.dumps(told, ensure_ascii=False).encode()

    def _checked(self, answer: ArrayLike | str) -> list[str | float]:
        """The answer with one entry for each place; numbers that are none as the words NaN."""
        if self.options:
            several = self.kind == "rows"
            words = [str(word) for word in answer] if several else [str(answer)]
            check_count("answer, one word for each row", words, len(self.labels) if several else 1)
            for word in set(words) - set(self.options):
                raise ValueError(f"answer: expected one of {self.options}, got {word!r}.")
            return words
        numbers, expected = as_array(answer), (len(self.labels),) if self.labels else ()
        if numbers.shape != expected:
            raise ValueError(f"answer: expected numbers of shape {expected}, got {numbers.shape}.")
        check_inside("answer", numbers[~np.isnan(numbers)], self.scale)
        return ["NaN" if np.isnan(number) else number for number in numbers.ravel().tolist()]

    def picture(self) -> Picture:
        with picture_style():
            axes = draw_choices(self) if self.options else draw_scale(self)
            letters = LETTERS // 2 if any(c > LAST_NARROW for c in self.question) else LETTERS
            axes.set_title(textwrap.fill(written(self.question), letters), loc="left", parse_math=False)
            return replace(finished(axes.figure, in_words(self)), sharp=1)

    def __repr__(self) -> str:
        parts = [f"{len(self.labels)} places"] if self.labels else []
        parts.append(f"{len(self.options)} options" if self.options else "{low:g} … {high:g}".format(**self.scale))
        return f"PredictView({self.kind}: {', '.join(parts)})"


def kind_of(options: Sequence[str], rows: Sequence[str], labels: Sequence[str], given: Sequence[float]) -> str:
    """How the reader guesses, from what is given."""
    if (labels and options) or (rows and not options):
        raise ValueError(
            "PredictView: expected options, rows with options, low and high, or labels with low and high, "
            f"got {len(options)} options, {len(rows)} rows and {len(labels)} labels."
        )
    if options and len(set(options)) < max(2, len(options)):
        raise ValueError(f"options: expected at least two, all different, got {list(options)}.")
    if given and len(given) >= len(labels):
        raise ValueError(f"given: expected fewer numbers than the {len(labels)} labels, got {len(given)}.")
    return ("rows" if rows else "pick") if options else ("drag" if labels else "number")


def scale_of(low: Number | None, high: Number | None, step: Number | None) -> dict[str, float]:
    """The numbers that the reader can say, and with how many digits behind the point they are written."""
    if low is None or high is None or not low < high:
        raise ValueError(f"low, high: expected two numbers, the first one smaller, got {low} and {high}.")
    step = (high - low) / STEPS if step is None else step
    if not 0 < step <= high - low:
        raise ValueError(f"step: expected a number above 0 and at most {high - low:g}, got {step:g}.")
    digits = max(0, -Decimal(f"{step:.6g}").normalize().as_tuple().exponent)
    return {"low": float(low), "high": float(high), "step": float(step), "digits": float(digits)}


def check_inside(name: str, numbers: np.ndarray, scale: Mapping[str, float]) -> None:
    """Raise ValueError if a number lies outside the scale, by more than rounding."""
    low, high = scale.get("low", 0), scale.get("high", 0)
    rounding = 1e-6 * (high - low)
    outside = numbers[~((numbers >= low - rounding) & (numbers <= high + rounding))]
    if outside.size:
        raise ValueError(f"{name}: expected numbers from {low:g} to {high:g}, got {outside[0]:g}.")


def in_words(view: PredictView) -> str:
    """The question, what can be answered, and nothing of the answer."""
    unit = f" {view.unit}" if view.unit[:1].isalpha() else view.unit
    known = [f"{short(number)}{unit}" for number in view.given]
    places = [f"{label}: {(known[place : place + 1] or ['?'])[0]}" for place, label in enumerate(view.labels)]
    what = " · ".join(view.options) if view.options else "{low:g} … {high:g}".format(**view.scale) + unit
    return "\n".join([view.question, *shortened(places), what])


def draw_choices(view: PredictView) -> Axes:
    """An empty circle for each option; with rows, a table of them."""
    rows, options = (view.labels, view.options) if view.labels else (view.options, [""])
    upright = LETTER * max(map(len, options))
    cell = upright if CELL < upright < WIDEST / len(options) else CELL
    (axes,) = new_axes(cell * len(options), 0.24 * len(rows))
    places = np.argwhere(np.ones((len(rows), len(options))))
    axes.scatter(places[:, 1], places[:, 0], s=30, facecolor=theme.PAGE, edgecolor=theme.MUTED, linewidth=0.8)
    draw_words(axes, rows, options, cell)
    if not view.labels:
        axes.yaxis.tick_right()
    axes.set(xlim=(-0.5, len(options) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return axes


def draw_scale(view: PredictView) -> Axes:
    """An empty line from low to high; with labels, empty axes, and the curve as far as it is known."""
    ends = view.scale["low"], view.scale["high"]
    if view.kind == "number":
        (axes,) = new_axes(4.0, 0.01)
        axes.set(xlim=ends, yticks=[])
        return axes
    (axes,) = new_axes(min(0.8 * len(view.labels), 5.0), 1.8)
    axes.plot(view.given, color=theme.GOLD, marker="s", clip_on=False)
    axes.set(xlim=(-0.5, len(view.labels) - 0.5), ylim=ends)
    axes.set_xticks(range(len(view.labels)), [written(label) for label in view.labels], parse_math=False)
    axes.grid(axis="y")
    return axes
