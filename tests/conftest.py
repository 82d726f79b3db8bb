"""Fixtures for every test: a browser, and pages that never leave this machine."""

import contextlib
import os
import shutil
from urllib.parse import urlsplit

import pytest

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
LOCAL = "127.0.0.1"
REFUSE_OTHERS = f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {LOCAL}"  # no request leaves this machine
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", REFUSE_OTHERS)
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>{fonts}</dir><cachedir>{cache}</cachedir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="pattern"><edit name="family" mode="append" binding="weak"><string>DejaVu Sans</string></edit></match>
</fontconfig>"""


def without_browser(reason):
    """Skip with the reason, or fail where REQUIRE_BROWSER=1 says that browser tests must run."""
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1, but {reason}", pytrace=False)
    pytest.skip(reason)


def leaves_machine(url):
    """True for an address on another machine."""
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != LOCAL


def same_letters(folder):
    """Return variables for a browser that, on Linux, has only matplotlib's DejaVu Sans, without Chinese letters."""
    import matplotlib

    fonts = os.path.join(matplotlib.get_data_path(), "fonts", "ttf")
    (folder / "fonts.conf").write_text(FONTS.format(fonts=fonts, cache=folder / "cache"), encoding="utf-8")
    return {**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")}


@pytest.fixture(scope="module")
def as_students():
    """Run the library as a student's kernel does, without checks of its annotations."""
    from jaxtyping import config

    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", before)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Return a Playwright Browser for the whole session: the variable CHROMIUM, else the first known name on PATH."""
    named = os.environ.get("CHROMIUM")
    path = next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)
    if path is None:
        without_browser(
            f"no browser: {named or ', '.join(BROWSERS)} is not on PATH (install Chromium, or set CHROMIUM)"
        )
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        letters = same_letters(tmp_path_factory.mktemp("fonts"))
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env=letters, headless=True)
        yield chromium
        chromium.close()


@pytest.fixture
def blocked():
    """Return the list of addresses on other machines that `page` asked for in vain."""
    return []


@contextlib.contextmanager
def page_at_home(browser, blocked):
    """Open a page in a context of its own; requests to other machines are noted in `blocked`, and refused by FLAGS."""

    def note(request):
        if leaves_machine(request.url):
            blocked.append(request.url)

    context = browser.new_context(viewport={"width": 1280, "height": 950})
    context.on("request", note)
    context.on("page", lambda page: page.on("websocket", note))
    yield context.new_page()
    context.close()


@pytest.fixture
def page(browser, blocked):
    """Open a page that reaches nothing but this machine."""
    with page_at_home(browser, blocked) as page:
        yield page
