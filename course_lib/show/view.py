"""View: what all live views share, in a notebook with a kernel and in pages without one."""

import base64
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import ClassVar

import anywidget
import traitlets

from course_lib.show.fonts import subset_font
from course_lib.show.page import CONSTANTS, STYLE_SHEET, page, picture_and_frame
from course_lib.show.theme import WORDS


class View(anywidget.AnyWidget):
    """A widget that the browser draws, with a static picture and a page of its own for places without a kernel.

    A subclass names its JavaScript (`_esm = module(*files)`); the traits that its page carries along (`_carried`), and
    which of them are the bytes of 32-bit numbers (`_numbers`); its `_frame_title`; and draws itself as a static
    `picture()`. Its `update(…)` takes new numbers for the same words; `words` replaces words of words.json.

    Raises ValueError if `words` has a key that is not in words.json.
    """

    _css = STYLE_SHEET
    _carried: ClassVar[tuple[str, ...]] = ()
    _numbers: ClassVar[tuple[str, ...]] = ()
    _frame_title: ClassVar[str] = ""

    lang = traitlets.Enum(("en", "zh"), "en").tag(sync=True)
    words = traitlets.Dict(value_trait=traitlets.Unicode()).tag(sync=True)  # in place of those in words.json
    message = traitlets.Dict(value_trait=traitlets.Unicode()).tag(sync=True)  # {printed, error} of a reader's function
    font = traitlets.Bytes().tag(sync=True)  # the Chinese characters that occur, for browsers without such a font

    def __init__(
        self, *, lang: str = "en", words: Mapping[str, str] | None = None, texts: object = (), **traits: object
    ):
        unknown = set(words or {}) - set(WORDS["en"])
        if unknown:
            raise ValueError(f"words: expected some of {sorted(WORDS['en'])}, got {sorted(unknown)}.")
        words = dict(words or {})
        super().__init__(lang=lang, words=words, font=self._font_for(lang, traits, words, texts), **traits)

    def _font_for(self, lang: str, *parts: object) -> bytes:
        """A font with the Chinese characters in these parts, and in the words.json entries that the code names."""
        code = str(self._esm).split("\n", CONSTANTS)[CONSTANTS]
        return subset_font("".join(strings_in([*parts, [WORDS[lang][name] for name in words_in(code)]])))

    @property
    def all_words(self) -> dict[str, str]:
        """The words of the view's language, with the reader's own in their place."""
        return WORDS[self.lang] | self.words

    def to_html(self) -> str:
        """The view as a page that can be saved and opened anywhere, without a network."""
        names = ("lang", "words", "font", *self._carried)
        state = {name: getattr(self, name) for name in names}
        return page(self._frame_title, self._esm, state, self._numbers, self._css)

    def _static(self) -> tuple[dict[str, str], dict]:
        """MIME bundle and metadata for places without a kernel: a picture, and the page in a frame."""
        still = self.picture()
        png = still.png()
        frame = picture_and_frame(png, still.text, self.to_html(), self._frame_title)
        return {"image/png": base64.b64encode(png).decode(), "text/html": frame}, {"image/png": {"alt": still.text}}

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        static, about = self._static()
        return data | static, metadata | about


@cache
def words_in(code: str) -> list[str]:
    """The keys of words.json in a view's code, whole, or as the beginning of a template string."""
    patterns = {name: rf"\b({re.escape(name)}\b|{re.escape(name.split()[0])} \$\{{)" for name in WORDS["en"]}
    return [name for name, pattern in patterns.items() if re.search(pattern, code)]


def strings_in(value: object) -> Iterator[str]:
    """All strings in nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from strings_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings_in(part)
