"""What experiments of several chapters share: a trained translator, its figures, the sentences of the grammar."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from course_lib.data.grammar import sentences
from course_lib.data.pairs import Pair, Vocabulary, batches, split
from course_lib.measure import alignment, argmax_on_gold, crosses
from course_lib.models.seq2seq import Encoder
from course_lib.models.translation import Seq2Seq, forced_weights, translate, translation_loss
from course_lib.training import fit, set_seed

BANDS = [(4, 7), (8, 11), (12, 15), (16, 20), (21, 24), (25, 27), (28, 30)]
LENGTH = {"d_embedding": 32, "batch": 64, "steps": 600, "learning_rate": 1e-2}


class Trained:
    """A trained translator with its vocabularies, and the figures that every experiment reports."""

    def __init__(self, decoder: Callable, train: Sequence[Pair], seed: int, settings: dict, d_hidden: int):
        least = settings.get("min_count", 1)
        self.source = Vocabulary.of((pair.source for pair in train), min_count=least)
        self.target = Vocabulary.of((pair.target for pair in train), min_count=least)
        set_seed(seed)
        d_embedding = settings["d_embedding"]
        encoder = Encoder(len(self.source), d_embedding, d_hidden)
        self.model = Seq2Seq(encoder, decoder(encoder, len(self.target), d_embedding, d_hidden))
        self.history = fit(
            self.model,
            translation_loss,
            batches(train, self.source, self.target, size=settings["batch"], seed=seed),
            steps=settings["steps"],
            learning_rate=settings["learning_rate"],
        )

    def written(self, pairs: Sequence[Pair]) -> list:
        """Greedy, free-running translations."""
        return [found.words for found in translate(self.model, [p.source for p in pairs], self.source, self.target)]

    def weights(self, pairs: Sequence[Pair]) -> list:
        """Teacher-forced weights."""
        return forced_weights(self.model, pairs, self.source, self.target)

    def row(self, name: str, seed: int) -> dict:
        """What every row begins with."""
        parameters = sum(p.numel() for p in self.model.parameters())
        return {
            "model": name,
            "seed": seed,
            "parameters": parameters,
            "cpu_seconds": round(self.history.cpu_seconds, 1),
        }


def by_length(found) -> dict:
    """Exact match as a table by length."""
    return {band.label: round(band.exact, 4) for band in found.by_length}


def pointing(weights: Sequence, pairs: Sequence[Pair], chosen: Callable[[Pair], np.ndarray]) -> float:
    """Share of the chosen target words whose largest weight lies on a gold link."""
    hits = [argmax_on_gold(weight, pair)[chosen(pair)] for weight, pair in zip(weights, pairs, strict=True)]
    return round(float(np.concatenate(hits).mean()), 4)


def aligned(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Alignment against gold, over all and apart for words in monotone and in inverted order."""
    weights = trained.weights(pairs)
    found = alignment(weights, pairs)
    return {
        "alignment_error_rate": round(found.error_rate, 4),
        "pointing": round(found.accuracy, 4),
        "pointing_monotone": pointing(weights, pairs, lambda pair: ~crosses(pair)),
        "pointing_inverted": pointing(weights, pairs, crosses),
    }


def length_pairs(language: str = "fr") -> tuple[list[Pair], list[Pair]]:
    """Train on 4–20 words, test on 4–30: the test says what happens beyond the trained lengths, too."""
    train, test = split(sentences(language, 24_000, lengths=(4, 30), seed=0), 1400, seed=0)
    return of_trained_length(train), test


def of_trained_length(pairs: Sequence[Pair]) -> list[Pair]:
    """Those that are no longer than the sentences of the training."""
    return [pair for pair in pairs if len(pair.source) <= 20]


def rounded(number: Tensor) -> float:
    """Four digits behind the point."""
    return round(float(number), 4)


def generator(seed: int) -> torch.Generator:
    """Random numbers for the test, which no training has."""
    return torch.Generator().manual_seed(seed + 1000)
