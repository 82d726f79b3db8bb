"""What chapter 6 measures at several seeds: projections, masks, distance, two jobs, and what a weight explains."""

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
from course_lib.data.results import load_results
from course_lib.data.strings import strings
from course_lib.data.votes import CLS, vote_batches, votes
from course_lib.measure import accuracy, rank_correlation, summarise
from course_lib.models.attributions import VoteClassifier, attributions
from course_lib.models.char_lm import MASKED_ATTENTION, CharLM, generate, lm_loss
from course_lib.models.luong import LuongDecoder
from course_lib.models.recall_classifier import RecallClassifier
from course_lib.models.self_attention import SelfAttentionEncoder
from course_lib.models.single_head import SingleHeadModel, recall_loss
from course_lib.tokens import PAD
from course_lib.training import fit, set_seed
from scripts.experiments.common import Trained, generator, rounded
from scripts.experiments.figures import figure, short

GATED = ("GRU", "LSTM")
READERS = (*GATED, "self-attention")


# ── One input, three projections ──────────────────────────────────────────────────────────────────────────────────────

LOOK = {"d_model": 32, "batch": 64, "steps": 200, "learning_rate": 1e-2}
PROJECTIONS = {"own": "", "no W_Q": "q", "no W_K": "k", "no W_V": "v", "none at all": "qkv"}


def projections(seed: int) -> Iterator[dict]:
    """Claim 13: each projection left out, all left out, and all three the same matrix."""
    for relation in ("match", "before"):
        for name, left_out in (PROJECTIONS | {"one for all": ""}).items():
            set_seed(seed)
            model = SingleHeadModel(d_model=LOOK["d_model"], tied="qkv" if name == "one for all" else "")
            for letter in left_out:
                setattr(model, f"w_{letter}", nn.Identity())
            fit(
                model,
                recall_loss,
                associative_recall_batches(relation, seed),
                steps=LOOK["steps"],
                learning_rate=LOOK["learning_rate"],
            )
            test = associative_recall(relation, 1000, generator(seed))
            with torch.no_grad():
                told = model(test)
            right = (told.logits.argmax(dim=-1) == test.answer).double().mean()
            pointing = (told.weights.argmax(dim=-1) == test.partner).double().mean()
            row = {
                "model": f"{relation}, {name}",
                "seed": seed,
                "parameters": sum(p.numel() for p in model.parameters()),
            }
            yield row | {"right": rounded(right), "pointing": rounded(pointing)}


# ── Masks ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

NEXT = {"letters": 8, "half": 8, "batch": 64, "steps": 300, "learning_rate": 1e-2}


def shifted(n: int, draw: torch.Generator) -> Tensor:
    """Eight random letters, then the letter after each of them: only the second half can be foreseen."""
    first = torch.randint(NEXT["letters"], (n, NEXT["half"]), generator=draw)
    return torch.cat([first, (first + 1) % NEXT["letters"]], dim=1)


def letter_batches(seed: int) -> Iterator[Tensor]:
    """Such strings without end."""
    draw = torch.Generator().manual_seed(seed)
    while True:
        yield shifted(NEXT["batch"], draw)


def masks(seed: int) -> Iterator[dict]:
    """Claim 28: the mask before the softmax, after it, nowhere."""
    half = NEXT["half"]
    for place in MASKED_ATTENTION:
        set_seed(seed)
        model = CharLM(NEXT["letters"], 2 * half, place)
        fit(model, lm_loss, letter_batches(seed), steps=NEXT["steps"], learning_rate=NEXT["learning_rate"])
        ids = shifted(1000, generator(seed))
        read = ids[:, :-1]  # as in training: the last letter is foreseen, never read
        other = torch.cat([read[:, :-1], (read[:, -1:] + 1) % NEXT["letters"]], dim=1)
        with torch.no_grad():
            guessed, moved = model(read), model(other)
        hit = guessed.logits.argmax(dim=-1) == ids[:, 1:]
        written = generate(model, ids[:, :half], half)[:, half:] == ids[:, half:]
        yield {
            "model": place,
            "seed": seed,
            "first half": rounded(hit[:, : half - 1].double().mean()),
            "second half": rounded(hit[:, half - 1 :].double().mean()),
            "written": rounded(written.double().mean()),
            "felt": rounded((guessed.logits - moved.logits)[:, :-1].abs().max()),
            "smallest sum": rounded(guessed.weights.sum(dim=-1).min()),
        }


# ── Distance ──────────────────────────────────────────────────────────────────────────────────────────────────────────

RECALL = {"cards": CARDS, "batch": 64, "steps": 300, "learning_rate": 5e-3}


def classifier_loss(model: RecallClassifier, rows: DistantRecall) -> Tensor:
    """Cross-entropy of the number asked for."""
    return nn.functional.cross_entropy(model(rows), rows.answer)


