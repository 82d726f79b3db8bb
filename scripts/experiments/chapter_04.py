"""What chapter 4 measures at several seeds: the look-up, its scale, and matrices that are the same."""

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from course_lib.attention import attention
from course_lib.attention.scores import cosine, dot, scaled_dot
from course_lib.data.associative_recall import associative_recall, associative_recall_batches
from course_lib.data.results import load_results
from course_lib.measure import accuracy, alignment, entropy, summarise
from course_lib.models.luong import LuongDecoder
from course_lib.models.single_head import SingleHeadModel, recall_loss
from course_lib.training import fit, set_seed
from scripts.experiments.common import LENGTH, Trained, generator, length_pairs, of_trained_length, rounded
from scripts.experiments.figures import figure, short

# ── Without training: soft addressing, and the variance of scores ─────────────────────────────────────────────────────

KEYS, ASKED = 16, 1000
TEMPERATURES = (0.001, 0.01, 0.1, 1, 10, 100, 1000)


def lookup(seed: int) -> Iterator[dict]:
    """Claims 7 and 8: from a dictionary to the mean by temperature; who finds itself; how spread the weights are."""
    generator = torch.Generator().manual_seed(seed)
    draw = partial(torch.randn, generator=generator, dtype=torch.float64)
    q, k, v = draw(ASKED, KEYS), draw(KEYS, KEYS), draw(KEYS, KEYS)
    stored, mean = v[cosine(q, k).argmax(dim=-1)], v.mean(dim=0)
    found: dict[str, dict] = {"from the dictionary": {}, "from the mean": {}, "entropy": {}}
    for temperature in TEMPERATURES:
        context, weights, _ = attention(q, k, v, score=lambda q, k, T=temperature: cosine(q, k) / T)
        label = f"{temperature:g}"
        found["from the dictionary"][label] = rounded((context - stored).norm(dim=-1).mean())
        found["from the mean"][label] = rounded((context - mean).norm(dim=-1).mean())
        found["entropy"][label] = rounded(entropy(weights).mean())
    yield {"model": "temperature", "seed": seed} | found
    for name, score in {"dot": dot, "cosine": cosine}.items():
        shares = {}
        for d in (2, 8, 32, 128):
            many = draw(200, KEYS, d)  # two hundred shelves
            itself = score(many, many).argmax(dim=-1) == torch.arange(KEYS)
            shares[str(d)] = rounded(itself.double().mean())
        yield {"model": name, "seed": seed, "finds itself": shares}


SIZES = (1, 4, 16, 64, 256, 1024)


def scale(seed: int) -> Iterator[dict]:
    """Claim 9 before any training: queries and keys of variance one, in double precision."""
    for name, score in {"scaled": scaled_dot, "plain": dot}.items():
        generator = torch.Generator().manual_seed(seed)
        figures: dict[str, dict] = {"variance": {}, "entropy": {}, "gradient": {}, "mean gradient": {}}
        for d_k in SIZES:
            q, k = torch.randn(2, 50, KEYS, d_k, generator=generator, dtype=torch.float64)
            scores = score(q, k)
            weights = scores.softmax(dim=-1)
            moved = slope(weights)
            figures["variance"][str(d_k)] = rounded(scores.var())
            figures["entropy"][str(d_k)] = rounded(entropy(weights).mean())
            figures["gradient"][str(d_k)] = float(f"{moved.median():.3g}")
            figures["mean gradient"][str(d_k)] = rounded(moved.mean())
        yield {"model": name, "seed": seed} | figures


def slope(weights: Tensor) -> Tensor:
    """How much the weights of each query move with its scores: the norm of diag(w) − w wᵀ."""
    outer = weights.unsqueeze(-1) * weights.unsqueeze(-2)
    return (torch.diag_embed(weights) - outer).flatten(-2).norm(dim=-1)


# ── One look among cards ──────────────────────────────────────────────────────────────────────────────────────────────

LOOK = {"d_model": 32, "batch": 64, "steps": 400, "learning_rate": 1e-2}
SHORT, ROOM = LOOK | {"steps": 150}, LOOK | {"steps": 300}
NOT_ITSELF = ~torch.eye(8, dtype=torch.bool)


