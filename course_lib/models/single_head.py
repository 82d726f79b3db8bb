"""The smallest model with attention, for associative recall: one head, one layer, no residual connection."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.core import Score, attention
from course_lib.attention.scores import scaled_dot


class RecallOutput(NamedTuple):
    """Model output: logits over values for each card, and attention weights."""

    logits: Float[Tensor, "batch card value"]
    weights: Float[Tensor, "batch card card"]


class CardVectors(nn.Module):
    r"""The vector of each card: the sum of its symbol, value and position embeddings.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{position}} $$

    Shapes: `sizes` counts symbols, values and positions; a batch has `symbols` and `values`, `batch card`.
    """

    def __init__(self, d_model: int, sizes: tuple[int, int, int]):
        super().__init__()
        self.symbol, self.value, self.position = (nn.Embedding(n, d_model) for n in sizes)

    def forward(self, batch) -> Float[Tensor, "batch card d_model"]:
        """Add the three embeddings."""
        positions = torch.arange(batch.symbols.shape[1], device=batch.symbols.device)
        return self.symbol(batch.symbols) + self.value(batch.values) + self.position(positions)


class SingleHeadModel(nn.Module):
    r"""Embeddings, one attention head, a readout; without a residual connection every answer passes the attention.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{position}} \qquad
       q_i = W_Q x_i \quad k_j = W_K x_j \quad v_j = W_V x_j $$
    $$ c_i = \sum_j \mathrm{softmax}_j(\mathrm{score}(q_i, k_j))\, v_j \qquad \mathrm{logits}_i = W_O c_i + b $$

    `tied` names projections that are one matrix ("qk", "kv"); `score` and the mask go to the kernel.

    Shapes: a batch has `symbols`, `values` and, for the loss, `answer`, each `batch card` (see
    `course_lib.data.associative_recall`); a mask broadcasts to `batch card card`.
    Source: Vaswani et al. 2017, §3.2, with one head.
    Differs: three embeddings of variance one are added, so that queries and keys start with variance near one.
    """

    def __init__(
        self,
        d_model: int = 32,
        d_k: int | None = None,
        tied: str = "",
        score: Score = scaled_dot,
        sizes: tuple[int, int, int] = (8, 16, 8),
    ):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        self.vectors = CardVectors(d_model, sizes)
        made = {letter: nn.Linear(d_model, d_k, bias=False) for letter in "qkv"}
        self.w_q, self.w_k, self.w_v = (made[tied[0] if letter in tied else letter] for letter in "qkv")
        self.w_o = nn.Linear(d_k, sizes[1])
        self.score = score

    def forward(self, batch, mask: Tensor | None = None) -> RecallOutput:
        """Each card attends to all cards that the mask allows, itself included, and predicts a value."""
        x = self.vectors(batch)
        context, weights, _ = attention(self.w_q(x), self.w_k(x), self.w_v(x), mask, self.score)
        return RecallOutput(self.w_o(context), weights)


def recall_loss(model: SingleHeadModel, batch, mask: Tensor | None = None) -> Tensor:
    """Mean cross-entropy of the answers."""
    return nn.functional.cross_entropy(model(batch, mask).logits.flatten(0, 1), batch.answer.flatten())
