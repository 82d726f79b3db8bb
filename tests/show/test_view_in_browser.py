"""AttentionView in a real browser, as a page opened from disk without any network."""

import numpy as np
import pytest

from course_lib.show import AttentionView
from tests.show.screenshots import told

pytestmark = pytest.mark.browser

QUERIES, KEYS = ["European", "Economic", "Area", "小红"], ["zone", "économique", "européenne", "<eos>"]
GOLD = np.eye(4, dtype=bool)[[2, 1, 0, 3]]
SCORES = 3.0 * GOLD + np.arange(16).reshape(4, 4) / 10
HOSTILE = "<img src=x onerror=document.title='owned'>"

PIXELS = """(name) => {
  const canvas = document.querySelectorAll(`canvas.${name}`)[0];
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return data.reduce((hash, value) => (Math.imul(hash, 31) + value) | 0, 0);
}"""
COLOUR = """([row, column]) => {
  const canvas = document.querySelector("canvas.cells");
  const cell = canvas.width / 4;
  const at = [(column + 0.2) * cell, (row + 0.2) * cell];
  return [...canvas.getContext("2d").getImageData(...at, 1, 1).data].slice(0, 3);
}"""


@pytest.fixture
def show(open_page):
    """Open a view as a page from disk, or the frame that a site shows of it."""

    def open_view(view: AttentionView, *, framed: bool = False):
        if framed:
            html = f"<!doctype html><meta charset=utf-8>{view._repr_mimebundle_()[0]['text/html']}"
        else:
            html = view.to_html()
        return open_page(html, width=1280)

    return open_view


def view(**options) -> AttentionView:
    return AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, gold=GOLD, **options)


def test_arrow_key_on_the_slider_changes_the_picture_at_once(show):
    """Rejects a picture that comes some frames later, and one that waits for the words about it."""
    page = show(view(step=0))
    slider = page.get_by_label("step")
    slider.focus()
    before = page.evaluate(PIXELS, "above"), page.evaluate(PIXELS, "bars")
    page.evaluate(
        """(source) => {
      const pixels = eval(source);
      const words = document.querySelector(".lesson-status");
      const note = () => (window.atOnce = [pixels("above"), words.textContent.includes("“Economic”,")]);
      document.querySelector("input").addEventListener("input", note);
    }""",
        PIXELS,
    )
    page.keyboard.press("ArrowRight")
    after = page.evaluate(PIXELS, "above"), page.evaluate(PIXELS, "bars")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert page.evaluate("window.atOnce") == [after[0], False]
    assert slider.get_attribute("aria-valuetext") == "2 of 4: Economic"
    assert "writes “Economic”, attends to “économique”" in told(page)
    page.keyboard.press("End")
    assert "小红" in told(page)


def test_pointing_at_a_cell_tells_its_words_and_weight_in_both_maps(show):
    page = show(view())
    canvases = page.locator("canvas.cells")
    box = canvases.first.bounding_box()
    cell = box["width"] / 4
    page.mouse.move(box["x"] + 2.5 * cell, box["y"] + 0.5 * cell)
    tip = page.locator(".lesson-tip")
    weight = f"{view().weights()[0, 2]:.3f}".removeprefix("0")
    assert tip.inner_text() == f"“European” → “européenne”: {weight} · gold"
    tip_box, view_box = tip.bounding_box(), page.locator(".lesson-view").bounding_box()
    assert view_box["x"] <= tip_box["x"] <= view_box["x"] + view_box["width"] - tip_box["width"]
    box = canvases.nth(1).bounding_box()
    page.mouse.move(box["x"] + 0.5 * cell, box["y"] + 0.5 * cell)
    assert "“zone”" in tip.inner_text()
    assert "not gold" in tip.inner_text()
    page.mouse.move(5, 5)
    assert not tip.is_visible()