def looked(relation: str, seed: int, settings: dict, mask: Tensor | None = None, **options) -> dict:
    """Train one look, and what comes of it on a thousand new rows: values told right, looks at the partner."""
    set_seed(seed)
    model = SingleHeadModel(**({"d_model": settings["d_model"]} | options))
    loss = partial(recall_loss, mask=mask)
    supply = associative_recall_batches(relation, seed, settings["batch"])
    fit(model, loss, supply, steps=settings["steps"], learning_rate=settings["learning_rate"])
    test = associative_recall(relation, 1000, generator(seed))
    with torch.no_grad():
        told = model(test, mask)
    right, pointing = told.logits.argmax(dim=-1) == test.answer, told.weights.argmax(dim=-1) == test.partner
    parameters = sum(p.numel() for p in model.parameters())
    return {"right": rounded(right.double().mean()), "pointing": rounded(pointing.double().mean())} | {
        "parameters": parameters
    }


def scale_trained(seed: int) -> Iterator[dict]:
    """Claim 9: does it matter to a model that learns?"""
    for name, score in {"scaled": scaled_dot, "plain": dot}.items():
        found = {str(d_k): looked("match", seed, SHORT, d_k=d_k, score=score) for d_k in (16, 64, 256, 1024)}
        yield {"model": name, "seed": seed, "right": {d_k: figures["right"] for d_k, figures in found.items()}}


TIES = {
    "own matrices": {},
    "Q = K": {"tied": "qk"},
    "Q = K, wider": {"tied": "qk", "d_model": 37},
    "K = V": {"tied": "kv"},
    "K = V, wider": {"tied": "kv", "d_model": 37},
}


def tied(seed: int) -> Iterator[dict]:
    """Claims 12 and 14: three relations among cards, with matrices of their own and with the same."""
    for relation in ("match", "before", "next"):
        for name, options in TIES.items():
            yield {"model": f"{relation}, {name}", "seed": seed} | looked(relation, seed, LOOK, **options)
    yield {"model": "match, Q = K, not itself", "seed": seed} | looked("match", seed, LOOK, NOT_ITSELF, tied="qk")


def no_room(seed: int) -> Iterator[dict]:
    """Claim 14: one matrix for key and value, where they have few numbers."""
    for name in ("own matrices", "K = V"):
        found = {d_k: looked("match", seed, ROOM, d_k=d_k, **TIES[name])["right"] for d_k in (2, 3, 4, 8, 16)}
        yield {"model": name, "seed": seed, "right": {str(d_k): right for d_k, right in found.items()}}


# ── Translation with K = V ────────────────────────────────────────────────────────────────────────────────────────────

TRANSLATION = LENGTH | {"steps": 400}
DECODERS = {"own matrices": (False, 64), "K = V": (True, 64), "K = V, wider": (True, 66)}


def tied_values(seed: int) -> Iterator[dict]:
    """Claim 14 in an encoder–decoder: Luong's, with projected queries, keys and values, without input feeding."""
    train, test = length_pairs()
    test = of_trained_length(test)[:400]
    for name, (same, d_hidden) in DECODERS.items():
        decoder = partial(LuongDecoder, score="projected", input_feeding=False, tied_values=same)
        trained = Trained(decoder, train, seed, TRANSLATION, d_hidden)
        exact, pointing = accuracy(trained.written(test), test).exact, alignment(trained.weights(test), test).accuracy
        yield trained.row(name, seed) | {"exact": round(exact, 4), "pointing": round(pointing, 4)}


EXPERIMENTS = {
    "look-up": (lookup, {"keys": KEYS, "task": "random queries, keys and values; the score is the cosine"}),
    "scale": (scale, {"keys": KEYS, "task": "queries and keys of variance one"}),
    "scale trained": (scale_trained, SHORT | {"task": "cards: tell the value of the twin"}),
    "tied": (tied, LOOK | {"task": "cards: tell the value of the twin, of the card before, of the next symbol"}),
    "no room": (no_room, ROOM | {"task": "cards: tell the value of the twin"}),
    "tied values": (tied_values, TRANSLATION | {"task": "grammar French to English, tested on 400 of 4–20 words"}),
}

# ── The ledger ────────────────────────────────────────────────────────────────────────────────────────────────────────


