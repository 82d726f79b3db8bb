"""What chapter 5 measures at several seeds: ways to train a hard look, windows, and one look for all words."""

from collections.abc import Callable, Iterator
from functools import partial

import torch

from course_lib.attention.selection import hard, soft
from course_lib.data.grammar import sentences
from course_lib.data.lookup import lookup_batches, lookups
from course_lib.data.pairs import split
from course_lib.data.strings import ORDERS, strings
from course_lib.measure import accuracy, alignment
from course_lib.models.local import LocalDecoder
from course_lib.models.lookup import ESTIMATORS, LookupModel
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import FixedContextDecoder
from course_lib.training import fit, set_seed
from scripts.experiments.common import Trained, by_length
from scripts.experiments.figures import figure, short

# ── One book ──────────────────────────────────────────────────────────────────────────────────────────────────────────

SHELF = {"books": 8, "batch": 64, "steps": 300, "learning_rate": 1e-2}
MORE_BOOKS = SHELF | {"books": 16, "steps": 500}
WATCHED = 6  # times in a training


def shelf(seed: int, settings: dict = SHELF) -> Iterator[dict]:
    """Claim 21: the same look among books, trained in each way; told from the likeliest book, but for soft."""
    test = lookups(2000, settings["books"], torch.Generator().manual_seed(10_000))
    for way, make_loss in ESTIMATORS.items():
        set_seed(seed)
        model = LookupModel(settings["books"])
        look = soft if way == "soft" else partial(hard, sample=False)
        history = fit(
            model,
            make_loss(),
            lookup_batches(seed, settings["books"], settings["batch"]),
            steps=settings["steps"],
            learning_rate=settings["learning_rate"],
            watch=lambda model, look=look: model.accuracy(test, look),
            watch_every=settings["steps"] // WATCHED,
        )
        yield {
            "model": way,
            "seed": seed,
            "parameters": sum(p.numel() for p in model.parameters()),
            "cpu_seconds": round(history.cpu_seconds, 1),
            "accuracy": {str(step): round(share, 4) for step, share in history.watched},
            "right": round(model.accuracy(test, look), 4),
            "right, likeliest book": round(model.accuracy(test, hard, sample=False), 4),
        }


# ── Windows ───────────────────────────────────────────────────────────────────────────────────────────────────────────

STRINGS = {"d_embedding": 32, "batch": 64, "steps": 200, "learning_rate": 1e-2}
REACHES = (1, 2, 4)
Global = partial(LuongDecoder, input_feeding=False)
LOOKS: dict[str, tuple[Callable, int]] = {
    "global": (Global, 200),
    **{f"local-m, D = {D}": (partial(LocalDecoder, center="monotonic", radius=D), 200) for D in REACHES},
    **{f"local-p, D = {D}": (partial(LocalDecoder, center="predictive", radius=D), 200) for D in REACHES},
}
LONGER = {"global, 600 steps": (Global, 600), "local-p, D = 2, 600 steps": (LOOKS["local-p, D = 2"][0], 600)}


def windows(seed: int) -> Iterator[dict]:
    """Claim 22: strings written again in the same order and in reverse, with windows of several sizes."""
    for order in ORDERS:
        train, test = split(strings(order, 6000), 300, seed=0)
        for name, (decoder, steps) in (LOOKS | (LONGER if order == "reversal" else {})).items():
            trained = Trained(decoder, train, seed, STRINGS | {"steps": steps}, 64)
            found = accuracy(trained.written(test), test)
            yield trained.row(f"{order}, {name}", seed) | {
                "exact": round(found.exact, 4),
                "token": round(found.token, 4),
                "pointing": round(alignment(trained.weights(test), test).accuracy, 4),
            }


# ── One look for all words ────────────────────────────────────────────────────────────────────────────────────────────

STATIC = {"d_embedding": 32, "batch": 64, "steps": 300, "learning_rate": 1e-2}
STATIC_BANDS = [(4, 5), (6, 7), (8, 9), (10, 12)]
STATIC_MODELS = {  # sizes that give all of them as many parameters, within five in a hundred
    "a look for each word": (Global, 64),
    "one look": (partial(Global, static=True), 64),
    "no look": (FixedContextDecoder, 60),
}


def static(seed: int) -> Iterator[dict]:
    """A new weighting of the source for each word, one for all words, or none; French to English."""
    train, test = split(sentences("fr", 12_000, lengths=(4, 12), seed=0), 400, seed=0)
    for name, (decoder, d_hidden) in STATIC_MODELS.items():
        trained = Trained(decoder, train, seed, STATIC, d_hidden)
        found = accuracy(trained.written(test), test, STATIC_BANDS)
        yield trained.row(name, seed) | {"exact": by_length(found), "exact in all": round(found.exact, 4)}


EXPERIMENTS = {
    "shelf": (shelf, SHELF | {"task": "one of 8 books, asked for by the colour of its spine"}),
    "shelf of sixteen": (
        partial(shelf, settings=MORE_BOOKS),
        MORE_BOOKS | {"task": "one of 16 books, asked for by the colour of its spine"},
    ),
    "windows": (windows, STRINGS | {"task": "strings of 6–12 letters, copied and reversed"}),
    "static": (static, STATIC | {"task": "grammar French to English, 4–12 words"}),
}


def estimators() -> str:
    """Claim 21."""
    eight = [f"{way} {short(figure('shelf', way, 'right'))}" for way in ESTIMATORS]
    sixteen = [f"{way} {short(figure('shelf of sixteen', way, 'right'))}" for way in ESTIMATORS]
    return f"right digits, one of 8 books: {', '.join(eight)}; one of 16 books: {', '.join(sixteen)}"


def middle_way() -> str:
    """Claim 22."""
    parts = []
    for order in ORDERS:
        names = [name for name in LOOKS if "D = 2" not in name] + [*LONGER] * (order == "reversal")
        parts.append(f"{order}: " + ", ".join(f"{name} {exact(order, name)}" for name in names))
    return "whole strings right, " + "; ".join(parts)


def exact(order: str, name: str) -> str:
    """Exact match of one look on one order."""
    return short(figure("windows", f"{order}, {name}", "exact"))


CLAIMS = [
    (
        21,
        "Hard attention cannot be differentiated, so it needs reinforcement learning",
        "05",
        "does not hold: the choice has no gradient, its expected reward has one. What is needed is an estimator: "
        "reading every key in turn is exact, straight-through needs no reward, REINFORCE needs a baseline",
        estimators,
    ),
    (
        22,
        "Local attention is the cheap middle way",
        "05",
        "holds when the order is known: then the narrowest window is the best; where it is inverted, local-m fails, "
        "and local-p, which follows, stays behind the global look at the same budget",
        middle_way,
    ),
]
