"""The references of chapter 2's checks against the library, which computes the same in its own way."""

import pytest
import torch

from course_lib.attention import attention
from course_lib.attention.scores import additive
from course_lib.checks.chapter_02 import alignment as alignments
from course_lib.checks.chapter_02 import attention_step, decoder_step
from course_lib.data import Pair
from course_lib.measure import alignment, argmax_on_gold
from course_lib.models import BahdanauDecoder, Encoder
from course_lib.training import set_seed

from .cases import inputs


def test_scores_are_the_librarys():
    for s, h, W, U, v in inputs(attention_step.check_additive):
        torch.testing.assert_close(attention_step.additive(s, h, W, U, v), additive(s @ W.T, h @ U.T, v))


def test_a_look_is_the_librarys():
    for e, h, mask in inputs(attention_step.check_look):
        expected = attention(e[:, None], h, h, mask[:, None], score=lambda q, k: q)
        context, weights = attention_step.attend(e, h, mask)
        torch.testing.assert_close(context, expected.context[:, 0])
        torch.testing.assert_close(weights, expected.weights[:, 0])


def test_a_tick_is_one_step_of_the_librarys_decoder():
    """Rejects another order: a query that has read the word, or a cell that reads what was not attended to."""
    set_seed(0)
    encoder = Encoder(10, d_embedding=3, d_state=4)
    decoder = BahdanauDecoder(encoder, 10, d_embedding=3, d_hidden=5)
    start = decoder.start(encoder(torch.tensor([[4, 5, 6], [7, 8, 9]])))
    words = torch.tensor([[4], [5]])
    output = decoder(words, start)
    context, weights, state = decoder_step.decoder_step(
        start.hidden,
        decoder.embed(words)[:, 0],
        start.memory[1],
        decoder.score.w_q.weight,
        decoder.score.w_k.weight,
        decoder.score.v,
        lambda s, y, c: decoder.cell(torch.cat([y, c], dim=1), s),
    )
    torch.testing.assert_close(context, output.contexts[:, 0])
    torch.testing.assert_close(weights, output.weights[:, 0])
    torch.testing.assert_close(state, output.state.hidden)


def pair_of(gold):
    """A pair with this gold alignment."""
    links = frozenset(map(tuple, gold.nonzero().tolist()))
    return Pair(tuple(map(str, range(gold.shape[1]))), tuple(map(str, range(gold.shape[0]))), links)


def test_pointing_is_the_librarys_among_words():
    """Rejects a choice among words and <eos>: the library is given the columns of words."""
    for weights, gold in inputs(alignments.check_bug):
        expected = argmax_on_gold(weights[:, :-1], pair_of(gold)).mean()
        assert alignments.share_pointing(weights, gold) == pytest.approx(expected)


def test_the_error_rate_is_the_librarys():
    """Over words that have gold links, to which the library keeps; over all words, the formula with the library's hits.

    Rejects an exercise in which words without a link cost nothing.
    """
    for weights, gold, words in inputs(alignments.check_rate):
        lengths = words.sum(dim=1).tolist()
        pairs = [pair_of(sure[:n]) for sure, n in zip(gold, lengths, strict=True)]
        rows = [rows[:n] for rows, n in zip(weights, lengths, strict=True)]
        expected = alignment(rows, pairs).error_rate
        assert alignments.error_rate(weights, gold, gold.any(dim=2)) == pytest.approx(expected)
        right = sum(argmax_on_gold(*one).sum() for one in zip(rows, pairs, strict=True))
        of_all = 1 - 2 * right / (sum(lengths) + gold.sum().item())
        assert alignments.error_rate(weights, gold, words) == pytest.approx(of_all)
        assert of_all > expected or max(lengths) <= 2
