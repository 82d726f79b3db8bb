"""Rows of cards: the partner of each card against loops that can be believed by reading."""

import pytest
import torch

from course_lib.data.associative_recall import (
    PLACES,
    RELATIONS,
    SYMBOLS,
    VALUES,
    associative_recall,
    associative_recall_batches,
)


def partner_by_hand(relation, symbols, i):
    """Whom card i of a row has to ask."""
    if relation == "before":
        return max(i - 1, 0)
    if relation == "next":
        return symbols.index((symbols[i] + 1) % SYMBOLS)
    (twin,) = (j for j in range(len(symbols)) if j != i and symbols[j] == symbols[i])
    return twin


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_partner_is_the_one_that_the_relation_names(relation):
    """Rejects a shifted partner, a card that is its own twin, a circle that does not close, the answer of another."""
    rows = associative_recall(relation, 50, torch.Generator().manual_seed(0))
    assert rows.symbols.shape == rows.values.shape == (50, PLACES)
    assert 0 <= rows.values.min() < rows.values.max() < VALUES
    for symbols, values, partner, answer in zip(*(part.tolist() for part in rows), strict=True):
        assert partner == [partner_by_hand(relation, symbols, i) for i in range(PLACES)]
        assert answer == [values[j] for j in partner]


def test_rows_differ_and_nothing_but_the_partner_tells_the_answer():
    """Rejects one order for all rows, and values that depend on the symbol or the place."""
    rows = associative_recall("match", 4000, torch.Generator().manual_seed(0))
    for known in (rows.symbols, torch.arange(PLACES).expand(4000, -1)):
        means = torch.stack([rows.values[known == kind].double().mean() for kind in range(8)])
        assert (means - (VALUES - 1) / 2).abs().max() < 0.4  # the standard error is below .08
    assert len({tuple(row) for row in rows.symbols.tolist()}) > 1500  # of 8 · 7 · 6 · 5 / 24 · 8! / 16 orders


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and one batch again and again."""
    one, same, other = (associative_recall_batches("next", seed) for seed in (0, 0, 1))
    first, second = next(one), next(one)
    assert all(map(torch.equal, first, next(same)))
    assert not torch.equal(first.values, second.values)
    assert not torch.equal(first.values, next(other).values)


def test_an_unknown_relation_is_named():
    """Rejects a relation that silently becomes another one."""
    with pytest.raises(ValueError, match="expected one of match, before, next, got after"):
        associative_recall("after", 1)
