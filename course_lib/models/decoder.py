"""What every decoder is: where it starts, one call for words read, and what it computed on the way.

`decoder.start(encoded) → State`, `decoder(tokens, state) → Decoded`: the whole target at once when training
(teacher-forced), one token at a time when decoding. `decoder.run` is the same call, and tells everything.
"""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.core import Score, attention


class State(NamedTuple):
    """Where a decoder stands: its hidden state, and what else it keeps, above all of the source.

    Every tensor starts with the batch.
    """

    hidden: Float[Tensor, "batch d_hidden"]
    memory: tuple[Tensor, ...]

    def pick(self, rows: Int[Tensor, " kept"]) -> "State":
        """Keep these rows of the batch, in this order, with repeats: what beam search does at each step."""
        return State(self.hidden[rows], tuple(tensor[rows] for tensor in self.memory))


class Decoded(NamedTuple):
    """What a decoder returns; `weights` is None where no attention is paid."""

    logits: Float[Tensor, "batch query vocabulary"]
    weights: Float[Tensor, "batch query key"] | None
    state: State


class Run(NamedTuple):
    """What a decoder returns, and what it computed on the way; None is what this decoder does not have."""

    decoded: Decoded
    states: Float[Tensor, "batch query d_hidden"]
    contexts: Float[Tensor, "batch query d_context"]
    scores: Float[Tensor, "batch query key"] | None = None
    combined: Float[Tensor, "batch query d_combined"] | None = None  # Luong's h̃_t


class Look(NamedTuple):
    """What looking at the source gives, for each query: the context, the weights, the scores that they came from."""

    context: Float[Tensor, "batch query d_v"]
    weights: Float[Tensor, "batch query key"]
    scores: Float[Tensor, "batch query key"]


def look(q: Float[Tensor, "batch query d_q"], k: Tensor, v: Tensor, mask: Tensor, score: Score) -> Look:
    """Ask the kernel. It is handed the scores, so that they can be told too."""
    scores = score(q, k)
    return Look(*attention(q, k, v, mask, score=lambda *_: scores), scores)


class Decoder(nn.Module):
    """The base of all decoders: the call is `run` without what was computed on the way."""

    def run(self, tokens: Int[Tensor, "batch query"], state: State) -> Run:
        """Read the previous words, predict the next ones, and tell how."""
        raise NotImplementedError

    def forward(self, tokens: Int[Tensor, "batch query"], state: State) -> Decoded:
        """Read the previous words, predict the next ones."""
        return self.run(tokens, state).decoded
