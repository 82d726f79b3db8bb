"""Chapter 5: the weights of local-p."""

import numpy as np
import torch
from torch import Tensor

from ..engine import Check, Inputs, known


def local_weights(
    scores, p, radius, *, sigma="half", edge="closed", cut="before", gaussian="after", shape="gauss", **more
):
    """The weights of each query, within its window and weighted by the Gaussian with the distance from its center."""
    distance = distances(p, scores.shape[1], more.get("center", "given"))
    inside = {"closed": distance <= radius, "open": distance < radius, "half": distance <= radius / 2}[edge]
    width = {
        "half": radius / 2,
        "whole": float(radius),
        "root": (radius / 2) ** 0.5,
        "quarter": radius / 4,
        "floor": radius // 2,
    }[sigma]
    gaussian_weights = SHAPES[shape](distance, width)
    e = {"before": scores + gaussian_weights.log(), "scores": scores * gaussian_weights}.get(gaussian, scores)
    e = torch.where(inside, e, {"before": -torch.inf, "zero": 0.0}[cut]) if cut in ("before", "zero") else e
    weights = shared(e, more.get("softmax", "keys"))
    weights = weights * gaussian_weights if gaussian == "after" else weights
    return weights * inside if cut == "after" else weights


def distances(p: Tensor, n_key: int, center: str) -> Tensor:
    """How far each key is from the center of each query."""
    whole = {"rounded": p.round(), "floor": p.floor(), "own": torch.arange(len(p)).to(p)}
    middle = {"given": p, "one": p - 1, "late": p + 1, **whole}[center]
    return (torch.arange(n_key, dtype=p.dtype) - middle[:, None]).abs()


def shared(e: Tensor, softmax: str) -> Tensor:
    """The softmax over keys, over queries, or the exponentials alone."""
    if softmax == "exponentials":
        return e.exp()
    return e.softmax(dim=1 if softmax == "keys" else 0).nan_to_num(0.0)


SHAPES = {
    "gauss": lambda distance, width: torch.exp(-(distance**2) / (2 * width**2)),
    "no_two": lambda distance, width: torch.exp(-(distance**2) / width**2),
    "no_square": lambda distance, width: torch.exp(-distance / (2 * width**2)),
    "plus": lambda distance, width: torch.exp(distance**2 / (2 * width**2)),
    "density": lambda distance, width: torch.exp(-(distance**2) / (2 * width**2)) / (width * (2 * np.pi) ** 0.5),
}


def window_cases(rng: np.random.Generator) -> Inputs:
    """Scores, centers and a radius: centers on words, between words, and near both ends."""

    def scores(n: int, m: int) -> Tensor:
        return torch.from_numpy(rng.normal(size=(n, m)))

    return {
        "three queries, nine keys, D = 3, centers on words": (scores(3, 9), torch.tensor([8.0, 0.0, 4.0]).double(), 3),
        "seven queries, seven keys, D = 2": (
            scores(7, 7),
            torch.from_numpy(np.append(rng.permutation(6)[:4], rng.random(3) * 6)).double(),
            2,
        ),
        "two queries, five keys, D = 1": (scores(2, 5), torch.tensor([1.3, 2.8]).double(), 1),
        "one query, four keys, D = 5": (scores(1, 4), torch.tensor([1.6]).double(), 5),
    }


check_faded = Check(
    local_weights,
    window_cases,
    (
        *known(
            "sigma",
            whole="the Gaussian is too wide: you took σ = D. Which part of the radius is σ?",
            root="σ² is D/2 in your Gaussian. Is it σ, or σ², that the formula calls D/2?",
            floor="your half of the radius is rounded down (`//`). How much is half of an odd radius?",
            quarter="the Gaussian is too narrow: σ is D/4 here. Is D the whole window, or its reach to one side?",
        ),
        *known(
            "edge",
            open="keys at distance D are left out. Does the window reach *up to* D, or end before it?",
            half="your window is half as wide. D is how far it reaches to *each* side.",
        ),
        *known(
            "cut",
            zero="keys outside the window have a score of 0, whose exponential is one. Which score leaves nothing?",
            after="the softmax runs over all keys, and the window comes after it. Which keys must "
            "the softmax run over?",
            never="keys outside the window have weights, from the Gaussian. What are they to be?",
        ),
        *known(
            "gaussian",
            before="your rows sum to one: is the Gaussian in the softmax, or are the weights "
            "normalised again after it?",
            scores="the Gaussian multiplies the scores, before the softmax. What does it multiply in the formula?",
            never="nothing fades: these are the weights of a plain window.",
        ),
        *known(
            "shape",
            no_two="the Gaussian falls too fast. What stands before σ² in the denominator?",
            no_square="the distance is not squared. How does a Gaussian fall near its middle?",
            plus="weights grow with the distance. Which sign stands in the exponent?",
            density="you divide by σ√(2π), as for a density. How much of a key is left right at the center?",
        ),
        *known(
            "center",
            rounded="the centers are rounded. Between two words, which of them is nearer counts by the tenth.",
            floor="the centers are cut to whole numbers. A center between two words is meant as it is.",
            late="your windows and Gaussians stand one position too far to the right. Which number has the first key?",
            own="your windows are centred on the query's own position, as in local-m. Which positions are given?",
            one="places are counted from 1 in your distances. Where does counting begin here?",
        ),
        *known(
            "softmax",
            queries="the softmax runs over the queries. Over which axis does the softmax of a query run?",
            exponentials="these are exponentials times the Gaussian. Which sum stands in the denominator?",
        ),
    ),
    axes=("query", "key"),
)
