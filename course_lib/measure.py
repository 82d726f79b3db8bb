"""Measures, each with its protocol in its repr: a number without its protocol is not a result."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sacrebleu
import torch
from jaxtyping import Bool, Float
from torch import Tensor

Words = tuple[str, ...]
FREE = "free-running, greedy"
FORCED = "teacher-forced"
RESULTS = Path(__file__).parents[1] / "experiments"


@dataclass(frozen=True)
class Band:
    """Accuracy over the sentences whose source has `low` to `high` words."""

    low: int
    high: int
    n: int
    exact: float
    token: float

    @property
    def label(self) -> str:
        """The band as a reader sees it: 4–7."""
        return f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Accuracy:
    """Exact match (the whole sentence correct) and token accuracy (the correct word at each position)."""

    exact: float
    token: float
    n: int
    by_length: tuple[Band, ...]
    protocol: str

    def __repr__(self) -> str:
        return f"exact match {self.exact:.3f}, tokens {self.token:.3f} ({self.n} sentences, {self.protocol})"


def accuracy(
    written: Sequence[Words], pairs: Sequence, bands: Sequence[tuple[int, int]] = (), protocol: str = FREE
) -> Accuracy:
    """Exact match and token accuracy of translations, over all and by the length of the source.

    Token accuracy counts, for each reference word, whether the translation has it at the same position; a translation
    that has the reference words and more after them is not an exact match.

    Raises: ValueError if the numbers of sentences differ, or there are none.
    """
    _check_counts(written, pairs)
    exact = np.array([words == pair.target for words, pair in zip(written, pairs, strict=True)])
    token = np.array([_hits(words, pair.target) for words, pair in zip(written, pairs, strict=True)])
    size = np.array([len(pair.target) for pair in pairs])
    lengths = np.array([len(pair.source) for pair in pairs])

    def share(chosen: np.ndarray) -> tuple[int, float, float]:
        return int(chosen.sum()), float(exact[chosen].mean()), float(token[chosen].sum() / size[chosen].sum())

    rows = [(low, high, (low <= lengths) & (lengths <= high)) for low, high in bands]
    found = tuple(Band(low, high, *share(chosen)) for low, high, chosen in rows if chosen.any())
    n, exactly, tokens = share(np.ones(len(pairs), dtype=bool))
    return Accuracy(exactly, tokens, n, found, protocol)


def _check_counts(written: Sequence, right: Sequence) -> None:
    if len(written) != len(right) or not right:
        raise ValueError(f"one written sentence for each right one: expected {max(len(right), 1)}, got {len(written)}")


def _hits(written: Words, right: Words) -> int:
    return sum(a == b for a, b in zip(written, right, strict=False))


@dataclass(frozen=True)
class Bleu:
    """Corpus BLEU from sacrebleu, 0 to 100, with sacrebleu's signature."""

    score: float
    n: int
    signature: str
    protocol: str

    def __repr__(self) -> str:
        return f"BLEU {self.score:.1f} ({self.n} sentences, {self.protocol}, sacrebleu {self.signature})"


def bleu(written: Sequence[Words], right: Sequence[Words], protocol: str = FREE) -> Bleu:
    """Corpus BLEU of written sentences against one right translation each; both are tokens already.

    Raises: ValueError if the numbers of sentences differ, or there are none.
    Source: Papineni et al. 2002; Post 2018 (sacrebleu).
    """
    _check_counts(written, right)
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    result = metric.corpus_score([" ".join(words) for words in written], [[" ".join(words) for words in right]])
    return Bleu(result.score, len(right), str(metric.get_signature()), protocol)


@dataclass(frozen=True)
class Alignment:
    """Alignment error rate, and accuracy: the share of target words whose largest weight lies on a gold link."""

    error_rate: float
    accuracy: float
    n_words: int
    protocol: str

    def __repr__(self) -> str:
        return (
            f"alignment error rate {self.error_rate:.3f}, accuracy {self.accuracy:.3f} "
            f"({self.n_words} words, {self.protocol}, argmax of each word's weights)"
        )


