"""Every view in real JupyterLab, and in Notebook 7: it draws, moves, follows the theme, and leaves nothing behind."""

import json

import pytest

from tests.browser.lab import errors_of, open_notebook, run_all
from tests.conftest import page_at_home
from tests.show.accessibility import violations
from tests.show.screenshots import changed, check, drawn, keep, moved, settled
from tests.show.views import OUTPUT, VIEWS, examples

pytestmark = pytest.mark.browser

NAMES = examples("lab")
HOSTILE = """\
from course_lib.show import AttentionView
hostile = "<img src=x onerror='window.owned = true'>"
AttentionView([[1.0, 0.0], [0.5, 0.5]], [hostile, "b"], [hostile, "</script><img src=y>"])"""
LEAKY = """\
import anywidget
class Leaky(anywidget.AnyWidget):
    _esm = '''export default { render({ el }) {
      el.innerHTML = "<div class='lesson-view leaky'>leaky</div>";
      window.addEventListener("resize", () => el);
      new MutationObserver(() => el).observe(document.body, { attributes: true });
      setInterval(() => el, 1e6);
    } };'''
Leaky()"""
CELLS = {**{name: VIEWS[name].code for name in NAMES}, "hostile": HOSTILE, "leaky": LEAKY}
CELLS |= {f"{name} again": CELLS[name] for name in NAMES}

# What holds a view in memory, or runs for it, after it has gone. (A listener on an element goes with the element.)
LIVE = """
const live = window.live = { listeners: [], observers: new Set(), timers: new Set() };
const ours = () => new Error().stack.includes("blob:");  // anywidget loads a view's module from such an address
const patch = (object, name, around) => { object[name] = around(object[name]); };
patch(EventTarget.prototype, "addEventListener", (add) => function (type, listener, ...more) {
  if (ours()) live.listeners.push([this, type, listener]);
  return add.call(this, type, listener, ...more);
});
patch(EventTarget.prototype, "removeEventListener", (remove) => function (type, listener, ...more) {
  live.listeners = live.listeners.filter(([on, of, by]) => on !== this || of !== type || by !== listener);
  return remove.call(this, type, listener, ...more);
});
for (const { prototype } of [MutationObserver, ResizeObserver, IntersectionObserver]) {
  patch(prototype, "observe", (observe) => function (...all) {
    if (ours()) live.observers.add(this);
    return observe.apply(this, all);
  });
  patch(prototype, "disconnect", (disconnect) => function () {
    live.observers.delete(this);
    return disconnect.call(this);
  });
}
for (const kind of ["Interval", "Timeout"]) {
  patch(window, `set${kind}`, (start) => (action, ...more) => {
    const timer = start((...all) => {
      if (kind === "Timeout") live.timers.delete(timer);
      return action(...all);
    }, ...more);
    if (ours()) live.timers.add(timer);
    return timer;
  });
  patch(window, `clear${kind}`, (stop) => (timer) => {
    live.timers.delete(timer);
    return stop(timer);
  });
}
live.count = () => JSON.stringify({
  listeners: live.listeners.filter(([on]) => !(on instanceof Node) || on === document || on.isConnected).length,
  observers: live.observers.size,
  timers: live.timers.size,
  fonts: document.fonts.size,
  elements: document.querySelectorAll(".lesson-view *").length,
});
"""
PAPERS = """() => [...document.querySelectorAll(".lesson-view:not(.leaky)")].map(
  (view) => getComputedStyle(view).backgroundColor)"""
PAPER = {"Light": "rgb(255, 255, 255)", "Dark": "rgb(17, 17, 17)"}


class Opened:
    """A notebook with a cell for each view, open in JupyterLab."""

    def __init__(self, page):
        self.page, self.theme = page, "Light"

    def run(self, name):
        """Run the cell; return the view that it has drawn."""
        self.page.evaluate("document.querySelectorAll('.lesson-view').forEach((view) => (view.dataset.old = ''))")
        self.page.evaluate("(place) => course.run(place)", list(CELLS).index(name))
        assert errors_of(self.page) == []
        view = self.page.locator(".jp-Notebook .jp-mod-active .lesson-view:not([data-old])")
        view.wait_for()
        self.page.wait_for_function("course.idle()")
        return view

    def shown(self, name):
        """Scroll to a view that has been drawn."""
        self.page.evaluate("(place) => course.show(place)", list(CELLS).index(name))
        return self.page.locator(".jp-Notebook .jp-mod-active .lesson-view")

    def drawn(self, name):
        """What is drawn in the cell's view, and in all other views."""
        mine = self.shown(name).evaluate("(view) => [...document.querySelectorAll('.lesson-view')].indexOf(view)")
        all_of_them = [drawn(view) for view in self.page.locator(".lesson-view").all()]
        return all_of_them.pop(mine), all_of_them

    def change_theme(self, theme):
        """Choose a theme, and wait until each view that is there has followed."""
        if theme != self.theme:
            self.page.evaluate("(name) => course.theme(name)", theme)
            self.page.wait_for_function(f"({PAPERS})().every((paper) => paper === '{PAPER[theme]}')")
            self.theme = theme


