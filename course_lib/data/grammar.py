"""French–English and Chinese–English sentences from a grammar, with translation and gold alignment.

Translations are unique in both directions, so a perfect model scores 1. The alignment follows from the derivation. Each
word of either side has a link, by these conventions:

- a word and its translation in the lexicon are linked, all parts with all: `cherche` ↔ `looks for`, `一 本` ↔ `a`,
  `红色 的` ↔ `red`, `每天` ↔ `every day`; so are words that only English needs: `étudiant` ↔ `a student`
- negation: `ne` ↔ the auxiliary (`does`, `do`, `am`, `is`), `pas` ↔ `not`; `不` ↔ `does not`; before `是`, `不` ↔ `not`
- relative clauses: `qui` ↔ `who` or `that`, `que` ↔ `that`, `的` ↔ `who` or `that`
- before an adjective `很` ↔ `is`, and `不` ↔ `is not`; `觉得` ↔ `thinks that`

Text is in lower case, except `I`, names, and words such as `European`. There is no punctuation.
"""

import random
import re
from functools import cache
from itertools import product

from course_lib.data import chinese, french
from course_lib.data.lexicon import lexicon
from course_lib.data.pairs import Pair
from course_lib.data.synchronous import Grammar, Phrase, derive, parse, read

LANGUAGES = {"fr": french, "zh": chinese}
EXAMPLES = (
    "je suis étudiant",
    "zone économique européenne",
    "la zone économique européenne",
    "Marie ne visite pas la zone économique européenne",
    "我 是 学生",
    "小明 喜欢 小红",
    "小明 喜欢 的 那 本 书",
    "小明 喜欢 的 那 个 学生 每天 喝 茶",
    "小明 喜欢 的 那 个 学生 每天 在 图书馆 看 一 本 书",
)

MIN_LENGTH, MAX_LENGTH = 3, 60  # source words
VOWEL = re.compile(r"[aeiouéAIOU]|E(?!u)")  # an area, an American; but: a European


@cache
def grammar(language: str) -> Grammar:
    """The rules and words of French–English ("fr") or Chinese–English ("zh"). Raises: ValueError for any other."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    tables = LANGUAGES[language]
    return read(tables.RULES, lexicon(tables.WORDS, tables.VERBS))


def sentence(language: str, length: int, rng: random.Random) -> Pair:
    """A random sentence of exactly `length` source words, with its translation and alignment.

    Raises: ValueError if the language is not known, or the length is not between MIN_LENGTH and MAX_LENGTH.
    """
    if not MIN_LENGTH <= length <= MAX_LENGTH:
        raise ValueError(f"length must be between {MIN_LENGTH} and {MAX_LENGTH} words, got {length}")
    return _spelt(derive(grammar(language), "Text", length, rng))


def sentences(language: str, n: int, *, lengths: tuple[int, int] = (4, 14), seed: int = 0) -> list[Pair]:
    """Draw n sentences with uniform source lengths between the two given, both included.

    Short sentences occur more than once; `split` keeps equal ones together.
    Raises: ValueError if the language is not known, or the lengths are not between MIN_LENGTH and MAX_LENGTH.
    """
    low, high = lengths
    if not MIN_LENGTH <= low <= high <= MAX_LENGTH:
        raise ValueError(f"lengths must be (min, max) between {MIN_LENGTH} and {MAX_LENGTH} words, got {lengths}")
    rng = random.Random(seed)
    return [sentence(language, rng.randint(low, high), rng) for _ in range(n)]


def example(text: str) -> Pair:
    """The pair of this French or Chinese sentence.

    Words are separated by spaces; case does not matter. Raises: ValueError if the grammar cannot derive the sentence.
    """
    words = tuple(re.sub(r"['’]\s*", "' ", text).casefold().split())
    for language in LANGUAGES:
        for reading in product(*(_readings(language).get(word, ()) for word in words)):
            phrase = parse(grammar(language), "Text", reading)
            if phrase and tuple(map(str.casefold, _spelt(phrase).source)) == words:
                return _spelt(phrase)
    raise ValueError(f"text must be a sentence of the grammar, such as {' · '.join(EXAMPLES)}, got {text!r}")


def _spelt(phrase: Phrase) -> Pair:
    """The phrase with elision before vowels: l' for le and la, an for a."""
    source, target = _before_vowels(phrase.source, french.ELIDED), _before_vowels(phrase.target, {"a": "an"})
    return Pair(source, target, frozenset(phrase.links))


def _before_vowels(words: tuple[str, ...], forms: dict[str, str]) -> tuple[str, ...]:
    neighbours = zip(words, (*words[1:], ""), strict=True)
    return tuple(forms[word] if word in forms and VOWEL.match(after) else word for word, after in neighbours)


@cache
def _readings(language: str) -> dict[str, list[str]]:
    """The words behind each written form: l' is le or la."""
    words = {word for entries in grammar(language).words.values() for entry in entries for word in entry.source}
    readings = {}
    for word in sorted(words):
        for form in {word, french.ELIDED.get(word, word)}:
            readings.setdefault(form.casefold(), []).append(word)
    return readings
