"""Still pictures: the right marks in the right places, the same in words, and bytes that depend on nothing but data."""

import io
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from PIL import Image

from course_lib import show
from course_lib.show import theme
from course_lib.show.curves import pushed_apart

QUERIES, KEYS = ("XiaoMing", "likes", "XiaoHong"), ("小明", "喜欢", "小红", "。", "<eos>")
WEIGHTS = np.array([[0.9, 0.1, 0, 0, 0], [0.25, 0.7, 0, 0.05, 0], [0, 0.02, 0.97, 0, 0.01]])
GOLD = np.eye(3, 5, dtype=bool)
LENGTHS = ("4–7", "8–11", "12–15")
SERIES = {"fixed context": (LENGTHS, [0.96, 0.27, 0.03]), "Bahdanau": (LENGTHS, [1, 1, 0.98])}
BANDS = {"Bahdanau": (LENGTHS, [0.99, 0.98, 0.7], [1, 1, 1])}
PICTURES = {
    "heatmap": lambda: show.heatmap(WEIGHTS, QUERIES, KEYS, gold=GOLD, title="learned"),
    "heatmaps": lambda: show.heatmaps({"learned": WEIGHTS, "gold": GOLD}, QUERIES, KEYS),
    "bars": lambda: show.bars(WEIGHTS - 0.5, ["小明", "喜欢", "小红"], title="hidden states"),
    "curves": lambda: show.curves(SERIES, xlabel="source words", ylabel="exact match", ranges=BANDS),
    "points": lambda: show.points([[0, 0], [0, 1]], ["king", "queen"], arrows=[("king", "queen")]),
    "columns": lambda: show.columns([24.5, 37.1], ["without", "with"], ranges=[[24, 25], [36, 38]], ylabel="BLEU"),
}


def axes_of(picture):
    return picture.figure.axes[0]


def cells(picture, **wanted):
    """(row, column) of the cells on which a rectangle with these properties lies."""
    found = []
    for patch in axes_of(picture).patches:
        if isinstance(patch, Rectangle) and all(getattr(patch, f"get_{name}")() == v for name, v in wanted.items()):
            x, y = patch.get_center()
            found.append((round(y), round(x)))
    return sorted(found)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: show.heatmap(WEIGHTS, QUERIES, KEYS[1:]), r"expected shape \(… 3, 4\).*got \(3, 5\)"),
        (lambda: show.heatmap(WEIGHTS, KEYS, QUERIES), "transposed"),
        (lambda: show.heatmap(WEIGHTS[None], QUERIES, KEYS), r"expected two axes.*got shape \(1, 3, 5\)"),
        (lambda: show.heatmap(WEIGHTS, QUERIES, KEYS, gold=GOLD[:2]), r"gold: expected .*3, 5.*got \(2, 5\)"),
        (lambda: show.heatmap(np.zeros((0, 5)), (), KEYS), "at least one query"),
        (lambda: show.curves({"a": ([1, 2], [1])}, xlabel="x", ylabel="y"), "a: expected as many values as the 2"),
        (lambda: show.bars(WEIGHTS, ["a"]), "labels: expected 3, got 1"),
        (lambda: show.bars(WEIGHTS[0], ["a"]), r"expected vectors of shape \(time, dim\), got shape \(5,\)"),
        (lambda: show.bars(WEIGHTS, QUERIES, names=["a"]), "names: expected 5, got 1"),
        (lambda: show.columns([1, 2], ["a"]), "labels: expected 2, got 1"),
        (lambda: show.points(WEIGHTS, QUERIES), r"expected places of shape \(word, 2\), got shape \(3, 5\)"),
        (lambda: show.points([[0, 0]], ["a"], arrows=[("a", "b")]), "arrows: expected words among the labels, got 'b'"),
    ],
)
def test_wrong_arguments_are_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_gold_is_outlined_where_it_is_true_and_only_there():
    """Rejects rows and columns swapped, and outlines drawn for False."""
    gold = np.zeros((3, 5), dtype=bool)
    gold[0, 4] = gold[2, 1] = True
    picture = show.heatmap(WEIGHTS, QUERIES, KEYS, gold=gold)
    assert cells(picture, edgecolor=matplotlib.colors.to_rgba(theme.GOLD)) == [(0, 4), (2, 1)]


def test_nan_and_infinity_are_hatched_and_named_not_hidden():
    weights = WEIGHTS.copy()
    weights[0, 3], weights[2, 2] = np.nan, np.inf
    picture = show.heatmap(weights, QUERIES, KEYS)
    assert cells(picture, hatch="xxxx") == [(0, 3), (2, 2)]
    assert {"nan", "inf"} <= {text.get_text() for text in axes_of(picture).texts}
    assert "XiaoMing → nan" in repr(picture)


def test_masked_cells_are_hatched_and_have_no_number():
    mask = np.tri(3, 5, dtype=bool)
    picture = show.heatmap(np.full((3, 5), 0.5), QUERIES, KEYS, mask=mask)
    assert cells(picture, hatch="////") == [tuple(cell) for cell in np.argwhere(~mask)]
    assert len(axes_of(picture).texts) == mask.sum()


