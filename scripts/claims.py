"""Train every model of the claims ledger at every seed and write what was measured: `make claims [ONLY=dates]`.

Each experiment is a function of a seed that returns one row per model. The chapters show these rows as bands, and
tests/test_claims.py runs a sample of them again.
"""

import itertools
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from course_lib.data.dates import date_pairs
from course_lib.data.grammar import sentences
from course_lib.data.interface import interface_sentences
from course_lib.data.pairs import Pair, Vocabulary, batches, collate, split
from course_lib.measure import accuracy, alignment, bleu, crosses, influence, points_right
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder
from course_lib.models.translation import Seq2Seq, forced_weights, log_probabilities, translate, translation_loss
from course_lib.training import fit, one_thread, set_seed
from scripts import ledger

FILE = Path(__file__).parent.parent / "course_lib/data/longer_runs.json"
SEEDS = range(5)
BANDS = [(4, 7), (8, 11), (12, 15), (16, 20), (21, 24), (25, 27), (28, 30)]
WORD_CLASSES = {
    "determiners": {"le", "la", "l'", "un", "une"},
    "pronouns": {"je", "j'", "tu", "il", "elle", "nous"},
    "negation": {"ne", "n'", "pas"},
}
SeesWord = partial(BahdanauDecoder, query_sees_word=True)


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
    hits = [points_right(weight, pair)[chosen(pair)] for weight, pair in zip(weights, pairs, strict=True)]
    return round(float(np.concatenate(hits).mean()), 4)


def length_pairs(language: str = "fr") -> tuple[list[Pair], list[Pair]]:
    """Train on 4–20 words, test on 4–30: the test says what happens beyond the trained lengths, too."""
    train, test = split(sentences(language, 24_000, lengths=(4, 30), seed=0), 1400, seed=0)
    return of_trained_length(train), test


def of_trained_length(pairs: Sequence[Pair]) -> list[Pair]:
    """Those that are no longer than the sentences of the training."""
    return [pair for pair in pairs if len(pair.source) <= 20]


LENGTH = {"d_embedding": 32, "batch": 64, "steps": 600, "learning_rate": 1e-2}
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
        moved = influence(*log_probabilities(trained.model, collate([pair], trained.source, trained.target)))
        moved = moved[: len(pair.target), : len(pair.source)]
        relative = (moved / moved.mean(dim=1, keepdim=True)).numpy()
        largest.extend(relative.max(axis=1))
        gold.extend(relative[pair.gold])
    return {"influence_largest": round(float(np.mean(largest)), 3), "influence_gold": round(float(np.mean(gold)), 3)}


def aligned(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Alignment against gold, over all and apart for words in monotone and in inverted order."""
    weights = trained.weights(pairs)
    found = alignment(weights, pairs)
    return {
        "alignment_error_rate": round(found.error_rate, 4),
        "pointing": round(found.pointing, 4),
        "pointing_monotone": pointing(weights, pairs, lambda pair: ~crosses(pair)),
        "pointing_inverted": pointing(weights, pairs, crosses),
    }


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
            row["pointing"] = round(alignment(trained.weights(test), test).pointing, 4)
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


def made_with() -> dict:
    """The versions that the numbers depend on, and the kind of processor."""
    versions = {name: version(name) for name in ("torch", "numpy")}
    return {"python": platform.python_version(), **versions, "processor": platform.machine()}


def main(names: Sequence[str]) -> None:
    """Run the named experiments, or all, and write each into the file as soon as it is complete."""
    for name in names or EXPERIMENTS:
        run, settings = EXPERIMENTS[name]
        began = time.process_time()
        with one_thread():
            rows = list(itertools.chain.from_iterable(map(run, SEEDS)))
        found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        found[name] = {"settings": settings, "rows": rows, "made_with": made_with()}
        FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{name}: {len(rows)} rows, {time.process_time() - began:.0f} CPU seconds", flush=True)
        for row in rows:
            print("  ", row)
    ledger.PAGE.write_text(ledger.page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
