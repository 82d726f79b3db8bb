"""Exercises on writing: the loss of the right next word, and words written one after the other."""

import numpy as np
import torch

from course_lib.models.translation import BOS, EOS, PAD

from .engine import Check, Inputs, known

# ── The loss ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def begun(target, first=BOS):
    """The target behind this token."""
    return torch.cat([torch.full_like(target[:, :1], first), target], dim=1)


READ_AND_WRITTEN = {
    "right": lambda target: (begun(target)[:, :-1], target),
    "same": lambda target: (target, target),
    "same_with_bos": lambda target: (begun(target),) * 2,
    "next": lambda target: (target[:, 1:], target[:, :-1]),
    "no_bos": lambda target: (target[:, :-1], target[:, 1:]),
    "pad_first": lambda target: (begun(target, PAD)[:, :-1], target),
    "rolled": lambda target: (target.roll(1, dims=1), target),
}


def next_word_loss(predict, target, *, reads="right", counted="words", average="words", surprise="right"):
    """The mean surprise of the right next word."""
    read, written = READ_AND_WRITTEN[reads](target)
    p = predict(read).softmax(dim=-1)
    p = (p.softmax(dim=-1) if surprise == "of_softmax" else p).gather(2, written[:, :, None])[:, :, 0]
    each = {"negative": p.log(), "p": -p}.get(surprise, -p.log())
    counts = {"padding": written >= 0, "no_end": (written != PAD) & (written != EOS)}.get(counted, written != PAD)
    each, n = torch.where(counts, each, 0.0), counts.sum(dim=1)
    sums = each.sum(dim=1)
    if average == "each":
        return each
    if average == "sentences":
        return (sums / n).mean()
    return sums.sum() / {"words": n.sum(), "places": written.numel(), "none": 1}[average]


def loss_cases(rng: np.random.Generator) -> Inputs:
    """A made-up decoder, which has seen at each place the words up to it; and targets, with padding and without."""

    def inputs(lengths, vocabulary, d=6):
        vectors, logits = (torch.from_numpy(rng.normal(size=(vocabulary, d))) for _ in range(2))
        target = torch.full((len(lengths), max(lengths) + 1), PAD)
        for row, n in zip(target, lengths, strict=True):
            row[: n + 1] = torch.tensor([*rng.integers(EOS + 1, vocabulary, n), EOS])
        return lambda words: 2 * torch.tanh(vectors[words].cumsum(dim=1)) @ logits.T, target

    return {
        "three sentences of two words and `<eos>`": inputs([2, 2, 2], 9),
        "sentences of four, one and two words": inputs([4, 1, 2], 12),
        "sentences of one and five words": inputs([1, 5], 7),
    }


check_loss = Check(
    next_word_loss,
    loss_cases,
    (
        *known(
            "reads",
            same="the decoder reads the very word that it is to write, and need only copy. What may it know by then?",
            same_with_bos="`<bos>` stands before what is read *and* before what is written. Which one must not move?",
            next="the decoder reads the *next* word and is to write the one before. Which way must the words move?",
            no_bos="the first word of each sentence is never asked for. What is read before that one is written?",
            pad_first="the decoder begins by reading `<pad>`. Which mark stands before the first word?",
            rolled="the last token has come round to the front. What is read first, and which token is read by nobody?",
        ),
        *known(
            "counted",
            padding="the places of padding count too, so it learns to write `<pad>`. Which places hold a right word?",
            no_end="`<eos>` is not counted. Who will teach the decoder to stop?",
        ),
        *known(
            "average",
            places="the surprises of the right words are added up, and divided by all places. What is $N$?",
            sentences="this is a mean of sentences' means. Do all words weigh the same, whatever their sentence?",
            each="these are the surprises of the single words. What makes one number out of them?",
            none="this is a sum, which grows with the batch. By what does the formula divide?",
        ),
        *known(
            "surprise",
            negative="your loss is negative. A rare word surprises more than a sure one: which sign has its log p?",
            of_softmax="softmax was taken twice. What does `cross_entropy` want: logits, or probabilities?",
            p="these are probabilities. Where has the logarithm gone?",
        ),
    ),
)


# ── Words, one after the other ────────────────────────────────────────────────────────────────────────────────────────


class MadeUpDecoder:
    """A decoder that looks at the number of words read (in its state) and at the last one, and makes up the next.

    After `n` words it writes <eos>. It refuses to go on for ever, so that an endless loop ends with words.
    """

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        self.n, self.shift = n, int(rng.integers(7))
        self.noise = torch.from_numpy(rng.normal(size=10)) - 3
        self.calls = 0

    def __call__(self, word, state):
        self.calls += 1
        if self.calls > 100:
            raise RuntimeError("asked for more than 100 words: does the loop end?")
        place = int(state[0])
        scores = self.noise.roll(place)
        scores[EOS if place == self.n else EOS + 1 + (3 * int(word) + place + self.shift) % 7] = 4.0
        return scores, state + 1


def write(step, state, longest, *, first="bos", reads="own", carry="on", bos="left_out", eos="ends", limit="right"):
    """The words that a decoder writes when it reads its own."""
    word = start = {"bos": BOS, "eos": EOS, "pad": PAD}[first]
    written = []
    while len(written) < longest + {"right": 0, "one_more": 1, "one_fewer": -1, "none": 1000}[limit]:
        scores, new = step(start if reads == "bos" else word, state)
        state = state if carry == "nothing" else new
        word = int(scores.argmax())
        if word == EOS and eos != "goes_on":
            written += [EOS] * (eos == "kept")
            break
        written.append(word)
    return [start, *written] if bos == "kept" else written


def write_cases(rng: np.random.Generator) -> Inputs:
    """A decoder, its first state, and the largest number of words."""
    start = torch.from_numpy(np.array([0.0, *rng.normal(size=3)]))
    return {
        "a sentence of four words": (MadeUpDecoder(rng, 4), start, 9),
        "no end in sight, at most six words": (MadeUpDecoder(rng, 99), start, 6),
        "a sentence of six words, at most six": (MadeUpDecoder(rng, 6), start, 6),
        "`<eos>` at once": (MadeUpDecoder(rng, 0), start, 5),
    }


check_write = Check(
    write,
    write_cases,
    (
        *known(
            "reads",
            bos="at every step `<bos>` is read. Which word does a decoder read when it runs freely?",
        ),
        *known(
            "carry",
            nothing="every step begins with the first state and knows of nothing it has read. What does `step` return?",
        ),
        *known(
            "first",
            pad="the first word that is read is `<pad>`. Which mark stands before a sentence?",
            eos="the first word that is read is `<eos>`, which stands behind a sentence. What stands before it?",
        ),
        *known("bos", kept="`<bos>` is among the words. Did the decoder write it?"),
        *known(
            "eos",
            goes_on="it goes on after `<eos>`. What does the decoder say by writing it?",
            kept="`<eos>` is among the words. Is it a word of the translation?",
        ),
        *known(
            "limit",
            one_more="there is one word more than `longest` allows. When is the number of words compared with it?",
            one_fewer="there is one word fewer than `longest` allows. Was `<bos>` counted as a word?",
            none="a sentence without `<eos>` never ends. What else may end the loop?",
        ),
    ),
    axes=("word",),
)
