"""Chapter 7: the number of heads, the effect of ablating each, and the divergence of their weights."""

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from course_lib.data.multi_recall import ALL_RELATIONS, MultiRecall, multi_recall, multi_recall_batches
from course_lib.data.pretrained import SENTENCES, pretrained_attention
from course_lib.measure import entropy, head_divergence
from course_lib.models.multi_head import MultiHeadModel, multi_recall_loss
from course_lib.training import fit, set_seed
from experiments.common import generator, n_parameters, over_seeds

RECALL = {"d_model": 32, "batch": 64, "steps": 400, "learning_rate": 1e-2}
HEADS = (1, 2, 4, 8)
MODELS = {f"{n} relations, {heads} heads": (n, {"n_heads": heads}) for n in (2, 4) for heads in HEADS}
MODELS |= {f"{n} relations, 1 head, hidden layer": (n, {"n_heads": 1, "d_inner": 64}) for n in (2, 4)}
MODELS |= {"4 relations, 4 heads, hidden layer": (4, {"n_heads": 4, "d_inner": 64})}
SHARED = {f"4 heads, {n} of keys": (4, {"n_heads": 4, "n_kv_heads": n}) for n in (4, 2, 1)}


def trained(n: int, seed: int, options: dict) -> tuple[MultiHeadModel, MultiHeadModel, MultiRecall]:
    """A model for the first n relations, the same model before training, and a thousand new rows."""
    relations = ALL_RELATIONS[:n]
    set_seed(seed)
    model = MultiHeadModel(n, d_model=RECALL["d_model"], **options)
    before = MultiHeadModel(n, d_model=RECALL["d_model"], **options)
    before.load_state_dict(model.state_dict())
    supply = multi_recall_batches(relations, seed, RECALL["batch"])
    fit(model, multi_recall_loss, supply, steps=RECALL["steps"], learning_rate=RECALL["learning_rate"])
    return model, before, multi_recall(relations, 1000, generator(seed))


@torch.no_grad()
def accuracy(model: MultiHeadModel, rows: MultiRecall, gates: Tensor | None = None) -> float:
    """Accuracy over all relations."""
    return (model(rows, gates).logits.argmax(dim=-1) == rows.answers).double().mean().item()


def pruned(model: MultiHeadModel, rows: MultiRecall) -> dict:
    """Loss of accuracy when each head alone is ablated, and accuracy when the least useful heads go one by one."""
    n, gone, whole = model.attend.n_heads, [], accuracy(model, rows)

    def without(heads: list[int]) -> float:
        gates = torch.ones(n)
        gates[heads] = 0
        return accuracy(model, rows, gates)

    effect = [whole - without([head]) for head in range(n)]
    after = {"0": round(whole, 4)}
    while len(gone) < n - 1:
        found, least = max((without([*gone, head]), head) for head in range(n) if head not in gone)
        gone.append(least)
        after[str(len(gone))] = round(found, 4)
    return {
        "smallest ablation effect": round(min(effect), 4),
        "largest ablation effect": round(max(effect), 4),
        "accuracy after pruning": after,
    }


@torch.no_grad()
def same_entropy(model: MultiHeadModel, like: MultiHeadModel, rows: MultiRecall) -> Tensor:
    """Weights of a model whose queries are scaled until their entropy equals that of another model's weights."""
    wanted, plain = entropy(like(rows).weights).mean(), model.attend.w_q.weight.clone()
    low, high = 0.0, 1000.0
    for _ in range(30):
        middle = (low + high) / 2
        model.attend.w_q.weight.copy_(plain * middle)
        low, high = (middle, high) if entropy(model(rows).weights).mean() > wanted else (low, middle)
    return model(rows).weights


def divergence(weights: Tensor) -> dict:
    """Jensen–Shannon divergence of heads in bits: the mean over all pairs, and the nearest pair."""
    found = head_divergence(weights).mean(dim=0)
    return {"mean": round(found.mean().item(), 4), "nearest": round(found.min().item(), 4)}


def several_heads(seed: int) -> Iterator[dict]:
    """Claim 15: one size, one budget, more heads; the effect of ablating each, and their divergence."""
    for name, (n, options) in MODELS.items():
        model, before, rows = trained(n, seed, options)
        row = {"model": name, "seed": seed, "accuracy": round(accuracy(model, rows), 4)}
        row["parameters"] = n_parameters(model)
        if options["n_heads"] > 1 and "d_inner" not in options:
            few = MultiRecall(*(part[:100] for part in rows))
            with torch.no_grad():
                row["divergence"] = divergence(model(few).weights)
                row["divergence, untrained"] = divergence(before(few).weights)
            row["divergence, untrained, same entropy"] = divergence(same_entropy(before, model, few))
            row |= pruned(model, rows)
        yield row


def shared_keys(seed: int) -> Iterator[dict]:
    """Multi-query and grouped-query attention: fewer heads of keys and values than of queries."""
    for name, (n, options) in SHARED.items():
        model, _, rows = trained(n, seed, options)
        parameters = n_parameters(model.attend)
        yield {"model": name, "seed": seed, "accuracy": round(accuracy(model, rows), 4), "parameters": parameters}


TASK = "multi-relation recall: predict {} values for each card"
EXPERIMENTS = {
    "several heads": (several_heads, RECALL | {"task": TASK.format("two or four")}),
    "shared keys": (shared_keys, RECALL | {"task": TASK.format("four")}),
}

# ── The claims table ──────────────────────────────────────────────────────────────────────────────────────────────────


def pretrained() -> str:
    """Mean divergence of the heads of all-MiniLM-L6-v2: the lowest and the highest over sentences."""
    weights = (torch.tensor(pretrained_attention(name).weights).flatten(0, 1) for name in SENTENCES)
    found = [divergence(heads[None])["mean"] for heads in weights]
    return f"{min(found):.2f} to {max(found):.2f}"


def different_heads() -> str:
    """Claim 15."""
    shown = partial(over_seeds, "several heads")
    parts = []
    for heads in (2, 4, 8):
        model = f"2 relations, {heads} heads"
        parts.append(
            f"{heads} heads: mean {shown(model, 'divergence', 'mean')}, nearest pair "
            f"{shown(model, 'divergence', 'nearest')}, largest ablation "
            f"effect {shown(model, 'largest ablation effect')}"
        )
    untrained = shown("2 relations, 2 heads", "divergence, untrained", "mean")
    sharp = shown("2 relations, 2 heads", "divergence, untrained, same entropy", "mean")
    four = ", ".join(
        f"{heads} heads, nearest pair {shown(f'4 relations, {heads} heads', 'divergence', 'nearest')}"
        for heads in (2, 4)
    )
    return (
        f"Jensen–Shannon divergence of two heads in bits; two relations: {'; '.join(parts)}; 2 heads untrained "
        f"{untrained}, untrained with the same entropy {sharp}; four relations: {four}; all-MiniLM-L6-v2, a distilled "
        f"sentence encoder, four sentences: {pretrained()}"
    )


CLAIMS = [
    (
        15,
        "Different heads look at different things",
        "holds when there are as many heads as relations; with more, some are redundant; with fewer, heads "
        "share a part of what they attend to; and random heads of the same entropy attend to different things as well",
        different_heads,
    ),
]
