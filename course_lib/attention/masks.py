"""Boolean masks, True = may attend, each broadcastable to `… query key`."""

from functools import reduce

import torch
from jaxtyping import Bool, Int
from torch import Tensor

Device = torch.device | str | None


def causal(n_query: int, n_key: int | None = None, device: Device = None) -> Bool[Tensor, "query key"]:
    r"""Each query may attend to the keys up to its own position.

    $$ m_{ij} = [\, j \le i + (n_k - n_q)\, ] $$

    With fewer queries than keys the queries are the *last* positions, as in step-by-step decoding.

    Raises: ValueError if there are more queries than keys.
    Source: Vaswani et al. 2017, §3.2.3.
    """
    n_key = n_query if n_key is None else n_key
    if n_query > n_key:
        raise ValueError(f"n_query must not exceed n_key: expected at most {n_key} queries, got {n_query}")
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device).tril(n_key - n_query)


def padding(lengths: Int[Tensor, " batch"], n_key: int) -> Bool[Tensor, "batch 1 key"]:
    r"""Every query may attend to the first `lengths[b]` keys of its sequence; the rest is padding.

    $$ m_{b \cdot j} = [\, j < \mathrm{length}_b\, ] $$

    Raises: ValueError if a length is negative or exceeds the number of keys.
    """
    if ((lengths < 0) | (lengths > n_key)).any():
        raise ValueError(f"lengths must lie between 0 and n_key: expected 0 to {n_key}, got {lengths.tolist()}")
    return (torch.arange(n_key, device=lengths.device) < lengths[:, None])[:, None, :]


def window(n_query: int, n_key: int, before: int, after: int = 0, device: Device = None) -> Bool[Tensor, "query key"]:
    r"""Each query may attend to `before` keys to its left, the key at its own position, and `after` to its right.

    $$ m_{ij} = [\, i - \mathrm{before} \le j \le i + \mathrm{after}\, ] $$

    Raises: ValueError if `before` or `after` is negative.
    Source: Luong et al. 2015, §3.2 (local-m); Beltagy et al. 2020, §3.1 (sliding window).
    """
    if before < 0 or after < 0:
        raise ValueError(f"before and after count keys: expected before, after ≥ 0, got {before}, {after}")
    offset = torch.arange(n_key, device=device) - torch.arange(n_query, device=device)[:, None]
    return (-before <= offset) & (offset <= after)


def and_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Allow what every mask allows; a sliding causal window is `and_masks(causal(n), window(n, n, before))`."""
    return reduce(torch.logical_and, masks)


def or_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Allow what at least one mask allows."""
    return reduce(torch.logical_or, masks)
