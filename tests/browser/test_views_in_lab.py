"""Every view in JupyterLab and Notebook 7: it moves, follows the theme, keeps its keys, and ends with its cell."""

import pytest

from tests.browser.lab import do, errors_of, open_notebook, run_all
from tests.conftest import page_at_home
from tests.show.accessibility import violations
from tests.show.views import OUTPUT, VIEWS, examples, keep

pytestmark = pytest.mark.browser

NAMES = examples("lab")
CELLS = {**{name: VIEWS[name].code for name in NAMES}, **{f"{name} again": VIEWS[name].code for name in NAMES}}
SHOWN = "(view) => [view.innerText, ...[...view.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL())]"
PAPERS = "[...document.querySelectorAll('.lesson-view')].map((view) => getComputedStyle(view).backgroundColor)"
PAPER = {"Light": "rgb(255, 255, 255)", "Dark": "rgb(17, 17, 17)"}
COMMANDS = """() => {
  window.executed = [];
  jupyterapp.commands.commandExecuted.connect((_, { id }) => window.executed.push(id));
}"""


class Opened:
    """A notebook with two cells for each view, open in JupyterLab."""

    def __init__(self, page):
        self.page = page

    def run(self, name):
        """Run the cell; return the view that it has drawn."""
        self.page.evaluate("document.querySelectorAll('.lesson-view').forEach((view) => (view.dataset.old = ''))")
        do(self.page, "course.run", list(CELLS).index(name))
        assert errors_of(self.page) == []
        self.page.locator(".jp-Notebook .jp-mod-active .lesson-view:not([data-old])").wait_for()
        self.page.wait_for_function("course.idle()")
        return self.shown(name)

    def shown(self, name):
        """Scroll to a view that has been drawn."""
        self.page.evaluate("(place) => course.show(place)", list(CELLS).index(name))
        return self.page.locator(".jp-Notebook .jp-mod-active .lesson-view")

    def change_theme(self, theme):
        """Choose a theme, and wait until each view that is there has followed."""
        do(self.page, "course.theme", theme)
        self.page.wait_for_function(f"{PAPERS}.every((paper) => paper === '{PAPER[theme]}')")


@pytest.fixture(scope="module")
def opened(browser, notebook):
    """The notebook, open; afterwards, nothing may have failed, and nothing been asked of other machines."""
    wrong, blocked = [], []
    with page_at_home(browser, blocked) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        open_notebook(page, notebook("views.ipynb", CELLS.values()) + "?reset")
        yield Opened(page)
    assert wrong == []
    assert blocked == []


@pytest.mark.parametrize("name", NAMES)
def test_a_view_moves_in_both_themes_and_independently_of_another(opened, name):
    """Rejects a view that fails in JupyterLab, keeps the other theme's colours, or shares what it remembers."""
    opened.change_theme("Light")
    opened.run(f"{name} again")
    for theme in PAPER:
        opened.run(name)
        opened.change_theme(theme)
        before = opened.shown(f"{name} again").evaluate(SHOWN)
        view = opened.shown(name)
        for kind in ("keyboard", "mouse"):
            VIEWS[name].move(view, kind)
            keep(view, f"{name}_lab_{theme.lower()}_{kind}")
        assert violations(opened.page, ".jp-mod-active .lesson-view") == []
        assert opened.shown(f"{name} again").evaluate(SHOWN) == before


def keys_stay(page, view):
    """Single keys execute no command of the notebook around the view; Control+Enter runs its cell again."""
    beside = view.locator(f"{OUTPUT} >> .noUi-handle")
    target = (beside if beside.count() else view.locator("input, button, [tabindex='0']")).first
    sources = page.evaluate("course.sources()")
    page.evaluate(COMMANDS)
    for key in ("b", "x", "d", "d", "ArrowDown", "ArrowLeft"):
        target.press(key)  # a command is executed while its key is handled
    assert page.evaluate("window.executed") == []
    assert page.evaluate("course.sources()") == sources
    before = page.evaluate("course.count()")
    target.press("Control+Enter")
    page.wait_for_function("(before) => course.count() > before", arg=before)


@pytest.mark.parametrize("name", NAMES)
def test_keys_stay_in_the_view_which_ends_when_its_cell_runs_again(opened, name):
    """Rejects a view in which "x" cuts the cell, and one that is not told that it is over: its font would stay."""
    view = opened.run(name)
    fonts = opened.page.evaluate("document.fonts.size")
    keys_stay(opened.page, view)
    opened.run(name)
    opened.page.wait_for_function("(fonts) => document.fonts.size === fonts", arg=fonts)


def test_a_drawn_view_outlives_its_kernel(opened):
    """After a restart, everything that happens in the browser still does."""
    alone = [name for name in NAMES if "page" in VIEWS[name].places]
    for name in alone:
        opened.run(name)
    do(opened.page, "course.restart")
    opened.page.wait_for_function("course.idle()")
    for name in alone:
        VIEWS[name].move(opened.shown(name), "keyboard")


def test_views_in_notebook_7(notebook, page, blocked):
    """The same server offers the simpler window of Notebook 7, which hears keys before the view does."""
    wrong = []
    page.on("pageerror", lambda error: "blob:" in error.stack and wrong.append(error.stack))  # its own are not ours
    run_all(page, notebook("seven.ipynb", [VIEWS[name].code for name in NAMES], page="notebooks"))
    assert errors_of(page) == []
    for place, name in enumerate(NAMES):
        page.evaluate("(place) => course.show(place)", place)
        view = page.locator(".jp-Notebook .jp-mod-active .lesson-view")
        for kind in ("keyboard", "mouse"):
            VIEWS[name].move(view, kind)
            keep(view, f"{name}_notebook7_{kind}")
        keys_stay(page, view)
    assert wrong == []
    assert blocked == []
