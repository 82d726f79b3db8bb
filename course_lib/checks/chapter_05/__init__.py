"""Chapter 5: the checks of its exercises, and the predictions about sampling and windows."""

import math

from ..predictions import Predictions
from .local import check_faded
from .reinforce import check_gradient, check_reinforce
from .sampling import check_pick, check_through

# ── Picks and windows foreseen ────────────────────────────────────────────────────────────────────────────────────────

check_guessed = Predictions(
    {
        "the exact gradient of score 1": (
            0.48,
            {
                1.6: ("reward times weight", "subtract the expected reward from each reward first. How large is it?"),
                0.6: ("advantage alone", "this is $r_1 - E[r]$. By which weight is it multiplied?"),
                1.4: ("expected reward", "this is $E[r]$ itself. How much does $r_1$ exceed it, and how often?"),
                0.16: ("derivative of the weight", "this is the derivative of $w_1$. Which rewards move with it?"),
            },
        ),
        "one sample of key 1, no baseline": (
            0.4,
            {
                2: ("reward alone", "this is the reward. What is the derivative of log w₁ by its own score?"),
                1.6: ("weight as derivative", "the derivative of log w₁ is one *minus* the weight."),
                0.2: ("derivative alone", "this is the derivative of log w₁. By which reward is it multiplied?"),
                0.48: ("average of samples", "that is the average over samples. A single sample gives another value."),
            },
        ),
        "one sample of key 1, baseline": (
            0.12,
            {
                0.4: ("baseline forgotten", "you left the reward as it is. What is subtracted from it?"),
                0.6: ("no derivative", "this is reward minus baseline. By which derivative is it multiplied?"),
                0.48: ("average again", "samples of key 2 are included too. What does this one sample give?"),
                -0.12: ("sign reversed", "the reward lies above the baseline. Does the score of key 1 rise or fall?"),
            },
        ),
        "scatter with equal rewards": (
            0,
            {
                25: ("rewards squared", "the reward is 5, but what is left of it after the baseline?"),
                5: ("rewards alone", "the reward is 5, but what is left of it after the subtraction of 5?"),
                1: ("one by habit", "single samples do differ in their key. By what is each multiplied?"),
            },
        ),
        "weight at the edge": (
            math.exp(-2),
            {
                math.exp(-1 / 2): ("sigma is D", "the edge lies at D, and σ is *half* of it: how many σ away is it?"),
                math.exp(-1): ("no two below", "two σ away: the formula squares it, and divides by two."),
                math.exp(-4): (
                    "two forgotten",
                    "the distance is squared, and then divided by 2σ². How many σ², twice?",
                ),
                1: ("edge counts fully", "inside the window it is. But what does the Gaussian leave at its edge?"),
                0: ("edge is outside", "the window reaches *up to* D, and a Gaussian is nowhere zero."),
            },
        ),
        "scores of local-m": (
            688,
            {
                700: (
                    "windows stick out",
                    "at both ends windows stick out of the sentence. How many keys do they miss?",
                ),
                600: ("own place forgotten", "three keys to the left, three to the right: and the one in the middle?"),
                300: ("one side", "three keys, those to one side. The window has two sides, and a middle."),
                400: ("before only", "this is a window to one side. How far does it reach to the other?"),
                10_000: ("all of them", "so many scores has global attention."),
                694: ("one end", "windows stick out at one end only, you say. And at the other end?"),
            },
        ),
        "letters that local-m can see": (
            3,
            {
                5: (
                    "window size",
                    "five places are in a window. For how many of the letters is the *right* place in it?",
                ),
                1: ("middle alone", "in the middle it fits exactly. How far may the place lie beside it, with D = 2?"),
                9: ("all letters", "the last letter comes first. How far from place 0 does it lie?"),
                0: ("no letter", "what about the letter in the middle of the string?"),
                4: (
                    "even count",
                    "each step moves the needed place by two against the window. At t = 2, how far is it?",
                ),
            },
        ),
    }
)
