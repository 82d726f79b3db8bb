"""Majority votes: which words of a sentence decide its label is known."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

POSITIVE, NEGATIVE, WORDS = range(1, 11), range(11, 21), 40  # words 21 to 40 do not vote
CLS = WORDS + 1  # the first token of every sentence


class Votes(NamedTuple):
    """A batch of sentences; the vote of each token (+1, −1 or 0), and whether their sum is positive."""

    ids: Int[Tensor, "batch token"]
    vote: Int[Tensor, "batch token"]
    answer: Int[Tensor, " batch"]


def votes(n: int, generator: torch.Generator | None = None, length: int = 10) -> Votes:
    """Draw sentences of CLS and random words, without draws: ten words vote +1, ten −1, twenty do not vote."""
    words = torch.randint(1, WORDS + 1, (3 * n + 20, length), generator=generator)
    ids = torch.cat([torch.full((len(words), 1), CLS), words], dim=1)
    vote = _within(ids, POSITIVE) - _within(ids, NEGATIVE)
    decided = (vote.sum(dim=1) != 0).nonzero()[:n, 0]
    ids, vote = ids[decided], vote[decided]
    return Votes(ids, vote, (vote.sum(dim=1) > 0).long())


def vote_batches(seed: int, size: int = 64) -> Iterator[Votes]:
    """Yield batches without end, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield votes(size, generator)


def _within(ids: Tensor, words: range) -> Tensor:
    return ((ids >= words.start) & (ids < words.stop)).long()
