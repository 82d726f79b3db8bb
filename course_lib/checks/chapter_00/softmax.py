"""Softmax with a temperature, and what changes its weights (chapter 0)."""

import numpy as np

from ..engine import Check, Inputs, known
from ..engine import Misconception as M
from ..predictions import Predictions


def softmax_rows(
    scores, T=1.0, *, temperature="divides", largest="row", maximum="late", power="e", total="row", gives="all"
):
    """The weights of each row."""
    scaled = {"divides": scores / T, "multiplies": scores * T}.get(temperature, scores)
    of = scores if maximum == "early" else scaled
    shift = along(largest, np.mean if largest == "mean" else np.max, of)
    shifted = scaled - (shift / T if temperature == "maximum" else shift)
    positive = {"e": np.exp, "two": np.exp2, "none": np.asarray}[power](shifted)
    weights = positive / (along(total.removesuffix("_then_row"), np.sum, positive) if total != "none" else 1.0)
    weights = weights / weights.sum(axis=1, keepdims=True) if total == "column_then_row" else weights
    weights = weights / T if temperature == "late" else weights
    return {"first": weights[0], "last": weights[-1], "rounded": weights.round(3)}.get(gives, weights)


def along(way, reduce, table):
    """The maximum, or the sum, of each row; of each column, of all; or of each row, but laid along the columns."""
    if way in ("column", "all", "across"):
        return reduce(table, axis={"column": 0, "all": None, "across": 1}[way])
    return reduce(table, axis=1, keepdims=True) if way != "none" else 0.0


def softmax_cases(rng: np.random.Generator) -> Inputs:
    """Tables of scores and temperatures."""
    return {
        "three rows, three columns": (rng.normal(size=(3, 3)), 1.0),
        "two rows, five columns, T = 3": (rng.normal(size=(2, 5)), 3.0),
        "one column": (rng.normal(size=(3, 1)) + 2, 0.5),
        "scores near 1000 and near −1000": (rng.normal(size=(2, 3)) + np.array([[1000.0], [-1000.0]]), 1.0),
        "T = 0.001": (rng.uniform([1, 5], [3, 7], size=(3, 2)), 0.001),
    }


check_softmax = Check(
    softmax_rows,
    softmax_cases,
    (
        M(
            "the columns",
            {"largest": "column", "total": "column"},
            "your columns sum to one, not your rows. Along which axis lie the scores of one question?",
        ),
        M(
            "the table",
            {"largest": "all", "total": "all"},
            "the whole table sums to one, with one maximum for all. For how many questions must the "
            "weights sum to one?",
        ),
        M(
            "no exponential",
            {"largest": "none", "power": "none"},
            "these are scores divided by their sum. What does the formula do first, so that none is negative?",
        ),
        *known(
            "total",
            column="each number is divided by the sum of its column. Which numbers have to sum to one?",
            all="each number is divided by the sum of the whole table. How many sums do three rows need?",
            across="the sums of the rows have lost their axis and divide the columns. What does `keepdims` do?",
            none="the exponentials are there, but a row does not sum to one. What stands in the denominator?",
        ),
        *known(
            "largest",
            column="each column loses its own maximum, so a row's scores lose different numbers. Which axis is it?",
            all="one maximum for the whole table: rows far below it become 0/0. Which number is safe for each row?",
            across="the maxima of the rows have lost their axis and are taken from the columns. Look up `keepdims`.",
            mean="the mean of a row is subtracted, and a score may still lie far above it. Which number is safe?",
            none="`exp(1000)` is out of range, `exp(-1000)` is 0. What may a whole row lose, its weights unchanged?",
        ),
        M(
            "the columns, then the rows",
            {"largest": "column", "total": "column_then_row"},
            "the softmax runs over the columns, and then each row is divided by its sum. Over which axis must the "
            "exponentials be compared?",
        ),
        *known("maximum", early="the maximum was taken before the division by T. With a small T, are exponents small?"),
        *known(
            "gives",
            first="only the first row comes back. Is the `return` inside the loop?",
            last="only the last row comes back. What has become of the rows before it?",
            rounded="the weights are right, but rounded to three digits. Rounding is for printing. "
            "Which digits does the next step need?",
        ),
        *known(
            "power",
            none="these are shifted scores divided by their sum. What makes the numbers in the numerator positive?",
            two="these are powers of 2. Which number is it that the formula raises to the power of a score?",
        ),
        *known(
            "temperature",
            unused="the temperature changes nothing. Where in the formula does T stand?",
            multiplies="heat makes your weights more decided, and it must mix. What should a large T do to the gaps?",
            maximum="only the maximum is divided by T, since `/` comes before `-`. What does the formula divide by T?",
            late="the weights are divided by T and no longer sum to one. At which of the steps does T come in?",
        ),
    ),
    axes=("row", "column"),
)

check_changes = Predictions(
    {
        "2 more for every score": (
            1 / 2,
            {
                2 / 3: "large scores as such decide nothing. What becomes of the gaps between them?",
                1 / 3: "shares of a plain sum would even out. What does `exp` make of `s + 2`?",
            },
        ),
        "every score doubled": (
            2 / 3,
            {
                1 / 2: "a factor cancels in shares of a plain sum. What does it do in an exponent?",
                1 / 3: "the gaps between the scores get wider. Does that mix, or decide?",
                1: "`exp(gap)` was 2 between keys 1 and 2. What is it with twice the gap?",
            },
        ),
        "a copy of key 1": (
            1 / 3,
            {
                1 / 2: "a fourth key has joined, and the weights still sum to one. Which weights become smaller?",
                1 / 4: "each copy is as heavy as key 1 was: twice key 2. Is it, with your number?",
                2 / 3: "that is what the two copies have together. What has the first alone?",
                2 / 5: "you copy what was doubled before. Each change starts from the keys at first.",
            },
        ),
        "without key 3": (
            2 / 3,
            {
                1 / 2: "two keys are left, one twice as heavy as the other. Do your weights sum to one?",
                3 / 4: "key 1 gets all that is free: now three times key 2. What changed the ratio?",
                5 / 8: "what is free is shared out equally. Is key 1 still twice as heavy as key 2?",
                4 / 5: "your scores are still doubled. Begin again with the weights ½, ¼ and ¼.",
                2 / 5: "your copy of key 1 is still there. Each change begins with three keys.",
                4 / 9: "your keys are still doubled and copied: changes do not pile up here.",
            },
        ),
        "T very large": (
            1 / 3,
            {
                1 / 2: "a factor in the exponent does not cancel. What are all `s / T` close to?",
                1: "that is what cold does. Divided by a very large T, how far apart are scores?",
                1 / 4: "equal shares of four keys. At the start of each change, how many are there?",
                0: "all scores go to 0, but can all weights? What is `exp(0)`?",
            },
        ),
        "T close to 0": (
            1,
            {
                1
                / 2: "at first there is one best key, and a factor in the exponent does not cancel. How wide is a gap "
                "divided by 0.001?",
                1 / 3: "that is what heat does. Divided by a very small T, how far apart are scores?",
                0: "the weights sum to one, however cold it is. Which key has the weight, if not the best one?",
            },
        ),
    }
)
