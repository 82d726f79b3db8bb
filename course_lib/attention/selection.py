"""Which keys contribute: all of them (soft), one (hard), or those near a position in the source (local)."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, Score, attention, masked_softmax
from course_lib.attention.masks import Device
from course_lib.attention.scores import scaled_dot

Queries = Float[Tensor, "*batch query d_q"]
Keys = Float[Tensor, "*batch key d_k"]
Values = Float[Tensor, "*batch key d_v"]

soft = attention  # all keys, weighted: the kernel itself (Xu et al. 2015, §4.2)


class HardAttentionOutput(NamedTuple):
    """`AttentionOutput` with one-hot weights, and the log-probability of the selected keys."""

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"]
    scores: Float[Tensor, "*batch query key"]
    log_probability: Float[Tensor, "*batch query"]


class LocalAttentionOutput(NamedTuple):
    """`AttentionOutput`, and the center of each query's window."""

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"]
    scores: Float[Tensor, "*batch query key"]
    center: Float[Tensor, "*#batch query"]


# ── One key ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def hard(
    q: Queries, k: Keys, v: Values, mask: Tensor | None = None, score: Score = scaled_dot, sample: bool = True
) -> HardAttentionOutput:
    r"""Select one key for each query: sampled from the weights of soft attention, or their argmax.

    $$ w_{i\cdot} = \mathrm{softmax}_j(\mathrm{score}(q_i, k_j)) \qquad j_i \sim \mathrm{Categorical}(w_{i\cdot}) \qquad
       \mathrm{context}_i = v_{j_i} $$

    Sample in training, take the argmax (`sample=False`) at test time. The choice has no gradient: the context has none
    with respect to q and k. `log_probability` = log w_{i j_i} has one, which REINFORCE multiplies by a reward.
    A query that may attend to nothing gets zeros, and log-probability 0.

    Shapes: those of `attention`; weights are one-hot.
    Raises: ValueError as `attention` does.
    Source: Xu et al. 2015, §4.1, eq. 8–9.
    """
    scores = score(q, k)
    weights = masked_softmax(scores, mask)
    chosen, one_hot, any_key = _choose(weights.detach(), sample)
    probability = torch.where(any_key, weights.gather(-1, chosen), 1.0)
    return HardAttentionOutput(one_hot @ v, one_hot, scores, probability.log().squeeze(-1))


def straight_through(
    q: Queries, k: Keys, v: Values, mask: Tensor | None = None, score: Score = scaled_dot, sample: bool = False
) -> AttentionOutput:
    r"""Hard attention forwards, soft attention backwards: the selected value, with the gradient of the soft weights.

    $$ \mathrm{onehot}(j_i) + w_{i\cdot} - \mathrm{stop}(w_{i\cdot}) $$

    Shapes: those of `attention`; weights are one-hot in their values, and have the gradient of the soft ones.
    Raises: ValueError as `attention` does.
    Source: Bengio et al. 2013, §4 (straight-through estimator).
    Differs: takes the argmax, and samples only with `sample=True`.
    """
    scores = score(q, k)
    soft_weights = masked_softmax(scores, mask)
    _, one_hot, _ = _choose(soft_weights.detach(), sample)
    weights = one_hot + soft_weights - soft_weights.detach()
    return AttentionOutput(weights @ v, weights, scores)