@pytest.fixture(scope="module")
def opened(browser, notebook):
    """The notebook, open; afterwards, nothing may have failed, and nothing been asked of other machines."""
    wrong, blocked = [], []
    with page_at_home(browser, blocked) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.add_init_script(LIVE)
        open_notebook(page, notebook("views.ipynb", CELLS.values()) + "?reset")
        lab = Opened(page)
        yield lab
        lab.change_theme("Light")
    assert wrong == []
    assert blocked == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_view_moves_and_looks_like_its_references(opened, theme, name):
    """Rejects a view that fails in JupyterLab, keeps the other theme's colours, or is not what was looked at."""
    opened.change_theme(theme)
    view = opened.run(name)
    assert opened.page.evaluate(PAPERS).count(PAPER[theme]) == len(opened.page.evaluate(PAPERS))
    settled(view)
    seen = {move: moved(view, getattr(VIEWS[name], move)) for move in ("keyboard", "mouse")}
    assert violations(opened.page, ".jp-mod-active .lesson-view") == []
    for state, png in seen.items():
        check(f"{name}_lab_{theme.lower()}_{state}", png)


@pytest.mark.parametrize("name", NAMES)
def test_views_on_one_page_move_on_their_own(opened, name):
    """Each beside another of its kind. Rejects views that share what they remember, or find others' elements."""
    pair = [name, f"{name} again"]
    for one in pair:
        opened.run(one)
    for one in pair:
        mine, others = opened.drawn(one)
        changed(opened.shown(one), VIEWS[name].keyboard)
        now, others_now = opened.drawn(one)
        assert now != mine
        assert others_now == others


def keys_stay(page, view):
    """Single keys do nothing to the notebook around the view; Control+Enter runs its cell again."""
    beside = view.locator(f"{OUTPUT} >> .noUi-handle")
    target = (beside if beside.count() else view.locator("input, button, [tabindex='0']")).first
    here = "[course.sources(), course.place()]"
    for key in ("b", "x", "d", "d", "ArrowDown", "ArrowLeft"):
        before = page.evaluate(here)
        target.focus()
        target.press(key)
        page.wait_for_timeout(50)  # JupyterLab may act some moments later
        assert page.evaluate(here) == before, key
    before = page.evaluate("course.count()")
    target.press("Control+Enter")
    page.wait_for_function("(before) => course.count() > before", arg=before)


@pytest.mark.parametrize("name", NAMES)
def test_keys_stay_in_the_view(opened, name):
    """Rejects a view in which "x" cuts the cell, and one that swallows Control+Enter."""
    keys_stay(opened.page, opened.run(name))


def test_words_stay_text(opened):
    """Rejects tokens put into the page as HTML: in labels, tooltip, status line and table."""
    view = opened.run("hostile")
    VIEWS["attention"].mouse(view)
    view.locator("summary").click()
    view.get_by_role("rowheader").first.wait_for()
    assert "onerror" in view.locator("table").inner_text()
    assert view.locator("img, script").count() == 0
    assert opened.page.evaluate("window.owned === undefined")


def after_runs(opened, name, times):
    """What is live when the cell has run so many times more, and what was drawn before played."""
    for _ in range(times):
        view = opened.run(name)
        if play := view.locator(".lesson-play").all():
            play[0].click()
    opened.run(name)


@pytest.mark.parametrize("name", NAMES)
def test_running_a_cell_again_leaves_nothing_behind(opened, name):
    """Rejects a view that goes on listening, observing or playing when its cell has drawn another."""
    after_runs(opened, name, 0)
    settled(opened.shown(name))
    once = opened.page.evaluate("live.count()")
    assert '"listeners":0' not in once
    after_runs(opened, name, 2)
    opened.page.wait_for_function("(once) => live.count() === once", arg=once, timeout=20_000)


def test_what_is_left_behind_is_found(opened):
    """The count above sees a listener, an observer and a timer of an earlier view."""
    seen = []
    for _ in range(2):
        opened.run("leaky")
        seen.append(json.loads(opened.page.evaluate("live.count()")))
    assert {kind: seen[1][kind] - seen[0][kind] for kind in ("listeners", "observers", "timers")} == {
        "listeners": 1,
        "observers": 1,
        "timers": 1,
    }


def test_a_drawn_view_outlives_its_kernel(opened):
    """After a restart, everything that happens in the browser still does."""
    for name in NAMES:
        opened.run(name)
    opened.page.evaluate("() => course.restart()")
    opened.page.wait_for_function("course.idle()")
    for name in NAMES:
        if VIEWS[name].alone:
            view = opened.shown(name)
            changed(view, VIEWS[name].keyboard)


def test_views_in_notebook_7(notebook, page, blocked):
    """The same server offers the simpler window of Notebook 7, which hears keys before the view does."""
    wrong = []
    page.on("pageerror", lambda error: "blob:" in error.stack and wrong.append(error.stack))  # its own are not ours
    run_all(page, notebook("seven.ipynb", [VIEWS[name].code for name in NAMES], page="notebooks"))
    assert errors_of(page) == []
    for place, name in enumerate(NAMES):
        page.evaluate("(place) => course.show(place)", place)
        view = page.locator(".jp-Notebook .jp-mod-active .lesson-view")
        for move in ("keyboard", "mouse"):
            keep(f"{name}_notebook7_{move}", moved(view, getattr(VIEWS[name], move)))
        keys_stay(page, view)
    assert wrong == []
    assert blocked == []
