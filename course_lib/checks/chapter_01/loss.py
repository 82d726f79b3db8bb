"""An exercise on training: the loss of the right next word."""

import numpy as np
import torch

from course_lib.tokens import BOS, EOS, PAD

from ..engine import Inputs, known
from ..gradient import LossCheck
from ..inputs import normal32


def begun(target, first=BOS):
    """The target behind this token."""
    return torch.cat([torch.full_like(target[:, :1], first), target], dim=1)


READ_AND_WRITTEN = {
    "right": lambda target: (begun(target)[:, :-1], target),
    "same": lambda target: (target, target),
    "same_with_bos": lambda target: (begun(target),) * 2,
    "both_moved": lambda target: (begun(target)[:, :-1],) * 2,
    "next": lambda target: (target[:, 1:], target[:, :-1]),
    "no_bos": lambda target: (target[:, :-1], target[:, 1:]),
    "pad_first": lambda target: (begun(target, PAD)[:, :-1], target),
    "rolled": lambda target: (target.roll(1, dims=1), target),
}


LOG_P = {
    "right": lambda logits: logits.log_softmax(dim=-1),
    "negative": lambda logits: logits.log_softmax(dim=-1),
    "p": lambda logits: logits.softmax(dim=-1),
    "of_logits": lambda logits: logits,
    "of_softmax": lambda logits: logits.softmax(dim=-1).log_softmax(dim=-1),
    "over_places": lambda logits: logits.log_softmax(dim=1),
}


def next_word_loss(predict, target, *, reads="right", counted="words", average="words", surprise="right"):
    """The mean surprise of the right next word."""
    read, written = READ_AND_WRITTEN[reads](target)
    log_p = LOG_P[surprise](predict(read)).gather(2, written[:, :, None])[:, :, 0]
    each = log_p if surprise == "negative" else -log_p
    words, real = written != PAD, read != PAD
    counts = {"words": words, "padding": words | True, "no_end": words & (written != EOS), "read": real}[counted]
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
        vectors, logits = (normal32(rng, vocabulary, d) for _ in range(2))
        target = torch.full((len(lengths), max(lengths) + 1), PAD)
        for row, n in zip(target, lengths, strict=True):
            row[: n + 1] = torch.tensor([*rng.integers(EOS + 1, vocabulary, n), EOS])
        logits.requires_grad_()  # as the parameters of a decoder
        return lambda words: 2 * torch.tanh(vectors[words].cumsum(dim=1)) @ logits.T, target

    return {
        "three sentences of two words and `<eos>`": inputs([2, 2, 2], 9),
        "sentences of four, one and two words": inputs([4, 1, 2], 12),
        "sentences of one and five words": inputs([1, 5], 7),
    }


check_loss = LossCheck(
    next_word_loss,
    loss_cases,
    (
        *known(
            "reads",
            same="the decoder reads the very word that it is to write, and need only copy. What may it know by then?",
            same_with_bos="`<bos>` stands before what is read *and* before what is written. Is it ever written?",
            both_moved="what is written has moved on together with what is read. Which one must not move?",
            next="the decoder reads the *next* word and is to write the one before. Which way must the words move?",
            no_bos="the first word of each sentence is never predicted. What is read before that one is written?",
            pad_first="the decoder begins by reading `<pad>`. Which mark stands before the first word?",
            rolled="the last token has come round to the front. What is read first, and which token is never read?",
        ),
        *known(
            "counted",
            padding="the positions of padding count too, so it learns to write `<pad>`. Which "
            "places hold a right word?",
            read="the mask is made of what is read, one place away. Which tensor shows where a right word stands?",
            no_end="`<eos>` is not counted. How would the decoder learn to stop?",
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
            of_logits="these are logits. What makes a probability of a logit: can it do without the other words?",
            over_places="the softmax runs over the places. Over which axis must the probabilities sum to one?",
            p="these are probabilities. Where has the logarithm gone?",
        ),
    ),
)
