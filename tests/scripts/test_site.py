"""The site: built without a warning, twice the same; from disk and without a network everything is there, and moves."""

import subprocess
import sys
import time
from collections import defaultdict
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_notebook, new_output

from scripts import website
from tests.conftest import page_at_home
from tests.house.files import HOME, chapters, none

ANSWER = 60  # seconds until a key has surely had its effect
BUILD = "import sys; from pathlib import Path; from scripts import website; website.HOME = Path(sys.argv[2]); "


def build(target, home=HOME):
    """Build the site of a project in a process of its own, as `make site` does."""
    command = [sys.executable, "-c", BUILD + "sys.exit(website.main(sys.argv[1]))", str(target), str(home)]
    return subprocess.run(command, cwd=HOME, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    target = tmp_path_factory.mktemp("pages") / "site"
    done = build(target)
    assert done.returncode == 0, done.stderr
    return target


class Page(HTMLParser):
    """What a page asks for, links to, names and shows."""

    def __init__(self, path):
        super().__init__()
        self.path, self.inside = path, []
        self.found = defaultdict(list)  # {tag: [attributes]}
        self.formulas = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found[tag].append(dict(attributes))
        self.inside += [tag] if tag == "math" else []

    def handle_endtag(self, tag):
        if tag == "math":
            self.inside.pop()

    def handle_data(self, data):
        self.formulas += data if self.inside else ""

    def all(self, name):
        """The values of an attribute, whatever the element."""
        return [a[name] for attributes in self.found.values() for a in attributes if a.get(name)]

    def asked_for(self):
        """What the browser fetches for this page, beside what its scripts ask for."""
        return [*self.all("src"), *(link["href"] for link in self.found["link"] if link.get("rel") != "canonical")]


@pytest.fixture(scope="module")
def pages(site):
    """All pages of the site, read."""
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


# ── What lies in the folder ───────────────────────────────────────────────────────────────────────────────────────────


def test_every_chapter_has_a_page(site):
    none(path.name for path in chapters() if not (site / "notebooks" / f"{path.stem}.html").is_file())
    assert (site / "index.html").is_file()


def test_nothing_is_left_beside_the_site(site):
    """Rejects what MyST-NB writes beside the folder that it builds into."""
    assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_two_builds_write_the_same_bytes(site, tmp_path):
    """Rejects dates, random names and the order of a set in the pages."""
    assert build(tmp_path / "again").returncode == 0
    first, second = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*.*")} for f in (site, tmp_path / "again"))
    assert first.keys() == second.keys()
    none(str(name) for name in first if first[name] != second[name])


def test_nothing_is_asked_from_another_machine(pages, site):
    """Rejects a CDN in a page or a style sheet; links that a reader may follow are no requests."""
    none(f"{path.name}: {url[:80]}" for path, page in pages.items() for url in page.asked_for() if not is_local(url))
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    none(f"{path.name} imports" for path, text in styles.items() if "url(http" in text or "@import" in text)


def is_local(url):
    """True for what lies beside the page, or in it."""
    return urlsplit(url).scheme in ("", "data") and not url.startswith("//")


def test_no_local_link_is_broken(pages):
    anchors = {path: set(page.all("id")) for path, page in pages.items()}
    none(f"{path.name}: {wrong}" for path, page in pages.items() for wrong in broken(path, page, anchors))


def broken(path, page, anchors):
    """The addresses on this machine that a page asks for or links to, and that lead nowhere."""
    for url in {*page.all("href"), *page.all("src")}:
        parts = urlsplit(url)
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if parts.scheme or url.startswith("//"):
            continue
        if not target.is_file() or (parts.fragment and parts.fragment not in anchors.get(target, {parts.fragment})):
            yield url


def test_a_broken_link_would_be_found(tmp_path):
    (tmp_path / "b.html").write_text('<p id="there">')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a><a href="https://example.org">4</a>'
    )
    read = {path: Page(path) for path in tmp_path.glob("*.html")}
    anchors = {path: set(page.all("id")) for path, page in read.items()}
    path = tmp_path / "a.html"
    assert set(broken(path, read[path], anchors)) == {"b.html#gone", "c.html"}


