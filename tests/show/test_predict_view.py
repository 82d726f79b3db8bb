"""PredictView: kinds of predictions, the answer that is hidden until the reader commits, and the static HTML."""

import base64
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from fontTools.ttLib import TTFont

from course_lib.show import PredictView
from tests.show.accessibility import violations

HOSTILE = "<img src=x onerror=document.title='owned'>"
LENGTHS = ["4–7", "8–11", "12–15", "16–20"]
SOURCE, TARGET = ["la", "zone", "économique", "européenne"], ["the", "European", "economic", "area"]
GOLD = ["la", "européenne", "économique", "zone"]
SECRET, WHY = 0.7317, "because of the bottleneck"
HIDDEN = ("details", "script", "style", "title")
KEEPS = ' data-lm-suppress-shortcuts=""'  # on what has had the focus
BOX = "document.querySelector('.board').getBoundingClientRect().toJSON()"


def choice(**more):
    return PredictView("Which is nearest?", **{"options": ["king", "queen", "prince"], "answer": "king", **more})


def number(**more):
    return PredictView("What share is right?", **{"low": 0, "high": 1, "answer": SECRET, **more})


def curve(**more):
    given = {"labels": LENGTHS, "low": 0, "high": 1, "answer": [0.96, 0.27, SECRET, 0.01]}
    return PredictView("Draw the accuracy by length.", **{**given, **more})


def rows(**more):
    return PredictView("Which word is needed?", **{"rows": TARGET, "options": SOURCE, "answer": GOLD, **more})


KINDS = {"choice": choice, "number": number, "curve": curve, "rows": rows}


def sealed(view):
    """The answer that a view carries, as its JavaScript reads it."""
    return json.loads(view.sealed)["answer"]


# ── Python ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PredictView("?", answer=0), r"low, high: expected two numbers.*got None and None"),
        (lambda: number(low=1, high=0), r"low, high: .*got 1 and 0"),
        (lambda: number(step=2), r"step: expected .*at most 1, got 2"),
        (lambda: number(answer=1.2), r"answer: expected numbers from 0 to 1, got 1\.2"),
        (lambda: number(answer=np.inf), r"answer: expected numbers from 0 to 1, got inf"),
        (lambda: number(answer=[0.1, 0.2]), r"answer: expected numbers of shape \(\), got \(2,\)"),
        (lambda: choice(answer="throne"), r"answer: expected one of \['king', .*got 'throne'"),
        (lambda: choice(options=["king", "king"]), r"options: expected at least two, all different"),
        (lambda: choice(labels=LENGTHS), r"got 3 options, 0 rows and 4 labels"),
        (lambda: PredictView("?", rows=TARGET, answer=GOLD), r"got 0 options, 4 rows"),
        (lambda: rows(answer=GOLD[:3]), r"one word for each row: expected 4, got 3"),
        (lambda: rows(answer=[*GOLD[:3], "chat"]), r"got 'chat'"),
        (lambda: curve(answer=[0.1, 0.2]), r"answer: expected numbers of shape \(4,\), got \(2,\)"),
        (lambda: curve(given=[1.0] * 4), r"given: expected fewer numbers than the 4 labels, got 4"),
        (lambda: curve(given=[3.0]), r"given: expected numbers from 0 to 1, got 3"),
        (lambda: curve(given=[np.nan]), r"given: expected numbers from 0 to 1, got nan"),
        (lambda: choice(words={"colour": "red"}), r"words: expected some of"),
    ],
)
def test_wrong_arguments_are_named_with_expectation_and_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_kind_follows_from_the_arguments():
    assert {name: make().kind for name, make in KINDS.items()} == {name: name for name in KINDS}
    assert repr(rows()) == "PredictView(rows: 4 rows, 4 options)"
    assert repr(number()) == "PredictView(number: 0 … 1)"


@pytest.mark.parametrize("given", [0.25, np.float32(0.25), np.array(0.25), torch.tensor(0.25, requires_grad=True)])
def test_an_answer_may_be_any_number(given):
    assert sealed(number(answer=given)) == ["0.25"]


def test_answers_may_be_arrays_tensors_and_numbers_among_options():
    assert sealed(curve(answer=torch.ones(4))) == ["1.0"] * 4
    assert sealed(rows(answer=np.array(GOLD))) == GOLD
    assert sealed(choice(options=[16, 48], answer=np.int64(48))) == ["48"]


