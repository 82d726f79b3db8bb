"""Chapter 5: samples with given probabilities, and straight-through."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ..engine import Check, Inputs, known
from ..inputs import normal


def single(rng: np.random.Generator, *shape: int) -> Tensor:
    """Normal random numbers in single precision, as torch makes them: one-hot rows of `eye` can be multiplied."""
    return normal(rng, *shape).float()


def uniform(rng: np.random.Generator, *shape: int) -> Tensor:
    """Random numbers between 0 and 1."""
    return torch.from_numpy(rng.random(shape)).float()


def sample(w, v, u, *, chosen="draw", laid="from left", tie="after", edge="right", gives="both", takes="value"):
    """The value sampled for each query, and a one where it lay."""
    w_laid = w.flip(1) if laid == "from right" else w
    ends = w_laid.cumsum(dim=0 if laid == "down" else 1)
    draw = (u[:1].expand(len(u)) if chosen == "one draw" else u)[:, None]
    draw = draw.T if chosen == "across" else draw
    places = (draw > ends if tie == "before" else draw >= ends).sum(dim=1).clamp(max=w.shape[1] - 1)
    places = w.shape[1] - 1 - places if laid == "from right" else places
    places = {
        "argmax": w.argmax(dim=1),
        "even": (u * w.shape[1]).long(),
        "nearest": (w - u[:, None]).abs().argmin(dim=1),
        "single": (w > u[:, None]).int().argmax(dim=1),
    }.get(chosen, places)
    places = (places + {"right": 0, "left": -1, "beyond": 1}[edge]).clamp(0, w.shape[1] - 1)
    ones = one_hot(places, w.shape[1]).to(v.dtype)
    context = {"value": ones, "average": w, "weighted": ones * w}[takes] @ v
    return {
        "both": (context, ones),
        "transposed": (ones, context),
        "weights": (context, w),
        "numbers": (context, places),
    }[gives]


def sample_cases(rng: np.random.Generator) -> Inputs:
    """Chances, values, draws; enough of them that any other rule samples otherwise."""
    return {
        "eight queries, eight keys": (single(rng, 8, 8).softmax(dim=1), single(rng, 8, 3), uniform(rng, 8)),
        "thirty queries, four keys": (single(rng, 30, 4).softmax(dim=1), single(rng, 4, 5), uniform(rng, 30)),
        "weights ½, ¼ and ¼; draws 0.1, 0.49, 0.5, 0.51, 0.74, 0.75 and 0.99": (
            torch.tensor([[0.5, 0.25, 0.25]]).expand(7, -1).clone(),
            single(rng, 3, 2),
            torch.tensor([0.1, 0.49, 0.5, 0.51, 0.74, 0.75, 0.99]),
        ),
        "rounded weights .33, .33 and .33; draws 0.2, 0.5 and 0.995, beyond their sum": (
            torch.full((3, 3), 0.33),
            single(rng, 3, 2),
            torch.tensor([0.2, 0.5, 0.995]),
        ),
    }


check_pick = Check(
    sample,
    sample_cases,
    (
        *known(
            "chosen",
            **{
                "argmax": "you take the most probable key, whatever the draw. When is an unlikely key ever sampled?",
                "one draw": "all queries use the first draw. Each query has a draw of its own in `u`.",
                "across": "each draw meets a key's column, not its query's row. Which axis does `u` need?",
                "even": "all keys are equally likely: the draw is right, the weights have no say in it.",
                "nearest": "you search for the weight nearest to the draw. How often would a large weight be sampled?",
                "single": "each weight meets the draw alone. Where on the line does the second piece begin?",
            },
        ),
        *known(
            "laid",
            **{
                "from right": "the pieces lie on the line from the last key to the first. Which key begins at 0?",
                "down": "the running sums go down the queries. Whose weights lie end to end on one line?",
            },
        ),
        *known("tie", before="a draw right on an end counts to the piece before it. Is $u$ below that sum, as asked?"),
        *known(
            "edge",
            left="it is always the key before the right one. How many ends lie to the left of a draw in piece 0?",
            beyond="it is always the key after the right one. How many ends lie to the left of a draw in piece 0?",
        ),
        *known(
            "takes",
            average="the sample is right, and the context is the weighted average of soft "
            "attention. Whose value comes out alone?",
            weighted="the sampled value is multiplied with its weight. Its probability already "
            "decides how often it is sampled.",
        ),
        *known(
            "gives",
            transposed="context and sample have changed places: the context comes first.",
            weights="the weights came back in the place of the sample: a row of a sample is 1 once and 0 elsewhere.",
            numbers="the sample came back as the number of the key. A row with a one at this place is asked for.",
        ),
    ),
    parts=("context", "pick"),
)


def straight_through(scores, v, slope, *, forwards="sample", backwards="soft", over="keys", way="argmax", gives="both"):
    """The context of each query, and the gradient of its scores."""
    axis = 1 if over == "keys" else 0
    w = scores.softmax(dim=axis)
    best = (scores if way == "argmax" else -scores).argmax(dim=1)
    ones = one_hot(best, scores.shape[1]).to(w.dtype)
    context = {"sample": ones, "soft": w, "both": ones + w, "weighted": ones * w}[forwards] @ v
    onto = (torch.ones_like(slope) if backwards == "slopeless" else slope) @ v.T  # what each weight is worth
    inside = w * (onto - (w * onto).sum(dim=axis, keepdim=True))
    at_pick = (onto * ones).sum(dim=1, keepdim=True)
    gradient = {
        "soft": inside,
        "slopeless": inside,
        "unweighted": onto - (w * onto).sum(dim=1, keepdim=True),
        "evenly": w * (onto - onto.mean(dim=1, keepdim=True)),
        "zero": torch.zeros_like(w),
        "weights": onto,
        "uncentered": w * onto,
        "picked": ones * inside,
        "reinforce": at_pick * (ones - w),
        "weighted": at_pick * (w * ones - (w * ones).sum(dim=1, keepdim=True) * w),
        "downhill": -inside,
    }[backwards]
    return {"both": (context, gradient), "transposed": (gradient, context), "sample": (ones, gradient)}[gives]


def straight_through_cases(rng: np.random.Generator) -> Inputs:
    """Scores, values, and the gradient that arrives at the context."""
    sizes = {
        "four queries, four keys": (4, 4, 4),
        "two queries, three keys, five numbers": (2, 3, 5),
        "one query, six keys": (1, 6, 2),
    }
    return {case: (single(rng, n, k), single(rng, k, d), single(rng, n, d)) for case, (n, k, d) in sizes.items()}


check_through = Check(
    straight_through,
    straight_through_cases,
    (
        *known(
            "forwards",
            soft="your context is the weighted average of soft attention. What comes out forwards is one value alone.",
            both="forwards, sample and weights are both there. What takes away the weights, but not their gradient?",
            weighted="the sampled value is multiplied with its weight. Forwards, a one stands there.",
        ),
        *known(
            "backwards",
            zero="no gradient reaches the scores. Through which of the three terms is one to pass?",
            weights="this is the gradient of the weights. The softmax still lies between them and the scores.",
            slopeless="this is the gradient of the context's sum. What arrives at the context, in place of ones?",
            unweighted="each key differs from the mean, and counts as much as the others. By what is it multiplied?",
            evenly="you subtract the plain mean of the row. With which shares is the mean taken?",
            uncentered="nothing is subtracted: what becomes of the other weights if one score rises?",
            picked="only the sampled key's score has a gradient. Which keys have one in soft attention?",
            reinforce="this is REINFORCE's direction, one-hot minus weights. Whose gradient is asked for here?",
            weighted="this is the gradient of the sampled value times its weight. Where are the other values?",
            downhill="the sign is turned round. The gradient is asked for, not the step that an optimiser takes.",
        ),
        *known("over", queries="the softmax runs over the queries. Over which axis does the softmax of a query run?"),
        *known("way", argmin="the least likely key is sampled. Which one is to be sampled?"),
        *known(
            "gives",
            transposed="context and gradient have changed places: the context comes first.",
            sample="the sample came back in the place of the context. What is at the place that was sampled?",
        ),
    ),
    parts=("context", "gradient"),
)