def test_every_picture_has_words(pages):
    """Rejects a picture of a notebook without the text alternative that its output carries."""
    images = [(path, image) for path, page in pages.items() for image in page.found["img"]]
    none(f"{path.name}: {image['src'][:40]}" for path, image in images if not (image.get("alt") or "").strip())
    shown = [output for path in chapters() for output in outputs(path) if "image/png" in output.get("data", {})]
    assert len(images) >= len(shown) > 0


def outputs(path):
    """The outputs of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [output for cell in cells for output in cell.get("outputs", [])]


def test_the_font_has_every_letter_of_the_formulas(pages):
    """Rejects a cut of the font that a new chapter has outgrown: scripts/cut_math_font.py."""
    has = TTFont(website.SETTINGS / "LessonMath.woff").getBestCmap()
    used = {letter for page in pages.values() for letter in page.formulas if not letter.isspace()}
    assert used
    none(f"U+{ord(letter):04X} {letter}" for letter in sorted(used) if ord(letter) not in has)


# ── Laying out ────────────────────────────────────────────────────────────────────────────────────────────────────────


def shown(data, **about):
    """What a page shows of one output."""
    cell = new_code_cell("1", outputs=[new_output("display_data", data, metadata=about)])
    return website.for_page(new_notebook(cells=[cell])).cells[0].outputs[0].data


def test_a_picture_gets_its_words_and_its_size():
    picture = {"image/png": "aGk=\n", "text/plain": "x"}
    (html,) = shown(picture, **{"image/png": {"alt": 'a "map" <of> it', "width": 3}}).values()
    assert html == '<img alt="a &quot;map&quot; &lt;of&gt; it" width="3" src="data:image/png;base64,aGk=">'
    assert 'alt="x"' in shown(picture)["text/html"]


def test_a_view_shows_its_frame_and_text_stays_text():
    assert shown({"text/html": "<iframe>", "image/png": "aGk=", "text/plain": "x"}) == {"text/html": "<iframe>"}
    assert shown({"text/plain": "x"}) == {"text/plain": "x"}


CHAPTER = "notebooks/00_what_is_a_vector_for_a_word.ipynb"


@pytest.mark.parametrize(
    ("page", "markdown", "redirected"),
    [
        (CHAPTER, "[`a`](../docs/claims.md#ledger)", "[`a`](../docs/claims.md#ledger)"),
        (CHAPTER, "[a](../README.md)", "[a](../index.md)"),
        (CHAPTER, "[a](../course_lib/measure.py)", "[a](../course_lib/measure.py.md)"),
        (
            CHAPTER,
            "[a](../exercises/00_what_is_a_vector_for_a_word)",
            f"[a](../exercises/{CHAPTER[10:-6]}{CHAPTER[9:]})",
        ),
        (CHAPTER, "[`a`](../course_lib/show/fonts)", "`a`"),
        (CHAPTER, "[a](https://example.org/b.py) [b](#here)", "[a](https://example.org/b.py) [b](#here)"),
        ("index.md", "![a](docs/attention_view.png)", "![a](docs/attention_view.png)"),
    ],
)
def test_links_lead_to_pages(page, markdown, redirected):
    assert website.redirect(markdown, page, set()) == redirected


def test_what_is_wrong_stops_the_build(tmp_path):
    """Rejects a build that leaves out a formula, or a link that leads nowhere, and succeeds; the old site stays."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old")
    (tmp_path / "README.md").write_text(r"# Front" "\n\n" r"$\nosuchcommand x$ and [a link](gone.md)", encoding="utf-8")
    done = build(tmp_path / "site", tmp_path)
    assert done.returncode != 0
    assert "nosuchcommand" in done.stderr
    assert "gone.md" in done.stderr
    assert (tmp_path / "site" / "index.html").read_text() == "old"


