"""What may stand in a tracked file: no paths of one machine, no links that lead nowhere."""

import re
from urllib.parse import unquote

import nbformat

from .files import HOME, chapters, none, texts
from .form import prose

FOLDERS = r"root|work|opt/wheels|opt/pypi|home/[\w.-]+|Users/[\w.-]+|private/var/folders|tmp/tmp\w+"
HOSTS = "files.pythonhosted|pypi.org/simple|download.pytorch|conda.anaconda|registry.npmjs|deb.debian"
LEFTOVER = re.compile(rf"(?<![\w.\-~*)}}])/(?:{FOLDERS})/|\b[A-Z]:\\+Users\\+\w|{HOSTS}")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?(?:src|href)=\"([^\"]+)\"")


def test_no_file_names_a_folder_of_somebodys_machine_or_a_registry():
    pages = {name: text for name, text in texts().items() if name.name != "test_texts.py"}
    none(f"{name}: {found[0]}" for name, text in pages.items() for found in LEFTOVER.finditer(text))


def test_pages_link_to_what_is_there():
    pages = {name: text for name, text in texts().items() if name.suffix == ".md"}
    pages |= {path.relative_to(HOME): prose(nbformat.read(path, as_version=4)) for path in chapters()}
    links = [(name, first or second) for name, text in pages.items() for first, second in LINK.findall(text)]
    internal = [(name, link.partition("#")[0]) for name, link in links if not re.match(r"[a-z]+:", link)]
    none(f"{name}: {link}" for name, link in internal if not ((HOME / name).parent / unquote(link)).exists())
