"""The data of the course: plain typed objects, the same for the same seed, without a network.

pairs               parallel corpora: Pair, Vocabulary, Batch, split
grammar             French–English and Chinese–English sentences from a grammar, with gold alignment
french, chinese     words and rules of the grammars
lexicon             the reader of their tables of words
synchronous         synchronous grammars
dates               random days in the date formats of twenty languages, to ISO form, with character alignment
interface           real sentences: JupyterLab's interface in French and Chinese
corpora             larger real corpora, on request
strings             strings to copy or reverse
lookup              key–value lookup
associative_recall  each card predicts the value of a related card
multi_recall        … of several related cards
distant_recall      the number of a card, some positions back
votes               majority votes
words               word vectors
pretrained          the attention weights of a pretrained Transformer
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
    """Import a module when one of its names is first used: pairs need torch, words do not (PEP 562)."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The names that can be imported from here."""
    return __all__
