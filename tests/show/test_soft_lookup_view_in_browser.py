"""SoftLookupView in a real browser, as a page opened from disk without any network: all of it but an own function."""

import math
import re

import numpy as np
import pytest

from course_lib.show import SoftLookupView

from .accessibility import violations
from .soft_lookup_cases import KEYS, NAMES, VALUES, parameters

pytestmark = pytest.mark.browser

FORMULAS = ("dot", "scaled_dot", "cosine", "bilinear", "concat", "additive", "location")
HOSTILE = ["<img src=x onerror=document.title='owned'>", "</script><b>bold", "a\nb", " ", "&lt;"]


def view(**options) -> SoftLookupView:
    return SoftLookupView(KEYS, NAMES, **{"query": [0.5, 1.0], **options})


def weights(page) -> list[float]:
    """The weights as the rows beside the plane say them."""
    cells = page.locator(".lesson-rows > div").all_inner_texts()[4:]
    return [float(cells[place + 3]) for place in range(0, 4 * len(NAMES), 4)]


def widths(page) -> list[float]:
    """How thick the lines are, in pixels."""
    return page.locator(".lesson-plane .line").evaluate_all(
        "(lines) => lines.map((line) => Number(line.getAttribute('stroke-width')))"
    )


def status(page) -> str:
    return page.get_by_role("status").inner_text()


def query(page) -> tuple[float, float]:
    """The place of the query, as the sliders say it to a screen reader."""
    return tuple(
        float(page.get_by_label(f"query {axis}").get_attribute("aria-valuetext").replace("−", "-")) for axis in "xy"
    )


def point_at(page, x, y) -> tuple[float, float]:
    """Where a place of the plane is on the page, from two keys, whose dots are drawn."""
    dots = page.locator(".lesson-plane .dot").evaluate_all(
        "(dots) => dots.map((dot) => dot.getBoundingClientRect()).map((box) => "
        "[box.x + box.width / 2, box.y + box.height / 2])"
    )
    (x0, y0), (x1, y1) = dots[0], dots[2]
    across, down = (x1 - x0) / (KEYS[2, 0] - KEYS[0, 0]), (y1 - y0) / (KEYS[2, 1] - KEYS[0, 1])
    return x0 + (x - KEYS[0, 0]) * across, y0 + (y - KEYS[0, 1]) * down


def test_dragging_moves_query_weights_and_blend_at_once(open_page):
    """Rejects a plane that only listens on the query itself, one that is drawn some frames later, and scales that are
    not the same on both axes."""
    page = open_page(view(score="dot").to_html())
    before, blend = weights(page), page.locator(".lesson-plane .context").bounding_box()
    page.mouse.move(*point_at(page, 1.9, -0.25))
    page.mouse.down()
    assert query(page) == pytest.approx((1.9, -0.25), abs=0.03)
    page.evaluate("""() => document.querySelector(".lesson-plane").addEventListener("pointermove", () => {
      window.atOnce = document.querySelector(".lesson-status").textContent;
    })""")
    page.mouse.move(*point_at(page, -0.5, 1.5))
    assert page.evaluate("window.atOnce") == status(page)
    page.mouse.up()
    assert query(page) == pytest.approx((-0.5, 1.5), abs=0.03)
    expected = view(query=list(query(page)), score="dot")
    assert weights(page) == pytest.approx(expected.weights(), abs=0.006)
    assert weights(page) != before
    assert np.argsort(widths(page)).tolist() == np.argsort(expected.weights()).tolist()
    after = page.locator(".lesson-plane .context").bounding_box()
    assert after != blend
    centre = (after["x"] + after["width"] / 2, after["y"] + after["height"] / 2)
    assert centre == pytest.approx(point_at(page, *expected.context()), abs=1.5)
    page.mouse.move(*point_at(page, 1, 1))
    assert query(page) == pytest.approx((-0.5, 1.5), abs=0.03), "the button is up"


