"""The mathematics of SoftLookupView, as in soft_lookup.js, and its checked arguments."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from course_lib.show.arrays import ArrayLike, as_array

Parameters = dict[str, dict[str, list]]

SCORES = ("dot", "scaled_dot", "cosine", "bilinear", "concat", "additive", "location")
HIDDEN = 8  # units of an untrained network
SMALLEST = 1e-12  # the smallest norm in a cosine
TIE = 1e-9  # scores that differ by less than this, relative to the largest, are equal


def scores(
    name: str, q: Float[np.ndarray, "2"], k: Float[np.ndarray, "key 2"], parameters: Mapping[str, list]
) -> Float[np.ndarray, "key"]:
    """The scores of one query and all keys, as in course_lib/attention/scores.py."""
    p = {tensor: np.array(numbers) for tensor, numbers in parameters.items()}
    match name:
        case "dot":
            return k @ q
        case "scaled_dot":
            return k @ q / np.sqrt(q.size)
        case "cosine":
            return k @ q / (np.maximum(np.linalg.norm(k, axis=1), SMALLEST) * max(np.linalg.norm(q), SMALLEST))
        case "bilinear":
            return k @ (q @ p["w"])
        case "concat":
            return np.tanh(np.hstack([np.tile(q, (len(k), 1)), k]) @ p["w"].T) @ p["v"]
        case "additive":
            return np.tanh(p["w_q"] @ q + k @ p["w_k"].T) @ p["v"]
        case _:
            return (p["w"] @ q)[: len(k)]


def weights(scores: Float[np.ndarray, "key"], temperature: float) -> Float[np.ndarray, "key"]:
    """softmax(scores / temperature), also in the limits 0 (argmax, ties share) and ∞ (uniform).

    A score of −∞ is masked; if all are, the weights are zeros.
    """
    masked = np.isneginf(scores)
    if masked.all():
        return np.zeros_like(scores)
    below = np.where(masked, 0, scores - scores.max())
    if temperature == 0:
        powers = (below >= -TIE * max(1.0, abs(float(scores.max())))).astype(float)
    else:
        powers = np.exp(below / temperature)
    powers[masked] = 0
    return powers / powers.sum()


def shapes(n_keys: int, hidden: int) -> dict[str, dict[str, tuple[int, ...]]]:
    """The shapes of the parameters of each score that has some."""
    return {
        "bilinear": {"w": (2, 2)},
        "concat": {"w": (hidden, 4), "v": (hidden,)},
        "additive": {"w_q": (hidden, 2), "w_k": (hidden, 2), "v": (hidden,)},
        "location": {"w": (n_keys, 2)},
    }


def untrained(n_keys: int) -> Parameters:
    """Random parameters: uniform within ±1/√(last size), from seed 0, rounded to three decimals."""
    draw = np.random.default_rng(0).uniform
    return {
        score: {name: (draw(-1, 1, shape) / np.sqrt(shape[-1])).round(3).tolist() for name, shape in tensors.items()}
        for score, tensors in shapes(n_keys, HIDDEN).items()
    }


def checked_parameters(given: Mapping[str, Mapping[str, ArrayLike]], n_keys: int) -> Parameters:
    """The given parameters as lists; names may end in ".weight", and location may have more rows than keys.

    Raises ValueError if a score has no such parameters, or if one has another shape.
    """
    if unknown := set(given) - set(shapes(n_keys, HIDDEN)):
        raise ValueError(f"parameters: expected some of {list(shapes(n_keys, HIDDEN))}, got {sorted(unknown)}.")
    checked = {}
    for score, tensors in given.items():
        arrays = {name.removesuffix(".weight"): as_array(tensor) for name, tensor in tensors.items()}
        expected = shapes(n_keys, arrays["v"].size if "v" in arrays else HIDDEN)[score]
        if arrays.keys() != expected.keys():
            raise ValueError(f"parameters of {score}: expected {list(expected)}, got {list(arrays)}.")
        for name, shape in expected.items():
            used = arrays[name][:n_keys] if score == "location" else arrays[name]
            if used.shape != shape or not np.isfinite(used).all():
                got = arrays[name].shape if used.shape != shape else "NaN or infinity"
                raise ValueError(f"parameters of {score}, {name}: expected finite numbers of shape {shape}, got {got}.")
            checked.setdefault(score, {})[name] = used.tolist()
    return checked


def checked_rows(
    name: str, numbers: ArrayLike, names: Sequence[str], width: int | None
) -> Float[np.ndarray, "key number"]:
    """An array with one row of finite numbers for each name."""
    rows = as_array(numbers)
    if not (rows.ndim == 2 and len(rows) == len(names) > 0 and rows.shape[1] == (width or max(1, rows.shape[1]))):
        raise ValueError(
            f"{name}: expected shape ({len(names) or 'at least 1'}, {width or 'numbers'}), one row for each name, "
            f"got {rows.shape}."
        )
    for row, numbers_of_row in zip(names, rows, strict=True):
        if not np.isfinite(numbers_of_row).all():
            raise ValueError(f"{name}: expected finite numbers, got {numbers_of_row} for {row!r}.")
    return rows


def value_traits(values: ArrayLike | None, names: Sequence[str]) -> dict[str, bytes | int]:
    """The traits `values` and `width`."""
    if values is None:
        return {"values": b"", "width": 0}
    rows = checked_rows("values", values, names, None)
    return {"values": rows.astype("<f4").tobytes(), "width": rows.shape[1]}


def checked_scores(result: object, names: Sequence[str]) -> Float[np.ndarray, "key"]:
    """The scores that a reader's function returned, one for each key; −∞ masks a key.

    Raises ValueError if the shape is another one, or if a score is NaN or ∞.
    """
    n_keys = len(names)
    scores = np.empty(0) if result is None else as_array(result)
    if scores.shape not in ((n_keys,), (1, n_keys)):
        got = "nothing: is a return missing?" if result is None else f"shape {scores.shape}."
        raise ValueError(f"your score: expected shape (1, {n_keys}) or ({n_keys},), a number for each key, got {got}")
    scores = scores.reshape(n_keys)
    wrong = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
    if wrong.size:
        raise ValueError(f"your score: expected numbers, got {scores[wrong[0]]} for “{names[wrong[0]]}”.")
    return scores
