"""Pages from disk, without a network."""

import pytest


@pytest.fixture
def open_page(page, blocked, tmp_path):
    """Open a page from disk, offline; afterwards, nothing may have been asked for and nothing have failed."""
    failures = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.context.set_offline(True)

    def open_it(html, theme="light", width=760):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        (tmp_path / "view.html").write_text(html, encoding="utf-8")
        page.goto((tmp_path / "view.html").as_uri())
        return page

    yield open_it
    assert failures == []
    assert blocked == []
