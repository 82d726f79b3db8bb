"""Pages from disk, without a network."""

import pytest

from tests.conftest import page_at_home


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

    def open_it(html, theme="light", width=760):
        page.emulate_media(color_scheme=theme, reduced_motion="no-preference")
        page.set_viewport_size({"width": width, "height": 900})
        (tmp_path / "view.html").write_text(html, encoding="utf-8")
        page.goto((tmp_path / "view.html").as_uri())
        return page

    yield open_it
    page.mouse.up()
    page.mouse.move(-1, -1)
    found = [wrong.pop() for _ in list(wrong)]
    assert found == []
