"""Multi-relation recall: associative recall with several relations at once, on cards in a circle.

The partner in every relation is known for every card, and so is the correct attention map of every relation.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.data.associative_recall import CARDS, associative_recall

STEPS = {"left": -1, "right": 1, "opposite": CARDS // 2}  # around the circle
ALL_RELATIONS = ("match", *STEPS)


class MultiRecall(NamedTuple):
    """A batch of circles of cards: symbols and values, and for each relation the partners and their values."""

    symbols: Int[Tensor, "batch card"]
    values: Int[Tensor, "batch card"]
    partners: Int[Tensor, "batch relation card"]
    answers: Int[Tensor, "batch relation card"]


def multi_recall(relations: Sequence[str], n_rows: int, generator: torch.Generator | None = None) -> MultiRecall:
    r"""Draw circles of eight cards, with the partner of each card in each relation.

    "match": the other card with the same symbol; "left", "right": the neighbour in the circle, so that the first card's
    left neighbour is the last card; "opposite": the card across the circle. Values are independent of these.

    Raises: ValueError for another relation, or for none.
    """
    if not relations or not set(relations) <= set(ALL_RELATIONS):
        raise ValueError(f"relations must be some of {', '.join(ALL_RELATIONS)}, got {list(relations)}")
    match, positions = associative_recall("match", n_rows, generator), torch.arange(CARDS)
    partners = [
        match.partner if relation == "match" else ((positions + STEPS[relation]) % CARDS).expand(n_rows, -1)
        for relation in relations
    ]
    partners = torch.stack(partners, dim=1)
    values = match.values[:, None].expand(-1, len(relations), -1)
    return MultiRecall(match.symbols, match.values, partners, values.gather(2, partners))


def multi_recall_batches(relations: Sequence[str], seed: int, size: int = 64) -> Iterator[MultiRecall]:
    """Yield batches without end, the same for the same seed. Raises: ValueError as `multi_recall` does."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield multi_recall(relations, size, generator)