def test_the_query_stays_in_the_plane(open_page):
    page = open_page(view().to_html())
    frame = page.locator(".lesson-plane .frame").bounding_box()
    page.mouse.move(frame["x"] + 5, frame["y"] + 5)
    page.mouse.down()
    page.mouse.move(frame["x"] + frame["width"] + 300, frame["y"] + frame["height"] + 200)
    page.mouse.up()
    ring = page.locator(".lesson-plane .query").bounding_box()
    centre = (ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    assert centre == pytest.approx((frame["x"] + frame["width"], frame["y"] + frame["height"]), abs=1.5)


def test_arrow_keys_on_the_plane_and_on_the_sliders(open_page):
    page = open_page(view().to_html())
    plane = page.get_by_role("application")
    plane.focus()
    before = query(page)
    page.keyboard.press("ArrowRight")
    step = query(page)[0] - before[0]
    assert step > 0
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowLeft")
    assert query(page) == pytest.approx((before[0] - 9 * step, before[1] + step))
    page.get_by_label("query y").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert query(page)[1] == pytest.approx(before[1] - step)
    page.keyboard.press("End")
    assert query(page)[1] > KEYS[:, 1].max()
    assert weights(page) == pytest.approx(view(query=list(query(page))).weights(), abs=0.006)


def test_temperature_goes_from_one_key_to_the_plain_mean(open_page):
    page = open_page(view(query=[0.5, 1.0]).to_html())
    slider = page.get_by_label("temperature")
    slider.focus()
    page.keyboard.press("Home")
    assert weights(page) == [0, 1, 0, 0, 0]
    assert slider.get_attribute("aria-valuetext") == "T → 0"
    page.keyboard.press("ArrowRight")
    assert "T = 0.00" in slider.get_attribute("aria-valuetext")
    page.keyboard.press("End")
    assert weights(page) == [0.2] * 5
    assert slider.get_attribute("aria-valuetext") == "T → ∞"
    controls = page.locator(".lesson-controls").inner_text()
    assert "one key takes all" in controls
    assert "plain mean" in controls
    blend = re.search(r"c = \((.*), (.*)\)", status(page).replace("−", "-"))
    assert [float(number) for number in blend.groups()] == pytest.approx(KEYS.mean(axis=0), abs=0.006)


@pytest.mark.parametrize("temperature", [0.0, math.inf, 1000.0, 0.5])
def test_a_page_opens_at_the_temperature_that_python_gave(open_page, temperature):
    page = open_page(view(temperature=temperature).to_html())
    assert weights(page) == pytest.approx(view(temperature=temperature).weights(), abs=0.006)


def test_every_score_has_its_formula_and_weights(open_page):
    """Rejects a list of scores of which some do the same, and a formula that does not change."""
    page = open_page(view(parameters={"concat": parameters()["concat"]}).to_html())
    choice = page.get_by_label("score")
    options = choice.locator("option").all_inner_texts()
    untrained = ["bilinear (untrained)", "concat", "additive (untrained)", "location (untrained)"]
    assert options == ["dot product", "scaled dot product", "cosine", *untrained]
    seen = {}
    for place, score in enumerate(FORMULAS):
        choice.select_option(str(place))
        expected = view(score=score, parameters={"concat": parameters()["concat"]}).weights()
        assert weights(page) == pytest.approx(expected, abs=0.006), score
        seen[page.locator(".formula span").first.inner_text()] = tuple(weights(page))
    assert len(seen) == 7
    assert len(set(seen.values())) == 7
    assert "does not use the keys" in page.locator(".note").inner_text()


def test_the_cosine_of_a_zero_query_is_said_to_be_0(open_page):
    page = open_page(view(score="cosine", query=[0.0, 0.0]).to_html())
    assert weights(page) == [0.2] * 5
    assert "zero vector" in page.locator(".note").inner_text()
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".note").inner_text() == ""


