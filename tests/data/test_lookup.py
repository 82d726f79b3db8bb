"""Lookups of books: the answer against a loop that can be believed by reading."""

import torch

from course_lib.data.lookup import VALUES, lookup_batches, lookups


def test_the_answer_is_the_digit_behind_the_spine_that_is_asked_for():
    """Rejects the answer of another book, a colour that stands twice, and one order for all shelves."""
    rows = lookups(200, 5, torch.Generator().manual_seed(0))
    for spines, digits, (asked,), answer in zip(*(part.tolist() for part in rows), strict=True):
        assert sorted(spines) == list(range(5))
        assert digits[spines.index(asked)] == answer
    assert len({tuple(row) for row in rows.keys.tolist()}) > 60  # of 120 orders
    assert set(rows.values.flatten().tolist()) == set(range(VALUES))


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and one batch again and again."""
    one, same, other = (lookup_batches(seed) for seed in (0, 0, 1))
    first, second = next(one), next(one)
    assert all(map(torch.equal, first, next(same)))
    assert not torch.equal(first.values, second.values)
    assert not torch.equal(first.values, next(other).values)
