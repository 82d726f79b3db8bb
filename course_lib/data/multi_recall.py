"""Cards in a ring, each of which has to ask several others: what one look is not enough for.

The cards that each card has to ask are known, and so the right map of every relation is known for certain.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.data.associative_recall import PLACES, associative_recall

STEPS = {"left": -1, "right": 1, "opposite": PLACES // 2}  # round the ring
ALL_RELATIONS = ("match", *STEPS)


class MultiRecall(NamedTuple):
    """Some rings of cards: symbols and values, whom each card has to ask by each relation, and what it tells then."""

    symbols: Int[Tensor, "batch card"]
    values: Int[Tensor, "batch card"]
    partners: Int[Tensor, "batch relation card"]
    answers: Int[Tensor, "batch relation card"]


def multi_recall(relations: Sequence[str], n_rings: int, generator: torch.Generator | None = None) -> MultiRecall:
    r"""Draw rings of eight cards; each card has to tell the value of its partner in each relation.

    The partner is, for "match": the other card with the same symbol; "left", "right": the neighbour in the ring, so
    that the first card's left one is the last; "opposite": the card across the ring. Values are independent of these.

    Raises: ValueError for another relation, or for none.
    """
    unknown = [relation for relation in relations if relation not in ALL_RELATIONS]
    if unknown or not relations:
        raise ValueError(f"relations in a ring: expected some of {', '.join(ALL_RELATIONS)}, got {list(relations)}")
    row, place = associative_recall("match", n_rings, generator), torch.arange(PLACES)
    partners = [
        row.partner if relation == "match" else ((place + STEPS[relation]) % PLACES).expand(n_rings, -1)
        for relation in relations
    ]
    partners = torch.stack(partners, dim=1)
    values = row.values[:, None].expand(-1, len(relations), -1)
    return MultiRecall(row.symbols, row.values, partners, values.gather(2, partners))


def multi_recall_batches(relations: Sequence[str], seed: int, size: int = 64) -> Iterator[MultiRecall]:
    """Rings without end, the same for the same seed. Raises: ValueError as `rings` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield multi_recall(relations, size, generator)
