"""Associative recall: the partner of each card against a loop over cards."""

import pytest
import torch

from course_lib.data.associative_recall import CARDS, RELATIONS, SYMBOLS, VALUES, associative_recall
from course_lib.data.associative_recall import associative_recall_batches as batches


def partner_by_hand(relation, symbols, i):
    if relation == "before":
        return max(i - 1, 0)
    if relation == "next":
        return symbols.index((symbols[i] + 1) % SYMBOLS)
    (match,) = (j for j in range(len(symbols)) if j != i and symbols[j] == symbols[i])
    return match


@pytest.mark.parametrize("relation", RELATIONS)
def test_partners_and_answers_are_those_of_the_relation(relation):
    """Rejects a shifted partner, a card that matches itself, a circle that does not close, another card's answer."""
    rows = associative_recall(relation, 50, torch.Generator().manual_seed(0))
    assert rows.symbols.shape == rows.values.shape == (50, CARDS) == (50, 8)
    assert set(rows.values.flatten().tolist()) == set(range(VALUES))
    for symbols, values, partner, answer in zip(*(part.tolist() for part in rows), strict=True):
        assert partner == [partner_by_hand(relation, symbols, i) for i in range(CARDS)]
        assert answer == [values[j] for j in partner]


def test_rows_differ_and_values_are_independent():
    """Rejects one order for all rows, and values that depend on the symbol or the position."""
    rows = associative_recall("match", 4000, torch.Generator().manual_seed(0))
    for known in (rows.symbols, torch.arange(CARDS).expand(4000, -1)):
        means = torch.stack([rows.values[known == kind].double().mean() for kind in range(8)])
        assert (means - (VALUES - 1) / 2).abs().max() < 0.4  # the standard error is below .08
    assert len({tuple(row) for row in rows.symbols.tolist()}) > 1500  # of 8 · 7 · 6 · 5 / 24 · 8! / 16 orders


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and the same batch again and again."""
    one, same, other = (batches("next", seed) for seed in (0, 0, 1))
    first, second = next(one), next(one)
    assert len(first.values) == 64
    assert all(map(torch.equal, first, next(same)))
    assert not torch.equal(first.values, second.values)
    assert not torch.equal(first.values, next(other).values)


def test_an_unknown_relation_raises():
    """Rejects a relation that silently becomes another one."""
    with pytest.raises(ValueError, match="relation must be one of match, before, next, got 'after'"):
        associative_recall("after", 1)
