"""A Transformer encoder: word and position embeddings, then blocks of self-attention."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput
from course_lib.attention.heads import MultiHead
from course_lib.attention.masks import and_masks, causal
from course_lib.tokens import PAD


class EncoderOutput(NamedTuple):
    """Encoder output: a state for each token, and the attention weights of all layers and heads."""

    states: Float[Tensor, "batch token d_model"]
    weights: Float[Tensor, "batch layer head query key"]


class Block(nn.Module):
    r"""A Transformer encoder block: multi-head self-attention, then a feed-forward network on each position.

    $$ y = \mathrm{norm}(x + \mathrm{MultiHead}(x)) \qquad z = \mathrm{norm}(y + W_2\, \mathrm{gelu}(W_1 y)) $$

    Shapes: x `batch token d_model` → context `batch token d_model`, weights and scores `batch head query key`; mask and
    gates as in `MultiHead`.
    Source: Vaswani et al. 2017, §3.1 and 3.3.
    Differs: gelu in place of relu, as in BERT (Devlin et al. 2019, §A.2).
    """

    def __init__(self, d_model: int, n_heads: int, d_inner: int, tied: str = "", eps: float = 1e-5):
        super().__init__()
        self.attend = MultiHead(d_model, n_heads, tied=tied)
        self.inner, self.outer = nn.Linear(d_model, d_inner), nn.Linear(d_inner, d_model)
        self.norm_attended, self.norm = (nn.LayerNorm(d_model, eps=eps) for _ in range(2))

    def forward(
        self,
        x: Float[Tensor, "batch token d_model"],
        mask: Tensor | None = None,
        gates: Float[Tensor, " head"] | None = None,
    ) -> AttentionOutput:
        """The new vectors of the tokens as `context`, with the weights and scores of each head."""
        context, weights, scores = self.attend(x, mask=mask, gates=gates)
        y = self.norm_attended(x + context)
        return AttentionOutput(self.norm(y + self.outer(nn.functional.gelu(self.inner(y)))), weights, scores)


class SelfAttentionEncoder(nn.Module):
    r"""A Transformer encoder with learned position embeddings.

    $$ x_i = \mathrm{norm}(\mathrm{word}_i + \mathrm{position}_i) \qquad
       \mathrm{states} = \mathrm{Block}_N(\dots \mathrm{Block}_1(x)) $$

    Padding is masked. With `causal` a token attends to itself and earlier tokens only; `positions=False` leaves out the
    position embeddings; `tied` is that of `MultiHead`. The inner size is 4 · d_model unless given.

    Shapes: ids `batch token` → states `batch token d_model`, weights `batch layer head query key`; `gates` `layer head`
    multiplies what each head contributes (zero prunes it).
    Raises: ValueError for a sentence longer than `max_length`, and as `MultiHead` does.
    Source: Vaswani et al. 2017, §3.1, 3.4; learned position embeddings: Gehring et al. 2017, §3.1.
    """

    def __init__(
        self,
        n_words: int,
        d_model: int,
        n_heads: int,
        n_layers: int = 1,
        max_length: int = 64,
        d_inner: int | None = None,
        *,
        causal: bool = False,
        positions: bool = True,
        tied: str = "",
        eps: float = 1e-5,
    ):
        super().__init__()
        self.causal, self.max_length = causal, max_length
        self.words = nn.Embedding(n_words, d_model, padding_idx=PAD)
        self.positions = nn.Embedding(max_length, d_model) if positions else None
        self.norm = nn.LayerNorm(d_model, eps=eps)
        sizes = (d_model, n_heads, 4 * d_model if d_inner is None else d_inner)
        self.blocks = nn.ModuleList(Block(*sizes, tied, eps) for _ in range(n_layers))

    def forward(
        self, ids: Int[Tensor, "batch token"], gates: Float[Tensor, "layer head"] | None = None
    ) -> EncoderOutput:
        """Encode sentences, padded at the end."""
        return self.read(self.words(ids), ids != PAD, gates)

    def read(
        self,
        words: Float[Tensor, "batch token d_model"],
        is_word: Bool[Tensor, "batch token"] | None = None,
        gates: Float[Tensor, "layer head"] | None = None,
    ) -> EncoderOutput:
        """Encode word vectors: `forward` after the embedding, for gradients with respect to the vectors."""
        n = words.shape[1]
        if n > self.max_length:
            raise ValueError(f"words must not exceed max_length: expected at most {self.max_length} tokens, got {n}")
        masks = [] if is_word is None else [is_word.unsqueeze(1)]
        masks += [causal(n, device=words.device)] if self.causal else []
        mask = and_masks(*masks) if masks else None
        x = self.norm(words if self.positions is None else words + self.positions.weight[:n])
        all_weights = []
        for layer, block in enumerate(self.blocks):
            x, weights, _ = block(x, mask, None if gates is None else gates[layer])
            all_weights.append(weights)
        return EncoderOutput(x, torch.stack(all_weights, dim=1))