def _choose(weights: Tensor, sample: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The chosen key of each query as index and as one-hot vector (zeros without a key), and whether it has a key."""
    any_key = weights.sum(dim=-1, keepdim=True) > 0
    if sample:
        probabilities = torch.where(any_key, weights, 1.0).flatten(0, -2)
        chosen = torch.multinomial(probabilities, 1).view(*weights.shape[:-1], 1)
    else:
        chosen = weights.argmax(dim=-1, keepdim=True)
    return chosen, torch.zeros_like(weights).scatter(-1, chosen, 1.0) * any_key, any_key


def reinforce(
    log_probability: Float[Tensor, "*batch"],
    reward: Float[Tensor, "*#batch"],
    baseline: Float[Tensor, "*#batch"] | float = 0.0,
) -> Float[Tensor, ""]:
    r"""A loss whose gradient is an unbiased estimate of minus the gradient of the expected reward.

    $$ L = -\frac{1}{N} \sum (r - b) \log p(j) \qquad \nabla L = -\frac{1}{N} \sum (r - b)\, \nabla \log p(j) $$

    A baseline b that does not depend on the choice keeps the estimate unbiased and changes its variance: 0, the mean of
    earlier rewards (`moving_mean`), or the reward of the argmax (self-critical). Neither reward nor baseline gets a
    gradient.

    Shapes: log-probability, reward and baseline broadcast to each other → a scalar.
    Source: Williams 1992 (REINFORCE); Xu et al. 2015, eq. 11–12; Rennie et al. 2017 (self-critical).
    """
    advantage = reward - baseline
    advantage = advantage.detach() if isinstance(advantage, Tensor) else advantage
    return -(advantage * log_probability).mean()


def moving_mean(before: float, reward: Float[Tensor, "*batch"], keep: float = 0.9) -> float:
    r"""The moving average of the rewards after one more batch.

    $$ b_t = 0.9\, b_{t-1} + 0.1\, \bar r_t $$

    Source: Xu et al. 2015, §4.1 (moving average).
    """
    return keep * before + (1 - keep) * float(reward.mean())


# ── Some keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gaussian(center: Float[Tensor, "*batch query"], n_key: int, radius: int) -> Float[Tensor, "*batch query key"]:
    r"""A Gaussian of each key's distance from the center: one at the center, e⁻² at the window's edge.

    $$ g_{ij} = \exp\left(-\frac{(j - p_i)^2}{2 \sigma^2}\right) \qquad \sigma = D / 2 $$

    Positions are counted from 0. Shapes: center `… query` → `… query key`.
    Raises: ValueError if the radius D is not positive.
    Source: Luong et al. 2015, eq. 10.
    """
    if radius <= 0:
        raise ValueError(f"radius must be positive: expected radius ≥ 1, got {radius}")
    return torch.exp(-(_offsets(center, n_key) ** 2) / (2 * (radius / 2) ** 2))


def local(
    q: Queries,
    k: Keys,
    v: Values,
    center: Float[Tensor, "*#batch query"],
    radius: int,
    mask: Tensor | None = None,
    score: Score = scaled_dot,
    gaussian_weights: bool = True,
) -> LocalAttentionOutput:
    r"""Attend to the keys within `radius` of each query's center, with weights that fall with the distance.

    $$ w_{ij} = \mathrm{softmax}_{j \in [p_i - D,\, p_i + D]}(\mathrm{score}(q_i, k_j))\;
       \exp\left(-\frac{(j - p_i)^2}{2\sigma^2}\right) $$

    local-m: the center is the query's own position (`monotonic`), without the Gaussian. local-p: a network predicts the
    center (`Predictive`), and learns through the Gaussian. With it a row sums to less than one.

    Shapes: those of `attention`, center `… query`. The scores are those of all keys, inside the window or not.
    Raises: ValueError if the radius is not positive, and as `attention` does.
    Source: Luong et al. 2015, §3.2, eq. 7 and 10.
    """
    factors = gaussian(center, k.shape[-2], radius)
    inside = _offsets(center.detach(), k.shape[-2]).abs() <= radius
    scores = score(q, k)
    weights = masked_softmax(scores, inside if mask is None else inside & mask)
    weights = weights * factors if gaussian_weights else weights
    return LocalAttentionOutput(weights @ v, weights, scores, center)


def _offsets(center: Float[Tensor, "*batch query"], n_key: int) -> Float[Tensor, "*batch query key"]:
    return torch.arange(n_key, dtype=center.dtype, device=center.device) - center.unsqueeze(-1)


def monotonic(n_query: int, device: Device = None, dtype: torch.dtype | None = None) -> Float[Tensor, " query"]:
    """The centers of local-m: target position t attends around source position t. Source: Luong et al. 2015, §3.2."""
    return torch.arange(n_query, device=device, dtype=dtype or torch.get_default_dtype())


class Predictive(nn.Module):
    r"""The centers of local-p: a source position predicted from each query.

    $$ p_t = (S - 1)\; \mathrm{sigmoid}(v_p^\top \tanh(W_p h_t)) $$

    Shapes: queries `… query d_q`, lengths S `…` → center `… query`, between 0 and S − 1.
    Source: Luong et al. 2015, eq. 9.
    Differs: S − 1 in place of S, since positions are counted from 0: the last word is S − 1.
    """

    def __init__(self, d_q: int, d_hidden: int):
        super().__init__()
        self.w_p = nn.Linear(d_q, d_hidden, bias=False)
        self.v_p = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, q: Queries, lengths: Tensor) -> Float[Tensor, "*batch query"]:
        """The center of each query, in sequences of these lengths."""
        share = torch.sigmoid(self.v_p(torch.tanh(self.w_p(q)))).squeeze(-1)
        return (lengths.unsqueeze(-1) - 1) * share
