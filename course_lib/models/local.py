"""Luong's decoder with a local look: each step sees the source through a window round one place."""

from jaxtyping import Float
from torch import Tensor

from course_lib.attention.selection import Predictive, local, monotonic
from course_lib.models.decoder import Look, State
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import Encoded, Encoder

CENTERS = ("monotonic", "predictive")


class LocalDecoder(LuongDecoder):
    r"""A decoder that asks only the encoder states within `reach` words of a place p_t.

    $$ \text{monotonic (local-m): } p_t = t \qquad
       \text{predictive (local-p): } p_t = (S - 1)\; \mathrm{sigmoid}(v_p^\top \tanh(W_p h_t)) $$

    With "predictive", weights fade with the distance from p_t; the fade is what v_p and W_p learn from. S is the number
    of annotations, the one of <eos> included. The state carries t, so one word at a time gives what the whole target
    gives in one call. The `scores` of a look are those of all keys, the window not applied.

    Raises: ValueError for another center, or a reach that is not positive.
    Source: Luong et al. 2015, §3.2, eq. 7, 9 and 10.
    Differs: no input feeding, so that a whole target is one call; places are counted from 0.
    """

    def __init__(self, encoder: Encoder, n_words: int, d_embedding: int, d_hidden: int, center: str, reach: int):
        super().__init__(encoder, n_words, d_embedding, d_hidden, input_feeding=False)
        if center not in CENTERS or reach < 1:
            raise ValueError(f"expected {' or '.join(CENTERS)} and a reach ≥ 1, got {center} and {reach}")
        self.reach = reach
        self.place = Predictive(d_hidden, d_hidden // 2) if center == "predictive" else None

    def start(self, encoded: Encoded) -> State:
        """As without windows, and the number of words written so far."""
        hidden, (keys, values, mask, first, combined) = super().start(encoded)
        return State(hidden, (keys, values, mask, first.new_zeros(len(first)), combined))

    def advance(self, read: Float[Tensor, "batch query d_read"], state: State) -> tuple[Tensor, Tensor, Look, State]:
        """As without windows; then as many words more are written as were read."""
        *found, (hidden, (keys, values, mask, written, combined)) = super().advance(read, state)
        return *found, State(hidden, (keys, values, mask, written + read.shape[1], combined))

    def look(self, states: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]) -> Look:
        """Ask the keys near each query's center."""
        keys, values, mask, _, _ = memory
        scores = self.score(states, keys)
        centers, fade = self.centers(states, memory), self.place is not None
        seen = local(states, keys, values, centers, self.reach, mask, lambda *_: scores, fade)
        return Look(seen.context, seen.weights, scores)

    def centers(
        self, states: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]
    ) -> Float[Tensor, "batch query"]:
        """The place in the source that each query looks round."""
        _, _, mask, written, _ = memory
        if self.place is None:
            return written.unsqueeze(1) + monotonic(states.shape[1])
        return self.place(states, mask.sum(dim=(1, 2)))