def felt(model: RecallClassifier, rows: DistantRecall) -> dict[str, float]:
    """How much the logits move with the vector at each distance, mean over rows, as a share of the largest."""
    x = model.vectors(rows.letters, rows.numbers, rows.marks).detach().requires_grad_()
    norms = sum(torch.autograd.grad(logit.sum(), x, retain_graph=True)[0].norm(dim=-1) for logit in model.read(x).T)
    by_distance = norms.mean(dim=0).flip(0)[1:]  # the question itself is left out
    return {str(d): rounded(norm / by_distance.max()) for d, norm in enumerate(by_distance, start=1)}


def distance(seed: int) -> Iterator[dict]:
    """Claim 11: gradients and recall by distance, by what has to be remembered."""
    for reader in READERS:
        set_seed(seed)
        untrained = felt(RecallClassifier(reader), distant_recall("last", 100, generator(seed)))
        yield {"model": f"{reader}, untrained", "seed": seed, "felt": untrained}
        for asked in ASKED:
            set_seed(seed)
            model, settings = RecallClassifier(reader), {key: RECALL[key] for key in ("steps", "learning_rate")}
            fit(model, classifier_loss, distant_recall_batches(asked, seed), **settings)
            test = distant_recall(asked, 3000, generator(seed))
            with torch.no_grad():
                hit = (model(test).argmax(dim=-1) == test.answer).double()
            right = {str(d): rounded(hit[test.distance == d].mean()) for d in range(1, CARDS + 1)}
            few = distant_recall(asked, 100, generator(seed))
            found = {"right": right, "felt": felt(model, few), "all": rounded(hit.mean())}
            parameters = sum(p.numel() for p in model.parameters())
            yield {"model": f"{reader}, {asked}", "seed": seed, "parameters": parameters} | found


# ── Two jobs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

LENGTHS = {"reversal": (6, 12), "reversal of nine": (9, 9)}
JOBS = {"d_embedding": 32, "batch": 64, "steps": 250, "learning_rate": 1e-2}


class Tagger(nn.Module):
    """A sentence that reads itself, and at each place a logit for each word of the target."""

    def __init__(self, n_source: int, n_target: int):
        super().__init__()
        self.encoder = SelfAttentionEncoder(n_source, 40, n_heads=1)
        self.told = nn.Linear(40, n_target)

    def forward(self, ids: Tensor) -> Tensor:
        """Read, and tag each place."""
        return self.told(self.encoder(ids).states)


def tag_loss(model: Tagger, batch) -> Tensor:
    """Cross-entropy where there are words."""
    return nn.functional.cross_entropy(model(batch.source).flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)


def job(name: str, n: int, seed: int) -> list[Pair]:
    """Letters to be written in reverse; or cards, each to be tagged with the number of its twin."""
    if name != "match":
        return strings("reversal", n, LENGTHS[name], seed=seed)
    rows = associative_recall("match", n, torch.Generator().manual_seed(seed))
    faces = zip(rows.symbols.tolist(), (rows.values % 8).tolist(), (rows.answer % 8).tolist(), strict=True)
    return [
        Pair(tuple(f"{'ABCDEFGH'[s]}{v}" for s, v in zip(symbols, values, strict=True)), tuple(map(str, answers)))
        for symbols, values, answers in faces
    ]


def jobs(seed: int) -> Iterator[dict]:
    """Claim 10: each kind of attention does its own job and the other's."""
    for name in (*LENGTHS, "match"):
        train, test = job(name, 12_000, seed), job(name, 400, seed + 1000)
        classic = Trained(partial(LuongDecoder, input_feeding=False), train, seed, JOBS, 40)
        yield classic.row(f"{name}, classic", seed) | {"exact": round(accuracy(classic.written(test), test).exact, 4)}
        set_seed(seed)
        model = Tagger(len(classic.source), len(classic.target))
        supply = batches(train, classic.source, classic.target, size=JOBS["batch"], seed=seed)
        history = fit(model, tag_loss, supply, steps=JOBS["steps"], learning_rate=JOBS["learning_rate"])
        with torch.no_grad():
            tagged = [model(torch.tensor([classic.source.encode(p.source)]))[0].argmax(dim=-1) for p in test]
        exact = accuracy([classic.target.decode(tags) for tags in tagged], test).exact
        parameters = sum(p.numel() for p in model.parameters())
        row = {"model": f"{name}, self", "seed": seed, "parameters": parameters}
        yield row | {"cpu_seconds": round(history.cpu_seconds, 1), "exact": round(exact, 4)}


# ── Is a weight an explanation? ───────────────────────────────────────────────────────────────────────────────────────

VOTE = {"d_model": 32, "batch": 64, "steps": 250, "learning_rate": 3e-3}


def vote_loss(model: VoteClassifier, batch) -> Tensor:
    """Cross-entropy of yes and no."""
    return nn.functional.cross_entropy(model(batch.ids), batch.answer)


