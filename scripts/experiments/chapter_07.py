"""What chapter 7 measures at several seeds: how many heads, what each is worth, and how far apart they look."""

from collections.abc import Iterator

import torch
from torch import Tensor

from course_lib.data.multi_recall import ALL_RELATIONS, MultiRecall, multi_recall, multi_recall_batches
from course_lib.data.pretrained import SENTENCES, pretrained_attention
from course_lib.data.results import load_results
from course_lib.divergence import head_divergence
from course_lib.measure import entropy, summarise
from course_lib.models.multi_head import MultiHeadModel, multi_recall_loss
from course_lib.training import fit, set_seed
from scripts.experiments.common import generator
from scripts.experiments.figures import figure, short

RING = {"d_model": 32, "batch": 64, "steps": 400, "learning_rate": 1e-2}
HEADS = (1, 2, 4, 8)
MODELS = {f"{n} relations, {heads} heads": (n, {"n_heads": heads}) for n in (2, 4) for heads in HEADS}
MODELS |= {f"{n} relations, 1 head, hidden layer": (n, {"n_heads": 1, "d_inner": 64}) for n in (2, 4)}
MODELS |= {"4 relations, 4 heads, hidden layer": (4, {"n_heads": 4, "d_inner": 64})}
SHARED = {f"4 heads, {n} of keys": (4, {"n_heads": 4, "n_kv_heads": n}) for n in (4, 2, 1)}


def trained(n: int, seed: int, options: dict) -> tuple[MultiHeadModel, MultiHeadModel, MultiRecall]:
    """A model for the first n relations, the same before it learned, and a thousand new rings."""
    relations = ALL_RELATIONS[:n]
    set_seed(seed)
    model = MultiHeadModel(n, d_model=RING["d_model"], **options)
    before = MultiHeadModel(n, d_model=RING["d_model"], **options)
    before.load_state_dict(model.state_dict())
    supply = multi_recall_batches(relations, seed, RING["batch"])
    fit(model, multi_recall_loss, supply, steps=RING["steps"], learning_rate=RING["learning_rate"])
    return model, before, multi_recall(relations, 1000, generator(seed))


@torch.no_grad()
def right(model: MultiHeadModel, ring: MultiRecall, gates: Tensor | None = None) -> float:
    """The share of values told right, over all relations."""
    return (model(ring, gates).logits.argmax(dim=-1) == ring.answers).double().mean().item()


def pruned(model: MultiHeadModel, ring: MultiRecall) -> dict:
    """What each head costs when it alone is pruned; and what is left when the cheapest goes, then the next cheapest."""
    n, gone, whole = model.attend.n_heads, [], right(model, ring)

    def without(heads: list[int]) -> float:
        gates = torch.ones(n)
        gates[heads] = 0
        return right(model, ring, gates)

    cost = [whole - without([head]) for head in range(n)]
    left = {"0": round(whole, 4)}
    while len(gone) < n - 1:
        found, cheapest = max((without([*gone, head]), head) for head in range(n) if head not in gone)
        gone.append(cheapest)
        left[str(len(gone))] = round(found, 4)
    return {"cheapest": round(min(cost), 4), "costliest": round(max(cost), 4), "left": left}


@torch.no_grad()
def as_sharp(model: MultiHeadModel, like: MultiHeadModel, ring: MultiRecall) -> Tensor:
    """The weights of a model whose queries are made longer, until its heads are as sharp as those of the other."""
    wanted, plain = entropy(like(ring).weights).mean(), model.attend.w_q.weight.clone()
    low, high = 0.0, 1000.0
    for _ in range(30):
        middle = (low + high) / 2
        model.attend.w_q.weight.copy_(plain * middle)
        low, high = (middle, high) if entropy(model(ring).weights).mean() > wanted else (low, middle)
    return model(ring).weights


def apart(weights: Tensor) -> dict:
    """How far apart two heads look, in bits: the mean of all pairs, and the nearest pair."""
    found = head_divergence(weights).mean(dim=0)
    return {"mean": round(found.mean().item(), 4), "nearest": round(found.min().item(), 4)}


def several_heads(seed: int) -> Iterator[dict]:
    """Claim 15: one size, one budget, more heads; what each is worth, and how far apart they look."""
    for name, (n, options) in MODELS.items():
        model, before, ring = trained(n, seed, options)
        row = {"model": name, "seed": seed, "right": round(right(model, ring), 4)}
        row["parameters"] = sum(p.numel() for p in model.parameters())
        if options["n_heads"] > 1 and "d_inner" not in options:
            few = MultiRecall(*(part[:100] for part in ring))
            with torch.no_grad():
                row |= {"apart": apart(model(few).weights), "apart, untrained": apart(before(few).weights)}
            row |= {"apart, untrained and sharp": apart(as_sharp(before, model, few))} | pruned(model, ring)
        yield row


def shared_keys(seed: int) -> Iterator[dict]:
    """Multi-query and grouped-query attention: fewer heads of keys and values than of queries."""
    for name, (n, options) in SHARED.items():
        model, _, ring = trained(n, seed, options)
        parameters = sum(p.numel() for p in model.attend.parameters())
        yield {"model": name, "seed": seed, "right": round(right(model, ring), 4), "parameters": parameters}


EXPERIMENTS = {
    "several heads": (several_heads, RING | {"task": "a ring of cards: tell the values of two or four partners"}),
    "shared keys": (shared_keys, RING | {"task": "a ring of cards: tell the values of four partners"}),
}

# ── The ledger ────────────────────────────────────────────────────────────────────────────────────────────────────────


def distance(model: str, name: str, which: str) -> str:
    """One distance between heads, as the ledger shows it."""
    return short(summarise([found[which] for found in load_results("several heads").values(model, name)]))


def pretrained_distances() -> str:
    """How far apart the heads of the real model look, over its sentences."""
    found = [apart(torch.tensor(pretrained_attention(name).weights).flatten(0, 1)[None])["mean"] for name in SENTENCES]
    return f"{min(found):.2f} to {max(found):.2f}"


def different_heads() -> str:
    """Claim 15."""
    parts = []
    for heads in (2, 4, 8):
        model = f"2 relations, {heads} heads"
        parts.append(
            f"{heads} heads: {distance(model, 'apart', 'mean')}, nearest pair {distance(model, 'apart', 'nearest')}, "
            f"costliest to prune {short(figure('several heads', model, 'costliest'))}"
        )
    same, sharp = (distance("2 relations, 2 heads", f"apart, untrained{more}", "mean") for more in ("", " and sharp"))
    four = ", ".join(
        f"{heads} heads, nearest pair {distance(f'4 relations, {heads} heads', 'apart', 'nearest')}" for heads in (2, 4)
    )
    return (
        f"Jensen–Shannon divergence of two heads in bits, two relations to learn; {'; '.join(parts)}; 2 heads "
        f"untrained {same}, untrained but as sharp {sharp}; four relations: {four}; a pretrained Transformer, four "
        f"sentences: {pretrained_distances()}"
    )


CLAIMS = [
    (
        15,
        "Different heads look at different things",
        "07",
        "holds when there are as many heads as things to look for; spare heads double others, too few share a part of "
        "what they look at, and random heads that are as sharp look at different things as well",
        different_heads,
    ),
]