def test_an_answer_may_lie_outside_by_rounding():
    assert sealed(number(answer=1 + 1e-12)) == [str(1 + 1e-12)]


@pytest.mark.parametrize(("step", "digits"), [(None, 2), (0.01, 2), (0.25, 2), (0.05, 2), (0.5, 1), (1, 0)])
def test_the_step_decides_how_many_digits_are_written(step, digits):
    assert number(high=1, step=step).scale["digits"] == digits


def test_a_long_scale_has_whole_numbers():
    assert number(low=0, high=1000).scale["digits"] == 0


class Visible(HTMLParser):
    """The text of a page outside of <details>, scripts and styles, and the names of its elements."""

    def __init__(self, html):
        super().__init__()
        self.text, self.names, self.hidden = "", [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.hidden += tag in HIDDEN and dict(attrs).get("open") is None

    def handle_endtag(self, tag):
        self.hidden -= tag in HIDDEN

    def handle_data(self, data):
        self.text += "" if self.hidden else data


def static(view):
    """The HTML of a view for places without a kernel."""
    return view._repr_mimebundle_()[0]["text/html"]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_kernel_the_answer_is_folded_below_the_question(kind):
    """Rejects an answer that can be seen before, and a page that leaves it out."""
    view = KINDS[kind](why=WHY)
    folded = re.search("<details>(.*)</details>", static(view), re.DOTALL)[1]
    visible = Visible(static(view)).text
    answers = {"choice": ["king"], "number": [".73"], "curve": [".96", ".27", ".73", ".01"], "rows": GOLD}[kind]
    for text in (*answers, WHY):
        assert text in folded
    assert WHY not in visible
    assert view.question in visible
    for text in (*view.options, *view.labels):
        assert text in visible
    if not view.options:
        assert not [text for text in answers if text in visible]
        assert "0 … 1" in visible


def test_without_a_kernel_the_given_numbers_are_shown():
    visible = Visible(static(curve(given=[0.96], unit=" %"))).text
    assert "4–7.96 %8–11?" in visible


def test_an_unknown_number_is_nan():
    assert "<td>nan</td>" in static(curve(answer=[0.1, np.nan, 0.2, 0.3]))
    assert sealed(curve(answer=[0.1, np.nan, 0.2, 0.3]))[1] == "nan"


@pytest.mark.parametrize("make", [*KINDS.values()], ids=[*KINDS])
def test_the_answer_is_not_in_the_source_of_the_page(make):
    view = make(why=WHY)
    for text in (repr(view), view.to_html()):
        assert WHY not in text
        assert str(SECRET) not in text
        assert '"answer":[' not in text.replace(": ", ":")


@pytest.mark.parametrize("kind", KINDS)
def test_static_html_is_deterministic_small_and_without_script(kind):
    html = static(KINDS[kind](why=WHY))
    assert html == static(KINDS[kind](why=WHY))
    assert len(html) < 1500
    assert not {"script", "iframe", "img", "style"} & set(Visible(html).names)


def test_words_are_text_never_markup_without_a_kernel():
    plain, hostile = choice(), choice(options=[HOSTILE, "</script>"], answer=HOSTILE, why=HOSTILE)
    assert Visible(plain.to_html()).names == Visible(hostile.to_html()).names
    assert Visible(static(choice(why="x"))).names == Visible(static(hostile)).names
    drawn = PredictView(HOSTILE, labels=[HOSTILE], low=0, high=1, answer=[1], unit=HOSTILE)
    assert Visible(static(drawn)).names == Visible(static(curve(labels=["a"], answer=[1]))).names


def test_the_characters_of_the_explanation_travel_too():
    """Rejects a font that is cut without the answer."""
    font = number(why="因为").font
    assert {ord("因"), ord("为")} <= set(TTFont(io.BytesIO(font)).getBestCmap())
    assert number().font == b""


def test_the_answer_travels_in_base64():
    assert base64.b64encode(number().sealed).decode() in number().to_html()


# ── In a browser ──────────────────────────────────────────────────────────────────────────────────────────────────────


def opened(open_page, view, **options):
    """The view as a page from disk, and the parts of it that tests need."""
    page = open_page(view.to_html(), **options)
    return page, page.get_by_role("button"), page.get_by_role("status")


def dragged(page, *points):
    """Press at the first of these parts of the board (across, up), go to the others, let go."""
    box = page.evaluate(BOX)
    places = [(box["x"] + across * box["width"], box["bottom"] - up * box["height"]) for across, up in points]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place)
    page.mouse.up()


