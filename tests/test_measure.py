"""Measures: hand-computed cases, independent routes, and the protocol in every repr."""

import math

import pytest
import sacrebleu
import torch

from course_lib.data.pairs import Pair
from course_lib.measure import (
    FORCED,
    FREE,
    accuracy,
    alignment,
    argmax_on_gold,
    bleu,
    crosses,
    entropy,
    rank_correlation,
    saliency,
    summarise,
)

PAIRS = [Pair(tuple("ab"), tuple("xyz")), Pair(tuple("abcd"), tuple("xy")), Pair(tuple("abcde"), tuple("z"))]


def test_accuracy_by_hand():
    """Rejects a match of the first words only (the third), and tokens counted over the written words."""
    result = accuracy([tuple("xyz"), tuple("xz"), tuple("zz")], PAIRS, bands=[(1, 3), (4, 5), (6, 9)])
    assert result.exact == pytest.approx(1 / 3)
    assert result.token == pytest.approx((3 + 1 + 1) / 6)
    assert [(b.label, b.n, b.exact) for b in result.by_length] == [("1–3", 1, 1.0), ("4–5", 2, 0.0)]
    assert result.by_length[1].token == pytest.approx(2 / 3)


def test_a_shifted_sentence_is_not_right():
    result = accuracy([tuple("yzx")] * 3, PAIRS)
    assert result.exact == 0
    assert result.token == 0


def test_every_result_says_its_protocol():
    assert FREE in repr(accuracy([()] * 3, PAIRS))
    assert FREE in repr(bleu([tuple("xyz")], [tuple("xyz")]))
    assert "signature" not in repr(bleu([tuple("xyz")], [tuple("xyz")]))
    assert "version:" in repr(bleu([tuple("xyz")], [tuple("xyz")]))
    assert FORCED in repr(alignment([torch.eye(3)], [Pair(tuple("abc"), tuple("xyz"), frozenset({(0, 0)}))]))


def test_bleu_is_sacrebleus_and_the_sides_are_not_exchanged():
    """Rejects written and right exchanged: the brevity penalty then falls on the wrong side."""
    written, right = [list("abc")], [list("abcdea")]
    got = bleu([tuple(w) for w in written], [tuple(r) for r in right]).score
    expected = sacrebleu.corpus_bleu(["a b c"], [["a b c d e a"]], tokenize="none", force=True).score
    assert got == pytest.approx(expected)
    assert got < bleu([tuple(right[0])], [tuple(right[0])]).score == pytest.approx(100)
    exchanged = bleu([tuple(r) for r in right], [tuple(w) for w in written]).score
    assert abs(got - exchanged) > 1


def test_alignment_by_hand():
    """Two words, three links: A has 2, one of them right; AER = 1 − 2·1/(2 + 3). Rejects rows and columns exchanged."""
    pair = Pair(tuple("abc"), tuple("xy"), frozenset({(0, 1), (1, 0), (1, 2)}))
    weights = torch.tensor([[0.1, 0.8, 0.1, 0.0], [0.2, 0.5, 0.3, 0.0], [0.0, 0.0, 0.0, 1.0]])  # with <eos>
    result = alignment([weights], [pair])
    assert result.error_rate == pytest.approx(1 - 2 / 5)
    assert result.accuracy == 0.5
    assert result.n_words == 2


def test_a_perfect_one_to_one_alignment_has_no_error():
    pair = Pair(tuple("abc"), tuple("xyz"), frozenset({(0, 2), (1, 1), (2, 0)}))
    assert alignment([torch.eye(3).flip(0)], [pair]).error_rate == 0
    assert alignment([torch.eye(3).roll(1, 0).flip(0)], [pair]).error_rate == 1


