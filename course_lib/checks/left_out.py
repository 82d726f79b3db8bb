"""Chapter 6: what a key contributes."""

import numpy as np
import torch

from .engine import Check, Inputs, known
from .looks import normal

# ── What a key contributes ────────────────────────────────────────────────────────────────────────────────────────────


def without_each(scores, v, u, *, share="again", sign="own", readout="used", scale="none", gives="fall"):
    """By how much the output falls when each key is left out, one at a time."""
    scores = scores / v.shape[1] ** 0.5 if scale == "root" else scores
    told = v @ u if readout == "used" else v.sum(dim=1)
    weights = scores.softmax(dim=0)
    whole = weights @ told
    rest = []
    for j in range(len(scores)):
        if share == "kept":
            rest.append(whole - weights[j] * told[j])
        else:
            low = 0.0 if share == "zero_score" else torch.finfo(scores.dtype).min
            rest.append(scores.index_fill(0, torch.tensor([j]), low).softmax(dim=0) @ told)
    rest = torch.stack(rest)
    fall = {"own": whole - rest, "turned": rest - whole, "lost": (whole - rest).abs()}[sign]
    others = {"weights": weights, "rest": rest, "relative": fall / whole, "shared_out": fall / fall.sum()}
    return others.get(gives, fall)


def without_cases(rng: np.random.Generator) -> Inputs:
    """Scores, values and a direction to read them in."""
    return {
        "four keys, values of four numbers": (normal(rng, 4), normal(rng, 4, 4), normal(rng, 4)),
        "three keys, values of five numbers": (normal(rng, 3), normal(rng, 3, 5), normal(rng, 5)),
        "six keys, values of two numbers": (2 * normal(rng, 6), normal(rng, 6, 2), normal(rng, 2)),
    }


check_without = Check(
    without_each,
    without_cases,
    (
        *known(
            "share",
            kept="you take away $w_j v_j$, but the others keep their old weights. Who gets the share that is free now?",
            zero_score="the key that is left out has a score of zero, and so a weight. Which score gives none?",
        ),
        *known(
            "sign",
            turned="this is what is *gained* without a key. Which of the two outputs stands first in the formula?",
            lost="the sign is lost: without some keys the output rises. Is there an absolute value in the formula?",
        ),
        *known("readout", unused="the vector u makes no difference to you. What turns a context into one number?"),
        *known("scale", root="there is a root of a size in your scores. These scores are ready for the softmax."),
        *known(
            "gives",
            weights="these are the weights themselves. What happens to the *output* when a key goes?",
            rest="these are the outputs that are left. With what are they to be compared?",
            relative="you divide by the whole output. What is asked for is a difference.",
            shared_out="your numbers sum to one. Contributions need not: some help, some hinder, and they overlap.",
        ),
    ),
    axes=("key",),
)
