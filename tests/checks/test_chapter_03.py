"""The references of chapter 3's checks against the library, which computes the same in its own way."""

import pytest
import torch

from course_lib.attention import attention
from course_lib.attention.scores import location
from course_lib.checks.chapter_03 import beam_search, luong_step, query_state, scores
from course_lib.models import Encoder, LuongDecoder, Seq2Seq, beam
from course_lib.tokens import BOS
from course_lib.training import set_seed

from .cases import inputs


def test_location_weights_are_the_librarys():
    """Where the matrix knows the whole sentence; beyond, those of the places it knows, and zero."""
    for h, n, W in inputs(scores.check_location):
        known = min(n, len(W))
        places = torch.zeros(known, 1).double()
        found = attention(h, places, places, score=lambda q, k, W=W: location(q, k, W))
        weights = scores.location(h, n, W)
        torch.testing.assert_close(weights[:, :known], found.weights)
        assert weights.shape == (len(h), n)
        assert (weights[:, known:] == 0).all()


def decoder_and_start(**options):
    """A decoder of the library and where it stands before the first word of two sentences."""
    set_seed(0)
    encoder = Encoder(10, d_embedding=3, d_state=4)
    decoder = LuongDecoder(encoder, 10, d_embedding=3, d_hidden=5, **options)
    return decoder, decoder.start(encoder(torch.tensor([[4, 5, 6], [7, 8, 0]])))


def test_a_tick_is_one_step_of_the_librarys_decoder():
    """Rejects another order: a look before the move, or a cell that is fed something else. The second of two steps."""
    decoder, start = decoder_and_start()
    start = start._replace(memory=(*start.memory[:2], torch.ones_like(start.memory[2]), *start.memory[3:]))
    words = torch.tensor([[4, 7], [5, 9]])
    before = decoder(words[:, :1], start).state
    output = decoder(words[:, 1:], before)
    keys = before.memory[0]
    weights, state, combined = luong_step.luong_step(
        decoder.embed(words)[:, 1],
        before.hidden,
        before.memory[-1],
        keys,
        lambda x, h: decoder.rnn(x[:, None], h[None])[0][:, 0],
        decoder.score.w,
        decoder.w_c.weight,
    )
    torch.testing.assert_close(weights, output.weights[:, 0])
    torch.testing.assert_close(state, output.hidden[:, 0])
    torch.testing.assert_close(combined, output.combined[:, 0])


def test_all_looks_are_those_of_the_librarys_decoder():
    """Without input feeding; rejects a check that takes the state before the step for the right one."""
    decoder, start = decoder_and_start(input_feeding=False)
    output = decoder(torch.tensor([[4, 5, 6, 7], [8, 9, 4, 5]]), start)
    keys, _, mask, *_ = start.memory
    weights = query_state.attention_weights(start.hidden, output.hidden, keys, mask[:, 0], decoder.score.w)
    torch.testing.assert_close(weights, output.weights)


def test_a_step_is_one_of_the_librarys_beam_search(monkeypatch):
    """Two steps of the reference reach the library's hypotheses of two words. Rejects steps that forget what was."""
    monkeypatch.setattr(beam, "EOS", -1)  # no hypothesis ends
    set_seed(0)
    encoder = Encoder(8, d_embedding=3, d_state=4)
    model = Seq2Seq(encoder, LuongDecoder(encoder, 8, d_embedding=3, d_hidden=5))
    source = torch.tensor([[4, 5, 6]])
    state = model.decoder.start(model.encoder(source))
    totals, tokens, ids = torch.zeros(1), torch.tensor([[BOS]]), [()]
    with torch.no_grad():
        for _ in range(2):
            output = model.decoder(tokens, state)
            rows, words, totals = beam_search.beam_step(totals, output.logits[:, -1], 3)
            ids = [(*ids[row], word) for row, word in zip(rows.tolist(), words.tolist(), strict=True)]
            state, tokens = output.state.select(rows), words[:, None]
    expected = beam.beam_search(model, source, max_length=2, width=3, alpha=0.0)
    assert ids == [one.ids for one in expected]
    assert totals.tolist() == pytest.approx([one.log_probability for one in expected], abs=1e-5)
