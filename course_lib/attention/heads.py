"""HOW MANY VIEWS: several attentions side by side, each with its own projections of queries, keys and values."""

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, attention

Sequence = Float[Tensor, "*batch n d_model"]
Heads = Float[Tensor, "*batch head n d_head"]


def split_heads(x: Sequence, n_heads: int) -> Heads:
    r"""Cut each vector into pieces, one for each head, and give the heads an axis of their own, before the words.

    $$ x_{i, h \cdot d_h + c} \to x_{h, i, c} $$

    Shapes: `… n (head d_head)` → `… head n d_head`.
    Raises: ValueError if the heads cannot share the features evenly.
    Source: Vaswani et al. 2017, §3.2.2.
    Differs: a view of shape `… head n d_head` has the same shape and is wrong: it mixes words. Split first, then swap.
    """
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"the heads share the features: expected a multiple of {n_heads} features, got {x.shape[-1]}")
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)


def merge_heads(x: Heads) -> Sequence:
    """Put the pieces of each word side by side again: what `split_heads` did, undone."""
    return x.transpose(-3, -2).flatten(-2)


class MultiHead(nn.Module):
    r"""Attention with several heads; without a `source` the sequence reads itself (self-attention), else the source.

    $$ \mathrm{head}_h = \mathrm{Attention}(x W^Q_h, z W^K_h, z W^V_h) \qquad
       \mathrm{MultiHead}(x, z) = [\mathrm{head}_1; \dots; \mathrm{head}_H]\, W^O $$

    The heads' projections lie side by side in one matrix each, `w_q w_k w_v`, so that all heads are one product.
    With `n_kv_heads` fewer keys and values than queries are made, and each is read by several heads: one is
    multi-query, some are grouped-query attention. `tied` names projections that are the same matrix, as in "qk" or
    "kv": for experiments.

    Shapes: x `… query d_model`, source `… key d_source` → context `… query d_model`, weights `… head query key`; a mask
    broadcasts to `… query key`, the same for all heads; `gates` has a number for each head, with which its part is
    multiplied: zero prunes it.
    Raises: ValueError if the heads do not share d_model evenly, the key heads not the heads, if tied projections differ
    in size, and as the kernel does.
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
    ):
        super().__init__()
        self.n_heads, self.n_kv_heads = n_heads, n_heads if n_kv_heads is None else n_kv_heads
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"the heads share d_model: expected a multiple of {n_heads}, got {d_model}")
        if self.n_kv_heads < 1 or n_heads % self.n_kv_heads:
            raise ValueError(f"heads share keys evenly: expected a divisor of {n_heads} heads, got {self.n_kv_heads}")
        d_source, d_keys = d_model if d_source is None else d_source, d_model // n_heads * self.n_kv_heads
        sizes = {"q": (d_model, d_model), "k": (d_source, d_keys), "v": (d_source, d_keys)}
        if len({sizes[letter] for letter in tied}) > 1:
            raise ValueError(f"tied projections must have one size: {tied!r} have {[sizes[letter] for letter in tied]}")
        made = {letter: nn.Linear(*size, bias=bias) for letter, size in sizes.items()}
        self.w_q, self.w_k, self.w_v = (made[tied[0] if letter in tied else letter] for letter in "qkv")
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self,
        x: Sequence,
        source: Float[Tensor, "*batch key d_source"] | None = None,
        mask: Tensor | None = None,
        gates: Float[Tensor, " head"] | None = None,
    ) -> AttentionOutput:
        """Let every word of x look at every word of the source, or of x itself."""
        source = x if source is None else source
        q = split_heads(self.w_q(x), self.n_heads)
        k, v = (split_heads(project(source), self.n_kv_heads) for project in (self.w_k, self.w_v))
        shared = self.n_heads // self.n_kv_heads
        k, v = (tensor.repeat_interleave(shared, dim=-3) if shared > 1 else tensor for tensor in (k, v))
        seen, weights = attention(q, k, v, mask if mask is None or mask.ndim < 3 else mask.unsqueeze(-3))
        if gates is not None:
            seen = seen * gates[:, None, None]
        return AttentionOutput(self.w_o(merge_heads(seen)), weights)
