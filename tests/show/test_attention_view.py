"""AttentionView: what Python computes and sends, and its page in a browser."""

import io
import json
import re

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from course_lib.show import AttentionView
from course_lib.show.theme import THEME

from .test_theme import ramp
from .views import painted

QUERIES, KEYS = ["European", "Economic", "Area"], ["zone", "économique", "européenne", "<eos>"]
SCORES = np.array([[0.1, 0.2, 3.0, -1.0], [0.3, 2.5, 0.1, 0.0], [2.2, 0.4, 0.1, -2.0]])
GOLD = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]], dtype=bool)
ONE_EACH = np.array([[0, 0, 0, 1.0], [0, 0, 1, 0], [0, 1, 0, 0]])
in_browser = pytest.mark.browser


def of_scores(**options):
    return AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, **options)


def of_weights(weights=ONE_EACH, **options):
    return AttentionView(weights, QUERIES, KEYS, **options)


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


# ---- Python's side --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: of_weights(SCORES.T**2), r"expected .*3, 4.*got \(4, 3\).*transposed"),
        (lambda: AttentionView(scores=SCORES[:2], queries=QUERIES, keys=KEYS), r"scores: expected .*got \(2, 4\)"),
        (lambda: of_weights(gold=GOLD[:, :2]), r"gold: expected .*got \(3, 2\)"),
        (lambda: of_weights(np.ones((1, 1, 1, 3, 4))), r"head or layer.*got \(1, 1, 1, 3, 4\)"),
        (lambda: of_weights(beside={"b": GOLD.T}), r"beside: .*3, 4.*got \(4, 3\)"),
        (lambda: of_weights(beside={"b": GOLD, "c": GOLD}), "expected one name"),
        (lambda: of_weights(None), "exactly one of them"),
        (lambda: of_weights(SCORES, scores=SCORES), "exactly one of them"),
        (lambda: of_weights(SCORES), "negative.*Are they scores"),
        (lambda: of_weights().update(SCORES.T**2), "transposed"),
        (lambda: of_weights(words={"colour": "red"}), r"words: expected some of .*got \['colour'\]"),
    ],
)
def test_wrong_arguments_are_named_with_expected_and_got(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("size", [1, 40])
def test_a_page_carries_scores_precisely_enough(size):
    """Rejects rounding that would change weights visibly."""
    scores = size * np.random.default_rng(0).uniform(-7, 7, size=(200, 3, 4))
    page = AttentionView(scores=scores, queries=QUERIES, keys=KEYS).to_html()
    numbers = json.loads(re.search(r"showPage\(render, (\{.*\})\);</script>", page)[1])["values"]
    assert np.abs(softmax(np.reshape(numbers, scores.shape)) - softmax(scores)).max() < 2e-4


def test_a_page_carries_small_weights_precisely_enough():
    """Rejects a fixed number of decimals: with many keys all weights are small."""
    weights = 1e-3 * np.random.default_rng(0).uniform(size=(3, 4))
    page = AttentionView(weights, QUERIES, KEYS).to_html()
    numbers = json.loads(re.search(r"showPage\(render, (\{.*\})\);</script>", page)[1])["values"]
    assert np.reshape(numbers, weights.shape) == pytest.approx(weights, abs=2e-4 * weights.max())


def test_weights_are_the_softmax_of_the_layer_and_head_that_are_shown():
    scores = np.random.default_rng(0).normal(size=(2, 5, 3, 4))
    view = AttentionView(scores=scores, queries=QUERIES, keys=KEYS)
    view.layer, view.head, view.temperature = 1, 3, 0.5
    assert view.weights() == pytest.approx(softmax(scores[1, 3] / 0.5), abs=1e-6)
    assert repr(view) == "AttentionView(scores: 2 layers × 5 heads × 3 queries × 4 keys)"
    view.update(scores=SCORES, beside=None)
    assert view.weights() == pytest.approx(softmax(SCORES / 0.5), abs=1e-6), "fewer heads after an update"


def test_masked_cells_get_no_weight_and_a_wholly_masked_row_gives_zeros():
    mask = np.tri(3, 4, k=-1, dtype=bool)
    weights = of_scores(mask=mask).weights()
    assert (weights[~mask] == 0).all()
    assert weights.sum(1) == pytest.approx([0, 1, 1])
    with_nan = np.where(GOLD, np.nan, 0.25)
    assert np.isnan(of_weights(with_nan).weights()).tolist() == GOLD.tolist()
    assert "Economic → nan" in of_weights(with_nan).picture().text


def test_the_other_model_is_named_and_drawn_beside():
    view = of_scores(beside={"Luong": SCORES[::-1]})
    assert repr(view) == "AttentionView(scores: 3 queries × 4 keys, beside Luong)"
    text = view.picture().text
    order = ["“learned”", "European → européenne", "“Luong”", "European → zone"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    view.update(scores=SCORES, beside=SCORES)
    assert "European → zone" not in view.picture().text


def test_chinese_characters_travel_with_the_view_and_others_do_not():
    """Rejects a view that a browser without a Chinese font draws as boxes, and one that carries a whole font."""
    view = AttentionView(np.eye(2), ["小明", "b"], ["喜欢", "é"])
    assert set(map(chr, TTFont(io.BytesIO(view.font)).getBestCmap())) == set("小明喜欢")
    assert view.font == AttentionView(np.eye(2), ["明小", "c"], ["欢喜", "d"]).font
    assert of_scores().font == b""
    in_chinese = set(map(chr, TTFont(io.BytesIO(of_scores(lang="zh").font)).getBestCmap()))
    assert set("播放步温度热图连线") <= in_chinese, "the words of the view itself"
    assert "猜" not in in_chinese, "but not those of other views"


# ---- in a browser ---------------------------------------------------------------------------------------------------


def status(page, text):
    """Wait until the status line contains this text: it follows the picture."""
    page.get_by_role("status").filter(has_text=text).wait_for()


def rgb(colour):
    return list(bytes.fromhex(colour[1:]))


def check_cells(page, weights, gold, theme, number):
    """Each cell of one of the maps has the colour of its weight; masked ones are hatched, and so is NaN, in red."""
    pixels = painted(page.locator("canvas.cells").nth(number))[..., :3]
    cell = pixels.shape[1] // 4
    table = np.round(255 * ramp(THEME[theme]["ramp"])).astype(int)
    for (row, column), weight in np.ndenumerate(weights):
        box = pixels[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
        inner, corner = box[4:-4, 4:-4], box[cell // 5, cell // 5]
        outlined = box[cell // 2, 2].tolist() == rgb(THEME[theme]["gold"])
        assert outlined == gold[row, column]
        if number == 0 and not np.isfinite(weight):
            red = (np.abs(inner - rgb(THEME[theme]["wrong"])).max(-1) < 60).any()
            assert red == np.isnan(weight)
            assert len(np.unique(inner.reshape(-1, 3), axis=0)) > 1, "hatched"
        elif number == 0:
            assert corner == pytest.approx(table[round(255 * weight)], abs=1), (row, column)
            letters = (np.abs(inner - corner).max(-1) > 60).any()
            assert letters == (weight >= 0.005)


@in_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_cells_bars_and_frames_show_the_weights_in_both_themes(open_page, theme):
    """Rejects rows and columns swapped, a scale of its own, colours of the theme in which it was drawn first."""
    other = {"light": "dark", "dark": "light"}[theme]
    weights = np.array([[0.12, 0.2, 0.68, 0], [0.05, 0.6, 0.35, 0.001], [0.88, np.nan, 0.08, 0.02]])
    mask = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1]], dtype=bool)
    gold = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]], dtype=bool)
    page = open_page(of_weights(weights, gold=gold, mask=mask, step=1).to_html(), theme=other)
    page.emulate_media(color_scheme=theme)
    paper = "rgb({}, {}, {})".format(*rgb(THEME[theme]["page"]))
    page.wait_for_function(f"getComputedStyle(document.querySelector('.lesson-view')).backgroundColor === '{paper}'")
    for number in (0, 1):
        check_cells(page, np.where(mask, weights, -np.inf), gold, theme, number)
    bars = (painted(page.locator("canvas.bars").first)[..., 3] > 0).sum(0)[18::36]
    assert bars == pytest.approx(26 * weights[1], abs=1)
    framed = painted(page.locator("canvas.above").first)[..., 3]
    assert [framed[row * 36, 72] == 255 for row in range(3)] == [False, True, False]
    assert framed[10, 10] == 0
    assert 0.2 * 255 < framed[90, 10] < 0.6 * 255, "what is not written yet is pale but can be seen"
    now = page.locator(".query.now").evaluate_all("(all) => all.map((one) => one.textContent)")
    assert now == ["Economic"] * 2
    legend = page.locator(".lesson-legend").inner_text()
    assert all(word in legend for word in ("gold", "masked", "not a number"))