def at(run: str, model: str, name: str, label: str) -> str:
    """One number of a figure that is a table, as the ledger shows it."""
    return short(summarise([table[label] for table in load_results(run).values(model, name)]))


def addressing() -> str:
    """Claim 7."""
    cold, hot = at("look-up", "temperature", "from the dictionary", "0.001"), at("look-up", "dot", "finds itself", "2")
    mean, far = at("look-up", "temperature", "from the mean", "1000"), at("look-up", "dot", "finds itself", "32")
    return (
        f"sixteen keys, distance of the blend from the best key's value at T = 0.001: {cold}, from the mean at 1000: "
        f"{mean}; keys that find themselves by the dot product: {hot} with 2 numbers, {far} with 32"
    )


def highlights() -> str:
    """Claim 8."""
    bits = ", ".join(f"{at('look-up', 'temperature', 'entropy', T)} at T = {T}" for T in ("0.01", "0.1", "1"))
    shares = torch.stack([torch.tensor([3.0] + [0.0] * (n - 1)).softmax(dim=0)[0] for n in (2, 100, 1000)])
    best = ", ".join(f"{share:.2f} of {n}" for share, n in zip(shares.tolist(), (2, 100, 1000), strict=True))
    return f"weight of a key that scores 3 above all others: {best} keys; entropy of sixteen weights, in bits: {bits}"


def saturates() -> str:
    """Claim 9."""
    parts = []
    for name, label in {"scaled": "divided", "plain": "not divided"}.items():
        bits = ", ".join(f"{at('scale', name, 'entropy', d_k)} at {d_k}" for d_k in ("16", "64", "1024"))
        right = ", ".join(f"{at('scale trained', name, 'right', d_k)} at {d_k}" for d_k in ("64", "256", "1024"))
        parts.append(f"{label}: entropy of sixteen weights {bits}; told right after 150 steps {right}")
    return "by d_k; " + "; ".join(parts)


def same_queries_and_keys() -> str:
    """Claim 12."""
    names = {"match": "mutual", "before": "a direction", "next": "a circle"}
    parts = [f"{label} {short(figure('tied', f'{name}, Q = K', 'pointing'))}" for name, label in names.items()]
    masked = short(figure("tied", "match, Q = K, not itself", "pointing"))
    own = min(figure("tied", f"{name}, own matrices", "pointing").low for name in names)
    return (
        f"share of cards that look most at their partner, tied: {', '.join(parts)}, mutual where nobody may look at "
        f"itself {masked}; with matrices of their own at least {own:.2f} in all three"
    )


def same_keys_and_values() -> str:
    """Claim 14."""
    names = ("own matrices", "K = V", "K = V, wider")
    told = ", ".join(f"{name} {short(figure('tied', f'match, {name}', 'right'))}" for name in names)
    exact = ", ".join(f"{name} {short(figure('tied values', name, 'exact'))}" for name in names)
    few = "; ".join(
        f"keys of {d_k} numbers: own matrices {at('no room', 'own matrices', 'right', d_k)}, "
        f"K = V {at('no room', 'K = V', 'right', d_k)}"
        for d_k in ("3", "4", "8")
    )
    return f"cards told right: {told}; {few}; translations right: {exact}"


CLAIMS = [
    (
        7,
        "Attention is soft addressing",
        "04",
        "holds, from dictionary to mean; but it always answers, and by the dot product a key need not find itself",
        addressing,
    ),
    (
        8,
        "Softmax highlights what matters",
        "04",
        "holds when what matters scores higher, by more than the logarithm of the number of keys; no weight is zero",
        highlights,
    ),
    (
        9,
        "Divide by √d_k or the softmax saturates",
        "04",
        "holds when d_k is large; at 16 and 64 a small model learns as well without",
        saturates,
    ),
    (
        12,
        "Q and K are really the same thing",
        "04",
        "does not hold: tied scores are symmetric, so mutual and circular relations cannot be learned in full; "
        "a direction can, and mutual ones where nobody may look at itself",
        same_queries_and_keys,
    ),
    (
        14,
        "Key and value are usually the same",
        "04",
        "holds when a vector has room for both: one matrix then costs next to nothing; else they must differ",
        same_keys_and_values,
    ),
]
