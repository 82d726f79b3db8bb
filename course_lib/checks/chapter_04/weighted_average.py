"""Chapter 4: a soft look-up, and self-attention."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import some


def soft_lookup(
    q, k, v, T, *, temperature="divides", scale="none", softmax="keys", takes="values", total="sum", gives="average"
):
    """The averaged value for each query."""
    scores = q @ k.T / (k.shape[1] ** 0.5 if scale == "root" else 1)
    heated = {"divides": scores / T, "multiplies": scores * T}.get(temperature, scores)
    weights = NORMALISE[softmax](heated) / (T if temperature == "late" else 1)
    shared = weights.T if takes == "columns" else weights
    average = shared @ (k if takes == "keys" else v) / (len(k) if total == "mean" else 1)
    return {"average": average, "weights": weights, "transposed": average.T, "first": average[0]}[gives]


NORMALISE = {
    "keys": lambda scores: scores.softmax(dim=1),
    "queries": lambda scores: scores.softmax(dim=0),
    "table": lambda scores: scores.flatten().softmax(dim=0).view_as(scores),
    "best": lambda scores: torch.eye(scores.shape[1]).to(scores)[scores.argmax(dim=1)],
    "sum": lambda scores: scores / scores.sum(dim=1, keepdim=True),
    "exponentials": torch.exp,
    "evenly": lambda scores: torch.full_like(scores, 1 / scores.shape[1]),
    "none": lambda scores: scores,
    "queries_then_keys": lambda scores: normalised_rows(scores.softmax(dim=0)),
    "others": lambda scores: scores.masked_fill(torch.eye(len(scores)).bool(), -torch.inf).softmax(dim=1),
}


def normalised_rows(positive):
    """Each row divided by its sum."""
    return positive / positive.sum(dim=1, keepdim=True)


def soft_lookup_cases(rng: np.random.Generator) -> Inputs:
    """Shelves of several sizes, at several temperatures."""
    sizes = {
        "three queries, three keys, three numbers everywhere, T = 0.5": (3, 3, 3, 3, 0.5),
        "two queries, four keys of three numbers, values of five, T = 2": (2, 4, 3, 5, 2.0),
        "one query, five keys, T = 0.2": (1, 5, 2, 1, 0.2),
    }
    names = "query", "key", "d", "d_v"
    axes = "query d", "key d", "key d_v"
    return {case: (*some(rng, dict(zip(names, of, strict=False)), *axes), of[-1]) for case, of in sizes.items()}


check_soften = Check(
    soft_lookup,
    soft_lookup_cases,
    (
        *known(
            "temperature",
            unused="the temperature changes nothing. Where in the formula does T stand?",
            multiplies="heat makes your weights more decided, and it ought to mix. What does a large T do to the gaps?",
            late="the weights are divided by T and no longer sum to one. Before which of the steps does T come in?",
        ),
        *known("scale", root="there is a root of the size in your scores. Is it in this formula?"),
        *known(
            "softmax",
            queries="the *columns* of your weights sum to one; each query's *row* should. Along which axis is that?",
            none="the scores are used as weights. Which function turns scores into weights?",
            queries_then_keys="the softmax runs over the columns, and then each row is divided by its sum. Over which "
            "axis must the exponentials be compared?",
            table="the whole table of weights sums to one. How many weighted averages are asked "
            "for, and what has each to share?",
            best="you return the value of the best key: a dictionary, as at T = 0. Which other keys "
            "have a weight at this T?",
            sum="scores are divided by their sum, and some are negative. What makes them positive first?",
            exponentials="these are exponentials: a query's weights do not sum to one. What stands in the denominator?",
            evenly="each key gets the same, whatever the query. What are the scores for?",
        ),
        *known(
            "takes",
            keys="you average the keys. They are there to be compared: which vectors does the formula average?",
            columns="a weighted average takes a *column* of your weights. In which direction lie "
            "the shares of one query?",
        ),
        *known("total", mean="the weighted average is too small: the weights sum to one already, so a sum is enough."),
        *known(
            "gives",
            weights="these are the weights. What is averaged with them?",
            transposed="rows and columns have changed places: a row belongs to a query.",
            first="only the first query has a result. Is the `return` inside the loop over the queries?",
        ),
    ),
    axes=("query", "number"),
)


def self_attention(
    x, W_Q, W_K, W_V, *, softmax="keys", scale="root", matrices="own", values="own", turn="rows", gives="both"
):
    """The context of each word, and the weights."""
    if matrices == "exchanged":
        W_Q, W_K = W_K, W_Q
    W_K = W_Q if matrices == "tied" else W_K
    q, k, v = (x @ (W.T if turn == "rows" else W) for W in (W_Q, W_K, W_V))
    v = {"keys": k, "words": x}.get(values, v)
    by = {"root": q.shape[1] ** 0.5, "size": q.shape[1], "model": x.shape[1] ** 0.5, "words": len(x) ** 0.5}
    by["values"] = v.shape[1] ** 0.5
    by |= {"upwards": q.shape[1] ** -0.5, "none": 1, "late": 1}
    weights = NORMALISE[softmax](q @ k.T / by[scale]) / (q.shape[1] ** 0.5 if scale == "late" else 1)
    context = (weights.T if values == "columns" else weights) @ v
    return {"weights_first": (weights, context), "context_alone": context}.get(gives, (context, weights))


def self_attention_cases(rng: np.random.Generator) -> Inputs:
    """Rows of words, and matrices; in the first case every size is the same, in the second none is."""
    sizes = {
        "four words, every size four": (4, 4, 4, 4),
        "three words of five numbers, d_k = 2, d_v = 7": (3, 5, 2, 7),
        "six words of two numbers, d_k = 3, d_v = 4": (6, 2, 3, 4),
    }
    names = "word", "d_model", "d_k", "d_v"
    axes = "word d_model", "d_k d_model", "d_k d_model", "d_v d_model"
    return {case: some(rng, dict(zip(names, of, strict=True)), *axes) for case, of in sizes.items()}


check_itself = Check(
    self_attention,
    self_attention_cases,
    (
        *known(
            "softmax",
            queries="the columns of your weights sum to one. Each word's shares are a row: along which axis is that?",
            none="the scaled scores are used as weights. Which function turns scores into weights?",
            queries_then_keys="the softmax runs over the columns, and then each row is divided by its sum. Over which "
            "axis must the exponentials be compared?",
            others="no word attends to itself: the diagonal is masked. Does the formula leave out any key?",
            table="one softmax for the whole table. How many words need weights that sum to one?",
            best="each word attends to one other alone. A weighted average takes a little of each: "
            "where is the softmax?",
            sum="these are scores divided by their sum, where the formula has a softmax. Some scores are negative.",
        ),
        *known(
            "scale",
            none="the scores are too large: what are they divided by before the softmax?",
            late="the weights are divided, and sum to less than one. What does the formula divide, and when?",
            size="you divide by $d_k$ itself. The variance of the scores is $d_k$: by what is a *deviation* made one?",
            model="you divide by the root of the size of a word. Which vectors are multiplied here: how long are they?",
            words="you divide by the root of the number of words. Of how many products is a score the sum?",
            values="you divide by the root of the size of a value. How many products does a *score* add up?",
            upwards="you multiply by the root where the formula divides.",
        ),
        *known(
            "matrices",
            exchanged="queries and keys have changed their matrices: the rows belong to the "
            "queries. Which vectors are made with W_Q?",
            tied="your queries and keys come from one matrix, so scores are symmetric. Which of "
            "them has a matrix of its own?",
        ),
        *known(
            "values",
            keys="you average the keys. Which of the three readings of a word is averaged?",
            columns="each word is given a *column* of the weights. Where do the shares of one word lie?",
            words="you average the words as they are. What does the formula make of a word before it is averaged?",
        ),
        *known(
            "turn", as_it_is="`W @ x_i` is for one word. Where words are rows, to the left of W: does W stay as it is?"
        ),
        *known(
            "gives",
            weights_first="weights and context have changed places: the context comes first.",
            context_alone="only the context came back. What else must be returned?",
        ),
    ),
    parts=("context", "weights"),
)