@in_browser
def test_the_slider_goes_from_step_to_step(open_page):
    page = open_page(of_scores(step=0).to_html())
    slider = page.get_by_label("step")
    before = painted(page.locator("canvas.bars").first)
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2 of 3: Economic"
    status(page, "writes “Economic”, attends to “économique”")
    assert (painted(page.locator("canvas.bars").first) != before).any()
    page.locator("canvas.above").click(position={"x": 5, "y": 90})
    page.mouse.move(1, 1)
    status(page, "step 3 of 3")


@in_browser
def test_pointing_at_a_cell_a_row_or_a_column_says_its_weights(open_page):
    page = open_page(of_scores(gold=GOLD).to_html(), width=1280)
    tip, boxes = page.locator(".lesson-tip"), [map.bounding_box() for map in page.locator("canvas.cells").all()]
    page.mouse.move(boxes[0]["x"] + 2.5 * 36, boxes[0]["y"] + 0.5 * 36)
    weight = f"{of_scores().weights()[0, 2]:.3f}".removeprefix("0")
    assert tip.inner_text() == f"“European” → “européenne”: {weight} · gold"
    tip_box, view_box = tip.bounding_box(), page.locator(".lesson-view").bounding_box()
    assert view_box["x"] <= tip_box["x"] <= view_box["x"] + view_box["width"] - tip_box["width"]
    page.mouse.move(boxes[1]["x"] + 0.5 * 36, boxes[1]["y"] + 0.5 * 36)
    assert "“European” → “zone”" in tip.inner_text()
    assert "not gold" in tip.inner_text()
    page.locator(".lesson-plot .key").nth(1).hover(force=True)
    status(page, "“économique” is attended to by “Economic” .78")
    page.locator(".lesson-plot .query").nth(2).hover()
    status(page, "“Area” attends to “zone” .")
    page.mouse.move(1, 1)
    assert not tip.is_visible()


