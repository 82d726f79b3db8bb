"""A model that finds one book on a shelf, and the ways to train its look, where the look picks a single book."""

from functools import partial
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput
from course_lib.attention.selection import HardAttentionOutput, hard, moving_mean, reinforce, soft, straight_through

BASELINES = ("none", "mean", "self-critical")


@runtime_checkable
class Lookups(Protocol):
    """What is read: shelves of books (see `course_lib.data.lookup`)."""

    keys: Int[Tensor, "batch item"]
    values: Int[Tensor, "batch item"]
    query: Int[Tensor, "batch 1"]
    answer: Int[Tensor, " batch"]


class LookupModel(nn.Module):
    r"""Ask a shelf for a colour, and tell the digit in the book with this spine.

    $$ q = E_{\mathrm{asked}} \quad k_j = E_{\mathrm{spine}_j} \quad v_j = E_{\mathrm{digit}_j} \qquad
       p(y \mid c) = \mathrm{softmax}(W c + b) $$

    What is asked for and what stands on the spines have embeddings of their own, so the match must be learned.

    Shapes: one query for each shelf, `batch 1 d`; as many keys as books.
    """

    def __init__(self, n_items: int = 8, n_values: int = 10, d: int = 16):
        super().__init__()
        self.embed_query, self.embed_key = nn.Embedding(n_items, d), nn.Embedding(n_items, d)
        self.embed_value, self.readout = nn.Embedding(n_values, d), nn.Linear(d, n_values)

    def forward(self, row: Lookups, look=soft, **options) -> AttentionOutput | HardAttentionOutput:
        """One look at each shelf: what the way of looking returns."""
        return look(self.embed_query(row.query), self.embed_key(row.keys), self.embed_value(row.values), **options)

    def log_prob(
        self, context: Float[Tensor, "batch some d"], answer: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch some"]:
        """The log-probability of each shelf's right digit, read from each of some vectors."""
        told = self.readout(context).log_softmax(dim=-1)
        return told.gather(2, answer.view(-1, 1, 1).expand(-1, context.shape[1], 1)).squeeze(2)

    @torch.no_grad()
    def accuracy(self, row: Lookups, look=soft, **options) -> float:
        """The share of shelves of which the right digit is told."""
        told = self.readout(self(row, look, **options).context[:, 0]).argmax(dim=-1)
        return (told == row.answer).double().mean().item()


def soft_loss(model: LookupModel, row: Lookups) -> Float[Tensor, ""]:
    """−log p(y | Σ_j w_j v_j): read the blend of all books."""
    return -model.log_prob(model(row).context, row.answer).mean()


def expected_loss(model: LookupModel, row: Lookups) -> Float[Tensor, ""]:
    """−Σ_j w_j log p(y | v_j), the expected loss of a random pick: read each book alone; n readings in place of one."""
    return -(model(row).weights[:, 0] * model.log_prob(model.embed_value(row.values), row.answer)).sum(dim=1).mean()


def straight_through_loss(model: LookupModel, row: Lookups, sample: bool = False) -> Float[Tensor, ""]:
    """−log p(y | the likeliest book, or one drawn at random), with the gradient of soft weights."""
    return -model.log_prob(model(row, straight_through, sample=sample).context, row.answer).mean()


class ReinforceLoss:
    r"""Pick a book at random, and make the picks likelier that were rewarded; the reward is r = log p(y | v_j).

    $$ \nabla L = -\nabla \log p(y \mid v_j) - (r - b)\, \nabla \log w_j $$

    On average the gradient of `expected_loss`. The first term trains the reading, the second one the look. The
    baseline b is 0 ("none"), the moving mean of earlier rewards ("mean"), or the reward of the likeliest book
    ("self-critical").

    Raises: ValueError for another baseline.
    Source: Xu et al. 2015, eq. 11–12; Rennie et al. 2017 (self-critical).
    Differs: without Xu's entropy term.
    """

    def __init__(self, baseline: str = "none"):
        if baseline not in BASELINES:
            raise ValueError(f"a baseline: expected one of {', '.join(BASELINES)}, got {baseline}")
        self.kind, self.mean = baseline, 0.0

    def __call__(self, model: LookupModel, row: Lookups) -> Float[Tensor, ""]:
        """The loss of one batch; with "mean" its rewards are remembered for the next."""
        picked: HardAttentionOutput = model(row, hard)
        reward = model.log_prob(picked.context, row.answer)
        return -reward.mean() + reinforce(picked.log_probability, reward, self.baseline(model, row, reward))

    def baseline(self, model: LookupModel, row: Lookups, reward: Tensor) -> Tensor | float:
        """What rewards are compared with."""
        if self.kind == "self-critical":
            return model.log_prob(model(row, hard, sample=False).context, row.answer)
        before = self.mean
        self.mean = moving_mean(before, reward.detach()) if self.kind == "mean" else 0.0
        return before


ESTIMATORS = {
    "soft": lambda: soft_loss,
    "every key": lambda: expected_loss,
    "straight-through": lambda: straight_through_loss,
    "straight-through, drawn": lambda: partial(straight_through_loss, sample=True),
    **{f"REINFORCE, {kind}": lambda kind=kind: ReinforceLoss(kind) for kind in BASELINES},
}  # what makes a loss for each way of training, with a memory of its own