def test_values_are_strips_and_the_blend_is_the_last(open_page):
    """Rejects strips of the keys' places, a blend that does not move, and a mark of the blend among the keys."""
    page = open_page(view(values=VALUES).to_html())
    strips = page.locator("canvas.strip")
    assert strips.count() == len(NAMES) + 1
    assert page.locator(".lesson-plane .context").count() == 0
    pixels = "(canvas) => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, 1).data]"
    first, last = strips.nth(0).evaluate(pixels), strips.last.evaluate(pixels)
    assert len(first) == 4 * VALUES.shape[1]
    page.get_by_label("temperature").focus()
    page.keyboard.press("Home")
    assert strips.last.evaluate(pixels) == strips.nth(1).evaluate(pixels) != last
    assert strips.nth(0).evaluate(pixels) == first


def test_the_table_holds_the_numbers(open_page):
    page = open_page(view(values=VALUES, score="dot").to_html())
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").all_inner_texts() == [*NAMES, "context c"]
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert heads == ["x", "y", "score s", "weight w", "v1", "v2", "v3"]
    cells = [text.replace("−", "-") for text in page.get_by_role("row").nth(2).get_by_role("cell").all_inner_texts()]
    expected = [*KEYS[1], view(score="dot").scores()[1], view(score="dot").weights()[1], *VALUES[1]]
    assert [float(cell) for cell in cells] == pytest.approx(expected, abs=0.006)
    before = page.locator("table").inner_text()
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("table").inner_text() != before


def test_names_are_text(open_page):
    """Rejects names put into the page as HTML: in the plane, the rows, the status line and the table."""
    page = open_page(SoftLookupView(KEYS, HOSTILE, score="cosine").to_html())
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.locator("img, .lesson-view script, .lesson-view b").count() == 0
    assert page.title() == "soft key–value lookup"
    assert HOSTILE[0] in page.locator("table").inner_text()
    assert HOSTILE[0] in page.locator(".lesson-rows").inner_text()
    assert "␣" in page.locator(".lesson-rows").inner_text()


# ---- the reader's own score, in a page without Python ---------------------------------------------------------------


def nearest(q, k):
    return -((q - k) ** 2).sum(-1)


def test_an_own_score_needs_python_and_says_so(open_page):
    """Rejects a page that draws old weights for a new query without a word, and one without the other scores."""
    page = open_page(view(score=nearest).to_html())
    assert weights(page) == pytest.approx(view(score=nearest).weights(), abs=0.006)
    assert page.locator(".lesson-view.late").count() == 0
    assert page.get_by_label("score").locator("option").last.inner_text() == "your own"
    before = weights(page)
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".lesson-view.late").wait_for()
    assert weights(page) == before
    assert "computed by Python" in page.locator(".note").inner_text()
    assert "(.50, 1)" in page.locator(".note").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".lesson-view.late").count() == 0, "this is the query that Python was asked for"
    page.get_by_label("score").select_option("0")
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".note").inner_text() == ""
    assert weights(page) == pytest.approx(view(score="dot", query=list(query(page))).weights(), abs=0.006)


def test_an_own_score_that_never_answered_draws_nothing(open_page):
    page = open_page(view(score=lambda q, k: 1 / 0).to_html())
    assert widths(page) == [0] * 5
    assert all(math.isnan(weight) for weight in weights(page))
    assert not page.locator(".lesson-plane .context").is_visible()
    page.get_by_label("score").select_option("2")
    assert min(widths(page)) > 0
    assert page.locator(".lesson-plane .context").is_visible()


# ---- themes, sizes, readers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, {"values": VALUES, "lang": "zh"}, {"score": "location"}])
def test_accessible_in_both_themes(open_page, theme, options):
    page = open_page(view(**options).to_html(), theme)
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert violations(page) == []


