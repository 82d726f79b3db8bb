"""Strings to be written again: the target, and where each of its letters comes from."""

import pytest

from course_lib.data.strings import LETTERS, strings


@pytest.mark.parametrize("order", ["copy", "reversal"])
def test_targets_and_links_are_those_of_the_order(order):
    """Rejects links that run against the order, lengths beyond the limits, and the same string again and again."""
    pairs = strings(order, 200, lengths=(3, 5), seed=0)
    for pair in pairs:
        assert pair.target == (pair.source if order == "copy" else tuple(reversed(pair.source)))
        assert all(pair.target[i] == pair.source[j] for i, j in pair.links)
        last = len(pair.source) - 1
        assert pair.links == {(i, i if order == "copy" else last - i) for i in range(last + 1)}
    assert {len(pair.source) for pair in pairs} == {3, 4, 5}
    assert len(set(pairs)) > 150
    assert {letter for pair in pairs for letter in pair.source} == set(LETTERS)


def test_the_same_seed_gives_the_same_strings_for_both_orders():
    """Rejects a comparison of orders on different strings, and a seed that is not used."""
    one, same, other = strings("copy", 9, seed=1), strings("reversal", 9, seed=1), strings("copy", 9, seed=2)
    assert [pair.source for pair in one] == [pair.source for pair in same] != [pair.source for pair in other]


def test_an_unknown_order_is_named():
    """Rejects an order that silently becomes another one."""
    with pytest.raises(ValueError, match="expected one of copy, reversal, got sorted"):
        strings("sorted", 1)