# ── In a browser, from disk ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def window(browser):
    """A window for all pages, and what went wrong in it: errors, and addresses elsewhere that were asked for."""
    wrong = []
    with page_at_home(browser, wrong) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        yield page, wrong


def address(site, path):
    """Where the page of a notebook is."""
    return (site / path.relative_to(HOME)).with_suffix(".html").as_uri()


@pytest.fixture
def opened(site, window):
    """A function that opens a page from disk; afterwards nothing went wrong, and nothing was asked for elsewhere."""
    page, wrong = window

    def open_page(path):
        page.goto(address(site, path))
        return page

    yield open_page
    page.evaluate("() => localStorage.clear()")
    found = [wrong.pop() for _ in list(wrong)]
    assert found == []


@pytest.fixture(scope="module", params=chapters(), ids=lambda path: path.name[:2])
def chapter_address(site, request):
    """Where the page of a chapter is; the tests that look at it come one after the other."""
    return address(site, request.param)


@pytest.fixture
def chapter(opened, window, chapter_address):
    """The page of a chapter: what a test does to it, the next one finds."""
    page, _ = window
    if page.url != chapter_address:
        page.goto(chapter_address)
    return page


@pytest.mark.browser
def test_formulas_are_drawn(chapter):
    """Rejects formulas left as LaTeX, drawn as nothing, or without the font that the site brings along."""
    page = chapter
    widths = page.locator("math").evaluate_all("all => all.map((math) => math.getBoundingClientRect().width)")
    hidden = page.locator("details math").count()
    assert sum(width > 0 for width in widths) == len(widths) - hidden > 0
    prose = page.evaluate(
        "() => { const copy = document.querySelector('article').cloneNode(true);"
        " for (const code of copy.querySelectorAll('pre, code, iframe')) code.remove(); return copy.textContent }"
    )
    assert "\\" not in prose
    assert "$" not in prose
    assert page.evaluate("async () => (await document.fonts.load('16px \"Lesson Math\"')).length") == 1


@pytest.mark.browser
def test_a_view_moves(chapter):
    """Rejects a page whose frames are pictures: the slider of a view must change what the frame shows."""
    page = chapter
    if not page.locator("iframe").count():
        pytest.skip("this chapter has no view yet")
    frame = until(lambda: next((frame for frame in page.frames[1:] if frame.get_by_role("slider").count()), None))
    slider = frame.get_by_role("slider").first
    slider.press("Home")
    first = frame.locator("#view").screenshot()
    slider.press("End")
    until(lambda: frame.locator("#view").screenshot() != first)


def until(happens):
    """Return what happens as soon as it does."""
    end = time.monotonic() + ANSWER
    while not (found := happens()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)
    return found


@pytest.mark.browser
def test_what_is_folded_unfolds(opened):
    """Rejects a page that has lost the answer, or shows it at once."""
    folded = next(path for path in [*chapters(), *chapters("exercises")] if "<details>" in path.read_text("utf-8"))
    answer = opened(folded).locator("article details").first
    assert not answer.locator("p").first.is_visible()
    answer.locator("summary").click()
    assert answer.locator("p").first.is_visible()


@pytest.mark.browser
def test_next_leads_through_the_chapters(browser, site):
    """Rejects another order than that of the chapters. No scripts run: they would draw all views once more."""
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    first, *others = chapters()
    page.goto(address(site, first))
    for path in others:
        page.get_by_role("link", name="Next").last.click()
        assert page.url.endswith(f"{path.stem}.html")
    context.close()


@pytest.mark.browser
def test_views_follow_the_theme_of_the_site(opened):
    """Rejects white views on a page that its reader has made dark, on a system that is light."""
    page = opened(chapters()[0])
    frame = until(lambda: next((frame for frame in page.frames[1:] if frame.locator("#view > *").count()), None))

    def paper():
        return frame.evaluate("() => getComputedStyle(document.body).backgroundColor")

    light = until(paper)
    page.locator("button.theme-toggle").locator("visible=true").click()
    assert page.evaluate("() => document.body.dataset.theme") == "dark"
    until(lambda: paper() != light)
