"""Real dates in twenty languages, to ISO form, with the gold alignment of the characters.

`1962年12月29日土曜日 → 1962-12-29`. The spellings are CLDR's, which Babel carries (Unicode licence, see NOTICE.md).

Ambiguous patterns are excluded, so that one string never means two dates: years of two digits, months by their initial,
and numbers in the order month, day (3/4/2021).
"""

import datetime
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import DateTimeFormat, tokenize_pattern

from course_lib.data.pairs import Pair

LOCALES = (
    "en", "fr", "de", "es", "it", "pt", "nl", "sv", "fi", "pl",
    "cs", "hu", "tr", "id", "vi", "ru", "el", "ja", "zh", "ko",
)  # fmt: skip
FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
FORMATS = ("short", "medium", "long", "full")
SKELETONS = ("yMd", "yMEd", "yMMMd", "yMMMEd")

POSITIONS = {"y": (0, 1, 2, 3), "M": (5, 6), "L": (5, 6), "d": (8, 9)}  # of a field's digits in 1962-12-29
TIDY = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u200e": None, "\u200f": None})  # odd spaces, direction marks


@dataclass(frozen=True)
class DatePair(Pair):
    """A date's characters in some locale, its ISO characters, and the locale and pattern it was written with."""

    locale: str = ""
    pattern: str = ""


@lru_cache
def patterns(locale: str) -> tuple[str, ...]:
    """The unambiguous CLDR patterns of a locale, such as `EEEE d MMMM y`.

    Raises: ValueError if CLDR has no such locale.
    """
    try:
        cldr = Locale.parse(locale)
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"locale must be one of {', '.join(LOCALES)} or another of CLDR, got {locale!r}") from error
    formats = [cldr.date_formats[name] for name in FORMATS if name in cldr.date_formats]
    skeletons = [cldr.datetime_skeletons[name] for name in SKELETONS if name in cldr.datetime_skeletons]
    return tuple(sorted({found.pattern for found in [*formats, *skeletons] if _names_one_date(found.pattern)}))


def spelled(date: datetime.date, locale: str, pattern: str) -> DatePair:
    """One date in one pattern of one locale, with the alignment given by the pattern's fields.

    A digit is linked to the digit it came from; a leading zero that only ISO has is linked to the digit beside it
    (5 → 05). If the month is a name, both its digits are linked to every character of the name. The hyphens of ISO, the
    weekday, and words and signs in between have no links.

    Raises: ValueError for an ambiguous pattern, or one without day, month or year.
    """
    if not _names_one_date(pattern):
        raise ValueError(f"pattern must be unambiguous (see patterns({locale!r})), got {pattern!r}")
    source, links = "", set()
    for field, text in _pieces(date, locale, pattern):
        positions = POSITIONS.get(field[:1], ())
        links.update((i, len(source) + j) for i, j in _field_links(text, positions))
        source += text
    return DatePair(tuple(source), tuple(date.isoformat()), frozenset(links), locale, pattern)


def date_pairs(n: int, *, seed: int = 0, locales: Sequence[str] = LOCALES) -> list[DatePair]:
    """Draw n different date strings from 1900 to 2099: any day, any of the locales, any of its patterns.

    Raises: ValueError for an unknown locale, for none, or for more strings than there are days.
    """
    days = (LAST - FIRST).days + 1
    if n > days or not locales:
        raise ValueError(f"n must be at most {days} and locales not empty, got {n} and {locales!r}")
    rng = random.Random(seed)
    pairs: dict[tuple[str, ...], DatePair] = {}
    while len(pairs) < n:
        locale = rng.choice(locales)
        date = FIRST + datetime.timedelta(days=rng.randrange(days))
        pair = spelled(date, locale, rng.choice(patterns(locale)))
        pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def _pieces(date: datetime.date, locale: str, pattern: str) -> Iterator[tuple[str, str]]:
    """The parts of the pattern: (field, its rendering) for a field such as MMMM, ("", text) for literal text."""
    fields = DateTimeFormat(date, locale)
    for kind, value in tokenize_pattern(pattern):
        if kind == "field":
            name, width = value
            yield name * width, fields[name * width].translate(TIDY)
        else:
            yield "", value.translate(TIDY)


def _field_links(text: str, positions: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Link the ISO digits at `positions` with the digits of a field's text, or with all of it if it is a name."""
    digits = re.search(r"\d+", text)  # also the 12 of 12월 and of tháng 12
    if digits is None:
        yield from ((i, j) for i in positions for j in range(len(text)))
        return
    written = range(*digits.span())
    for back, i in enumerate(reversed(positions), start=1):  # aligned at the end: 5 and 05
        yield i, written[max(-back, -len(written))]


@lru_cache
def _names_one_date(pattern: str) -> bool:
    """Whether the pattern has day, month and a year of four digits, and is not ambiguous."""
    fields = [value for kind, value in tokenize_pattern(pattern) if kind == "field"]
    widths = {name.replace("L", "M"): width for name, width in fields}
    if not {*"yMd"} <= widths.keys():
        return False
    month_first = [name for name in widths if name in "yMd"] == [*"Mdy"] and widths["M"] <= 2  # 3/4/2021
    one_letter = widths["M"] == 5  # J is January, June and July
    return widths["y"] != 2 and not month_first and not one_letter
