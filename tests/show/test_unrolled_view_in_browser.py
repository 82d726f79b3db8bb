"""UnrolledView in a real browser, as a page opened from disk without any network."""

from itertools import pairwise

import numpy as np
import pytest

from course_lib.show import UnrolledView
from course_lib.show.theme import THEME, WORDS
from tests.show.accessibility import violations
from tests.show.screenshots import AFTER_PICTURE, difference, pixels
from tests.show.unrolled_runs import NAMES, READ, SOURCE, WRITTEN, as_tuple, run, step_of

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='owned'>"
DRIVEN = """((render, state) => {
  window.model = new PageModel(state);
  window.end = render({ model, el: document.getElementById("view") });
})(render, {"""
THICK = "() => [...document.querySelectorAll('.fan path')].map((path) => parseFloat(path.style.strokeWidth))"
BOXES = """() => {
  const box = (node) => { const { x, y, width, height } = node.getBoundingClientRect(); return [x, y, width, height]; };
  const parts = ["view", "controls", "status", "legend"].map((name) => `.lesson-${name}`);
  return [...parts, ".agenda", ".scroller", "canvas"].map((name) => box(document.querySelector(name)));
}"""
COLOUR = """([x, y]) => {
  const canvas = document.querySelector("canvas.bars");
  return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
}"""


def made(kind="bahdanau", at=None, **changed):
    """A view of a random run, at a small step (name, tick)."""
    view = UnrolledView(**(run(kind) | changed))
    if at:
        view.step = step_of(view, *at)
    return view


@pytest.fixture
def show(open_page):
    """Open the page of a view without motion; its model is `window.model`, `end()` ends it."""

    def open_view(view, *, motion="reduce", theme="light", width=760):
        html = view.to_html()
        assert html.count("showPage(render, {") == 1
        page = open_page(html.replace("showPage(render, {", DRIVEN), theme, width)
        page.emulate_media(reduced_motion=motion, color_scheme=theme)
        page.set_default_timeout(8000)
        page.evaluate(AFTER_PICTURE)  # until when it may have laid itself out for the width of the page
        return page

    return open_view


def status(page):
    """The lines that tell where the view stands."""
    return page.get_by_role("status").inner_text().splitlines()


def numbers_told(page):
    """The numbers that belong to the present step."""
    return " ".join(page.locator(".lesson-status .numbers").inner_text().split())


def words_shown(page):
    """The words below the decoder that can be seen."""
    tokens = page.locator(".lesson-plot .token").all()[len(SOURCE) :]
    return [token.inner_text() for token in tokens if token.is_visible()]


def parts(page, selector):
    """How much of a group of lines can be seen: from 0 to 1."""
    return float(page.locator(selector).evaluate("(node) => getComputedStyle(node).opacity"))


@pytest.mark.parametrize("kind", NAMES)
def test_every_small_step_is_named_as_it_happens(show, kind):
    """With its formula. Rejects steps out of their order, or told only to those who see the picture."""
    view = made(kind, ("write", 1))
    page = show(view)
    page.get_by_label("step").first.focus()
    for place, step in enumerate(view.run["recipe"]["decode"]):
        page.keyboard.press("ArrowRight")
        name = WORDS["en"][f"step {step['name']}"]
        first, formula, *_ = status(page)
        assert first == f"time step 2 of 4, step {place + 1} of {len(NAMES[kind])}: {name}"
        assert formula.replace(" ", "") == "".join(letter for letter in step["formula"] if letter not in "_{}^ ")
        assert page.locator(".agenda .now").inner_text() == f"{place + 1} {name}"


def test_keys_on_the_picture_and_on_the_slider_go_by_steps_and_by_ticks(show):
    view = made("luong", ("read", 2))
    page = show(view)
    start = view.step
    for place in (page.get_by_role("application"), page.get_by_role("slider")):
        place.focus()
        for key, step in (
            ("ArrowRight", start + 1),
            ("PageDown", start + 7),
            ("PageUp", start),
            ("PageUp", start - 7),
            ("Home", 0),
            ("ArrowLeft", 0),
            ("End", 33),
            ("ArrowRight", 33),
        ):
            page.keyboard.press(key)
            assert page.evaluate("model.get('step')") == step, key
            assert page.get_by_role("slider").input_value() == str(step)
        page.get_by_role("slider").fill(str(start))  # a reader's change: one of Python's would not undo the last key


