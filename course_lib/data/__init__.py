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
longer_runs  what `make claims` measured at several seeds
corpora      larger real corpora, on request
"""

from course_lib.data.dates import date_pairs
from course_lib.data.grammar import example, sentences
from course_lib.data.interface import interface_sentences
from course_lib.data.longer_runs import longer_run
from course_lib.data.pairs import Pair, Vocabulary, batches, collate, split
from course_lib.data.words import word_vectors

__all__ = [
    "Pair",
    "Vocabulary",
    "batches",
    "collate",
    "date_pairs",
    "example",
    "interface_sentences",
    "longer_run",
    "sentences",
    "split",
    "word_vectors",
]
