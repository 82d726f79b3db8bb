"""Chapter 2: the checks of its exercises, and the predictions about one attention step."""

import math

from ..predictions import Predictions
from .alignment import check_bug, check_rate
from .attention_step import check_additive, check_look
from .decoder_step import check_tick

# ── Looks foreseen ────────────────────────────────────────────────────────────────────────────────────────────────────

check_foreseen = Predictions(
    {
        "ten positions of padding, and a mask": (
            3 / 4,
            {
                3 / 14: (
                    "mask is late",
                    "so much is left without a mask. Whose exponentials does a mask leave out of the sum?",
                ),
                1 / 8: (
                    "padding is fed",
                    "you share with twelve positions. Among how many does a masked softmax share?",
                ),
                0: ("all is lost", "a mask takes weight from padding only. To whom does what is free go?"),
            },
        ),
        "ten positions of padding, no mask": (
            3 / 14,
            {
                3 / 4: ("zero counts nothing", "a score of 0 counts: what is its exponential, ten times?"),
                1 / 12: ("all alike", "the twelve positions would be alike if their scores were. Are they?"),
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
            11,
            {
                5: ("signs of v", "you add up v with its signs. A tanh may be −1 where v is negative."),
                6: ("largest of v", "each component of v is multiplied by a tanh of its own, and all are added up."),
                1: ("tanh outermost", "a tanh lies below 1, but v comes after it. What does v do to it?"),
                7: ("length of v", "that would be the limit for vectors of length 1. How long can the tanh be?"),
                math.inf: ("no limit", "a dot product has no limit. What happens to large numbers in a tanh?"),
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
                "reversed": ("order kept", "the weights come reversed, the context is a sum: has it an order?"),
                "another": ("places known", "does a score know at which place its annotation stands?"),
            },
        ),
    }
)