def test_it_follows_the_theme(open_page):
    """Rejects strips and lines that keep the colours of the theme in which they were drawn first."""
    page = open_page(view(values=np.zeros((5, 2))).to_html())
    zero = "document.querySelector('canvas.strip').getContext('2d').getImageData(0, 0, 1, 1).data.slice(0, 3).join()"
    line = "getComputedStyle(document.querySelector('.lesson-plane .line')).stroke"
    assert page.evaluate(zero) == "255,255,255"
    light = page.evaluate(line)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{zero} === '17,17,17'")
    assert page.evaluate(line) != light


@pytest.mark.parametrize("width", [360, 500, 1000])
def test_it_fits_in_narrow_columns(open_page, width):
    page = open_page(view(values=VALUES).to_html(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    plane = page.locator(".lesson-plane svg").bounding_box()
    assert 200 <= plane["width"] <= min(440, width)


def test_it_follows_the_width_of_its_column(open_page):
    """A notebook's column changes without the window."""
    page = open_page(view().to_html(), width=900)
    page.evaluate("document.getElementById('view').style.width = '320px'")
    page.wait_for_function("document.querySelector('.lesson-plane svg').getBoundingClientRect().width < 310")
    assert page.evaluate("document.querySelector('.lesson-view').scrollWidth") <= 320
    page.mouse.move(*point_at(page, 1.9, -0.25))
    page.mouse.down()
    assert query(page) == pytest.approx((1.9, -0.25), abs=0.03)


def test_a_query_beyond_the_plane_moves_its_limits(open_page):
    page = open_page(view(query=[9.0, -7.0]).to_html())
    ring, frame = (page.locator(f".lesson-plane .{name}").bounding_box() for name in ("query", "frame"))
    assert frame["x"] <= ring["x"] <= frame["x"] + frame["width"]
    assert frame["y"] <= ring["y"] <= frame["y"] + frame["height"]


def test_names_can_be_read_where_keys_are_close(open_page):
    """Rejects names written over each other, or out of the view: ten keys within a few pixels, all with a number."""
    keys = np.random.default_rng(0).normal([2, 1], 0.05, size=(10, 2))
    names = [f"word {j}" for j in range(10)]
    page = open_page(SoftLookupView(np.vstack([keys, [[-2, -1]]]), [*names, "far"]).to_html())
    svg = page.locator(".lesson-plane svg").bounding_box()
    boxes = [letters(name.bounding_box()) for name in page.locator(".lesson-plane .name").all()]
    for place, (left, top, right, bottom) in enumerate(boxes):
        assert svg["x"] <= left
        assert right <= svg["x"] + svg["width"]
        for other in boxes[place + 1 :]:
            wide, high = min(right, other[2]) - max(left, other[0]), min(bottom, other[3]) - max(top, other[1])
            covered = max(0, wide) * max(0, high) / ((right - left) * (bottom - top))
            assert covered < 0.15, f"{names[place]} and another cover each other"


def letters(box) -> tuple[float, float, float, float]:
    """Where the letters of a name are in its box, which has air and an outline around them."""
    return box["x"] + 2, box["y"] + 4, box["x"] + box["width"] - 2, box["y"] + box["height"] - 4


def test_nothing_moves_by_itself(open_page):
    """No transition and no animation: readers who want less motion get the same view."""
    page = open_page(view().to_html())
    page.emulate_media(reduced_motion="reduce")
    page.get_by_label("temperature").focus()
    page.keyboard.press("Home")
    assert page.evaluate("document.getAnimations().length") == 0
    assert weights(page) == [0, 1, 0, 0, 0]


@pytest.mark.parametrize("n_keys", [1, 2, 30])
def test_from_one_key_to_thirty(open_page, n_keys):
    keys = np.random.default_rng(0).normal(size=(n_keys, 2))
    page = open_page(SoftLookupView(keys, [f"key {j}" for j in range(n_keys)]).to_html())
    assert page.locator(".lesson-plane .line").count() == n_keys
    page.get_by_label("temperature").focus()
    page.keyboard.press("End")
    assert set(page.locator(".lesson-plane .number").all_text_contents()) <= {f"{1 / n_keys:.2f}".lstrip("0"), "1"}
