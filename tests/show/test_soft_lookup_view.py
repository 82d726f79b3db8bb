"""SoftLookupView: what Python computes and sends, the reader's own score, and its page in a browser."""

import json
import math
import re

import numpy as np
import pytest
import torch
import traitlets

from course_lib.attention import scores
from course_lib.show import SoftLookupView
from course_lib.show.theme import THEME

from .soft_lookup_cases import KEYS, NAMES, VALUES, cases, modules, parameters
from .views import painted

FORMULAS = ("dot", "scaled_dot", "cosine", "bilinear", "concat", "additive", "location")
in_browser = pytest.mark.browser


def lookup(**options):
    return SoftLookupView(KEYS, NAMES, **{"query": [0.5, 1.0], **options})


def nearest(q, k):
    """A score that the library does not have."""
    return -((q - k) ** 2).sum(-1)


# ---- Python's side --------------------------------------------------------------------------------------------------


def test_scores_weights_and_context_are_those_of_the_library():
    """Rejects a score with another formula, a temperature at the wrong place, and parameters that are not the given."""
    for case in cases():
        given = {name: case[name] for name in ("query", "score", "temperature")}
        view = lookup(values=VALUES, parameters=parameters(), **given)
        assert view.scores() == pytest.approx(case["scores"], abs=1e-5), case
        assert view.weights() == pytest.approx(case["weights"], abs=1e-4), case
        assert view.context() == pytest.approx(case["context"], abs=1e-4), case
        order = [NAMES[j] for j in np.argsort(-view.weights(), kind="stable")]
        assert [line.rpartition(" ")[0] for line in view.picture().text.splitlines()[1:]] == order


def test_at_temperature_0_one_key_takes_all_and_at_infinity_all_are_equal():
    """Rejects a division by 0, NaN from ∞ · 0, and ∞ in a message to the browser: JSON has none."""
    view = lookup(query=[0.0, 1.0], score="dot", temperature=0)
    assert view.weights().tolist() == [0, 1, 0, 0, 0]
    view.query = [0.0, 0.0]
    assert view.weights() == pytest.approx(np.full(5, 0.2)), "equal scores share"
    view.temperature, view.query = math.inf, [0.5, 1.0]
    assert view.weights() == pytest.approx(np.full(5, 0.2))
    state = {name: value for name, value in view.get_state().items() if not isinstance(value, bytes | memoryview)}
    assert json.loads(json.dumps(state, allow_nan=False))["temperature"] is None
    view.temperature = 1
    view.set_state({"temperature": None})
    assert view.temperature == math.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SoftLookupView(KEYS[:3], NAMES), r"keys: expected shape \(5, 2\).*got \(3, 2\)"),
        (lambda: SoftLookupView(np.ones((5, 3)), NAMES), r"keys: expected shape \(5, 2\).*got \(5, 3\)"),
        (lambda: SoftLookupView([], []), r"keys: expected shape \(at least 1, 2\).*got \(0,\)"),
        (lambda: SoftLookupView([[0, 1], [np.nan, 0]], ["a", "b"]), "keys: expected finite numbers, .*nan.* for 'b'"),
        (lambda: lookup(values=VALUES[:2]), r"values: expected shape \(5, numbers\).*got \(2, 3\)"),
        (lambda: lookup(values=VALUES * np.nan), "values: expected finite numbers, got .*nan.* for '小明'"),
        (lambda: lookup(query=[0.0, 1.0, 2.0]), r"query: expected shape \(1, 2\).*got \(1, 3\)"),
        (lambda: lookup(query=[0.0, np.nan]), "query: expected finite numbers, got .*nan"),
        (lambda: lookup(score="euclid"), r"score: expected a function or one of \['dot', .*got 'euclid'"),
        (lambda: lookup(score="own"), "score: expected a function"),
        (lambda: lookup(parameters={"dot": {}}), r"parameters: expected some of \['bilinear', .*got \['dot'\]"),
        (lambda: lookup(parameters={"concat": {"w": [[1]]}}), r"of concat: expected \['w', 'v'\], got \['w'\]"),
        (lambda: lookup(parameters={"bilinear": {"w": np.ones((2, 3))}}), r"bilinear, w: .*\(2, 2\), got \(2, 3\)"),
        (lambda: lookup(parameters={"location": {"w": np.ones((4, 2))}}), r"location, w: .*\(5, 2\), got \(4, 2\)"),
        (lambda: lookup(parameters={"bilinear": {"w": [[1, np.nan], [0, 1]]}}), "bilinear, w: .*got NaN or infinity"),
        (lambda: lookup().update(keys=KEYS[:4]), r"keys: expected shape \(5, 2\).*got \(4, 2\)"),
    ],
)
def test_wrong_arguments_are_named_with_expected_and_got(make, message):
    with pytest.raises(ValueError, match=message):
        make()
    with pytest.raises(traitlets.TraitError, match="expected a function"):
        lookup().score = "own"


