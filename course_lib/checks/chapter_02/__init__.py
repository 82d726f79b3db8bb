"""Chapter 2: the checks of its exercises, and the predictions about one attention step."""

import math

from ..predictions import Predictions
from .alignment import check_bug, check_rate
from .attention_step import check_additive, check_look
from .decoder_step import check_tick

check_foreseen = Predictions(
    {
        "ten positions of padding, and a mask": (
            3 / 4,
            {
                3 / 14: "so much is left without a mask. Which exponentials does a mask leave out of the sum?",
                1 / 8: "you share with twelve positions. Among how many positions does a masked softmax share?",
                0: "a mask takes weight from padding only. Which positions get the weight that becomes free?",
            },
        ),
        "ten positions of padding, no mask": (
            3 / 14,
            {
                3 / 4: "a score of 0 counts: what is its exponential, ten times?",
                1 / 12: "the twelve positions would be alike if their scores were. Are they?",
                1 / 8: "a weight is an exponential divided by the sum of all twelve. What is that sum?",
            },
        ),
        "the mask after the softmax, the sum": (
            2 / 7,
            {
                1: "weights sum to one after a softmax. What comes after it here?",
                3 / 14: "so much has the first word. The second one has kept something too.",
                0: "only the weights of the padding become 0. What do both words keep?",
            },
        ),
        "no score exceeds": (
            11,
            {
                5: "you add up v with its signs. A tanh may be −1 where v is negative.",
                6: "each component of v is multiplied by a tanh of its own, and all are added up.",
                1: "a tanh lies below 1, but v comes after it. What does v do to it?",
                7: "that would be the limit for vectors of length 1. How long can the tanh be?",
                math.inf: "a dot product has no limit. What happens to large numbers in a tanh?",
            },
        ),
        "entropy of eight equal weights": (
            3,
            {
                8: "so many words there are. How many yes-or-no questions find one of them?",
                math.log(8): "you took the natural logarithm: these are nats. Which logarithm gives bits?",
                1: "one is what the weights sum to. What does the formula do with each weight before that?",
                1 / 8: "this is one weight. The formula takes its logarithm, and a mean of eight of those.",
                0: "zero bits mean that one word has all the weight. Here none is preferred.",
            },
        ),
        "largest weight before training": (
            "1/9",
            {
                "1": "random parameters give small scores. How far apart are their exponentials?",
                "1/2": "for one half, a score must stand out by more than 2. Is anything so large yet?",
            },
        ),
        "annotations in reverse order": (
            "the same",
            {
                "reversed": "the weights come reversed, the context is a sum: has it an order?",
                "another": "does a score depend on the position of its annotation?",
            },
        ),
    }
)
