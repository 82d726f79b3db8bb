"""The smallest model with several heads: each card of a ring looks at all of them at once, once with every head."""

from typing import NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.heads import MultiHead
from course_lib.models.single_head import CardVectors, Shown


@runtime_checkable
class Cards(Shown, Protocol):
    """What is read: rings of cards (see `course_lib.data.multi_recall`)."""

    answers: Int[Tensor, "batch relation card"]


class MultiRecallOutput(NamedTuple):
    """What comes back: a logit for each value that a card might tell, by relation, and the weights of each head."""

    logits: Float[Tensor, "batch relation card value"]
    weights: Float[Tensor, "batch head card card"]


class MultiHeadModel(nn.Module):
    r"""Cards as vectors, one attention with several heads among them, and a reader that tells a value per relation.

    $$ x_i = E_{\mathrm{symbol}} + E_{\mathrm{value}} + E_{\mathrm{place}} \qquad
       \mathrm{logits}_i = \mathrm{Reader}(\mathrm{MultiHead}(x)_i) $$

    There is no residual path, so every answer passes the look. The reader is a matrix; with `d_inner` it has a hidden
    layer of that size. `gates` are `MultiHead`'s: a number for each head, zero prunes it.

    Shapes: `card` counts the cards of a ring, which look at each other.
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
        self.look = MultiHead(d_model, n_heads, n_kv_heads, bias=False)
        layers = [] if d_inner is None else [nn.Linear(d_model, d_inner), nn.GELU()]
        self.reader = nn.Sequential(*layers, nn.Linear(d_inner or d_model, n_relations * sizes[1]))

    def forward(self, ring: Cards, gates: Float[Tensor, " head"] | None = None) -> MultiRecallOutput:
        """Let every card look at all cards, itself included, and tell a value for each relation."""
        seen, weights = self.look(self.vectors(ring), gates=gates)
        logits = self.reader(seen).unflatten(-1, (self.n_relations, -1))
        return MultiRecallOutput(logits.transpose(-3, -2), weights)


def multi_recall_loss(model: MultiHeadModel, ring: Cards) -> Tensor:
    """Cross-entropy of the values that ought to be told, over all relations."""
    return nn.functional.cross_entropy(model(ring).logits.flatten(0, 2), ring.answers.flatten())
