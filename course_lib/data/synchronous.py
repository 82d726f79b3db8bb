"""Synchronous grammars: rules that derive a sentence, its translation and their alignment together.

A line of the table is a rule: its weight, a symbol, its parts, and after ↔ the order of the parts in the translation
(omitted if it is the same). Or it defines a variable and its values:

    g = m f
    2  Core.g       Noun.g Adjective.g      ↔  Adjective Noun

Features follow a symbol after dots. A variable among them stands for each of its values, the same throughout the line,
which makes words agree. The values share the line's weight. Symbols without a rule are words of the lexicon.

Source: Chiang 2007, Hierarchical phrase-based translation, §3.1. Differs: sentences are drawn with an exact length.
"""

import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise, product
from typing import NamedTuple

Lexicon = dict[str, list[tuple[str, str]]]


class Phrase(NamedTuple):
    """Words on both sides; link (i, j) joins target word i with source word j."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


class Rule(NamedTuple):
    """A rule of a symbol: alternative bodies, and the order of their parts in the translation."""

    weight: float  # of each body
    bodies: list[tuple[str, ...]]
    order: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Rules and words by symbol, with variables expanded."""

    rules: dict[str, list[Rule]]
    words: dict[str, list[Phrase]]


def read(table: str, lexicon: Lexicon) -> Grammar:
    """Read a table of variables and rules. Raises: ValueError if the parts after ↔ are not those of the rule."""
    variables, rules = {}, defaultdict(list)
    for line in filter(str.strip, table.splitlines()):
        if "=" in line:
            name, values = line.split("=")
            variables[name.strip()] = values.split()
            continue
        weight, left, right = line.split(maxsplit=2)
        source, _, target = right.partition("↔")
        names = [symbol.split(".")[0] for symbol in source.split()]
        order = _order(names, target.split()) if target else tuple(range(len(names)))
        bodies = defaultdict(list)
        for symbol, *body in _grounded([left, *source.split()], variables):
            bodies[symbol].append(tuple(body))
        for symbol in bodies:
            rules[symbol].append(Rule(float(weight) / len(bodies[symbol]), bodies[symbol], order))
    return Grammar(dict(rules), {symbol: [word(*entry) for entry in lexicon[symbol]] for symbol in lexicon})


def word(source: str, target: str) -> Phrase:
    """A word and its translation; if either has several parts, all are linked with all."""
    ours, theirs = tuple(source.split()), tuple(target.split())
    return Phrase(ours, theirs, tuple(product(range(len(theirs)), range(len(ours)))))


def joined(parts: Sequence[Phrase], order: Sequence[int]) -> Phrase:
    """Concatenate phrases, the source in sequence and the target in this order, with their links."""
    if len(parts) == 1:
        return parts[0]
    starts = list(accumulate((len(part.source) for part in parts), initial=0))
    target, links = [], []
    for k in order:
        links += [(i + len(target), j + starts[k]) for i, j in parts[k].links]
        target += parts[k].target
    return Phrase(tuple(word for part in parts for word in part.source), tuple(target), tuple(links))


def derive(grammar: Grammar, symbol: str, length: int, rng: random.Random) -> Phrase:
    """Draw a phrase of exactly `length` source words for the symbol. Raises: ValueError if there is none."""
    expansions, weights = _expansions(grammar, symbol, length)
    if not expansions:
        raise ValueError(f"length must be possible: the grammar makes no {symbol} of {length} words")
    chosen = expansions[
        bisect(weights, rng.random() * weights[-1], 0, len(expansions) - 1)
    ]  # three times as fast as rng.choices
    if isinstance(chosen, Phrase):
        return chosen
    parts = [derive(grammar, part, n, rng) for part, n in zip(chosen.parts, chosen.lengths, strict=True)]
    return joined(parts, chosen.order)


@cache
def parse(grammar: Grammar, symbol: str, words: tuple[str, ...]) -> Phrase | None:
    """The phrase of the symbol with these source words, or None if it cannot be derived."""
    for expansion in _expansions(grammar, symbol, len(words))[0]:
        if isinstance(expansion, Phrase):
            if expansion.source == words:
                return expansion
            continue
        parts, spans = [], pairwise(accumulate(expansion.lengths, initial=0))
        for part, (start, end) in zip(expansion.parts, spans, strict=True):
            phrase = parse(grammar, part, words[start:end])
            if phrase is None:
                break
            parts.append(phrase)
        else:
            return joined(parts, expansion.order)
    return None


class _Expansion(NamedTuple):
    """An expansion of a symbol: its parts, the length of each, and their order in the translation."""

    parts: tuple[str, ...]
    lengths: tuple[int, ...]
    order: tuple[int, ...]


@cache
def _expansions(grammar: Grammar, symbol: str, length: int) -> tuple[list[Phrase | _Expansion], list[float]]:
    """All expansions of the symbol to `length` source words, and the cumulative sums of their weights."""
    words = [word for word in grammar.words.get(symbol, ()) if len(word.source) == length]
    expansions: list[Phrase | _Expansion] = [*words]
    weights = [1.0] * len(words)
    for rule in grammar.rules.get(symbol, ()):
        for body in rule.bodies:
            for lengths in _splits(grammar, body, length):
                expansions.append(_Expansion(body, lengths, rule.order))
                weights.append(rule.weight)
    return expansions, list(accumulate(weights))


@cache
def _splits(grammar: Grammar, symbols: tuple[str, ...], length: int) -> list[tuple[int, ...]]:
    """All combinations of lengths of these symbols with this sum."""
    if not symbols:
        return [()] if length == 0 else []
    first, *rest = symbols
    return [
        (n, *others)
        for n in range(1, length - len(rest) + 1)
        if _expansions(grammar, first, n)[0]
        for others in _splits(grammar, tuple(rest), length - n)
    ]


def _order(names: list[str], wanted: list[str]) -> tuple[int, ...]:
    """The position in the rule of each part of the translation."""
    if sorted(names) != sorted(wanted):
        raise ValueError(f"the parts after ↔ must be those of the rule: expected {names}, got {wanted}")
    return tuple(names.index(name) for name in wanted)


def _grounded(symbols: Sequence[str], variables: dict[str, list[str]]) -> Iterator[list[str]]:
    """The symbols with every variable replaced by a value, for all combinations of values."""
    fields = [symbol.split(".") for symbol in symbols]
    used = sorted(variables.keys() & {field for symbol in fields for field in symbol})
    for values in product(*(variables[name] for name in used)):
        value = dict(zip(used, values, strict=True))
        yield [".".join(value.get(field, field) for field in symbol) for symbol in fields]
