"""What all live views have in common: they show themselves in any place where a notebook is read."""

import base64
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import ClassVar

import anywidget
import traitlets

from course_lib.show.letters import chinese_font
from course_lib.show.page import CONSTANTS, STYLE_SHEET, page, picture_and_frame
from course_lib.show.picture import Picture
from course_lib.show.theme import WORDS


class View(anywidget.AnyWidget):
    """A widget drawn by the browser, with a still picture and a page of its own for places without a kernel.

    A view names its JavaScript (`_esm = module(*files)`); the traits that its page carries along (`_carried`), and
    which of them are the bytes of 32-bit numbers (`_numbers`); its `_frame_title`; and how it looks as a `picture()`.
    Its `update(…)` takes new numbers for the same words; `words` replaces words of the view (words.json).

    Raises ValueError if `words` names what no view has a word for.
    """

    _css = STYLE_SHEET
    _carried: ClassVar[tuple[str, ...]] = ()
    _numbers: ClassVar[tuple[str, ...]] = ()
    _frame_title: ClassVar[str] = ""

    lang = traitlets.Enum(("en", "zh"), "en").tag(sync=True)
    words = traitlets.Dict(value_trait=traitlets.Unicode()).tag(sync=True)  # in place of those in words.json
    message = traitlets.Dict(value_trait=traitlets.Unicode()).tag(sync=True)  # what a function {printed}, its {error}
    font = traitlets.Bytes().tag(sync=True)  # the Chinese characters that occur, for browsers that have none

    def __init__(self, *, lang: str = "en", words: Mapping[str, str] | None = None, **traits):
        words = checked_words(words or {})
        super().__init__(lang=lang, words=words, font=self._font_for(lang, traits, words), **traits)

    def _font_for(self, lang: str, *parts: object) -> bytes:
        """The Chinese characters of all text in these parts, and of the words that the view's code has by name."""
        code = str(self._esm).split("\n", CONSTANTS)[CONSTANTS]  # without the table of words itself
        return chinese_font("".join(texts([*parts, [WORDS[lang][name] for name in words_in(code)]])))

    def picture(self) -> Picture:
        """The view as it stands, as a still picture."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The view as a page that can be saved and opened anywhere, without a network."""
        names = ("lang", "words", "font", *self._carried)
        state = {name: getattr(self, name) for name in names}
        return page(self._frame_title, self._esm, state, self._numbers, self._css)

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        still = self.picture()
        png = still.png()
        data["image/png"] = base64.b64encode(png).decode()
        data["text/html"] = picture_and_frame(png, still.text, self.to_html(), self._frame_title)
        return data, {**metadata, "image/png": {"alt": still.text}}


@cache
def words_in(code: str) -> list[str]:
    """The names of the words (words.json) that stand in a view's code: whole, or begun and completed by a variable."""
    patterns = {name: rf"\b({re.escape(name)}\b|{re.escape(name.split()[0])} \$\{{)" for name in WORDS["en"]}
    return [name for name, pattern in patterns.items() if re.search(pattern, code)]


def checked_words(words: Mapping[str, str]) -> dict[str, str]:
    """Words for things that the views name, and for nothing else."""
    unknown = set(words) - set(WORDS["en"])
    if unknown:
        raise ValueError(f"words: expected some of {sorted(WORDS['en'])}, got {sorted(unknown)}.")
    return dict(words)


def texts(value: object) -> Iterator[str]:
    """All text in nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
