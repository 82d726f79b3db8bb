"""Real sentences: JupyterLab's interface, French–English and Chinese–English; and the tokeniser of all real sentences.

They are read from the installed language packs (BSD-3, see NOTICE.md). The pairs have no word alignment. Many sentences
are similar (`cell settings`, `cell toolbar settings`), so scores on held-out sentences are optimistic.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files

from course_lib.data.pairs import Pair

LOCALES = {"fr": "fr-FR", "zh": "zh-CN"}
MAX_LENGTH = 25  # words; longer texts are paragraphs of help

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
    """Split a text into lower-case words and signs; each Chinese character is a token.

    French elision is split after the apostrophe (`l'image → l' image`), other inner apostrophes and hyphens stay
    (`it's`, `t-shirt`). Unicode is normalised first (NFKC: `，` becomes `,` and `…` becomes `...`). For BLEU, join the
    tokens with spaces.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    return tuple(match.group() for match in TOKEN.finditer(plain))


def interface_sentences(language: str) -> list[Pair]:
    """JupyterLab's interface sentences, French or Chinese to English, each source sentence once, in a fixed order.

    Excluded are texts with placeholders, markup or code, untranslated ones, and those over 25 words. Of two
    translations of a sentence the first is kept, of a plural form the singular.

    Raises: ValueError for another language or a damaged catalogue; ModuleNotFoundError if the pack is not installed.
    """
    if language not in LOCALES:
        raise ValueError(f"language must be 'fr' or 'zh', got {language!r}")
    pairs: dict[tuple[str, ...], Pair] = {}
    for english, foreign in _translations(LOCALES[language]):
        if NOT_PROSE.search(english) or NOT_PROSE.search(foreign):
            continue
        source, target = tokenise(foreign), tokenise(english)
        if _is_sentence(source) and _is_sentence(target) and source != target:
            pairs.setdefault(source, Pair(source, target))
    return list(pairs.values())


def _is_sentence(words: tuple[str, ...]) -> bool:
    return len(words) <= MAX_LENGTH and any(map(LETTER.search, words))


def _translations(locale: str) -> Iterator[tuple[str, str]]:
    """Every (English, foreign) entry of every catalogue: {"context\x04English": ["foreign", "foreign plural", …]}."""
    package = f"jupyterlab-language-pack-{locale}"
    folder_name = locale.replace("-", "_")
    try:
        root = files(f"jupyterlab_language_pack_{folder_name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"the package {package} is not installed: pip install {package}") from error
    folder = root / "locale" / folder_name / "LC_MESSAGES"
    found = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
    catalogues = [file for file in found if file.name.endswith(".json")]
    if not catalogues:
        raise ValueError(f"{package} has no catalogues: pip install --force-reinstall {package}")
    for file in catalogues:
        try:
            yield from list(_entries(file.read_text(encoding="utf-8")))
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{package}: {file.name} is damaged: pip install --force-reinstall {package}") from error


def _entries(catalogue: str) -> Iterator[tuple[str, str]]:
    for key, forms in json.loads(catalogue).items():
        if key and forms:  # the key "" holds metadata
            if not isinstance(forms[0], str):
                raise TypeError(f"a translation must be text, got {forms[0]!r}")
            yield key.rpartition("\x04")[2], forms[0]
