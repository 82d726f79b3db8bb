"""Multi-head attention: several attentions in parallel, each with its own projections of queries, keys and values."""

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, Score, attention
from course_lib.attention.scores import scaled_dot

Sequence = Float[Tensor, "*batch n d_model"]
Heads = Float[Tensor, "*batch head n d_head"]


def split_heads(x: Sequence, n_heads: int) -> Heads:
    r"""Cut each vector into one piece per head, and give the heads an axis of their own before the tokens.

    $$ x_{i, h \cdot d_h + c} \to x_{h, i, c} $$

    Shapes: `… n (head d_head)` → `… head n d_head`.
    Raises: ValueError if n_heads does not divide the number of features.
    Source: Vaswani et al. 2017, §3.2.2.
    Differs: a view of shape `… head n d_head` has the right shape and mixes tokens. Split first, then swap.
    """
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"x must split evenly: expected a multiple of {n_heads} features, got {x.shape[-1]}")
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def merge_heads(x: Heads) -> Sequence:
    """Concatenate the heads of each token: the inverse of `split_heads`."""
    return x.transpose(-3, -2).flatten(-2)


class MultiHead(nn.Module):
    r"""Multi-head attention: self-attention without a `source`, else cross-attention from x to the source.

    $$ \mathrm{head}_h = \mathrm{Attention}(x W^Q_h, z W^K_h, z W^V_h) \qquad
       \mathrm{MultiHead}(x, z) = [\mathrm{head}_1; \dots; \mathrm{head}_H]\, W^O $$

    The heads' projections lie side by side in one matrix each, `w_q w_k w_v`, so that all heads are one product.
    `n_kv_heads` below n_heads makes fewer keys and values, each shared by several query heads: one is multi-query, some
    are grouped-query attention. `tied` names projections that are one matrix ("qk", "kv"). All heads use one `score`.

    Shapes: x `… query d_model`, source `… key d_source` → context `… query d_model`, weights and scores
    `… head query key`. A mask or bias with as many axes as the scores has a head axis: `… head query key`. One with
    fewer is shared by all heads, `… query key`. `gates` `head` multiplies each head's output: zero prunes it.
    Raises: ValueError if n_heads does not divide d_model, n_kv_heads not n_heads, if tied projections differ in size,
    and as `attention` does.
    Source: Vaswani et al. 2017, §3.2.2; Shazeer 2019 (multi-query), Ainslie et al. 2023 (grouped-query); Michel et al.
    2019, §2.3 (gates).
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        d_source: int | None = None,
        tied: str = "",
        bias: bool = True,
        score: Score = scaled_dot,
    ):
        super().__init__()
        self.n_heads, self.n_kv_heads = n_heads, n_heads if n_kv_heads is None else n_kv_heads
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model: expected a multiple of {n_heads}, got {d_model}")
        if self.n_kv_heads < 1 or n_heads % self.n_kv_heads:
            raise ValueError(f"n_kv_heads must divide n_heads: expected a divisor of {n_heads}, got {self.n_kv_heads}")
        d_source, d_keys = d_model if d_source is None else d_source, d_model // n_heads * self.n_kv_heads
        sizes = {"q": (d_model, d_model), "k": (d_source, d_keys), "v": (d_source, d_keys)}
        if len({sizes[letter] for letter in tied}) > 1:
            raise ValueError(f"tied={tied!r} needs projections of one size, got {[sizes[letter] for letter in tied]}")
        made = {letter: nn.Linear(*size, bias=bias) for letter, size in sizes.items()}
        self.w_q, self.w_k, self.w_v = (made[tied[0] if letter in tied else letter] for letter in "qkv")
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.score = score

    def project(self, source: Float[Tensor, "*batch key d_source"]) -> tuple[Heads, Heads]:
        """The keys and values of the source, `… kv_head key d_head`: what a cache would keep."""
        k, v = (split_heads(w(source), self.n_kv_heads) for w in (self.w_k, self.w_v))
        return k, v

    def forward(
        self,
        x: Sequence,
        source: Float[Tensor, "*batch key d_source"] | None = None,
        mask: Tensor | None = None,
        bias: Tensor | None = None,
        gates: Float[Tensor, " head"] | None = None,
    ) -> AttentionOutput:
        """Attend from each token of x to every token of the source, or of x itself."""
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = self.project(x if source is None else source)
        if (shared := self.n_heads // self.n_kv_heads) > 1:
            k, v = (tensor.repeat_interleave(shared, dim=-3) for tensor in (k, v))
        mask, bias = (_with_head_axis(tensor, q.ndim) for tensor in (mask, bias))
        context, weights, scores = attention(q, k, v, mask, self.score, bias)
        if gates is not None:
            context = context * gates[:, None, None]
        return AttentionOutput(self.w_o(merge_heads(context)), weights, scores)


def _with_head_axis(tensor: Tensor | None, n_axes: int) -> Tensor | None:
    return tensor.unsqueeze(-3) if tensor is not None and 2 < tensor.ndim < n_axes else tensor
