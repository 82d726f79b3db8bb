"""Write docs/claims.md, the ledger of claims, from the longer run: no number in it is typed by hand."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from course_lib.data.results import load_results
from course_lib.measure import Summary, summarise
from scripts.experiments import chapter_03, chapter_04, chapter_05, chapter_06, chapter_07
from scripts.experiments.figures import figure, short

PAGE = Path(__file__).parent.parent / "docs/claims.md"
HEAD = """# The claims ledger

Introductions to attention repeat the same sentences. The course measures them. Each figure below is the mean of five
seeds with the lowest and the highest in brackets, made by `make claims` and written here by it; the chapter tells how
it was measured, draws it, and asserts the verdict, so that a run that contradicts it fails. Exact match is greedy and
free-running; pointing is teacher-forced.

| id | the claim, as texts make it | chapter | verdict | measured |
|---|---|---|---|---|
"""
TAIL = """
The claims that are missing here belong to chapters that are not written yet. They will be entered here with them.

Made with {made_with}.
"""


def at(model: str, label: str) -> Summary:
    """Exact match of a model of the length experiment on one band of lengths."""
    return summarise([table[label] for table in load_results("length").values(model, "exact")])


def bottleneck() -> str:
    """Claim 1."""
    rows = [("fixed context", 68), ("fixed context 256", 256)]
    parts = [
        f"{width} numbers: {short(at(name, '4–7'))} at 4–7 words, {short(at(name, '16–20'))} at 16–20"
        for name, width in rows
    ]
    longer = load_results("trained longer")
    table = summarise([table["16–20"] for table in longer.values(longer.models[0], "exact")])
    parts.append(f"68 numbers after four times the steps: {short(table)} at 16–20")
    return "; ".join([*parts, f"attention, as large as the first: {short(at('Bahdanau', '16–20'))} at 16–20"])


def no_fall() -> str:
    """Claim 2."""
    labels = ("4–7", "16–20", "21–24", "28–30")
    return "trained on 4–20 words; " + ", ".join(f"{label}: {short(at('Bahdanau', label))}" for label in labels)


def same_influence() -> str:
    """Claim 3."""
    largest, gold = (figure("length", "fixed context", f"influence_{name}") for name in ("largest", "gold"))
    return f"influence, even = 1: the strongest source word {short(largest)}, the word being translated {short(gold)}"


def alignments() -> str:
    """Claim 4."""
    parts = [
        f"{language}, order as in English {short(figure(run, 'Bahdanau', 'pointing_monotone'))}, "
        f"inverted {short(figure(run, 'Bahdanau', 'pointing_inverted'))}"
        for run, language in (("length", "French"), ("chinese", "Chinese"))
    ]
    kinds = ("content words", "determiners", "pronouns", "negation")
    to_french = [f"{kind} {short(figure('determiners', 'Bahdanau', f'pointing, {kind}'))}" for kind in kinds]
    return "share of words pointing to gold: " + "; ".join(parts) + "; into French: " + ", ".join(to_french)


LATER: list[ModuleType] = [
    chapter_03,
    chapter_04,
    chapter_05,
    chapter_06,
    chapter_07,
]  # the modules of later chapters, which have CLAIMS of their own
CLAIMS: list[tuple[int, str, str, str, Callable[[], str]]] = [
    (
        1,
        "One fixed context vector is the bottleneck; long sentences suffer",
        "01",
        "holds at an equal budget; a wider context or longer training moves the cliff, and does not remove it",
        bottleneck,
    ),
    (
        2,
        "With attention, quality no longer falls with length",
        "02",
        "holds when the length was trained, nearly; beyond it falls",
        no_fall,
    ),
    (
        3,
        "With a fixed context every source word has the same influence on every target word",
        "01",
        "does not hold: the vector is constant, the influence is not",
        same_influence,
    ),
    (
        4,
        "The learned weights are alignments, also where word order differs",
        "02",
        "holds when the word carries meaning of its own; small words often look elsewhere, "
        "where the query has not read the previous word",
        alignments,
    ),
    (
        5,
        "Weights are scores divided by their sum",
        "02",
        "does not hold: the exponential is missing",
        lambda: "by example: the best of four scores gets a weight below 0",
    ),
]


def page() -> str:
    """The whole ledger."""
    claims = sorted(CLAIMS + [claim for chapter in LATER for claim in chapter.CLAIMS], key=lambda claim: claim[0])
    lines = [
        f"| {number} | {claim} | {chapter} | {verdict} | {measure()} |"
        for number, claim, chapter, verdict, measure in claims
    ]
    made_with = ", ".join(f"{name} {value}" for name, value in load_results("length").made_with.items())
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(made_with=made_with)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
