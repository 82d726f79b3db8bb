"""Chapter 6: masks, and causal attention."""

from collections.abc import Callable

import numpy as np
import torch

from ..chapter_04.weighted_average import self_attention_cases
from ..engine import Check, Inputs, Misconception, Result, known
from ..inputs import normal


def may_attend(lengths, n, *, order="past", own="seen", hidden="keys", join="and", gives="mask"):
    """True where a query may attend to a key: no later one, and no padding."""
    query, key = torch.arange(n)[:, None], torch.arange(n)[None, :]
    earlier = {"past": key <= query, "future": key >= query}.get(order, torch.ones(n, n, dtype=torch.bool))
    if own == "hidden":
        earlier = earlier & (key != query)
    of = lengths[:, None] if hidden == "flat" else lengths[:, None, None]
    words = {
        "queries": query < of,
        "nobody": torch.ones_like(key < of),
        "one_short": key < of - 1,
        "one_more": key <= of,
    }.get(hidden, key < of)
    mask = earlier & words if join == "and" else earlier | words
    mask = mask if hidden == "flat" else mask.expand(len(lengths), n, n)
    return {"blocked": ~mask, "added": torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)}.get(gives, mask)


def may_attend_cases(rng: np.random.Generator) -> Inputs:
    """Sentences with and without padding."""
    return {
        "three sentences of 3, 1 and 2 words, filled up to three": (torch.tensor([3, 1, 2]), 3),
        "two sentences of 2 and 4 words, filled up to five": (torch.tensor([2, 4]), 5),
        "a sentence of some words, filled up to seven": (torch.from_numpy(rng.integers(2, 6, size=1)), 7),
    }


class MaskCheck(Check):
    """A check of a mask: numbers that stand in the right places are not one yet, only True and False are."""

    def objection(self, function: Callable, cases: Inputs, got: list[Result]) -> str:
        """That right numbers are no booleans."""
        boolean = all(str(getattr(result.value, "dtype", "")).endswith("bool") for result in got)
        return "" if boolean else f"Likely cause: {NOT_BOOLEAN}"


NOT_BOOLEAN = (
    "your ones and zeros stand in the right places, but they are not a tensor of booleans, as the signature says: the "
    "kernel would refuse them, and `~` would turn them into other numbers. What does a comparison give by itself?"
)

check_seen = MaskCheck(
    may_attend,
    may_attend_cases,
    (
        *known(
            "order",
            future="each word sees itself and what comes *after* it. Rows are queries: which key is the later one?",
            any="the order makes no difference in your mask. Which words does a causal mask hide?",
        ),
        *known(
            "own",
            hidden="no word may attend to itself, so the first one attends to nothing. Does the formula say j < i?",
        ),
        *known(
            "hidden",
            queries="you hide the *rows* of padding. Which positions must be hidden: which index "
            "stands in the second condition?",
            nobody="padding is seen. What do the lengths say about the keys?",
            one_short="the last word of each sentence is hidden too. Places count from 0: which is the last?",
            one_more="one piece of padding behind each sentence is seen. Places are counted from 0.",
            flat="there is one table for all sentences, its rows mixed from them. A table has two axes already: where "
            "must those of the sentences stand, and how many new axes do the lengths need?",
        ),
        *known(
            "join", either="it is enough for you if one of two conditions holds. What must a key fulfil to be seen?"
        ),
        *known(
            "gives",
            blocked="`True` and `False` have changed places: True means may attend.",
            added="you make a table of zeros and −∞, to be added to scores. This mask is boolean: True = may attend.",
        ),
    ),
    axes=("sentence", "query", "key"),
)


def causal_attention(
    x, W_Q, W_K, W_V, *, mask="before", order="past", softmax="keys", scale="root", gives="both", **read
):
    """The context of each word from itself and the words before it, and the weights."""
    q, k, v = project(x, W_Q, W_K, W_V, **read)
    by = {"none": 1, "size": q.shape[1], "values": len(W_V) ** 0.5, "model": x.shape[1] ** 0.5, "words": len(x) ** 0.5}
    scores = q @ k.T / by.get(scale, q.shape[1] ** 0.5)
    may = torch.ones(len(x), len(x), dtype=torch.bool)
    may = {"past": may.tril(), "future": may.triu(), "one_more": may.tril(1)}.get(order, may.tril(-1))
    lowest = -torch.inf if order == "strict_nan" else torch.finfo(scores.dtype).min
    fill = {"before": lowest, "zeros": 0.0, "too_high": -100.0}.get(mask)
    weights = NORMALISE[softmax](scores if fill is None else scores.masked_fill(~may, fill))
    if mask in ("before", "after"):
        weights = weights * may
    seen = NORMALISE[softmax](scores) if gives == "context_unmasked" else weights
    context = (seen.T if gives == "columns" else seen) @ v
    return {"weights_first": (weights, context), "context_alone": context}.get(gives, (context, weights))


