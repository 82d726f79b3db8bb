"""Compare answers: equality up to rounding, the first difference, and the type in words."""

import sys
from fractions import Fraction
from typing import Any

import numpy as np

ROUNDING = {"float16": 1e-2, "bfloat16": 3e-2}  # of other floating-point types: USUAL
USUAL = 1e-4


def is_tensor(value: Any) -> bool:
    """Whether this is a PyTorch tensor; chapter 0 does not import PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def array(value: Any) -> np.ndarray | None:
    """Numbers as an array of doubles; None if the value is not numeric.

    Takes tensors, arrays, numbers, fractions, and lists of these if their shapes agree; booleans become 0 and 1.
    """
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.tolist()
    if is_tensor(value):
        value = value.detach().cpu().double().numpy()
    elif isinstance(value, list | tuple):
        parts = [array(part) for part in value]
        if any(part is None or part.shape != parts[0].shape for part in parts):
            return None
        value = np.stack(parts) if parts else np.zeros(0)
    try:
        numbers = np.asarray(float(value) if isinstance(value, Fraction) else value)
    except ValueError:
        return None
    return numbers.astype(np.float64) if numbers.dtype.kind in "buif" else None


def rounding(value: Any) -> float:
    """How far a result of this type may be from the exact one, absolutely and relatively."""
    if isinstance(value, list | tuple):
        return max((rounding(part) for part in value), default=USUAL)
    return ROUNDING.get(str(getattr(value, "dtype", "")).removeprefix("torch."), USUAL)


def same(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Equal up to rounding, whatever the types of the numbers; texts, and what is not numbers, must be equal."""
    if one is other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return False
        return all(same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    numbers, others = array(one), array(other)
    if numbers is None or others is None:
        return numbers is others and type(one) is type(other) and bool(one == other)
    if numbers.shape != others.shape:
        return False
    if np.array_equal(numbers, others):  # faster than allclose
        return True
    allowed = max(tolerance, rounding(one), rounding(other))
    return np.allclose(numbers, others, rtol=allowed, atol=allowed, equal_nan=True)


def first_difference(got: np.ndarray, expected: np.ndarray, allowed: float = USUAL) -> tuple[int, ...] | None:
    """The first place, in reading order, where two arrays of the same shape differ; None if they do not."""
    places = np.argwhere(~np.isclose(got, expected, rtol=allowed, atol=allowed, equal_nan=True))
    return tuple(int(index) for index in places[0]) if len(places) else None


def shape(value: Any) -> str:
    """What this is, in words: `a tensor (2, 3)`, `a list of 3`, `the text 'queen'`, `nothing (None)`."""
    if value is None:
        return "nothing (None)"
    if is_tensor(value) or isinstance(value, np.ndarray):
        kind = "a tensor" if is_tensor(value) else "an array"
        return f"{kind} {tuple(value.shape)}" if value.ndim else f"the number {value.item():.5g}"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, bool | int | float):
        return f"the number {value:.5g}" if isinstance(value, float) else f"the number {value}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}" if not callable(value) else "a function"


def unchanged(before: Any, after: Any) -> bool:
    """Whether numbers, lists and texts are what they were; other things (functions, modules) are not looked at."""
    if array(before) is None and not isinstance(before, str | list | tuple):
        return True
    return same(before, after)
