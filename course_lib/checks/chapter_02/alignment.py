"""Chapter 2: which words point to a gold link, and the alignment error rate of a padded batch."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from ..engine import Check, Inputs, Misconception, known


def permuted(rng: np.random.Generator, n: int) -> Tensor:
    """A gold alignment of n words with n words in another order, in which no word keeps its place or is mirrored."""
    while True:
        order = rng.permutation(n)
        if (order != np.arange(n)).all() and (order[order] != np.arange(n)).all():
            return torch.eye(n, dtype=torch.bool)[order.tolist()]


def weights_at(gold: Tensor, rng: np.random.Generator) -> Tensor:
    """Weights that are largest where gold is True, and uneven elsewhere."""
    return (2.0 * gold + 0.1 * torch.from_numpy(rng.random(gold.shape))).softmax(dim=-1)


def share_pointing(weights, gold, *, rows="words", columns="words", choose="target words", by="words"):
    """The share of the target words whose largest weight is on a gold link."""
    weights = weights.roll(1, dims=0) if rows == "rolled" else weights
    cut = {"words": slice(-1), "later": slice(1, None)}
    words = weights[cut.get(rows, slice(None) if rows == "all" else slice(-1)), cut.get(columns, slice(None))]
    n_source = gold.shape[1]
    if choose == "mass":
        hits = (words[:, :n_source] * gold).sum(dim=1)
    elif choose == "half":
        hits = ((words[:, :n_source] > 0.5) & gold).any(dim=1)
    elif choose == "source_words":
        hits = gold[words.argmax(dim=0)[:n_source], torch.arange(n_source)]
    elif choose == "first_link":
        hits = words.argmax(dim=1) == gold.int().argmax(dim=1)
    else:
        links = pad(gold, (0, 1)) if columns == "a miss" else gold
        hits = links[torch.arange(len(gold)), words.argmax(dim=0 if choose == "down" else 1)]
    of = {"words": len(hits), "steps": len(weights), "cells": gold.numel(), "linked": gold.any(dim=1).sum(), "none": 1}
    of["links"] = gold.sum()
    return float(hits.sum() / of[by])


def pointing_cases(rng: np.random.Generator) -> Inputs:
    """Weights that are largest on gold links or beside them: each misreading of the table shows."""
    gold = permuted(rng, 6)
    with_eos = torch.block_diag(gold, torch.tensor(True))
    sources = rng.integers(4, size=7)
    wide = torch.from_numpy(sources[:, None] == np.arange(4))  # seven words from four
    rows = torch.block_diag(wide, torch.tensor(True)).double()
    wide[2] = torch.tensor([True, False, True, True])  # one of them has three links, and attends to the last
    rows[2, :-1] = torch.tensor([0, 0, 0, 1])
    wide[3] = False  # one has no link
    rows[3, :-1] = torch.tensor([0, 1, 0, 0])
    rows[4] /= 2  # one hesitates
    rows[5, :-1] = rows[5, :-1].roll(1)  # and three attend most to <eos>, and of the words one at a wrong one
    rows[[0, 5, 6], -1] = 2
    return {
        "six words, each attending to its gold link": (weights_at(with_eos, rng), gold),
        "all weights one step too late": (weights_at(with_eos.roll(1, dims=0), rng), gold),
        "all weights one step too early": (weights_at(with_eos.roll(-1, dims=0), rng), gold),
        "all weights one word too far to the right": (weights_at(with_eos.roll(1, dims=1), rng), gold),
        "each source word attends to its target word": (weights_at(with_eos.T, rng), gold),
        "seven words from four; one has three links, one none; <eos> draws three": (weights_at(rows, rng), wide),
        "one word from two": (weights_at(torch.tensor([[1, 0, 0], [0, 1, 0]]), rng), torch.tensor([[True, False]])),
    }


check_bug = Check(
    share_pointing,
    pointing_cases,
    (
        *known(
            "rows",
            later="row 0 was dropped: there the decoder reads <bos>, but it writes the first word.",
            rolled="shifted too far: now the row of <eos> stands at the first word. Which row belongs to no word?",
            all="is the row of <eos> still there? Gold has words only.",
        ),
        *known(
            "columns",
            later="column 0 was dropped: that is the first word of the source. Where in a sentence does <eos> stand?",
            all="is the column of <eos> still there? Gold has no such column, and a word may attend most to it.",
        ),
        Misconception(
            "columns=a miss",
            {"columns": "a miss"},
            "a word that attends most to <eos> is counted as wrong. Among which columns must its choice be searched?",
        ),
        *known(
            "choose",
            first_link="only the first gold link of a word is compared. A word with two links may choose either.",
            source_words="each source word chooses a target word. Of which words is the share: who has to choose?",
            down="the largest weight is searched down each column. Each target word, a row, chooses its source word.",
            mass="you add up the weight on gold links. A word counts fully or not at all, by its largest weight.",
            half="you ask for more than half of the weight. The largest weight of a word may be smaller than that.",
        ),
        *known(
            "by",
            linked="you average over the words that have a gold link. Which words does $n$ count in the formula?",
            links="you divide by the number of gold links. A word may have two of them, or none: what does $n$ count?",
            none="this is a number of words. A share lies between zero and one: the share of how many?",
            steps="you divide by the number of steps, <eos> included. How many words could have been right?",
            cells="you divide by all cells of the table. Each word makes one choice that can be right.",
        ),
    ),
)


def error_rate(weights, gold, words, *, counted="words", choose="keys", rate="aer", average="links"):
    """The alignment error rate of a batch; |A|, |S| and what they share are counted sentence by sentence."""
    counts = {"words": words, "padding": ~words, "linked": gold.any(dim=2), "full_sentences": words}
    counts = counts.get(counted, torch.ones_like(words))[:, :, None]
    axis = 1 if choose == "steps" else 2
    largest = torch.zeros_like(gold).scatter_(axis, weights.argmax(dim=axis, keepdim=True), True)
    links = {"soft": weights, "half": weights > 0.5}.get(choose, largest) * counts
    if counted == "full_sentences":
        links, gold = links[words.all(dim=1)], gold[words.all(dim=1)]
    both, a, s = (part.double().sum(dim=(1, 2)) for part in (links * gold, links, gold))
    if average == "links":
        both, a, s = both.sum(), a.sum(), s.sum()
    right = {"aer": 2 * both / (a + s), "no_two": both / (a + s), "precision": both / a, "recall": both / s}
    right |= {"union": both / (a + s - both), "right": 1 - 2 * both / (a + s)}
    return 1 - right[rate].mean().item()


def error_rate_cases(rng: np.random.Generator) -> Inputs:
    """Batches of sentences, given by the number of their target and source words."""
    return {
        "three sentences of four, two and three words": padded_batch(rng, (4, 4), (2, 4), (3, 4)),
        "one sentence alone, without padding": padded_batch(rng, (5, 4)),
        "a sentence of nine words, and one of three with six positions of padding": padded_batch(rng, (9, 5), (3, 3)),
    }


def padded_batch(rng: np.random.Generator, *sizes: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, gold, which steps are words: the first word of each sentence has two links, the last attends elsewhere.

    Of a sentence of more than two words the second has no link.
    """
    steps, keys = (max(lengths) for lengths in zip(*sizes, strict=True))
    weights, gold = torch.zeros(len(sizes), steps, keys).double(), torch.zeros(len(sizes), steps, keys).bool()
    for b, (n, m) in enumerate(sizes):
        source = torch.from_numpy(rng.integers(m, size=n))
        gold[b, torch.arange(n), source] = True
        gold[b, 0, (source[0] + 1) % m] = True
        rows = gold[b, :, :m].clone()
        rows[n - 1] = rows[n - 1].roll(1)
        weights[b, :, :m] = weights_at(rows, rng)
        gold[b, 1, :m] &= n == 2
    words = torch.arange(steps) < torch.tensor([n for n, _ in sizes])[:, None]
    return weights, gold, words


