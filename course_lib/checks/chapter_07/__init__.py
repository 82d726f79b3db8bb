"""Chapter 7: the checks of its exercises, and the predictions about the sizes of heads."""

from ..predictions import Predictions
from .heads import check_grouped, check_joined, check_pieces

check_costs = Predictions(
    {
        "numbers in one head's query": (
            64,
            {
                512: "that is the width of the model. How many heads share it?",
                4096: "eight heads do not make a word longer. They share its numbers.",
                8: "that is how many heads there are. How much is left for each?",
            },
        ),
        "numbers in the three matrices of eight heads": (
            786432,
            {
                6291456: "each head's matrix goes from 512 numbers to its share only. How many is that?",
                98304: "so many has one head. How many heads are there, and how much of a word does each read?",
                1048576: "that counts $W_O$ as well. How many matrices are asked for?",
                262144: "so many has one matrix. How many are there?",
            },
        ),
        "the same with one head": (
            786432,
            {
                98304: "one head has all 512 numbers. Are its matrices as small as those of a head among eight?",
                6291456: "one head's query has 512 numbers, no more. How many are in a matrix from 512 to 512?",
            },
        ),
        "weights that are computed for ten words": (
            800,
            {
                100: "that is one head's map. How many heads are there?",
                80: "each of the 80 rows has a weight for every word.",
                51200: "a weight belongs to a head, a query and a key, not to each of their numbers.",
            },
        ),
        "numbers kept for each word, eight heads of keys": (
            1024,
            {
                512: "keys are kept. And what do the weights weighted average?",
                1536: "an old word's query is never needed again. What of it is?",
                128: "that is one head's. How many heads of keys are there?",
            },
        ),
        "numbers kept for each word, one head of keys": (
            128,
            {
                64: "keys are kept. And the values of that head?",
                1024: "so many are kept with eight heads of keys. How many heads are left?",
            },
        ),
        "numbers in the three matrices, one head of keys": (
            327680,
            {
                98304: "the queries keep their eight heads. Which two matrices become smaller?",
                786432: "so many were there before. Which two matrices become smaller?",
                294912: "queries and keys are counted. And the matrix of the values?",
                270336: "keys and values are made from the whole word. How many numbers has it?",
                557056: "the keys' matrix became smaller. And the values'?",
            },
        ),
    }
)
