"""Luong's decoder: first the new state, then attention, then the word."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, attention
from course_lib.attention.scores import Bilinear, Concat, Location, dot, scaled_dot
from course_lib.models.seq2seq import DecoderOutput, Encoded, Encoder, State
from course_lib.tokens import PAD

MAX_LENGTH = 64  # source words for which the location score has a row
SCORES = {
    "dot": lambda d_hidden, d_state: dot,
    "general": Bilinear,
    "concat": lambda d_hidden, d_state: Concat(d_hidden, d_state, d_hidden),
    "location": lambda d_hidden, d_state: Location(d_hidden, MAX_LENGTH),
    "projected": lambda d_hidden, d_state: scaled_dot,
}


class LuongDecoder(nn.Module):
    r"""A decoder that attends to all encoder states from the state it has just reached (global attention).

    $$ h_t = f([y_{t-1}; \tilde h_{t-1}], h_{t-1}) \qquad a_{ts} = \mathrm{softmax}_s(\mathrm{score}(h_t, \bar h_s))
       \qquad c_t = \sum_s a_{ts} \bar h_s $$
    $$ \tilde h_t = \tanh(W_c [c_t; h_t]) \qquad p(y_t) = \mathrm{softmax}(W_s \tilde h_t) $$

    The score is "dot", "general", "concat", "location" or "projected": keys, values and queries each have a matrix of
    their own, k_j = W_K h̄_j, v_j = W_V h̄_j, q_t = W_Q h_t (`tied_values`: v_j = k_j). Without `input_feeding` the
    recurrence reads y_{t-1} alone, so that attention at step t does not depend on that at step t − 1, and a whole
    target is one call. With `static` the query is h_0 at every step, so that every step gets the same context.

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
            raise ValueError(f"score must be one of {', '.join(SCORES)}, got {score!r}")
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
        """The first state; its memory holds keys, values, mask, h_0 (the query if `static`) and h̃_0."""
        first = torch.tanh(self.w_0(encoded.final))
        keys, values = self.w_k(encoded.states), self.w_v(encoded.states)
        return State(first, (keys, values, encoded.mask, first, torch.zeros_like(first)))

    def forward(self, tokens: Int[Tensor, "batch query"], state: State) -> DecoderOutput:
        """Read the previous words, attend, predict the next ones."""
        words, steps = self.embed(tokens), []
        for word in words.split(1 if self.input_feeding else words.shape[1], dim=1):
            fed = [state.memory[-1].unsqueeze(1)] if self.input_feeding else []
            *step, state = self.advance(torch.cat([word, *fed], dim=-1), state)
            steps.append(step)
        hidden, combined, contexts, weights, scores = (torch.cat(parts, dim=1) for parts in zip(*steps, strict=True))
        return DecoderOutput(self.w_s(combined), weights, state, hidden, contexts, scores, combined)  # eq. 6

    def advance(self, x: Float[Tensor, "batch query d_input"], state: State) -> tuple[Tensor | State, ...]:
        """Move the recurrence, then attend: h_t, h̃_t, contexts, weights, scores and the next state."""
        hidden, _ = self.rnn(x, state.hidden.unsqueeze(0).contiguous())
        context, weights, scores = self.attend(hidden, state.memory)
        combined = torch.tanh(self.w_c(torch.cat([context, hidden], dim=-1)))  # eq. 5
        return hidden, combined, context, weights, scores, State(hidden[:, -1], (*state.memory[:-1], combined[:, -1]))

    def attend(self, hidden: Float[Tensor, "batch query d_hidden"], memory: tuple[Tensor, ...]) -> AttentionOutput:
        """Attend from each state, or from the first one for all."""
        keys, values, mask, first, _ = memory
        queries = first.unsqueeze(1).expand_as(hidden) if self.static else hidden
        return attention(self.w_q(queries), keys, values, mask, self.score)
