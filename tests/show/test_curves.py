"""Curves: bands belong to their lines, names to their ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from course_lib import show
from course_lib.show.curves import pushed_apart

from .examples import LENGTHS, example


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: show.curves({"a": ([1, 2], [1])}, xlabel="x", ylabel="y"), "a: expected as many values as the 2"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_band_has_the_colour_of_its_line_and_categories_keep_their_order():
    axes = example("curves").figure.axes[0]
    band = axes.collections[0].get_facecolor()[0]
    assert to_hex(band) == to_hex(axes.lines[1].get_color()) != to_hex(axes.lines[0].get_color())
    assert [label.get_text() for label in axes.get_xticklabels()] == list(LENGTHS)
    assert {text.get_text() for text in axes.texts} == {"fixed context", "Bahdanau"}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_names_at_the_ends_of_lines_do_not_collide(heights):
    """Rejects names on top of each other, above the axes, or in another order than the lines."""
    heights = np.array(heights)
    placed = pushed_apart(heights, 0.06)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= 0.06 - 1e-9).all()
    assert placed.max() <= 1
