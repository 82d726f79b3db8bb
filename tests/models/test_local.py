"""The decoder with windows against the library's own local attention, and word by word against all at once."""

import pytest
import torch

from course_lib.attention.selection import local
from course_lib.models.local import LocalDecoder
from course_lib.models.seq2seq import Encoder
from course_lib.models.translation import Seq2Seq

SOURCE = torch.tensor([[4, 7, 9, 5, 8, 2], [5, 6, 2, 0, 0, 0]])
TARGET = torch.tensor([[1, 5, 9, 4, 7], [1, 6, 0, 0, 0]])


def build(center, radius=1):
    torch.manual_seed(0)
    encoder = Encoder(19, 5, 14)
    return Seq2Seq(encoder, LocalDecoder(encoder, 23, 5, 10, center, radius)).double().eval()


@pytest.mark.parametrize("center", ["monotonic", "predictive"])
def test_equals_local_attention_around_the_centers_of_the_paper(center):
    """Rejects padding in a window, a length that counts it, a Gaussian for local-m, a center one word late."""
    model = build(center)
    decoder, encoded = model.decoder, model.encoder(SOURCE)
    output = decoder(TARGET, decoder.start(encoded))
    positions = torch.arange(5).double().expand(2, -1)
    if center == "predictive":
        hidden = torch.tanh(output.hidden @ decoder.position.w_p.weight.T)
        positions = torch.tensor([[5.0], [2.0]]) * torch.sigmoid(hidden @ decoder.position.v_p.weight[0])
    states, predictive = encoded.states, center == "predictive"
    expected = local(output.hidden, states, states, positions, 1, encoded.mask, decoder.score, predictive)
    torch.testing.assert_close(output.weights, expected.weights)
    torch.testing.assert_close(output.contexts, expected.context)
    torch.testing.assert_close(output.scores, output.hidden @ decoder.score.w @ states.mT)


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
    """Rejects a window that ends elsewhere than at its radius."""
    model = build("monotonic", radius=6)
    output = model(SOURCE, TARGET)
    expected = output.scores.masked_fill(~model.encoder(SOURCE).mask, -torch.inf).softmax(dim=-1)
    torch.testing.assert_close(output.weights, expected)


def test_wrong_settings_raise():
    """Rejects an empty window, and another center that silently becomes one of the two."""
    with pytest.raises(ValueError, match="center must be one of monotonic, predictive, got 'middle'"):
        build("middle")
    with pytest.raises(ValueError, match="radius ≥ 1, got 0"):
        build("monotonic", 0)
    build("monotonic", 1)
