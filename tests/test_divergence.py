"""How far apart rows and heads look: hand-computed cases, the bounds, and a loop that sums in another way."""

import math
from itertools import combinations

import pytest
import torch
from course_lib.divergence import head_divergence, jensen_shannon


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


def test_rows_by_hand():
    """One key against two even ones: H(¾, ¼) − ½. Rejects natural logarithms, the root of it, and a sum for a mean."""
    got = jensen_shannon(rows([1.0, 0.0]), rows([0.5, 0.5]))
    assert got.tolist() == pytest.approx([2 - 0.75 * math.log2(3) - 0.5])


def test_equal_rows_are_no_bit_apart_and_disjoint_ones_one():
    """However sharp or flat. Rejects the entropy of the mixture alone, and a measure that grows with the keys."""
    even = rows([0.25] * 4, [0, 0, 1.0, 0], [0.7, 0.3, 0, 0])
    assert jensen_shannon(even, even).tolist() == [0, 0, 0]
    apart = jensen_shannon(rows([1.0, 0, 0, 0], [0.5, 0.5, 0, 0]), rows([0, 1.0, 0, 0], [0, 0, 0.9, 0.1]))
    assert apart.tolist() == pytest.approx([1, 1])


def test_neither_row_comes_first():
    """Rejects the relative entropy, which differs when its sides are exchanged, and is infinite at a masked key."""
    p, r = drawn(2, 5, 6)
    assert torch.equal(jensen_shannon(p, r), jensen_shannon(r, p))
    assert jensen_shannon(p, r).isfinite().all()


def test_a_key_that_both_mask_changes_nothing():
    """Rejects a mean over the keys, and 0·log 0 = NaN."""
    p, r = drawn(2, 5, 6)
    more = [torch.nn.functional.pad(row, (0, 3)) for row in (p, r)]
    torch.testing.assert_close(jensen_shannon(*more), jensen_shannon(p, r))


def test_rows_are_those_of_a_loop():
    """Another formula, term by term. Rejects another axis for the keys."""
    p, r = drawn(2, 3, 4, 5)
    expected = [[in_a_loop(*two) for two in zip(*one, strict=True)] for one in zip(p, r, strict=True)]
    torch.testing.assert_close(jensen_shannon(p, r), rows(*expected))


def test_heads_are_meaned_over_queries_for_each_pair_once():
    """Rejects a head paired with itself, pairs that count twice or in another order, and a mean over sentences."""
    weights = drawn(2, 3, 4, 5)  # batch head query key
    expected = [
        [sum(map(in_a_loop, sentence[one], sentence[other])) / 4 for one, other in combinations(range(3), 2)]
        for sentence in weights
    ]
    torch.testing.assert_close(head_divergence(weights), rows(*expected))


def test_rows_over_other_keys_are_explained():
    """Rejects a broadcast: one key against four would give a number."""
    with pytest.raises(ValueError, match=r"expected \(1, 4\) twice, got \(1, 1\)"):
        jensen_shannon(rows([0.25] * 4), rows([1.0]))


def test_one_head_has_no_pair():
    """Rejects the mean of nothing, NaN."""
    with pytest.raises(ValueError, match="at least 2, got 1"):
        head_divergence(drawn(1, 2, 3))
