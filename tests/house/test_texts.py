"""What may stand in a tracked file, and which files there may be."""

import re
from urllib.parse import unquote

import nbformat
import pytest

from .files import HOME, chapters, none, texts, tracked
from .form import prose

TOP_LEVEL = {
    *(".ci", ".github", "course_lib", "docs", "exercises", "experiments", "grading", "notebooks", "scripts", "solutions", "tests"),
    *(".gitattributes", ".gitignore", "LICENSE", "LICENSE-texts.md", "Makefile", "README.md"),
    *("environment.yml", "nbgrader_config.py", "pyproject.toml", "requirements.lock"),
}
FOLDERS = (
    "root",
    "work",
    "opt/wheels",
    "opt/pypi",
    r"home/[\w.-]+",
    r"Users/[\w.-]+",
    "private/var/folders",
    r"tmp/tmp\w+",
)
ABSOLUTE = re.compile(rf"(?<![\w.\-~*)}}])/(?:{'|'.join(FOLDERS)})/|\b[A-Z]:\\+Users\\+\w")
HOSTS = ("files.pythonhosted", "pypi.org/simple", "download.pytorch", "conda.anaconda", "registry.npmjs", "deb.debian")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?(?:src|href)=\"([^\"]+)\"")


def leftovers(text):
    """Paths of one machine and hosts of package registries."""
    found = [match.group() for match in ABSOLUTE.finditer(text)]
    return found + [host for host in HOSTS if host in text]


def links(markdown):
    """The addresses that a page links to or shows."""
    return [first or second for first, second in LINK.findall(markdown)]


def broken_links(markdown, folder):
    """The internal links of a page in this folder that lead nowhere."""
    internal = (link.partition("#")[0] for link in links(markdown) if not re.match(r"[a-z]+:", link))
    return [link for link in internal if link and not (folder / unquote(link)).exists()]


def test_no_file_names_a_folder_of_somebodys_machine_or_a_registry():
    own = {"tests/house/test_texts.py"}
    pages = {name.as_posix(): text for name, text in texts().items() if name.as_posix() not in own}
    none(f"{name}: {found}" for name, text in pages.items() for found in leftovers(text))


def test_only_these_things_lie_at_the_top():
    none(sorted({name.parts[0] for name in tracked()} - TOP_LEVEL))


def test_pages_link_to_what_is_there():
    pages = {name: text for name, text in texts().items() if name.suffix == ".md"}
    pages |= {path.relative_to(HOME): prose(nbformat.read(path, as_version=4)) for path in chapters()}
    none(f"{name}: {link}" for name, text in pages.items() for link in broken_links(text, (HOME / name).parent))


def test_readme_leads_to_every_chapter():
    shown = links((HOME / "README.md").read_text(encoding="utf-8"))
    none(path.name for path in chapters() if f"notebooks/{path.name}" not in shown)


def test_both_licences_are_there():
    assert "MIT" in (HOME / "LICENSE").read_text(encoding="utf-8")
    texts_licence = (HOME / "LICENSE-texts.md").read_text(encoding="utf-8")
    assert "Attribution 4.0" in texts_licence
    assert "creativecommons.org/licenses/by/4.0" in texts_licence


@pytest.mark.parametrize(
    "text",
    [
        'open("/root/data.txt")',
        "see /home/ada/course/x.py",
        '"/Users/ada/x"',
        r"C:\Users\ada",
        r'"C:\\Users\\ada"',
        "file /tmp/tmpab1/x",
        "--index-url https://download.pytorch.org/whl/cpu",
        "pip install -i https://pypi.org/simple x",
        "/work/main/README.md",
    ],
)
def test_a_leftover_is_found(text):
    assert leftovers(text)


@pytest.mark.parametrize(
    "text", ["docs/work/x", "https://pypi.org/project/torch/", "../home/x", "a/root/b", "$(HOME)/root/x", "~/work/x"]
)
def test_other_paths_are_let_pass(text):
    assert leftovers(text) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "there.md").touch()
    page = (
        "[a](there.md) [b](there.md#part) [c](gone.md) [d](https://example.org) [e](#here) <img alt='' src=\"no.png\">"
    )
    assert broken_links(page, tmp_path) == ["gone.md", "no.png"]
