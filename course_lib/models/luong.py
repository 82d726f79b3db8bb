"""Luong's decoder: first the new state, then the look, then the word."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.scores import Bilinear, Concat, Location, dot, scaled_dot
from course_lib.models.decoder import Decoded, Decoder, Look, Run, State, look
from course_lib.models.seq2seq import PAD, Encoded, Encoder

LONGEST = 64  # source words that the location score knows
SCORES = {
    "dot": lambda d_hidden, d_state: dot,
    "general": Bilinear,
    "concat": lambda d_hidden, d_state: Concat(d_hidden, d_state, d_hidden),
    "location": lambda d_hidden, d_state: Location(d_hidden, LONGEST),
    "projected": lambda d_hidden, d_state: scaled_dot,
}


class LuongDecoder(Decoder):
    r"""A decoder that asks all encoder states with the state it has just reached (global attention).

    $$ h_t = f([y_{t-1}; \tilde h_{t-1}], h_{t-1}) \qquad a_{ts} = \mathrm{softmax}_s(\mathrm{score}(h_t, \bar h_s))
       \qquad c_t = \sum_s a_{ts} \bar h_s $$
    $$ \tilde h_t = \tanh(W_c [c_t; h_t]) \qquad p(y_t) = \mathrm{softmax}(W_s \tilde h_t) $$

    The score is "dot", "general", "concat", "location" or "projected": keys, values and queries each have a matrix of
    their own, k_j = W_K h̄_j, v_j = W_V h̄_j, q_t = W_Q h_t (`tied_values`: v_j = k_j). Without `input_feeding` the
    recurrence reads y_{t-1} alone; then nothing of step t waits for the look of step t − 1, and a whole target is one
    call. With `static` the source is asked once, by h_0, and every step gets that context.

    The state carries h_t as `hidden`, and h̃_t as the last part of its memory; the first of them are
    h_0 = tanh(W_0 h̄_n) and h̃_0 = 0.

    Raises: ValueError for another score; when called, for a dot product of states of different sizes.
    Source: Luong et al. 2015, §3.1, eq. 5–8; §3.3 (input feeding). Static: Hermann et al. 2015, the attentive reader.
    Differs: one GRU layer in place of four LSTM layers, each of which starts where its encoder layer ended.
    """

    def __init__(
        self,
        encoder: Encoder,
        n_words: int,
        d_embedding: int,
        d_hidden: int,
        score: str = "general",
        input_feeding: bool = True,
        static: bool = False,
        tied_values: bool = False,
    ):
        super().__init__()
        if score not in SCORES:
            raise ValueError(f"a score by its name: expected one of {', '.join(SCORES)}, got {score}")
        self.input_feeding, self.static = input_feeding, static
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        self.w_0 = nn.Linear(encoder.d_state, d_hidden)
        self.rnn = nn.GRU(d_embedding + d_hidden * input_feeding, d_hidden, batch_first=True)
        self.score = SCORES[score](d_hidden, encoder.d_state)
        self.w_q = self.w_k = self.w_v = nn.Identity()
        d_context = encoder.d_state
        if score == "projected":
            self.w_q = nn.Linear(d_hidden, d_hidden, bias=False)
            self.w_k = nn.Linear(encoder.d_state, d_hidden, bias=False)
            self.w_v = self.w_k if tied_values else nn.Linear(encoder.d_state, d_hidden, bias=False)
            d_context = d_hidden
        self.w_c = nn.Linear(d_context + d_hidden, d_hidden, bias=False)
        self.w_s = nn.Linear(d_hidden, n_words, bias=False)

    def start(self, encoded: Encoded) -> State:
        """The first state, and what every step will need: keys, values, mask, who asks if only one does, and h̃."""
        first = torch.tanh(self.w_0(encoded.final))
        keys, values = self.w_k(encoded.states), self.w_v(encoded.states)
        return State(first, (keys, values, encoded.mask, first, torch.zeros_like(first)))

    def run(self, tokens: Int[Tensor, "batch query"], state: State) -> Run:
        """Read the previous words, look, predict the next ones."""
        words = self.embed(tokens)
        if not self.input_feeding:
            return self.finish(*self.advance(words, state))
        parts = []
        for word in words.split(1, dim=1):
            parts.append(self.advance(torch.cat([word, state.memory[-1].unsqueeze(1)], dim=-1), state))
            state = parts[-1][-1]
        states, every, *seen = (torch.cat(rows, dim=1) for rows in zip(*(flat(part) for part in parts), strict=True))
        return self.finish(states, every, Look(*seen), state)

    def advance(self, read: Float[Tensor, "batch query d_read"], state: State) -> tuple[Tensor, Tensor, Look, State]:
        """Move the recurrence by what it reads, then look: states h_t, attentional vectors h̃_t, looks, next state."""
        states, _ = self.rnn(read, state.hidden.unsqueeze(0).contiguous())
        seen = self.look(states, state.memory)
        combined = torch.tanh(self.w_c(torch.cat([seen.context, states], dim=-1)))  # eq. 5
        return states, combined, seen, State(states[:, -1], (*state.memory[:-1], combined[:, -1]))

    def look(self, states: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]) -> Look:
        """Ask the source with each state, or with the first one for all."""
        keys, values, mask, first, _ = memory
        asks = first.unsqueeze(1).expand_as(states) if self.static else states
        return look(self.w_q(asks), keys, values, mask, self.score)

    def finish(self, states: Tensor, combined: Tensor, seen: Look, state: State) -> Run:
        """The words' logits, with everything that led to them."""
        decoded = Decoded(self.w_s(combined), seen.weights, state)  # eq. 6
        return Run(decoded, states, seen.context, seen.scores, combined)


def flat(part: tuple[Tensor, Tensor, Look, State]) -> tuple[Tensor, ...]:
    """The tensors of one step that have a row for it."""
    states, combined, seen, _ = part
    return states, combined, *seen