def alignment(weights: Sequence[Tensor | None], pairs: Sequence, protocol: str = FORCED) -> Alignment:
    r"""Compare the argmax of each target word's weights with the gold links.

    $$ \mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|} $$

    A holds one link per target word, to the source word of its largest weight; every gold link is sure, S = P. Target
    words without a gold link (a hyphen in a date) and the row of <eos> do not count; `weights[n]` may have a row and a
    column for <eos> or not.

    Raises: ValueError if no pair has gold links, or if a pair has fewer weights than words.
    Source: Och & Ney 2003, §5 (error rate).
    """
    hits = [argmax_on_gold(weight, pair) for weight, pair in zip(weights, pairs, strict=True)]
    linked = [pair.gold.any(axis=1) for pair in pairs]
    right, words = (int(sum(map(np.sum, rows))) for rows in (hits, linked))
    links = sum(len(pair.links) for pair in pairs)
    if not links:
        raise ValueError("pairs must have gold links: expected at least one link, got none")
    return Alignment(1 - 2 * right / (words + links), right / words, words, protocol)


def argmax_on_gold(weights: Float[Tensor, "query key"] | None, pair) -> Bool[np.ndarray, " word"]:
    """For each target word of a pair, without <eos>: whether its largest weight lies on a gold link.

    Raises: ValueError if there are fewer weights than words, or none (a model without attention).
    """
    n_query, n_key = len(pair.target), len(pair.source)
    got = () if weights is None else tuple(weights.shape)
    if not got or got[0] < n_query or got[1] < n_key:
        raise ValueError(f"weights must cover all words: expected at least {n_query} × {n_key}, got {got}")
    argmax = weights[:n_query].argmax(dim=-1).tolist()
    return np.array([(i, j) in pair.links for i, j in enumerate(argmax)], dtype=bool)


def crosses(pair) -> Bool[np.ndarray, " word"]:
    """For each target word of a pair: does one of its links cross another, i.e. is the word order inverted there?"""
    gold = sorted(pair.links)
    crossing = {i for i, j in gold if any((i - other_i) * (j - other_j) < 0 for other_i, other_j in gold)}
    return np.array([i in crossing for i in range(len(pair.target))], dtype=bool)


def entropy(weights: Float[Tensor, "*batch query key"]) -> Float[Tensor, "*batch query"]:
    r"""How spread out each query's weights are, in bits: 0 for a single key, log₂ n for n equal ones.

    $$ H_i = -\sum_j w_{ij} \log_2 w_{ij} $$
    """
    return -torch.special.xlogy(weights, weights).sum(dim=-1) / np.log(2)


def jensen_shannon(
    p: Float[Tensor, "*batch query key"], r: Float[Tensor, "*batch query key_of_r"]
) -> Float[Tensor, "*batch query"]:
    r"""Jensen–Shannon divergence of two rows of weights, in bits: 0 for equal rows, 1 for rows that share no key.

    $$ JS(p, r) = H\big(\tfrac{p + r}{2}\big) - \tfrac{1}{2}\big(H(p) + H(r)\big) $$

    Raises: ValueError if the shapes differ.
    Source: Lin 1991, eq. 4.1 (with equal shares).
    Differs: its square root is called Jensen–Shannon distance elsewhere, as in SciPy.
    """
    if p.shape != r.shape:
        raise ValueError(f"p and r must have the same shape, got {tuple(p.shape)} and {tuple(r.shape)}")
    return entropy((p + r) / 2) - (entropy(p) + entropy(r)) / 2


def head_divergence(weights: Float[Tensor, "*batch head query key"]) -> Float[Tensor, "*batch pair"]:
    """Jensen–Shannon divergence of each pair of heads in bits, averaged over queries.

    Shapes: the pairs are in the order (0, 1), (0, 2), …, (1, 2), …
    Raises: ValueError if there is only one head.
    """
    n = weights.shape[-3]
    if n < 2:
        raise ValueError(f"weights must have at least 2 heads, got {n}")
    one, other = torch.triu_indices(n, n, offset=1)
    return jensen_shannon(weights[..., one, :, :], weights[..., other, :, :]).mean(dim=-1)


def saliency(outputs: Float[Tensor, " query"], inputs: Float[Tensor, "key d_embedding"]) -> Float[Tensor, "query key"]:
    r"""The norm of the gradient of each output with respect to each input vector.

    $$ I_{ij} = \left\lVert \frac{\partial\, o_i}{\partial\, x_j} \right\rVert_2 $$

    Source: Simonyan et al. 2014, §3 (gradient saliency).
    """
    gradients = [torch.autograd.grad(output, inputs, retain_graph=True)[0] for output in outputs]
    return torch.stack(gradients).norm(dim=-1)


