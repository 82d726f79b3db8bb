"""Distant recall: a row of cards and a question about one of them, at a known distance."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

CARDS = 16  # in a row; as many letters and numbers, counted from 1 (0: none)
ASKED = ("last", "at the card")


class DistantRecall(NamedTuple):
    """A batch of rows with the question at the last position; distance and number of the card asked for."""

    letters: Int[Tensor, "batch position"]
    numbers: Int[Tensor, "batch position"]
    marks: Int[Tensor, "batch position"]
    distance: Int[Tensor, " batch"]
    answer: Int[Tensor, " batch"]


def distant_recall(asked: str, n_rows: int, generator: torch.Generator | None = None) -> DistantRecall:
    """Draw rows of sixteen cards with different letters; the answer is the number (from 0) of one of them.

    asked="last": the last position repeats the card's letter, so that until then any card may be needed;
    asked="at the card": the card itself is marked, and the last position has no letter. The last position is always
    marked. `distance` is 1 for the last card.

    Raises: ValueError for another value of `asked`.
    """
    if asked not in ASKED:
        raise ValueError(f"asked must be one of {', '.join(ASKED)}, got {asked!r}")
    draw = {"generator": generator}
    letters = torch.rand(n_rows, CARDS, **draw).argsort(dim=1) + 1
    numbers = torch.randint(1, CARDS + 1, (n_rows, CARDS), **draw)
    position = torch.randint(CARDS, (n_rows, 1), **draw)
    at_card = torch.zeros_like(letters).scatter(1, position, 1)
    none, one = torch.zeros(n_rows, 1, dtype=torch.long), torch.ones(n_rows, 1, dtype=torch.long)
    last = asked == "last"
    question, marks = (letters.gather(1, position), torch.zeros_like(at_card)) if last else (none, at_card)
    return DistantRecall(
        torch.cat([letters, question], dim=1),
        torch.cat([numbers, none], dim=1),
        torch.cat([marks, one], dim=1),
        CARDS - position[:, 0],
        numbers.gather(1, position)[:, 0] - 1,
    )


def distant_recall_batches(asked: str, seed: int, size: int = 64) -> Iterator[DistantRecall]:
    """Yield batches without end, the same for the same seed. Raises: ValueError as `distant_recall` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield distant_recall(asked, size, generator)
