"""Rows of cards and one question, and words that vote: it is known which of the words an answer needs."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

CARDS = 16  # in a row; and as many letters and numbers, counted from 1: zero is none
ASKED = ("last", "at the card")
GOOD, BAD, WORDS, READ = range(1, 11), range(11, 21), 40, 41  # words 21 to 40 do not vote; READ begins a sentence


class DistantRecall(NamedTuple):
    """Rows of cards with a question behind them: the question's card, how far back it lies, and its number."""

    letters: Int[Tensor, "batch place"]
    numbers: Int[Tensor, "batch place"]
    marks: Int[Tensor, "batch place"]
    distance: Int[Tensor, " batch"]
    answer: Int[Tensor, " batch"]


def distant_recall(asked: str, n_rows: int, generator: torch.Generator | None = None) -> DistantRecall:
    """Draw rows of sixteen cards with different letters; the number of one of them is to be told at the end.

    asked "last": the question behind the row names the letter, so until then any card may be asked for; "at the card":
    the card itself is marked, and the question is empty. `distance` is 1 for the last card.

    Raises: ValueError for another way to ask.
    """
    if asked not in ASKED:
        raise ValueError(f"when it is asked: expected one of {', '.join(ASKED)}, got {asked}")
    draw = {"generator": generator}
    letters = torch.rand(n_rows, CARDS, **draw).argsort(dim=1) + 1
    numbers = torch.randint(1, CARDS + 1, (n_rows, CARDS), **draw)
    place = torch.randint(CARDS, (n_rows, 1), **draw)
    at_card = torch.zeros_like(letters).scatter(1, place, 1)
    nothing, one = torch.zeros(n_rows, 1, dtype=torch.long), torch.ones(n_rows, 1, dtype=torch.long)
    last = asked == "last"
    question, marks = (letters.gather(1, place), torch.zeros_like(at_card)) if last else (nothing, at_card)
    return DistantRecall(
        torch.cat([letters, question], dim=1),
        torch.cat([numbers, nothing], dim=1),
        torch.cat([marks, one], dim=1),
        CARDS - place[:, 0],
        numbers.gather(1, place)[:, 0] - 1,
    )


def distant_recall_batches(asked: str, seed: int, size: int = 64) -> Iterator[DistantRecall]:
    """Rows without end, the same for the same seed. Raises: ValueError as `recalls` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield distant_recall(asked, size, generator)


class Votes(NamedTuple):
    """Sentences that begin with READ; what each word votes (+1, −1 or 0), and whether the sum is above zero."""

    ids: Int[Tensor, "batch token"]
    vote: Int[Tensor, "batch token"]
    answer: Int[Tensor, " batch"]


def votes(n: int, generator: torch.Generator | None = None, length: int = 10) -> Votes:
    """Draw sentences of words of which ten vote for, ten against, and twenty not at all; no sentence is a draw."""
    words = torch.randint(1, WORDS + 1, (3 * n + 20, length), generator=generator)
    ids = torch.cat([torch.full((len(words), 1), READ), words], dim=1)
    vote = ((ids >= GOOD.start) & (ids < GOOD.stop)).long() - ((ids >= BAD.start) & (ids < BAD.stop)).long()
    decided = (vote.sum(dim=1) != 0).nonzero()[:n, 0]
    ids, vote = ids[decided], vote[decided]
    return Votes(ids, vote, (vote.sum(dim=1) > 0).long())


def vote_batches(seed: int, size: int = 64) -> Iterator[Votes]:
    """Sentences without end, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield votes(size, generator)
