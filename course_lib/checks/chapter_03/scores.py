"""Chapter 3: three scores as matrices, and the location score for sentences of any length."""

import math

import numpy as np
import torch
from torch.nn.functional import normalize, pad

from ..engine import Check, Inputs, known
from ..inputs import some


def three_scores(
    h, h_bar, W, W_a, v, *, dot="dot", general="W", joined="query key", pairs="all", curve="tanh", gives="scores"
):
    """The scores dot, general and concat of each query against each key."""
    dots, generals = DOTS[dot](h, h_bar), GENERALS[general](h, h_bar, W)
    left, right = h[:, None], h_bar[None]
    if pairs != "all":
        left, right = (h if pairs == "one_to_one" else h.expand_as(h_bar)), h_bar
    left, right = torch.broadcast_tensors(left, right)
    both = {"query key": [left, right], "key query": [right, left]}[joined]
    concats = CURVES[curve](torch.cat(both, dim=-1), W_a, v)
    found = dots, generals, concats[None] if pairs == "one_query" else concats
    if " " in gives:
        return tuple({"dot": dots, "general": generals, "concat": concats}[name] for name in gives.split())
    return tuple(GIVES[gives](scores) for scores in found)


DOTS = {
    "dot": lambda h, h_bar: h @ h_bar.T,
    "scaled": lambda h, h_bar: h @ h_bar.T / math.sqrt(h.shape[1]),
    "cosine": lambda h, h_bar: normalize(h, dim=1) @ normalize(h_bar, dim=1).T,
    "one_to_one": lambda h, h_bar: (h * h_bar).sum(dim=1),
}
GENERALS = {
    "W": lambda h, h_bar, W: h @ W @ h_bar.T,
    "scaled": lambda h, h_bar, W: h @ W @ h_bar.T / math.sqrt(h.shape[1]),
    "transposed": lambda h, h_bar, W: h @ W.T @ h_bar.T,
    "both": lambda h, h_bar, W: (h @ W) @ (h_bar @ W).T,
    "tanh": lambda h, h_bar, W: torch.tanh(h @ W) @ h_bar.T,
    "outside": lambda h, h_bar, W: torch.tanh(h @ W @ h_bar.T),
    "forgotten": lambda h, h_bar, W: h @ h_bar.T,
}
CURVES = {
    "tanh": lambda both, W_a, v: torch.tanh(both @ W_a.T) @ v,
    "none": lambda both, W_a, v: both @ W_a.T @ v,
    "around_v": lambda both, W_a, v: torch.tanh(both @ W_a.T @ v),
    "no_v": lambda both, W_a, v: torch.tanh(both @ W_a.T).sum(dim=-1),
    "before_W": lambda both, W_a, v: torch.tanh(both) @ W_a.T @ v,
}
GIVES = {
    "scores": lambda scores: scores,
    "weights": lambda scores: scores.softmax(dim=-1),
    "transposed": lambda scores: scores.t(),
}


def three_scores_cases(rng: np.random.Generator) -> Inputs:
    """Queries, keys and parameters; v is long enough for scores beyond one."""
    sizes = {
        "four queries, four keys, every size four": {"query": 4, "key": 4, "d": 4, "both": 8, "hidden": 4},
        "two queries, three keys, all sizes different": {"query": 2, "key": 3, "d": 5, "both": 10, "hidden": 7},
        "one query, six keys": {"query": 1, "key": 6, "d": 3, "both": 6, "hidden": 2},
    }
    axes = "query d", "key d", "d d", "hidden both", "hidden"
    tensors = {case: some(rng, of, *axes) for case, of in sizes.items()}
    return {case: (h, h_bar, W, W_a, 3 * v) for case, (h, h_bar, W, W_a, v) in tensors.items()}


check_zoo = Check(
    three_scores,
    three_scores_cases,
    (
        *known(
            "dot",
            scaled="the dot product is divided by √d. That is a score too, but does Luong's formula divide?",
            cosine="the dot product is that of vectors of length one. Which lengths have the vectors in the formula?",
            one_to_one="the dot product is taken of query i and key i only. Each query is compared with each key.",
        ),
        *known(
            "general",
            scaled="general: the score is divided by √d. Does Luong's formula divide?",
            transposed="general: W is transposed. On which side of W stands the query, and which axis does it meet?",
            both="general: W multiplies queries *and* keys. How often does it stand in the formula?",
            tanh="general: there is a tanh on the query. Only one of the three scores has one: which?",
            outside="general: there is a tanh around the score, so it never exceeds one. Which score has a tanh?",
            forgotten="general: W makes no difference. What stands between query and key?",
        ),
        *known("joined", **{"key query": "concat: the key comes first. In which order are the two joined in [h; h̄]?"}),
        *known("pairs", one_to_one="concat: query i is joined with key i only. How many pairs are there to score?"),
        *known("pairs", one_query="concat: the chapter's line takes one query. Here there are many."),
        *known(
            "curve",
            none="concat: there is no tanh, so a query's number is just added to a key's. Where does the tanh stand?",
            around_v="concat: the tanh stands around v too, so no score exceeds one. What is inside it in the formula?",
            no_v="concat: v makes no difference. The numbers after the tanh are added up: with which weights?",
            before_W="concat: the tanh comes before the matrix. On what does it stand in the formula?",
        ),
        *known(
            "gives",
            weights="these are weights: a score is what comes before the softmax.",
            transposed="queries and keys have changed places: a row belongs to a query.",
            **{"dot concat general": "concat and general have changed places: in which order must they be returned?"},
            **{"general dot concat": "dot and general have changed places: which of the two comes first?"},
        ),
    ),
    axes=("query", "key"),
    parts=("dot", "general", "concat"),
)


