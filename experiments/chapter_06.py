"""Chapter 6: projections, causal masks, distance, self- against cross-attention, and attribution."""

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor, nn

from course_lib.data.associative_recall import associative_recall, associative_recall_batches
from course_lib.data.distant_recall import (
    ASKED,
    CARDS,
    DistantRecall,
    distant_recall,
    distant_recall_batches,
)
from course_lib.data.pairs import Pair, batches
from course_lib.data.strings import strings
from course_lib.data.votes import CLS, vote_batches, votes
from course_lib.measure import accuracy, load_results, rank_correlation
from course_lib.models.attributions import VoteClassifier, attributions
from course_lib.models.char_lm import MASKED_ATTENTION, CharLM, generate, lm_loss
from course_lib.models.luong import LuongDecoder
from course_lib.models.recall_classifier import RecallClassifier
from course_lib.models.self_attention import SelfAttentionEncoder
from course_lib.models.single_head import SingleHeadModel, recall_loss
from course_lib.tokens import PAD
from course_lib.training import fit, set_seed
from experiments.common import Trained, generator, n_parameters, over_seeds, recalled, rounded

GATED = ("GRU", "LSTM")
READERS = (*GATED, "self-attention")


# ── One input, three projections ──────────────────────────────────────────────────────────────────────────────────────

ONE_HEAD = {"d_model": 32, "batch": 64, "steps": 200, "learning_rate": 1e-2}
PROJECTIONS = {"own": "", "no W_Q": "q", "no W_K": "k", "no W_V": "v", "none at all": "qkv"}


def projections(seed: int) -> Iterator[dict]:
    """Claim 13: each projection replaced by the identity, then all three, then one matrix for all three."""
    for relation in ("match", "before"):
        for name, removed in (PROJECTIONS | {"one for all": ""}).items():
            set_seed(seed)
            model = SingleHeadModel(d_model=ONE_HEAD["d_model"], tied="qkv" if name == "one for all" else "")
            for letter in removed:
                setattr(model, f"w_{letter}", nn.Identity())
            fit(
                model,
                recall_loss,
                associative_recall_batches(relation, seed),
                steps=ONE_HEAD["steps"],
                learning_rate=ONE_HEAD["learning_rate"],
            )
            test = associative_recall(relation, 1000, generator(seed))
            yield {"model": f"{relation}, {name}", "seed": seed} | recalled(model, test)


# ── Masks ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

NEXT = {"letters": 8, "half": 8, "batch": 64, "steps": 300, "learning_rate": 1e-2}


def shifted(n: int, draw: torch.Generator) -> Tensor:
    """Eight random letters, then the successor of each: only the second half can be predicted."""
    first = torch.randint(NEXT["letters"], (n, NEXT["half"]), generator=draw)
    return torch.cat([first, (first + 1) % NEXT["letters"]], dim=1)


def letter_batches(seed: int) -> Iterator[Tensor]:
    """Endless batches of such strings."""
    draw = torch.Generator().manual_seed(seed)
    while True:
        yield shifted(NEXT["batch"], draw)


def masks(seed: int) -> Iterator[dict]:
    """Claim 28: a causal mask before the softmax, after it, and no mask."""
    half = NEXT["half"]
    for place in MASKED_ATTENTION:
        set_seed(seed)
        model = CharLM(NEXT["letters"], 2 * half, place)
        fit(model, lm_loss, letter_batches(seed), steps=NEXT["steps"], learning_rate=NEXT["learning_rate"])
        ids = shifted(1000, generator(seed))
        inputs = ids[:, :-1]
        changed = torch.cat([inputs[:, :-1], (inputs[:, -1:] + 1) % NEXT["letters"]], dim=1)
        with torch.no_grad():
            output, other = model(inputs), model(changed)
        hit = output.logits.argmax(dim=-1) == ids[:, 1:]
        written = generate(model, ids[:, :half], half)[:, half:] == ids[:, half:]
        yield {
            "model": place,
            "seed": seed,
            "first half": rounded(hit[:, : half - 1].double().mean()),
            "second half": rounded(hit[:, half - 1 :].double().mean()),
            "written": rounded(written.double().mean()),
            "logit change": rounded((output.logits - other.logits)[:, :-1].abs().max()),
            "smallest sum": rounded(output.weights.sum(dim=-1).min()),
        }


# ── Distance ──────────────────────────────────────────────────────────────────────────────────────────────────────────

RECALL = {"cards": CARDS, "batch": 64, "steps": 300, "learning_rate": 5e-3}


def classifier_loss(model: RecallClassifier, rows: DistantRecall) -> Tensor:
    """Cross-entropy of the queried number."""
    return nn.functional.cross_entropy(model(rows), rows.answer)


