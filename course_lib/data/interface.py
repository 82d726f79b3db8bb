"""Real sentences by people: JupyterLab's own interface, French–English and Chinese–English; and the one tokeniser.

They are read from the installed language packs (BSD-3, see NOTICE.md), the same texts that the reader sees after
switching JupyterLab to French or Chinese. Nobody aligned their words, so the pairs have no links. Many sentences are
nearly alike (`cell settings`, `cell toolbar settings`): a score on them flatters, so say where it was measured.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files

from course_lib.data.pairs import Pair

LOCALES = {"fr": "fr-FR", "zh": "zh-CN"}
LONGEST = 25  # words; what is longer is a paragraph of help, not a sentence

HAN = "\u3400-\u9fff"
TOKEN = re.compile(
    rf"[{HAN}]"  # a Chinese character
    r"|(?:[cdjlmnst]|[^\W\d_]*qu)'(?=\w)"  # l' of l'image, qu' of lorsqu'il
    rf"|[^\W{HAN}]+(?:['-][^\W{HAN}]+)*"  # a word or a number: it's, t-shirt, 2016
    r"|([^\w\s])\1*"  # a sign, or the same sign several times: ...
)
NOT_PROSE = re.compile(r"%|[{}<>\\$`_@#*|=]|\n|https?:|\w\.\w")  # placeholders, markup, code, file names
LETTER = re.compile(r"[^\W\d_]")


def tokenise(text: str) -> tuple[str, ...]:
    """Cut a text into lower-case words and signs; each Chinese character is a token, since nothing here finds words.

    French elision is cut after its apostrophe (`l'image → l' image`), other inner apostrophes and hyphens stay
    (`it's`, `t-shirt`). Unicode forms are made one first (NFKC: `，` is `,` and `…` is `...`). All real sentences of
    the course pass through here. For BLEU, a sentence is its words with spaces between: `" ".join(words)`.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    return tuple(match.group() for match in TOKEN.finditer(plain))


def interface_sentences(language: str) -> list[Pair]:
    """JupyterLab's interface sentences, French or Chinese to English, each foreign sentence once, in a fixed order.

    Left out: what has placeholders, markup or code in it, what is not translated, and what is over 25 words long.
    Of two translations of the same sentence the first is kept, of a plural form the singular.

    Raises: ValueError for another language or a damaged catalogue; ModuleNotFoundError if the pack is not installed.
    """
    if language not in LOCALES:
        raise ValueError(f"interface sentences are in 'fr' or 'zh': got {language!r}")
    pairs: dict[tuple[str, ...], Pair] = {}
    for english, foreign in _translations(LOCALES[language]):
        if NOT_PROSE.search(english) or NOT_PROSE.search(foreign):
            continue
        source, target = tokenise(foreign), tokenise(english)
        if _is_sentence(source) and _is_sentence(target) and source != target:
            pairs.setdefault(source, Pair(source, target))
    return list(pairs.values())


def _is_sentence(words: tuple[str, ...]) -> bool:
    return len(words) <= LONGEST and any(map(LETTER.search, words))


def _translations(locale: str) -> Iterator[tuple[str, str]]:
    """Every (English, foreign) entry of every catalogue: {"context\x04English": ["foreign", "foreign plural", …]}."""
    package = f"jupyterlab-language-pack-{locale}"
    folder_name = locale.replace("-", "_")
    try:
        root = files(f"jupyterlab_language_pack_{folder_name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"the sentences come with {package}: pip install {package}") from error
    folder = root / "locale" / folder_name / "LC_MESSAGES"
    found = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
    catalogues = [file for file in found if file.name.endswith(".json")]
    if not catalogues:
        raise ValueError(f"{package} has no catalogues in it: pip install --force-reinstall {package}")
    for file in catalogues:
        try:
            yield from list(_entries(file.read_text(encoding="utf-8")))
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{package}: {file.name} is damaged: pip install --force-reinstall {package}") from error


def _entries(catalogue: str) -> Iterator[tuple[str, str]]:
    for key, forms in json.loads(catalogue).items():
        if key and forms:  # the key "" holds the catalogue's own particulars
            if not isinstance(forms[0], str):
                raise TypeError(f"a translation is text: got {forms[0]!r}")
            yield key.rpartition("\x04")[2], forms[0]
