"""A synchronous grammar: rules that build a sentence and its translation at once, so that the alignment is known.

A line of the table is a rule: its weight, a symbol, what the symbol is made of, and after ↔ the order in the
translation (nothing, where the order is the same). Or it names a variable and its values:

    g = m f
    2  Core.g       Noun.g Adjective.g      ↔  Adjective Noun

Features follow a symbol after dots. A variable among them stands for each of its values, the same all over the line:
so do words agree. The values share the line's weight. Symbols without a rule are words of the lexicon.

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
    """What a symbol may be made of: one of these bodies, whose parts the translation takes in this order."""

    weight: float  # of each body
    bodies: list[tuple[str, ...]]
    order: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grammar:
    """Rules and words by symbol, without variables: made by `read`, used by `derive` and `parse`."""

    rules: dict[str, list[Rule]]
    words: dict[str, list[Phrase]]


def read(table: str, lexicon: Lexicon) -> Grammar:
    """Read a table of variables and rules. Raises: ValueError if what follows ↔ are not the parts of its rule."""
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
    """A word and its translation; where either has several parts, all are linked with all."""
    ours, theirs = tuple(source.split()), tuple(target.split())
    return Phrase(ours, theirs, tuple(product(range(len(theirs)), range(len(ours)))))


def joined(parts: Sequence[Phrase], order: Sequence[int]) -> Phrase:
    """Put phrases side by side, the source as they come and the target in this order; the links move along."""
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
    ways, weights = _ways(grammar, symbol, length)
    if not ways:
        raise ValueError(f"the grammar makes no {symbol} of {length} words")
    way = ways[bisect(weights, rng.random() * weights[-1], 0, len(ways) - 1)]  # rng.choices, in a third of its time
    if isinstance(way, Phrase):
        return way
    return joined([derive(grammar, part, n, rng) for part, n in zip(way.parts, way.lengths, strict=True)], way.order)


@cache
def parse(grammar: Grammar, symbol: str, words: tuple[str, ...]) -> Phrase | None:
    """The phrase of the symbol with these source words, or None if the rules do not make them."""
    for way in _ways(grammar, symbol, len(words))[0]:
        if isinstance(way, Phrase):
            if way.source == words:
                return way
            continue
        parts = []
        for part, (start, end) in zip(way.parts, pairwise(accumulate(way.lengths, initial=0)), strict=True):
            phrase = parse(grammar, part, words[start:end])
            if phrase is None:
                break
            parts.append(phrase)
        else:
            return joined(parts, way.order)
    return None


class _Way(NamedTuple):
    """A way to make a symbol `sum(lengths)` words long: the parts, and how long each is."""

    parts: tuple[str, ...]
    lengths: tuple[int, ...]
    order: tuple[int, ...]


@cache
def _ways(grammar: Grammar, symbol: str, length: int) -> tuple[list[Phrase | _Way], list[float]]:
    """Every way to make `length` source words of the symbol, and the running sums of their weights."""
    ways: list[Phrase | _Way] = [way for way in grammar.words.get(symbol, ()) if len(way.source) == length]
    weights = [1.0] * len(ways)
    for rule in grammar.rules.get(symbol, ()):
        for body in rule.bodies:
            for lengths in _splits(grammar, body, length):
                ways.append(_Way(body, lengths, rule.order))
                weights.append(rule.weight)
    return ways, list(accumulate(weights))


@cache
def _splits(grammar: Grammar, symbols: tuple[str, ...], length: int) -> list[tuple[int, ...]]:
    """The lengths that these symbols can have, one after the other, to make `length` words together."""
    if not symbols:
        return [()] if length == 0 else []
    first, *rest = symbols
    return [
        (n, *others)
        for n in range(1, length - len(rest) + 1)
        if _ways(grammar, first, n)[0]
        for others in _splits(grammar, tuple(rest), length - n)
    ]


def _order(names: list[str], wanted: list[str]) -> tuple[int, ...]:
    """Where each part that the translation wants stands in the rule."""
    if sorted(names) != sorted(wanted):
        raise ValueError(f"after ↔ stand the same parts in another order: expected {names}, got {wanted}")
    return tuple(names.index(name) for name in wanted)


def _grounded(symbols: Sequence[str], variables: dict[str, list[str]]) -> Iterator[list[str]]:
    """The symbols with every variable replaced by a value, for all combinations of values."""
    fields = [symbol.split(".") for symbol in symbols]
    used = sorted(variables.keys() & {field for symbol in fields for field in symbol})
    for values in product(*(variables[name] for name in used)):
        value = dict(zip(used, values, strict=True))
        yield [".".join(value.get(field, field) for field in symbol) for symbol in fields]
