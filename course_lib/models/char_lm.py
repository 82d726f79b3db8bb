"""A character language model whose causal mask can be misplaced, to show what that does."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, attention, masked_softmax
from course_lib.attention.masks import causal
from course_lib.attention.scores import scaled_dot


class LMOutput(NamedTuple):
    """Model output: logits over the next letter at each position, and attention weights."""

    logits: Float[Tensor, "batch position letter"]
    weights: Float[Tensor, "batch position position"]


class CharLM(nn.Module):
    r"""Predicts the next letter at each position by one attention head, with the causal mask at one of three places.

    $$ \text{before: } w = \mathrm{softmax}(s + \log m) \qquad \text{after: } w = m \odot \mathrm{softmax}(s) \qquad
       \text{nowhere: } w = \mathrm{softmax}(s) $$

    Shapes: ids `batch position` → logits `batch position letter`, weights `batch position position`.
    Raises: ValueError for another value of `mask`.
    Source: Vaswani et al. 2017, §3.2.3.
    Differs: only "before" is theirs; the other two are wrong on purpose.
    """

    def __init__(self, n_letters: int, max_length: int, mask: str = "before", d_model: int = 32):
        super().__init__()
        if mask not in MASKED_ATTENTION:
            raise ValueError(f"mask must be one of {', '.join(MASKED_ATTENTION)}, got {mask!r}")
        self.mask = mask
        self.letter, self.position = nn.Embedding(n_letters, d_model), nn.Embedding(max_length, d_model)
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))
        self.readout = nn.Linear(d_model, n_letters)

    def forward(self, ids: Int[Tensor, "batch position"]) -> LMOutput:
        """Logits for the letter after each position."""
        n = ids.shape[1]
        x = self.letter(ids) + self.position(torch.arange(n, device=ids.device))
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        context, weights, _ = MASKED_ATTENTION[self.mask](q, k, v, causal(n, device=ids.device))
        return LMOutput(self.readout(context), weights)


def mask_after_softmax(q: Tensor, k: Tensor, v: Tensor, mask: Bool[Tensor, "query key"]) -> AttentionOutput:
    """Attention with the mask at the wrong place: masked scores still count in the denominator."""
    scores = scaled_dot(q, k)
    weights = masked_softmax(scores) * mask
    return AttentionOutput(weights @ v, weights, scores)


MASKED_ATTENTION = {
    "before": attention,
    "after": mask_after_softmax,
    "nowhere": lambda q, k, v, mask: attention(q, k, v),
}


def lm_loss(model: CharLM, ids: Int[Tensor, "batch position"]) -> Tensor:
    """Mean cross-entropy of the next letter."""
    return nn.functional.cross_entropy(model(ids[:, :-1]).logits.flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def generate(model: CharLM, ids: Int[Tensor, "batch position"], n: int) -> Int[Tensor, "batch longer"]:
    """Greedy decoding: append the argmax n times."""
    for _ in range(n):
        ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(dim=-1)], dim=1)
    return ids