def test_zero_has_the_colour_of_the_page():
    picture = show.heatmap(np.zeros((3, 3)), "abc", "xyz")
    _, most_frequent = max(Image.open(io.BytesIO(picture.png())).convert("RGB").getcolors(1 << 16))
    assert to_hex(np.array(most_frequent) / 255) == theme.PAGE


@pytest.mark.parametrize(("n_keys", "largest"), [(16, 1), (17, 0.2)])
def test_many_keys_are_scaled_to_the_largest_weight_and_the_legend_says_so(n_keys, largest):
    words = [f"w{n}" for n in range(n_keys)]
    picture = show.heatmap(np.full((n_keys, n_keys), 0.2), words, words)
    assert axes_of(picture).images[0].norm.vmax == pytest.approx(largest)
    assert ("scaled to the largest" in picture.figure.axes[-1].get_ylabel()) == (largest < 1)


def test_negative_numbers_get_a_scale_around_zero():
    norm = axes_of(show.heatmap([[-0.5, 0.25]], ["q"], ["a", "b"])).images[0].norm
    assert (norm.vmin, norm.vmax) == (-0.5, 0.5)


def test_a_band_has_the_colour_of_its_line_and_categories_keep_their_order():
    axes = axes_of(PICTURES["curves"]())
    band = axes.collections[0].get_facecolor()[0]
    assert to_hex(band) == to_hex(axes.lines[1].get_color()) != to_hex(axes.lines[0].get_color())
    assert [label.get_text() for label in axes.get_xticklabels()] == list(LENGTHS)
    assert {text.get_text() for text in axes.texts} == {"fixed context", "Bahdanau"}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_names_at_the_ends_of_lines_do_not_overlap(heights):
    """Rejects names on top of each other, above the axes, or in another order than the lines."""
    heights = np.array(heights)
    placed = pushed_apart(heights, 0.06)
    assert (np.diff(placed[np.argsort(heights, kind="stable")]) >= 0.06 - 1e-9).all()
    assert placed.max() <= 1


def test_error_bars_reach_from_lowest_to_highest():
    ((_, low), (_, high)) = axes_of(PICTURES["columns"]()).collections[0].get_segments()[1]
    assert (low, high) == pytest.approx((36, 38))


def test_an_arrow_points_from_the_first_word_to_the_second():
    (arrow,) = (text for text in axes_of(PICTURES["points"]()).texts if text.arrow_patch)
    assert (*arrow.xyann, *arrow.xy) == (0, 0, 0, 1)


def test_chinese_words_keep_clear_of_the_points_beside_them():
    """Rejects a width computed from Latin letters: four Chinese characters need twice as much."""
    axes = axes_of(show.points([[0, 0], [0.12, 0], [1.7, 1]], ["机器学习", "b", "c"]))
    word = next(text for text in axes.texts if text.get_text() == "机器学习").get_window_extent()
    assert not word.contains(*axes.transData.transform([0.12, 0]))


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
def test_same_data_same_bytes_and_words_and_they_are_few(draw):
    """Rejects dates, versions and memory addresses in the file or in the repr, and a full-colour PNG."""
    one, other = draw(), draw()
    assert one.png() == other.png()
    assert repr(one) == repr(other)
    assert "0x" not in repr(one)
    assert len(one.png()) < 40_000
    assert Image.open(io.BytesIO(one.png())).info.keys() <= {"dpi"}


def test_a_notebook_gets_a_picture_with_its_text_alternative():
    data, metadata = PICTURES["heatmap"]()._repr_mimebundle_()
    assert data.keys() == {"image/png", "text/plain"}
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert metadata["image/png"]["width"] > 100
    for line in ("XiaoMing → 小明 .90", "likes → 喜欢 .70", "XiaoHong → 小红 .97", "learned"):
        assert line in data["text/plain"]
    assert "fixed context: .96 .27 .03" in repr(PICTURES["curves"]())
    assert "喜欢: −.25 .20 −.50 −.45 −.50" in repr(PICTURES["bars"]())


def test_tensors_with_gradients_are_accepted_and_nothing_is_modified():
    tensor, before = torch.tensor(WEIGHTS, requires_grad=True), WEIGHTS.copy()
    settings = dict(matplotlib.rcParams)
    assert show.heatmap(tensor, QUERIES, KEYS).png() == show.heatmap(WEIGHTS, QUERIES, KEYS).png()
    assert (before == WEIGHTS).all()
    assert tensor.requires_grad
    assert dict(matplotlib.rcParams) == settings


def test_show_imports_neither_pyplot_nor_torch_nor_the_rest_of_the_library():
    code = (
        "import sys, course_lib.show; names = set(sys.modules); print(sorted(name for name in names "
        "if name in ('matplotlib.pyplot', 'torch') or name.startswith('course_lib.') and '.show' not in name))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
