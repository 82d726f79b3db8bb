"""HOW MANY KEYS: all of them (soft), one (hard), or those near a place in the source (local)."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, Score, attention, masked_softmax
from course_lib.attention.scores import scaled_dot

Queries = Float[Tensor, "*batch query d_q"]
Keys = Float[Tensor, "*batch key d_k"]
Values = Float[Tensor, "*batch key d_v"]

soft = attention  # every key, each with its weight: the kernel itself (Xu et al. 2015, §4.2)


class HardAttentionOutput(NamedTuple):
    """What hard attention returns: the value picked, a one where it lay, and how likely that choice was."""

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"]
    log_probability: Float[Tensor, "*batch query"]


class Local(NamedTuple):
    """What local attention returns: context and weights, and the place in the source that each query looked at."""

    context: Float[Tensor, "*batch query d_v"]
    weights: Float[Tensor, "*batch query key"]
    center: Float[Tensor, "*#batch query"]


# ── One key ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def hard(
    q: Queries, k: Keys, v: Values, mask: Tensor | None = None, score: Score = scaled_dot, sample: bool = True
) -> HardAttentionOutput:
    r"""Pick one key for each query: at random with the probabilities of soft attention, or the likeliest.

    $$ w_{i\cdot} = \mathrm{softmax}_j(\mathrm{score}(q_i, k_j)) \qquad j_i \sim \mathrm{Categorical}(w_{i\cdot}) \qquad
       \mathrm{context}_i = v_{j_i} $$

    Sample while training, take the likeliest (`sample=False`) afterwards. No gradient passes the choice: the context
    has none with respect to q and k. `log_probability` = log w_{i j_i} has one, which REINFORCE multiplies by a reward.
    A query that may attend to nothing gets zeros, and log-probability 0.

    Shapes: as the kernel's; weights are one-hot.
    Raises: ValueError as the kernel does.
    Source: Xu et al. 2015, §4.1, eq. 8–9.
    """
    weights = masked_softmax(score(q, k), mask)
    any_key = weights.detach().sum(dim=-1, keepdim=True) > 0
    if sample:
        chances = torch.where(any_key, weights.detach(), 1.0).flatten(0, -2)
        chosen = torch.multinomial(chances, 1).view(*weights.shape[:-1], 1)
    else:
        chosen = weights.argmax(dim=-1, keepdim=True)
    picked = torch.zeros_like(weights).scatter(-1, chosen, 1.0) * any_key
    likely = torch.where(any_key, weights.gather(-1, chosen), 1.0)
    return HardAttentionOutput(picked @ v, picked, likely.log().squeeze(-1))


def straight_through(
    q: Queries, k: Keys, v: Values, mask: Tensor | None = None, score: Score = scaled_dot, sample: bool = False
) -> AttentionOutput:
    r"""Hard forwards, soft backwards: the picked value comes out, and the gradient is that of soft attention.

    $$ \mathrm{onehot}(j_i) + w_{i\cdot} - \mathrm{stop}(w_{i\cdot}) $$

    Shapes: as the kernel's; weights are one-hot in their values, and have the gradient of the soft ones.
    Raises: ValueError as the kernel does.
    Source: Bengio et al. 2013, §4 (straight-through estimator).
    Differs: the key is the likeliest one, and only with `sample` drawn at random.
    """
    scores = score(q, k)
    picked = hard(q, k, v, mask, lambda *_: scores, sample).weights
    weights = masked_softmax(scores, mask)
    weights = picked + weights - weights.detach()
    return AttentionOutput(weights @ v, weights)


def reinforce(
    log_probability: Float[Tensor, "*batch"],
    reward: Float[Tensor, "*#batch"],
    baseline: Float[Tensor, "*#batch"] | float = 0.0,
) -> Float[Tensor, ""]:
    r"""A loss whose gradient is, on average, that of the expected reward with its sign changed.

    $$ L = -\frac{1}{N} \sum (r - b) \log p(j) \qquad \nabla L = -\frac{1}{N} \sum (r - b)\, \nabla \log p(j) $$

    Any baseline b that does not depend on the choice leaves the average of the gradient as it is, and changes how far
    single ones scatter: 0, the mean of earlier rewards (`moving_mean`), or the reward of the likeliest choice
    (self-critical). Reward and baseline are numbers: no gradient passes them.

    Shapes: log-probability, reward and baseline broadcast to each other → a number.
    Source: Williams 1992, §2, eq. 4; Xu et al. 2015, eq. 11–12; Rennie et al. 2017 (self-critical).
    """
    advantage = reward - baseline
    advantage = advantage.detach() if isinstance(advantage, Tensor) else advantage
    return -(advantage * log_probability).mean()


def moving_mean(before: float, reward: Float[Tensor, "*batch"], keep: float = 0.9) -> float:
    r"""The baseline after one more batch of rewards.

    $$ b_t = 0.9\, b_{t-1} + 0.1\, \bar r_t $$

    Source: Xu et al. 2015, §4.1 (moving average).
    """
    return keep * before + (1 - keep) * float(reward.mean())


# ── Some keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gaussian(center: Float[Tensor, "*batch query"], n_key: int, reach: int) -> Float[Tensor, "*batch query key"]:
    r"""How much of each key is left at its distance from the center: all at the center, e⁻² at the window's edge.

    $$ g_{ij} = \exp\left(-\frac{(j - p_i)^2}{2 \sigma^2}\right) \qquad \sigma = D / 2 $$

    Places are counted from 0. Shapes: center `… query` → `… query key`.
    Raises: ValueError if the reach D is not positive.
    Source: Luong et al. 2015, eq. 10.
    """
    if reach <= 0:
        raise ValueError(f"a window reaches at least one key to each side: expected reach ≥ 1, got {reach}")
    distance = torch.arange(n_key, dtype=center.dtype, device=center.device) - center.unsqueeze(-1)
    return torch.exp(-(distance**2) / (2 * (reach / 2) ** 2))


def local(
    q: Queries,
    k: Keys,
    v: Values,
    center: Float[Tensor, "*#batch query"],
    reach: int,
    mask: Tensor | None = None,
    score: Score = scaled_dot,
    fade: bool = True,
) -> Local:
    r"""Attend to the keys within `reach` of each query's center; with `fade` the farther of them count less.

    $$ w_{ij} = \mathrm{softmax}_{j \in [p_i - D,\, p_i + D]}(\mathrm{score}(q_i, k_j))\;
       \exp\left(-\frac{(j - p_i)^2}{2\sigma^2}\right) $$

    local-m: the center is the query's own place (`monotonic`), no fade. local-p: a network says the center
    (`Predictive`), and the fade is what its gradient comes from. With fade a row sums to less than one.

    Shapes: as the kernel's, center `… query`.
    Raises: ValueError if the reach is not positive, and as the kernel does.
    Source: Luong et al. 2015, §3.2, eq. 7 and 10.
    """
    left = gaussian(center, k.shape[-2], reach)
    places = torch.arange(k.shape[-2], device=q.device)
    near = (places - center.detach().unsqueeze(-1)).abs() <= reach
    weights = masked_softmax(score(q, k), near if mask is None else near & mask)
    weights = weights * left if fade else weights
    return Local(weights @ v, weights, center)


def monotonic(n_query: int) -> Float[Tensor, " query"]:
    """The centers of local-m: word t of the target looks at word t of the source. Source: Luong et al. 2015, §3.2."""
    return torch.arange(n_query, dtype=torch.get_default_dtype())


class Predictive(nn.Module):
    r"""The centers of local-p: where in the source each query wants to look.

    $$ p_t = (S - 1)\; \mathrm{sigmoid}(v_p^\top \tanh(W_p h_t)) $$

    Shapes: queries `… query d_q`, lengths S `…` → center `… query`, between 0 and S − 1.
    Source: Luong et al. 2015, eq. 9.
    Differs: S − 1 in place of S, since places are counted from 0: the last word is S − 1.
    """

    def __init__(self, d_q: int, d_hidden: int):
        super().__init__()
        self.w_p = nn.Linear(d_q, d_hidden, bias=False)
        self.v_p = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, q: Queries, lengths: Tensor) -> Float[Tensor, "*batch query"]:
        """A place for each query, in sentences of these lengths."""
        share = torch.sigmoid(self.v_p(torch.tanh(self.w_p(q)))).squeeze(-1)
        return (lengths.unsqueeze(-1) - 1) * share