@in_browser
def test_arrow_keys_move_over_cells_rows_and_columns(open_page):
    page = open_page(of_weights(step=1).to_html())
    for key, words in (
        ("ArrowRight", "“Economic” → “zone”"),
        ("ArrowDown", "“Area” → “zone”"),
        ("End", "“Area” → “<eos>”"),
        ("ArrowRight", "“Area” → “<eos>”"),
        ("Home", "“Area” → “zone”"),
        ("ArrowLeft", "“Area” attends to “économique” 1"),
        ("ArrowUp", "“Economic” attends to “européenne” 1"),
        ("ArrowUp", "“European” attends to “<eos>” 1"),
        ("End", "“European” → “<eos>”"),
        ("ArrowUp", "“<eos>” is attended to by “European” 1"),
        ("Escape", "step 2 of 3"),
    ):
        page.get_by_role("application").press(key)
        status(page, words)


@in_browser
def test_lines_between_the_words_show_the_same_weights(open_page):
    """Rejects lines drawn for weights of zero, or for another row than the present one."""
    weights = np.array([[0, 1, 0, 0], [0.5, 0, 0, 0.5], [0, 0, 0, np.nan]])
    page = open_page(of_weights(weights, step=0).to_html())
    page.get_by_label("as").select_option("lines")

    def reached():
        ends = np.flatnonzero(painted(page.locator("canvas.present"))[:, -2, 3])
        return sorted({int(end) // 24 for end in ends})

    page.get_by_label("step").focus()
    assert reached() == [1]
    page.keyboard.press("ArrowRight")
    assert reached() == [0, 3]
    box = page.locator("canvas.all").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + 3.5 * 24)  # the last key
    status(page, "is attended to by “Economic” .5")
    page.mouse.click(box["x"] + 5, box["y"] + 12 + 0.5 * 24)  # the first query
    page.mouse.move(1, 1)
    assert reached() == [1]


@in_browser
def test_another_model_beside_moves_with_the_same_cursor(open_page):
    page = open_page(of_weights(beside={"Luong": np.full((3, 4), 0.25)}, gold=ONE_EACH, step=0).to_html())
    assert page.locator("figcaption").all_inner_texts() == ["learned", "Luong"]
    page.get_by_role("application").last.press("End")
    framed = [painted(canvas) for canvas in page.locator("canvas.above").all()]
    assert (framed[0] == framed[1]).all()
    assert framed[0][2, 3 * 36 + 2, 3] == 255
    assert page.locator(".lesson-tip").inner_text() == "“European” → “<eos>”: 1 · Luong .250 · gold"


@in_browser
def test_temperature_head_and_layer(open_page):
    scores = np.stack([np.zeros((3, 4)), SCORES])[None]
    page = open_page(AttentionView(scores=scores, queries=QUERIES, keys=KEYS, step=0).to_html())
    assert page.get_by_label("layer").count() == 0
    page.get_by_label("head").select_option("2")
    status(page, "attends to “européenne” .88")
    page.get_by_label("temperature").press("Home")
    status(page, "attends to “européenne” 1")
    page.get_by_label("temperature").press("End")
    hot = softmax(SCORES[0] / 10)[2]
    status(page, f"attends to “européenne” {hot:.2f}".replace("0.", "."))


@in_browser
def test_the_table_has_the_numbers_and_many_words_still_draw(open_page):
    page = open_page(of_weights().to_html())
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").all_inner_texts() == QUERIES
    assert page.get_by_role("columnheader").all_inner_texts() == KEYS
    assert page.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts() == ["0", "0", "0", "1"]
    many = [str(number) for number in range(300)]
    page = open_page(AttentionView(np.eye(300), many, many).to_html())
    assert page.locator("canvas.cells").get_attribute("width") == "300"
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").count() == 1


@in_browser
def test_a_frame_grows_to_its_view_and_hides_the_picture_that_is_there_without_scripts(open_page, browser, tmp_path):
    html = f"<!doctype html><meta charset=utf-8>{of_scores()._repr_mimebundle_()[0]['text/html']}"
    page = open_page(html, width=1280)
    page.frame_locator("iframe").get_by_label("step").wait_for()
    page.wait_for_function("document.querySelector('iframe').clientHeight > 200")
    assert not page.locator("img").is_visible()
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "view.html").as_uri())
    assert page.get_by_alt_text("heat map").bounding_box()["height"] > 100
    assert page.locator("iframe").bounding_box()["height"] == 0
    context.close()


@in_browser
def test_narrow_columns_put_the_maps_below_each_other_and_scroll_inside_the_view(open_page):
    """Rejects a second map that lies unseen beside the first one's edge, and a page that scrolls sideways."""
    page = open_page(of_scores(gold=GOLD).to_html(), width=1000)
    page.set_viewport_size({"width": 360, "height": 700})
    page.wait_for_function("""() => {
      const [first, second] = [...document.querySelectorAll("figure")].map((map) => map.getBoundingClientRect());
      return second.top >= first.bottom;
    }""")
    page.set_viewport_size({"width": 200, "height": 700})
    page.wait_for_function("""() => {
      const { scrollWidth, clientWidth } = document.querySelector("figure");
      return document.documentElement.scrollWidth <= 200 && scrollWidth > clientWidth;
    }""")


@in_browser
def test_play_walks_through_the_steps_from_the_first(open_page):
    page = open_page(of_scores().to_html())
    page.get_by_role("button", name="play").click()
    status(page, "step 1 of 3")
    status(page, "step 2 of 3")
    page.get_by_role("button", name="pause").click()
    page.get_by_role("button", name="play").wait_for()