def test_arrow_keys_move_over_the_cells(show):
    page = show(view(step=1))
    page.get_by_role("application").first.focus()
    for key, words in (
        ("ArrowRight", "“Economic” → “zone”"),
        ("ArrowDown", "“Area” → “zone”"),
        ("End", "“Area” → “<eos>”"),
        ("ArrowRight", "“Area” → “<eos>”"),
        ("Home", "“Area” → “zone”"),
        ("ArrowUp", "“Economic” → “zone”"),
        ("Escape", "step 2 of 4"),
    ):
        page.keyboard.press(key)
        assert words in told(page), key


def test_a_whole_row_or_column_can_be_chosen_by_keys_and_by_pointing_at_its_word(show):
    page = show(AttentionView(np.eye(4)[::-1], QUERIES, KEYS, step=1))
    page.get_by_role("application").focus()
    for key, words in (
        ("ArrowRight", f"“{QUERIES[1]}” → “{KEYS[0]}”"),
        ("ArrowLeft", f"“{QUERIES[1]}” attends to “{KEYS[2]}” 1"),
        ("ArrowUp", f"“{QUERIES[0]}” attends to “{KEYS[3]}” 1"),
        ("ArrowRight", f"“{QUERIES[0]}” → “{KEYS[0]}”"),
        ("ArrowUp", f"“{KEYS[0]}” is attended to by “{QUERIES[3]}” 1"),
    ):
        page.keyboard.press(key)
        assert words in told(page), key
    page.locator(".lesson-plot .key").nth(1).hover(force=True)
    assert f"“{KEYS[1]}” is attended to by “{QUERIES[2]}” 1" in told(page)
    page.locator(".lesson-plot .query").nth(2).hover()
    assert f"“{QUERIES[2]}” attends to “{KEYS[1]}” 1" in told(page)


def test_lines_between_the_words_show_the_same_weights(show):
    """Rejects lines drawn for weights of zero, or for another row than the present one."""
    weights = np.array([[0, 1, 0, 0], [0.5, 0, 0, 0.5], [0, 0, 0, 1], [0, 0, 0, np.nan]])
    page = show(AttentionView(weights, QUERIES, KEYS, step=0))
    page.get_by_label("as").select_option("lines")
    inked = """() => {
      const canvas = document.querySelector("canvas.present");
      const column = canvas.getContext("2d").getImageData(canvas.width - 2, 0, 1, canvas.height).data;
      const rows = [...Array(canvas.height).keys()].filter((y) => column[4 * y + 3] > 0);
      return [...new Set(rows.map((y) => Math.floor((4 * y) / canvas.height)))];
    }"""
    slider = page.get_by_label("step")
    slider.focus()
    assert page.evaluate(inked) == [1]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(inked) == [0, 3]
    assert "“<eos>” .5" in told(page)
    box = page.locator("canvas.all").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] * 7 / 8)  # the last key
    assert f"is attended to by “{QUERIES[2]}” 1, “{QUERIES[1]}” .5" in told(page)
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] * 5 / 8)  # the third query
    page.mouse.move(5, 5)
    assert page.evaluate(inked) == [3]


def test_another_model_beside_moves_with_the_same_cursor(show):
    page = show(
        AttentionView(np.eye(4), QUERIES, KEYS, beside={"Luong": np.full((4, 4), 0.25)}, gold=np.eye(4), step=0)
    )
    assert page.locator("figcaption").all_inner_texts() == ["learned", "Luong"]
    before = page.evaluate("[...document.querySelectorAll('canvas.above')].map((canvas) => canvas.toDataURL())")
    page.get_by_role("application").last.focus()
    page.keyboard.press("ArrowRight")
    after = page.evaluate("[...document.querySelectorAll('canvas.above')].map((canvas) => canvas.toDataURL())")
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert page.locator(".lesson-tip").inner_text() == f"“{QUERIES[0]}” → “{KEYS[0]}”: 1 · Luong .250 · gold"


