"""Scores of a query and a key, all with the signature `score(q, k) → … query key`.

| score      | formula                | parameters | sizes        | source                          |
|------------|------------------------|------------|--------------|---------------------------------|
| dot        | qᵀ k                   | –          | d_q = d_k    | Luong et al. 2015, §3.1 ("dot") |
| scaled dot | qᵀ k / √d_k            | –          | d_q = d_k    | Vaswani et al. 2017, eq. 1      |
| cosine     | qᵀ k / (‖q‖ ‖k‖)       | –          | d_q = d_k    | Graves et al. 2014, eq. 6       |
| bilinear   | qᵀ W k                 | W          | any          | Luong et al. 2015 ("general")   |
| concat     | vᵀ tanh(W [q; k])      | W, v       | any          | Luong et al. 2015 ("concat")    |
| additive   | vᵀ tanh(W_q q + W_k k) | W_q, W_k, v| any          | Bahdanau et al. 2015, App. A.1.2|
| location   | (W q)_j                | W          | n ≤ a bound  | Luong et al. 2015, eq. 8        |

The functions are the ideas; the modules of the same name own the parameters. No score divides, masks or normalises
beyond its formula: the kernel does that.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

Queries = Float[Tensor, "*#batch query d_q"]
Keys = Float[Tensor, "*#batch key d_k"]
Scores = Float[Tensor, "*batch query key"]


def dot(q: Queries, k: Keys) -> Scores:
    r"""The dot product: large when query and key point the same way, and when they are long.

    $$ s_{ij} = q_i^\top k_j $$

    Shapes: q `… query d`, k `… key d` → `… query key`.
    Raises: ValueError if queries and keys differ in feature size.
    Source: Luong et al. 2015, §3.1, "dot".
    """
    _check_same_size(q, k)
    return q @ k.mT


def scaled_dot(q: Queries, k: Keys) -> Scores:
    r"""The dot product divided by √d_k, which keeps its variance near one at any size.

    $$ s_{ij} = \frac{q_i^\top k_j}{\sqrt{d_k}} $$

    Shapes: q `… query d`, k `… key d` → `… query key`.
    Raises: ValueError if queries and keys differ in feature size.
    Source: Vaswani et al. 2017, eq. 1.
    Differs: divides the queries, not the scores: the same number from n·d divisions in place of n².
    """
    return dot(q / math.sqrt(k.shape[-1]), k)


def cosine(q: Queries, k: Keys) -> Scores:
    r"""The cosine of the angle between query and key: direction only, between −1 and 1.

    $$ s_{ij} = \frac{q_i^\top k_j}{\lVert q_i \rVert\, \lVert k_j \rVert} $$

    Shapes: q `… query d`, k `… key d` → `… query key`. A vector of zeros has cosine 0 with everything.
    Raises: ValueError if queries and keys differ in feature size.
    Source: Graves et al. 2014, eq. 6.
    """
    return dot(nn.functional.normalize(q, dim=-1), nn.functional.normalize(k, dim=-1))


def bilinear(q: Queries, k: Keys, w: Float[Tensor, "d_q_of_w d_k_of_w"]) -> Scores:
    r"""The dot product after a learned linear map from queries to keys ("general").

    $$ s_{ij} = q_i^\top W k_j $$

    Shapes: q `… query d_q`, k `… key d_k`, w `d_q d_k` → `… query key`.
    Raises: ValueError if w does not lie between these sizes.
    Source: Luong et al. 2015, §3.1, "general".
    """
    _check_matrix(w, (q.shape[-1], k.shape[-1]))
    return q @ w @ k.mT


def additive(
    q: Float[Tensor, "*#batch query d_q"], k: Float[Tensor, "*#batch key d_k"], v: Float[Tensor, " d_v"]
) -> Scores:
    r"""A one-layer network on the sum of query and key, both projected before: q = W_q s, k = W_k h.

    $$ s_{ij} = v^\top \tanh(q_i + k_j) $$

    Shapes: q `… query d`, k `… key d`, v `d` → `… query key`.
    Raises: ValueError if the three sizes differ.
    Source: Bahdanau et al. 2015, Appendix A.1.2.
    Differs: takes keys that are projected already, so that a decoder projects them once per sentence, not per step.
    """
    _check_same_size(q, k)
    _check_matrix(v, (q.shape[-1],))
    return torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) @ v


def concat(q: Queries, k: Keys, w: Float[Tensor, "d_hidden d_both"], v: Float[Tensor, " d_v"]) -> Scores:
    r"""A one-layer network on query and key side by side; with W = [W_q W_k] it equals the additive score.

    $$ s_{ij} = v^\top \tanh(W [q_i; k_j]) $$

    Shapes: q `… query d_q`, k `… key d_k`, w `d_hidden (d_q + d_k)`, v `d_hidden` → `… query key`.
    Raises: ValueError if w or v does not have these sizes.
    Source: Luong et al. 2015, §3.1, "concat".
    """
    _check_matrix(w, (w.shape[0], q.shape[-1] + k.shape[-1]))
    _check_matrix(v, (w.shape[0],))
    grid = (*torch.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    pairs = torch.cat([q.unsqueeze(-2).expand(*grid, -1), k.unsqueeze(-3).expand(*grid, -1)], dim=-1)
    return torch.tanh(pairs @ w.mT) @ v


def location(q: Queries, k: Keys, w: Float[Tensor, "max_length d_q_of_w"]) -> Scores:
    r"""A score for each position from the query alone: the keys are not read.

    $$ s_{ij} = (W q_i)_j $$

    Shapes: q `… query d_q`, k `… key d_k` (only their number is used), w `max_length d_q` → `… query key`.
    Raises: ValueError if there are more keys than rows in w, or the sizes of q and w differ.
    Source: Luong et al. 2015, eq. 8.
    """
    n_keys = k.shape[-2]
    _check_matrix(w, (w.shape[0], q.shape[-1]))
    if n_keys > w.shape[0]:
        raise ValueError(f"w has scores for {w.shape[0]} positions: expected at most that many keys, got {n_keys}")
    return q @ w[:n_keys].mT


class Bilinear(nn.Module):
    """The bilinear score with its matrix. Source: Luong et al. 2015, §3.1, "general"."""

    def __init__(self, d_q: int, d_k: int):
        super().__init__()
        self.w = nn.Parameter(_uniform(d_q, d_k))

    def forward(self, q: Queries, k: Keys) -> Scores:
        """See `bilinear`."""
        return bilinear(q, k, self.w)


class Concat(nn.Module):
    """The concat score with its parameters. Source: Luong et al. 2015, §3.1, "concat"."""

    def __init__(self, d_q: int, d_k: int, d_hidden: int):
        super().__init__()
        self.w = nn.Parameter(_uniform(d_hidden, d_q + d_k))
        self.v = nn.Parameter(_uniform(d_hidden))

    def forward(self, q: Queries, k: Keys) -> Scores:
        """See `concat`."""
        return concat(q, k, self.w, self.v)


class Additive(nn.Module):
    """The additive score with its projections. Source: Bahdanau et al. 2015, Appendix A.1.2."""

    def __init__(self, d_q: int, d_k: int, d_hidden: int):
        super().__init__()
        self.w_q = nn.Linear(d_q, d_hidden, bias=False)
        self.w_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Parameter(_uniform(d_hidden))

    def forward(self, q: Queries, k: Keys) -> Scores:
        """See `additive`, here with both projections."""
        return self.compare(self.w_q(q), self.w_k(k))

    def compare(self, q: Queries, k: Keys) -> Scores:
        """Score queries and keys that are projected already, as a decoder does at each step."""
        return additive(q, k, self.v)


class Location(nn.Module):
    """The location score with its matrix. Source: Luong et al. 2015, eq. 8."""

    def __init__(self, d_q: int, max_length: int):
        super().__init__()
        self.w = nn.Parameter(_uniform(max_length, d_q))

    def forward(self, q: Queries, k: Keys) -> Scores:
        """See `location`."""
        return location(q, k, self.w)


def _check_same_size(q: Tensor, k: Tensor) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must have the same feature size: expected {q.shape[-1]}, got {k.shape[-1]}")


def _check_matrix(w: Tensor, expected: tuple[int, ...]) -> None:
    if tuple(w.shape) != expected:
        raise ValueError(f"parameter does not fit the feature sizes: expected {expected}, got {tuple(w.shape)}")


def _uniform(*shape: int) -> Tensor:
    """Initial values, uniform within ±1/√(last size), as nn.Linear does."""
    bound = 1 / math.sqrt(shape[-1])
    return torch.empty(*shape).uniform_(-bound, bound)