def test_buttons_and_clicks_on_columns(show):
    page = show(made(at=("read", 2)))
    before = page.evaluate("model.get('step')")
    page.get_by_role("button", name="step forward").click()
    assert page.evaluate("model.get('step')") == before + 1
    for _ in range(2):
        page.get_by_role("button", name="step back").click()
    assert page.evaluate("model.get('step')") == before - 1
    page.locator(".token", has_text="économique").click()
    assert status(page)[0].startswith("time step 3 of 5: the encoder reads")
    plot = page.get_by_role("application").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] * 0.9, plot["y"] + plot["height"] * 0.75)
    assert status(page)[0].startswith("time step 4 of 4, step 6 of 6")


def test_words_stand_there_from_the_moment_they_are_written(show):
    """Rejects a translation that is there before it is written."""
    view = made(at=("start", 0))
    page = show(view)
    assert words_shown(page) == ["<bos>"]
    for tick, word in enumerate(WRITTEN, 1):
        page.evaluate(f"model.set('step', {step_of(view, 'state', tick)})")
        assert words_shown(page) == ["<bos>", *WRITTEN[: tick - 1]]
        page.evaluate(f"model.set('step', {step_of(view, 'write', tick)})")
        assert words_shown(page) == ["<bos>", *WRITTEN[:tick]]
        assert f"“{word}” .75" in numbers_told(page)
    page.evaluate("model.set('step', 0)")
    assert words_shown(page) == []


def test_teacher_forced_it_shows_what_was_read_beside_what_was_written(show):
    page = show(made(written=["the", "big", "Area", "<eos>"], forced=True))
    assert words_shown(page) == ["the", "big", "Area", "<eos>", *READ]
    assert page.get_by_text("reads next").is_visible()


def test_weights_fan_out_as_lines_of_their_thickness_after_the_scores(show):
    weights = np.full((4, 5), 0.05)
    weights[:, 2], weights[:, 1] = 0.6, 0.25
    view = made(at=("scores", 2), weights=weights)
    page = show(view)
    assert parts(page, ".fan") == 1
    assert len(set(page.evaluate(THICK))) == 1  # scores are no weights yet
    assert [node.inner_text() for node in page.locator(".number").all()[:5]] != [".05", ".25", ".60", ".05", ".05"]
    page.get_by_role("button", name="step forward").click()
    thick = page.evaluate(THICK)
    assert thick[2] / thick[1] == pytest.approx(0.6 / 0.25, rel=0.01)
    assert [node.inner_text() for node in page.locator(".number").all()[:5]] == [".05", ".25", ".60", ".05", ".05"]
    assert parts(page, ".arcs") == 0
    page.get_by_role("button", name="step forward").click()
    assert parts(page, ".arcs") == 1  # now they run to the context
    assert "“économique” .60" in numbers_told(page)
    page.evaluate("new Promise((saved) => setTimeout(saved, 100))")  # until then a reader's click counts, not Python
    page.evaluate(f"model.set('step', {step_of(view, 'write', 1)})")
    page.evaluate(f"model.set('step', {step_of(view, 'write', 1) + 1 - 6})")
    page.evaluate(f"model.set('step', {step_of(view, 'start', 0)})")
    assert parts(page, ".fan") == 0


def test_lines_come_from_the_state_that_asks(show):
    """s_{i−1} in Bahdanau's tick, h_t in Luong's. Rejects the one drawn as the other."""
    for kind, back in (("bahdanau", 1), ("luong", 0)):
        page = show(made(kind, ("weights", 3)))
        x, _ = page.locator(".fan path").first.get_attribute("d")[1:].split("C")[0].split(",")
        used = [float(box.get_attribute("x")) for box in page.locator("rect.used").all()]
        assert float(x) == pytest.approx(used[0] + 10, abs=0.1)  # the middle of the frame around a bar
        decoder = page.locator(".lesson-plot .token").all()[len(SOURCE) :]
        middles = [box["x"] + box["width"] / 2 for box in (node.bounding_box() for node in decoder) if box]
        plot = page.get_by_role("application").bounding_box()["x"]
        assert len(middles) == 3  # <bos> and two words
        if back:
            assert float(x) == pytest.approx(middles[2] - plot, abs=1)
        else:
            assert float(x) > middles[2] - plot + 10


