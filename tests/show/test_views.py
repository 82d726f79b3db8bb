"""What all views have in common: what travels with them, and how their pages work without a network and a kernel."""

import base64
import gzip
import re

import numpy as np
import pytest

from course_lib.show import AttentionView, SoftLookupView

from .accessibility import violations
from .unrolled_runs import unrolled
from .views import HOSTILE, VIEWS, Outline, examples, keep, made

PLAIN = ["a", "b", "c", "d"]
WITH_WORDS = {
    "attention": lambda words: AttentionView(np.full((4, 4), 0.25), words, words),
    "soft_lookup": lambda words: SoftLookupView(np.eye(4)[:, :2] + np.eye(4)[:, 2:], words, query=[0.1, 0.2]),
    "unrolled": lambda words: unrolled(
        source=[*words, "<eos>"],
        read=words,
        written=words,
        guesses=[[(word, 0.5)] for word in words],
        formulas={"read": words[0]},
    ),
}
TWICE = """((render, state) => {
  for (const el of [document.createElement("div"), document.createElement("div")]) {
    document.getElementById("view").append(el);
    render({ model: new PageModel(state), el });
  }
})(render, {"""
SHOWN = """(view) => [
  view.innerText,
  ...[...view.querySelectorAll("input, select")].map((control) => [control.value, control.checked]),
  ...[...view.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
]"""
LABELS = ".lesson-plot .query, .lesson-plot .key, .lesson-plot .token, .lesson-plane .name"
OVERLAPPING = """(labels) => {
  const near = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
  const straight = (node) => !getComputedStyle(node).transform.match(/matrix\\(0?\\.\\d/);  // not rotated
  const seen = labels.filter((node) => node.checkVisibility());
  const boxes = seen.filter(straight).map((node) => [node.textContent, node.getBoundingClientRect()]);
  const pairs = boxes.flatMap((one, place) => boxes.slice(place + 1).map((other) => [one, other]));
  return pairs.filter(([[, one], [, other]]) => near(one, other)).map(([[one], [other]]) => `${one} and ${other}`);
}"""


def html_of(view):
    return view._repr_mimebundle_()[0]["text/html"]


def frame_of(view):
    """The page in the frame, unpacked as a browser does it."""
    packed = re.search(r'atob\("(.*?)"\)', Outline(html_of(view)).frames[0])[1]
    return gzip.decompress(base64.b64decode(packed)).decode()


each_view = pytest.mark.parametrize("make", WITH_WORDS.values(), ids=WITH_WORDS)
each_page = pytest.mark.parametrize("name", examples("page"))


