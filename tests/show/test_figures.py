"""Strips and columns."""

import pytest

from course_lib import show

from .examples import QUERIES, WEIGHTS, example


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: show.bars(WEIGHTS, ["a"]), "labels: expected 3, got 1"),
        (lambda: show.bars(WEIGHTS[0], ["a"]), r"expected vectors of shape \(time, dim\), got shape \(5,\)"),
        (lambda: show.bars(WEIGHTS, QUERIES, names=["a"]), "names: expected 5, got 1"),
        (lambda: show.columns([1, 2], ["a"]), "labels: expected 2, got 1"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_error_bars_reach_from_lowest_to_highest():
    axes = example("columns").figure.axes[0]
    ((_, low), (_, high)) = axes.collections[0].get_segments()[1]
    assert (low, high) == pytest.approx((36, 38))
