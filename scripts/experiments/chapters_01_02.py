"""What chapters 1 and 2 measure at several seeds."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from course_lib.data.dates import date_pairs
from course_lib.data.interface import interface_sentences
from course_lib.data.pairs import Pair, collate, split
from course_lib.measure import accuracy, alignment, bleu, saliency
from course_lib.models.seq2seq import BahdanauDecoder, FixedContextDecoder
from course_lib.models.translation import log_probabilities
from scripts.experiments.common import (
    BANDS,
    LENGTH,
    Trained,
    aligned,
    by_length,
    length_pairs,
    of_trained_length,
    pointing,
)

WORD_CLASSES = {
    "determiners": {"le", "la", "l'", "un", "une"},
    "pronouns": {"je", "j'", "tu", "il", "elle", "nous"},
    "negation": {"ne", "n'", "pas"},
}
SeesWord = partial(BahdanauDecoder, query_sees_word=True)

LENGTH_MODELS = {
    "fixed context 32": (FixedContextDecoder, 32),
    "fixed context": (FixedContextDecoder, 68),
    "fixed context 128": (FixedContextDecoder, 128),
    "fixed context 256": (FixedContextDecoder, 256),
    "Bahdanau": (BahdanauDecoder, 64),
}


def length(seed: int) -> Iterator[dict]:
    """Claims 1, 2 and 4: accuracy by length and alignment, French to English."""
    train, test = length_pairs()
    inside = of_trained_length(test)
    for name, (decoder, d_hidden) in LENGTH_MODELS.items():
        trained = Trained(decoder, train, seed, LENGTH, d_hidden)
        row = trained.row(name, seed) | {"exact": by_length(accuracy(trained.written(test), test, BANDS))}
        yield row | (aligned(trained, inside) if decoder is BahdanauDecoder else influences(trained, inside[:200]))


def trained_longer(seed: int) -> Iterator[dict]:
    """Claim 1 once more: is it the context that is too small, or the training too short? Four times the steps."""
    train, test = length_pairs()
    trained = Trained(FixedContextDecoder, train, seed, LENGTH | {"steps": 4 * LENGTH["steps"]}, 68)
    yield trained.row("fixed context, 4 × the steps", seed) | {
        "exact": by_length(accuracy(trained.written(test), test, BANDS))
    }


def influences(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Claim 3: how unevenly the source words influence an output word. Even influence would give 1 for both.

    `influence_largest` is the largest share times the number of source words; `influence_gold` is the same for the
    source words that the output word is a translation of.
    """
    largest, gold = [], []
    for pair in pairs:
        moved = saliency(*log_probabilities(trained.model, collate([pair], trained.source, trained.target)))
        moved = moved[: len(pair.target), : len(pair.source)]
        relative = (moved / moved.mean(dim=1, keepdim=True)).numpy()
        largest.extend(relative.max(axis=1))
        gold.extend(relative[pair.gold])
    return {"influence_largest": round(float(np.mean(largest)), 3), "influence_gold": round(float(np.mean(gold)), 3)}


def chinese(seed: int) -> Iterator[dict]:
    """Claim 4 where the order differs most: relative clauses stand before their noun, times before their verb."""
    train, test = length_pairs("zh")
    test = of_trained_length(test)
    trained = Trained(BahdanauDecoder, train, seed, LENGTH, 64)
    exact = accuracy(trained.written(test), test).exact
    yield trained.row("Bahdanau", seed) | {"exact": round(exact, 4)} | aligned(trained, test)


