"""The references of chapter 1's checks against PyTorch and against the library that the chapter uses."""

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence

from course_lib.checks import chapter_01
from course_lib.checks.chapter_01 import greedy as writing
from course_lib.checks.chapter_01 import loss as next_word
from course_lib.checks.chapter_01 import recurrent as reading
from course_lib.data import Vocabulary, collate, sentences
from course_lib.measure import accuracy
from course_lib.models import Encoder, FixedContextDecoder, Seq2Seq, translate, translation_loss


@pytest.fixture(scope="module")
def translator():
    """An untrained model with its vocabularies and a few pairs of different lengths."""
    pairs = sentences("fr", 12, lengths=(4, 9), seed=0)
    french, english = Vocabulary.of(pair.source for pair in pairs), Vocabulary.of(pair.target for pair in pairs)
    torch.manual_seed(0)
    encoder = Encoder(len(french), 8, 16)
    model = Seq2Seq(encoder, FixedContextDecoder(encoder, len(english), 8, 16))
    return model.requires_grad_(False), pairs, french, english


def test_a_step_is_pytorchs():
    x, h, W, U, b = chapter_01.check_step.inputs("two sentences, words of three numbers, states of five")
    cell = torch.nn.RNNCell(3, 5)
    cell.load_state_dict({"weight_ih": W, "weight_hh": U, "bias_ih": b, "bias_hh": 0 * b})
    torch.testing.assert_close(reading.rnn_step(x, h, W, U, b), cell(x, h).detach())


def test_a_padded_batch_is_read_as_a_packed_one():
    """Rejects a reference that reads padding: PyTorch's packed sentences have none."""
    torch.manual_seed(0)
    rnn, cell = torch.nn.GRU(3, 5, batch_first=True).requires_grad_(False), torch.nn.GRUCell(3, 5).requires_grad_(False)
    cell.load_state_dict({name.removesuffix("_l0"): matrix for name, matrix in rnn.state_dict().items()})
    x, h, lengths = torch.randn(4, 6, 3), torch.randn(4, 5), torch.tensor([2, 5, 1, 4])
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    torch.testing.assert_close(reading.read_batch(x, lengths, h, cell), rnn(packed, h[None])[1][0])


def test_the_loss_is_the_one_that_the_chapter_trains_with(translator):
    model, pairs, french, english = translator
    batch = collate(pairs, french, english)
    found = next_word.next_word_loss(lambda words: model(batch.source, words).logits, batch.target_out)
    torch.testing.assert_close(found, translation_loss(model, batch))


def test_words_are_those_of_translate(translator):
    """Rejects a reference that stops elsewhere, or reads other words, than the library's greedy decoding."""
    model, pairs, french, english = translator
    for pair in pairs:
        start = model.decoder.start(model.encoder(torch.tensor([french.encode(pair.source)])))

        def step(word, state):
            output = model.decoder(torch.tensor([[word]]), state)
            return output.logits[0, 0], output.state

        written = writing.free_running(step, start, 7)
        assert english.decode(written) == translate(model, [pair.source], french, english, max_length=7)[0].words


def test_exact_match_is_the_librarys():
    pairs = sentences("fr", 60, lengths=(4, 12), seed=1)
    written = [pair.target if k % 3 else pair.target[:-1] for k, pair in enumerate(pairs)]
    table = [(len(pair.source), list(words), list(pair.target)) for words, pair in zip(written, pairs, strict=True)]
    bands = [(4, 6), (7, 9), (10, 12)]
    expected = [band.exact for band in accuracy(written, pairs, bands).by_length]
    np.testing.assert_allclose(chapter_01.exact_by_length(table, bands), expected)
