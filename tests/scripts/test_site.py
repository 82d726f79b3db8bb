"""The site: it builds without a warning; from disk and without a network everything is there, and moves."""

import os
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import pytest

from course_lib.show import UnrolledView
from tests.conftest import page_at_home
from tests.house.files import HOME, chapters, none

BUILD = ["-m", "sphinx", "-qEW", "--keep-going", "-c", "scripts/site_settings"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site."""
    target = tmp_path_factory.mktemp("pages") / "site"
    done = subprocess.run([sys.executable, *BUILD, ".", target], cwd=HOME, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def test_every_chapter_has_a_page_and_nothing_is_asked_from_another_machine(site):
    """Rejects a CDN in a page or a style sheet, and a picture without a text alternative."""
    none(path.name for path in chapters() if not (site / "notebooks" / f"{path.stem}.html").is_file())
    for path in (*site.rglob("*.html"), *site.rglob("*.css")):
        text = re.sub(r"srcdoc='[^']*'", "", path.read_text(encoding="utf-8"))
        fetched = re.findall(
            r"""<(?:script|img|iframe|link rel="(?!canonical)[^>]*)[^>]*\b(?:src|href)="([^"]+)""", text
        )
        none(f"{path}: {url}" for url in fetched if urlsplit(url).scheme not in ("", "data"))
        none(f"{path}: {found}" for found in re.findall(r"url\(http[^)]*\)|@import[^;]*", text))
        none(f"{path}: {image}" for image in re.findall(r"<img [^>]*>", text) if not re.search(r'alt="[^"]', image))


def test_no_local_link_is_broken(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    for path, text in pages.items():
        for url in set(re.findall(r'<a [^>]*href="([^"]+)"', text)):
            parts = urlsplit(url)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert parts.scheme or target.is_file(), f"{path}: {url}"
            assert not parts.fragment or parts.scheme or parts.fragment in anchors.get(target, {parts.fragment}), url


def test_a_formula_that_cannot_be_drawn_stops_the_build(tmp_path):
    (tmp_path / "README.md").write_text(r"# Front" "\n\n" r"$\nosuchcommand x$", encoding="utf-8")
    settings = HOME / "scripts" / "site_settings"
    command = [sys.executable, *BUILD[:-1], settings, tmp_path, tmp_path / "pages" / "site"]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
    assert done.returncode != 0
    assert "nosuchcommand" in done.stderr


@pytest.mark.browser
def test_a_chapter_is_drawn_from_disk(browser, site):
    """Rejects formulas left as LaTeX or without their font, a view that does not move, and a request elsewhere."""
    wrong = []
    expect = pytest.importorskip("playwright.sync_api").expect
    with page_at_home(browser, wrong) as page:
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((site / "index.html").as_uri())
        page.get_by_role("link", name="Where should the decoder look?").first.click()
        widths = page.locator("math").evaluate_all("all => all.map((math) => math.getBoundingClientRect().width)")
        assert sum(width > 0 for width in widths) == len(widths) - page.locator("details math").count() > 0
        assert page.evaluate("async () => (await document.fonts.load('16px \"Lesson Math\"')).length") == 1
        view = page.frame_locator(f'iframe[title="{UnrolledView._frame_title}"]').first.locator("#view")
        slider = view.get_by_role("slider").first
        slider.press("Home")
        first = view.inner_text()
        slider.press("End")
        expect(view).not_to_have_text(first, use_inner_text=True)
    assert wrong == []