def gradient_norms(model: RecallClassifier, rows: DistantRecall) -> dict[str, float]:
    """Norm of the logits' gradient with respect to the vector at each distance, as a share of the largest."""
    x = model.vectors(rows.letters, rows.numbers, rows.marks).detach().requires_grad_()
    norms = sum(torch.autograd.grad(logit.sum(), x, retain_graph=True)[0].norm(dim=-1) for logit in model.read(x).T)
    by_distance = norms.mean(dim=0).flip(0)[1:]  # without the query itself
    return {str(d): rounded(norm / by_distance.max()) for d, norm in enumerate(by_distance, start=1)}


def distant(seed: int) -> Iterator[dict]:
    """Claim 11: gradient norm and accuracy by distance, with the query at the end or at the card."""
    for reader in READERS:
        set_seed(seed)
        untrained = gradient_norms(RecallClassifier(reader), distant_recall("last", 100, generator(seed)))
        yield {"model": f"{reader}, untrained", "seed": seed, "gradient norm": untrained}
        for asked in ASKED:
            set_seed(seed)
            model, settings = RecallClassifier(reader), {key: RECALL[key] for key in ("steps", "learning_rate")}
            fit(model, classifier_loss, distant_recall_batches(asked, seed), **settings)
            test = distant_recall(asked, 3000, generator(seed))
            with torch.no_grad():
                hit = (model(test).argmax(dim=-1) == test.answer).double()
            few = distant_recall(asked, 100, generator(seed))
            yield {
                "model": f"{reader}, {asked}",
                "seed": seed,
                "parameters": n_parameters(model),
                "accuracy by distance": {str(d): rounded(hit[test.distance == d].mean()) for d in range(1, CARDS + 1)},
                "gradient norm": gradient_norms(model, few),
                "accuracy": rounded(hit.mean()),
            }


# ── Self-attention and cross-attention ────────────────────────────────────────────────────────────────────────────────

LENGTHS = {"reversal": (6, 12), "reversal of nine": (9, 9)}
TASKS = {"d_embedding": 32, "batch": 64, "steps": 250, "learning_rate": 1e-2}


class Tagger(nn.Module):
    """Self-attention over a sentence, and at each position a logit for each target word."""

    def __init__(self, n_source: int, n_target: int):
        super().__init__()
        self.encoder = SelfAttentionEncoder(n_source, 40, n_heads=1)
        self.readout = nn.Linear(40, n_target)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits over tags."""
        return self.readout(self.encoder(ids).states)


def tag_loss(model: Tagger, batch) -> Tensor:
    """Cross-entropy over all positions but padding."""
    return nn.functional.cross_entropy(model(batch.source).flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)


def task(name: str, n: int, seed: int) -> list[Pair]:
    """Letters to reverse, or cards to be tagged with the number of the matching card."""
    if name != "match":
        return strings("reversal", n, LENGTHS[name], seed=seed)
    rows = associative_recall("match", n, torch.Generator().manual_seed(seed))
    faces = zip(rows.symbols.tolist(), (rows.values % 8).tolist(), (rows.answer % 8).tolist(), strict=True)
    return [
        Pair(tuple(f"{'ABCDEFGH'[s]}{v}" for s, v in zip(symbols, values, strict=True)), tuple(map(str, answers)))
        for symbols, values, answers in faces
    ]


def two_tasks(seed: int) -> Iterator[dict]:
    """Claim 10: self-attention and an attentive decoder, each on its own task and on the other's."""
    for name in (*LENGTHS, "match"):
        train, test = task(name, 12_000, seed), task(name, 400, seed + 1000)
        classic = Trained(partial(LuongDecoder, input_feeding=False), train, seed, TASKS, 40)
        yield classic.row(f"{name}, classic", seed) | {"exact": round(accuracy(classic.written(test), test).exact, 4)}
        set_seed(seed)
        model = Tagger(len(classic.source), len(classic.target))
        supply = batches(train, classic.source, classic.target, size=TASKS["batch"], seed=seed)
        history = fit(model, tag_loss, supply, steps=TASKS["steps"], learning_rate=TASKS["learning_rate"])
        with torch.no_grad():
            tagged = [model(torch.tensor([classic.source.encode(p.source)]))[0].argmax(dim=-1) for p in test]
        exact = accuracy([classic.target.decode(tags) for tags in tagged], test).exact
        row = {"model": f"{name}, self", "seed": seed, "parameters": n_parameters(model)}
        yield row | {"CPU seconds": round(history.cpu_seconds, 1), "exact": round(exact, 4)}


# ── Attribution ───────────────────────────────────────────────────────────────────────────────────────────────────────

VOTE = {"d_model": 32, "batch": 64, "steps": 250, "learning_rate": 3e-3}


def vote_loss(model: VoteClassifier, batch) -> Tensor:
    """Cross-entropy of yes and no."""
    return nn.functional.cross_entropy(model(batch.ids), batch.answer)


