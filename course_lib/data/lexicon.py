"""The reader of the bilingual word tables: one line for words of the same kind, columns two spaces apart.

    Noun.place.f              zone = area  ville = city
    Inner.text|place.g        français/française = French

The first column has the grammar's symbols, the others words with their translations. `text|place` means either; a
symbol that ends in g takes a masculine and a feminine form; `~` repeats the symbol's last feature. A line of verbs has
the kind, the subjects, the forms by person, the English base form and third person, and the objects:

    deed  person              lis/lis/lit/lisons          read = reads          text

Under one symbol no word and no translation comes twice, so that translations are unique in both directions.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product


def lexicon(words: str, verbs: str) -> dict[str, list[tuple[str, str]]]:
    """Read two tables: the words of each symbol as (source, target), like `{"Noun.place.f": [("zone", "area")]}`."""
    found = defaultdict(list)
    for symbol, source, target in (*_words(words), *_verbs(verbs)):
        found[symbol].append((source, target))
    return dict(found)


def _words(table: str) -> Iterator[tuple[str, str, str]]:
    for symbols, *words in _rows(table):
        for symbol in _alternatives(symbols.split()):
            for forms, target in (word.split(" = ") for word in words):
                if symbol.endswith(".g"):
                    for gender, form in zip("mf", forms.split("/") * 2, strict=False):
                        yield symbol[:-1] + gender, form, target
                else:
                    yield symbol, forms.replace("~", symbol.split(".")[-1]), target


def _verbs(table: str) -> Iterator[tuple[str, str, str]]:
    """Each verb as `Verb.finite.kind.agent.person.object` (*reads*) and `Verb.base.…` (*does not read*)."""
    for kind, agents, forms, translation, objects in _rows(table):
        base, third = translation.split(" = ")
        for person, form in zip("1234", forms.split("/") * 4, strict=False):
            for symbol in _alternatives([f"{kind}.{agents}.{person}.{objects}"]):
                yield f"Verb.finite.{symbol}", form, third if person == "3" else base
                yield f"Verb.base.{symbol}", form, base


def _rows(table: str) -> Iterator[list[str]]:
    """The columns of each line, separated by two or more spaces."""
    return (re.split(r"\s{2,}", line) for line in table.splitlines() if line)


def _alternatives(symbols: list[str]) -> Iterator[str]:
    """`Noun.text|place` is `Noun.text` and `Noun.place`."""
    for symbol in symbols:
        yield from map(".".join, product(*(field.split("|") for field in symbol.split("."))))