def rank_correlation(a: Float[Tensor, "row item"], b: Float[Tensor, "row item"]) -> Float[Tensor, " row"]:
    r"""Spearman's rank correlation of each row: 1 for the same order, −1 for the reverse.

    $$ \rho = 1 - \frac{6 \sum_j (r_j - r'_j)^2}{n (n^2 - 1)} $$

    r and r' are the ranks of the items, without ties. Source: Spearman 1904.
    """
    n = a.shape[-1]
    distance = a.argsort(dim=-1).argsort(dim=-1) - b.argsort(dim=-1).argsort(dim=-1)
    return 1 - 6 * distance.square().sum(dim=-1).to(a) / (n * (n**2 - 1))


@dataclass(frozen=True)
class Summary:
    """A result over several seeds: mean, lowest, highest."""

    mean: float
    low: float
    high: float
    n: int

    def __repr__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}] over {self.n} seeds"


def summarise(values: Sequence[float]) -> Summary:
    """Mean and range of a result over seeds. Raises: ValueError if there are no values."""
    if not len(values):
        raise ValueError("values must hold at least one value, got none")
    return Summary(float(np.mean(values)), float(min(values)), float(max(values)), len(values))


@dataclass(frozen=True)
class Results:
    """One experiment of `make claims`: its settings, a row for each model and seed, and the versions that made it."""

    name: str
    settings: dict
    rows: tuple[dict, ...]
    made_with: dict

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were trained, in the order of training."""
        return tuple(dict.fromkeys(row["model"] for row in self.rows))

    def values(self, model: str, figure: str) -> list:
        """One figure of one model, a value for each seed. Raises: KeyError if there is no such model or figure."""
        rows = [row for row in self.rows if row["model"] == model]
        if not rows or figure not in rows[0]:
            figures = sorted({key for row in rows or self.rows for key in row})
            raise KeyError(f"{self.name}: no {figure!r} of {model!r}; models: {self.models}; figures: {figures}")
        return [row[figure] for row in rows]

    def range(self, model: str, figure: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """A figure that is a table, such as accuracy by length: its labels, and lowest, mean and highest over seeds."""
        tables = self.values(model, figure)
        matrix = np.array([list(table.values()) for table in tables], dtype=float)
        return list(tables[0]), matrix.min(axis=0), matrix.mean(axis=0), matrix.max(axis=0)

    def ranges(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> dict[str, tuple]:
        """A table's labels, lowest and highest for several models, as `show.curves` takes them; a mapping renames."""
        return {name: (labels, low, high) for name, (labels, low, _, high) in self._tables(figure, models)}

    def means(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> dict[str, tuple]:
        """A table's labels and means over seeds for several models, as `show.curves` takes them."""
        return {name: (labels, mean) for name, (labels, _, mean, _) in self._tables(figure, models)}

    def _tables(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> list[tuple[str, tuple]]:
        shown = models if isinstance(models, Mapping) else {model: model for model in models}
        return [(name, self.range(model, figure)) for name, model in shown.items()]

    def __repr__(self) -> str:
        seeds = len({row["seed"] for row in self.rows})
        versions = ", ".join(f"{name} {value}" for name, value in self.made_with.items())
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return f"results of “{self.name}”: {len(self.models)} models × {seeds} seeds ({versions}); {settings}"


def load_results(name: str) -> Results:
    """Read one experiment from experiments/chapter_NN.json, written by `make claims`.

    Raises: FileNotFoundError if there are no such files; ValueError if none of them holds this experiment.
    """
    files = sorted(RESULTS.glob("chapter_*.json"))
    if not files:
        raise FileNotFoundError(f"no chapter_NN.json in {RESULTS}: run notebooks in a checkout of the course")
    found = {key: value for file in files for key, value in json.loads(file.read_text(encoding="utf-8")).items()}
    if name not in found:
        raise ValueError(f"name must be one of {', '.join(found)}; got {name!r}")
    settings, rows, made_with = (found[name][key] for key in ("settings", "rows", "made_with"))
    return Results(name, settings, tuple(rows), made_with)