def test_parameters_that_were_not_given_are_drawn_and_named_untrained():
    """Rejects other numbers in each run, and a view that calls given parameters untrained."""
    one, other = lookup(), lookup(parameters={"concat": parameters()["concat"]})
    assert one.untrained == ["additive", "bilinear", "concat", "location"]
    assert other.untrained == ["additive", "bilinear", "location"]
    assert one.parameters == lookup().parameters
    assert one.parameters["bilinear"] == other.parameters["bilinear"]
    assert one.parameters["concat"] != other.parameters["concat"]


def test_update_and_the_defaults():
    view = SoftLookupView(KEYS, NAMES, score="dot")
    assert view.query == pytest.approx((KEYS.mean(0) + KEYS[0]) / 2, abs=1e-3)
    assert view.context() == pytest.approx(view.weights() @ KEYS), "without values the keys are the values"
    view.update(keys=-KEYS, values=2 * VALUES)
    assert view.scores() == pytest.approx(-KEYS @ view.query, abs=1e-6)
    assert view.context() == pytest.approx(view.weights() @ (2 * VALUES), abs=1e-6)
    assert repr(view) == "SoftLookupView(dot: 5 keys → 3 numbers)"


@pytest.mark.parametrize("score", [scores.cosine, modules()["additive"], modules()["location"]])
def test_a_score_of_the_library_can_be_passed_as_a_function(score):
    view = lookup(score=score)
    assert (view.score, view.message) == ("own", {})
    expected = score(torch.tensor([[0.5, 1.0]]), torch.tensor(KEYS, dtype=torch.float32))[0]
    assert view.scores() == pytest.approx(expected.tolist(), abs=1e-5)


def test_an_own_score_is_called_wherever_the_query_is():
    """Rejects a function that is called once only, with other shapes, or while another score is chosen."""
    calls = []

    def score(q, k):
        calls.append((q.tolist(), tuple(k.shape), q.dtype))
        return nearest(q, k)

    view = lookup(score=score)
    view.query = [2.0, -0.25]
    assert calls == [([[0.5, 1.0]], (5, 2), torch.float32), ([[2.0, -0.25]], (5, 2), torch.float32)]
    assert view.weights().argmax() == NAMES.index("<eos>")
    view.score, view.query = "dot", [0.0, 1.0]
    assert len(calls) == 2
    view.score = "own"
    assert calls[-1][0] == [[0.0, 1.0]]
    before = view.weights()
    view.update(keys=KEYS[::-1])
    assert view.weights() == pytest.approx(before[::-1])


@pytest.mark.parametrize("convert", [torch.Tensor.numpy, torch.Tensor.tolist, lambda answer: answer[None]])
def test_an_own_score_may_return_arrays_lists_and_masks(convert):
    masked = torch.arange(5) == 1
    view = lookup(score=lambda q, k: convert(nearest(q, k).masked_fill(masked, -math.inf)))
    assert view.message == {}
    assert view.weights()[1] == 0
    assert view.weights().sum() == pytest.approx(1)


