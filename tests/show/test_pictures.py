"""Static pictures: what they show where, the same in words, and bytes that depend on nothing else."""

import io
import subprocess
import sys
import warnings

import matplotlib
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle
from PIL import Image

from course_lib import show
from course_lib.show import letters, theme
from course_lib.show.curves import pushed_apart

QUERIES, KEYS = ("XiaoMing", "likes", "XiaoHong"), ("小明", "喜欢", "小红", "。", "<eos>")
WEIGHTS = np.array([[0.9, 0.1, 0, 0, 0], [0.25, 0.7, 0, 0.05, 0], [0, 0.02, 0.97, 0, 0.01]])
GOLD = np.eye(3, 5, dtype=bool)
LENGTHS = ("4–7", "8–11", "12–15")


def examples() -> dict[str, show.Picture]:
    """One picture of each kind."""
    accuracy = {"fixed context": (LENGTHS, [0.96, 0.27, 0.03]), "Bahdanau": (LENGTHS, [1, 1, 0.98])}
    bands = {"Bahdanau": (LENGTHS, [0.99, 0.98, 0.7], [1, 1, 1])}
    return {
        "heatmap": show.heatmap(WEIGHTS, QUERIES, KEYS, gold=GOLD, title="learned"),
        "heatmaps": show.heatmaps({"learned": WEIGHTS, "gold": GOLD}, QUERIES, KEYS),
        "bars": show.bars(WEIGHTS - 0.5, ["小明", "喜欢", "小红"], title="hidden states"),
        "curves": show.curves(accuracy, xlabel="source words", ylabel="exact match", bands=bands),
        "points": show.points([[0, 0], [0, 1]], ["king", "queen"], arrows=[("king", "queen")]),
        "columns": show.columns([24.5, 37.1], ["without", "with"], ranges=[[24, 25], [36, 38]], ylabel="BLEU"),
    }


