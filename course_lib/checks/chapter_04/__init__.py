"""Chapter 4: the checks of its exercises, and the predictions about scores and their scale."""

import math

from ..predictions import Predictions
from .normalise import check_cosines, check_shares
from .weighted_average import check_itself, check_soften

check_variances = Predictions(
    {
        "variance of a dot product of 64 numbers": (
            64,
            {
                8: "so far from zero a dot product typically lies. The variance is that, squared.",
                1: "one is the variance of *one* product. How many are added up?",
                4096: "the variances of 64 independent products are added up. What is 64 times 1?",
            },
        ),
        "variance after division by 8": (
            1,
            {
                8: "dividing by 8 divides the deviation by 8. What does it do to a variance?",
                64: "numbers that are 8 times smaller vary less. By which factor, squared?",
                1 / 64: "for that you would have to divide the scores by 64. By what are they divided?",
                1 / 8: "an eighth is the *deviation* 8 over 8 squared. Which number has to be divided by 8 squared?",
            },
        ),
        "variance if the queries' numbers have variance 4": (
            256,
            {
                128: "queries twice as large make scores twice as large: what becomes of the variance?",
                64: "this is the variance with queries of variance 1. What is that of a product now?",
                1024: "the 4 is a variance already. Is it squared once more in a product?",
            },
        ),
        "temperature that equals the scale": (
            8,
            {
                64: "scores are divided by T. By what does scaled dot divide them, with 64 numbers?",
                1 / 8: "scores are divided by T, so with this one they would grow. Which T makes them smaller?",
                1: "a temperature of 1 changes nothing. What does the scale change?",
            },
        ),
        "weight of log 3 beside 0 and 0": (
            3 / 5,
            {
                3 / 4: "there are two more keys. What is the exponential of 0, twice?",
                1: "a score of 0 is no weight of 0. What is its exponential?",
                1 / 3: "three keys would be alike if their scores were. Are they?",
                math.e / (math.e + 2): "so much gets a score of 1. What is the exponential of log 3?",
                3 / 7: "the two zeros count too much: what is the exponential of 0?",
            },
        ),
        "weighted average of 0, 6 and 15 at a huge temperature": (
            7,
            {
                21: "so much is the sum. What are the three weights, when the scores no longer count?",
                15: "a huge temperature makes all gaps vanish. Is anybody the best then?",
                6: "six is the value in the middle. Which mean is a weighted average with equal weights?",
                0: "scores go to zero, weights do not: they sum to one. How are they distributed?",
            },
        ),
        "the score in the other direction, tied": (
            2.5,
            {
                -2.5: "is a dot product another one when its two vectors change places?",
                0: "with $W_Q = W_K$ both words are multiplied by the same matrix. What is $a · b$ beside $b · a$?",
                0.4: "scores are no ratios. What is $b · a$, if $a · b$ is 2.5?",
            },
        ),
        "the largest share of cards that attend most to their matching card, tied": (
            1 / 2,
            {
                1: "each has a score with itself as well. Can both twins score the other higher?",
                0: "one of two twins may have a short vector, and attend to the longer one. And that one?",
                7 / 8: "that is the limit of a circle of eight. How many of two twins attend to themselves?",
            },
        ),
    }
)
