"""Chapter 6: the checks of its exercises, and the predictions about masks, windows and weights."""

from ..predictions import Predictions
from .ablation import check_without
from .masks import check_causal, check_seen

check_counts = Predictions(
    {
        "scores of twelve words": (
            144,
            {
                12: "each word has as many scores as there are words it may attend to. How many are there?",
                66: "the score of a for b is another one than that of b for a. Count both.",
                132: "without a mask a word may attend to itself, too.",
            },
        ),
        "True in a causal mask of twelve": (
            78,
            {
                66: "that is without the diagonal. May a word attend to itself?",
                144: "so many there are without a mask. Which half is hidden?",
                72: "half of the table would cut the diagonal in two. Is it seen or hidden?",
            },
        ),
        "steps of a recurrent network": (
            11,
            {
                12: "the first word is in the state of place 1 already. How many updates follow?",
                1: "a recurrent network passes on one state from place to place. Can it jump?",
                66: "only one path leads from the first place to the last. How long is it?",
            },
        ),
        "looks of self-attention": (
            1,
            {
                11: "does attention to word 1 pass through the words between?",
                12: "a word attends to all others at once, in one weighted average. How many weighted "
                "averages are needed?",
                0: "without an attention step, no word depends on another. How many does it take?",
            },
        ),
        "reach of four windows": (
            8,
            {
                2: "in the second layer a word attends to words that have attended already. How far?",
                9: "word 12 is there already. How far *back* can it reach, itself not counted?",
                12: "each window holds three words, one of them itself. How far back does it go?",
                16: "each layer adds as much as the one before. What is added up here?",
                6: "this is the reach of three layers. How many are there?",
            },
        ),
        "the first word's weight for itself": (
            1,
            {
                1 / 12: "eleven of twelve words are hidden from it. Among whom does it share?",
                0: "a causal mask lets a word see itself. What is a softmax over one number?",
            },
        ),
        "sum of row 3, masked after": (
            1 / 4,
            {
                1: "the softmax shared with twelve words; then nine of the shares were set to zero.",
                1 / 3: "that is one weight if the mask stood before the softmax. What is the sum?",
                3 / 4: "so much went to hidden words. What is left?",
                1 / 12: "each weight is that. How many of them are left in row 3?",
            },
        ),
        "factor of the scores for three times the words": (
            9,
            {
                3: "there are three times as many queries, each with three times as many keys.",
                1: "the matrices stay as large as they were. The table of scores does not.",
                27: "a table has two sides. How often does the factor three come in?",
                6: "rows and columns both grow three times. Are the two factors added?",
            },
        ),
    }
)