def attributed(seed: int) -> Iterator[dict]:
    """Claim 29: weight, gradient and ablation for the same predictions, and which words carry a vote."""
    for n_layers in (1, 2):
        set_seed(seed)
        model = VoteClassifier(CLS + 1, n_layers=n_layers)
        fit(model, vote_loss, vote_batches(seed), steps=VOTE["steps"], learning_rate=VOTE["learning_rate"])
        test = votes(500, generator(seed))
        weight, gradient, product, ablation = (part[:, 1:].abs() for part in attributions(model, test.ids))
        with torch.no_grad():
            share = (model(test.ids).argmax(dim=-1) == test.answer).double().mean()
        row = {"model": f"{n_layers} layer{'s' if n_layers > 1 else ''}", "seed": seed, "accuracy": rounded(share)}
        pairs = {
            "weight, ablation": (weight, ablation),
            "weight, gradient": (weight, gradient),
            "gradient, ablation": (gradient, ablation),
            "gradient × input, ablation": (product, ablation),
        }
        row |= {name: rounded(rank_correlation(*two).double().mean()) for name, two in pairs.items()}
        votes_top = test.vote[:, 1:].gather(1, weight.argmax(dim=1, keepdim=True)) != 0
        same = (weight.argmax(dim=1) == ablation.argmax(dim=1)).double().mean()
        yield row | {"same top word": rounded(same), "top word votes": rounded(votes_top.double().mean())}


MATCHING = "associative recall: predict the value of the matching card"
EXPERIMENTS = {
    "projections": (projections, ONE_HEAD | {"task": f"{MATCHING}, or of the card before"}),
    "masks": (masks, NEXT | {"task": "eight random letters, then the successor of each"}),
    "distant recall": (distant, RECALL | {"task": "predict the number of one of sixteen cards at the end"}),
    "two tasks": (two_tasks, TASKS | {"task": "reverse letters; predict the number of each matching card"}),
    "attributions": (attributed, VOTE | {"task": "classify ten words, of which some vote"}),
}

# ── The claims table ──────────────────────────────────────────────────────────────────────────────────────────────────


def better_at_what() -> str:
    """Claim 10."""
    names = {"match": "matching card", "reversal of nine": "9 letters reversed", "reversal": "6–12 letters reversed"}
    return f"exact match after {TASKS['steps']} steps with as many parameters; " + "; ".join(
        f"{label}: self {over_seeds('two tasks', f'{name}, self', 'exact')}, "
        f"classic {over_seeds('two tasks', f'{name}, classic', 'exact')}"
        for name, label in names.items()
    )


def one_step() -> str:
    """Claim 11."""
    far = str(CARDS)
    norms = [f"{name} {over_seeds('distant recall', f'{name}, untrained', 'gradient norm', far)}" for name in READERS]
    shares = [
        f"query {asked}: "
        + ", ".join(f"{name} {over_seeds('distant recall', f'{name}, {asked}', 'accuracy')}" for name in READERS)
        for asked in ASKED
    ]
    return (
        f"gradient norm at distance {far} before training, relative to the largest: {', '.join(norms)}; accuracy, "
        f"{'; '.join(shares)}"
    )


def three_projections() -> str:
    """Claim 13."""
    names = (*PROJECTIONS, "one for all")
    return "accuracy, matching card: " + ", ".join(
        f"{name} {over_seeds('projections', f'match, {name}', 'accuracy')}" for name in names
    )


def before_the_softmax() -> str:
    """Claim 28."""
    figures = {
        "accuracy on unpredictable letters": "first half",
        "accuracy of generated letters": "written",
        "largest change of a logit by a later letter": "logit change",
    }
    return "; ".join(
        f"mask {place}: " + ", ".join(f"{label} {over_seeds('masks', place, key)}" for label, key in figures.items())
        for place in MASKED_ATTENTION
    )


def why_it_decided() -> str:
    """Claim 29."""
    pairs = {
        "weight with ablation": "weight, ablation",
        "weight with gradient norm": "weight, gradient",
        "gradient × input with ablation": "gradient × input, ablation",
    }
    return "rank correlation; " + "; ".join(
        f"{name}: " + ", ".join(f"{pair} {over_seeds('attributions', name, key)}" for pair, key in pairs.items())
        for name in load_results("attributions").models
    )


CLAIMS = [
    (
        10,
        "Self-attention is better than classic attention",
        "does not hold: they suit different tasks; each was far ahead on its own, and they were level on the task that "
        "both can do",
        better_at_what,
    ),
    (
        11,
        "Attention joins any two words in one step; recurrent networks forget with distance",
        "the first half holds; untrained recurrent networks forget with distance, trained ones kept one card over "
        "sixteen positions, and failed when any of sixteen cards could be queried",
        one_step,
    ),
    (
        13,
        "In self-attention key = value = query",
        "does not hold: the input is the same, the projections differ; any single projection can be removed, but not "
        "all three",
        three_projections,
    ),
    (
        28,
        "Future words must be masked before the softmax",
        "holds: without a mask the model copies the word that it should predict, and cannot generate; a mask after the "
        "softmax leaks",
        before_the_softmax,
    ),
    (
        29,
        "Attention shows why the model decided",
        "does not hold: weights and ablations rank the same words differently, as do gradient × input and ablations; "
        "weights and gradient norms agree only in the model with one layer",
        why_it_decided,
    ),
]
