"""Chapter 2: one tick of Bahdanau's decoder, and what a look will be. More is in looks.py and alignments.py."""

import math

import numpy as np
import torch

from .alignments import check_bug, check_rate  # noqa: F401
from .engine import Check, Inputs, known
from .looks import check_additive, check_look, normal, some  # noqa: F401
from .predictions import Predictions

# ── One tick of the decoder ───────────────────────────────────────────────────────────────────────────────────────────


def tick(s, y, h, W, U, v, f, *, asks="state", matrices="own", meets="own", curve="tanh", share="words", **later):
    """From the old state, the word read and the annotations: the context, the weights, the new state."""
    W, U = {"own": (W, U), "exchanged": (U, W), "as_they_are": (W.T, U.T)}[matrices]
    query, keys = {"state": s, "word": y}[asks] @ W.T, h @ U.T
    both = (query[:, None] if meets == "own" else query) + keys
    scores = (torch.tanh(both) if curve == "tanh" else both) @ v
    return move_on(s, y, h, scores, SHARES[share](scores), keys, f, **later)


def move_on(s, y, h, e, a, keys, f, *, blend="annotations", reads="syc", gives="new"):
    """The second half of a tick, from the weights on."""
    parts = a[:, :, None] * (keys if blend == "projected" else h)
    c = parts.mean(dim=1) if blend == "mean" else parts.sum(dim=1)
    new = f(*{"syc": (s, y, c), "ysc": (y, s, c), "scy": (s, c, y), "last": (s, y, h[:, -1])}[reads])
    in_other_ways = {"old": (c, a, s), "weights_first": (a, c, new), "state_first": (new, c, a), "scores": (c, e, new)}
    return in_other_ways.get(gives, (c, a, new))


SHARES = {
    "words": lambda scores: scores.softmax(dim=1),
    "sentences": lambda scores: scores.softmax(dim=0),
    "nobody": lambda scores: scores,
    "best": lambda scores: torch.eye(scores.shape[1]).to(scores)[scores.argmax(dim=1)],
}


def tick_cases(rng: np.random.Generator) -> Inputs:
    """Sentences in mid-translation, and a cell that tells its three arguments apart."""
    sizes = {
        "four sentences of four words, five numbers everywhere": (4, 4, 5, 5, 5, 5),
        "two sentences of three words, all sizes different": (2, 3, 4, 5, 6, 7),
        "one sentence of one word": (1, 1, 3, 2, 4, 5),
    }
    names = "batch", "key", "d_s", "d_y", "d_h", "d"
    return {case: tick_inputs(rng, dict(zip(names, of, strict=True))) for case, of in sizes.items()}


def tick_inputs(rng: np.random.Generator, sizes: dict[str, int]) -> tuple:
    """s, y, h, W, U, v and the cell, in these sizes."""
    A, B, C = some(rng, sizes, "d_s d_s", "d_y d_s", "d_h d_s")

    def cell(*states):  # in double precision, whatever comes
        s, y, c = (torch.as_tensor(state).double() for state in states)
        return torch.tanh(s @ A + y @ B + c @ C)

    return (*some(rng, sizes, "batch d_s", "batch d_y", "batch key d_h", "d d_s", "d d_h", "d"), cell)


