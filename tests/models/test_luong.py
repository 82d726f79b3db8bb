"""Luong's decoder against a loop written from the paper's equations; what every decoder must do is in test_seq2seq."""

import pytest
import torch

from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import Encoder
from course_lib.models.translation import Seq2Seq

N_SOURCE, N_TARGET, D_EMBEDDING, D_STATE = 19, 23, 5, 14
SOURCE = torch.tensor([[4, 7, 9, 2], [5, 2, 0, 0]])
TARGET = torch.tensor([[1, 5, 9, 4, 7], [1, 6, 0, 0, 0]])


def build(score: str = "general", input_feeding: bool = True, d_hidden: int = 11, seed: int = 0) -> Seq2Seq:
    torch.manual_seed(seed)
    encoder = Encoder(N_SOURCE, D_EMBEDDING, D_STATE)
    decoder = LuongDecoder(encoder, N_TARGET, D_EMBEDDING, d_hidden, score, input_feeding)
    return Seq2Seq(encoder, decoder).double().eval()


def scored(decoder, name, h_t, h_s):
    """The three scores of §3.1, for one state and one annotation."""
    if name == "dot":
        return h_t @ h_s
    if name == "general":
        return h_t @ decoder.score.w @ h_s
    return decoder.score.v @ torch.tanh(decoder.score.w @ torch.cat([h_t, h_s]))


@pytest.mark.parametrize("input_feeding", [True, False])
@pytest.mark.parametrize(("score", "d_hidden"), [("dot", D_STATE), ("general", 11), ("concat", 11)])
def test_the_decoder_equals_a_loop_over_the_papers_equations(score, d_hidden, input_feeding):
    """One word, one annotation at a time. Rejects h_{t-1} as the query, [h; c] for [c; h], h̃_t that is not fed."""
    model = build(score, input_feeding, d_hidden)
    decoder, encoded = model.decoder, model.encoder(SOURCE[:1])
    annotations, h, fed = encoded.states[0], torch.tanh(decoder.w_0(encoded.final[0])), torch.zeros(d_hidden).double()
    got = decoder.run(TARGET[:1], decoder.start(encoded))
    for t, token in enumerate(TARGET[0]):
        y = decoder.embed(token)
        h = decoder.cell((torch.cat([y, fed]) if input_feeding else y)[None], h[None])[0]
        e = torch.stack([scored(decoder, score, h, h_s) for h_s in annotations])
        a = e.exp() / e.exp().sum()
        c = sum(a[s] * annotations[s] for s in range(len(annotations)))
        fed = torch.tanh(decoder.w_c.weight @ torch.cat([c, h]))  # eq. 5
        logits = decoder.w_s.weight @ fed  # eq. 6, before the softmax
        torch.testing.assert_close(got.scores[0, t], e)
        torch.testing.assert_close(got.decoded.weights[0, t], a)
        torch.testing.assert_close(got.contexts[0, t], c)
        torch.testing.assert_close(got.states[0, t], h)
        torch.testing.assert_close(got.combined[0, t], fed)
        torch.testing.assert_close(got.decoded.logits[0, t], logits)


def test_changing_the_source_moves_the_weights():
    model, changed = build(), SOURCE.clone()
    changed[0, 1] = 11
    moved = (model(changed, TARGET).weights - model(SOURCE, TARGET).weights).abs().amax(dim=(1, 2))
    assert moved[0] > 1e-4
    assert moved[1] == 0  # the other sentence of the batch


def test_padding_gets_no_weight_and_changes_nothing():
    model = build()
    alone, together = model(SOURCE[1:, :2], TARGET[1:]), model(SOURCE, TARGET)
    torch.testing.assert_close(together.logits[1], alone.logits[0])
    assert (together.weights[1, :, 2:] == 0).all()


def test_input_feeding_carries_the_last_look_to_the_next_word():
    """Rejects h̃_{t−1} that is never read: other values of it, with all else the same, must change the logits."""
    for feeding in (True, False):
        model = build(input_feeding=feeding)
        state = model.decoder.start(model.encoder(SOURCE))
        annotations, mask, fed = state.memory
        other = model.decoder(TARGET[:, :1], state._replace(memory=(annotations, mask, fed + 0.5)))
        moved = (other.logits - model.decoder(TARGET[:, :1], state).logits).abs().max()
        assert (moved > 1e-4) == feeding


def test_wrong_sizes_and_unknown_scores_raise():
    with pytest.raises(ValueError, match=r"same feature size: expected 11, got 14"):
        build("dot", d_hidden=11)(SOURCE, TARGET)
    with pytest.raises(ValueError, match=r"expected one of dot, general, concat, got cosine"):
        build("cosine")
