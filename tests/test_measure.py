"""Measures and results: hand-computed cases, independent routes, and the protocol in every repr."""

import json
import math
from itertools import combinations

import pytest
import sacrebleu
import torch

from course_lib import measure
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
    head_divergence,
    jensen_shannon,
    load_results,
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
    shifted = accuracy([tuple("yzx")] * 3, PAIRS)
    assert (shifted.exact, shifted.token) == (0, 0)


def test_every_result_says_its_protocol():
    assert FREE in repr(accuracy([()] * 3, PAIRS))
    assert FORCED in repr(accuracy([()] * 3, PAIRS, protocol=FORCED))
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
    pair = Pair(tuple("abc"), tuple("xy"), frozenset({(0, 0)}))
    with pytest.raises(ValueError, match=r"at least 2 × 3, got \(2, 2\)"):
        alignment([torch.eye(2)], [pair])
    with pytest.raises(ValueError, match=r"at least 2 × 3, got \(1, 3\)"):
        alignment([torch.ones(1, 3)], [pair])


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


# ── Divergence ────────────────────────────────────────────────────────────────────────────────────────────────────────


def rows(*numbers):
    """Weights of one query each."""
    return torch.tensor(numbers, dtype=torch.float64)


def drawn(*shape):
    """Weights of random scores, a third of them masked."""
    scores = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    scores[..., 2::3] = -torch.inf
    return scores.softmax(dim=-1)


def in_a_loop(p, r):
    """The mean of two relative entropies against the mixture, key by key, where there is something to sum."""
    total = 0.0
    for one in (p, r):
        for weight, mixed in zip(one.tolist(), ((p + r) / 2).tolist(), strict=True):
            total += weight * math.log2(weight / mixed) / 2 if weight else 0.0
    return total


def test_divergence_by_hand():
    """One key against two even ones: H(¾, ¼) − ½. Rejects natural logarithms, the root of it, and a sum for a mean."""
    got = jensen_shannon(rows([1.0, 0.0]), rows([0.5, 0.5]))
    assert got.tolist() == pytest.approx([2 - 0.75 * math.log2(3) - 0.5])


def test_equal_rows_diverge_by_no_bit_and_disjoint_ones_by_one():
    """However sharp or flat. Rejects the entropy of the mixture alone, and a measure that grows with the keys."""
    even = rows([0.25] * 4, [0, 0, 1.0, 0], [0.7, 0.3, 0, 0])
    assert jensen_shannon(even, even).tolist() == [0, 0, 0]
    apart = jensen_shannon(rows([1.0, 0, 0, 0], [0.5, 0.5, 0, 0]), rows([0, 1.0, 0, 0], [0, 0, 0.9, 0.1]))
    assert apart.tolist() == pytest.approx([1, 1])


def test_divergence_is_that_of_a_loop():
    """Another formula, term by term, with keys that both mask. Rejects 0·log 0 = NaN and another axis for the keys."""
    p, r = drawn(2, 3, 4, 5)
    expected = [[in_a_loop(*two) for two in zip(*one, strict=True)] for one in zip(p, r, strict=True)]
    torch.testing.assert_close(jensen_shannon(p, r), rows(*expected))


@pytest.mark.parametrize("heads", [2, 3])
def test_heads_are_averaged_over_queries_for_each_pair_once(heads):
    """Rejects a head paired with itself, pairs that count twice or in another order, and a mean over sentences."""
    weights = drawn(2, heads, 4, 5)
    expected = [
        [sum(map(in_a_loop, sentence[one], sentence[other])) / 4 for one, other in combinations(range(heads), 2)]
        for sentence in weights
    ]
    torch.testing.assert_close(head_divergence(weights), rows(*expected))


