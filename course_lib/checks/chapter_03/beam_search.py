"""Chapter 3: one step of beam search."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import normal


def beam_step(
    totals,
    logits,
    width,
    *,
    steps="log_softmax",
    joined="added",
    chosen="all",
    order="best",
    divided="vocabulary",
    gives="rows words totals",
):
    """The best continuations of all hypotheses: which is continued, by which word, and its log-probability then."""
    single = STEPS[steps](logits)
    every = JOINED[joined](totals[:, None], single)
    n_hypotheses, n_words = every.shape
    places = CHOSEN[chosen](every, totals.argmax(), -1 if order == "worst" else 1, width)
    places = places.flip(0) if order == "rising" else places
    by = n_hypotheses if divided == "beam" else n_words
    found = {
        "rows": places / by if divided == "exactly" else places // by,
        "words": places % by,
        "totals": every.flatten()[places],
        "places": places,
    }
    found["single"] = single.flatten()[places]
    return tuple(found[name] for name in gives.split())


def best_of_each(every, sign, width):
    """The best word of each hypothesis, the best hypotheses first."""
    found = (sign * every).max(dim=1)
    rows = found.values.topk(min(width, len(every))).indices
    return rows * every.shape[1] + found.indices[rows]


CHOSEN = {  # places in the flattened table; sign −1 takes the lowest
    "all": lambda every, best, sign, width: (sign * every).flatten().topk(width).indices,
    "of_each": lambda every, best, sign, width: (
        torch.arange(len(every)) * every.shape[1] + (sign * every).argmax(dim=1)
    ),
    "of_each_sorted": lambda every, best, sign, width: best_of_each(every, sign, width),
    "of_the_best": lambda every, best, sign, width: (
        best * every.shape[1] + (sign * every[best]).topk(min(width, every.shape[1])).indices
    ),
}


STEPS = {
    "log_softmax": lambda logits: logits.log_softmax(dim=1),
    "logits": lambda logits: logits,
    "softmax": lambda logits: logits.softmax(dim=1),
    "over_hypotheses": lambda logits: logits.log_softmax(dim=0),
    "over_all": lambda logits: logits.flatten().log_softmax(dim=0).view_as(logits),
}
JOINED = {
    "added": lambda totals, steps: totals + steps,
    "forgotten": lambda totals, steps: 0 * totals + steps,
    "multiplied": lambda totals, steps: totals * steps,
    "mean": lambda totals, steps: (totals + steps) / 2,
    "exponentials": lambda totals, steps: totals.exp() + steps.exp(),
}


def beam_step_cases(rng: np.random.Generator) -> Inputs:
    """Hypotheses that are about equally likely; logits of different sizes, so that they are no log-probabilities."""
    sizes = {
        "four hypotheses, four words, the best four": (4, 4, 4),
        "two hypotheses, seven words, the best three": (2, 7, 3),
        "one hypothesis, five words, the best two": (1, 5, 2),
        "three hypotheses, six words, the best five": (3, 6, 5),
    }
    found = {}
    for case, (beam, vocabulary, width) in sizes.items():
        totals = (-3 - normal(rng, beam).abs()).sort().values
        logits = 2 * normal(rng, beam, vocabulary) + 3 * normal(rng, beam, 1)
        found[case] = (totals, logits, width)
    return found


check_beam = Check(
    beam_step,
    beam_step_cases,
    (
        *known(
            "steps",
            logits="logits are added as they are. What makes log-probabilities of them?",
            softmax="probabilities are added to log-probabilities. What is taken of each before they are added?",
            over_hypotheses="the softmax runs over the hypotheses. Over what does p sum to one?",
            over_all="the softmax runs over all hypotheses together. Each has a distribution over "
            "the next word of its own.",
        ),
        *known(
            "joined",
            forgotten="what the hypotheses have cost so far is forgotten. What is the probability of a sentence?",
            multiplied="log-probabilities are multiplied. Probabilities multiply: what do their logarithms do?",
            mean="the mean of both is taken: the more words, the less the first ones count. What is log of a product?",
            exponentials="probabilities are added. The probability that one thing follows another is no sum.",
        ),
        *known(
            "chosen",
            of_each="each hypothesis keeps its one best word. Among how many continuations are the best ones chosen?",
            of_each_sorted="each hypothesis has only one continuation. May both of the best ones continue the same "
            "hypothesis?",
            of_the_best="only the best hypothesis is continued. May a second-best one not overtake it?",
        ),
        *known(
            "order",
            worst="these are the least likely ones. Is a log-probability of −2 better than one of −9?",
            rising="the right ones, but the best comes last: it must come first.",
        ),
        *known(
            "divided",
            beam="place by place the table was read with rows as long as the beam. How long is a row of it?",
            exactly="some rows are no whole numbers: which row is it, if half of it is passed? Rounded down.",
        ),
        *known(
            "gives",
            **{
                "words rows totals": "rows and words have changed places: the rows come first.",
                "rows words single": "the totals are those of the last word alone. What of the words before it?",
                "totals rows words": "the totals come first: they come last.",
                "places words totals": "the first part counts through the whole table. In which row is a place?",
            },
        ),
    ),
    parts=("rows", "words", "totals"),
)
