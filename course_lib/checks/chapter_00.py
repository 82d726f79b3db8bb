"""Chapter 0: softmax, a look-up that blends, analogies, the nearest word, and what a temperature does."""

import numpy as np

from .engine import Check, Inputs, Misconception


def softmax_rows(scores, T=1.0, *, axis=1, by="divide", power=np.exp, largest="row", keep=True):
    """The weights of each row; switches make it err."""
    scores = {"divide": scores / T, "multiply": scores * T, "ignore": scores}[by]
    shift = {"row": scores.max(axis=1, keepdims=keep), "table": scores.max(), "none": 0.0}[largest]
    positive = power(scores - shift)
    return positive / positive.sum(axis=axis, keepdims=keep or axis is None)


def softmax_cases(rng: np.random.Generator) -> Inputs:
    """Tables of scores and temperatures."""
    return {
        "three rows, three columns": (rng.normal(size=(3, 3)), 1.0),
        "T = 0.5": (rng.normal(size=(3, 3)), 0.5),
        "two rows, five columns, T = 3": (rng.normal(size=(2, 5)), 3.0),
        "scores of a thousand, and of minus a thousand": (np.array([[1000.0, 1001, 999], [-1000, -1001, -999]]), 1.0),
    }


check_softmax = Check(
    softmax_rows,
    softmax_cases,
    (
        Misconception(
            "axis",
            {"axis": 0},
            "your columns sum to one. Which axis does `sum(axis=…)` sum over: who shares out the one?",
        ),
        Misconception("table", {"axis": None}, "the whole table sums to one."),
    ),
    axes=("row", "column"),
)