def test_rows_over_other_keys_and_a_single_head_are_explained():
    """Rejects a broadcast of one key against four, and the mean of nothing."""
    with pytest.raises(ValueError, match=r"the same shape, got \(1, 4\) and \(1, 1\)"):
        jensen_shannon(rows([0.25] * 4), rows([1.0]))
    with pytest.raises(ValueError, match="at least 2 heads, got 1"):
        head_divergence(drawn(1, 2, 3))


# ── Results over seeds ────────────────────────────────────────────────────────────────────────────────────────────────

ROWS = [
    {"model": "a", "seed": 0, "exact": {"4–7": 0.5, "8–11": 0.1}, "parameters": 10},
    {"model": "a", "seed": 1, "exact": {"4–7": 0.7, "8–11": 0.3}, "parameters": 10},
    {"model": "b", "seed": 0, "exact": {"4–7": 1.0, "8–11": 0.9}, "parameters": 11},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Results of two chapters, one of them optional."""
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    for chapter, name in {"01": "length", "02a": "dates"}.items():
        content = {name: {"settings": {"steps": 3}, "rows": ROWS, "made_with": {"torch": "2.0"}}}
        (tmp_path / f"chapter_{chapter}.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder):
    return load_results("dates")


def test_summary_over_seeds():
    result = summarise([0.5, 0.75, 0.25])
    assert (result.mean, result.low, result.high, result.n) == (0.5, 0.25, 0.75, 3)
    assert repr(result) == "0.500 [0.250, 0.750] over 3 seeds"
    with pytest.raises(ValueError, match="at least one value, got none"):
        summarise([])


def test_a_range_is_lowest_mean_and_highest_over_seeds(run):
    """Rejects a range over models, or over lengths."""
    labels, low, mean, high = run.range("a", "exact")
    assert labels == ["4–7", "8–11"]
    assert (low.tolist(), high.tolist()) == ([0.5, 0.1], [0.7, 0.3])
    assert mean.tolist() == pytest.approx([0.6, 0.2])
    assert list(run.ranges("exact", ["a", "b"])) == ["a", "b"]
    assert [list(part) for part in run.ranges("exact", {"shown": "a"})["shown"]] == [labels, [0.5, 0.1], [0.7, 0.3]]
    assert [list(part) for part in run.means("exact", {"shown": "a"})["shown"]] == [labels, list(mean)]


def test_values_come_one_for_each_seed_and_the_repr_names_settings_and_versions(run):
    assert run.values("a", "parameters") == [10, 10]
    assert run.models == ("a", "b")
    assert repr(run) == "results of “dates”: 2 models × 2 seeds (torch 2.0); steps 3"


def test_missing_results_are_explained(run, folder):
    with pytest.raises(KeyError, match=r"no 'bleu' of 'a'.*'exact'"):
        run.values("a", "bleu")
    with pytest.raises(KeyError, match=r"of 'c'; models: \('a', 'b'\)"):
        run.values("c", "exact")
    with pytest.raises(ValueError, match="name must be one of length, dates; got 'scores'"):
        load_results("scores")
    for file in folder.iterdir():
        file.unlink()
    with pytest.raises(FileNotFoundError, match="run notebooks in a checkout"):
        load_results("length")


@pytest.mark.parametrize("measure", [lambda: accuracy([()], PAIRS), lambda: accuracy([], []), lambda: bleu([()], [])])
def test_wrong_counts_are_explained(measure):
    with pytest.raises(ValueError, match="one written sentence for each right one: expected"):
        measure()


def test_ranks_of_known_orders():
    """Rejects a correlation of the numbers themselves, and ranks that are only argsorts."""
    a = torch.tensor([[0.1, 5.0, 2.0, 3.0], [0.1, 5.0, 2.0, 3.0], [30.0, 10.0, 20.0, 0.0]])
    b = torch.tensor([[1.0, 900.0, 2.0, 3.0], [3.0, 0.0, 2.0, 1.0], [2.0, 0.0, 3.0, 1.0]])
    torch.testing.assert_close(rank_correlation(a, b), torch.tensor([1.0, -1.0, 0.6]))
