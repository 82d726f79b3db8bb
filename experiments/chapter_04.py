"""Chapter 4: soft addressing, the scale of scores, and tied projections."""

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from course_lib.attention import attention
from course_lib.attention.scores import cosine, dot, scaled_dot
from course_lib.data.associative_recall import associative_recall, associative_recall_batches
from course_lib.measure import accuracy, alignment, entropy, load_results
from course_lib.models.luong import LuongDecoder
from course_lib.models.single_head import SingleHeadModel, recall_loss
from course_lib.training import fit, set_seed
from experiments.common import (
    LENGTH,
    Trained,
    generator,
    length_pairs,
    of_trained_length,
    over_seeds,
    recalled,
    rounded,
)

# ── Without training: soft addressing, and the variance of scores ─────────────────────────────────────────────────────

KEYS, QUERIES = 16, 1000
TEMPERATURES = (0.001, 0.01, 0.1, 1, 10, 100, 1000)


def soft_addressing(seed: int) -> Iterator[dict]:
    """Claims 7 and 8: by temperature, from a dictionary to the mean; entropy; keys that retrieve themselves."""
    generator = torch.Generator().manual_seed(seed)
    draw = partial(torch.randn, generator=generator, dtype=torch.float64)
    q, k, v = draw(QUERIES, KEYS), draw(KEYS, KEYS), draw(KEYS, KEYS)
    stored, mean = v[cosine(q, k).argmax(dim=-1)], v.mean(dim=0)
    found: dict[str, dict] = {"distance to nearest value": {}, "distance to mean value": {}, "entropy": {}}
    for temperature in TEMPERATURES:
        context, weights, _ = attention(q, k, v, score=lambda q, k, T=temperature: cosine(q, k) / T)
        label = f"{temperature:g}"
        found["distance to nearest value"][label] = rounded((context - stored).norm(dim=-1).mean())
        found["distance to mean value"][label] = rounded((context - mean).norm(dim=-1).mean())
        found["entropy"][label] = rounded(entropy(weights).mean())
    yield {"model": "temperature", "seed": seed} | found
    for name, score in {"dot": dot, "cosine": cosine}.items():
        found = {}
        for d in (2, 8, 32, 128):
            many = draw(200, KEYS, d)  # two hundred sets of keys
            itself = score(many, many).argmax(dim=-1) == torch.arange(KEYS)
            found[str(d)] = rounded(itself.double().mean())
        yield {"model": name, "seed": seed, "self-retrieval": found}


SIZES = (1, 4, 16, 64, 256, 1024)


def scale(seed: int) -> Iterator[dict]:
    """Claim 9 without training: queries and keys of variance one, in double precision."""
    for name, score in {"scaled": scaled_dot, "plain": dot}.items():
        generator = torch.Generator().manual_seed(seed)
        figures: dict[str, dict] = {"variance": {}, "entropy": {}, "gradient": {}, "mean gradient": {}}
        for d_k in SIZES:
            q, k = torch.randn(2, 50, KEYS, d_k, generator=generator, dtype=torch.float64)
            scores = score(q, k)
            weights = scores.softmax(dim=-1)
            norms = jacobian_norms(weights)
            figures["variance"][str(d_k)] = rounded(scores.var())
            figures["entropy"][str(d_k)] = rounded(entropy(weights).mean())
            figures["gradient"][str(d_k)] = float(f"{norms.median():.3g}")
            figures["mean gradient"][str(d_k)] = rounded(norms.mean())
        yield {"model": name, "seed": seed} | figures


def jacobian_norms(weights: Tensor) -> Tensor:
    """For each query the norm of the softmax's derivative, diag(w) − w wᵀ."""
    outer = weights.unsqueeze(-1) * weights.unsqueeze(-2)
    return (torch.diag_embed(weights) - outer).flatten(-2).norm(dim=-1)


# ── Associative recall ────────────────────────────────────────────────────────────────────────────────────────────────

RECALL = {"d_model": 32, "batch": 64, "steps": 400, "learning_rate": 1e-2}
SHORT, SMALL = RECALL | {"steps": 150}, RECALL | {"steps": 300}
NOT_ITSELF = ~torch.eye(8, dtype=torch.bool)


