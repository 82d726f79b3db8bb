"""Pictures in words: what a screen reader says, what a notebook shows where it cannot show pictures."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from course_lib.show.arrays import short

LONGEST = 12  # lines


def shortened(lines: list[str]) -> list[str]:
    """At most LONGEST lines; the last one then says how many there are."""
    return lines if len(lines) <= LONGEST else [*lines[: LONGEST - 1], f"… ({len(lines)} in all)"]


def describe_maps(
    maps: Mapping[str, Float[np.ndarray, "query key"]],
    queries: Sequence[str],
    keys: Sequence[str],
    gold: Bool[np.ndarray, "query key"] | None,
    words: Mapping[str, str],
) -> str:
    """Each query with the key that has the largest weight, and with its gold keys if they are known."""
    sizes = f"{len(queries)} {words['queries']} × {len(keys)} {words['keys']}"
    parts = []
    for name, values in maps.items():
        lines = [describe_row(query, keys, row) for query, row in zip(queries, values, strict=True)]
        parts.append("\n".join([f"{words['heat map']}{f' “{name}”' if name else ''}, {sizes}:", *shortened(lines)]))
    if gold is not None:
        pairs = [
            f"{query} → {', '.join(keys[j] for j in np.flatnonzero(row))}"
            for query, row in zip(queries, gold, strict=True)
        ]
        parts.append("\n".join([f"{words['gold']}:", *shortened(pairs)]))
    return "\n".join(parts)


def describe_row(query: str, keys: Sequence[str], row: Float[np.ndarray, "key"]) -> str:
    """One query, the key with the largest weight, and the weight; NaN and infinities are said as such."""
    wrong = row[np.isnan(row) | (row == np.inf)]
    if wrong.size:
        return f"{query} → {short(float(wrong[0]))}"
    if not row.size or row.max() <= 0:
        return f"{query} → –"
    return f"{query} → {keys[int(row.argmax())]} {short(float(row.max()))}"


def describe_rows(title: str, rows: Mapping[str, Float[np.ndarray, "number"]]) -> str:
    """A title and, line by line, a name with its numbers."""
    lines = [f"{name}: {' '.join(short(float(number)) for number in numbers[:16])}" for name, numbers in rows.items()]
    return "\n".join([f"{title}:", *shortened(lines)])
