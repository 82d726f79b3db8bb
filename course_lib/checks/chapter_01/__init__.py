"""Chapter 1: the checks of its exercises, and those of exact match by length and of predictions."""

import math

import numpy as np

from ..engine import Check, Inputs, known
from ..predictions import Predictions
from .greedy import check_write
from .loss import check_loss
from .recurrent import check_read, check_step

SAME = {
    "lists": lambda written, right: written == right,
    "words": lambda written, right: sum(a == b for a, b in zip(written, right, strict=False)) / len(right),
    "beginnings": lambda written, right: all(a == b for a, b in zip(written, right, strict=False)),
    "sets": lambda written, right: set(written) == set(right),
    "lengths": lambda written, right: len(written) == len(right),
    "never": lambda written, right: False,
}
ENDS = {
    "both": lambda low, n, high: low <= n <= high,
    "no_upper": lambda low, n, high: low <= n < high,
    "no_lower": lambda low, n, high: low < n <= high,
    "alone": lambda low, n, high: n in (low, high),
}


def exact_by_length(
    translations, bands, *, compared="lists", ends="both", by="source", fraction="of_band", bands_given="all"
):
    """For each band (low, high) the share of its sentences that are exactly right."""
    shares, hits = [], []
    for low, high in bands:
        hits = (hits if fraction == "running" else []) + [
            SAME[compared](written, right)
            for n, written, right in translations
            if ENDS[ends](low, {"source": n, "target": len(right), "written": len(written)}[by], high)
        ]
        denominator = {"of_all": len(translations), "count": 1, "percent": len(hits) / 100}.get(fraction, len(hits))
        shares.append(sum(hits) / denominator)
    return shares[:1] if bands_given == "first" else shares


# Sentences of a band: which of its lengths, how many words more the translation has, and what is wrong with it.
LOW = (0, 0, "nothing"), (0, -1, "nothing"), (1, 0, "nothing"), (1, 0, "order"), (1, 2, "long"), (1, 0, "word")
HIGH = (-1, 0, "word"), (-1, 1, "short")


def match_cases(rng: np.random.Generator) -> Inputs:
    """Tables of sentences, in each band some right ones and every way of being wrong, also at both ends."""
    words = [f"word{k}" for k in range(20)]

    def sentences(low, high):
        for place, more, wrong in LOW + HIGH:
            for _ in range(int(rng.integers(1, 3))):
                n = range(low, high + 1)[place]
                right = rng.permutation(words)[: n + more].tolist()
                yield n, translation(right, wrong, words), right

    def table(*bands):
        rows = [row for band in bands for row in sentences(*band)]
        return [rows[k] for k in rng.permutation(len(rows))], list(bands)

    return {
        "one band": table((4, 7)),
        "two bands": table((4, 7), (8, 11)),
        "three bands": table((3, 6), (7, 8), (9, 15)),
    }


def translation(right, wrong, words):
    """The right words, or what goes wrong with them in this way."""
    other = next(word for word in words if word not in right)
    return {
        "nothing": list(right),
        "order": [*right[1:], right[0]],
        "long": [*right, other],
        "word": [*right[:-1], other],
        "short": right[:-1],
    }[wrong]


check_match = Check(
    exact_by_length,
    match_cases,
    (
        *known(
            "compared",
            words="single words are counted. One wrong word, and how much of the sentence is exactly right?",
            beginnings="a sentence that stops too early, or goes on, counts as right. How far does `zip` go?",
            sets="the same words in another order count as right. Does a set know an order?",
            never="no sentence ever counts as right. Are lists compared with lists by `==`, and divided by `/`?",
            lengths="sentences of the right length count as right. Are the words compared, too?",
        ),
        *known(
            "ends",
            no_upper="sentences with exactly `high` words are left out. Does `range` hold its end, and does a band?",
            alone="only sentences of exactly `low` or `high` words are counted. What does `in` ask of a pair?",
            no_lower="sentences with exactly `low` words are left out. Which sign stands between low and n?",
        ),
        *known(
            "by",
            target="the bands go by the length of the translation. What is n in the table?",
            written="the bands go by the length of what the model wrote. What is n in the table?",
        ),
        *known(
            "fraction",
            count="these are numbers of hits. What does a share divide by?",
            of_all="the hits of a band are divided by all sentences. How many of them are in the band?",
            percent="these are per cent. A share of 1 means all.",
            running="a band is counted together with the bands before it. Where do the counters begin again?",
        ),
        *known("bands_given", first="only the first band has its share. Does `return` stand inside the loop?"),
    ),
    axes=("band",),
)

check_numbers = Predictions(
    {
        "the context": (
            12,
            {
                360: "that is a state for each of the 30 words. Which of them does the decoder receive?",
                240: "that is the size of the 30 words. What is left of them at the end?",
                24: "you give each direction 12 numbers. Each direction has one half of them.",
                6: "that is one direction. The context joins the last states of both.",
            },
        ),
        "the parameters": (
            1248,
            {
                416: "a plain network has so many. How often does a GRU have `W` and `U`?",
                832: "you have counted the two gates. What proposes the new state?",
                1664: "that would be four of everything, as an LSTM has. How many lines has the GRU?",
                1152: "the matrices are right. What does the code have that the formula leaves out?",
                1200: "nearly: PyTorch keeps a bias for the word's part *and* one for the state's.",
                480: "the matrices that read the state are missing: each has 16 × 16 numbers.",
                864: "the matrices that read the word are missing: each has 16 × 8 numbers.",
            },
        ),
        "the first loss": (
            math.log(100),
            {
                2: "your logarithm is to base ten. Which one does `log` mean in PyTorch?",
                -math.log(100): "the logarithm of a probability is below 0, and so: what is the minus for?",
                math.log2(100): "you count in bits. Which logarithm does `log` mean in PyTorch?",
                0.01: "that is the probability of the right word. How surprising is it?",
                0.99: "so often it is wrong; the loss is a surprise, and may be above 1.",
                100: "that is 1/p. The loss is its logarithm.",
            },
        ),
        "20 words": (
            0.97**20,
            {
                0.97: "so many *words* are right. Must not all 20 be right at once?",
                0: "errors do not share themselves out evenly: some sentences have two, and some have none.",
                100 * 0.97**20: "that is in per cent; a share is asked for.",
                1 - 0.97**20: "that is the share of sentences with a mistake in them.",
            },
        ),
        "40 words": (
            0.97**40,
            {
                0.97**20: "that is 20 words. The other 20 must be right, too.",
                0.97**20 / 2: "a half at each doubling? Two sentences of 20 in a row: multiply.",
                -1: "a share below 0? What is the probability of two things that must both be so?",
            },
        ),
    }
)
