"""Key–value lookup: the answer against a loop over rows."""

import torch

from course_lib.data.lookup import ITEMS, VALUES, lookup_batches, lookups


def test_the_answer_is_the_value_of_the_query():
    """Rejects another item's value, a key that occurs twice, and one order for all rows."""
    rows = lookups(200, 5, torch.Generator().manual_seed(0))
    for keys, values, (query,), answer in zip(*(part.tolist() for part in rows), strict=True):
        assert sorted(keys) == list(range(5))
        assert values[keys.index(query)] == answer
    assert len({tuple(row) for row in rows.keys.tolist()}) > 60  # of 120 orders
    assert set(rows.values.flatten().tolist()) == set(range(VALUES))
    assert set(rows.query.flatten().tolist()) == set(range(5))


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and the same batch again and again."""
    one, same, other = (lookup_batches(seed) for seed in (0, 0, 1))
    first, second = next(one), next(one)
    assert first.keys.shape == (64, ITEMS)
    assert all(map(torch.equal, first, next(same)))
    assert not torch.equal(first.values, second.values)
    assert not torch.equal(first.values, next(other).values)