def test_what_an_own_score_prints_and_raises_is_shown_and_the_old_weights_stay():
    def score(q, k):
        print("q =", q[0, 0].item())
        return q @ k if q[0, 0] > 1 else nearest(q, k)

    view = lookup(score=score)
    assert view.message == {"printed": "q = 0.5\n"}
    before = view.weights()
    view.query = [2.0, 1.0]
    assert view.message["printed"] == "q = 2.0\n"
    assert "RuntimeError" in view.message["error"]
    assert "return q @ k" in view.message["error"]
    assert view.weights().tolist() == before.tolist()
    assert view.own_query == [2.0, 1.0], "Python has answered, if with an error"
    view.query = [0.25, 1.0]
    assert "error" not in view.message
    assert view.weights().tolist() != before.tolist()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda q, k: k, r"expected shape \(1, 5\) or \(5,\), a number for each key, got shape \(5, 2\)"),
        (lambda q, k: None, "got nothing: is a return missing"),
        (lambda q, k: [1, 2, math.nan, 4, 5], "expected numbers, got nan for “tea”"),
        (lambda q, k: [1, math.inf, 3, 4, 5], "expected numbers, got inf for “bread”"),
    ],
)
def test_an_answer_that_is_no_score_is_an_error_in_words(answer, message):
    view = lookup(score=answer)
    assert re.search(message, view.message["error"])
    assert np.isnan(view.weights()).all()
    assert "nan" in view.picture().text


def test_the_picture_draws_lines_as_thick_as_the_weights_and_values_as_strips():
    view = lookup(score="dot")
    lines = [line for line in view.picture().figure.axes[0].lines if len(line.get_xdata()) == 2]
    widths = [line.get_linewidth() for line in lines if tuple(line.get_xydata()[0]) == (0.5, 1.0)]
    assert np.argsort(widths).tolist() == np.argsort(view.weights()).tolist()
    axes = lookup(values=VALUES).picture().figure.axes
    assert [label.get_text() for label in axes[-1].get_yticklabels()] == ["context c"]


# ---- in a browser ---------------------------------------------------------------------------------------------------


def weights(page):
    """The weights as the rows beside the plane say them."""
    cells = page.locator(".lesson-rows > div").all_inner_texts()[4:]
    return [float(cells[place + 3]) for place in range(0, 4 * len(NAMES), 4)]


def widths(page):
    return [float(line.get_attribute("stroke-width")) for line in page.locator(".lesson-plane .line").all()]


def query(page):
    """The place of the query, as the sliders say it to a screen reader."""
    texts = (page.get_by_label(f"query {axis}").get_attribute("aria-valuetext") for axis in "xy")
    return [float(text.replace("−", "-")) for text in texts]


def centre(locator):
    box = locator.bounding_box()
    return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def point_at(page, place):
    """Where a place of the plane is on the page, from two keys, whose dots are drawn."""
    dots = page.locator(".lesson-plane .dot")
    one, other = centre(dots.nth(0)), centre(dots.nth(2))
    return one + (np.asarray(place) - KEYS[0]) * (other - one) / (KEYS[2] - KEYS[0])


@in_browser
@pytest.mark.parametrize("width", [None, "320px"])
def test_dragging_moves_query_weights_and_context(open_page, width):
    """Rejects a plane that only listens on the query itself, and axes that are flipped or of different scales; also
    in a column that has become narrower."""
    page = open_page(lookup(score="dot").to_html(), width=900)
    if width:
        page.evaluate("(width) => { document.getElementById('view').style.width = width; }", width)
        page.wait_for_function("document.querySelector('.lesson-plane svg').getBoundingClientRect().width < 310")
        assert page.evaluate("document.querySelector('.lesson-view').scrollWidth") <= 320
    page.mouse.move(*point_at(page, (1.9, -0.25)))
    page.mouse.down()
    assert query(page) == pytest.approx((1.9, -0.25), abs=0.03)
    page.mouse.move(*point_at(page, (-0.5, 1.5)))
    page.mouse.up()
    expected = lookup(query=query(page), score="dot")
    assert expected.query == pytest.approx((-0.5, 1.5), abs=0.03)
    assert weights(page) == pytest.approx(expected.weights(), abs=0.006)
    assert widths(page) == pytest.approx(0.6 + 8 * expected.weights(), abs=0.01)
    assert centre(page.locator(".lesson-plane .context")) == pytest.approx(point_at(page, expected.context()), abs=1.5)
    corners = page.locator(".lesson-plane .hull").get_attribute("d").count("L") + 1
    assert corners == 3, "two keys lie within the others"
    frame = page.locator(".lesson-plane .frame").bounding_box()
    page.mouse.move(frame["x"] + 5, frame["y"] + 5)
    assert query(page) == expected.query, "the button is up"
    page.mouse.down()
    page.mouse.move(2000, 2000)
    end = frame["x"] + frame["width"], frame["y"] + frame["height"]
    assert centre(page.locator(".lesson-plane .query")) == pytest.approx(end, abs=1.5), "it stays in the plane"


