"""Chapter 3: all looks of a batch at once, with the right states asking."""

import math

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import some


def all_looks(
    start,
    states,
    h_bar,
    mask,
    W,
    *,
    asks="each",
    hidden="infinity",
    share="keys",
    matrix="W",
    gives="all",
    scale="none",
):
    """The weights of every step of every sentence, no word looked at that is padding."""
    before = torch.cat([start[:, None], states[:, :-1]], dim=1)
    queries = {
        "before": before,
        "after": torch.cat([states[:, 1:], states[:, -1:]], dim=1),
        "around": states.roll(1, dims=1),
        "first": start[:, None].expand_as(states),
        "last": states[:, -1:].expand_as(states),
        "both": (before + states) / 2,
    }.get(asks, states)
    scores = queries @ (W if matrix == "W" else W.T) @ h_bar.mT
    scores = scores / W.shape[0] ** 0.5 if scale == "root" else scores
    may = {"inverted": ~mask, "nothing": torch.ones_like(mask), "one": mask[:1].expand_as(mask)}.get(hidden, mask)[
        :, None
    ]
    if hidden in ("zero", "afterwards"):
        scores = scores * may if hidden == "zero" else scores
    else:
        scores = scores.masked_fill(~may, -100 if hidden == "hundred" else -math.inf)
    weights = scores.softmax(dim={"keys": 2, "steps": 1, "sentences": 0}[share])
    weights = weights * may if hidden == "afterwards" or share != "keys" else weights
    weights = weights if hidden == "inverted" else weights.nan_to_num(0.0)
    return {"turned": weights.mT, "scores": scores}.get(gives, weights)


def look_cases(rng: np.random.Generator) -> Inputs:
    """Two sentences and more, padded; in the first case every look falls on the word of its own step."""
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
    all_looks,
    look_cases,
    (
        *known(
            "asks",
            before="each look is asked by the state *before* the step. Which one is reached by then?",
            after="each look is asked by the state of the *next* step. What has that one read already?",
            around="the first look is asked by the last state. What stands in front of the first step?",
            first="every look is asked by the first state: one look for all steps. Who asks at step t?",
            last="every look is asked by the last state. Who asks at step t?",
            both="each look is asked by a mean of two states. Which of them asks in the formula?",
        ),
        *known(
            "hidden",
            nothing="padding has got a weight: the mask makes no difference.",
            one="the first sentence's mask is used for all: each sentence has a mask of its own.",
            hundred="padding has a weight where scores are low: −100 or −1000 may be more. Which score has the "
            "exponential zero?",
            inverted="only padding is looked at: True means may attend.",
            zero="padding has got a weight: a score of zero has the exponential one, not zero.",
            afterwards="the mask comes after the softmax, so weights do not sum to one. Who has got the rest?",
        ),
        *known(
            "share",
            steps="the steps share out a one among them. Which of them has a one to share out, and among whom?",
            sentences="the sentences share out a one among them. Which axis has the words of one sentence?",
        ),
        *known("scale", root="the scores are divided by √d. Does the formula divide by anything?"),
        *known("matrix", turned="the matrix is turned over: with which of its axes does a state meet it?"),
        *known(
            "gives",
            scores="these are scores. What makes weights of them?",
            turned="steps and words have changed places: a row belongs to a step.",
        ),
    ),
    axes=("sentence", "step", "word"),
)