def text_of(page):
    """All that the view's elements say and hold; but not which of them keep their keys."""
    return page.evaluate("document.querySelector('.lesson-view').outerHTML").replace(KEEPS, "")


def by_mouse(page, kind):
    match kind:
        case "choice":
            page.get_by_text("queen").click()
        case "rows":
            for place, column in enumerate((0, 1, 2, 2)):
                page.locator("tr").nth(1 + place).locator("td").nth(column).locator("input").click()
        case "number":
            dragged(page, (0.3, 0.5), (0.6, 0.5))
        case _:
            dragged(page, (0.1, 0.9), (0.9, 0.3))


def by_keyboard(page, kind):
    page.keyboard.press("Tab")
    match kind:
        case "choice":
            for key in ("Space", "ArrowRight"):
                page.keyboard.press(key)
        case "rows":
            for steps in (0, 1, 2, 2):
                page.keyboard.press("Tab")
                page.keyboard.press("Space")
                for _ in range(steps):
                    page.keyboard.press("ArrowRight")
        case "number":
            for key in ("Home", *["PageUp"] * 6):
                page.keyboard.press(key)
        case _:
            for downs in range(4):
                page.keyboard.press("ArrowDown")
                for _ in range(1 + 2 * downs):
                    page.keyboard.press("PageDown")
                page.keyboard.press("Tab")


SAID = {
    "choice": "you predicted “queen”, answer “king”",
    "rows": "2 of 4 right",
    "number": "you predicted .60, measured .73: too low by .13",
    "curve": "largest at 8–11: you predicted .70, measured .27",
}


@pytest.mark.browser
@pytest.mark.parametrize("guess", [by_mouse, by_keyboard])
@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_is_complete_then_fixed_then_compared(open_page, kind, guess):
    """Rejects an answer that is shown before, and a guess that can be changed after."""
    page, button, status = opened(open_page, KINDS[kind](why=WHY))
    assert button.is_disabled()
    before = text_of(page)
    assert WHY not in before
    assert ".73" not in before
    guess(page, kind)
    assert button.is_enabled()
    assert ".73" not in text_of(page)
    if guess is by_mouse:
        button.click()
    else:
        button.focus()
        page.keyboard.press("Enter")
    assert SAID[kind] in status.inner_text()
    assert page.locator(".why").inner_text() == WHY
    assert page.evaluate("document.activeElement.tagName") == "FIELDSET"  # not lost with the button
    after = text_of(page)
    assert page.locator("input").count() == 0
    for slider in page.get_by_role("slider").all():
        slider.press("ArrowUp")
        slider.press("Home")
    if kind in ("number", "curve"):
        dragged(page, (0.1, 0.1), (0.9, 0.1))
    assert text_of(page) == after


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["rows", "curve"])
def test_a_part_of_a_guess_cannot_be_committed_to(open_page, kind):
    page, button, status = opened(open_page, KINDS[kind]())
    if kind == "rows":
        page.get_by_role("radio").first.check()
    else:
        page.get_by_role("slider").first.press("Home")
    assert status.inner_text() == "1 of 4 predicted"
    assert button.is_disabled()


@pytest.mark.browser
def test_a_number_has_no_value_until_it_is_touched(open_page):
    """Rejects a slider that stands in the middle, and by that suggests a number."""
    page, _, _ = opened(open_page, number())
    slider = page.get_by_role("slider", name="What share is right?")
    assert slider.get_attribute("aria-valuetext") == "no prediction yet"
    assert not page.locator(".dot.guess").is_visible()
    dragged(page, (0.5, 0.5))  # a click in the middle counts, too
    assert slider.get_attribute("aria-valuetext") == ".50"
    assert slider.get_attribute("aria-valuenow") == "0.5"
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == ".51"
    slider.press("End")
    slider.press("ArrowUp")
    assert slider.get_attribute("aria-valuetext") == "1"


@pytest.mark.browser
def test_a_fast_stroke_leaves_no_place_out(open_page):
    page, _, _ = opened(open_page, curve())
    dragged(page, (0.125, 0.8), (0.875, 0.2))
    said = [slider.get_attribute("aria-valuetext") for slider in page.get_by_role("slider").all()]
    assert said == [".80", ".60", ".40", ".20"]


