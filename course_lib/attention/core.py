"""The kernel: similarity → normalisation → weighted sum."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.attention.scores import scaled_dot

Score = Callable[[Tensor, Tensor], Tensor]


class AttentionOutput(NamedTuple):
    """Context vectors, attention weights, and the scores: after the bias was added, before the mask was applied.

    `weights` and `scores` are None where an algorithm never forms them.
    """

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"] | None
    scores: Float[Tensor, "*batch query key"] | None


def masked_softmax(
    scores: Float[Tensor, "*batch query key"], mask: Tensor | None = None
) -> Float[Tensor, "*batch query key"]:
    r"""Normalise each query's scores to weights that sum to one over the keys it may attend to.

    $$ w_{ij} = \frac{m_{ij}\, e^{s_{ij}}}{\sum_{j'} m_{ij'}\, e^{s_{ij'}}} $$

    A query that may attend to nothing gets zeros, with finite gradients, where the formula says 0/0.

    Shapes: scores `… query key`; mask boolean, True = may attend, broadcast to the scores.
    Raises: ValueError if the mask is not boolean or does not broadcast to the scores.
    Source: Vaswani et al. 2017, §3.2.3 (scores → −∞ before the softmax).
    Differs: fills with the smallest finite number and clears afterwards, because −∞ − (−∞) is not a number.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be boolean, True = may attend: expected dtype torch.bool, got {mask.dtype}")
    _check_broadcast("mask", mask, scores)
    blocked = ~mask
    filled = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    return filled.softmax(dim=-1).masked_fill(blocked, 0.0)


def attention(
    q: Float[Tensor, "*#batch query d_q"],
    k: Float[Tensor, "*#batch key d_k"],
    v: Float[Tensor, "*#batch key_of_v d_v"],
    mask: Tensor | None = None,
    score: Score = scaled_dot,
    bias: Tensor | None = None,
) -> AttentionOutput:
    r"""Average the values, each weighted by how similar its key is to the query.

    $$ \mathrm{Attention}(q, k, v)_i = \sum_j w_{ij}\, v_j
       \qquad w_{i\cdot} = \mathrm{softmax}_j(\mathrm{score}(q_i, k_j) + b_{ij}) $$

    Shapes: q `… query d_q`, k `… key d_k`, v `… key d_v`; mask and bias broadcast to the scores, `… query key`.
    Raises: ValueError if keys and values differ in number, if the score rejects the feature sizes, if the mask is not
    boolean, or if mask or bias do not broadcast to the scores.
    Source: Bahdanau et al. 2015, eq. 5–6 (any score); Vaswani et al. 2017, eq. 1 (scaled dot product, the default).
    """
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"v must have one value for each key: expected {k.shape[-2]} values, got {v.shape[-2]}")
    scores = score(q, k)
    if bias is not None:
        _check_broadcast("bias", bias, scores)
        scores = scores + bias
    weights = masked_softmax(scores, mask)
    return AttentionOutput(weights @ v, weights, scores)


def _check_broadcast(name: str, tensor: Tensor, scores: Tensor) -> None:
    try:
        fits = torch.broadcast_shapes(tensor.shape, scores.shape) == scores.shape
    except RuntimeError:
        fits = False
    if not fits:
        expected, got = tuple(scores.shape), tuple(tensor.shape)
        raise ValueError(f"{name} must broadcast to the scores: expected {expected}, got {got}")
