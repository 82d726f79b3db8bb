"""Every view as an exported page, opened from disk without a network: it follows the theme, with fonts of its own."""

import io
from functools import cache

import pytest
from fontTools.ttLib import TTFont

from tests.show.accessibility import violations
from tests.show.views import VIEWS, examples, made

pytestmark = pytest.mark.browser

BACKGROUND = "getComputedStyle(document.querySelector('.lesson-view')).backgroundColor"
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 17, 17)"}
FRAMED = "document.querySelector('iframe').contentWindow.document.querySelector('.lesson-view')"


@cache
def exported(name):
    """The page of a view."""
    return made(VIEWS[name].code).to_html()


BARRIERS = {
    "image-alt": "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=30 height=30>",
    "color-contrast": "<p style='color: #999'>hard to read</p>",
    "button-name": "<button></button>",
    "label": "<input type=range>",
    "list": "<ul><p>no item of a list</ul>",
    "region": "</main><p>outside of everything</p><main>",
}


@pytest.mark.parametrize("rule", BARRIERS)
def test_a_barrier_is_found(open_page, rule):
    page = open_page(f"<!doctype html><html lang=en><title>a</title><main><h1>a</h1>{BARRIERS[rule]}</main></html>")
    assert rule in [line.partition(" ")[0] for line in violations(page)]


def test_a_page_without_barriers_has_none(open_page):
    """Rejects a test that reports the page's frame, whatever is in it."""
    assert violations(open_page("<!doctype html><html lang=en><title>a</title><main><h1>a</h1></main></html>")) == []


# Where a page says its theme, the value that means dark, and the one that means light.
CONVENTIONS = {
    "JupyterLab": ("body", "data-jp-theme-light", "false", "true"),
    "VS Code": ("body", "data-vscode-theme-kind", "vscode-dark", "vscode-light"),
    "VS Code, high contrast": (
        *("body", "data-vscode-theme-kind", "vscode-high-contrast", "vscode-high-contrast-light"),
    ),
    "Colab": ("html", "theme", "dark", "light"),
    "furo": ("body", "data-theme", "dark", "light"),
}


def around(html, part, attribute, value):
    """The page, with this attribute on its <html> or <body>."""
    old, new = {
        "html": ("<html ", f'<html {attribute}="{value}" '),
        "body": ("<main id=view>", f'<body {attribute}="{value}"><main id=view>'),
    }[part]
    assert html.count(old) == 1
    return html.replace(old, new)


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("place", CONVENTIONS)
def test_a_view_follows_the_theme_of_the_place_that_it_is_in(open_page, place, system):
    """Whatever the system's theme is; from the beginning, and when it changes."""
    part, attribute, dark, light = CONVENTIONS[place]
    for value, other, begin, then in ((dark, light, "dark", "light"), (light, dark, "light", "dark")):
        page = open_page(around(exported("attention"), part, attribute, value), system)
        assert page.evaluate(BACKGROUND) == PAPER[begin]
        page.locator(part).evaluate("(node, [name, value]) => node.setAttribute(name, value)", [attribute, other])
        page.wait_for_function(f"{BACKGROUND} === '{PAPER[then]}'")


@pytest.mark.parametrize("system", ["light", "dark"])
def test_furo_may_leave_the_theme_to_the_system(open_page, system):
    page = open_page(around(exported("attention"), "body", "data-theme", "auto"), system)
    assert page.evaluate(BACKGROUND) == PAPER[system]
    other = "dark" if system == "light" else "light"
    page.emulate_media(color_scheme=other)
    page.wait_for_function(f"{BACKGROUND} === '{PAPER[other]}'")
    page.evaluate(f"document.body.dataset.theme = '{system}'")
    page.wait_for_function(f"{BACKGROUND} === '{PAPER[system]}'")


@pytest.mark.parametrize("place", CONVENTIONS)
def test_a_view_in_a_frame_follows_the_page_around_it(open_page, place):
    """What a site built from the notebooks shows is the frame."""
    part, attribute, dark, light = CONVENTIONS[place]
    inner = made(VIEWS["attention"].code)._repr_mimebundle_()[0]["text/html"]
    html = around(f"<!doctype html><html lang=en><meta charset=utf-8><main id=view>{inner}", part, attribute, dark)
    page = open_page(html)
    page.wait_for_function(f"document.querySelector('iframe').clientHeight > 100 && {FRAMED}")
    background = BACKGROUND.replace("document.querySelector('.lesson-view')", FRAMED)
    page.wait_for_function(f"{background} === '{PAPER['dark']}'")
    page.locator(part).first.evaluate("(node, [name, value]) => node.setAttribute(name, value)", [attribute, light])
    page.wait_for_function(f"{background} === '{PAPER['light']}'")


@pytest.mark.parametrize("name", examples("page"))
def test_chinese_words_need_no_font_of_the_readers_machine(open_page, name):
    """Rejects a view that brings the characters of its tokens, and leaves those of its buttons to the system."""
    example = VIEWS[name]
    page = open_page(exported(name), width=example.width)
    page.locator("summary").first.click()
    written = {character for character in page.inner_text("body") if "\u2e7f" < character < "\ud7ff"}
    font = made(example.code).font
    known = TTFont(io.BytesIO(font)).getBestCmap() if font else {}
    assert written <= set(map(chr, known))
