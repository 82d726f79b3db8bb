"""What the experiments of several chapters share: trained translators, their measures, and the format of results."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from course_lib.data.associative_recall import AssociativeRecall
from course_lib.data.grammar import sentences
from course_lib.data.pairs import Pair, Vocabulary, batches, split
from course_lib.measure import Accuracy, alignment, argmax_on_gold, crosses, load_results, summarise
from course_lib.models.seq2seq import Encoder
from course_lib.models.single_head import SingleHeadModel
from course_lib.models.translation import Seq2Seq, forced_weights, translate, translation_loss
from course_lib.training import fit, set_seed

BANDS = [(4, 7), (8, 11), (12, 15), (16, 20), (21, 24), (25, 27), (28, 30)]
LENGTH = {"d_embedding": 32, "batch": 64, "steps": 600, "learning_rate": 1e-2}
WORD_CLASSES = {
    "determiners": {"le", "la", "l'", "un", "une"},
    "pronouns": {"je", "j'", "tu", "il", "elle", "nous"},
    "negation": {"ne", "n'", "pas"},
}


class Trained:
    """A trained translator with its vocabularies, and the measures that every experiment reports."""

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
        """Teacher-forced attention weights."""
        return forced_weights(self.model, pairs, self.source, self.target)

    def row(self, name: str, seed: int) -> dict:
        """The first columns of every row."""
        seconds = round(self.history.cpu_seconds, 1)
        return {"model": name, "seed": seed, "parameters": n_parameters(self.model), "CPU seconds": seconds}


# ── Measures ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def n_parameters(model: nn.Module) -> int:
    """The number of trained numbers in a model."""
    return sum(p.numel() for p in model.parameters())


@torch.no_grad()
def recalled(model: SingleHeadModel, test: AssociativeRecall, mask: Tensor | None = None) -> dict:
    """Accuracy and attention accuracy of associative recall, and the number of parameters."""
    output = model(test, mask)
    hits = {
        "accuracy": output.logits.argmax(dim=-1) == test.answer,
        "attention accuracy": output.weights.argmax(dim=-1) == test.partner,
    }
    return {name: rounded(hit.double().mean()) for name, hit in hits.items()} | {"parameters": n_parameters(model)}


def by_length(found: Accuracy) -> dict:
    """Exact match as a table by length."""
    return {band.label: round(band.exact, 4) for band in found.by_length}


def attention_accuracy(weights: Sequence, pairs: Sequence[Pair], chosen: Callable[[Pair], np.ndarray]) -> float:
    """Share of the chosen target words whose largest weight lies on a gold link."""
    hits = [argmax_on_gold(weight, pair)[chosen(pair)] for weight, pair in zip(weights, pairs, strict=True)]
    return round(float(np.concatenate(hits).mean()), 4)


def aligned(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Alignment against gold, for all words and separately for words in monotone and in inverted order."""
    weights = trained.weights(pairs)
    found = alignment(weights, pairs)
    return {
        "alignment error rate": round(found.error_rate, 4),
        "attention accuracy": round(found.accuracy, 4),
        "attention accuracy, monotone": attention_accuracy(weights, pairs, lambda pair: ~crosses(pair)),
        "attention accuracy, inverted": attention_accuracy(weights, pairs, crosses),
    }


def aligned_by_class(trained: Trained, pairs: Sequence[Pair]) -> dict:
    """Alignment against gold for each class of French target words, and where determiners attend."""
    weights = trained.weights(pairs)
    found = {"alignment error rate": round(alignment(weights, pairs).error_rate, 4)}
    for kind, words in {**WORD_CLASSES, "content words": None}.items():
        accuracy = attention_accuracy(weights, pairs, lambda pair, words=words: of_class(pair, words))
        found[f"attention accuracy, {kind}"] = accuracy
    return found | {"determiners attend": sides(weights, pairs, WORD_CLASSES["determiners"])}


def of_class(pair: Pair, words: set[str] | None) -> np.ndarray:
    """Which target words belong to a class; None stands for the words of no class."""
    others = set().union(*WORD_CLASSES.values())
    return np.array([word in words if words else word not in others for word in pair.target])


def sides(weights: Sequence, pairs: Sequence[Pair], words: set[str]) -> dict[str, float]:
    """On which side of their gold word the largest weight of these words lies, as shares."""
    linked = [(weight, i, j, pair) for weight, pair in zip(weights, pairs, strict=True) for i, j in pair.links]
    offsets = np.array([int(weight[i].argmax()) - j for weight, i, j, pair in linked if pair.target[i] in words])
    found = {"to the left": offsets < 0, "on their own word": offsets == 0, "to the right": offsets > 0}
    return {side: round(float(chosen.mean()), 4) for side, chosen in found.items()}


def rounded(number: Tensor) -> float:
    """Four decimal places."""
    return round(float(number), 4)


# ── Data ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def length_pairs(language: str = "fr") -> tuple[list[Pair], list[Pair]]:
    """Training sentences of 4–20 words and test sentences of 4–30, to test beyond the trained lengths too."""
    train, test = split(sentences(language, 24_000, lengths=(4, 30), seed=0), 1400, seed=0)
    return of_trained_length(train), test


def of_trained_length(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs whose source is no longer than in training."""
    return [pair for pair in pairs if len(pair.source) <= 20]


def generator(seed: int) -> torch.Generator:
    """Random numbers for a test set, which no training uses."""
    return torch.Generator().manual_seed(seed + 1000)


# ── Results in words ──────────────────────────────────────────────────────────────────────────────────────────────────


def over_seeds(experiment: str, model: str, figure: str, label: str = "") -> str:
    """A result as the claims table shows it, mean [lowest, highest]; `label` picks an entry of a table."""
    values = load_results(experiment).values(model, figure)
    found = summarise([value[label] for value in values] if label else values)
    return f"{found.mean:.2f} [{found.low:.2f}, {found.high:.2f}]"
