"""Shelves for one look: each book has a coloured spine, by which it is asked for, and a digit, which is to be told."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

BOOKS, DIGITS = 8, 10


class Shelves(NamedTuple):
    """Some shelves: the colours of their spines, the digits inside, the colour asked for, and the digit behind it."""

    spines: Int[Tensor, "batch book"]
    digits: Int[Tensor, "batch book"]
    asked: Int[Tensor, "batch 1"]
    answer: Int[Tensor, " batch"]


def shelves(n_shelves: int, n_books: int = BOOKS, generator: torch.Generator | None = None) -> Shelves:
    """Draw shelves of books in as many colours, each colour once; digits are independent of all that."""
    spines = torch.rand(n_shelves, n_books, generator=generator).argsort(dim=1)
    digits = torch.randint(DIGITS, (n_shelves, n_books), generator=generator)
    place = torch.randint(n_books, (n_shelves, 1), generator=generator)
    return Shelves(spines, digits, spines.gather(1, place), digits.gather(1, place).squeeze(1))


def shelf_batches(seed: int, n_books: int = BOOKS, size: int = 64) -> Iterator[Shelves]:
    """Shelves without end, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield shelves(size, n_books, generator)
