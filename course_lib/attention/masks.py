"""WHO MAY LOOK: boolean masks, True = may attend, each broadcastable to `… query key`."""

from functools import reduce

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def causal(n_query: int, n_key: int | None = None) -> Bool[Tensor, "query key"]:
    r"""Let each query see the keys up to its own position.

    $$ m_{ij} = [\, j \le i + (n_k - n_q)\, ] $$

    With fewer queries than keys the queries are the *last* positions, as in step-by-step decoding.

    Raises: ValueError if there are more queries than keys.
    Source: Vaswani et al. 2017, §3.2.3.
    """
    n_key = n_query if n_key is None else n_key
    if n_query > n_key:
        raise ValueError(f"each causal query is also a key: expected at most {n_key} queries, got {n_query}")
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(n_key - n_query)


def padding(lengths: Int[Tensor, " batch"], n_key: int) -> Bool[Tensor, "batch 1 key"]:
    r"""Let every query see the first `lengths[b]` keys of its sentence; the rest is padding.

    $$ m_{b \cdot j} = [\, j < \mathrm{length}_b\, ] $$

    Raises: ValueError if a length is negative or exceeds the number of keys.
    """
    if ((lengths < 0) | (lengths > n_key)).any():
        raise ValueError(f"a length counts real keys: expected 0 to {n_key}, got {lengths.tolist()}")
    return (torch.arange(n_key, device=lengths.device) < lengths[:, None])[:, None, :]


def window(n_query: int, n_key: int, before: int, after: int = 0) -> Bool[Tensor, "query key"]:
    r"""Let each query see `before` keys to its left, the key at its own position, and `after` to its right.

    $$ m_{ij} = [\, i - \mathrm{before} \le j \le i + \mathrm{after}\, ] $$

    Raises: ValueError if `before` or `after` is negative.
    Source: Luong et al. 2015, §3.2 (local-m); Beltagy et al. 2020, §3.1 (sliding window).
    """
    if before < 0 or after < 0:
        raise ValueError(f"a window reaches zero or more keys: expected before, after ≥ 0, got {before}, {after}")
    offset = torch.arange(n_key) - torch.arange(n_query)[:, None]
    return (-before <= offset) & (offset <= after)


def and_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Allow what every mask allows; a sliding causal window is `and_masks(causal(n), window(n, n, before))`."""
    return reduce(torch.logical_and, masks)


def or_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Allow what at least one mask allows."""
    return reduce(torch.logical_or, masks)
