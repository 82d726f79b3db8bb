"""Strings to copy or reverse: targets and alignment."""

import pytest

from course_lib.data.strings import LETTERS, strings


@pytest.mark.parametrize("order", ["copy", "reversal"])
def test_targets_and_links_are_those_of_the_order(order):
    """Rejects links against the order, lengths beyond the limits, and the same string again and again."""
    pairs = strings(order, 200, lengths=(3, 5))
    for pair in pairs:
        last = len(pair.source) - 1
        assert pair.target == (pair.source if order == "copy" else pair.source[::-1])
        assert pair.links == {(i, i if order == "copy" else last - i) for i in range(last + 1)}
    assert {len(pair.source) for pair in pairs} == {3, 4, 5}
    assert len(set(pairs)) > 150
    assert {letter for pair in pairs for letter in pair.source} == set(LETTERS)
    assert {len(pair.source) for pair in strings(order, 200)} == set(range(6, 13))


def test_the_same_seed_gives_the_same_strings_for_both_orders():
    """Rejects orders compared on different strings, and a seed that is not used."""
    one, same, other = strings("copy", 9), strings("reversal", 9, seed=0), strings("copy", 9, seed=2)
    assert [pair.source for pair in one] == [pair.source for pair in same] != [pair.source for pair in other]


def test_an_unknown_order_raises():
    with pytest.raises(ValueError, match="order must be one of copy, reversal, got 'sorted'"):
        strings("sorted", 1)
