"""Chapter 2: the additive score, and one attention step with padding."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import normal, some

INFINITY = float("inf")


def additive(
    s,
    h,
    W,
    U,
    v,
    *,
    matrices="own",
    query="row",
    key="row",
    pairs="all",
    join="sum",
    curve="tanh",
    scale="none",
    gives="scores",
):
    """The score of each query against each key."""
    W, U = (U, W) if matrices == "exchanged" else (W, U)
    queries, keys = TIMES[query](s, W), TIMES[key](h[: len(s)] if pairs == "square" else h, U)
    if pairs != "one_to_one":
        queries, keys = queries[:, None], keys[None]
    scores = CURVES[curve](queries, keys, v) if join == "sum" else CURVES[curve](queries * keys, torch.zeros(()), v)
    scores = scores / len(v) ** 0.5 if scale == "root" else scores
    return {
        "scores": lambda: scores,
        "weights": lambda: scores.softmax(dim=-1),
        "transposed": lambda: scores.t(),
        "first": lambda: scores[0],
    }[gives]()


TIMES = {
    "row": lambda rows, matrix: rows @ matrix.T,
    "as_it_is": lambda rows, matrix: rows @ matrix,
    "from_the_left": lambda rows, matrix: matrix @ rows,
}
CURVES = {
    "tanh": lambda q, k, v: torch.tanh(q + k) @ v,
    "none": lambda q, k, v: (q + k) @ v,
    "around_v": lambda q, k, v: torch.tanh((q + k) @ v),
    "each": lambda q, k, v: (torch.tanh(q) + torch.tanh(k)) @ v,
    "no_v": lambda q, k, v: torch.tanh(q + k).sum(dim=-1),
    "over_keys": lambda q, k, v: (torch.tanh(q + k) * v).sum(dim=1),
    "not_summed": lambda q, k, v: torch.tanh(q + k) * v,
}


def additive_cases(rng: np.random.Generator) -> Inputs:
    """Queries, keys and parameters; v is long enough for scores beyond one."""
    sizes = {
        "four queries, four keys, every size four": dict.fromkeys(("query", "key", "d_s", "d_h", "d"), 4),
        "two queries, three keys, all sizes different": {"query": 2, "key": 3, "d_s": 5, "d_h": 7, "d": 11},
        "one query, six keys": {"query": 1, "key": 6, "d_s": 3, "d_h": 2, "d": 4},
    }
    axes = "query d_s", "key d_h", "d d_s", "d d_h", "d"
    tensors = {case: some(rng, of, *axes) for case, of in sizes.items()}
    return {case: (s, h, W, U, 3 * v) for case, (s, h, W, U, v) in tensors.items()}


check_additive = Check(
    additive,
    additive_cases,
    (
        *known(
            "pairs",
            one_to_one="query i is compared with key i alone. Each query is compared with each key: "
            "how many scores is that?",
            square="each query is compared with only the first few keys, as many as there are "
            "queries. What runs over the keys?",
        ),
        *known(
            "gives",
            weights="these are weights: a score is what comes before the softmax.",
            transposed="queries and keys have changed places: a row belongs to a query.",
            first="only the first query has scores. Is the `return` inside the loop over the queries?",
        ),
        *known("scale", root="your scores are divided by √d. Does the additive score divide by anything?"),
        *known(
            "curve",
            none="your scores grow without limit. What in the formula keeps each number of the sum within bounds?",
            around_v="no score is beyond one: your tanh stands around v too. What is inside it in the formula?",
            each="tanh is taken of query and key apart. Of what does the formula take it?",
            no_v="v makes no difference: you add up the numbers after the tanh as they are. What does the formula do?",
            not_summed="each pair still has $d$ numbers, times v. A score is one number: what does $v^⊤$ do besides?",
            over_keys="you sum over the keys. Which axis does the product with v take away, so that keys are left?",
        ),
        *known("join", product="the two projections are multiplied. How does the formula join them?"),
        *known("matrices", exchanged="the matrices have changed places. Which of them belongs to the query state?"),
        *known(
            "query",
            as_it_is="`W @ s_i` is for one query. Where queries are rows, to the left of W: does W stay as it is?",
            from_the_left="`W @ s` mixes the queries. Along which axis of `s` lie the components of one query?",
        ),
        *known(
            "key",
            as_it_is="`U @ h_j` is for one key. Where keys are rows, to the left of U: does U stay as it is?",
            from_the_left="`U @ h` mixes the keys. Along which axis of `h` lie the components of one key?",
        ),
    ),
    axes=("query", "key"),
)


def attend(
    e, h, mask, *, allowed="mask", hidden="infinity", softmax="keys", total="sum", average="weights", gives="both"
):
    """The context of each sentence, and the weights."""
    may = {
        "mask": mask,
        "inverted": ~mask,
        "at_the_end": torch.arange(mask.shape[1]) < mask.sum(dim=1, keepdim=True),
    }.get(allowed, mask if hidden == "zero" else torch.ones_like(mask))
    if hidden == "times_infinity":
        e = e + (~mask).double() * -INFINITY
    fill = {"zero": 0.0, "shallow": -20.0, "near": e.min().item() - 10}.get(hidden, -INFINITY)
    weights = NORMALISE[softmax](e, may, fill)
    if allowed in ("afterwards", "normalised_again"):
        weights = weights * mask
    if allowed == "normalised_again":
        weights = weights / weights.sum(dim=1, keepdim=True)
    averaged = {"unmasked": e.softmax(dim=1), "zeroed": e.softmax(dim=1) * mask}.get(average, weights)
    context = averaged @ h if average == "all_sentences" else (averaged[:, :, None] * h).sum(dim=1)
    context = context / (h.shape[1] if total == "mean" else 1)
    return {"weights_first": (weights, context), "context_alone": context}.get(gives, (context, weights))


NORMALISE = {
    "keys": lambda e, may, fill: torch.where(may, e, fill).softmax(dim=1),
    "sentences": lambda e, may, fill: torch.where(may, e, fill).softmax(dim=0),
    "literally": lambda e, may, fill: e.exp() * may / (e.exp() * may).sum(dim=1, keepdim=True),
    "table": lambda e, may, fill: e.exp() * may / (e.exp() * may).sum(),
    "exponentials": lambda e, may, fill: e.exp() * may,
    "across": lambda e, may, fill: e.exp() * may / (e.exp() * may).sum(dim=1),
    "no_exponentials": lambda e, may, fill: e * may / (e * may).sum(dim=1, keepdim=True),
    "none": lambda e, may, fill: e * may,
}


def attend_cases(rng: np.random.Generator) -> Inputs:
    """Scores, annotations, masks. Each sentence has padding, and each place a word: no softmax stays without scores."""
    square = torch.tensor([[True, True, False], [False, True, True], [True, False, False]])
    wide = torch.tensor([[True, True, True, False], [False, True, False, True]])
    far = torch.tensor([[800.0, 800, 800, 0], [-800, -800, -800, -800]]).double()
    weighty = torch.where(wide, 1.0, 1e4).double()[:, :, None]  # annotations of padding: any weight on them shows
    return {
        "three sentences, three places": (normal(rng, 3, 3), normal(rng, 3, 3, 5), square),
        "two sentences, four places": (normal(rng, 2, 4), normal(rng, 2, 4, 3), wide),
        "words with scores of about 800, and of about −800": (
            far + normal(rng, 2, 4) / 2,
            weighty * normal(rng, 2, 4, 3),
            wide,
        ),
        "padding with scores of about 800, words with scores of about 0": (
            torch.where(wide, 0.0, 800.0).double() + normal(rng, 2, 4),
            normal(rng, 2, 4, 3),
            wide,
        ),
    }


check_look = Check(
    attend,
    attend_cases,
    (
        *known(
            "allowed",
            inverted="only padding is attended to: True means may attend.",
            all="the mask makes no difference to the weights. `masked_fill` returns new scores: are they used?",
            afterwards="the mask comes after the softmax, so the weights do not sum to one. Where is the rest?",
            normalised_again="the mask comes after the softmax. If padding scores far above the words, the softmax "
            "leaves them nothing that could be normalised again. Which step must the mask precede?",
            at_the_end="the mask is read as a number of words, as if padding came last in every sentence. Where may "
            "padding stand in this task?",
        ),
        *known(
            "hidden",
            zero="padding has a weight: a score of zero has the exponential one, not zero.",
            shallow="padding has a low score, but words may score lower still. Which score is below any other?",
            near="padding has a score a little below the lowest one. Small is its weight then: when is it zero?",
            times_infinity="every weight is NaN: 0 · ∞ or ∞ − ∞ came about. What becomes of words, what of padding?",
        ),
        *known(
            "softmax",
            sentences="the softmax runs over the sentences. Over which axis must the weights sum to one?",
            literally="exp(800) is infinite and exp(−800) is zero, hence the NaN. What does a softmax subtract first?",
            table="the weights of all sentences together sum to one. Over what runs the sum in the denominator?",
            exponentials="these are the exponentials. What makes those of a sentence sum to one?",
            across="the sums of the sentences have lost their axis, and divide columns. What does `keepdim` do?",
            none="the masked scores are used as weights. Which function turns scores into weights?",
            no_exponentials="scores are divided by their sum. Is that a softmax? Some scores are negative.",
        ),
        *known("total", mean="the context is too small: the weights sum to one already, so a sum is enough."),
        *known(
            "average",
            unmasked="the weights are right, and the context is averaged with others, made without the mask.",
            all_sentences="the context has an axis too many: `@` lets each row of weights meet *every* sentence.",
            zeroed="the context is averaged with what a mask after the softmax leaves: does that sum to one?",
        ),
        *known(
            "gives",
            weights_first="weights and context have changed places: the context comes first.",
            context_alone="only the context came back. What else must be returned?",
        ),
    ),
    parts=("context", "weights"),
)
