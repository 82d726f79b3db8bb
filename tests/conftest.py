"""Fixtures for every test: a browser, and pages that never leave this machine."""

import contextlib
import gc
import os
import shutil
from urllib.parse import urlsplit

import pytest

BROWSERS = (  # the first is Chromium without windows: an eighth less work for the same pictures
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
LOCAL = "127.0.0.1"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {LOCAL}",  # nothing leaves this machine, whoever asks
)
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>{fonts}</dir><cachedir>{cache}</cachedir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="pattern"><edit name="family" mode="append" binding="weak"><string>DejaVu Sans</string></edit></match>
</fontconfig>"""
FIRST = (  # the one has three threads that compute; meanwhile the others wait for deadlines
    "tests/grading/test_hostile.py",
    "tests/grading/test_job.py",
    "tests/grading/test_execute.py",
)
WAITING = ("tests/grading/",)  # for processes that start or end
COMPUTING = ("notebooks/", "solutions/", "tests/test_claims.py")
LONG = (  # after these; whatever is not named is short
    "tests/browser/",
    "tests/show/",
    "tests/scripts/test_site.py",
    "tests/scripts/test_exercises.py",
    "tests/checks/test_misconceptions.py",
    "tests/exercises/",
    "tests/data/",
    "tests/models/",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while all is imported, nor later in that, which stays: it would take a tenth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)
        gc.enable()


def pytest_collection_modifyitems(items):
    """Sort the files such that what takes long begins first: else all wait for the last one at the end.

    Files that wait take turns with files that compute, so that no core is idle meanwhile.
    """
    turns = {}
    for kind, starts in enumerate((WAITING, COMPUTING)):
        files = dict.fromkeys(item.path for item in items if item.nodeid.startswith(starts))
        turns |= {path: (turn, kind) for turn, path in enumerate(files)}

    def place(item):
        if item.nodeid.startswith(FIRST):
            return -1, next(k for k, start in enumerate(FIRST) if item.nodeid.startswith(start))
        later = next((k for k, start in enumerate(LONG) if item.nodeid.startswith(start)), len(LONG))
        return turns.get(item.path, (len(turns), later))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each file to one worker, and all that needs a JupyterLab to one: another would start its own."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            together = "tests/browser"
            return together if nodeid.startswith(f"{together}/") else super()._split_scope(nodeid)

    return Scheduling(config, log) if config.getvalue("dist") == "loadscope" else None


def browser_path():
    """Where Chromium is: the variable CHROMIUM, else the first known name on PATH, else None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def without_browser(reason):
    """Skip with the reason, or fail with it where REQUIRE_BROWSER=1 says that browser tests must run."""
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1, but {reason}", pytrace=False)
    pytest.skip(reason)


def leaves_machine(url):
    """True for an address that would be fetched from another machine (data:, blob: and file: are at home)."""
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != LOCAL


def same_letters(folder):
    """Variables for a browser that, on Linux, writes with matplotlib's DejaVu Sans alone: no machine has other letters.

    It has no Chinese ones, so that a page that leaves them to the reader's system shows boxes.
    """
    import matplotlib

    fonts = os.path.join(matplotlib.get_data_path(), "fonts", "ttf")
    (folder / "fonts.conf").write_text(FONTS.format(fonts=fonts, cache=folder / "cache"), encoding="utf-8")
    return {**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")}


@pytest.fixture(scope="module", autouse=True)
def no_variable_stays():
    """Rejects tests that leave an environment variable to all that their worker starts after them, chapters too."""
    kept = {"PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR"}  # pytest's; torch's own, at its first optimizer
    kept |= {"TMPDIR", "SECRET_OF_THE_GRADER"}  # of graders, until the session ends
    before = dict(os.environ)
    yield
    assert {name for name, _ in os.environ.items() ^ before.items()} <= kept


@pytest.fixture(scope="module")
def as_students():
    """The library as a student's kernel has it, without checks of its annotations; half the time, too."""
    from jaxtyping import config

    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", before)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A Playwright Chromium Browser, headless, for the whole session."""
    path = browser_path()
    if path is None:
        without_browser(f"no browser: none of {', '.join(BROWSERS)} is on PATH (install Chromium, or set CHROMIUM)")
    if not shutil.which(path):
        without_browser(f"no browser: CHROMIUM={path} is not a program")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        without_browser("no browser tests: the package playwright is missing (pip install playwright)")
    with sync_playwright() as playwright:
        letters = same_letters(tmp_path_factory.mktemp("fonts"))
        options = {"executable_path": shutil.which(path), "args": list(FLAGS), "env": letters, "headless": True}
        chromium = playwright.chromium.launch(**options)
        yield chromium
        chromium.close()


@pytest.fixture
def blocked():
    """The addresses on other machines that the test's `page` asked for, and did not get."""
    return []


@contextlib.contextmanager
def page_at_home(browser, blocked):
    """A fresh page in a context of its own: what is not on 127.0.0.1 is noted in `blocked`; FLAGS refuse it.

    To refuse it here, in Python, would cost JupyterLab a second of work for the requests that it makes at home.
    """

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
    """A fresh page that reaches nothing but this machine."""
    with page_at_home(browser, blocked) as page:
        yield page
