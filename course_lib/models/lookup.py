"""A model for key–value lookup, and the losses that train it where attention selects a single item."""

from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput
from course_lib.attention.selection import HardAttentionOutput, hard, moving_mean, reinforce, soft, straight_through

BASELINES = ("none", "mean", "self-critical")


class LookupModel(nn.Module):
    r"""Predict the value of the item whose key matches the query.

    $$ q = E^Q_{\mathrm{query}} \quad k_j = E^K_{\mathrm{key}_j} \quad v_j = E^V_{\mathrm{value}_j} \qquad
       p(y \mid c) = \mathrm{softmax}(W c + b) $$

    Queries and keys have embeddings of their own, so the match must be learned. `attend` is a function of
    `course_lib.attention.selection` (soft, hard, straight_through), and `options` its further arguments.

    Shapes: a batch has `keys` and `values`, `batch item`, `query`, `batch 1`, and `answer`, `batch` (see
    `course_lib.data.lookup`).
    """

    def __init__(self, n_items: int = 8, n_values: int = 10, d: int = 16):
        super().__init__()
        self.embed_query, self.embed_key = nn.Embedding(n_items, d), nn.Embedding(n_items, d)
        self.embed_value, self.readout = nn.Embedding(n_values, d), nn.Linear(d, n_values)

    def forward(self, batch, attend=soft, **options) -> AttentionOutput | HardAttentionOutput:
        """The output of `attend`, with one query for each row."""
        return attend(
            self.embed_query(batch.query), self.embed_key(batch.keys), self.embed_value(batch.values), **options
        )

    def log_prob(self, context: Float[Tensor, "batch n d"], answer: Int[Tensor, " batch"]) -> Float[Tensor, "batch n"]:
        """The log-probability of each row's answer, from each of n vectors."""
        log_probabilities = self.readout(context).log_softmax(dim=-1)
        return log_probabilities.gather(2, answer.view(-1, 1, 1).expand(-1, context.shape[1], 1)).squeeze(2)

    @torch.no_grad()
    def accuracy(self, batch, attend=soft, **options) -> float:
        """The share of rows whose value is predicted correctly."""
        predicted = self.readout(self(batch, attend, **options).context[:, 0]).argmax(dim=-1)
        return (predicted == batch.answer).double().mean().item()


def soft_loss(model: LookupModel, batch) -> Float[Tensor, ""]:
    """−log p(y | Σ_j w_j v_j): predict from the weighted average of all values."""
    return -model.log_prob(model(batch).context, batch.answer).mean()


def expected_loss(model: LookupModel, batch) -> Float[Tensor, ""]:
    """−Σ_j w_j log p(y | v_j), the expected loss of a sampled item: n readouts in place of one."""
    log_probabilities = model.log_prob(model.embed_value(batch.values), batch.answer)
    return -(model(batch).weights[:, 0] * log_probabilities).sum(dim=1).mean()


def straight_through_loss(model: LookupModel, batch, sample: bool = False) -> Float[Tensor, ""]:
    """−log p(y | v_j) for the argmax item, or a sampled one, with the gradient of soft weights."""
    return -model.log_prob(model(batch, straight_through, sample=sample).context, batch.answer).mean()


class ReinforceLoss:
    r"""REINFORCE: sample an item, with the reward r = log p(y | v_j).

    $$ \nabla L = -\nabla \log p(y \mid v_j) - (r - b)\, \nabla \log w_j $$

    An unbiased estimate of the gradient of `expected_loss`. The first term trains the readout, the second one the
    attention. The baseline b is 0 ("none"), the moving average of earlier rewards ("mean"), or the reward of the argmax
    item ("self-critical").

    Raises: ValueError for another baseline.
    Source: Xu et al. 2015, eq. 11–12; Rennie et al. 2017 (self-critical).
    Differs: without Xu's entropy term.
    """

    def __init__(self, baseline: str = "none"):
        if baseline not in BASELINES:
            raise ValueError(f"baseline must be one of {', '.join(BASELINES)}, got {baseline!r}")
        self.kind, self.mean = baseline, 0.0

    def __call__(self, model: LookupModel, batch) -> Float[Tensor, ""]:
        """The loss of one batch; with "mean" its rewards update the baseline of the next."""
        sampled: HardAttentionOutput = model(batch, hard)
        reward = model.log_prob(sampled.context, batch.answer)
        return -reward.mean() + reinforce(sampled.log_probability, reward, self.baseline(model, batch, reward))

    def baseline(self, model: LookupModel, batch, reward: Tensor) -> Tensor | float:
        """The baseline of this batch."""
        if self.kind == "self-critical":
            return model.log_prob(model(batch, hard, sample=False).context, batch.answer)
        before = self.mean
        self.mean = moving_mean(before, reward.detach()) if self.kind == "mean" else 0.0
        return before


ESTIMATORS = {
    "soft": lambda: soft_loss,
    "every key": lambda: expected_loss,
    "straight-through": lambda: straight_through_loss,
    "straight-through, drawn": lambda: partial(straight_through_loss, sample=True),
    **{f"REINFORCE, {kind}": lambda kind=kind: ReinforceLoss(kind) for kind in BASELINES},
}  # name → factory: each loss has a state of its own