def single_head(relation: str, seed: int, settings: dict, mask: Tensor | None = None, **options) -> dict:
    """Train a single head; accuracy and attention accuracy on a thousand new rows."""
    set_seed(seed)
    model = SingleHeadModel(**({"d_model": settings["d_model"]} | options))
    loss = partial(recall_loss, mask=mask)
    supply = associative_recall_batches(relation, seed, settings["batch"])
    fit(model, loss, supply, steps=settings["steps"], learning_rate=settings["learning_rate"])
    return recalled(model, associative_recall(relation, 1000, generator(seed)), mask)


def scale_trained(seed: int) -> Iterator[dict]:
    """Claim 9 with training: accuracy by d_k, with and without the scale."""
    for name, score in {"scaled": scaled_dot, "plain": dot}.items():
        found = {str(d_k): single_head("match", seed, SHORT, d_k=d_k, score=score) for d_k in (16, 64, 256, 1024)}
        yield {"model": name, "seed": seed, "accuracy": {d_k: row["accuracy"] for d_k, row in found.items()}}


TIES = {
    "own matrices": {},
    "Q = K": {"tied": "qk"},
    "Q = K, wider": {"tied": "qk", "d_model": 37},
    "K = V": {"tied": "kv"},
    "K = V, wider": {"tied": "kv", "d_model": 37},
}


def tied(seed: int) -> Iterator[dict]:
    """Claims 12 and 14: three relations, with separate and with tied projections."""
    for relation in ("match", "before", "next"):
        for name, options in TIES.items():
            yield {"model": f"{relation}, {name}", "seed": seed} | single_head(relation, seed, RECALL, **options)
    masked = single_head("match", seed, RECALL, NOT_ITSELF, tied="qk")
    yield {"model": "match, Q = K, diagonal masked", "seed": seed} | masked


def small_keys(seed: int) -> Iterator[dict]:
    """Claim 14: one matrix for key and value, where d_k is small."""
    for name in ("own matrices", "K = V"):
        found = {d_k: single_head("match", seed, SMALL, d_k=d_k, **TIES[name])["accuracy"] for d_k in (2, 3, 4, 8, 16)}
        yield {"model": name, "seed": seed, "accuracy": {str(d_k): share for d_k, share in found.items()}}


# ── Translation with K = V ────────────────────────────────────────────────────────────────────────────────────────────

TRANSLATION = LENGTH | {"steps": 400}
DECODERS = {"own matrices": (False, 64), "K = V": (True, 64), "K = V, wider": (True, 66)}


def tied_values(seed: int) -> Iterator[dict]:
    """Claim 14 in a translator: Luong's decoder with projected queries, keys and values, without input feeding."""
    train, test = length_pairs()
    test = of_trained_length(test)[:400]
    for name, (same, d_hidden) in DECODERS.items():
        decoder = partial(LuongDecoder, score="projected", input_feeding=False, tied_values=same)
        trained = Trained(decoder, train, seed, TRANSLATION, d_hidden)
        exact, on_gold = accuracy(trained.written(test), test).exact, alignment(trained.weights(test), test).accuracy
        yield trained.row(name, seed) | {"exact": round(exact, 4), "attention accuracy": round(on_gold, 4)}


MATCHING = "associative recall: predict the value of the matching card"
EXPERIMENTS = {
    "soft addressing": (
        soft_addressing,
        {"keys": KEYS, "task": "random queries, keys and values; the score is the cosine"},
    ),
    "scale": (scale, {"keys": KEYS, "task": "queries and keys of variance one"}),
    "scale trained": (scale_trained, SHORT | {"task": MATCHING}),
    "tied": (tied, RECALL | {"task": f"{MATCHING}, of the card before, of the next symbol"}),
    "small keys": (small_keys, SMALL | {"task": MATCHING}),
    "tied values": (tied_values, TRANSLATION | {"task": "grammar French to English, tested on 400 of 4–20 words"}),
}

# ── The claims table ──────────────────────────────────────────────────────────────────────────────────────────────────


