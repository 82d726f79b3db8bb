"""Chapter 5: estimators for hard attention, local attention, and static attention."""

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
from experiments.common import Trained, by_length, n_parameters, over_seeds

# ── Key–value lookup, hard attention ──────────────────────────────────────────────────────────────────────────────────

LOOKUP = {"items": 8, "batch": 64, "steps": 300, "learning_rate": 1e-2}
MORE_ITEMS = LOOKUP | {"items": 16, "steps": 500}
WATCHED = 6  # accuracies during a training


def estimators(seed: int, settings: dict = LOOKUP) -> Iterator[dict]:
    """Claim 21: the same model trained with each estimator, tested with the argmax key (soft: with all keys)."""
    test = lookups(2000, settings["items"], torch.Generator().manual_seed(10_000))
    for name, make_loss in ESTIMATORS.items():
        set_seed(seed)
        model = LookupModel(settings["items"])
        attend = soft if name == "soft" else partial(hard, sample=False)
        history = fit(
            model,
            make_loss(),
            lookup_batches(seed, settings["items"], settings["batch"]),
            steps=settings["steps"],
            learning_rate=settings["learning_rate"],
            watch=lambda model, attend=attend: model.accuracy(test, attend),
            watch_every=settings["steps"] // WATCHED,
        )
        yield {
            "model": name,
            "seed": seed,
            "parameters": n_parameters(model),
            "CPU seconds": round(history.cpu_seconds, 1),
            "accuracy by step": {str(step): round(share, 4) for step, share in history.watched},
            "accuracy": round(model.accuracy(test, attend), 4),
            "accuracy, argmax key": round(model.accuracy(test, hard, sample=False), 4),
        }


# ── Windows ───────────────────────────────────────────────────────────────────────────────────────────────────────────

STRINGS = {"d_embedding": 32, "batch": 64, "steps": 200, "learning_rate": 1e-2}
RADII = (1, 2, 4)
Global = partial(LuongDecoder, input_feeding=False)
DECODERS: dict[str, tuple[Callable, int]] = {
    "global": (Global, 200),
    **{f"local-m, D = {D}": (partial(LocalDecoder, center="monotonic", radius=D), 200) for D in RADII},
    **{f"local-p, D = {D}": (partial(LocalDecoder, center="predictive", radius=D), 200) for D in RADII},
}
LONGER = {"global, 600 steps": (Global, 600), "local-p, D = 2, 600 steps": (DECODERS["local-p, D = 2"][0], 600)}


def windows(seed: int) -> Iterator[dict]:
    """Claim 22: strings copied and reversed, with windows of several radii."""
    for order in ORDERS:
        train, test = split(strings(order, 6000), 300, seed=0)
        for name, (decoder, steps) in (DECODERS | (LONGER if order == "reversal" else {})).items():
            trained = Trained(decoder, train, seed, STRINGS | {"steps": steps}, 64)
            found = accuracy(trained.written(test), test)
            yield trained.row(f"{order}, {name}", seed) | {
                "exact": round(found.exact, 4),
                "token": round(found.token, 4),
                "attention accuracy": round(alignment(trained.weights(test), test).accuracy, 4),
            }


# ── Static and dynamic attention ──────────────────────────────────────────────────────────────────────────────────────

STATIC = {"d_embedding": 32, "batch": 64, "steps": 300, "learning_rate": 1e-2}
STATIC_BANDS = [(4, 5), (6, 7), (8, 9), (10, 12)]
STATIC_MODELS = {  # sizes that give all of them as many parameters, within 5 %
    "dynamic attention": (Global, 64),
    "static attention": (partial(Global, static=True), 64),
    "no attention": (FixedContextDecoder, 60),
}


def static(seed: int) -> Iterator[dict]:
    """New weights for each target word, the same weights for all, or no attention; French to English."""
    train, test = split(sentences("fr", 12_000, lengths=(4, 12), seed=0), 400, seed=0)
    for name, (decoder, d_hidden) in STATIC_MODELS.items():
        trained = Trained(decoder, train, seed, STATIC, d_hidden)
        found = accuracy(trained.written(test), test, STATIC_BANDS)
        yield trained.row(name, seed) | {"exact": by_length(found), "exact, all lengths": round(found.exact, 4)}


TASK = "retrieve one of {} items by its key"
EXPERIMENTS = {
    "estimators": (estimators, LOOKUP | {"task": TASK.format(8)}),
    "estimators, 16 items": (
        partial(estimators, settings=MORE_ITEMS),
        MORE_ITEMS | {"task": TASK.format(16)},
    ),
    "windows": (windows, STRINGS | {"task": "strings of 6–12 letters, copied and reversed"}),
    "static": (static, STATIC | {"task": "grammar French to English, 4–12 words"}),
}

# ── The claims table ──────────────────────────────────────────────────────────────────────────────────────────────────


def hard_attention() -> str:
    """Claim 21."""
    runs = {"8 items": "estimators", "16 items": "estimators, 16 items"}
    return "accuracy; " + "; ".join(
        f"{items}: " + ", ".join(f"{name} {over_seeds(run, name, 'accuracy')}" for name in ESTIMATORS)
        for items, run in runs.items()
    )


def middle_way() -> str:
    """Claim 22."""
    parts = []
    for order in ORDERS:
        names = [name for name in DECODERS if "D = 2" not in name] + [*LONGER] * (order == "reversal")
        found = ", ".join(f"{name} {over_seeds('windows', f'{order}, {name}', 'exact')}" for name in names)
        parts.append(f"{order}: {found}")
    return "exact match; " + "; ".join(parts)


CLAIMS = [
    (
        21,
        "Hard attention cannot be differentiated, so it needs reinforcement learning",
        "does not hold: the choice has no gradient, but its expected reward has one, and only an estimator is needed. "
        "Summing over every key is exact, straight-through needs no reward, REINFORCE needs a baseline",
        hard_attention,
    ),
    (
        22,
        "Local attention is the cheap middle way",
        "holds when the order is known, where the narrowest window is the best; when the order is inverted, local-m "
        "fails, and local-p, which predicts the centre, stays behind global attention at the same budget",
        middle_way,
    ),
]
