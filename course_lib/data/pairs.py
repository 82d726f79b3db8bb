"""Parallel corpora: pairs of sentences, vocabularies, batches, and splits without overlap.

The four special tokens (`course_lib.tokens`) have the same ids in every vocabulary: PAD fills batches, BOS starts a
target, EOS ends either side, UNK replaces unknown words.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.tokens import BOS, EOS, PAD, SPECIALS, UNK, padded

POOL = 50  # batches sorted by length together: enough to waste little, few enough to keep epochs different


@dataclass(frozen=True)
class Pair:
    """A sentence, its translation, and the gold alignment: link (i, j) joins target word i with source word j.

    Raises: ValueError if a link points beyond the words.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self):
        rows, columns = len(self.target), len(self.source)
        if not all(0 <= i < rows and 0 <= j < columns for i, j in self.links):
            raise ValueError(
                f"links must be (target, source) positions below ({rows}, {columns}), got {sorted(self.links)}"
            )

    @property
    def gold(self) -> Bool[np.ndarray, "query key"]:
        """The alignment as a matrix, with a row per target word and a column per source word: True where linked."""
        matrix = np.zeros((len(self.target), len(self.source)), dtype=bool)
        for i, j in self.links:
            matrix[i, j] = True
        return matrix

    def flipped(self) -> "Pair":
        """The same pair in the other direction of translation."""
        return Pair(self.target, self.source, frozenset((j, i) for i, j in self.links))


@dataclass(frozen=True, repr=False)
class Vocabulary:
    """A vocabulary: the id of a token is its position in `tokens`, which begin with the special tokens.

    Raises: ValueError if the special tokens do not come first, or a token comes twice.
    """

    tokens: tuple[str, ...]

    def __post_init__(self):
        if self.tokens[: len(SPECIALS)] != SPECIALS or len(set(self.tokens)) < len(self.tokens):
            raise ValueError(f"tokens must be {' '.join(SPECIALS)} and then each word once, got {self.tokens[:5]} …")

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], min_count: int = 1, max_size: int | None = None) -> "Vocabulary":
        """The words that occur at least min_count times, by falling frequency, then alphabetically.

        With `max_size` only the first max_size tokens are kept, special tokens included.
        Raises: ValueError if no word is left.
        """
        counts = Counter(word for sentence in sentences for word in sentence)
        words = [word for word in counts if counts[word] >= min_count and word not in SPECIALS]
        words.sort(key=lambda word: (-counts[word], word))
        tokens = (*SPECIALS, *words)[:max_size]
        if len(tokens) <= len(SPECIALS):
            raise ValueError(f"sentences must leave a word: {len(counts)} different words, {min_count=}, {max_size=}")
        return cls(tokens)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens) if token not in SPECIALS}

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """The ids of the words, then EOS; a word that is not in the vocabulary becomes UNK."""
        return [*(self._ids.get(word, UNK) for word in sentence), EOS]

    def decode(self, ids: Iterable[int] | Tensor) -> tuple[str, ...]:
        """The tokens before the first EOS, without PAD and BOS: the way back from `encode`."""
        before_end = takewhile(lambda i: i != EOS, map(int, ids))
        return tuple(self.tokens[i] for i in before_end if i not in (PAD, BOS))

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens: {' '.join(self.tokens[:8])} …)"


class Batch(NamedTuple):
    """Pairs as ids, padded at the end. At each step a decoder reads `target_in` and predicts `target_out`."""

    source: Int[Tensor, "batch key"]  # words <eos> <pad> …
    target_in: Int[Tensor, "batch query"]  # <bos> words <pad> …
    target_out: Int[Tensor, "batch query"]  # words <eos> <pad> …


def collate(pairs: Sequence[Pair], source_vocab: Vocabulary, target_vocab: Vocabulary) -> Batch:
    """Make one batch of these pairs, in their order. Raises: ValueError if there are none."""
    if not pairs:
        raise ValueError("pairs must not be empty: a batch needs at least one pair")
    targets = [target_vocab.encode(pair.target) for pair in pairs]
    return Batch(
        source=padded(source_vocab.encode(pair.source) for pair in pairs),
        target_in=padded([BOS, *ids[:-1]] for ids in targets),
        target_out=padded(targets),
    )


def batches(
    pairs: Sequence[Pair],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    size: int = 64,
    seed: int = 0,
    by_length: bool = True,
) -> Iterator[Batch]:
    """Yield batches without end: every epoch has each pair once, in a new order.

    With `by_length`, pairs of similar length share a batch, so that little of it is padding; the order of batches is
    random. Raises: ValueError, before the first batch, if there are no pairs or `size` is below 1.
    """
    if not pairs or size < 1:
        raise ValueError(f"pairs must not be empty and size at least 1, got {len(pairs)} pairs and size={size}")
    groups = _groups(list(pairs), size, random.Random(seed), by_length)
    return (collate(group, source_vocab, target_vocab) for group in groups)


def split(pairs: Sequence[Pair], held_out: int | tuple[int, ...], seed: int) -> tuple[list[Pair], ...]:
    """Split at random into (train, held out, …) so that no source and no target sentence is in two parts.

    `held_out` gives the number of pairs of one part, or of several. Within a part the pairs keep their order.
    Raises: ValueError if a part cannot have its size, or nothing is left for training.
    """
    sizes = held_out if isinstance(held_out, tuple) else (held_out,)
    if min(sizes, default=0) < 0 or sum(sizes) >= len(pairs):
        raise ValueError(f"held_out sizes must be ≥ 0 and leave pairs to train on, got {sizes} of {len(pairs)} pairs")
    families = _families(pairs)
    random.Random(seed).shuffle(families)
    parts = [[] for _ in sizes]
    train = []
    for family in families:
        fitting = (part for part, size in zip(parts, sizes, strict=True) if len(part) + len(family) <= size)
        next(fitting, train).extend(family)
    if any(len(part) < size for part, size in zip(parts, sizes, strict=True)):
        raise ValueError(f"pairs that share a sentence stay together: held_out sizes {sizes} cannot be filled exactly")
    return tuple([pairs[position] for position in sorted(part)] for part in (train, *parts))


def _groups(pairs: list[Pair], size: int, rng: random.Random, by_length: bool) -> Iterator[list[Pair]]:
    """The pairs of one batch after the other; sorted by target first, since decoding steps cost most."""
    while True:
        shuffled = rng.sample(pairs, len(pairs))
        for pool in _chunks(shuffled, POOL * size):
            if by_length:
                pool.sort(key=lambda pair: (len(pair.target), len(pair.source)))
            groups = _chunks(pool, size)
            yield from rng.sample(groups, len(groups))


def _chunks(pairs: list[Pair], size: int) -> list[list[Pair]]:
    return [pairs[start : start + size] for start in range(0, len(pairs), size)]


def _families(pairs: Sequence[Pair]) -> list[list[int]]:
    """Groups of positions: the connected components of pairs that share a source or target sentence."""
    parent = {}

    def root(sentence):
        while parent.setdefault(sentence, sentence) != sentence:
            parent[sentence] = sentence = parent[parent[sentence]]
        return sentence

    for pair in pairs:
        parent[root(("source", pair.source))] = root(("target", pair.target))
    families = defaultdict(list)
    for position, pair in enumerate(pairs):
        families[root(("source", pair.source))].append(position)
    return list(families.values())
