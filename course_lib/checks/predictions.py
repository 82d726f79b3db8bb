"""Checks of predictions: each wrong one is explained, and the right one is not shown."""

from typing import Any

import numpy as np

from .card import accept, reject
from .compare import array, is_tensor, shape
from .engine import Check, Misconception, Result, name_of
from .faults import raised

NEAR = 0.05  # so far from what is right, a prediction may be right but for its rounding


class Predictions(Check):
    """The check of a function without arguments that returns a list of predictions, one for each question.

    `questions` is, in their order, {what is asked: (the right answer, {a wrong answer: message})}.
    Answers are numbers, right within one hundredth, or texts to choose from. Each wrong one is named, not only the
    first; the right answers are not shown, since the cell below the check measures them.
    """

    def __init__(self, questions: dict[str, tuple[Any, dict[Any, str]]]) -> None:
        self.questions = questions
        rights = [right for right, _ in questions.values()]
        misconceptions = tuple(
            Misconception(f"prediction {k} is {wrong}", {f"prediction_{k}": wrong}, says)
            for k, (_, ideas) in enumerate(questions.values(), start=1)
            for wrong, says in ideas.items()
        )

        def reference(**others: Any) -> list:
            return [others.get(f"prediction_{k}", right) for k, right in enumerate(rights, start=1)]

        super().__init__(reference, lambda rng: {"your predictions": ()}, misconceptions, tolerance=0.01)

    def __call__(self, function: Any, seed: int = 0) -> None:
        """Compare the predictions with what is right. Raises WrongAnswer, and NotImplementedError from a stub."""
        __tracebackhide__ = True
        name = name_of(function)
        result = Result(function, ())
        if result.error is not None:
            reject(name, raised(function, result.error, {}))
        got = [] if result.value is None or isinstance(result.value, str) else as_list(result.value)
        if len(got) != len(self.questions):
            reject(name, f"Expected a list of {len(self.questions)} predictions, got {shape(result.value)}.")
        wrong = list(filter(None, map(self.objection, range(1, len(got) + 1), got, self.questions)))
        if wrong:
            holding = len(got) - len(wrong)
            verb = "holds" if holding == 1 else "hold"
            reject(name, "\n".join(wrong), f"{holding} of {len(got)} predictions {verb}")
        accept(name, 1)

    def objection(self, number: int, predicted: Any, asked: str) -> str:
        """What to say of one prediction; empty if it is right."""
        right, ideas = self.questions[asked]
        predicted = as_number(predicted)
        if self.means(predicted, right):
            return ""
        known = [says for wrong, says in ideas.items() if self.means(predicted, wrong)]
        says = known[0] if known else self.unusual(predicted, right, ideas)
        return f"Prediction {number} ({asked}): {says}"

    def unusual(self, predicted: Any, right: Any, ideas: dict[Any, str]) -> str:
        """What to say of a prediction that no known idea leads to."""
        if isinstance(right, str):
            choice = ", ".join(f"`{text!r}`" for text in sorted((right, *ideas)))
            return f"choose one of {choice}; yours is {shape(predicted)}."
        if not isinstance(predicted, float):
            quotes = ", without quotation marks" if isinstance(predicted, str) else ""
            return f"write a number{quotes}; yours is {shape(predicted)}."
        if 0 <= right <= 1 < predicted and any(self.means(predicted / 100, answer) for answer in (right, *ideas)):
            return f"{digits(predicted)} looks like per cent. The answer lies between 0 and 1."
        if abs(predicted - right) <= NEAR + 1e-9:
            so = "If you rounded: two digits at least, or a fraction."
            return f"{digits(predicted)} is near, but not near enough. {so}"
        return f"it does not hold. Which steps lead you to {digits(predicted)}?"

    def means(self, predicted: Any, answer: Any) -> bool:
        """Whether a prediction is this answer: up to rounding, or up to capitals and spaces."""
        if isinstance(answer, str):
            return isinstance(predicted, str) and predicted.strip().casefold() == answer.casefold()
        if not isinstance(predicted, float):
            return False
        return predicted == answer or abs(predicted - answer) <= self.tolerance  # equal: infinity has no distance


def as_list(value: Any) -> list:
    """The predictions one by one, whatever they lie in; none where there is nothing to go through."""
    numbers = array(value)
    if numbers is None and isinstance(value, np.ndarray):  # of fractions, for instance
        numbers = value
    if numbers is not None:
        return numbers.ravel().tolist()
    return list(value) if isinstance(value, list | tuple) else []


def digits(number: float) -> str:
    """A number as people write it: a whole one with all its digits, another one with five."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e12 else f"{number:.5g}"


def as_number(value: Any) -> Any:
    """A fraction, or a tensor or an array of one number, as a float; texts and what is no number as they are."""
    if isinstance(value, str):
        return value
    try:
        return float(value.item() if is_tensor(value) or isinstance(value, np.ndarray) else value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return value