check_rate = Check(
    error_rate,
    error_rate_cases,
    (
        *known(
            "counted",
            all="the more padding, the worse. Padding has a largest weight too: in which of the "
            "three counts is its link?",
            padding="you leave out the words, and keep the padding: True means a word.",
            linked="a word without a gold link is left out. It has a largest weight too: in which count is its link?",
            full_sentences="sentences that have padding are left out as a whole, their words as well.",
        ),
        *known(
            "average",
            sentences="you average over sentences, so a short one weighs as much as a long one. Whose links are in A?",
        ),
        *known(
            "choose",
            steps="each source word chooses a step. Who makes the links in A: the source words, or the target words?",
            soft="you add up weights. A link is there or it is not: each word has one, at its largest weight.",
            half="links are where a weight is above one half. A word with two favourites has none then.",
        ),
        *known(
            "rate",
            no_two="a decoder without a mistake would get one half. What stands before |A ∩ S| in the formula?",
            precision="you divide by |A| alone, so a gold link that no word chooses costs nothing.",
            recall="you divide by |S| alone, so a link that is not in gold costs nothing.",
            union="you divide by the union of A and S. What they have in common stands in |A| + |S| twice.",
            right="this says how much is right. The error rate of a decoder without a mistake is zero.",
        ),
    ),
)
