"""The references of chapter 2's checks against the library, which computes the same in its own way."""

import math

import numpy as np
import pytest
import torch

from course_lib.attention import attention, masked_softmax
from course_lib.attention.scores import additive
from course_lib.checks import chapter_02
from course_lib.checks.chapter_02 import alignment as alignments
from course_lib.checks.chapter_02 import attention_step, decoder_step
from course_lib.data import Pair
from course_lib.measure import alignment, argmax_on_gold, entropy
from course_lib.models import BahdanauDecoder, Encoder
from course_lib.training import set_seed


def inputs(check):
    """The arguments of all cases."""
    return check.cases(np.random.default_rng(0)).values()


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
    run = decoder.run(words, start)
    context, weights, state = decoder_step.decoder_step(
        start.hidden,
        decoder.embed(words)[:, 0],
        start.memory[1],
        decoder.score.w_q.weight,
        decoder.score.w_k.weight,
        decoder.score.v,
        lambda s, y, c: decoder.cell(torch.cat([y, c], dim=1), s),
    )
    torch.testing.assert_close(context, run.contexts[:, 0])
    torch.testing.assert_close(weights, run.decoded.weights[:, 0])
    torch.testing.assert_close(state, run.decoded.state.hidden)


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


def test_looks_are_as_foreseen():
    """The right predictions, but for the untrained decoder's, are what the library computes."""
    scores = torch.tensor([[math.log(3)] + [0.0] * 11])
    is_word = torch.arange(12)[None] < 2
    every = torch.cartesian_prod(*[torch.tensor([-50.0, 50.0])] * 3)
    bound = additive(every, torch.zeros(1, 3), torch.tensor([2.0, -3.0, 6.0])).max()
    measured = [
        masked_softmax(scores, is_word)[0, 0],
        masked_softmax(scores)[0, 0],
        (masked_softmax(scores) * is_word).sum(),
        bound,
        entropy(torch.full((1, 8), 1 / 8))[0],
    ]
    np.testing.assert_allclose(measured, chapter_02.check_foreseen.reference()[:5], atol=1e-5)


def test_before_training_all_places_weigh_about_the_same():
    """Rejects the prediction that random parameters decide for a place."""
    for seed in range(3):
        set_seed(seed)
        encoder = Encoder(20, d_embedding=32, d_state=64)
        decoder = BahdanauDecoder(encoder, 20, d_embedding=32, d_hidden=64)
        weights = decoder(torch.arange(4, 13)[None], decoder.start(encoder(torch.arange(4, 13)[None]))).weights
        options = {"1/9": 1 / 9, "1/2": 1 / 2, "1": 1}
        nearest = min(options, key=lambda text: abs(options[text] - weights.max().item()))
        assert nearest == chapter_02.check_foreseen.reference()[5]


def test_a_context_knows_no_order():
    q, k, v = torch.randn(2, 3), torch.randn(5, 3), torch.randn(5, 4)
    torch.testing.assert_close(attention(q, k, v).context, attention(q, k.flip(0), v.flip(0)).context)
    assert chapter_02.check_foreseen.reference()[6] == "the same"
