"""A sentence that reads itself: words and places as vectors, then blocks of self-attention."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput
from course_lib.attention.heads import MultiHead
from course_lib.attention.masks import and_masks, causal
from course_lib.models.seq2seq import PAD


class Read(NamedTuple):
    """What an encoder makes of a sentence: a vector for each token, and the weights of all heads of all layers."""

    states: Float[Tensor, "batch token d_model"]
    weights: Float[Tensor, "batch layer head query key"]


class Block(nn.Module):
    r"""Every token looks at every token it may see, then each thinks for itself.

    $$ y = \mathrm{norm}(x + \mathrm{MultiHead}(x)) \qquad z = \mathrm{norm}(y + W_2\, \mathrm{gelu}(W_1 y)) $$

    Shapes: x `batch token d_model` → context `batch token d_model`, weights `batch head query key`; a mask and gates as
    `MultiHead` takes them.
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
        """The tokens' new vectors, and the weights of each head."""
        seen, weights = self.attend(x, mask=mask, gates=gates)
        y = self.norm_attended(x + seen)
        return AttentionOutput(self.norm(y + self.outer(nn.functional.gelu(self.inner(y)))), weights)


class SelfAttentionEncoder(nn.Module):
    r"""A Transformer encoder with learned places: no recurrence, every token is read at the same time.

    $$ x_i = \mathrm{norm}(\mathrm{word}_i + \mathrm{place}_i) \qquad
       \mathrm{states} = \mathrm{Block}_N(\dots \mathrm{Block}_1(x)) $$

    Padding is never looked at. With `causal` a token sees itself and what stands before it; with `places=False` nothing
    says where a token stands; `tied` is `MultiHead`'s. The inner size is 4 · d_model unless given.

    Shapes: ids `batch token` → states `batch token d_model`, weights `batch layer head query key`; `gates` `layer head`
    multiplies what each head contributes (zero prunes it).
    Raises: ValueError for a sentence longer than `longest`, and as `MultiHead` does.
    Source: Vaswani et al. 2017, §3.1, 3.4; learned places: Gehring et al. 2017, §3.1.
    """

    def __init__(
        self,
        n_words: int,
        d_model: int,
        n_heads: int,
        n_layers: int = 1,
        longest: int = 64,
        d_inner: int | None = None,
        *,
        causal: bool = False,
        places: bool = True,
        tied: str = "",
        eps: float = 1e-5,
    ):
        super().__init__()
        self.causal, self.longest = causal, longest
        self.words = nn.Embedding(n_words, d_model, padding_idx=PAD)
        self.places = nn.Embedding(longest, d_model) if places else None
        self.norm = nn.LayerNorm(d_model, eps=eps)
        sizes = (d_model, n_heads, 4 * d_model if d_inner is None else d_inner)
        self.blocks = nn.ModuleList(Block(*sizes, tied, eps) for _ in range(n_layers))

    def forward(self, ids: Int[Tensor, "batch token"], gates: Float[Tensor, "layer head"] | None = None) -> Read:
        """Read sentences; padding stands behind them."""
        return self.read(self.words(ids), ids != PAD, gates)

    def read(
        self,
        words: Float[Tensor, "batch token d_model"],
        is_word: Bool[Tensor, "batch token"] | None = None,
        gates: Float[Tensor, "layer head"] | None = None,
    ) -> Read:
        """Read word vectors: `forward` after the look-up, where a lesson may ask for gradients."""
        n = words.shape[1]
        if n > self.longest:
            raise ValueError(f"there are {self.longest} places: expected at most that many tokens, got {n}")
        masks = [] if is_word is None else [is_word.unsqueeze(1)]
        masks += [causal(n)] if self.causal else []
        mask = and_masks(*masks) if masks else None
        x = self.norm(words if self.places is None else words + self.places.weight[:n])
        looked = []
        for number, block in enumerate(self.blocks):
            x, weights = block(x, mask, None if gates is None else gates[number])
            looked.append(weights)
        return Read(x, torch.stack(looked, dim=1))
