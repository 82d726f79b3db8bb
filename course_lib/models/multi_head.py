"""The smallest model with several heads, for multi-relation recall: one layer, no residual connection."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.heads import MultiHead
from course_lib.models.single_head import CardVectors


class MultiRecallOutput(NamedTuple):
    """Model output: logits over values for each relation and card, and the attention weights of each head."""

    logits: Float[Tensor, "batch relation card value"]
    weights: Float[Tensor, "batch head card card"]


class MultiHeadModel(nn.Module):
    r"""Embeddings, multi-head attention, and a readout of one value per relation.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{position}} \qquad
       \mathrm{logits}_i = \mathrm{Readout}(\mathrm{MultiHead}(x)_i) $$

    Without a residual connection every answer passes the attention. The readout is a matrix; with `d_inner` it has a
    hidden layer of that size. `gates` are those of `MultiHead`: one factor per head, zero prunes it.

    Shapes: a batch has `symbols` and `values`, `batch card`, and for the loss `answers`, `batch relation card` (see
    `course_lib.data.multi_recall`).
    Raises: ValueError as `MultiHead` does.
    Source: Vaswani et al. 2017, §3.2.2.
    Differs: three embeddings of variance one are added, as in `SingleHeadModel`; no biases in the projections.
    """

    def __init__(
        self,
        n_relations: int,
        n_heads: int,
        d_model: int = 32,
        n_kv_heads: int | None = None,
        d_inner: int | None = None,
        sizes: tuple[int, int, int] = (8, 16, 8),
    ):
        super().__init__()
        self.n_relations = n_relations
        self.vectors = CardVectors(d_model, sizes)
        self.attend = MultiHead(d_model, n_heads, n_kv_heads, bias=False)
        layers = [] if d_inner is None else [nn.Linear(d_model, d_inner), nn.GELU()]
        self.readout = nn.Sequential(*layers, nn.Linear(d_inner or d_model, n_relations * sizes[1]))

    def forward(self, batch, gates: Float[Tensor, " head"] | None = None) -> MultiRecallOutput:
        """Each card attends to all cards, itself included, and predicts a value for each relation."""
        context, weights, _ = self.attend(self.vectors(batch), gates=gates)
        logits = self.readout(context).unflatten(-1, (self.n_relations, -1))
        return MultiRecallOutput(logits.transpose(-3, -2), weights)


def multi_recall_loss(model: MultiHeadModel, batch) -> Tensor:
    """Mean cross-entropy of the answers, over all relations."""
    return nn.functional.cross_entropy(model(batch).logits.flatten(0, 2), batch.answers.flatten())
