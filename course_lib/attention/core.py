"""The kernel: similarity → normalisation → weighted sum."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.attention.scores import scaled_dot

Score = Callable[[Tensor, Tensor], Tensor]


class AttentionOutput(NamedTuple):
    """What attention returns: the blended values, and the weights they were blended with."""

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"] | None


def masked_softmax(
    scores: Float[Tensor, "*batch query key"], mask: Tensor | None = None
) -> Float[Tensor, "*batch query key"]:
    r"""Turn each query's scores into weights that sum to one over the keys it may attend to.

    $$ w_{ij} = \frac{m_{ij}\, e^{s_{ij}}}{\sum_{j'} m_{ij'}\, e^{s_{ij'}}} $$

    A query that may attend to nothing gets zeros, with finite gradients, where the formula says 0/0.

    Shapes: scores `… query key`; mask boolean, True = may attend, broadcast to the scores.
    Raises: ValueError if the mask is not boolean or does not broadcast to the scores.
    Source: Vaswani et al. 2017, §3.2.3 (scores → −∞ before the softmax).
    Differs: fills with the smallest finite number and clears afterwards, because −∞ − (−∞) is not a number.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    _check_mask(mask, scores)
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
    r"""Blend the values, each weighted by how well its key answers the query.

    $$ \mathrm{Attention}(q, k, v)_i = \sum_j w_{ij}\, v_j
       \qquad w_{i\cdot} = \mathrm{softmax}_j(\mathrm{score}(q_i, k_j)) $$

    Shapes: q `… query d_q`, k `… key d_k`, v `… key d_v`; mask and bias broadcast to `… query key`.
    Raises: ValueError if keys and values differ in number, if the score rejects the feature sizes, or for a wrong mask.
    Source: Bahdanau et al. 2015, eq. 5–6 (any score); Vaswani et al. 2017, eq. 1 (scaled dot product, the default).
    """
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"each key needs one value: expected {k.shape[-2]} values, got {v.shape[-2]}")
    scores = score(q, k)
    if bias is not None:
        scores = scores + bias
    weights = masked_softmax(scores, mask)
    return AttentionOutput(weights @ v, weights)


def _check_mask(mask: Tensor, scores: Tensor) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(f"a mask is boolean, True = may attend: expected dtype torch.bool, got {mask.dtype}")
    try:
        fits = torch.broadcast_shapes(mask.shape, scores.shape) == scores.shape
    except RuntimeError:
        fits = False
    if not fits:
        expected, got = tuple(scores.shape), tuple(mask.shape)
        raise ValueError(f"the mask must broadcast to the scores: expected {expected}, got {got}")