def determiners(seed: int) -> Iterator[dict]:
    """Claim 4's lesson: English to French, where `the` is le, la or l' by a noun that comes later."""
    train, test = ([pair.flipped() for pair in part] for part in length_pairs())
    test = of_trained_length(test)

    for name, decoder in {"Bahdanau": BahdanauDecoder, "Bahdanau, query sees the word": SeesWord}.items():
        trained = Trained(decoder, train, seed, LENGTH, 64)
        weights = trained.weights(test)
        found = {"exact": round(accuracy(trained.written(test), test).exact, 4)}
        found["alignment_error_rate"] = round(alignment(weights, test).error_rate, 4)
        for class_name, words in {**WORD_CLASSES, "content words": None}.items():
            found[f"pointing, {class_name}"] = pointing(weights, test, lambda pair, words=words: of_class(pair, words))
        yield trained.row(name, seed) | found | {"determiners look": sides(weights, test, WORD_CLASSES["determiners"])}


def sides(weights: Sequence, pairs: Sequence[Pair], words: set[str]) -> dict[str, float]:
    """On which side of their gold word the largest weight of these words lies, as shares."""
    linked = [(weight, i, j, pair) for weight, pair in zip(weights, pairs, strict=True) for i, j in pair.links]
    offsets = np.array([int(weight[i].argmax()) - j for weight, i, j, pair in linked if pair.target[i] in words])
    found = {"to the left": offsets < 0, "on their own word": offsets == 0, "to the right": offsets > 0}
    return {side: round(float(chosen.mean()), 4) for side, chosen in found.items()}


def of_class(pair: Pair, words: set[str] | None) -> np.ndarray:
    """Which target words belong to a class; None stands for the words of no class."""
    others = set().union(*WORD_CLASSES.values())
    return np.array([word in words if words else word not in others for word in pair.target])


DATES = {"d_embedding": 32, "batch": 64, "steps": 300, "learning_rate": 1e-2}


DATE_MODELS = {
    "fixed context": (FixedContextDecoder, 68, 300),
    "fixed context, 1200 steps": (FixedContextDecoder, 68, 1200),
    "Bahdanau": (BahdanauDecoder, 64, 300),
}
DATE_BANDS = [(8, 11), (12, 15), (16, 19), (20, 38)]


def dates(seed: int) -> Iterator[dict]:
    """Real dates in twenty languages, character by character."""
    train, test = split(date_pairs(12_000, seed=0), 1000, seed=0)
    for name, (decoder, d_hidden, steps) in DATE_MODELS.items():
        trained = Trained(decoder, train, seed, DATES | {"steps": steps}, d_hidden)
        found = accuracy(trained.written(test), test, DATE_BANDS)
        row = trained.row(name, seed) | {"exact": round(found.exact, 4), "exact by length": by_length(found)}
        if decoder is BahdanauDecoder:
            row["pointing"] = round(alignment(trained.weights(test), test).accuracy, 4)
        yield row


INTERFACE = {"d_embedding": 64, "batch": 64, "steps": 900, "learning_rate": 3e-3, "min_count": 2}


def interface(seed: int) -> Iterator[dict]:
    """Real sentences: JupyterLab's interface, French and Chinese to English. Each seed also splits anew."""
    for language in ("fr", "zh"):
        train, test = split(interface_sentences(language), 300, seed=seed)
        for name, decoder, d_hidden in (
            ("fixed context", FixedContextDecoder, 136),
            ("Bahdanau", BahdanauDecoder, 128),
        ):
            trained = Trained(decoder, train, seed, INTERFACE, d_hidden)
            score = bleu(trained.written(test), [pair.target for pair in test])
            yield trained.row(f"{name}, {language}", seed) | {"bleu": round(score.score, 2), "protocol": score.protocol}


EXPERIMENTS = {
    "length": (length, LENGTH | {"task": "grammar French to English, trained on 4–20 words"}),
    "chinese": (chinese, LENGTH | {"task": "grammar Chinese to English, trained on 4–20 words"}),
    "determiners": (determiners, LENGTH | {"task": "grammar English to French, trained on 4–20 words"}),
    "dates": (dates, DATES | {"task": "dates of twenty locales to ISO"}),
    "interface": (interface, INTERFACE | {"task": "JupyterLab's interface to English, 300 held out"}),
    "trained longer": (trained_longer, LENGTH | {"steps": 4 * LENGTH["steps"], "task": "as length"}),
}
