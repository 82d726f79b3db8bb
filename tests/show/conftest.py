"""Pages from disk, without a network."""

import pytest

from tests.conftest import page_at_home

# Until then a view may have laid itself out for the width of the page.
LAID_OUT = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DRIVEN = """((render, state) => {
  window.model = new PageModel(state);
  window.end = render({ model, el: document.getElementById("view") });
})(render, {"""


@pytest.fixture(scope="module")
def window(browser):
    """A window without a network for the pages of a module, and what went wrong in it.

    To open a new one for each page would cost three times what the page itself does.
    """
    wrong = []
    with page_at_home(browser, wrong) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.context.set_offline(True)
        yield page, wrong


@pytest.fixture
def open_page(window, tmp_path):
    """Open a page from disk, offline; afterwards, nothing may have been asked for and nothing have failed.

    Whatever the test before has done, the mouse is elsewhere, and the reader has no wishes but the theme.
    """
    page, wrong = window

    def open_it(html, theme="light", width=760, motion="no-preference"):
        page.emulate_media(color_scheme=theme, reduced_motion=motion)
        page.set_viewport_size({"width": width, "height": 900})
        (tmp_path / "view.html").write_text(html, encoding="utf-8")
        page.goto((tmp_path / "view.html").as_uri())
        page.evaluate(LAID_OUT)
        return page

    yield open_it
    page.mouse.up()
    page.mouse.move(-1, -1)
    found = [wrong.pop() for _ in list(wrong)]
    assert found == []


@pytest.fixture
def open_view(open_page):
    """Open the page of a view; there, its model is `model`, and `end()` ends it."""

    def open_it(view, **options):
        html = view.to_html()
        assert html.count("showPage(render, {") == 1
        return open_page(html.replace("showPage(render, {", DRIVEN), **options)

    return open_it