def explained(seed: int) -> Iterator[dict]:
    """Claim 29: weight, gradient and ablation for the same predictions; and what the words really vote."""
    for n_layers in (1, 2):
        set_seed(seed)
        model = VoteClassifier(CLS + 1, n_layers=n_layers)
        fit(model, vote_loss, vote_batches(seed), steps=VOTE["steps"], learning_rate=VOTE["learning_rate"])
        test = votes(500, generator(seed))
        weight, gradient, product, ablated = (part[:, 1:].abs() for part in attributions(model, test.ids))
        with torch.no_grad():
            right = (model(test.ids).argmax(dim=-1) == test.answer).double().mean()
        row = {"model": f"{n_layers} layer{'s' if n_layers > 1 else ''}", "seed": seed, "right": rounded(right)}
        pairs = {
            "weight, ablation": (weight, ablated),
            "weight, gradient": (weight, gradient),
            "gradient, ablation": (gradient, ablated),
            "gradient × input, ablation": (product, ablated),
        }
        row |= {name: rounded(rank_correlation(*two).double().mean()) for name, two in pairs.items()}
        votes_too = test.vote[:, 1:].gather(1, weight.argmax(dim=1, keepdim=True)) != 0
        same = (weight.argmax(dim=1) == ablated.argmax(dim=1)).double().mean()
        yield row | {"same word": rounded(same), "it votes": rounded(votes_too.double().mean())}


EXPERIMENTS = {
    "projections": (projections, LOOK | {"task": "cards: tell the number of the twin, or of the card before"}),
    "masks": (masks, NEXT | {"task": "eight random letters, then the letter after each"}),
    "distance": (distance, RECALL | {"task": "the number of one of sixteen cards, told at the end"}),
    "jobs": (jobs, JOBS | {"task": "letters in reverse; the number of each card's twin"}),
    "explained": (explained, VOTE | {"task": "ten words, of which some vote"}),
}

# ── The ledger ────────────────────────────────────────────────────────────────────────────────────────────────────────


def at(model: str, name: str, label: str) -> str:
    """One number of a figure of the distances, as the ledger shows it."""
    return short(summarise([table[label] for table in load_results("distance").values(model, name)]))


def better_at_what() -> str:
    """Claim 10."""
    names = {"match": "the twin's number", "reversal of nine": "nine letters in reverse", "reversal": "6 to 12 letters"}
    parts = [
        f"{label}: self {short(figure('jobs', f'{name}, self', 'exact'))}, "
        f"classic {short(figure('jobs', f'{name}, classic', 'exact'))}"
        for name, label in names.items()
    ]
    return f"exact after {JOBS['steps']} steps at an equal size; " + "; ".join(parts)


def one_step() -> str:
    """Claim 11."""
    far = str(CARDS)
    felt_at = ", ".join(f"{name} {at(f'{name}, untrained', 'felt', far)}" for name in READERS)
    told = [
        f"asked {asked}: "
        + ", ".join(f"{name} {short(figure('distance', f'{name}, {asked}', 'all'))}" for name in READERS)
        for asked in ASKED
    ]
    return f"untrained, gradient at distance {far}, the largest = 1: {felt_at}; cards told right, " + "; ".join(told)


def three_projections() -> str:
    """Claim 13."""
    parts = [
        f"{name} {short(figure('projections', f'match, {name}', 'right'))}" for name in (*PROJECTIONS, "one for all")
    ]
    return f"twins told right: {', '.join(parts)}"


def before_the_softmax() -> str:
    """Claim 28."""
    return "; ".join(
        f"{place}: letters that cannot be foreseen {short(figure('masks', place, 'first half'))}, "
        f"written right {short(figure('masks', place, 'written'))}, "
        f"logits move with a later letter by at most {short(figure('masks', place, 'felt'))}"
        for place in MASKED_ATTENTION
    )


def why_it_decided() -> str:
    """Claim 29."""
    pairs = {
        "weight with ablation": "weight, ablation",
        "weight with the norm of the gradient": "weight, gradient",
        "gradient × input with ablation": "gradient × input, ablation",
    }
    return "rank correlation; " + "; ".join(
        f"{name}: " + ", ".join(f"{pair} {short(figure('explained', name, key))}" for pair, key in pairs.items())
        for name in load_results("explained").models
    )


CLAIMS = [
    (
        10,
        "Self-attention is better than classic attention",
        "06",
        "does not hold: they do different jobs; each was far ahead in its own, and level where both can do it",
        better_at_what,
    ),
    (
        11,
        "Attention joins any two words in one step; recurrent networks forget with distance",
        "06",
        "the one step holds; untrained recurrent networks forget with distance, trained ones kept one card over "
        "sixteen places, and failed where any of sixteen might be asked for",
        one_step,
    ),
    (
        13,
        "In self-attention key = value = query",
        "06",
        "does not hold: the input is the same, the readings are not; each projection alone can be left out, all cannot",
        three_projections,
    ),
    (
        28,
        "Future words must be masked before the softmax",
        "06",
        "holds: without a mask the model looks up what it should foresee, and cannot write; after the softmax it leaks",
        before_the_softmax,
    ),
    (
        29,
        "Attention shows why the model decided",
        "06",
        "does not hold: weight and ablation rank the same words differently, gradient × input and ablation too; weight "
        "and the norm of the gradient go together with one layer only",
        why_it_decided,
    ),
]
