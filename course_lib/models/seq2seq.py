"""Encoder–decoder models: one fixed context vector, or Bahdanau's attention over all encoder states.

All decoders share one interface: `decoder.start(encoded) → State`, `decoder(tokens, state) → DecoderOutput`. A call
reads the whole target at once in training (teacher-forced), and one token at a time in decoding.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.attention.core import AttentionOutput, attention
from course_lib.attention.masks import padding
from course_lib.attention.scores import Additive
from course_lib.tokens import PAD


class Encoded(NamedTuple):
    """Encoder output: a state for each word, the final state, and which positions are words."""

    states: Float[Tensor, "batch key d_state"]
    final: Float[Tensor, "batch d_state"]
    mask: Bool[Tensor, "batch 1 key"]


class State(NamedTuple):
    """Decoder state: the hidden state, and what else is kept between calls. Every tensor starts with the batch axis."""

    hidden: Float[Tensor, "batch d_hidden"]
    memory: tuple[Tensor, ...]

    def select(self, rows: Int[Tensor, " kept"]) -> "State":
        """The state of these rows of the batch, in this order and with repeats, as beam search needs it."""
        return State(self.hidden[rows], tuple(tensor[rows] for tensor in self.memory))


class DecoderOutput(NamedTuple):
    """Decoder output: logits, attention weights, the next state, and the intermediate results of each position.

    `hidden` are the decoder's states after each word was read. Without attention, `weights` and `scores` are None.
    """

    logits: Float[Tensor, "batch query vocabulary"]
    weights: Float[Tensor, "batch query key"] | None
    state: State
    hidden: Float[Tensor, "batch query d_hidden"]
    contexts: Float[Tensor, "batch query d_context"]
    scores: Float[Tensor, "batch query key"] | None = None
    combined: Float[Tensor, "batch query d_combined"] | None = None  # Luong's h̃_t


class Encoder(nn.Module):
    r"""A recurrent encoder: one state per source word.

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
            raise ValueError(f"d_state must be even for two directions: expected an even number, got {d_state}")
        self.d_state = d_state
        self.d_direction = d_state // 2 if bidirectional else d_state
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        recurrent = {"gru": nn.GRU, "lstm": nn.LSTM}[cell]
        self.rnn = recurrent(d_embedding, self.d_direction, batch_first=True, bidirectional=bidirectional)

    def forward(self, source: Int[Tensor, "batch key"]) -> Encoded:
        """Embed the source words and read them."""
        return self.read(self.embed(source), (source != PAD).sum(dim=1))

    def read(self, embedded: Float[Tensor, "batch key d_embedding"], lengths: Int[Tensor, " batch"]) -> Encoded:
        """Read word vectors: `forward` after the embedding, for gradients with respect to the vectors."""
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


class FixedContextDecoder(nn.Module):
    r"""A decoder that knows the source through one vector, the same at every step.

    $$ c = h_n \qquad s_0 = \tanh(W_s c) \qquad s_i = G(s_{i-1}, [y_{i-1}; c]) $$

    Source: Cho et al. 2014, §2.2; Sutskever et al. 2014, eq. 1 (the context as first state).
    Differs: the word is predicted from s_{i−1}, as in Bahdanau et al. 2015, Appendix A.2.2; in Cho et al. from s_i.
    """

    def __init__(self, encoder: Encoder, n_words: int, d_embedding: int, d_hidden: int):
        super().__init__()
        self.embed = nn.Embedding(n_words, d_embedding, padding_idx=PAD)
        self.w_s = nn.Linear(encoder.d_state, d_hidden)
        self.rnn = nn.GRU(d_embedding + encoder.d_state, d_hidden, batch_first=True)
        self.output = DeepOutput(d_hidden, d_embedding, encoder.d_state, n_words)

    def start(self, encoded: Encoded) -> State:
        """The first state, with the context as its memory."""
        return State(torch.tanh(self.w_s(encoded.final)), (encoded.final,))

    def forward(self, tokens: Int[Tensor, "batch query"], state: State) -> DecoderOutput:
        """Read the previous words, predict the next ones."""
        words = self.embed(tokens)
        context = state.memory[0].unsqueeze(1).expand(-1, words.shape[1], -1)
        after, _ = self.rnn(torch.cat([words, context], dim=-1), state.hidden.unsqueeze(0).contiguous())
        before = torch.cat([state.hidden.unsqueeze(1), after[:, :-1]], dim=1)
        logits = self.output(before, words, context)
        return DecoderOutput(logits, None, State(after[:, -1], state.memory), after, context)


class BahdanauDecoder(nn.Module):
    r"""A decoder that attends to all encoder states before each word it writes.

    $$ e_{ij} = v^\top \tanh(W s_{i-1} + U h_j) \qquad a_{ij} = \mathrm{softmax}_j(e_{ij})
       \qquad c_i = \sum_j a_{ij} h_j \qquad s_i = f(s_{i-1}, y_{i-1}, c_i) $$

    The first state is s_0 = tanh(W_s ←h_1). `U h_j` is computed once per sentence. With `query_sees_word` the
    query is [s_{i-1}; y_{i-1}] in place of s_{i-1}.

    Source: Bahdanau et al. 2015, eq. 5–6 and Appendix A.
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
        """The first state; its memory holds the projected keys, the values and the mask."""
        first = torch.tanh(self.w_s(encoded.final[:, -self.d_start :]))
        return State(first, (self.score.w_k(encoded.states), encoded.states, encoded.mask))

    def forward(self, tokens: Int[Tensor, "batch query"], state: State) -> DecoderOutput:
        """Read the previous words, attend, predict the next ones."""
        words, hidden = self.embed(tokens), state.hidden
        states, attended = [hidden], []
        for word in words.unbind(dim=1):
            attended.append(self.attend(hidden, word, state.memory))
            hidden = self.cell(torch.cat([word, attended[-1].context.squeeze(1)], dim=-1), hidden)
            states.append(hidden)
        contexts, weights, scores = (torch.cat(steps, dim=1) for steps in zip(*attended, strict=True))
        logits = self.output(torch.stack(states[:-1], dim=1), words, contexts)
        after = torch.stack(states[1:], dim=1)
        return DecoderOutput(logits, weights, State(hidden, state.memory), after, contexts, scores)

    def attend(self, hidden: Tensor, word: Tensor, memory: tuple[Tensor, ...]) -> AttentionOutput:
        """Attend from one query, s_{i-1}, to all annotations."""
        keys, values, mask = memory
        query = self.score.w_q(torch.cat([hidden, word], dim=-1) if self.query_sees_word else hidden)
        return attention(query.unsqueeze(1), keys, values, mask, self.score.compare)
