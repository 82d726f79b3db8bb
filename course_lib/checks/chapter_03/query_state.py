"""Chapter 3: the attention weights of all steps of a batch."""

import math

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import some


def attention_weights(
    start,
    states,
    h_bar,
    mask,
    W,
    *,
    query="each",
    hidden="infinity",
    softmax="keys",
    matrix="W",
    gives="all",
    scale="none",
):
    """The weights of every step of every sentence, no word attended to that is padding."""
    before = torch.cat([start[:, None], states[:, :-1]], dim=1)
    queries = {
        "before": before,
        "after": torch.cat([states[:, 1:], states[:, -1:]], dim=1),
        "around": states.roll(1, dims=1),
        "first": start[:, None].expand_as(states),
        "last": states[:, -1:].expand_as(states),
        "both": (before + states) / 2,
    }.get(query, states)
    scores = queries @ (W if matrix == "W" else W.T) @ h_bar.mT
    scores = scores / W.shape[0] ** 0.5 if scale == "root" else scores
    may = {"inverted": ~mask, "nothing": torch.ones_like(mask), "one": mask[:1].expand_as(mask)}.get(hidden, mask)[
        :, None
    ]
    if hidden in ("zero", "afterwards"):
        scores = scores * may if hidden == "zero" else scores
    else:
        scores = scores.masked_fill(~may, -100 if hidden == "hundred" else -math.inf)
    weights = scores.softmax(dim={"keys": 2, "steps": 1, "sentences": 0}[softmax])
    weights = weights * may if hidden == "afterwards" or softmax != "keys" else weights
    weights = weights if hidden == "inverted" else weights.nan_to_num(0.0)
    return {"transposed": weights.mT, "scores": scores}.get(gives, weights)


def query_state_cases(rng: np.random.Generator) -> Inputs:
    """Two sentences and more, padded; in the first case every attention step falls on the word of its own step."""
    square = {"batch": 4, "query": 4, "key": 4, "d": 4, "d_bar": 4}
    wide = {"batch": 2, "query": 3, "key": 5, "d": 6, "d_bar": 4}
    long = {"batch": 3, "query": 6, "key": 2, "d": 3, "d_bar": 5}
    found = {}
    for case, of, lengths in (
        ("four sentences of four words and four steps", square, (3, 4, 2, 4)),
        ("two sentences of up to five words, three steps", wide, (5, 3)),
        ("three sentences of one or two words, six steps", long, (2, 1, 2)),
    ):
        tensors = some(rng, of, "batch d", "batch query d", "batch key d_bar", "d d_bar")
        mask = torch.arange(of["key"]) < torch.tensor(lengths)[:, None]
        found[case] = (*tensors[:3], mask, tensors[3])
    start, states, h_bar, *rest = found[case]
    return found | {"the same with large scores": (start, states, 1e4 * h_bar, *rest)}


check_early = Check(
    attention_weights,
    query_state_cases,
    (
        *known(
            "query",
            before="each query is the state *before* the step. Which one is reached by then?",
            after="each query is the state of the *next* step. What has that one read already?",
            around="the first query is the last state. What stands in front of the first step?",
            first="every query is the first state. Which state is the query at step t?",
            last="every query is the last state. Which state is the query at step t?",
            both="each query is a mean of two states. Which of them is the query in the formula?",
        ),
        *known(
            "hidden",
            nothing="padding has a weight: the mask makes no difference.",
            one="the first sentence's mask is used for all: each sentence has a mask of its own.",
            hundred="padding has a weight where scores are low: −100 or −1000 may be more. Which score has the "
            "exponential zero?",
            inverted="only padding is attended to: True means may attend.",
            zero="padding has a weight: a score of zero has the exponential one, not zero.",
            afterwards="the mask comes after the softmax, so weights do not sum to one. Where is the rest?",
        ),
        *known(
            "softmax",
            steps="the softmax runs over the steps. Over which axis must the weights sum to one?",
            sentences="the softmax runs over the sentences. Which axis has the words of one sentence?",
        ),
        *known("scale", root="the scores are divided by √d. Does the formula divide by anything?"),
        *known("matrix", transposed="the matrix is transposed: with which of its axes does a state meet it?"),
        *known(
            "gives",
            scores="these are scores. What makes weights of them?",
            transposed="steps and words have changed places: a row belongs to a step.",
        ),
    ),
    axes=("sentence", "step", "word"),
)
