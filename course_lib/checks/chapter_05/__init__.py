"""Chapter 5: the checks of its exercises, and the predictions about sampling and windows."""

import math

from ..predictions import Predictions
from .local import check_faded
from .reinforce import check_gradient, check_reinforce
from .sampling import check_pick, check_through

check_guessed = Predictions(
    {
        "the exact gradient of score 1": (
            0.48,
            {
                1.6: "subtract the expected reward from each reward first. How large is it?",
                0.6: "this is $r_1 - E[r]$. By which weight is it multiplied?",
                1.4: "this is $E[r]$ itself. How much does $r_1$ exceed it, and how often?",
                0.16: "this is the derivative of $w_1$. Which rewards move with it?",
            },
        ),
        "one sample of key 1, no baseline": (
            0.4,
            {
                2: "this is the reward. What is the derivative of log w₁ by its own score?",
                1.6: "the derivative of log w₁ is one *minus* the weight.",
                0.2: "this is the derivative of log w₁. By which reward is it multiplied?",
                0.48: "that is the average over samples. A single sample gives another value.",
            },
        ),
        "one sample of key 1, baseline": (
            0.12,
            {
                0.4: "you left the reward as it is. What is subtracted from it?",
                0.6: "this is reward minus baseline. By which derivative is it multiplied?",
                0.48: "samples of key 2 are included too. What does this one sample give?",
                -0.12: "the reward lies above the baseline. Does the score of key 1 rise or fall?",
            },
        ),
        "scatter with equal rewards": (
            0,
            {
                25: "the reward is 5, but what is left of it after the baseline?",
                5: "the reward is 5, but what is left of it after the subtraction of 5?",
                1: "single samples do differ in their key. By what is each multiplied?",
            },
        ),
        "weight at the edge": (
            math.exp(-2),
            {
                math.exp(-1 / 2): "the edge lies at D, and σ is *half* of it: how many σ away is it?",
                math.exp(-1): "two σ away: the formula squares it, and divides by two.",
                math.exp(-4): "the distance is squared, and then divided by 2σ². How many σ², twice?",
                1: "inside the window it is. But what does the Gaussian leave at its edge?",
                0: "the window reaches *up to* D, and a Gaussian is nowhere zero.",
            },
        ),
        "scores of local-m": (
            688,
            {
                700: "at both ends windows stick out of the sentence. How many keys do they miss?",
                600: "three keys to the left, three to the right: and the one in the middle?",
                300: "three keys, those to one side. The window has two sides, and a middle.",
                400: "this is a window to one side. How far does it reach to the other?",
                10_000: "so many scores has global attention.",
                694: "windows stick out at one end only, you say. And at the other end?",
            },
        ),
        "letters that local-m can see": (
            3,
            {
                5: "five places are in a window. For how many of the letters is the *right* place in it?",
                1: "in the middle it fits exactly. How far may the place lie beside it, with D = 2?",
                9: "the last letter comes first. How far from place 0 does it lie?",
                0: "what about the letter in the middle of the string?",
                4: "each step moves the needed place by two against the window. At t = 2, how far is it?",
            },
        ),
    }
)
