"""Copying and reversing strings: the gold alignment of each letter is known."""

import random

from course_lib.data.pairs import Pair

LETTERS = "ABCDEFGHIJKL"
ORDERS = ("copy", "reversal")


def strings(order: str, n: int, lengths: tuple[int, int] = (6, 12), seed: int = 0) -> list[Pair]:
    """Draw n strings of independent letters; the target is the same string ("copy") or its reversal ("reversal").

    Raises: ValueError for another order.
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
    rng = random.Random(seed)
    sources = [tuple(rng.choices(LETTERS, k=rng.randint(*lengths))) for _ in range(n)]
    return [_pair(source, order) for source in sources]


def _pair(source: tuple[str, ...], order: str) -> Pair:
    positions = range(len(source)) if order == "copy" else range(len(source))[::-1]
    return Pair(source, tuple(source[j] for j in positions), frozenset(enumerate(positions)))