def bar_colours(page, count, at):
    """The colours of a column of `count` numbers, whose first pixel is [x, y], with cells `cell` pixels high."""
    x, y, cell = at
    return [tuple(page.evaluate(COLOUR, [x, y + cell * (place + 0.5)])) for place in range(count)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_brightness_is_the_value(show, theme):
    """Six numbers, from small to large, must become brighter in both themes; unknown ones are not drawn."""
    states = np.tile([-1, -0.6, -0.2, 0.2, 0.6, 1], (5, 1))
    page = show(made("fixed", ("encode", 1), encoder_states=states, bidirectional=False), theme=theme)
    frames = [
        box.evaluate("(node) => [node.x.baseVal.value, node.y.baseVal.value]")
        for box in page.locator("rect.made").all()
    ]
    (x, y) = frames[0]
    seen = bar_colours(page, 6, (x + 10, y + 2, 12))
    brightness = [sum(colour[:3]) for colour in seen]
    assert all(one < other for one, other in pairwise(brightness)), seen
    ends = THEME[theme]["ramp"]
    dark, bright = (ends[0], ends[-1]) if theme == "dark" else (ends[-1], ends[0])
    assert tuple(seen[0][:3]) == tuple(bytes.fromhex(dark[1:]))
    assert tuple(seen[-1][:3]) == tuple(bytes.fromhex(bright[1:]))
    page.evaluate("model.set('step', 3)")
    later = page.locator("rect.made").first.evaluate("(node) => [node.x.baseVal.value, node.y.baseVal.value]")
    page.evaluate("model.set('step', 0)")
    assert all(colour[3] == 0 for colour in bar_colours(page, 6, (later[0] + 10, later[1] + 2, 12)))


def test_a_bidirectional_encoder_reads_from_both_ends_at_once(show):
    page = show(made(at=("encode", 2)))
    assert page.locator("rect.made").count() == 2
    now = page.locator(".token.now")
    assert [now.nth(place).inner_text() for place in range(2)] == [SOURCE[1], SOURCE[-2]]
    assert "→ “zone”, ← “小红”" in numbers_told(page)
    alone = show(made(at=("encode", 2), bidirectional=False))
    assert alone.locator("rect.made").count() == 1
    assert "“小红”" not in " ".join(status(alone))


def test_the_fixed_context_is_handed_over_the_same_at_each_tick(show):
    page = show(made("fixed", ("state", 3)))
    handed = page.locator("svg .passed").nth(1).locator("path")
    assert [handed.nth(place).is_visible() for place in range(4)] == [True, True, True, False]
    starts = {handed.nth(place).get_attribute("d").split("C")[0] for place in range(4)}
    assert len(starts) == 1


def test_the_table_has_the_numbers_of_the_present_tick(show):
    given = run("luong")
    view = made("luong", ("combine", 2))
    page = show(view)
    page.locator("summary").click()
    page.get_by_role("columnheader").first.wait_for()
    heads = [node.inner_text() for node in page.get_by_role("columnheader").all()]
    rows = {}
    for row in page.locator("tbody tr").all()[1:]:
        first, *cells = row.locator("th, td").all()
        rows[first.inner_text()] = [cell.inner_text().replace("−", "-") for cell in cells]
    assert heads == ["scores", "weights", "1", "2", "3", "4", "5", "6"]
    assert list(rows) == [*SOURCE, "c_2", "h_1", "h_2", "h̃_2"]
    assert [float(x) for x in rows["zone"][:2]] == pytest.approx(
        [given["scores"][1, 1], given["weights"][1, 1]], abs=6e-4
    )
    assert [float(x) for x in rows["h̃_2"][2:]] == pytest.approx(given["combined"][1], abs=6e-4)
    assert [float(x) for x in rows["h_1"][2:]] == pytest.approx(given["states"][0], abs=6e-4)
    page.evaluate(f"model.set('step', {step_of(view, 'state', 2)})")
    told = [row.inner_text() for row in page.get_by_role("rowheader").all()]
    assert told == [*SOURCE, "h_1", "h_2"]  # no context, no h̃ yet


@pytest.mark.parametrize("kind", ["fixed", "luong"])
def test_nothing_jumps_from_step_to_step(show, kind):
    """Every part has its place and its size at every step. Rejects a status that grows, words that push others."""
    view = made(kind, at=("encode", 1), lang="zh")
    page = show(view)
    boxes = page.evaluate(BOXES)
    for step in range(len(SOURCE) + 2 + len(READ) * len(NAMES[kind])):
        page.evaluate(f"model.set('step', {step})")
        assert page.evaluate(BOXES) == boxes, step


def test_play_walks_through_the_steps_as_fast_as_asked(show):
    page = show(made(), motion="no-preference")
    page.get_by_label("speed").select_option("4×")
    page.get_by_role("button", name="play").click()  # at the end: starts anew
    page.wait_for_function("model.get('step') === 0 || model.get('step') === 1")
    page.wait_for_function("model.get('step') > 2")
    assert page.get_by_role("status").get_attribute("aria-live") == "off"
    page.get_by_role("button", name="pause").click()
    stopped = page.evaluate("model.get('step')")
    page.wait_for_timeout(700)
    assert page.evaluate("model.get('step')") == stopped
    page.get_by_role("button", name="play").click()
    page.get_by_role("slider").press("Home")  # who steps by hand wants it to stand still
    assert page.get_by_role("button", name="play").is_visible()


def test_where_no_motion_is_wanted_steps_work_and_nothing_plays(show):
    page = show(made(at=("read", 1)))
    assert not page.get_by_role("button", name="play").is_visible()
    assert not page.get_by_label("speed").is_visible()
    assert page.locator(".fan").evaluate("(node) => getComputedStyle(node).transitionDuration") == "0s"
    page.get_by_role("button", name="step forward").click()
    assert "new state" in status(page)[0]


def test_hostile_words_stay_text(show):
    words = [HOSTILE, "<b>", "</span>", "&amp;"]
    guesses = [[(HOSTILE, 0.5)]] * 4
    page = show(
        made(source=[*words, HOSTILE], read=words, written=words, guesses=guesses, formulas={"read": "<b>_{<i>}"})
    )
    for step in (0, 8, 30):
        page.evaluate(f"model.set('step', {step})")
    page.locator("summary").click()
    page.get_by_role("columnheader").first.wait_for()
    assert page.title() != "owned"
    assert page.locator(".lesson-view img, .lesson-view b").count() == 0
    assert HOSTILE in page.locator(".token").first.inner_text()


def test_what_is_not_a_number_is_written_not_coloured(show):
    given = run()
    weights, states = given["weights"].copy(), given["encoder_states"].copy()
    weights[1, 2], states[:, 1] = np.nan, np.inf
    view = made(at=("weights", 2), weights=weights, encoder_states=states)
    page = show(view)
    assert page.locator(".number").nth(2).inner_text() == "nan"
    assert page.locator(".fan path").nth(2).get_attribute("class") == "wrong"
    assert "“économique” nan" in numbers_told(page)
    assert "not a number" in page.locator(".lesson-legend").inner_text()
    red = """(red) => {
      const canvas = document.querySelector("canvas.bars");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let at = 0; at < data.length; at += 4) count += red.every((part, c) => Math.abs(data[at + c] - part) < 9);
      return count;
    }"""
    assert page.evaluate(red, list(bytes.fromhex(THEME["light"]["wrong"][1:]))) > 20
    page.locator("summary").click()
    page.get_by_role("columnheader").first.wait_for()
    assert "inf" in page.locator("table").inner_text()


@pytest.mark.parametrize("kind", ["fixed", "luong"])
def test_a_narrow_column_scrolls_inside_and_follows_what_happens(show, kind):
    words = ["word"] * 12
    view = UnrolledView(**run(kind, words, ["<bos>", *words[1:]], words, 64, 64))
    page = show(view, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for step in (0, 11, step_of(view, "state", 1), step_of(view, "state", 12)):
        page.evaluate(f"model.set('step', {step})")
        plot, frame = page.locator(".scroller").bounding_box(), page.locator("rect.made").first.bounding_box()
        assert plot["x"] <= frame["x"] <= plot["x"] + plot["width"] - frame["width"], step


def test_a_wider_page_gives_more_room(show):
    words = ["European"] * 8
    page = show(UnrolledView(**run("bahdanau", words, words, words)), width=500)
    size = "getComputedStyle(document.querySelector('.token')).fontSize"
    assert page.evaluate(size) == "11px"
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_function(f"{size} === '13px'")
    assert page.evaluate(
        "document.querySelector('.scroller').scrollWidth <= document.querySelector('.scroller').clientWidth"
    )


def test_python_changes_the_numbers_in_place(show):
    """Rejects a view that is built anew for new numbers: the slider would lose the focus, the table would close."""
    view = made(at=("weights", 2))
    page = show(view)
    page.locator("summary").click()
    page.get_by_role("slider").focus()
    view.update(weights=np.eye(4, 5), guesses=[[("x", 1.0)]] * 4)
    numbers = np.frombuffer(view.values, "<f4").tolist()
    page.evaluate(
        "([told, values]) => { model.set('values', new Float32Array(values)); model.set('run', told); }",
        [view.run, numbers],
    )
    assert "“zone” 1" in numbers_told(page)
    assert page.locator("td", has_text="1").count()
    assert page.evaluate("document.activeElement.type") == "range"
    other = UnrolledView.of(as_tuple(run(read=["<bos>", "das"], written=["das", "小明"])))
    numbers = np.frombuffer(other.values, "<f4").tolist()
    page.evaluate(
        "([told, values]) => { model.state.values = new Float32Array(values); model.set('run', told); }",
        [other.run, numbers],
    )
    page.get_by_role("slider").press("End")
    assert words_shown(page) == ["<bos>", "das", "小明"]
    assert page.locator("details").get_attribute("open") is not None


def test_nothing_is_left_when_it_ends(show):
    """Rejects listeners that a re-run cell would leave behind."""
    page = show(made(), motion="no-preference")
    page.get_by_role("button", name="play").click()
    page.evaluate("end()")
    assert page.locator(".lesson-view").count() == 0
    step = page.evaluate("model.get('step')")
    page.wait_for_timeout(1500)
    assert page.evaluate("model.get('step')") == step
    page.evaluate("model.set('step', 3)")  # nobody listens: no error


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["fixed", "luong"])
def test_it_is_accessible_at_every_kind_of_step(show, kind, theme):
    view = made(kind, lang="zh" if theme == "dark" else "en")
    page = show(view, theme=theme, motion="no-preference")
    page.locator("summary").click()
    for name in ("encode", "start", *NAMES[kind]):
        page.evaluate(f"model.set('step', {step_of(view, name, 2)})")
        assert violations(page) == [], name


def test_many_numbers_still_draw(show):
    page = show(UnrolledView(**run("luong", d=512, d_hidden=512)))
    assert page.locator("canvas.bars").bounding_box()["height"] < 900


@pytest.mark.parametrize("kind", ["fixed", "bahdanau"])
def test_a_translation_longer_than_its_source_is_told_to_its_end(show, kind):
    """Rejects a view that looks for a source word at each tick of the decoder, and stops when there is none."""
    long = {"read": [*READ, "and", "so", "on"], "written": ["the", "Economic", "Area", "and", "so", "on", "<eos>"]}
    page = show(UnrolledView(**run(kind, source=["la", "zone", "<eos>"], **long)))
    assert "“<eos>”" in numbers_told(page)
    page.get_by_role("slider").first.focus()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    assert f"time step {7 - 12 // len(NAMES[kind])} of 7" in status(page)[0]


def test_chinese_words_are_characters_from_the_first_drawing_on(show):
    """Rejects a font that comes after the first drawing: where no other font has them, Chromium keeps the boxes."""
    page = show(UnrolledView(**run("fixed"), lang="zh"))
    button = page.get_by_role("button").nth(1)
    before = pixels(button.screenshot())
    button.evaluate("(node) => (node.style.fontKerning = 'none')")  # the word is looked up anew
    assert difference(before, pixels(button.screenshot())) == difference(before, before)