def addressing() -> str:
    """Claim 7."""
    cold = over_seeds("soft addressing", "temperature", "distance to nearest value", "0.001")
    hot = over_seeds("soft addressing", "temperature", "distance to mean value", "1000")
    few, many = (over_seeds("soft addressing", "dot", "self-retrieval", d) for d in ("2", "32"))
    return (
        f"16 keys; distance of the context to the value of the nearest key at T = 0.001: {cold}, to the mean value at "
        f"T = 1000: {hot}; keys that retrieve themselves by the dot product: {few} with 2 components, {many} with 32"
    )


def highlights() -> str:
    """Claim 8."""
    found = {T: over_seeds("soft addressing", "temperature", "entropy", T) for T in ("0.01", "0.1", "1")}
    bits = ", ".join(f"{entropy} at T = {T}" for T, entropy in found.items())
    weights = {n: torch.tensor([3.0] + [0.0] * (n - 1)).softmax(dim=0)[0].item() for n in (2, 100, 1000)}
    best = ", ".join(f"{weight:.2f} of {n}" for n, weight in weights.items())
    return f"weight of a key whose score exceeds all others by 3: {best} keys; entropy of 16 weights in bits: {bits}"


def saturates() -> str:
    """Claim 9."""
    parts = []
    for name, label in {"scaled": "divided", "plain": "not divided"}.items():
        bits = ", ".join(f"{over_seeds('scale', name, 'entropy', d_k)} at {d_k}" for d_k in ("16", "64", "1024"))
        share = ", ".join(
            f"{over_seeds('scale trained', name, 'accuracy', d_k)} at {d_k}" for d_k in ("64", "256", "1024")
        )
        parts.append(f"{label}: entropy of 16 weights {bits}; accuracy after 150 steps {share}")
    return "by d_k; " + "; ".join(parts)


def same_queries_and_keys() -> str:
    """Claim 12."""
    names = {"match": "symmetric", "before": "directed", "next": "cyclic"}
    tied = ", ".join(
        f"{label} {over_seeds('tied', f'{name}, Q = K', 'attention accuracy')}" for name, label in names.items()
    )
    masked = over_seeds("tied", "match, Q = K, diagonal masked", "attention accuracy")
    run = load_results("tied")
    own = min(min(run.values(f"{name}, own matrices", "attention accuracy")) for name in names)
    return (
        f"attention accuracy with tied matrices: {tied}, symmetric with a masked diagonal {masked}; with separate "
        f"matrices at least {own:.2f} in all three relations"
    )


def same_keys_and_values() -> str:
    """Claim 14."""
    names = ("own matrices", "K = V", "K = V, wider")
    cards = ", ".join(f"{name} {over_seeds('tied', f'match, {name}', 'accuracy')}" for name in names)
    exact = ", ".join(f"{name} {over_seeds('tied values', name, 'exact')}" for name in names)
    few = "; ".join(
        f"d_k = {d_k}: " + ", ".join(f"{name} {over_seeds('small keys', name, 'accuracy', d_k)}" for name in names[:2])
        for d_k in ("3", "4", "8")
    )
    return f"accuracy of associative recall: {cards}; {few}; exact match of translations: {exact}"


CLAIMS = [
    (
        7,
        "Attention is soft addressing",
        "holds: temperature leads from a dictionary to the mean; but attention always returns a value, and with the "
        "dot product a key does not always retrieve itself",
        addressing,
    ),
    (
        8,
        "Softmax highlights what matters",
        "holds when the relevant key's score is higher by more than the logarithm of the number of keys; no weight is "
        "zero",
        highlights,
    ),
    (
        9,
        "Divide by √d_k or the softmax saturates",
        "holds when d_k is large; at 16 and 64 a small model learns equally well without the division",
        saturates,
    ),
    (
        12,
        "Q and K are really the same thing",
        "does not hold: tied scores are symmetric, so symmetric and cyclic relations cannot be learned in full; a "
        "directed relation can, and a symmetric one where no position may attend to itself",
        same_queries_and_keys,
    ),
    (
        14,
        "Key and value are usually the same",
        "holds when a vector has room for both: one matrix then costs little; otherwise they must differ",
        same_keys_and_values,
    ),
]
