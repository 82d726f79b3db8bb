"""Encoder–decoder models: one fixed context vector, or Bahdanau's attention over all encoder states.

Every decoder is one call, `decoder(tokens, state) → logits, weights, next state`: the whole target at once when
training (teacher-forced), one token at a time when decoding. The weights are those the logits were computed with.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.attention.masks import padding
from course_lib.attention.scores import Additive
from course_lib.models.decoder import Decoded, Decoder, Look, Run, State, look

PAD = 0


class Encoded(NamedTuple):
    """What an encoder hands over: a state for each word, the final state, and which positions are words."""

    states: Float[Tensor, "batch key d_state"]
    final: Float[Tensor, "batch d_state"]
    mask: Bool[Tensor, "batch 1 key"]


class Encoder(nn.Module):
    r"""A recurrent encoder: one state for each source word.

    $$ h_j = F(x_j, h_{j-1}) \qquad \text{bidirectional: } h_j = [\overrightarrow{h}_j; \overleftarrow{h}_j] $$

    `final` is the last state, for a bidirectional encoder [→h_n; ←h_1]: each direction has read the whole sentence.
    Sentences are packed: padding is never read, and states at padded positions are zero.

    Shapes: source `batch key` → states `batch key d_state`, final `batch d_state`, mask `batch 1 key`.
    Raises: ValueError if d_state is odd and the encoder bidirectional, or if a sentence is empty.
    Source: Cho et al. 2014, §2.1; Bahdanau et al. 2015, §3.2 and Appendix A.2.1.
    Differs: torch's GRU applies the reset gate after the matrix product, the papers before it.
    """

    def __init__(self, n_words: int, d_embedding: int, d_state: int, cell: str = "gru", bidirectional: bool = True):
        super().__init__()
        if bidirectional and d_state % 2:
            raise ValueError(f"two directions share d_state: expected an even number, got {d_state}")
        self.d_state = d_state
        self.d_direction = d_state // 2 if bidirectional else d_state
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        recurrent = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        self.rnn = recurrent(d_embedding, self.d_direction, batch_first=True, bidirectional=bidirectional)

    def forward(self, source: Int[Tensor, "batch key"]) -> Encoded:
        """Embed the source words and read them."""
        return self.read(self.embed(source), (source != PAD).sum(dim=1))

    def read(self, embedded: Float[Tensor, "batch key d_embedding"], lengths: Int[Tensor, " batch"]) -> Encoded:
        """Read word vectors: `forward` after the embedding, where a lesson may ask for gradients."""
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=embedded.shape[1])
        last = last[0] if isinstance(last, tuple) else last  # an LSTM also returns its cell state
        return Encoded(states, torch.cat(tuple(last), dim=-1), padding(lengths, embedded.shape[1]))


class DeepOutput(nn.Module):
    r"""From decoder state, previous word and context to a logit for each word of the vocabulary.

    $$ \tilde t_i = U_o s_{i-1} + V_o y_{i-1} + C_o c_i \qquad t_i = \max(\tilde t_{i,2l-1}, \tilde t_{i,2l}) \qquad
       p(y_i) \propto \exp(W_o t_i) $$

    Shapes: state `batch query d_hidden`, word `batch query d_embedding`, context `batch query d_context`.
    Source: Bahdanau et al. 2015, Appendix A.2.2 (Goodfellow et al. 2013 for the maximum over pairs).
    """

    def __init__(self, d_hidden: int, d_embedding: int, d_context: int, n_words: int):
        super().__init__()
        self.u_v_c = nn.Linear(d_hidden + d_embedding + d_context, 2 * d_embedding)
        self.w_o = nn.Linear(d_embedding, n_words)

    def forward(self, state: Tensor, word: Tensor, context: Tensor) -> Tensor:
        """Logits for the next word."""
        pairs = self.u_v_c(torch.cat([state, word, context], dim=-1)).unflatten(-1, (-1, 2))
        return self.w_o(pairs.amax(dim=-1))


class FixedContextDecoder(Decoder):
    r"""A decoder that knows the source through one vector, the same at every step.

    $$ c = h_n \qquad s_0 = \tanh(W_s c) \qquad s_i = G(s_{i-1}, [y_{i-1}; c]) $$

    Source: Cho et al. 2014, §2.2, eq. 7–8; Sutskever et al. 2014, eq. 1 (the context as first state).
    """

    def __init__(self, encoder: Encoder, n_words: int, d_embedding: int, d_hidden: int):
        super().__init__()
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        self.w_s = nn.Linear(encoder.d_state, d_hidden)
        self.rnn = nn.GRU(d_embedding + encoder.d_state, d_hidden, batch_first=True)
        self.output = DeepOutput(d_hidden, d_embedding, encoder.d_state, n_words)

    def start(self, encoded: Encoded) -> State:
        """The first state, and the context that will be all the decoder ever knows."""
        return State(torch.tanh(self.w_s(encoded.final)), (encoded.final,))

    def run(self, tokens: Int[Tensor, "batch query"], state: State) -> Run:
        """Read the previous words, predict the next ones. `weights` is None."""
        words = self.embed(tokens)
        context = state.memory[0].unsqueeze(1).expand(-1, words.shape[1], -1)
        after, _ = self.rnn(torch.cat([words, context], dim=-1), state.hidden.unsqueeze(0).contiguous())
        before = torch.cat([state.hidden.unsqueeze(1), after[:, :-1]], dim=1)
        logits = self.output(before, words, context)
        return Run(Decoded(logits, None, State(after[:, -1], state.memory)), after, context)


class BahdanauDecoder(Decoder):
    r"""A decoder that asks all encoder states again before each word it writes.

    $$ e_{ij} = v^\top \tanh(W s_{i-1} + U h_j) \qquad a_{ij} = \mathrm{softmax}_j(e_{ij})
       \qquad c_i = \sum_j a_{ij} h_j \qquad s_i = f(s_{i-1}, y_{i-1}, c_i) $$

    The first state is s_0 = tanh(W_s ←h_1). `U h_j` is computed once a sentence. With `query_sees_word` the
    query is [s_{i-1}; y_{i-1}] in place of s_{i-1}.

    Source: Bahdanau et al. 2015, eq. 4–6 and Appendix A.
    Differs: `query_sees_word` is not in the paper.
    """

    def __init__(self, encoder: Encoder, n_words: int, d_embedding: int, d_hidden: int, query_sees_word: bool = False):
        super().__init__()
        self.query_sees_word = query_sees_word
        self.d_start = encoder.d_direction  # ←h_1 is the last half of `final`
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        self.w_s = nn.Linear(self.d_start, d_hidden)
        self.score = Additive(d_hidden + d_embedding * query_sees_word, encoder.d_state, d_hidden)
        self.cell = nn.GRUCell(d_embedding + encoder.d_state, d_hidden)
        self.output = DeepOutput(d_hidden, d_embedding, encoder.d_state, n_words)

    def start(self, encoded: Encoded) -> State:
        """The first state, and what every step will ask: projected keys, values, mask."""
        first = torch.tanh(self.w_s(encoded.final[:, -self.d_start :]))
        return State(first, (self.score.w_k(encoded.states), encoded.states, encoded.mask))

    def run(self, tokens: Int[Tensor, "batch query"], state: State) -> Run:
        """Read the previous words, look, predict the next ones."""
        words, hidden = self.embed(tokens), state.hidden
        before, looks = [], []
        for word in words.unbind(dim=1):
            before.append(hidden)
            looks.append(self.look(hidden, word, state.memory))
            hidden = self.cell(torch.cat([word, looks[-1].context.squeeze(1)], dim=-1), hidden)
        contexts, weights, scores = (torch.cat(rows, dim=1) for rows in zip(*looks, strict=True))
        logits = self.output(torch.stack(before, dim=1), words, contexts)
        after = torch.stack([*before[1:], hidden], dim=1)
        return Run(Decoded(logits, weights, State(hidden, state.memory)), after, contexts, scores)

    def look(self, hidden: Tensor, word: Tensor, memory: tuple[Tensor, ...]) -> Look:
        """One query s_{i-1} to all annotations: the context c_i and the weights a_i."""
        asks = torch.cat([hidden, word], dim=-1) if self.query_sees_word else hidden
        return look(self.score.w_q(asks).unsqueeze(1), *memory, self.score.compare)
