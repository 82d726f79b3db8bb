"""Chapter 6: what a key contributes."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import normal


def contributions(scores, v, u, *, rest="again", sign="own", readout="used", scale="none", gives="fall"):
    """By how much the output falls when each key is left out, one at a time."""
    scores = scores / v.shape[1] ** 0.5 if scale == "root" else scores
    outputs = v @ u if readout == "used" else v.sum(dim=1)
    weights = scores.softmax(dim=0)
    whole = weights @ outputs
    others_output = RESTS[rest](scores, weights, outputs)
    fall = {"own": whole - others_output, "reversed": others_output - whole, "lost": (whole - others_output).abs()}[
        sign
    ]
    others = {"weights": weights, "rest": others_output, "relative": fall / whole, "shared_out": fall / fall.sum()}
    others |= {"values": outputs, "gradient": weights * (outputs - whole)}
    return others.get(gives, fall)


def shared_again(scores, outputs, low=-torch.inf):
    """The output without each key, whose score becomes `low`, when the softmax is taken anew."""
    gone = torch.eye(len(scores), dtype=torch.bool)
    return scores.repeat(len(scores), 1).masked_fill(gone, low).softmax(dim=1) @ outputs


RESTS = {
    "again": lambda scores, weights, outputs: shared_again(scores, outputs),
    "zero_score": lambda scores, weights, outputs: shared_again(scores, outputs, 0.0),
    "twice": lambda scores, weights, outputs: shared_again(weights, outputs),
    "kept": lambda scores, weights, outputs: weights @ outputs - weights * outputs,
    "values": lambda scores, weights, outputs: outputs,
    "divided": lambda scores, weights, outputs: (weights @ outputs - weights * outputs) / (1 - weights),
}


def contribution_cases(rng: np.random.Generator) -> Inputs:
    """Scores, values and a direction to read them in; whole numbers where a weight is one to the last digit."""
    most = rng.permutation([40.0, 1.0, 0.0])
    whole = rng.integers(1, 5, size=(3, 2)), rng.integers(1, 5, size=2)
    return {
        "four keys, values of four numbers": (normal(rng, 4), normal(rng, 4, 4), normal(rng, 4)),
        "three keys, values of five numbers": (normal(rng, 3), normal(rng, 3, 5), normal(rng, 5)),
        "six keys, values of two numbers": (2 * normal(rng, 6), normal(rng, 6, 2), normal(rng, 2)),
        "three keys, one of which has all the weight": tuple(
            torch.from_numpy(part).double() for part in (most, *whole)
        ),
    }


check_without = Check(
    contributions,
    contribution_cases,
    (
        *known(
            "rest",
            kept="you take away $w_j v_j$, but the others keep their old weights. Which keys get "
            "the weight that is free now?",
            zero_score="the key that is left out has a score of zero, and so a weight. Which score gives none?",
            twice="the others share by a softmax of their *weights*. Of which numbers does the formula take it?",
            values="you compare the whole with what the key itself says. What do the *others* say without it?",
            divided="you divide by $1 - w_j$, which is right on paper; but where one key has nearly all the weight, "
            "hardly a digit is left of it. Can the others share by their scores, as if the key had never been there?",
        ),
        *known(
            "sign",
            reversed="this is what is *gained* without a key. Which of the two outputs stands first in the formula?",
            lost="the sign is lost: without some keys the output rises. Is there an absolute value in the formula?",
        ),
        *known("readout", unused="the vector u makes no difference to you. What turns a context into one number?"),
        *known("scale", root="there is a root of a size in your scores. These scores are ready for the softmax."),
        *known(
            "gives",
            weights="these are the weights themselves. What happens to the *output* when a key goes?",
            values="this is what each key would say alone. Which outputs does the formula compare?",
            gradient="this is how the output moves with a *score*: a small step. Here a key goes altogether.",
            rest="these are the outputs that are left. With what are they to be compared?",
            relative="you divide by the whole output. The formula is a difference.",
            shared_out="your numbers sum to one. Contributions need not: some help, some hinder, and they overlap.",
        ),
    ),
    axes=("key",),
)
