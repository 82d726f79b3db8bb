"""The data of the course: each module returns plain typed objects, the same for the same seed, without a network.

pairs        what every translation task is made of: Pair, Vocabulary, Batch, split
grammar      sentences made by rules, French–English and Chinese–English, with the gold alignment
french       … the words and rules of the one
chinese      … and of the other
lexicon      how their tables of words are read
synchronous  how their rules make a sentence and its translation at once
"""