def location(h, n_key, W, *, rows="first", beyond="nothing", softmax="keys", matrix="transposed", gives="weights"):
    """The weights of n_key places, from the queries alone; places that W does not know get none."""
    longest, L = len(W), min(n_key, len(W))
    known_rows = {"first": W[:L], "last": W[longest - L :], "reversed": W[:L].flip(0)}[rows]
    known_scores = h @ (known_rows.T if matrix == "transposed" else known_rows)
    missing = n_key - L
    if beyond in ("cut", "all_rows"):
        scores = known_scores if beyond == "cut" else h @ W.T
    elif beyond in ("wrapped", "repeated"):
        places = torch.arange(n_key)
        places = places % L if beyond == "wrapped" else places.clamp(max=L - 1)
        scores = known_scores[:, places]
    else:
        scores = pad(known_scores, (0, missing), value=0.0 if beyond == "zero_score" else -math.inf)
    weights = NORMALISE[softmax](scores, h, W, L)
    return {"scores": scores, "scores_zeros": pad(known_scores, (0, missing)), "transposed": weights.t()}.get(
        gives, weights
    )


def shared_by_all(scores, h, W, L):
    """The softmax over all places that W knows, of which a short sentence has only the first."""
    return pad((h @ W.T).softmax(dim=1)[:, :L], (0, scores.shape[1] - L))


NORMALISE = {
    "keys": lambda scores, h, W, L: scores.softmax(dim=1),
    "queries": lambda scores, h, W, L: scores.softmax(dim=0).nan_to_num(0.0),
    "before_the_cut": shared_by_all,
    "best": lambda scores, h, W, L: torch.eye(scores.shape[1]).to(scores)[scores.argmax(dim=1)],
    "exponentials": lambda scores, h, W, L: scores.exp(),
}


def location_cases(rng: np.random.Generator) -> Inputs:
    """Sentences that are as long as W knows, shorter, and longer."""
    sizes = {
        "four queries, four words, a matrix for four": ((4, 4, 4), 4),
        "two queries, three words, a matrix for seven": ((2, 5, 7), 3),
        "three queries, nine words, a matrix for five": ((3, 2, 5), 9),
        "one query, one word, a matrix for three": ((1, 4, 3), 1),
    }
    found = {}
    for case, (of, n_key) in sizes.items():
        h, W = some(rng, dict(zip(("query", "d", "longest"), of, strict=True)), "query d", "longest d")
        found[case] = (h, n_key, W)
    return found


check_location = Check(
    location,
    location_cases,
    (
        *known(
            "rows",
            last="a short sentence got the last rows of W. Which place of the sentence belongs to which row?",
            reversed="the first word got the last row that is used. Which row belongs to the first place?",
        ),
        *known(
            "beyond",
            zero_score="places beyond the last row have a weight: a score of zero has the exponential one, not zero.",
            wrapped="beyond its last row W begins anew. What does the task say of places that W does not know?",
            repeated="beyond the last row of W it is used again. What is the weight of a position "
            "that W does not know?",
            cut="a long sentence has fewer weights than words. What is the weight of the words that are left over?",
            all_rows="there are as many weights as W has rows: a short sentence has only its own places.",
        ),
        *known(
            "softmax",
            queries="the softmax runs over the queries. Over what does the sum in the denominator run?",
            before_the_cut="a short sentence's weights do not sum to one: places that it does not have some. "
            "What comes first, the cut or the softmax?",
            best="the best place has all the weight. Which function distributes it?",
            exponentials="these are the exponentials. What makes those of a query sum to one?",
        ),
        *known("matrix", as_it_is="`W @ h_t` is for one query. Where queries are rows, to the left of W: does W stay?"),
        *known(
            "gives",
            scores="these are scores. What makes weights of scores?",
            scores_zeros="scores came back, and zeros behind them: of what should the zeros be the last ones?",
            transposed="queries and places have changed places: a row belongs to a query.",
        ),
    ),
    axes=("query", "position"),
)