check_tick = Check(
    tick,
    tick_cases,
    (
        *known("asks", word="it is the word y that asks. Who asks in the formula, and what has it read by then?"),
        *known(
            "matrices",
            exchanged="the matrices have changed places: which of them is for the state that asks?",
            as_they_are="the matrices are not turned. `W @ s` is for one state: what if states are rows, to the left?",
        ),
        *known("curve", none="nothing keeps the sums within bounds. Which function stands around them in the score?"),
        *known(
            "meets",
            anybody="state b meets word b of *every* sentence. Where does `s @ W.T` need an axis for the words?",
        ),
        *known(
            "share",
            sentences="the sentences share out a one among them. Over what does the sum below the line run?",
            nobody="you blend with the scores as they are. Which step makes shares of them?",
            best="you take the best annotation alone. A blend takes a little of each: where is the softmax?",
        ),
        *known(
            "blend",
            projected="you blend the projected keys $U h_j$. They are there to be compared: what is c made of?",
            mean="the context is too small: the weights have shared out already, so what is left is a sum.",
        ),
        *known(
            "reads",
            ysc="the cell takes the old state first and then the word, and it got them the other way round.",
            scy="the cell takes the word before the context, and it got them the other way round.",
            last="the cell gets the last annotation, as with chapter 1's fixed context. What was the look for?",
        ),
        *known(
            "gives",
            old="the state you return is the old one. What will ask at the next tick?",
            weights_first="weights and context have changed places: the context is asked for first.",
            state_first="the new state stands first. In which order are the three results asked for?",
            scores="you return the scores in the place of the weights: which of them did you blend with?",
        ),
    ),
)

# ── Looks foreseen ────────────────────────────────────────────────────────────────────────────────────────────────────

check_foreseen = Predictions(
    {
        "ten places of padding, and a mask": (
            3 / 4,
            {
                3 / 14: (
                    "mask is late",
                    "so much is left without a mask. Whose exponentials does a mask leave out of the sum?",
                ),
                1 / 8: ("padding is fed", "you share with twelve places. Among how many does a masked softmax share?"),
                0: ("all is lost", "a mask takes weight from padding only. To whom does what is free go?"),
            },
        ),
        "ten places of padding, no mask": (
            3 / 14,
            {
                3 / 4: ("zero counts nothing", "a score of 0 counts: what is its exponential, ten times?"),
                1 / 12: ("all alike", "the twelve places would be alike if their scores were. Are they?"),
                1 / 8: (
                    "padding halves",
                    "a place takes by its exponential, not by its turn. What do all twelve sum to?",
                ),
            },
        ),
        "the mask after the softmax, the sum": (
            2 / 7,
            {
                1: ("shared out again", "weights sum to one after a softmax. What comes after it here?"),
                3 / 14: ("one word alone", "so much has the first word. The second one has kept something too."),
                0: ("nothing left", "only the weights of the padding become 0. What do both words keep?"),
            },
        ),
        "no score exceeds": (
            6,
            {
                2: ("signs of v", "you add up v with its signs. A tanh may be −1 where v is negative."),
                3: ("largest of v", "each number of v is multiplied with a tanh of its own, and all are added up."),
                1: ("tanh outermost", "a tanh lies below 1, but v comes after it. What does v do to it?"),
                math.sqrt(14): (
                    "length of v",
                    "so much would be the limit for vectors of length 1. How long can tanh be?",
                ),
                math.inf: ("no limit", "a dot product has none. What happens to large numbers in a tanh?"),
            },
        ),
        "entropy of eight equal weights": (
            3,
            {
                8: ("words counted", "so many words there are. How many yes-or-no questions find one of them?"),
                math.log(8): ("nats", "you took the natural logarithm: these are nats. Which logarithm gives bits?"),
                1: (
                    "sum of weights",
                    "one is what the weights sum to. What does the formula do with each weight before that?",
                ),
                1 / 8: (
                    "one weight",
                    "this is one weight. The formula takes its logarithm, and a mean of eight of those.",
                ),
                0: ("no surprise", "zero bits mean that one word has all the weight. Here none is preferred."),
            },
        ),
        "largest weight before training": (
            "1/9",
            {
                "1": (
                    "decided at random",
                    "random parameters give small scores. How far apart are their exponentials?",
                ),
                "1/2": (
                    "half decided",
                    "for one half, a score must stand out by more than 2. Is anything so large yet?",
                ),
            },
        ),
        "annotations in reverse order": (
            "the same",
            {
                "reversed": (
                    "order kept",
                    "the weights come reversed, the context is a sum: has it an order?",
                ),
                "another": ("places known", "does a score know at which place its annotation stands?"),
            },
        ),
    }
)