def patches(picture: show.Picture, axes: int = 0, **wanted) -> list[tuple[int, int]]:
    """(row, column) of the cells on which a rectangle with these properties lies."""
    found = []
    for patch in picture.figure.axes[axes].patches:
        if isinstance(patch, Rectangle) and all(
            getattr(patch, f"get_{name}")() == want for name, want in wanted.items()
        ):
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
        (lambda: show.bars(WEIGHTS, ["a"]), "labels: expected 3, got 1"),
        (lambda: show.bars(WEIGHTS[0], ["a"]), r"expected vectors of shape \(time, dim\), got shape \(5,\)"),
        (lambda: show.bars(WEIGHTS, QUERIES, names=["a"]), "names: expected 5, got 1"),
        (lambda: show.columns([1, 2], ["a"]), "labels: expected 2, got 1"),
        (lambda: show.points(WEIGHTS, QUERIES), r"expected places of shape \(word, 2\), got shape \(3, 5\)"),
        (lambda: show.points([[0, 0]], ["a"], arrows=[("a", "b")]), "arrows: expected words among the labels, got 'b'"),
        (lambda: show.curves({"a": ([1, 2], [1])}, xlabel="x", ylabel="y"), "a: expected as many values as the 2"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


@pytest.mark.parametrize("kind", ["heatmap", "heatmaps", "bars", "curves", "points", "columns"])
def test_same_data_same_bytes_and_same_words(kind):
    """Rejects dates, versions and memory addresses in the file or in the repr."""
    one, other = examples()[kind], examples()[kind]
    assert one.png() == other.png()
    assert repr(one) == repr(other)
    assert "0x" not in repr(one)


def test_png_carries_no_metadata():
    png = io.BytesIO(examples()["heatmap"].png())
    assert Image.open(png).info.keys() <= {"dpi"}
    assert b"Matplotlib" not in png.getvalue()


def test_typical_pictures_are_small():
    """Rejects a full-colour PNG: three times the size."""
    many = [f"word{n}" for n in range(12)]
    weights = np.random.default_rng(0).dirichlet(np.ones(12), size=12)
    assert len(show.heatmap(weights, many, many, gold=np.eye(12)).png()) < 40_000
    assert all(len(picture.png()) < 40_000 for picture in examples().values())


def test_notebook_gets_a_picture_with_its_text_alternative():
    data, metadata = examples()["heatmap"]._repr_mimebundle_()
    assert data.keys() == {"image/png", "text/plain"}
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert metadata["image/png"]["width"] > 100


def test_text_alternative_names_each_query_with_what_it_reads_most():
    text = repr(examples()["heatmap"])
    for line in ("XiaoMing → 小明 .90", "likes → 喜欢 .70", "XiaoHong → 小红 .97", "learned"):
        assert line in text
    assert "fixed context: .96 .27 .03" in repr(examples()["curves"])
    assert "喜欢: −.25 .20 −.50 −.45 −.50" in repr(examples()["bars"])


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


def test_numbers_are_readable_on_every_colour():
    """Contrast of at least 4.5 : 1 on all of the ramps; rejects digits that are always black."""
    for stops in (theme.THEME["light"]["ramp"], theme.THEME["dark"]["ramp"], theme.THEME["diverging"]):
        for colour in map(tuple, theme.ramp(stops)):
            letter, background = theme.luminance(to_rgb(theme.letter_colour(colour))), theme.luminance(colour)
            assert (max(letter, background) + 0.05) / (min(letter, background) + 0.05) >= 4.5


@pytest.mark.parametrize("colour", ["ink", "muted", "wrong"])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_are_readable_on_the_page(name, colour):
    letter, page = (theme.luminance(to_rgb(theme.THEME[name][part])) for part in (colour, "page"))
    assert (max(letter, page) + 0.05) / (min(letter, page) + 0.05) >= 4.5


# Linear red, green, blue as eyes without one kind of cone see them (Machado et al. 2009, severity 1).
VISION = {
    "normal": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ramp", ["light", "dark", "negative", "positive"])
def test_more_weight_is_never_lighter_again(vision, ramp):
    """Rejects a rainbow: for every kind of colour vision, luminance runs in one direction along a ramp."""
    diverging = theme.THEME["diverging"]
    stops = {"negative": diverging[:17], "positive": diverging[16:]}.get(ramp) or theme.THEME[ramp]["ramp"]
    colours = theme.ramp(stops)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    steps = np.diff(linear @ np.asarray(VISION[vision]).T @ [0.2126, 0.7152, 0.0722])
    assert (steps >= -1e-6).all() or (steps <= 1e-6).all()


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


@pytest.mark.parametrize(
    "words",
    [
        ("小明", "喜欢", "苹果", "。", "，", "浏览", "渲染"),
        ("1962年12月29日土曜日", "カタカナ", "ひらがな"),
        ("2012년 12월 29일 토요일", "星期六", "суббота", "Σάββατο", "السبت", "thứ Bảy"),
        ("$x$", "$\\nonsense", "a_b", " ", "<eos>", "\u202f"),
    ],
)
def test_words_of_the_course_have_glyphs_and_are_taken_literally(words):
    """Warnings are errors: rejects a missing font (boxes), and words read as mathematics."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        square = np.eye(len(words))
        pictures = [
            show.heatmap(square, words, words),
            show.bars(square, words, names=words),
            show.points(square[:, :2], words),
            show.columns(square[0], words),
        ]
        for picture in pictures:
            picture.png()
    assert letters.missing("".join(words)) == []
    labels = [label.get_text() for label in pictures[0].figure.axes[0].get_xticklabels()]
    assert labels == [letters.written(word) for word in words]


def test_character_without_a_glyph_is_replaced_and_the_picture_says_how_to_mend_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = show.heatmap([[1.0]], ["กวาง"], ["deer"])
        picture.png()
    (sentence,) = (text.get_text() for text in picture.figure.texts)
    assert "U+0E01" in sentence
    assert "show.add_font" in sentence
    assert picture.figure.axes[0].get_yticklabels()[0].get_text() == letters.UNKNOWN * 4
    assert "กวาง" in repr(picture)


def test_a_font_that_was_added_is_used(monkeypatch):
    monkeypatch.setattr(letters, "_fonts", dict(letters._fonts))
    only_in_stix = "\u23b4\ua730"
    lost = letters.missing(only_in_stix)
    assert lost
    name = show.add_font(f"{matplotlib.get_data_path()}/fonts/ttf/STIXGeneral.ttf")
    assert letters.font_family()[-1] == name
    assert len(letters.missing(only_in_stix)) < len(lost)


def test_tensors_are_taken_from_their_graph_and_nothing_is_modified():
    tensor = torch.tensor(WEIGHTS, requires_grad=True)
    before = WEIGHTS.copy()
    assert show.heatmap(tensor, QUERIES, KEYS).png() == show.heatmap(WEIGHTS, QUERIES, KEYS).png()
    assert (before == WEIGHTS).all()
    assert tensor.requires_grad


def test_the_readers_settings_stay_as_they_are():
    before = dict(matplotlib.rcParams)
    examples()["curves"].png()
    assert dict(matplotlib.rcParams) == before


def test_show_needs_neither_pyplot_nor_torch_nor_our_other_rooms():
    code = (
        "import sys, course_lib.show; names = set(sys.modules); print(sorted(name for name in names "
        "if name in ('matplotlib.pyplot', 'torch') or name.startswith('course_lib.') and '.show' not in name))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_band_has_the_colour_of_its_line_and_categories_keep_their_order():
    axes = examples()["curves"].figure.axes[0]
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


def test_arrow_points_from_the_first_word_to_the_second():
    (arrow,) = (text for text in examples()["points"].figure.axes[0].texts if text.arrow_patch)
    assert tuple(arrow.xyann) == (0, 0)
    assert tuple(arrow.xy) == (0, 1)


def test_error_bars_reach_from_lowest_to_highest():
    axes = examples()["columns"].figure.axes[0]
    ((_, low), (_, high)) = axes.collections[0].get_segments()[1]
    assert (low, high) == pytest.approx((36, 38))
