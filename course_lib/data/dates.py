"""Real dates: as people write them in twenty languages, to ISO form, with the gold alignment of the characters.

`1962年12月29日土曜日 → 1962-12-29`. The spellings are CLDR's, which Babel carries (Unicode licence, see NOTICE.md).

Patterns that leave a doubt are left out, so that one string never means two dates: a year of two digits does not say
its century, a month's initial is shared by others, and 3/4/2021 is in March for some readers, in April for most (the
order day, month is kept, the order month, day is not).
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

PLACES = {"y": (0, 1, 2, 3), "M": (5, 6), "L": (5, 6), "d": (8, 9)}  # where a field's digits stand in 1962-12-29
TIDY = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u200e": None, "\u200f": None})  # odd spaces, direction marks


@dataclass(frozen=True)
class DatePair(Pair):
    """A date's characters as written somewhere, its ISO characters, and which locale's pattern it was written by."""

    locale: str = ""
    pattern: str = ""


@lru_cache
def patterns(locale: str) -> tuple[str, ...]:
    """The CLDR patterns of a locale that name one date each, such as `EEEE d MMMM y`.

    Raises: ValueError if CLDR has no such locale.
    """
    try:
        cldr = Locale.parse(locale)
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(
            f"CLDR knows no locale {locale!r}: take one of {', '.join(LOCALES)} or another code"
        ) from error
    formats = [cldr.date_formats[name] for name in FORMATS if name in cldr.date_formats]
    skeletons = [cldr.datetime_skeletons[name] for name in SKELETONS if name in cldr.datetime_skeletons]
    return tuple(sorted({found.pattern for found in [*formats, *skeletons] if _names_one_date(found.pattern)}))


def spelled(date: datetime.date, locale: str, pattern: str) -> DatePair:
    """One date, written by one pattern of one locale, with the alignment that the pattern's fields give.

    A digit is linked to the digit it came from; a zero that only ISO writes is linked to the single digit beside it
    (5 → 05). Where the month is a name, both its digits are linked to every character of the name: no character says
    more of it than another. Nothing is linked to ISO's hyphens, to the weekday, or to the words and signs in between.

    Raises: ValueError for a pattern that does not tell day, month and year for certain.
    """
    if not _names_one_date(pattern):
        raise ValueError(f"the pattern {pattern!r} does not tell a date for certain: see patterns({locale!r})")
    source, links = "", set()
    for field, text in _pieces(date, locale, pattern):
        places = PLACES.get(field[:1], ())
        links.update((i, len(source) + j) for i, j in _field_links(text, places))
        source += text
    return DatePair(tuple(source), tuple(date.isoformat()), frozenset(links), locale, pattern)


def date_pairs(n: int, *, seed: int = 0, locales: Sequence[str] = LOCALES) -> list[DatePair]:
    """n different strings that are dates from 1900 to 2099: any day, any of the locales, any of its patterns.

    Raises: ValueError for an unknown locale, for none, or for more strings than there are days.
    """
    days = (LAST - FIRST).days + 1
    if n > days or not locales:
        raise ValueError(f"expected n ≤ {days}, the days from {FIRST} to {LAST}, and a locale: got {n}, {locales!r}")
    rng = random.Random(seed)
    pairs: dict[tuple[str, ...], DatePair] = {}
    while len(pairs) < n:
        locale = rng.choice(locales)
        date = FIRST + datetime.timedelta(days=rng.randrange(days))
        pair = spelled(date, locale, rng.choice(patterns(locale)))
        pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def _pieces(date: datetime.date, locale: str, pattern: str) -> Iterator[tuple[str, str]]:
    """Walk the pattern: (field, its rendering) for a field such as MMMM, ("", literal text) for what lies between."""
    fields = DateTimeFormat(date, locale)
    for kind, value in tokenize_pattern(pattern):
        if kind == "field":
            name, width = value
            yield name * width, fields[name * width].translate(TIDY)
        else:
            yield "", value.translate(TIDY)


def _field_links(text: str, places: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Link the ISO digits at `places` with the digits of a field's text, or with all of it if it is a name."""
    digits = re.search(r"\d+", text)  # also the 12 of 12월 and of tháng 12
    if digits is None:
        yield from ((i, j) for i in places for j in range(len(text)))
        return
    written = range(*digits.span())
    for back, i in enumerate(reversed(places), start=1):  # both numbers end together: 5 and 05
        yield i, written[max(-back, -len(written))]


@lru_cache
def _names_one_date(pattern: str) -> bool:
    """True if the pattern has day, month and a year of four digits, and no reader could take it for another date."""
    fields = [value for kind, value in tokenize_pattern(pattern) if kind == "field"]
    widths = {name.replace("L", "M"): width for name, width in fields}
    if not {*"yMd"} <= widths.keys():
        return False
    month_first = [name for name in widths if name in "yMd"] == [*"Mdy"] and widths["M"] <= 2  # 3/4/2021
    one_letter = widths["M"] == 5  # J is January, June and July
    return widths["y"] != 2 and not month_first and not one_letter
