"""How far apart two rows of weights are, and two heads: a measure for chapters that compare where heads look."""

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.measure import entropy


def jensen_shannon(
    p: Float[Tensor, "*batch query key"], r: Float[Tensor, "*batch query key_of_r"]
) -> Float[Tensor, "*batch query"]:
    r"""The Jensen–Shannon divergence of two rows of weights, in bits: 0 for equal ones, 1 where they share no key.

    $$ JS(p, r) = H\big(\tfrac{p + r}{2}\big) - \tfrac{1}{2}\big(H(p) + H(r)\big) $$

    Shapes: rows of weights over the same keys, each with sum one; a weight of zero is let be. One number for each row.
    Raises: ValueError if the shapes differ.
    Source: Lin 1991, eq. 4.1 (with equal shares).
    Differs: its square root is called Jensen–Shannon distance elsewhere, as in SciPy.
    """
    if p.shape != r.shape:
        raise ValueError(f"two weights for each query and key: expected {tuple(p.shape)} twice, got {tuple(r.shape)}")
    return entropy((p + r) / 2) - (entropy(p) + entropy(r)) / 2


def head_divergence(weights: Float[Tensor, "*batch head query key"]) -> Float[Tensor, "*batch pair"]:
    """How far apart two heads look: their divergence in bits, meaned over queries, for each pair of heads once.

    Shapes: the pairs are in the order (0, 1), (0, 2), …, (1, 2), …
    Raises: ValueError if there is only one head.
    """
    n = weights.shape[-3]
    if n < 2:
        raise ValueError(f"a pair takes two heads: expected at least 2, got {n}")
    one, other = torch.triu_indices(n, n, offset=1)
    return jensen_shannon(weights[..., one, :, :], weights[..., other, :, :]).mean(dim=-1)