def test_dark_and_light_zero_looks_like_the_page(show):
    """Rejects a canvas that keeps the colours of the theme in which it was drawn first."""
    page = show(AttentionView(np.eye(4), QUERIES, KEYS))
    background = "getComputedStyle(document.querySelector('.lesson-view')).backgroundColor"
    assert page.evaluate(COLOUR, [0, 1]) == [255, 255, 255]
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{background} === 'rgb(17, 17, 17)'")
    assert page.evaluate(COLOUR, [0, 1]) == [17, 17, 17]
    assert page.evaluate(COLOUR, [0, 0]) == [200, 249, 255]


def test_temperature_is_a_softmax_in_the_browser(show):
    page = show(view(step=0))
    page.get_by_label("temperature").focus()
    page.keyboard.press("Home")
    assert "attends to “européenne” 1" in told(page)
    page.keyboard.press("End")
    weights = [float(word.strip(",")) for word in told(page).split() if word.startswith(".")]
    assert all(weight == pytest.approx(0.25, abs=0.06) for weight in weights)


def test_layer_and_head_can_be_chosen_only_where_they_exist(show):
    weights = np.stack([np.eye(4), np.eye(4)[::-1]])[None]
    page = show(AttentionView(weights, QUERIES, KEYS))
    assert page.get_by_label("layer").count() == 0
    page.get_by_label("head").select_option("2")
    assert "attends to “zone” 1" in told(page)


def test_masked_cells_look_different_from_small_weights(show):
    mask = np.tri(4, dtype=bool)
    page = show(AttentionView(np.full((4, 4), 0.001), QUERIES, KEYS, mask=mask))
    variety = """([row, column]) => {
      const canvas = document.querySelector("canvas.cells");
      const cell = canvas.width / 4;
      const image = canvas.getContext("2d").getImageData(column * cell + 3, row * cell + 3, cell - 6, cell - 6);
      return new Set(new Uint32Array(image.data.buffer)).size;
    }"""
    assert page.evaluate(variety, [3, 0]) == 1
    assert page.evaluate(variety, [0, 3]) > 1
    assert "masked" in page.locator(".lesson-legend").inner_text()


def test_tokens_are_text(show):
    """Rejects words put into the page as HTML: in labels, tooltip, status line and table."""
    page = show(AttentionView(np.eye(2), [HOSTILE, "b"], [HOSTILE, "</script>"], step=0))
    page.get_by_role("application").first.focus()
    page.keyboard.press("ArrowRight")
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.locator("img, .lesson-view script").count() == 0
    assert page.title() == "attention, step by step"
    assert HOSTILE in page.locator("table").inner_text()
    assert HOSTILE in page.locator(".lesson-tip").inner_text()


def test_table_holds_the_numbers(show):
    page = show(AttentionView(np.eye(4), QUERIES, KEYS))
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").all_inner_texts() == QUERIES
    assert page.get_by_role("columnheader").all_inner_texts() == KEYS
    assert page.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts() == ["1", "0", "0", "0"]


def test_single_keys_stay_in_the_view_and_commands_pass(show):
    """Rejects a view whose keys cut cells of the notebook around it, and one that swallows Shift+Enter."""
    page = show(view())
    page.evaluate("window.heard = []; document.addEventListener('keydown', (e) => window.heard.push(e.key))")
    for place in (page.get_by_label("step"), page.get_by_role("application").first):
        place.focus()
        for key in ("a", "x", "d", "ArrowLeft"):
            page.keyboard.press(key)
        assert page.evaluate("window.heard") == []
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Control+Enter")
        assert page.evaluate("window.heard.filter((key) => key === 'Enter').length") == 2
        page.evaluate("window.heard = []")