@each_view
def test_every_place_gets_its_form_and_the_frame_carries_the_page(make):
    """Rejects addresses and random ids in what is saved: the same data give the same output."""
    view = make(PLAIN)
    data, metadata = view._repr_mimebundle_()
    assert data.keys() == {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"}
    assert metadata["image/png"]["alt"] == view.picture().text
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert Outline(data["text/html"]).names == ["div", "img", "iframe"]
    assert frame_of(view) == view.to_html()
    assert data["text/html"] == html_of(make(PLAIN))
    assert repr(view) == repr(make(PLAIN))
    assert len(data["text/html"]) < 80_000


@each_view
def test_a_page_asks_for_nothing_from_any_network(make):
    """Rejects a CDN, a linked style sheet, a font or a module from elsewhere. (The name of SVG is no address.)"""
    page = make(PLAIN).to_html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|import\(|href=|src=(?!.?data:)|fetch\(", page)


@each_view
def test_words_are_text_never_markup(make):
    """Rejects words pasted into HTML or into the script: they must not add or close an element."""
    hostile, plain = make(HOSTILE), make(PLAIN)
    assert Outline(html_of(hostile)).names == Outline(html_of(plain)).names
    assert Outline(hostile.to_html()).names == Outline(plain.to_html()).names


@pytest.mark.browser
@each_view
def test_words_are_text_in_every_part_of_the_page(open_view, make):
    page = open_view(make(HOSTILE))
    title = page.title()
    page.get_by_role("application").first.press("ArrowRight")
    page.locator("summary").click()
    page.get_by_role("rowheader").first.wait_for()
    assert page.locator(".lesson-view :is(img, script, b)").count() == 0
    assert page.title() == title
    for part in (".lesson-view", "table"):
        assert all(word in page.locator(part).inner_text() for word in HOSTILE)


@pytest.mark.browser
@each_view
@pytest.mark.parametrize("width", [360, 1000])
def test_a_view_fits_its_page_and_its_labels_do_not_overlap(open_view, make, width):
    page = open_view(make(["European", "économique", "小红", "<eos>"]), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(LABELS).count() >= 4
    assert page.locator(LABELS).evaluate_all(OVERLAPPING) == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["attention", "unrolled"])
def test_chinese_words_are_characters_from_the_first_drawing_on(open_view, name):
    """Rejects the boxes of a font that comes late, or never: those look the same for every character."""
    page = open_view(WITH_WORDS[name](["小", "红", "喜", "欢"]))
    labels = page.locator(".lesson-plot :is(.key, .token)")
    assert len({labels.nth(place).screenshot() for place in range(4)}) == 4
    before = labels.first.screenshot()
    labels.first.evaluate("(node) => (node.style.fontKerning = 'none')")  # the word is looked up anew
    assert labels.first.screenshot() == before


@pytest.mark.browser
@each_page
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_moves_by_keyboard_and_mouse_and_is_accessible(open_page, name, theme):
    example = VIEWS[name]
    page = open_page(made(example.code).to_html(), theme=theme, width=example.width)
    view = page.locator(".lesson-view")
    for kind in ("keyboard", "mouse"):
        example.move(view, kind)
        keep(view, f"{name}_page_{theme}_{kind}")
    page.locator("summary").first.click()
    assert violations(page) == []


@pytest.mark.browser
@each_page
def test_two_views_on_a_page_move_on_their_own(open_page, name):
    """Rejects views that share what they remember, or find each other's elements."""
    page = open_page(made(VIEWS[name].code).to_html().replace("showPage(render, {", TWICE))
    one, other = page.locator(".lesson-view").all()
    before = other.evaluate(SHOWN)
    for kind in ("keyboard", "mouse"):
        VIEWS[name].move(one, kind)
    assert other.evaluate(SHOWN) == before != one.evaluate(SHOWN)


@pytest.mark.browser
@each_page
def test_single_keys_stay_in_the_view_and_commands_pass(open_page, name):
    """Rejects a view whose keys cut cells of the notebook around it, and one that swallows Shift+Enter."""
    page = open_page(made(VIEWS[name].code).to_html())
    page.evaluate("window.keys = []; document.addEventListener('keydown', ({ key }) => window.keys.push(key))")
    target = page.locator(".lesson-view :is(input, button, [tabindex='0'])").first
    for key in ("a", "x", "d", "ArrowLeft", "Shift+Enter", "Control+Enter"):
        target.press(key)
    assert [key for key in page.evaluate("window.keys") if key not in ("Shift", "Control")] == ["Enter"] * 2


@pytest.mark.browser
@each_page
def test_nothing_is_left_when_a_view_ends(open_view, name):
    """Rejects a listener, an observer or a timer that holds a view of a cell that has run again."""
    page = open_view(made(VIEWS[name].code))
    if play := page.locator("button.lesson-play").all():
        play[0].click()
    page.evaluate("window.view = new WeakRef(document.querySelector('.lesson-view')); end(); delete window.end")
    assert page.locator(".lesson-view").count() == 0
    assert page.evaluate("document.fonts.size") == 0
    collector = page.context.new_cdp_session(page)
    for _ in range(50):
        collector.send("HeapProfiler.collectGarbage")
        if page.evaluate("view.deref() === undefined"):
            return
    pytest.fail("the view is still held")


@pytest.mark.browser
@each_view
def test_where_no_motion_is_wanted_nothing_plays_or_moves_by_itself(open_view, make):
    page = open_view(make(PLAIN), motion="reduce")
    assert page.get_by_role("button", name="play").count() == 0
    page.get_by_role("slider").first.press("ArrowLeft")
    assert page.evaluate("document.getAnimations().length") == 0
