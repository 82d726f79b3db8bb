"""Text alternatives of figures, for screen readers and for places that show no pictures."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from course_lib.show.arrays import short

MOST_LINES = 12


def shortened(lines: list[str]) -> list[str]:
    """At most MOST_LINES lines; the last one then gives their number."""
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"… ({len(lines)} in all)"]


def describe_maps(
    maps: Mapping[str, Float[np.ndarray, "query key"]],
    queries: Sequence[str],
    keys: Sequence[str],
    gold: Bool[np.ndarray, "query key"] | None,
    words: Mapping[str, str],
) -> str:
    """Each query with the key of the largest weight, and with its gold keys if they are known."""
    size = f"{len(queries)} {words['queries']} × {len(keys)} {words['keys']}"
    parts = []
    for name, values in maps.items():
        lines = [f"{query} → {largest(keys, row)}" for query, row in zip(queries, values, strict=True)]
        parts += [f"{words['heat map']}{f' “{name}”' if name else ''}, {size}:", *shortened(lines)]
    if gold is not None:
        linked = [", ".join(keys[j] for j in np.flatnonzero(row)) for row in gold]
        lines = [f"{query} → {linked_keys}" for query, linked_keys in zip(queries, linked, strict=True)]
        parts += [f"{words['gold']}:", *shortened(lines)]
    return "\n".join(parts)


def largest(keys: Sequence[str], row: Float[np.ndarray, "key"]) -> str:
    """The key with the largest weight, and the weight; NaN or infinity if there is one; "–" if all weights are 0."""
    wrong = row[np.isnan(row) | (row == np.inf)]
    if wrong.size:
        return short(float(wrong[0]))
    return f"{keys[int(row.argmax())]} {short(float(row.max()))}" if row.max(initial=0.0) > 0 else "–"


def describe_rows(title: str, rows: Mapping[str, Float[np.ndarray, "number"]]) -> str:
    """A title and, line by line, a name with its numbers."""
    lines = [f"{name}: {' '.join(short(float(number)) for number in numbers[:16])}" for name, numbers in rows.items()]
    return "\n".join([f"{title}:", *shortened(lines)])