def project(x, W_Q, W_K, W_V, matrices="own", values="own"):
    """Queries, keys and values of each word."""
    if matrices == "exchanged":
        W_Q, W_K = W_K, W_Q
    q, k, v = (x @ (W if matrices == "as_they_are" else W.T) for W in (W_Q, W_K, W_V))
    return q, k, {"keys": k, "words": x}.get(values, v)


NORMALISE = {
    "keys": lambda scores: scores.softmax(dim=1),
    "queries": lambda scores: scores.softmax(dim=0),
    "none": lambda scores: scores.tril(),
    "best": lambda scores: torch.eye(len(scores)).to(scores)[scores.argmax(dim=1)],
}


def causal_attention_cases(rng: np.random.Generator) -> Inputs:
    """Words and matrices; at last such that all scores lie near −400, far below what is not low enough to hide."""
    x, *matrices = (1 + normal(rng, *size) / 10 for size in ((5, 3), (2, 3), (2, 3), (4, 3)))
    low = 400 * 2**0.5 / 18  # without it each score is near 18 / √2: two products of 3 and 3
    return self_attention_cases(rng) | {
        "five words, all scores near −400": (x, matrices[0], -low * matrices[1], matrices[2])
    }


class CausalCheck(Check):
    """A check whose last case shows that hidden scores are not low enough, whichever number they are."""

    def diagnosis(self, cases: Inputs, got: list[Result], seed: int = 0) -> tuple[Misconception, ...]:
        """As `Check` finds it; else by the last case alone, where all such scores leak alike."""
        leaky = next(one for one in self.misconceptions if one.name == "mask=too_high")
        *_, last = self.with_mistakes((leaky,), cases, seed)
        leaks = got[-1].agrees(last, self.tolerance)
        return super().diagnosis(cases, got, seed) or (leaky,) * leaks


check_causal = CausalCheck(
    causal_attention,
    causal_attention_cases,
    (
        *known(
            "mask",
            after="the weights of a row sum to less than one: hidden words were in the softmax. When must they go?",
            zeros="hidden words still get a share: the exponential of a score of zero is one. Which score gives zero?",
            too_high="hidden words get a score that is not low enough: where all that is seen scores lower still, the "
            "hidden ones have the larger share. Which number is below every score?",
            nowhere="later words are seen. Where does $m_{ij}$ come into your weights?",
        ),
        *known(
            "order",
            future="each word attends to what comes after it. Which triangle of the table is the past?",
            strict="a word does not see itself, and the first one nothing at all. Does the formula say j < i?",
            strict_nan="the first word has nothing to attend to, and its softmax is 0 / 0. May a "
            "word attend to itself?",
            one_more="each word sees the one right after it as well. On which diagonal does the past end?",
        ),
        *known(
            "softmax",
            queries="the columns of your weights sum to one. Over which axis does the softmax of a word run?",
            none="the scaled scores are used as weights. Which function turns scores into weights?",
            best="each word attends to one word alone. Where is the softmax?",
        ),
        *known(
            "scale",
            none="the scores are not divided. What stands in the denominator in the formula?",
            size="you divide by $d_k$ itself. Of what does the formula take the root?",
            values="you divide by the root of the size of a value. Which vectors are multiplied in a score?",
            model="you divide by the root of the size of a word. How many products does a score add up?",
            words="you divide by the root of the number of words. Does a score grow with the sentence?",
        ),
        *known(
            "matrices",
            exchanged="queries and keys have changed their matrices: the rows belong to the queries.",
            as_they_are="`W @ x_i` is for one word. Where words are rows, to the left of W: does W stay as it is?",
        ),
        *known(
            "values",
            keys="you average the keys. Which of the three readings of a word is averaged?",
            words="you average the words as they are. Which matrix is left over?",
        ),
        *known(
            "gives",
            weights_first="weights and context have changed places: the context comes first.",
            columns="each word is given a *column* of the weights. Where do the shares of one word lie?",
            context_unmasked="the weights are masked, but the context is computed with others, made without the mask.",
            context_alone="only the context came back. What else must be returned?",
        ),
    ),
    parts=("context", "weights"),
)