@pytest.mark.browser
def test_what_is_known_is_shown_and_stays(open_page):
    view = curve(given=[0.96, 0.27])
    page, button, status = opened(open_page, view)
    assert page.get_by_role("slider").count() == 2
    assert page.get_by_role("img", name="8–11: measured .27").is_visible()
    assert status.inner_text() == "0 of 2 predicted"
    dragged(page, (0.125, 0.5), (0.875, 0.5))
    button.click()
    assert page.locator(".number.guess").all_inner_texts() == ["", "", ".50", ".50"]
    assert page.locator(".number.truth").all_inner_texts() == [".96", ".27", ".73", ".01"]
    assert "mean error .36" in status.inner_text()


@pytest.mark.browser
def test_a_right_guess_is_called_right(open_page):
    page, button, status = opened(open_page, choice())
    page.get_by_label("king").check()
    button.click()
    assert status.inner_text() == "you predicted “king”: right"
    page, button, status = opened(open_page, number(answer=0.6))
    by_keyboard(page, "number")
    button.click()
    assert status.inner_text() == "you predicted .60, measured .60: exactly right"


@pytest.mark.browser
def test_cells_are_marked_by_more_than_colour(open_page):
    page, button, _ = opened(open_page, rows())
    by_mouse(page, "rows")
    button.click()
    cells = [cell.inner_text().split("\n") for cell in page.locator("tr").nth(2).locator("td").all()]
    assert [cell[0][:1] for cell in cells] == ["", "✗", "", "■"]
    outline = "(cell) => getComputedStyle(cell).outlineStyle"
    assert page.locator("td.right, td.missed").evaluate_all(f"(cells) => cells.map({outline})") == ["solid"] * 4
    assert page.locator("td.wrong").evaluate_all(f"(cells) => cells.map({outline})") == ["none"] * 2


@pytest.mark.browser
def test_the_table_holds_guess_and_answer_and_before_only_the_guess(open_page):
    page, button, _ = opened(open_page, curve())
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()

    def lines():
        return [row.get_by_role("cell").all_inner_texts() for row in page.locator("details tr").all()[1:]]

    dragged(page, (0.125, 0.5), (0.875, 0.5))
    assert lines() == [[".50", ""]] * 4
    button.click()
    assert lines() == [[".50", ".96"], [".50", ".27"], [".50", ".73"], [".50", ".01"]]
    assert page.get_by_role("columnheader").all_inner_texts() == ["you", "measured"]


@pytest.mark.browser
def test_what_is_no_number_is_shown_as_such(open_page):
    page, button, status = opened(open_page, curve(answer=[0.5, np.nan, 0.5, 0.5]))
    dragged(page, (0.125, 0.4), (0.875, 0.4))
    button.click()
    assert page.locator(".number.truth").all_inner_texts() == [".50", "nan", ".50", ".50"]
    assert "mean error .10" in status.inner_text()
    page, button, status = opened(open_page, number(answer=np.nan))
    dragged(page, (0.5, 0.5))
    button.click()
    assert status.inner_text() == "you predicted .50, measured nan: nan"


def with_model(view):
    """The page of a view, whose model a test can reach as `model`: as Python does in a notebook."""
    there = (
        "((render, state) => { window.model = new PageModel(state); render({ model, el: document.body }); })(render, {"
    )
    html = view.to_html()
    assert html.count("showPage(render, {") == 1
    return html.replace("showPage(render, {", there)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("kind", "guess"),
    [
        ("choice", "queen"),
        ("rows", ["la", "zone", "économique", "économique"]),
        ("number", 0.6),
        ("curve", [0.9, 0.7, 0.5, 0.3]),
    ],
)
def test_python_can_read_the_guess_in_the_form_of_the_answer(open_page, kind, guess):
    page = open_page(with_model(KINDS[kind]()))
    if kind == "curve":
        dragged(page, (0.125, 0.9), (0.875, 0.3))
    else:
        by_mouse(page, kind)
    assert page.evaluate("model.get('guess')") is None
    page.get_by_role("button").click()
    assert page.evaluate("model.get('guess')") == guess
    assert KINDS[kind](answer=guess).guess is None  # an answer of the same form


