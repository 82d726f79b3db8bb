"""Luong's decoder with local attention: each step attends within a window around one source position."""

from jaxtyping import Float
from torch import Tensor

from course_lib.attention.core import AttentionOutput
from course_lib.attention.selection import Predictive, local, monotonic
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import Encoded, Encoder, State

CENTERS = ("monotonic", "predictive")


class LocalDecoder(LuongDecoder):
    r"""A decoder that attends only to the encoder states within `radius` words of a position p_t.

    $$ \text{monotonic (local-m): } p_t = t \qquad
       \text{predictive (local-p): } p_t = (S - 1)\; \mathrm{sigmoid}(v_p^\top \tanh(W_p h_t)) $$

    With "predictive", a Gaussian weighting around p_t gives v_p and W_p their gradient. S is the number of annotations,
    the one of <eos> included. The state carries t, so that one word at a time gives the same as the whole target in one
    call. `scores` are those of all keys, inside the window or not.

    Raises: ValueError for another center, or a radius that is not positive.
    Source: Luong et al. 2015, §3.2, eq. 7, 9 and 10.
    Differs: no input feeding, so that a whole target is one call; positions are counted from 0.
    """

    def __init__(self, encoder: Encoder, n_words: int, d_embedding: int, d_hidden: int, center: str, radius: int):
        super().__init__(encoder, n_words, d_embedding, d_hidden, input_feeding=False)
        if center not in CENTERS:
            raise ValueError(f"center must be one of {', '.join(CENTERS)}, got {center!r}")
        if radius < 1:
            raise ValueError(f"radius must be positive: expected radius ≥ 1, got {radius}")
        self.radius = radius
        self.position = Predictive(d_hidden, d_hidden // 2) if center == "predictive" else None

    def start(self, encoded: Encoded) -> State:
        """As in `LuongDecoder`, and the number of words written so far."""
        hidden, (keys, values, mask, first, combined) = super().start(encoded)
        return State(hidden, (keys, values, mask, first.new_zeros(len(first)), combined))

    def advance(self, x: Float[Tensor, "batch query d_input"], state: State) -> tuple[Tensor | State, ...]:
        """As in `LuongDecoder`; counts the words."""
        *step, (hidden, (keys, values, mask, written, combined)) = super().advance(x, state)
        return *step, State(hidden, (keys, values, mask, written + x.shape[1], combined))

    def attend(self, hidden: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]) -> AttentionOutput:
        """Attend to the keys near each query's center."""
        keys, values, mask, _, _ = memory
        predictive, centers = self.position is not None, self.centers(hidden, memory)
        found = local(hidden, keys, values, centers, self.radius, mask, self.score, gaussian_weights=predictive)
        return AttentionOutput(found.context, found.weights, found.scores)

    def centers(
        self, hidden: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]
    ) -> Float[Tensor, "batch query"]:
        """The source position at the center of each query's window."""
        _, _, mask, written, _ = memory
        if self.position is None:
            return written.unsqueeze(1) + monotonic(hidden.shape[1], hidden.device, hidden.dtype)
        return self.position(hidden, mask.sum(dim=(1, 2)))