def test_frame_grows_to_the_view_and_hides_the_picture(show):
    page = show(view(), framed=True)
    frame = page.frame_locator("iframe")
    frame.get_by_label("step").wait_for()
    assert not page.locator("img").is_visible()
    page.wait_for_function("document.querySelector('iframe').clientHeight > 200")
    assert frame.locator("details").bounding_box()["height"] > 0
    page.set_viewport_size({"width": 420, "height": 800})
    page.wait_for_function("document.documentElement.scrollWidth <= 420")


def test_without_scripts_the_picture_is_there(browser, tmp_path):
    (tmp_path / "view.html").write_text(view()._repr_mimebundle_()[0]["text/html"], encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "view.html").as_uri())
    assert page.get_by_alt_text("heat map").bounding_box()["height"] > 100
    assert page.locator("iframe").bounding_box()["height"] == 0
    context.close()


def test_narrow_columns_put_the_maps_below_each_other_and_scroll_inside_the_view(show):
    """Rejects a second map that lies unseen beside the first one's edge, and a page that scrolls sideways."""
    page = show(view())
    page.set_viewport_size({"width": 360, "height": 700})
    page.wait_for_function("""() => {
      const [first, second] = [...document.querySelectorAll("figure")].map((map) => map.getBoundingClientRect());
      return second.top >= first.bottom;
    }""")  # the maps are built anew, soon
    page.set_viewport_size({"width": 200, "height": 700})
    page.wait_for_function("""() => {
      const { scrollWidth, clientWidth } = document.querySelector("figure");
      return document.documentElement.scrollWidth <= 200 && scrollWidth > clientWidth;
    }""")


def test_sharp_on_high_density_screens(browser, tmp_path):
    (tmp_path / "view.html").write_text(view().to_html(), encoding="utf-8")
    context = browser.new_context(device_scale_factor=2, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "view.html").as_uri())
    canvas = page.locator("canvas.cells").first
    assert int(canvas.get_attribute("width")) == 2 * canvas.bounding_box()["width"]
    context.close()


def test_play_walks_through_the_steps_and_is_absent_where_motion_is_not_wanted(show):
    page = show(view())
    page.get_by_role("button").click()  # at the end: starts anew
    assert "step 1 of 4" in told(page)
    page.wait_for_function("document.querySelector('.lesson-status').textContent.includes('step 2 of 4')")
    page.get_by_role("button").click()
    assert "play" in page.get_by_role("button").inner_text()
    page.emulate_media(reduced_motion="reduce")
    assert not page.locator("button").is_visible()


def test_many_words_still_draw(show):
    words = [str(number) for number in range(300)]
    page = show(AttentionView(np.eye(300), words, words))
    assert page.evaluate("document.querySelector('canvas.cells').width") == 300
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").count() == 1


def test_many_keys_are_scaled_to_the_largest_weight_as_in_pictures(show):
    """Rejects a scale that ends at 1 because there is no second map: a map of small weights would be all pale."""
    words = [str(number) for number in range(20)]
    small = np.where(np.eye(20), 0.25, 0.75 / 19)
    page = show(AttentionView(small, words, words))
    assert ".25 weight (scaled to the largest)" in page.locator(".lesson-legend").inner_text()
    page = show(AttentionView(small, words, words, beside={"even": np.full((20, 20), 0.05)}))
    assert ".25 weight" in page.locator(".lesson-legend").inner_text()


def test_what_is_not_written_yet_is_pale_but_can_be_seen(show):
    """Rejects rows so pale that a reader who opens the view at its first step sees no weights below it."""
    page = show(AttentionView(np.eye(4), QUERIES, KEYS, step=1))
    alpha = """([row]) => {
      const canvas = document.querySelector("canvas.above");
      const at = [0.5, (row + 0.5) / 4].map((part) => part * canvas.width);
      return canvas.getContext("2d").getImageData(...at, 1, 1).data[3] / 255;
    }"""
    assert page.evaluate(alpha, [0]) == 0
    assert 0.2 < page.evaluate(alpha, [3]) < 0.6
