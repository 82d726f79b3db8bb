"""Luong's decoder: first the new state, then the look, then the word."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from course_lib.attention.scores import Bilinear, Concat, dot
from course_lib.models.decoder import Decoded, Decoder, Run, State, look
from course_lib.models.seq2seq import PAD, Encoded, Encoder

SCORES = {
    "dot": lambda d_hidden, d_state: dot,
    "general": Bilinear,
    "concat": lambda d_hidden, d_state: Concat(d_hidden, d_state, d_hidden),
}


class LuongDecoder(Decoder):
    r"""A decoder that asks all encoder states with the state it has just reached (global attention).

    $$ h_t = f([y_{t-1}; \tilde h_{t-1}], h_{t-1}) \qquad a_{ts} = \mathrm{softmax}_s(\mathrm{score}(h_t, \bar h_s))
       \qquad c_t = \sum_s a_{ts} \bar h_s $$
    $$ \tilde h_t = \tanh(W_c [c_t; h_t]) \qquad p(y_t) = \mathrm{softmax}(W_s \tilde h_t) $$

    Without `input_feeding` the cell reads y_{t-1} alone. The score is "dot", "general" or "concat". The state carries
    h_t as `hidden`, and h̃_t as the last part of its memory; the first of them are h_0 = tanh(W_0 h̄_n) and h̃_0 = 0.

    Raises: ValueError for another score; when called, for a dot product of states of different sizes.
    Source: Luong et al. 2015, §3.1, eq. 5–8; §3.3 (input feeding).
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
    ):
        super().__init__()
        if score not in SCORES:
            raise ValueError(f"a score by its name: expected one of {', '.join(SCORES)}, got {score}")
        self.input_feeding = input_feeding
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        self.w_0 = nn.Linear(encoder.d_state, d_hidden)
        self.cell = nn.GRUCell(d_embedding + d_hidden * input_feeding, d_hidden)
        self.score = SCORES[score](d_hidden, encoder.d_state)
        self.w_c = nn.Linear(encoder.d_state + d_hidden, d_hidden, bias=False)
        self.w_s = nn.Linear(d_hidden, n_words, bias=False)

    def start(self, encoded: Encoded) -> State:
        """The first state, and what every step will need: annotations, mask, and h̃ of the step before."""
        hidden = torch.tanh(self.w_0(encoded.final))
        return State(hidden, (encoded.states, encoded.mask, torch.zeros_like(hidden)))

    def run(self, tokens: Int[Tensor, "batch query"], state: State) -> Run:
        """Read the previous words, look, predict the next ones."""
        hidden, (annotations, mask, combined) = state
        after, all_combined, looks = [], [], []
        for word in self.embed(tokens).unbind(dim=1):
            hidden = self.cell(torch.cat([word, combined], dim=-1) if self.input_feeding else word, hidden)
            looks.append(look(hidden, annotations, annotations, mask, self.score))
            combined = torch.tanh(self.w_c(torch.cat([looks[-1].context, hidden], dim=-1)))  # eq. 5
            after.append(hidden)
            all_combined.append(combined)
        rows = (after, all_combined, *zip(*looks, strict=True))
        states, every, contexts, weights, scores = (torch.stack(row, dim=1) for row in rows)
        decoded = Decoded(self.w_s(every), weights, State(hidden, (annotations, mask, combined)))  # eq. 6
        return Run(decoded, states, contexts, scores, every)
