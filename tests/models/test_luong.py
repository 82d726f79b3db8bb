"""Luong's decoder against a loop written from the paper's equations; what every decoder must do is in test_seq2seq."""

import pytest
import torch

from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import Encoder
from course_lib.models.translation import Seq2Seq

N_SOURCE, N_TARGET, D_EMBEDDING, D_STATE = 19, 23, 5, 14
SOURCE = torch.tensor([[4, 7, 9, 2], [5, 2, 0, 0]])
TARGET = torch.tensor([[1, 5, 9, 4, 7], [1, 6, 0, 0, 0]])


def build(score: str = "general", input_feeding: bool = True, d_hidden: int = 11, **options) -> Seq2Seq:
    torch.manual_seed(0)
    encoder = Encoder(N_SOURCE, D_EMBEDDING, D_STATE)
    decoder = LuongDecoder(encoder, N_TARGET, D_EMBEDDING, d_hidden, score, input_feeding, **options)
    return Seq2Seq(encoder, decoder).double().eval()


def scored(decoder, name, h_t, h_s, s):
    """The scores of §3.1 and eq. 8, and of queries and keys with matrices of their own, for the annotation at s."""
    match name:
        case "dot":
            return h_t @ h_s
        case "general":
            return h_t @ decoder.score.w @ h_s
        case "concat":
            return decoder.score.v @ torch.tanh(decoder.score.w @ torch.cat([h_t, h_s]))
        case "location":
            return decoder.score.w[s] @ h_t
    return (decoder.w_q.weight @ h_t) @ (decoder.w_k.weight @ h_s) / len(h_t) ** 0.5


def cell(rnn, read, hidden):
    """One step of the decoder's recurrence."""
    weights = (rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0, rnn.bias_hh_l0)
    return torch.gru_cell(read[None], hidden[None], *weights)[0]


OPTIONS = [("dot", D_STATE, {}), ("general", 11, {}), ("concat", 11, {}), ("location", 11, {}), ("projected", 11, {})]
OPTIONS += [("projected", 11, {"tied_values": True}), ("general", 11, {"static": True})]


@pytest.mark.parametrize("input_feeding", [True, False])
@pytest.mark.parametrize(("score", "d_hidden", "options"), OPTIONS)
def test_the_decoder_equals_a_loop_over_the_papers_equations(score, d_hidden, options, input_feeding):
    """One word, one annotation at a time. Rejects h_{t-1} as the query, [h; c] for [c; h], h̃_t that is not fed,
    keys as values where these have a matrix of their own, and a static query that moves.
    """
    model = build(score, input_feeding, d_hidden, **options)
    decoder, encoded = model.decoder, model.encoder(SOURCE[:1])
    annotations, h, fed = encoded.states[0], torch.tanh(decoder.w_0(encoded.final[0])), torch.zeros(d_hidden).double()
    h_0, values = h, annotations
    if score == "projected":
        values = annotations @ (decoder.w_k if "tied_values" in options else decoder.w_v).weight.T
    got = decoder(TARGET[:1], decoder.start(encoded))
    for t, token in enumerate(TARGET[0]):
        y = decoder.embed(token)
        h = cell(decoder.rnn, torch.cat([y, fed]) if input_feeding else y, h)
        query = h_0 if "static" in options else h
        e = torch.stack([scored(decoder, score, query, h_s, s) for s, h_s in enumerate(annotations)])
        a = e.exp() / e.exp().sum()
        c = sum(a[s] * values[s] for s in range(len(values)))
        fed = torch.tanh(decoder.w_c.weight @ torch.cat([c, h]))  # eq. 5
        logits = decoder.w_s.weight @ fed  # eq. 6, before the softmax
        torch.testing.assert_close(got.scores[0, t], e)
        torch.testing.assert_close(got.weights[0, t], a)
        torch.testing.assert_close(got.contexts[0, t], c)
        torch.testing.assert_close(got.hidden[0, t], h)
        torch.testing.assert_close(got.combined[0, t], fed)
        torch.testing.assert_close(got.logits[0, t], logits)


def test_without_input_feeding_a_whole_target_is_one_call():
    """Rejects a loop over the words where none is needed: the recurrence, the score and eq. 6 are called once."""
    for feeding, calls in ((False, 1), (True, TARGET.shape[1])):
        model, counted = build(input_feeding=feeding), []
        for part in (model.decoder.rnn, model.decoder.score, model.decoder.w_c):
            part.register_forward_hook(lambda *_, counted=counted: counted.append(1))
        model(SOURCE, TARGET)
        assert len(counted) == 3 * calls


def test_input_feeding_passes_the_attentional_vector_to_the_next_word():
    """Rejects h̃_{t−1} that is never read: other values of it, with all else the same, must change the logits."""
    for feeding in (True, False):
        model = build(input_feeding=feeding)
        state = model.decoder.start(model.encoder(SOURCE))
        *memory, fed = state.memory
        other = model.decoder(TARGET[:, :1], state._replace(memory=(*memory, fed + 0.5)))
        moved = (other.logits - model.decoder(TARGET[:, :1], state).logits).abs().max()
        assert (moved > 1e-4) == feeding


def test_wrong_sizes_and_unknown_scores_raise():
    with pytest.raises(ValueError, match=r"same feature size: expected 11, got 14"):
        build("dot", d_hidden=11)(SOURCE, TARGET)
    with pytest.raises(ValueError, match=r"one of dot, general, concat, location, projected, got 'cosine'"):
        build("cosine")
