"""Heat maps: the right cell has the right look."""

import io

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from PIL import Image

from course_lib import show
from course_lib.show import theme

from .examples import GOLD, KEYS, QUERIES, WEIGHTS, patches


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: show.heatmap(WEIGHTS, QUERIES, KEYS[1:]), r"expected shape \(… 3, 4\).*got \(3, 5\)"),
        (lambda: show.heatmap(WEIGHTS, KEYS, QUERIES), "transposed"),
        (lambda: show.heatmap(WEIGHTS[None], QUERIES, KEYS), r"expected two axes.*got shape \(1, 3, 5\)"),
        (lambda: show.heatmap(WEIGHTS, QUERIES, KEYS, gold=GOLD[:2]), r"gold: expected .*3, 5.*got \(2, 5\)"),
        (lambda: show.heatmap(np.zeros((0, 5)), (), KEYS), "at least one query"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_gold_is_outlined_where_it_is_true_and_only_there():
    """Rejects rows and columns swapped, and outlines drawn for False."""
    gold = np.zeros((3, 5), dtype=bool)
    gold[0, 4] = gold[2, 1] = True
    picture = show.heatmap(WEIGHTS, QUERIES, KEYS, gold=gold)
    assert patches(picture, edgecolor=matplotlib.colors.to_rgba(theme.GOLD)) == [(0, 4), (2, 1)]


def test_nan_and_infinity_are_hatched_and_named_not_hidden():
    weights = WEIGHTS.copy()
    weights[0, 3], weights[2, 2] = np.nan, np.inf
    picture = show.heatmap(weights, QUERIES, KEYS)
    assert patches(picture, hatch="xxxx") == [(0, 3), (2, 2)]
    assert {"nan", "inf"} <= {text.get_text() for text in picture.figure.axes[0].texts}
    assert "XiaoMing → nan" in repr(picture)


def test_masked_cells_are_hatched_and_have_no_number():
    mask = np.tri(3, 5, dtype=bool)
    picture = show.heatmap(np.full((3, 5), 0.5), QUERIES, KEYS, mask=mask)
    assert patches(picture, hatch="////") == [tuple(cell) for cell in np.argwhere(~mask)]
    assert len(picture.figure.axes[0].texts) == mask.sum()


def test_zero_looks_like_the_page():
    picture = show.heatmap(np.zeros((3, 3)), "abc", "xyz")
    colours = Image.open(io.BytesIO(picture.png())).convert("RGB").getcolors(1 << 16)
    _, most_frequent = max(colours)
    assert to_hex(np.array(most_frequent) / 255) == theme.PAGE
    assert to_hex(theme.WEIGHT_COLOURS(0)) == theme.PAGE


def test_many_keys_are_scaled_to_the_largest_weight_and_it_is_said():
    words = [f"w{n}" for n in range(17)]
    picture = show.heatmap(np.full((17, 17), 0.2), words, words)
    assert picture.figure.axes[0].images[0].norm.vmax == pytest.approx(0.2)
    assert "scaled to the largest" in picture.figure.axes[-1].get_ylabel()
    few = show.heatmap(np.full((16, 16), 0.2), words[:16], words[:16])
    assert few.figure.axes[0].images[0].norm.vmax == 1


def test_negative_numbers_get_a_scale_around_zero():
    norm = show.heatmap([[-0.5, 0.25]], ["q"], ["a", "b"]).figure.axes[0].images[0].norm
    assert (norm.vmin, norm.vmax) == (-0.5, 0.5)
