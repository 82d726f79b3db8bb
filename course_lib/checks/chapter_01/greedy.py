"""An exercise on writing: words, one after the other."""

import numpy as np
import torch

from course_lib.tokens import BOS, EOS, PAD

from ..engine import Check, Inputs, known
from ..inputs import normal32


class MadeUpDecoder:
    """A decoder that attends to the number of words read (in its state) and at the last one, and makes up the next.

    After `n` words it writes <eos>. It refuses to go on for ever, so that an endless loop ends with words.
    """

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        self.n, self.shift = n, int(rng.integers(7))
        self.noise = normal32(rng, 10) - 3
        self.calls = 0

    def __call__(self, word, state):
        self.calls += 1
        if self.calls > 100:
            raise RuntimeError("asked for more than 100 words: does the loop end?")
        place = int(state[0])
        best = EOS if place == self.n else EOS + 1 + (3 * int(word) + place + self.shift) % 7
        scores = self.noise.roll(place)
        scores[best] = -torch.inf
        scores[best] = scores.logsumexp(dim=0)  # a probability of one half: a sampled word is often another
        return scores, state + 1


def free_running(
    step,
    state,
    longest,
    *,
    first="bos",
    reads="own",
    carry="on",
    pick="best",
    bos="left_out",
    eos="ends",
    limit="right",
):
    """The words that a decoder writes when it reads its own."""
    word = start = {"bos": BOS, "eos": EOS, "pad": PAD}[first]
    written = []
    for _ in range(longest + {"one_more": 1, "one_fewer": -1}.get(limit, 1000 * (eos == "alone"))):
        scores, new = step(start if reads == "bos" else word, state)
        state = state if carry == "nothing" else new
        word = {"best": scores.argmax, "worst": scores.argmin, "score": scores.max}[pick]().item()
        if word == EOS and eos not in ("goes_on", "skipped"):
            written += [EOS] * (eos == "kept")
            break
        written += [word] * (word != EOS or eos == "goes_on")
        if limit == "first":
            break
    if limit == "first" and not written:
        return None  # the `return` in the loop is not reached
    return [start, *written] if bos == "kept" else written


def write_cases(rng: np.random.Generator) -> Inputs:
    """A decoder, its first state, and the largest number of words."""
    start = torch.cat([torch.zeros(1), normal32(rng, 3)])
    return {
        "a sentence of four words": (MadeUpDecoder(rng, 4), start, 9),
        "no end in sight, at most six words": (MadeUpDecoder(rng, 99), start, 6),
        "a sentence of six words, at most six": (MadeUpDecoder(rng, 6), start, 6),
        "`<eos>` at once": (MadeUpDecoder(rng, 0), start, 5),
    }


check_write = Check(
    free_running,
    write_cases,
    (
        *known("reads", bos="at every step `<bos>` is read. Which word does a decoder read when it runs freely?"),
        *known(
            "carry",
            nothing="every step begins with the first state and knows of nothing it has read. What does `step` return?",
        ),
        *known(
            "first",
            pad="the first word that is read is `<pad>`. Which mark stands before a sentence?",
            eos="the first word that is read is `<eos>`, which stands behind a sentence. What stands before it?",
        ),
        *known(
            "pick",
            worst="the least probable word is taken. Which score has the most probable one?",
            score="these are scores, not ids. Where in `scores` does the largest one stand?",
        ),
        *known("bos", kept="`<bos>` is among the words. Did the decoder write it?"),
        *known(
            "eos",
            goes_on="it goes on after `<eos>`. What does the decoder say by writing it?",
            skipped="`<eos>` is left out, but words after it are kept. What should happen when `<eos>` is written?",
            alone="a sentence without `<eos>` never ends. What else may end the loop?",
            kept="`<eos>` is among the words. Is it a word of the translation?",
        ),
        *known(
            "limit",
            one_more="there is one word more than `longest` allows. When is the number of words compared with it?",
            one_fewer="there is one word fewer than `longest` allows. Was `<bos>` counted as a word?",
            first="only the first word comes back. Does `return` stand inside the loop?",
        ),
    ),
    axes=("word",),
)
