"""Chapter 1: accuracy by length with one fixed context vector, and the saliency of source words."""

from collections.abc import Iterator, Sequence

import numpy as np

from course_lib.data.pairs import Pair, collate
from course_lib.measure import accuracy, saliency
from course_lib.models.seq2seq import BahdanauDecoder, FixedContextDecoder
from course_lib.models.translation import log_probabilities
from experiments.common import (
    BANDS,
    LENGTH,
    Trained,
    aligned,
    by_length,
    length_pairs,
    of_trained_length,
    over_seeds,
)

MODELS = {
    "fixed context 32": (FixedContextDecoder, 32),
    "fixed context": (FixedContextDecoder, 68),
    "fixed context 128": (FixedContextDecoder, 128),
    "fixed context 256": (FixedContextDecoder, 256),
    "Bahdanau": (BahdanauDecoder, 64),
}


def length(seed: int) -> Iterator[dict]:
    """Claims 1 to 4: accuracy by length, and alignment or saliency, French to English."""
    train, test = length_pairs()
    inside = of_trained_length(test)
    for name, (decoder, d_hidden) in MODELS.items():
        trained = Trained(decoder, train, seed, LENGTH, d_hidden)
        row = trained.row(name, seed) | {"exact": by_length(accuracy(trained.written(test), test, BANDS))}
        yield row | (aligned(trained, inside) if decoder is BahdanauDecoder else salient(trained, inside[:200]))


def trained_longer(seed: int) -> Iterator[dict]:
    """Claim 1, the control: the same fixed context, trained for four times as many steps."""
    train, test = length_pairs()
    trained = Trained(FixedContextDecoder, train, seed, LONGER, 68)
    yield trained.row("fixed context, 4 × the steps", seed) | {
        "exact": by_length(accuracy(trained.written(test), test, BANDS))
    }


def salient(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Claim 3: how unevenly the saliency of source words is distributed, as a multiple of an even share.

    "largest" is the most salient source word, "gold" the source words that the output word translates.
    """
    largest, gold = [], []
    for pair in pairs:
        norms = saliency(*log_probabilities(trained.model, collate([pair], trained.source, trained.target)))
        norms = norms[: len(pair.target), : len(pair.source)]
        relative = (norms / norms.mean(dim=1, keepdim=True)).numpy()
        largest.extend(relative.max(axis=1))
        gold.extend(relative[pair.gold])
    return {"saliency, largest": round(float(np.mean(largest)), 3), "saliency, gold": round(float(np.mean(gold)), 3)}


TASK = {"task": "grammar French to English, trained on 4–20 words"}
LONGER = LENGTH | {"steps": 4 * LENGTH["steps"]}
EXPERIMENTS = {"length": (length, LENGTH | TASK), "trained longer": (trained_longer, LONGER | TASK)}


def bottleneck() -> str:
    """Claim 1."""
    parts = [
        f"{width} numbers: {over_seeds('length', name, 'exact', '4–7')} at 4–7 words, "
        f"{over_seeds('length', name, 'exact', '16–20')} at 16–20"
        for name, width in {"fixed context": 68, "fixed context 256": 256}.items()
    ]
    longer = over_seeds("trained longer", "fixed context, 4 × the steps", "exact", "16–20")
    attentive = over_seeds("length", "Bahdanau", "exact", "16–20")
    parts.append(f"68 numbers after four times the steps: {longer} at 16–20")
    return "; ".join([*parts, f"attention, with as many parameters as 68 numbers: {attentive} at 16–20"])


def same_influence() -> str:
    """Claim 3."""
    largest, gold = (over_seeds("length", "fixed context", f"saliency, {name}") for name in ("largest", "gold"))
    return f"saliency, where 1 is even: the most salient source word {largest}, the word being translated {gold}"


CLAIMS = [
    (
        1,
        "One fixed context vector is the bottleneck; long sentences suffer",
        "holds at an equal budget; a wider context or longer training moves the fall to longer sentences and does not "
        "remove it",
        bottleneck,
    ),
    (
        3,
        "With a fixed context every source word has the same influence on every target word",
        "does not hold: the context vector is constant, but its gradients with respect to the source words differ",
        same_influence,
    ),
]
