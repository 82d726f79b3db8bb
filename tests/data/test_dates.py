"""Dates: strings against Babel's own rendering, alignments against its month tables and the digits."""

import datetime
import itertools
import re

import pytest
from babel.dates import format_date, get_day_names, get_month_names
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.data import dates
from course_lib.data.dates import FIRST, LAST, LOCALES, DatePair, date_pairs, patterns, spelled

MORE = ("en_GB", "ar", "he", "th", "hi", "bg", "hr", "lt", "lv", "uk", "ro", "da")  # right to left, odd spaces, eras
WRITTEN = st.sampled_from([(locale, pattern) for locale in LOCALES + MORE for pattern in patterns(locale)])
DATES = st.dates(min_value=FIRST, max_value=LAST)


def as_babel_writes_it(pair: DatePair, date: datetime.date) -> str:
    """Babel's own rendering of the whole pattern, with plain spaces and no direction marks."""
    text = format_date(date, pair.pattern, locale=pair.locale)
    return re.sub("[\u200e\u200f]", "", re.sub("[\u202f\u00a0]", " ", text))


def month_number(name: str, locale: str) -> int:
    """Look a month's name up in the tables of the locale."""
    written = itertools.product(("wide", "abbreviated"), ("format", "stand-alone"))
    tables = [get_month_names(width, context, locale) for width, context in written]
    return next(number for names in tables for number in range(1, 13) if names[number] == name)


@settings(deadline=None, max_examples=300)
@given(DATES, WRITTEN)
def test_strings_and_links(date, written):
    """Rejects a lost or reordered piece of the pattern, links that are shifted or flipped, and a digit without one."""
    pair = spelled(date, *written)
    assert "".join(pair.source) == as_babel_writes_it(pair, date)
    assert "".join(pair.target) == date.isoformat()
    linked = {i: [pair.source[j] for j in range(len(pair.source)) if pair.gold[i, j]] for i in range(10)}
    assert linked[4] == linked[7] == []  # the hyphens
    assert [linked[i] for i in range(4)] == [[digit] for digit in pair.target[:4]]
    for first, last in ((5, 6), (8, 9)):
        if len(linked[last]) > 1:  # a name
            assert linked[first] == linked[last]
            assert month_number("".join(linked[last]), pair.locale) == int("".join(pair.target[first : last + 1]))
            continue
        assert linked[last] == [pair.target[last]]
        assert linked[first] == [pair.target[first]] or (linked[first] == linked[last] and pair.target[first] == "0")
    rest = "".join(char for char, used in zip(pair.source, pair.gold.any(axis=0), strict=True) if not used)
    if re.search("[Ec]", pair.pattern):  # Th 7 is a weekday in Vietnamese: its digit is not the date's
        names = [get_day_names(width, "format", pair.locale)[date.weekday()] for width in ("wide", "abbreviated")]
        weekday = next(name for name in names if name in rest)
        rest = rest.replace(weekday, "", 1)
    assert not re.search(r"\d", rest)


@pytest.mark.parametrize(
    ("locale", "pattern", "text", "links"),
    [
        ("ko", "y년 MMMM d일", "2021년 3월 4일", {(5, 6), (6, 6), (8, 9), (9, 9)}),  # the name 3월 has a digit
        ("vi", "d MMMM, y", "4 tháng 3, 2021", {(5, 8), (6, 8), (8, 0), (9, 0)}),
        ("fr", "dd/MM/y", "04/03/2021", {(5, 3), (6, 4), (8, 0), (9, 1)}),
    ],
)
def test_digits_align_with_digits(locale, pattern, text, links):
    """Rejects treating 3월 or tháng 3 as a name without a digit, and linking an ISO zero to the wrong written digit."""
    pair = spelled(datetime.date(2021, 3, 4), locale, pattern)
    assert "".join(pair.source) == text
    assert {(i, j) for i, j in pair.links if i > 4} == links


def test_one_string_never_means_two_dates():
    """Rejects a set of patterns in which some string can be read as two dates (M/d beside d/M, years of two digits)."""
    small = range(1, 13)  # days that could be months
    days = [datetime.date(year, month, day) for year in (1911, 2011) for month in small for day in small]
    meaning = {}
    for locale, pattern in ((name, pattern) for name in LOCALES for pattern in patterns(name)):
        for date in days:
            pair = spelled(date, locale, pattern)
            assert meaning.setdefault(pair.source, pair.target) == pair.target, "".join(pair.source)


@pytest.mark.parametrize("pattern", ["M/d/y", "E, M/d/y", "dd.MM.yy", "d MMMMM y", "MMMM y", "EEEE"])
def test_ambiguous_patterns_raise(pattern):
    """Rejects accepting 3/4/2021 with the month first, 29.12.62, a month's initial, or a date without a day."""
    assert pattern not in patterns("en")
    with pytest.raises(ValueError, match="pattern must be unambiguous"):
        spelled(datetime.date(2021, 3, 4), "en", pattern)


def test_twenty_languages_with_plain_spaces():
    """Rejects a missing language, special spaces and direction marks."""
    assert len({locale[:2] for locale in LOCALES}) == len(LOCALES) == 20
    pairs = date_pairs(3000, seed=1, locales=LOCALES + MORE)
    assert {pair.locale for pair in pairs} == {*LOCALES, *MORE}
    assert not {"\u202f", "\u00a0", "\u200e", "\u200f"} & {char for pair in pairs for char in pair.source}


def test_seeded_and_all_different():
    """Rejects global randomness, an ignored seed, and strings that come twice."""
    pairs = date_pairs(2000, seed=3)
    assert pairs == date_pairs(2000, seed=3) != date_pairs(2000, seed=4)
    assert len({pair.source for pair in pairs}) == 2000
    assert date_pairs(0) == []
    assert date_pairs(5) == date_pairs(5, seed=0)


def test_wrong_arguments_raise(monkeypatch):
    """Rejects a silent default for an unknown locale, and an endless search for more strings than there are."""
    wrong = [
        (3, ["tlh"], r"locale must be one of en, fr.*got 'tlh'"),
        (73_050, LOCALES, "n must be at most 73049"),
        (3, [], "locales not empty"),
    ]
    for n, locales, message in wrong:
        with pytest.raises(ValueError, match=message):
            date_pairs(n, locales=locales)
    monkeypatch.setattr(dates, "LAST", FIRST)
    assert len(date_pairs(1)) == 1
    with pytest.raises(ValueError, match="n must be at most 1"):
        date_pairs(2)
