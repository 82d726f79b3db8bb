"""Associative recall: each card of a row has a symbol and a value, and must predict the value of a related card.

The related card is known for every card, and so is the correct attention map.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

SYMBOLS, VALUES, CARDS = 8, 16, 8  # kinds of symbols, kinds of values, cards in a row
RELATIONS = ("match", "before", "next")


class AssociativeRecall(NamedTuple):
    """A batch of rows: symbols and values, the position of each card's partner, and the partner's value."""

    symbols: Int[Tensor, "batch card"]
    values: Int[Tensor, "batch card"]
    partner: Int[Tensor, "batch card"]
    answer: Int[Tensor, "batch card"]


def associative_recall(relation: str, n_rows: int, generator: torch.Generator | None = None) -> AssociativeRecall:
    r"""Draw rows of eight cards, with the partner of each card by a relation.

    "match" (symmetric): the matching card, with the same symbol (each row has four symbols, twice);
    "before" (directed): the card to the left (the first card is its own partner);
    "next" (cyclic): the card with the next of the eight symbols, 0 → 1 → … → 7 → 0.
    Values are independent of symbols and positions.

    Raises: ValueError for another relation.
    """
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    symbols = shuffled(n_rows, SYMBOLS, generator)
    if relation == "match":
        symbols = symbols[:, : CARDS // 2].repeat(1, 2).gather(1, shuffled(n_rows, CARDS, generator))
        related = (symbols[:, :, None] == symbols[:, None, :]) & ~torch.eye(CARDS, dtype=torch.bool)
    elif relation == "next":
        related = (symbols[:, :, None] + 1) % SYMBOLS == symbols[:, None, :]
    else:
        left = torch.arange(CARDS)[:, None] - 1
        related = (left.clamp(min=0) == torch.arange(CARDS)).expand(n_rows, -1, -1)
    partner = related.int().argmax(dim=-1)
    values = torch.randint(VALUES, (n_rows, CARDS), generator=generator)
    return AssociativeRecall(symbols, values, partner, values.gather(1, partner))


def associative_recall_batches(relation: str, seed: int, size: int = 64) -> Iterator[AssociativeRecall]:
    """Yield batches without end, the same for the same seed. Raises: ValueError as `associative_recall` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield associative_recall(relation, size, generator)


def shuffled(n_rows: int, n: int, generator: torch.Generator | None) -> Int[Tensor, "batch n"]:
    """A random permutation of the numbers below n in each row."""
    return torch.rand(n_rows, n, generator=generator).argsort(dim=1)
