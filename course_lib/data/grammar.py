"""Sentences made by rules, French–English and Chinese–English, each with its translation and its gold alignment.

Every sentence has one translation, and every translation one sentence: a perfect model scores 1, in both directions.
The alignment comes out of the derivation. Each word of either side has a link, by these conventions:

- a word and its translation in the lexicon are linked, all parts with all: `cherche` ↔ `looks for`, `一 本` ↔ `a`,
  `红色 的` ↔ `red`, `每天` ↔ `every day`; so are words that only English needs: `étudiant` ↔ `a student`
- negation: `ne` ↔ the auxiliary (`does`, `do`, `am`, `is`), `pas` ↔ `not`; `不` ↔ `does not`; before `是`, `不` ↔ `not`
- relative clauses: `qui` ↔ `who` or `that`, `que` ↔ `that`, `的` ↔ `who` or `that`
- before an adjective `很` ↔ `is`, and `不` ↔ `is not`; `觉得` ↔ `thinks that`

Text is in lower case, but for `I`, names, and words such as `European`. There is no punctuation.
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

SHORTEST, LONGEST = 3, 60  # source words
VOWEL = re.compile(r"[aeiouéAIOU]|E(?!u)")  # an area, an American; but: a European


@cache
def grammar(language: str) -> Grammar:
    """The rules and words of French–English ("fr") or Chinese–English ("zh"). Raises: ValueError for any other."""
    if language not in LANGUAGES:
        raise ValueError(f"the grammar knows the languages {', '.join(LANGUAGES)}: got {language!r}")
    tables = LANGUAGES[language]
    return read(tables.RULES, lexicon(tables.WORDS, tables.VERBS))


def sentence(language: str, length: int, rng: random.Random) -> Pair:
    """A random sentence of exactly `length` source words, with its translation and alignment.

    Raises: ValueError if the language is not known, or the length is not between SHORTEST and LONGEST.
    """
    if not SHORTEST <= length <= LONGEST:
        raise ValueError(f"sentences have {SHORTEST} to {LONGEST} words: got length={length}")
    return _spelt(derive(grammar(language), "Text", length, rng))


def sentences(language: str, n: int, *, lengths: tuple[int, int] = (4, 14), seed: int = 0) -> list[Pair]:
    """Draw n sentences whose source lengths are uniform between the two given, both included.

    Short sentences come more than once; `split` keeps equal ones together.
    Raises: ValueError if the language is not known, or the lengths are not between SHORTEST and LONGEST.
    """
    shortest, longest = lengths
    if not SHORTEST <= shortest <= longest <= LONGEST:
        raise ValueError(f"lengths are (shortest, longest), from {SHORTEST} to {LONGEST} words: got {lengths}")
    rng = random.Random(seed)
    return [sentence(language, rng.randint(shortest, longest), rng) for _ in range(n)]


def example(text: str) -> Pair:
    """The pair of this French or Chinese sentence, if the grammar makes it, as it makes all EXAMPLES.

    Words are divided by spaces; capitals do not matter. Raises: ValueError if no rules make the sentence.
    """
    words = tuple(re.sub(r"['’]\s*", "' ", text).casefold().split())
    for language in LANGUAGES:
        for reading in product(*(_readings(language).get(word, ()) for word in words)):
            phrase = parse(grammar(language), "Text", reading)
            if phrase and tuple(map(str.casefold, _spelt(phrase).source)) == words:
                return _spelt(phrase)
    raise ValueError(f"the grammar does not make {text!r}; among much else it makes {' · '.join(EXAMPLES)}")


def _spelt(phrase: Phrase) -> Pair:
    """The phrase as it is written: with l' for le and la, and an for a, before vowels."""
    source, target = _before_vowels(phrase.source, french.ELIDED), _before_vowels(phrase.target, {"a": "an"})
    return Pair(source, target, frozenset(phrase.links))


def _before_vowels(words: tuple[str, ...], forms: dict[str, str]) -> tuple[str, ...]:
    neighbours = zip(words, (*words[1:], ""), strict=True)
    return tuple(forms[word] if word in forms and VOWEL.match(after) else word for word, after in neighbours)


@cache
def _readings(language: str) -> dict[str, list[str]]:
    """What each written form may stand for: l' is le or la."""
    words = {word for entries in grammar(language).words.values() for entry in entries for word in entry.source}
    readings = {}
    for word in sorted(words):
        for form in {word, french.ELIDED.get(word, word)}:
            readings.setdefault(form.casefold(), []).append(word)
    return readings
