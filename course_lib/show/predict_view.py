"""PredictView: readers commit to a prediction before they see the answer, which then stands beside it."""

import html
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np
import traitlets

from course_lib.show.arrays import ArrayLike, as_array, check_count, short
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.theme import HERE
from course_lib.show.view import View

Number = float | int
STEPS = 100  # of a scale, unless `step` is given


class PredictView(View):
    """A question that the reader answers before the answer is shown; everything happens in the browser.

    The arguments decide the kind of prediction: `options` one of these words; `rows` and `options` one of the words
    for each row; `low` and `high` a number; `labels`, `low` and `high` a number for each label, drawn as a curve
    (`given`: the first of them are known).

    `answer` has the form of the prediction: a word, a word for each row, a number, a number for each label. `why`
    explains it. `step` is the resolution of numbers, `unit` is written behind them. `guess` is the prediction that the
    reader committed to, and None before. Where there is no kernel, the answer is folded below the question.

    Raises ValueError if the arguments do not fit together, or if the reader could not give the answer.
    """

    _esm = module("predict.js", "predict_view.js")
    _css = STYLE_SHEET + (HERE / "predict_view.css").read_text(encoding="utf-8")
    _carried = ("kind", "question", "options", "labels", "given", "scale", "unit", "sealed", "guess")
    _frame_title = "a prediction, then the answer"

    kind = traitlets.Enum(("choice", "rows", "number", "curve"), "choice").tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)  # of the rows or of the columns
    given = traitlets.List(traitlets.Float()).tag(sync=True)
    scale = traitlets.Dict(value_trait=traitlets.Float()).tag(sync=True)  # {low, high, step, digits}
    unit = traitlets.Unicode().tag(sync=True)
    sealed = traitlets.Bytes().tag(sync=True)  # {answer, why} as JSON; bytes, so that a page's source hides it
    guess = traitlets.Any(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        question: str,
        *,
        answer: ArrayLike | str,
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
        options, given = [str(option) for option in options], as_array(given).tolist()
        kind = kind_of(options, rows, labels, given)
        labels = [str(label) for label in (*rows, *labels)]
        scale = {} if options else scale_of(low, high, step)
        check_inside("given", as_array(given), scale)
        answers = checked_words(answer, options, rows) if options else checked_numbers(answer, labels, scale)
        self._answers, self._why = answers, why
        sealed = {"answer": answers if options else [str(number) for number in answers], "why": why}  # JSON has no NaN
        super().__init__(
            kind=kind,
            question=question,
            options=options,
            labels=labels,
            given=given,
            scale=scale,
            unit=unit,
            sealed=json.dumps(sealed, ensure_ascii=False).encode(),
            lang=lang,
            words=words,
            texts=[answers, why],
        )

    def _static(self) -> tuple[dict[str, str], dict]:
        """The question, and the answer folded below it, as HTML without a script."""
        text = {name: html.escape(word) for name, word in self.all_words.items()}
        unit = f" {self.unit}" if self.unit[:1].isalpha() else self.unit
        entries = [entry if self.options else f"{short(entry)}{unit}" for entry in self._answers]
        known = [*entries[: len(self.given)], *"?" * (len(entries) - len(self.given))]
        scope = " · ".join(self.options) or "{low:g} … {high:g}".format(**self.scale) + unit
        asked, answered = (table(self.labels, column) if self.labels else "" for column in (known, entries))
        answered = answered or f"<p>{html.escape(entries[0])}</p>"
        why = f"<p>{html.escape(self._why)}</p>" if self._why else ""
        folded = f"<details><summary>{text['answer']}</summary>{answered}{why}</details>"
        question = f"<p><strong>{html.escape(self.question)}</strong></p><p>{html.escape(scope)}</p>"
        return {"text/html": f"<div>{question}{asked}{folded}</div>"}, {}

    def __repr__(self) -> str:
        parts = [f"{len(self.labels)} rows" if self.options else f"{len(self.labels)} labels"] if self.labels else []
        parts.append(f"{len(self.options)} options" if self.options else "{low:g} … {high:g}".format(**self.scale))
        return f"PredictView({self.kind}: {', '.join(parts)})"


def table(labels: Sequence[str], entries: Sequence[str]) -> str:
    """An HTML table with a row for each label."""
    rows = (
        f"<tr><th>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in zip(labels, entries, strict=True)
    )
    return f"<table>{''.join(rows)}</table>"


def kind_of(options: Sequence[str], rows: Sequence[str], labels: Sequence[str], given: Sequence[float]) -> str:
    """The kind of prediction that these arguments describe."""
    if (labels and options) or (rows and not options):
        raise ValueError(
            "PredictView: expected options, rows with options, low and high, or labels with low and high, "
            f"got {len(options)} options, {len(rows)} rows and {len(labels)} labels."
        )
    if options and len(set(options)) < max(2, len(options)):
        raise ValueError(f"options: expected at least two, all different, got {list(options)}.")
    if given and len(given) >= len(labels):
        raise ValueError(f"given: expected fewer numbers than the {len(labels)} labels, got {len(given)}.")
    return ("rows" if rows else "choice") if options else ("curve" if labels else "number")


def scale_of(low: Number | None, high: Number | None, step: Number | None) -> dict[str, float]:
    """The limits and the resolution of a number, and how many digits after the point it is written with."""
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


def checked_words(answer: object, options: Sequence[str], rows: Sequence[str]) -> list[str]:
    """The option that is the answer, or one for each row."""
    words = [str(word) for word in answer] if rows else [str(answer)]
    check_count("answer, one word for each row", words, len(rows) or 1)
    for word in words:
        if word not in options:
            raise ValueError(f"answer: expected one of {options}, got {word!r}.")
    return words


def checked_numbers(answer: ArrayLike, labels: Sequence[str], scale: Mapping[str, float]) -> list[float]:
    """The number that is the answer, or one for each label; NaN where nothing was measured."""
    numbers, expected = as_array(answer), (len(labels),) if labels else ()
    if numbers.shape != expected:
        raise ValueError(f"answer: expected numbers of shape {expected}, got {numbers.shape}.")
    check_inside("answer", numbers[~np.isnan(numbers)], scale)
    return numbers.ravel().tolist()
