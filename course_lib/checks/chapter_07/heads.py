"""Chapter 7: features cut into heads, heads put side by side again, and heads that share their keys and values."""

import numpy as np

from ..engine import Check, Inputs, known
from ..inputs import normal


def split_heads(x, n_heads, *, cut="blocks", order="right", axes="head_first"):
    """The features of each word in blocks, one for each head; heads in front."""
    n, size = len(x), x.shape[1] // n_heads
    found = {
        "blocks": lambda: x.unflatten(1, (n_heads, size)).transpose(0, 1),
        "viewed": lambda: x.reshape(n_heads, n, size),
        "dealt": lambda: x.unflatten(1, (size, n_heads)).permute(2, 0, 1),
        "exchanged": lambda: x.unflatten(1, (size, n_heads)).transpose(0, 1),
        "copies": lambda: x.expand(n_heads, -1, -1),
        "first": lambda: x[:, :size].expand(n_heads, -1, -1),
        "sums": lambda: x.unflatten(1, (n_heads, size)).sum(dim=1).expand(n_heads, -1, -1),
    }[cut]()
    found = found.flip(0) if order == "reversed" else found
    return {"head_first": found, "word_first": found.transpose(0, 1), "transposed": found.mT}[axes]


def split_heads_cases(rng: np.random.Generator) -> Inputs:
    """Words with features that heads can share."""
    return {
        "two words of four features, two heads": (normal(rng, 2, 4), 2),
        "five words of six features, two heads": (normal(rng, 5, 6), 2),
        "three words of eight features, four heads": (normal(rng, 3, 8), 4),
    }


check_pieces = Check(
    split_heads,
    split_heads_cases,
    (
        *known(
            "cut",
            viewed="the shape is right and the words are mixed: a view goes through all numbers in reading order. "
            "Which axis has to be cut first, alone?",
            dealt="features are dealt out like cards, every n-th to the same head. A head has a block of neighbours.",
            exchanged="each head has `n_heads` features. How many heads are there to be, and how large is each?",
            copies="each head has all features. How many of them is its share?",
            first="all heads have the first block. Which block is head 1's?",
            sums="the blocks of all heads are added up. A head has its own block alone.",
        ),
        *known("order", reversed="the heads are in the wrong order: head 0 has the first block."),
        *known(
            "axes",
            word_first="words come before heads. Which axis must stand in front, so that each head is a table?",
            transposed="words and features have changed places within each head.",
        ),
    ),
    axes=("head", "word", "feature"),
)


def merge_heads(seen, W_O, *, join="blocks", order="right", out="right", gives="rows"):
    """The parts of each word side by side, times the last matrix."""
    n_heads, n, size = seen.shape
    seen = seen.flip(0) if order == "reversed" else seen
    together = {
        "blocks": lambda: seen.transpose(0, 1).flatten(1),
        "viewed": lambda: seen.reshape(n, n_heads * size),
        "dealt": lambda: seen.permute(1, 2, 0).flatten(1),
        "mean": lambda: seen.mean(dim=0).repeat(1, n_heads),
        "first": lambda: seen[0].repeat(1, n_heads),
    }[join]()
    made = {"right": together @ W_O.T, "none": together, "as_it_is": together @ W_O}[out]
    return made.T if gives == "transposed" else made


def merge_heads_cases(rng: np.random.Generator) -> Inputs:
    """What heads have seen, and the last matrix."""
    return {
        "two heads, two words, two features each": (normal(rng, 2, 2, 2), normal(rng, 4, 4)),
        "two heads, five words, three features each": (normal(rng, 2, 5, 3), normal(rng, 6, 6)),
        "four heads, three words, two features each": (normal(rng, 4, 3, 2), normal(rng, 8, 8)),
    }


check_joined = Check(
    merge_heads,
    merge_heads_cases,
    (
        *known(
            "join",
            viewed="words are mixed: numbers are read in the order in which they lie, all words of head 0 first. "
            "Which two axes have to change places before they are joined?",
            dealt="the features of the heads are shuffled into each other. Head 0's block comes first, as a whole.",
            mean="the heads are averaged. Side by side, each keeps its own numbers.",
            first="only head 0 is there, again and again. Where are the others' parts?",
        ),
        *known("order", reversed="the heads stand in the wrong order: head 0's block comes first."),
        *known(
            "out",
            none="the last matrix is missing: $W_O$ mixes what the heads have seen.",
            as_it_is="the last matrix has to be transposed: a row of the result is $W_O$ times what "
            "stands side by side.",
        ),
        *known("gives", transposed="words stand in the columns. A row belongs to a word."),
    ),
    axes=("word", "feature"),
)


def grouped_attention(q, k, v, *, keys="groups", values="groups", scale="d_k", softmax="keys", gives="context"):
    """The context of each head, where neighbouring heads share the keys and values of a group."""
    k, v = OF_GROUPS[keys](k, len(q)), OF_GROUPS[values](v, len(q))
    size, n_key = q.shape[-1], k.shape[-2]
    divide = {"d_k": size**0.5, "none": 1.0, "all": (size * len(q)) ** 0.5, "size": size, "words": n_key**0.5}
    scores = q @ k.mT / divide[scale]
    weights = scores if softmax == "none" else scores.softmax(dim={"keys": -1, "queries": -2, "heads": -3}[softmax])
    return weights if gives == "weights" else weights @ v


OF_GROUPS = {
    "groups": lambda few, n: few.repeat_interleave(n // len(few), dim=0),
    "in_turn": lambda few, n: few.repeat(n // len(few), 1, 1),
    "first": lambda few, n: few[:1].expand(n, -1, -1),
    "mean": lambda few, n: few.mean(dim=0, keepdim=True).expand(n, -1, -1),
}


def grouped_attention_cases(rng: np.random.Generator) -> Inputs:
    """Several heads of queries, fewer heads of keys and values."""
    return {
        "four heads, two groups, three words of three features": tuple(normal(rng, h, 3, 3) for h in (4, 2, 2)),
        "six heads, two groups, five words of two features": tuple(normal(rng, h, 5, 2) for h in (6, 2, 2)),
        "six heads, three groups, two words of four features": tuple(normal(rng, h, 2, 4) for h in (6, 3, 3)),
    }


check_grouped = Check(
    grouped_attention,
    grouped_attention_cases,
    (
        *known(
            "keys",
            in_turn="heads take the keys of the groups in turn. Here neighbours share: which keys has head 1?",
            first="all heads attend to the first group's keys. Which are the last head's?",
            mean="the groups' keys are averaged. Each head has the keys of one group.",
        ),
        *known(
            "values",
            in_turn="heads take the values of the groups in turn. Here neighbours share: which values has head 1?",
            first="all heads get the first group's values. Which are the last head's?",
            mean="the groups' values are averaged. Each head has the values of one group.",
        ),
        *known(
            "scale",
            none="the scores are not divided. By what does the formula divide?",
            all="the scores are divided by the root of d_model. Each head has a share of it: which size counts?",
            size="the scores are divided by the size itself. What does the formula take of it?",
            words="the scores are divided by the root of the number of words. Which size does $d_k$ stand for?",
        ),
        *known(
            "softmax",
            queries="the weights sum to one over the queries. Along which axis has a query its share?",
            none="the scaled scores are used as weights. Which function turns scores into weights?",
            heads="the weights sum to one over the heads. Each head has a softmax of its own: over what?",
        ),
        *known("gives", weights="these are the weights. What do they weighted average?"),
    ),
    axes=("head", "query", "feature"),
)
