"""Arguments as NumPy arrays with checked shapes, and numbers as short strings."""

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

ArrayLike = Any  # a NumPy array, a torch tensor (also one that carries a gradient) or nested lists of numbers


def as_array(values: ArrayLike, dtype: type = float) -> Shaped[np.ndarray, "..."]:
    """A new array with the same numbers; tensors are detached and moved to the CPU."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.array(values, dtype=dtype)


def check_shape(name: str, got: tuple[int, ...], queries: Sequence[str], keys: Sequence[str]) -> None:
    """Raise ValueError if the last two axes are not (query, key)."""
    expected = (len(queries), len(keys))
    if 0 in expected:
        raise ValueError(f"{name}: expected at least one query and one key, got {len(queries)} and {len(keys)}.")
    if got[-2:] != expected:
        hint = " They look transposed: rows are queries, columns are keys." if got[-2:] == expected[::-1] else ""
        raise ValueError(
            f"{name}: expected shape (… {expected[0]}, {expected[1]}) for {expected[0]} queries and {expected[1]} "
            f"keys, got {tuple(got)}.{hint}"
        )


def check_count(name: str, got: Sized, expected: int) -> None:
    """Raise ValueError if there are not as many elements as expected."""
    if len(got) != expected:
        raise ValueError(f"{name}: expected {expected}, got {len(got)}.")


def as_map(name: str, values: ArrayLike, queries: Sequence[str], keys: Sequence[str]) -> Float[np.ndarray, "query key"]:
    """An array with a row for each query and a column for each key."""
    numbers = as_array(values)
    check_shape(name, numbers.shape, queries, keys)
    if numbers.ndim != 2:
        raise ValueError(f"{name}: expected two axes (query, key), got shape {numbers.shape}. Choose one, as in [0].")
    return numbers


def as_flags(
    name: str, values: ArrayLike | None, queries: Sequence[str], keys: Sequence[str]
) -> Bool[np.ndarray, "query key"] | None:
    """A boolean array with a row for each query and a column for each key, or None."""
    return None if values is None else as_map(name, values, queries, keys).astype(bool)


def short(number: float) -> str:
    """A number that fits into a cell: .07, .93, 1, −.5, 24.5, 512."""
    if not np.isfinite(number):
        return {np.inf: "inf", -np.inf: "−inf"}.get(number, "nan")
    digits = 2 if abs(number) < 10 else 1 if abs(number) < 100 else 0
    whole, _, fraction = f"{abs(number):.{digits}f}".partition(".")
    text = f"{whole.removeprefix('0')}.{fraction}" if fraction.strip("0") else whole
    return ("−" if number < 0 and text != "0" else "") + text
