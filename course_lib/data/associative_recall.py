"""Rows of cards for one look: on each card a symbol, by which it is found, and a value, which is to be told.

The card that each card has to ask is known, and so the right attention map is known for certain.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

SYMBOLS, VALUES, PLACES = 8, 16, 8  # kinds of symbols, kinds of values, cards in a row
RELATIONS = ("match", "before", "next")


class AssociativeRecall(NamedTuple):
    """Some rows of cards: their symbols and values, whom each has to ask, and the value it has to tell then."""

    symbols: Int[Tensor, "batch card"]
    values: Int[Tensor, "batch card"]
    partner: Int[Tensor, "batch card"]
    answer: Int[Tensor, "batch card"]


def associative_recall(relation: str, n_rows: int, generator: torch.Generator | None = None) -> AssociativeRecall:
    r"""Draw rows of eight cards; each card has to tell the value of its partner.

    The partner is, for the relation "match": the other card with the same symbol (each row has four symbols, twice);
    "before": the card to the left (the first card asks itself); "next": the card with the next of the eight symbols,
    in a circle: 0 → 1 → … → 7 → 0. Values are independent of all that.

    Raises: ValueError for another relation.
    """
    if relation not in RELATIONS:
        raise ValueError(f"a relation of cards: expected one of {', '.join(RELATIONS)}, got {relation}")
    symbols = shuffled(n_rows, SYMBOLS, generator)
    if relation == "match":
        symbols = symbols[:, : PLACES // 2].repeat(1, 2).gather(1, shuffled(n_rows, PLACES, generator))
        asks = (symbols[:, :, None] == symbols[:, None, :]) & ~torch.eye(PLACES, dtype=torch.bool)
    elif relation == "next":
        asks = (symbols[:, :, None] + 1) % SYMBOLS == symbols[:, None, :]
    else:
        left = torch.arange(PLACES)[:, None] - 1
        asks = (left.clamp(min=0) == torch.arange(PLACES)).expand(n_rows, -1, -1)
    partner = asks.int().argmax(dim=-1)
    values = torch.randint(VALUES, (n_rows, PLACES), generator=generator)
    return AssociativeRecall(symbols, values, partner, values.gather(1, partner))


def associative_recall_batches(relation: str, seed: int, size: int = 64) -> Iterator[AssociativeRecall]:
    """Rows of cards without end, the same for the same seed. Raises: ValueError as `cards` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield associative_recall(relation, size, generator)


def shuffled(n_rows: int, n: int, generator: torch.Generator | None) -> Int[Tensor, "batch n"]:
    """The numbers below n, in another order in each row."""
    return torch.rand(n_rows, n, generator=generator).argsort(dim=1)
