"""The decoder with windows against the library's own local attention, and word by word against all at once."""

import pytest
import torch

from course_lib.attention.scores import Bilinear
from course_lib.attention.selection import local
from course_lib.models.local import LocalDecoder
from course_lib.models.seq2seq import Encoder
from course_lib.models.translation import Seq2Seq

SOURCE = torch.tensor([[4, 7, 9, 5, 8, 2], [5, 6, 2, 0, 0, 0]])
TARGET = torch.tensor([[1, 5, 9, 4, 7], [1, 6, 0, 0, 0]])


def build(center, reach=1):
    """A model in double precision."""
    torch.manual_seed(0)
    encoder = Encoder(19, 5, 14)
    return Seq2Seq(encoder, LocalDecoder(encoder, 23, 5, 10, center, reach)).double().eval()


@pytest.mark.parametrize("center", ["monotonic", "predictive"])
def test_looks_are_local_attention_round_the_centers_of_the_paper(center):
    """Rejects padding in a window, a length that counts it, a fade for local-m, and a center that lags one word."""
    model = build(center)
    decoder, encoded = model.decoder, model.encoder(SOURCE)
    run = decoder.run(TARGET, decoder.start(encoded))
    places = torch.arange(5).double().expand(2, -1)
    if center == "predictive":
        hidden = torch.tanh(run.states @ decoder.place.w_p.weight.T)
        places = torch.tensor([[5.0], [2.0]]) * torch.sigmoid(hidden @ decoder.place.v_p.weight[0])
    assert isinstance(decoder.score, Bilinear)
    fade = center == "predictive"
    seen = local(run.states, encoded.states, encoded.states, places, 1, encoded.mask, decoder.score, fade)
    torch.testing.assert_close(run.decoded.weights, seen.weights)
    torch.testing.assert_close(run.contexts, seen.context)


@pytest.mark.parametrize("center", ["monotonic", "predictive"])
def test_word_by_word_gives_what_the_whole_target_gives(center):
    """Rejects a window that stands still when words come one at a time, as in greedy decoding."""
    model = build(center)
    whole, state = model(SOURCE, TARGET), model.decoder.start(model.encoder(SOURCE))
    for t in range(TARGET.shape[1]):
        step = model.decoder(TARGET[:, t : t + 1], state)
        torch.testing.assert_close(step.weights[:, 0], whole.weights[:, t])
        torch.testing.assert_close(step.logits[:, 0], whole.logits[:, t])
        state = step.state


def test_a_window_wider_than_the_sentence_is_global():
    """Rejects a window that cuts at another place than its reach."""
    model = build("monotonic", reach=6)
    decoder = model.decoder
    run = decoder.run(TARGET, decoder.start(model.encoder(SOURCE)))
    expected = run.scores.masked_fill(~model.encoder(SOURCE).mask, -torch.inf).softmax(dim=-1)
    torch.testing.assert_close(run.decoded.weights, expected)


@pytest.mark.parametrize(("center", "reach"), [("middle", 1), ("monotonic", 0)])
def test_wrong_settings_are_named(center, reach):
    """Rejects a window of nothing, and a center that silently becomes another one."""
    with pytest.raises(ValueError, match=f"got {center} and {reach}"):
        build(center, reach)
