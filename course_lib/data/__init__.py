"""The data of the course: each module returns plain typed objects, the same for the same seed, without a network.

pairs        what every translation task is made of: Pair, Vocabulary, Batch, split
grammar      sentences made by rules, French–English and Chinese–English, with the gold alignment
french       … the words and rules of the one
chinese      … and of the other
lexicon      how their tables of words are read
synchronous  how their rules make a sentence and its translation at once
dates        real dates in twenty languages, to ISO form, each character aligned
interface    real sentences: JupyterLab's interface in French and Chinese
words        real word vectors
cards        rows of cards that have to ask each other: the right attention map is known
shelves      shelves of books, one of which is asked for
strings      strings to be written again, in the same order or in reverse
results  what `make claims` measured at several seeds
corpora      larger real corpora, on request
"""

from importlib import import_module
from typing import Any

MODULES = {
    "date_pairs": "dates",
    "example": "grammar",
    "sentences": "grammar",
    "interface_sentences": "interface",
    "load_results": "results",
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
