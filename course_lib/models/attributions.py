"""A sentence classifier with self-attention, and attribution methods that compare its weights with what matters."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.models.self_attention import SelfAttentionEncoder
from course_lib.tokens import PAD


class VoteClassifier(nn.Module):
    """Binary classification of a sentence from the encoder state of its first token.

    Shapes: ids `batch token` → logits `batch 2`.
    """

    def __init__(self, n_words: int, d_model: int = 32, n_layers: int = 1):
        super().__init__()
        self.encoder = SelfAttentionEncoder(n_words, d_model, n_heads=1, n_layers=n_layers)
        self.readout = nn.Linear(d_model, 2)

    def forward(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch 2"]:
        """Logits for no and yes; padding is masked."""
        return self.readout(self.encoder(ids).states[:, 0])


class Attributions(NamedTuple):
    """Attributions of a prediction to each token by four methods; the last two are signed."""

    weight: Float[Tensor, "batch token"]
    gradient: Float[Tensor, "batch token"]
    times_input: Float[Tensor, "batch token"]
    ablated: Float[Tensor, "batch token"]


def attributions(model: VoteClassifier, ids: Int[Tensor, "batch token"]) -> Attributions:
    r"""Attention weight, gradient norm, gradient × input, and ablation, for the same predictions.

    $$ w_{0j} \qquad \left\lVert \frac{\partial o}{\partial x_j} \right\rVert \qquad
       \frac{\partial o}{\partial x_j} \cdot x_j \qquad o(\text{all}) - o(\text{all but } j) $$

    The output o is the logit of the predicted class minus the other one; the weights are those of the first token in
    the last layer. A token is ablated by replacing it with padding, which is masked. The first token cannot be: zero.

    Source: Jain & Wallace 2019, §3–4 (gradient, leave-one-out); Wiegreffe & Pinter 2019.
    """
    words = model.encoder.words(ids).detach().requires_grad_()
    encoded = model.encoder.read(words, ids != PAD)
    logits = model.readout(encoded.states[:, 0])
    predicted = logits.argmax(dim=-1, keepdim=True)
    margin = logit_margin(logits, predicted)
    (gradient,) = torch.autograd.grad(margin.sum(), words)
    drops = [torch.zeros_like(margin)]
    with torch.no_grad():
        for j in range(1, ids.shape[1]):
            without = ids.clone()
            without[:, j] = PAD
            drops.append(margin - logit_margin(model(without), predicted))
    weight = encoded.weights[:, -1, 0, 0]
    times_input = (gradient * words.detach()).sum(dim=-1)
    return Attributions(weight.detach(), gradient.norm(dim=-1), times_input, torch.stack(drops, 1).detach())


def logit_margin(logits: Float[Tensor, "batch 2"], label: Int[Tensor, "batch 1"]) -> Float[Tensor, " batch"]:
    """The logit of this class minus that of the other."""
    return (logits.gather(1, label) - logits.gather(1, 1 - label))[:, 0]
