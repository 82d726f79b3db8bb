"""The data of the course: each module returns plain typed objects, the same for the same seed, without a network.

pairs               what every translation task is made of: Pair, Vocabulary, Batch, split
grammar             sentences made by rules, French–English and Chinese–English, with the gold alignment
french              … the words and rules of the one
chinese             … and of the other
lexicon             how their tables of words are read
synchronous         how their rules make a sentence and its translation at once
dates               random days in the date formats of twenty languages, to ISO form, each character aligned
interface           real sentences: JupyterLab's interface in French and Chinese
words               real word vectors
associative_recall  rows of cards: for each card, predict the value of another; the gold attention is known
distant_recall      rows of cards of which one is queried, at any distance
multi_recall        rows of cards with several relations
lookup              items with keys and values, one of which is queried
strings             strings to copy or to reverse
pretrained          attention weights of a real pretrained Transformer
corpora             larger real corpora, on request
"""

from importlib import import_module
from typing import Any

MODULES = {
    "date_pairs": "dates",
    "example": "grammar",
    "sentences": "grammar",
    "interface_sentences": "interface",
    "Pair": "pairs",
    "Vocabulary": "pairs",
    "batches": "pairs",
    "collate": "pairs",
    "split": "pairs",
    "word_vectors": "words",
}
__all__ = sorted(MODULES)


def __getattr__(name: str) -> Any:
    """Import a module when the first of its names is asked for: pairs need torch, words do not (PEP 562)."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The names that can be imported from here."""
    return __all__
