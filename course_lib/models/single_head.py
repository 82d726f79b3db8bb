"""The smallest model with attention: each card of a row looks once at all of them, and tells a value."""

from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.core import Score, attention
from course_lib.attention.scores import scaled_dot


@runtime_checkable
class Shown(Protocol):
    """What cards show: rows of symbols and of values."""

    symbols: Int[Tensor, "batch card"]
    values: Int[Tensor, "batch card"]


@runtime_checkable
class Row(Shown, Protocol):
    """What is read: rows of cards (see `course_lib.data.associative_recall`)."""

    answer: Int[Tensor, "batch card"]


class RecallOutput(NamedTuple):
    """What comes back: a logit for each value that a card might tell, and the weights of its look."""

    logits: Float[Tensor, "batch card value"]
    weights: Float[Tensor, "batch card card"]


class CardVectors(nn.Module):
    r"""The vector of each card: what it shows, and where it lies.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{place}} $$

    Shapes: `sizes` counts symbols, values and places.
    """

    def __init__(self, d_model: int, sizes: tuple[int, int, int]):
        super().__init__()
        self.symbol, self.value, self.place = (nn.Embedding(n, d_model) for n in sizes)

    def forward(self, row: Shown) -> Float[Tensor, "batch card d_model"]:
        """Add what the symbol, the value and the place contribute."""
        return self.symbol(row.symbols) + self.value(row.values) + self.place(torch.arange(row.symbols.shape[1]))


class SingleHeadModel(nn.Module):
    r"""Cards as vectors, one attention among them, and nothing else: no residual path, so every answer passes the look.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{place}} \qquad
       q_i = W_Q x_i \quad k_j = W_K x_j \quad v_j = W_V x_j $$
    $$ c_i = \sum_j \mathrm{softmax}_j(\mathrm{score}(q_i, k_j))\, v_j \qquad \mathrm{logits}_i = W_O c_i + b $$

    `tied` names projections that are the same matrix, as in "qk" or "kv"; `score` and the mask go to the kernel.

    Shapes: `card` counts the cards of a row, which look at each other; a mask broadcasts to `batch card card`.
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

    def forward(self, row: Row, mask: Tensor | None = None) -> RecallOutput:
        """Let every card look at all cards that it may, itself included, and tell a value."""
        x = self.vectors(row)
        context, weights = attention(self.w_q(x), self.w_k(x), self.w_v(x), mask, self.score)
        return RecallOutput(self.w_o(context), weights)


def recall_loss(model: SingleHeadModel, row: Row, mask: Tensor | None = None) -> Tensor:
    """Cross-entropy of the values that ought to be told."""
    return nn.functional.cross_entropy(model(row, mask).logits.flatten(0, 1), row.answer.flatten())
