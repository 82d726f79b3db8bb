"""Strings to be written again, in the same order or in reverse: where each letter has to look is known for certain."""

import random

from course_lib.data.pairs import Pair

LETTERS = "ABCDEFGHIJKL"
ORDERS = ("copy", "reversal")


def strings(order: str, n: int, lengths: tuple[int, int] = (6, 12), seed: int = 0) -> list[Pair]:
    """Draw n strings of independent letters; the target is the same string ("copy"), or runs backwards ("reversal").

    Raises: ValueError for another order.
    """
    if order not in ORDERS:
        raise ValueError(f"an order of strings: expected one of {', '.join(ORDERS)}, got {order}")
    rng = random.Random(seed)
    sources = [tuple(rng.choices(LETTERS, k=rng.randint(*lengths))) for _ in range(n)]
    return [rewritten(source, order) for source in sources]


def rewritten(source: tuple[str, ...], order: str) -> Pair:
    """A string and what becomes of it, each letter linked with the place that it comes from."""
    places = range(len(source)) if order == "copy" else range(len(source))[::-1]
    return Pair(source, tuple(source[j] for j in places), frozenset(enumerate(places)))