@pytest.mark.browser
def test_a_guess_that_python_knows_is_drawn_as_committed(open_page):
    """The same view, shown a second time further down."""
    view = curve()
    view.guess = [0.9, 0.7, 0.5, 0.3]
    _, button, status = opened(open_page, view)
    assert button.count() == 0
    assert SAID["curve"] in status.inner_text()


@pytest.mark.browser
def test_words_are_text(open_page):
    """Rejects question, options, explanation or unit put into the page as HTML."""
    words = {"options": [HOSTILE, "b"], "answer": HOSTILE, "why": HOSTILE}
    for view in (
        PredictView(HOSTILE, **words),
        PredictView(HOSTILE, rows=[HOSTILE], **{**words, "answer": [HOSTILE]}),
        PredictView(HOSTILE, labels=[HOSTILE], low=0, high=1, answer=[1], unit=HOSTILE, why=HOSTILE),
    ):
        page, button, _ = opened(open_page, view)
        if view.options:
            page.get_by_role("radio").first.check()
        else:
            page.get_by_role("slider").first.press("End")
        button.click()
        page.locator("summary").click()
        page.get_by_role("rowheader").first.wait_for()
        assert page.locator("img, .lesson-view script").count() == 0
        assert page.title() == "a prediction, then the answer"
        assert HOSTILE in page.locator("legend").inner_text()
        assert page.locator(".why").inner_text() == HOSTILE


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", [*KINDS, "partly known"])
def test_it_is_accessible_and_fits_a_narrow_column_in_every_state(open_page, kind, theme):
    view = KINDS[kind](why=WHY) if kind in KINDS else curve(given=[0.96], why=WHY)
    page, button, _ = opened(open_page, view, theme=theme, width=360)
    states = [lambda: None, lambda: by_mouse(page, kind), button.click, page.locator("summary").click]
    for change in states:
        change()
        page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_every_control_has_a_role_a_name_and_a_visible_focus(open_page, kind):
    page, _, _ = opened(open_page, KINDS[kind]())
    group = {"choice": "radiogroup"}.get(kind, "group")
    assert page.get_by_role(group, name=KINDS[kind]().question).first.is_visible()
    controls = {
        "choice": [("radio", name) for name in ("king", "queen", "prince")],
        "rows": [("radiogroup", name) for name in TARGET],
        "number": [("slider", "What share is right?")],
        "curve": [("slider", name) for name in LENGTHS],
    }[kind]
    for role, name in controls:
        assert page.get_by_role(role, name=name, exact=True).count() == 1
    by_mouse(page, kind)
    page.evaluate("document.querySelector('fieldset').focus()")
    for _ in range({"rows": 6, "curve": 5}.get(kind, 2)):  # rows lie in a part that scrolls; the button comes last
        page.keyboard.press("Tab")
        focused = "getComputedStyle(document.activeElement)"
        assert page.evaluate(f"{focused}.outlineStyle") == "solid"
        assert page.evaluate(f"{focused}.outlineColor") == "rgb(217, 119, 6)"


@pytest.mark.browser
def test_nothing_moves_where_no_motion_is_wanted(open_page):
    page, button, _ = opened(open_page, choice(why=WHY))
    moves = "document.getAnimations().length"
    page.get_by_label("king").check()
    button.click()
    assert page.evaluate(moves) == 1
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == 0


@pytest.mark.browser
def test_enter_in_a_form_sends_nothing(open_page):
    """Rejects a form that reloads the page, and with it the guess."""
    page, _, _ = opened(open_page, choice())
    page.get_by_label("queen").check()
    page.get_by_label("queen").press("Enter")
    assert page.get_by_label("queen").is_checked()


@pytest.mark.browser
def test_two_questions_on_a_page_have_answers_of_their_own(open_page):
    """Rejects radio buttons that are one group across views."""
    page = open_page(with_model(choice()).replace("render({ model", "for (const _ of '12') render({ model"))
    page.get_by_label("king").nth(0).check()
    page.get_by_label("queen").nth(1).check()
    assert page.get_by_label("king").nth(0).is_checked()


@pytest.mark.browser
def test_it_speaks_chinese(open_page):
    view = PredictView("下一个词？", options=["小红", "喜欢"], answer="小红", why="因为", lang="zh")
    page, button, status = opened(open_page, view)
    page.get_by_label("喜欢").check()
    button.click()
    assert status.inner_text() == "你预测 “喜欢”, 答案 “小红”"
