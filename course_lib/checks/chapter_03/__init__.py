"""Chapter 3: the checks of its exercises, and the predictions about Luong's decoder."""

from ..predictions import Predictions
from .beam_search import check_beam
from .luong_step import check_luong
from .query_state import check_early
from .scores import check_location, check_zoo

check_reckoned = Predictions(
    {
        "the numbers in general's W": (
            24,
            {
                16: "the matrix lies between two sizes. Which is the key's?",
                36: "the matrix lies between two sizes. Which is the query's?",
                10: "so long is the query joined with the key. What is the shape of W?",
                0: "that is the dot product. Can vectors of these two sizes have one?",
            },
        ),
        "the numbers in concat's W_a and v": (
            88,
            {
                80: "so many has W_a. What is multiplied with the tanh?",
                32: "your matrix meets the query only. What is joined with it?",
                56: "your matrix meets the key only. What is joined with it?",
                24: "so many has general's W. What are the shapes of W_a and v?",
            },
        ),
        "the location score, two words exchanged": (
            "the same",
            {
                "exchanged": "for that the score had to see what stands at a place. What is in it?",
                "another": "what does the score read of the encoder's states?",
            },
        ),
        "the general score, two words exchanged": (
            "exchanged",
            {
                "the same": "each score is made of the query and what stands there. What moved?",
                "another": "the states are handed over as they are. Does a score know its neighbours?",
            },
        ),
        "looks that must wait for another look, with input feeding": (
            19,
            {
                20: "is `<eos>` among your 20? And for which look does the very first one wait?",
                0: "through which vector does a look come into the next state?",
                10: "does any state but the first one read no h̃ of a look?",
            },
        ),
        "the same without input feeding": (
            0,
            {
                19: "the *states* wait for each other. Does a state wait for a look?",
                20: "what does a state read, if nothing is fed?",
                1: "which look would that be, and what would it wait for?",
            },
        ),
        "the longer sentence's score": (
            -3,
            {
                -6: "the penalty of seven words with α = 1 is not one. What is it?",
                -6 / 7: "you divide by the number of words. What does the formula divide by?",
                -12: "the score would fall with the length even more. What is done with the penalty?",
                -5: "what stands in the denominator?",
            },
        ),
    }
)
