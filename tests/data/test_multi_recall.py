"""Multi-relation recall: each partner against a loop over cards."""

import pytest
import torch

from course_lib.data.multi_recall import ALL_RELATIONS, multi_recall, multi_recall_batches


def partner_by_hand(relation, symbols, i):
    if relation == "match":
        (match,) = (j for j in range(len(symbols)) if j != i and symbols[j] == symbols[i])
        return match
    return (i + {"left": 7, "right": 1, "opposite": 4}[relation]) % 8


def test_partners_and_answers_are_those_of_the_relations_in_their_order():
    """Rejects a shifted partner, a circle that does not close, relations in another order, another card's answer."""
    rows = multi_recall(ALL_RELATIONS, 50, torch.Generator().manual_seed(0))
    assert rows.partners.shape == rows.answers.shape == (50, 4, 8)
    for symbols, values, partners, answers in zip(*(part.tolist() for part in rows), strict=True):
        for relation, partner, answer in zip(ALL_RELATIONS, partners, answers, strict=True):
            assert partner == [partner_by_hand(relation, symbols, i) for i in range(8)]
            assert answer == [values[j] for j in partner]


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and the same batch again and again."""
    one, same, other = (multi_recall_batches(("left",), seed) for seed in (3, 3, 4))
    first, second = next(one), next(one)
    assert len(first.values) == 64
    torch.testing.assert_close(first, next(same))
    assert not torch.equal(first.values, second.values)
    assert not torch.equal(first.values, next(other).values)


@pytest.mark.parametrize("relations", [(), ("match", "above")])
def test_no_or_unknown_relations_raise(relations):
    """Rejects a task without relations, and a relation that is taken for another."""
    with pytest.raises(ValueError, match=r"relations must be some of match, left, right, opposite, got \["):
        multi_recall(relations, 1)
