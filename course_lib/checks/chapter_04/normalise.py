"""Chapter 4: cosines of all pairs, and a softmax with a mask that may leave a query nothing to attend to."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import normal


def cosines(q, k, *, query="row", key="row", length="root", zero="guarded", pairs="all", gives="cosines"):
    """The cosine of each query with each key; 0 where one of them is nothing but zeros."""
    lengths = [LENGTHS[way](tensor, length) for way, tensor in ((query, q), (key, k))]
    if zero == "guarded":
        lengths = [torch.where(norm == 0, 1.0, norm) for norm in lengths]
    if zero == "smoothed":
        lengths = [norm + 0.1 for norm in lengths]
    q, k = q / lengths[0], k / lengths[1]
    found = (q * k).sum(dim=1) if pairs == "one_to_one" else q @ k.T
    return {
        "cosines": lambda: found,
        "transposed": lambda: found.T,
        "distances": lambda: 1 - found,
        "weights": lambda: found.softmax(dim=1),
        "sizes": found.abs,
        "first": lambda: found[0],
    }[gives]()


def norm_of(tensor, length, **along):
    """Root of the sum of squares, or what is taken for it."""
    if length == "sum":
        return tensor.abs().sum(**along)
    squares = tensor.square().sum(**along) if length != "mean" else tensor.square().mean(**along)
    return squares if length == "squares" else squares.sqrt()


LENGTHS = {
    "row": lambda tensor, length: norm_of(tensor, length, dim=1, keepdim=True),
    "column": lambda tensor, length: norm_of(tensor, length, dim=0, keepdim=True),
    "table": lambda tensor, length: norm_of(tensor, length),
    "none": lambda tensor, length: torch.ones(()).to(tensor),
}


def cosine_cases(rng: np.random.Generator) -> Inputs:
    """Queries and keys, some of no length, some very short: what is added to a length shows."""
    empty = normal(rng, 4, 3)
    empty[2] = 0
    silent = normal(rng, 3, 3)
    silent[1] = 0
    return {
        "three queries, three keys, three numbers": (2 * normal(rng, 3, 3), 3 * normal(rng, 3, 3)),
        "two queries, four keys of three numbers, the third all zeros": (normal(rng, 2, 3), empty),
        "five queries, one key of two numbers": (normal(rng, 5, 2), 5 * normal(rng, 1, 2)),
        "three queries, the second all zeros, two keys": (silent, normal(rng, 2, 3)),
        "two queries, three keys, all about a thirtieth long": (normal(rng, 2, 2) / 30, normal(rng, 3, 2) / 30),
    }


check_cosines = Check(
    cosines,
    cosine_cases,
    (
        *known(
            "query",
            none="a longer query gets larger cosines. By which two lengths does the formula divide?",
            column="the columns of q are made one long. Along which axis lie the components of one query?",
            table="all queries are divided by one number, the length of the whole table. How many lengths are there?",
        ),
        *known(
            "key",
            none="a longer key gets larger cosines. Whose length is missing in the denominator?",
            column="the columns of k are made one long. Along which axis lie the components of one key?",
            table="all keys are divided by one number, the length of their whole table. Has each a length of its own?",
        ),
        *known(
            "length",
            squares="you divide by the squares of the lengths. What does the formula take of the sum of squares?",
            sum="your length adds up sizes without a square. What is the length of (3, 4)?",
            mean="your length takes the mean of the squares. Is the length of (3, 4) five, or less?",
        ),
        *known(
            "zero",
            nan="where a vector is nothing but zeros, you get 0/0. What must stand there, and which length is safe?",
            smoothed="a number is added to each length: all cosines are a bit off. Whose length alone is in the way?",
        ),
        *known("pairs", one_to_one="query i is compared with key i alone. Each query is compared with each key."),
        *known(
            "gives",
            transposed="queries and keys have changed places: a row belongs to a query.",
            distances="this is one minus the cosine, a distance: it is large where the two are unlike.",
            weights="these are weights already: a similarity is what comes before the softmax.",
            first="only the first query has cosines. Is the `return` inside the loop over the queries?",
            sizes="a cosine below zero has lost its sign. What do two vectors with opposite directions get?",
        ),
    ),
    axes=("query", "key"),
)


def masked_softmax(scores, mask, *, allowed="mask", hidden="never", empty="zeros", softmax="keys", gives="weights"):
    """The weights of each query over the keys that it may attend to; zeros where there are none."""
    at_the_end = torch.arange(mask.shape[1]) < mask.sum(dim=1, keepdim=True)
    may = {"mask": mask, "inverted": ~mask, "at_the_end": at_the_end}.get(allowed, torch.ones_like(mask))
    fill = {"zero": 0.0, "zero_twice": 0.0, "shallow": -20.0}.get(hidden, torch.finfo(scores.dtype).min)
    weights = (
        NORMALISE[softmax](scores.masked_fill(~may, fill))
        if softmax != "overflowing"
        else by_the_formula(scores.exp() * may)
    )
    if hidden == "felt":
        weights = NORMALISE[softmax](scores) * may
        weights = weights / weights.sum(dim=1, keepdim=True).clamp(min=1e-30)
    if softmax == "overflowing":
        weights = weights.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
    elif hidden in ("never", "zero_twice"):
        weights = weights.masked_fill(~may, 0.0)
    if allowed == "afterwards":
        weights = weights * mask
    nobody = ~mask.any(dim=1, keepdim=True)
    instead = {"nan": float("nan"), "even": 1 / mask.shape[1]}
    if empty in instead:
        weights = torch.where(nobody, instead[empty], weights)
    if empty == "all":
        weights = torch.where(nobody, scores.softmax(dim=1), weights)
    return {"weights": weights, "kept": weights[mask], "rows": weights[mask.any(dim=1)]}[gives]


def by_the_formula(positive):
    """Exponentials divided by their sum, as the formula is written."""
    return positive / positive.sum(dim=1, keepdim=True)


NORMALISE = {
    "underflowing": lambda scores: by_the_formula(scores.exp()),
    "underflowing_to_zero": lambda scores: by_the_formula(scores.exp()).nan_to_num(0.0),
    "queries_then_keys": lambda scores: by_the_formula(scores.softmax(dim=0)),
    "keys": lambda scores: scores.softmax(dim=1),
    "queries": lambda scores: scores.softmax(dim=0),
    "table": lambda scores: scores.flatten().softmax(dim=0).view_as(scores),
    "exponentials": torch.exp,
    "best": lambda scores: torch.eye(scores.shape[1]).to(scores)[scores.argmax(dim=1)],
}


def masked_softmax_cases(rng: np.random.Generator) -> Inputs:
    """Masks with and without an empty row; each key may be seen by somebody, so that no column is empty."""
    square = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
    wide = torch.tensor([[True, False, True, True], [False, True, True, False]])
    low = torch.tensor([[True, True, False], [False, True, True], [False, False, False], [True, False, True]])
    high = normal(rng, 2, 4)
    high[0, 1] += 1000
    return {
        "three queries, three keys, the second query may attend to nothing": (normal(rng, 3, 3), square),
        "two queries, four keys": (normal(rng, 2, 4), wide),
        "four queries, three keys, all scores near −10,000": (normal(rng, 4, 3) - 10_000, low),
        "two queries, four keys, a hidden score near 1000": (high, wide),
    }


check_shares = Check(
    masked_softmax,
    masked_softmax_cases,
    (
        *known(
            "allowed",
            inverted="only what is hidden is attended to: True means may attend.",
            at_the_end="the mask is read as a number of keys, as if the hidden ones came last. Where may they stand?",
            all="the mask makes no difference. `masked_fill` returns new scores: are they used?",
            afterwards="the mask comes after the softmax, so weights do not sum to one. Where is the rest?",
        ),
        *known(
            "hidden",
            zero="hidden keys have a weight: a score of zero has the exponential one, not zero.",
            zero_twice="a hidden score of zero still has its part of the sum. Which score has the exponential zero?",
            felt="a hidden score far above the others leaves them nothing. Which step must the mask precede?",
            shallow="hidden keys have a low score, such as −100 or −1000, but other keys may score lower still. Which "
            "score is below every other one?",
        ),
        *known(
            "empty",
            nan="a query that may attend to nothing got NaN, 0 over 0: a row of −∞, or a sum of 0. What is asked for?",
            even="a query that may attend to nothing attends to all alike: equal scores, however low, share equally.",
            all="a query that may attend to nothing looks as if there were no mask. What must stand there?",
        ),
        *known(
            "softmax",
            queries="your *columns* sum to one; each query's *row* should. Along which axis lie the keys of a query?",
            queries_then_keys="the softmax runs over the columns, and then each row is divided by its sum. Rows that "
            "sum to one are not enough: over which axis must the exponentials be compared?",
            underflowing="the exponentials of low scores are all zero, hence 0/0. What may be subtracted from all "
            "scores of a query without changing its weights?",
            underflowing_to_zero="a query with low scores gets only zeros, because its exponentials are all zero. What "
            "may be subtracted from all its scores without changing the weights?",
            overflowing="the exponential of a high hidden score is infinite, and ∞ · 0 is NaN. Low scores give 0/0. "
            "What does a softmax subtract first, and when must hidden scores go?",
            table="the whole table sums to one. How many queries need weights that sum to one?",
            exponentials="these are exponentials. What makes those of a query sum to one?",
            best="each query attends to its best key alone. Softmax gives a little to each that may be seen.",
        ),
        *known(
            "gives",
            kept="only the weights that are not hidden came back, in one row. Hidden ones are asked for too: as what?",
            rows="queries that may attend to nothing are missing. What stands in their rows?",
        ),
    ),
    axes=("query", "key"),
)
