"""Key–value lookup: each item has a key, by which it is found, and a value, which the model has to predict."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

ITEMS, VALUES = 8, 10  # kinds of keys, kinds of values


class Lookups(NamedTuple):
    """A batch of key–value stores, each with a query (one of its keys) and the answer (the value of that key)."""

    keys: Int[Tensor, "batch item"]
    values: Int[Tensor, "batch item"]
    query: Int[Tensor, "batch 1"]
    answer: Int[Tensor, " batch"]


def lookups(n: int, n_items: int = ITEMS, generator: torch.Generator | None = None) -> Lookups:
    """Draw n stores whose keys are the numbers below n_items in random order; values are independent of the keys."""
    keys = torch.rand(n, n_items, generator=generator).argsort(dim=1)
    values = torch.randint(VALUES, (n, n_items), generator=generator)
    position = torch.randint(n_items, (n, 1), generator=generator)
    return Lookups(keys, values, keys.gather(1, position), values.gather(1, position).squeeze(1))


def lookup_batches(seed: int, n_items: int = ITEMS, size: int = 64) -> Iterator[Lookups]:
    """Yield batches without end, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield lookups(size, n_items, generator)
