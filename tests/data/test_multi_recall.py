"""Rings of cards: each partner against a loop that can be believed by reading."""

import pytest
import torch

from course_lib.data.associative_recall import PLACES
from course_lib.data.multi_recall import ALL_RELATIONS, multi_recall, multi_recall_batches


def partner_by_hand(relation, symbols, i):
    """Whom card i of a ring has to ask."""
    if relation == "match":
        (twin,) = (j for j in range(len(symbols)) if j != i and symbols[j] == symbols[i])
        return twin
    return (i + {"left": 7, "right": 1, "opposite": 4}[relation]) % 8


def test_partners_and_answers_are_those_of_the_relations_in_their_order():
    """Rejects a shifted partner, a ring that does not close, relations in another order, the answer of another."""
    ring = multi_recall(ALL_RELATIONS, 50, torch.Generator().manual_seed(0))
    assert ring.partners.shape == ring.answers.shape == (50, 4, PLACES)
    for symbols, values, partners, answers in zip(*(part.tolist() for part in ring), strict=True):
        for relation, partner, answer in zip(ALL_RELATIONS, partners, answers, strict=True):
            assert partner == [partner_by_hand(relation, symbols, i) for i in range(PLACES)]
            assert answer == [values[j] for j in partner]


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and one batch again and again."""
    one, other = multi_recall_batches(("left",), 3, 4), multi_recall_batches(("left",), 3, 4)
    first, second = next(one), next(one)
    torch.testing.assert_close(first, next(other))
    assert not torch.equal(first.values, second.values)


def test_an_unknown_relation_is_named():
    """Rejects a ring without anybody to ask, and a relation that is taken for another."""
    for relations in ((), ("match", "above")):
        with pytest.raises(ValueError, match=r"expected some of match, left, right, opposite, got \["):
            multi_recall(relations, 1)