@in_browser
def test_arrow_keys_on_the_plane_and_on_the_sliders(open_page):
    page = open_page(lookup().to_html())
    plane, before = page.get_by_role("application"), query(page)
    plane.press("ArrowRight")
    step = query(page)[0] - before[0]
    assert step > 0
    plane.press("ArrowUp")
    plane.press("Shift+ArrowLeft")
    assert query(page) == pytest.approx((before[0] - 9 * step, before[1] + step))
    page.get_by_label("query y").press("ArrowDown")
    assert query(page) == pytest.approx((before[0] - 9 * step, before[1]))
    page.get_by_label("query y").press("End")
    assert query(page)[1] > KEYS[:, 1].max()
    assert weights(page) == pytest.approx(lookup(query=query(page)).weights(), abs=0.006)


@in_browser
@pytest.mark.parametrize("temperature", [0.0, math.inf, 1000.0, 0.5])
def test_the_temperature_goes_from_one_key_to_the_plain_mean(open_page, temperature):
    page = open_page(lookup(temperature=temperature).to_html())
    assert weights(page) == pytest.approx(lookup(temperature=temperature).weights(), abs=0.006)
    slider = page.get_by_label("temperature")
    slider.press("Home")
    assert weights(page) == [0, 1, 0, 0, 0]
    assert slider.get_attribute("aria-valuetext") == "T → 0"
    slider.press("End")
    assert weights(page) == [0.2] * 5
    assert slider.get_attribute("aria-valuetext") == "T → ∞"


@in_browser
def test_every_score_has_its_formula_and_weights(open_page):
    """Rejects a list of scores of which some do the same, and a formula that does not change."""
    page = open_page(lookup(parameters={"concat": parameters()["concat"]}).to_html())
    untrained = ["bilinear (untrained)", "concat", "additive (untrained)", "location (untrained)"]
    choice, formulas = page.get_by_label("score"), set()
    options = choice.locator("option").all_inner_texts()
    assert options == ["dot product", "scaled dot product", "cosine", *untrained]
    for place, score in enumerate(FORMULAS):
        choice.select_option(str(place))
        expected = lookup(score=score, parameters={"concat": parameters()["concat"]}).weights()
        assert weights(page) == pytest.approx(expected, abs=0.006), score
        formulas.add(page.locator(".formula span").first.inner_text())
    assert len(formulas) == 7
    assert "does not use the keys" in page.locator(".note").inner_text()
    page = open_page(lookup(score="cosine", query=[0.0, 0.0]).to_html())
    assert weights(page) == [0.2] * 5
    assert "zero vector" in page.locator(".note").inner_text()