def test_words_that_cross_are_those_in_inverted_order():
    """zone économique européenne ↔ European economic area: the ends cross; a monotone pair has no crossing word."""
    inverted = Pair(tuple("lzée"), tuple("teea"), frozenset({(0, 0), (1, 3), (2, 2), (3, 1)}))
    assert crosses(inverted).tolist() == [False, True, True, True]
    spread_out = Pair(tuple("abc"), tuple("xy"), frozenset({(0, 0), (1, 1), (1, 2)}))
    assert crosses(spread_out).tolist() == [False, False]


def test_points_right_is_told_word_by_word():
    pair = Pair(tuple("abc"), tuple("xy"), frozenset({(0, 1), (1, 0), (1, 2)}))
    assert argmax_on_gold(torch.tensor([[0.1, 0.8, 0.1], [0.2, 0.5, 0.3]]), pair).tolist() == [True, False]


def test_weights_too_small_for_the_sentence_are_explained():
    with pytest.raises(ValueError, match=r"at least 2 × 3, got \(2, 2\)"):
        alignment([torch.eye(2)], [Pair(tuple("abc"), tuple("xy"), frozenset({(0, 0)}))])


def test_words_without_a_gold_link_are_not_counted():
    """A hyphen of a date belongs to no character: rejects a model blamed for looking anywhere."""
    pair = Pair(tuple("ab"), tuple("x-y"), frozenset({(0, 0), (2, 1)}))
    result = alignment([torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])], [pair])
    assert (result.error_rate, result.accuracy, result.n_words) == (0.0, 1.0, 2)


def test_an_alignment_needs_weights_and_gold():
    with pytest.raises(ValueError, match="pairs must have gold links"):
        alignment([torch.eye(2)], [Pair(tuple("ab"), tuple("xy"))])
    with pytest.raises(ValueError, match=r"at least 1 × 1, got \(\)"):
        alignment([None], [Pair(("a",), ("x",), frozenset({(0, 0)}))])


def test_entropy_of_known_distributions():
    """In bits. Rejects natural logarithms, and 0·log 0 = NaN."""
    weights = torch.tensor([[1.0, 0, 0, 0], [0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0]], dtype=torch.float64)
    assert entropy(weights).tolist() == pytest.approx([0, 2, 1])


def test_influence_is_the_norm_of_the_gradient():
    """Linear outputs, whose gradients can be read off. Rejects squared norms and rows exchanged with columns."""
    inputs = torch.randn(4, 2, requires_grad=True)
    outputs = torch.stack([3 * inputs[0, 0] + 4 * inputs[0, 1], inputs[2, 1] * -2, (inputs[1] * 0).sum()])
    expected = [[5, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]
    assert saliency(outputs, inputs).tolist() == [pytest.approx(row) for row in expected]


def test_spread_over_seeds():
    result = summarise([0.5, 0.75, 0.25])
    assert (result.mean, result.low, result.high, result.n) == (0.5, 0.25, 0.75, 3)
    assert repr(result) == "0.500 [0.250, 0.750] over 3 seeds"
    assert not math.isnan(summarise([1.0]).mean)


@pytest.mark.parametrize("measure", [lambda: accuracy([()], PAIRS), lambda: accuracy([], []), lambda: bleu([()], [])])
def test_wrong_counts_are_explained(measure):
    with pytest.raises(ValueError, match="one written sentence for each right one: expected"):
        measure()


def test_a_spread_needs_values():
    with pytest.raises(ValueError, match="at least one value"):
        summarise([])


def test_ranks_of_known_orders():
    """Rejects a correlation of the numbers themselves, and ranks that are only argsorts."""
    a = torch.tensor([[0.1, 5.0, 2.0, 3.0], [0.1, 5.0, 2.0, 3.0], [30.0, 10.0, 20.0, 0.0]])
    b = torch.tensor([[1.0, 900.0, 2.0, 3.0], [3.0, 0.0, 2.0, 1.0], [2.0, 0.0, 3.0, 1.0]])
    torch.testing.assert_close(rank_correlation(a, b), torch.tensor([1.0, -1.0, 0.6]))