@in_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_strips_show_the_values_and_the_blend_and_the_table_has_the_numbers(open_page, theme):
    """Rejects strips of the keys' places, signs exchanged, a context that does not move, a zero of another theme."""
    values = np.where(np.arange(3) == 2, 0, VALUES)
    page = open_page(lookup(values=values).to_html(), theme={"light": "dark", "dark": "light"}[theme])
    page.emulate_media(color_scheme=theme)
    paper = list(bytes.fromhex(THEME[theme]["page"][1:]))
    page.wait_for_function(
        "([r, g, b]) => getComputedStyle(document.querySelector('.lesson-view')).backgroundColor === "
        "`rgb(${r}, ${g}, ${b})`",
        arg=paper,
    )
    strips = page.locator("canvas.strip")
    assert strips.count() == len(NAMES) + 1
    assert page.locator(".lesson-plane .context").count() == 0
    page.get_by_label("temperature").press("Home")
    colours = [painted(strip)[0, :, :3] for strip in strips.all()]
    assert (colours[-1] == colours[1]).all(), "the context of one key is its value"
    for strip, row in zip(colours, values, strict=False):
        assert strip[2].tolist() == paper
        assert ((strip[:2, 0] > strip[:2, 2]) == (row[:2] > 0)).all(), "red is positive"
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.get_by_role("rowheader").all_inner_texts() == [*NAMES, "context c"]
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert heads == ["x", "y", "score s", "weight w", "v1", "v2", "v3"]
    cells = [text.replace("−", "-") for text in page.get_by_role("row").nth(2).get_by_role("cell").all_inner_texts()]
    assert [float(cell) for cell in cells] == pytest.approx([*KEYS[1], lookup().scores()[1], 1, *values[1]], abs=0.006)


@in_browser
def test_an_own_score_needs_python_and_the_page_says_so(open_page):
    """Rejects a page that draws old weights for a new query without a word, and one without the other scores."""
    page = open_page(lookup(score=nearest).to_html())
    before, plane = weights(page), page.get_by_role("application")
    assert before == pytest.approx(lookup(score=nearest).weights(), abs=0.006)
    plane.press("ArrowRight")
    page.locator(".lesson-view.late").wait_for()
    assert weights(page) == before
    assert re.search(r"computed by Python.*\(\.50, 1\)", page.locator(".note").inner_text())
    plane.press("ArrowLeft")
    assert page.locator(".lesson-view.late").count() == 0, "these are the weights of this query"
    page.get_by_label("score").select_option("0")
    plane.press("ArrowRight")
    assert page.locator(".note").inner_text() == ""
    assert weights(page) == pytest.approx(lookup(score="dot", query=query(page)).weights(), abs=0.006)


@in_browser
def test_an_own_score_that_never_answered_draws_nothing(open_page):
    page = open_page(lookup(score=lambda q, k: 1 / 0).to_html())
    assert widths(page) == [0] * 5
    assert np.isnan(weights(page)).all()
    assert not page.locator(".lesson-plane .context").is_visible()


@in_browser
@pytest.mark.parametrize("n_keys", [1, 12])
def test_names_and_lines_of_few_and_of_many_close_keys(open_page, n_keys):
    """Rejects names written over each other or out of the view, and a query that lies beyond the plane."""
    keys = np.random.default_rng(0).normal([2, 1], 0.05, size=(n_keys, 2))
    page = open_page(SoftLookupView(keys, [f"word {j}" for j in range(n_keys)], query=[9.0, -7.0]).to_html())
    assert page.locator(".lesson-plane .line").count() == n_keys
    frame, ring = page.locator(".lesson-plane .frame").bounding_box(), centre(page.locator(".lesson-plane .query"))
    assert frame["x"] <= ring[0] <= frame["x"] + frame["width"]
    assert frame["y"] <= ring[1] <= frame["y"] + frame["height"]
    svg, names = page.locator(".lesson-plane svg").bounding_box(), page.locator(".lesson-plane .name").all()
    boxes = [
        (b["x"] + 2, b["y"] + 4, b["x"] + b["width"] - 2, b["y"] + b["height"] - 4)
        for b in (name.bounding_box() for name in names)
    ]  # without the outlines of the letters
    assert len(boxes) == n_keys
    for place, (left, top, right, bottom) in enumerate(boxes):
        assert svg["x"] <= left < right <= svg["x"] + svg["width"]
        for other in boxes[place + 1 :]:
            wide, high = min(right, other[2]) - max(left, other[0]), min(bottom, other[3]) - max(top, other[1])
            assert max(0, wide) * max(0, high) < 0.15 * (right - left) * (bottom - top)
