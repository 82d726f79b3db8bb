"""Exercises on reading: one step of a recurrent network, and a batch with padding."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import normal32


def rnn_step(
    x, h, W, U, b, *, curve="tanh", word="transposed", state="transposed", bias="inside", matrices="own", turn="rows"
):
    """The state of each sentence after reading x."""
    if matrices == "exchanged":
        W, U = U, W
    from_word, from_state = product(W, x, word), product(U, h, state)
    inside = {"inside": b, "by_sentence": b[:, None]}.get(bias, 0 * b)
    squash = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "none": lambda a: a}[curve]
    new = squash(from_word + from_state + inside) + (b if bias == "outside" else 0)
    return new.T if turn == "columns" else new


def product(matrix, rows, way):
    """The matrix times each row; or what a wrong product gives."""
    if way == "on_the_right":
        return matrix @ rows
    if way == "forgotten":
        return torch.zeros(len(rows), len(matrix), dtype=rows.dtype)
    return rows @ (matrix if way == "as_it_is" else matrix.T)


def step_cases(rng: np.random.Generator) -> Inputs:
    """x, h, W, U, b: square, where a matrix that is not transposed keeps the shape, and with all sizes different."""

    def inputs(batch, d_word, d_state):
        sizes = (batch, d_word), (batch, d_state), (d_state, d_word), (d_state, d_state), (d_state,)
        return tuple(normal32(rng, *size) for size in sizes)

    return {
        "four sentences, words and states of four numbers": inputs(4, 4, 4),
        "two sentences, words of three numbers, states of five": inputs(2, 3, 5),
        "one sentence, words of three numbers, states of two": inputs(1, 3, 2),
    }


check_step = Check(
    rnn_step,
    step_cases,
    (
        *known(
            "curve",
            none="your state grows beyond one. Which function keeps each of its numbers between −1 and 1?",
            sigmoid="no number of your state is negative: the sigmoid goes from 0 to 1. What does the formula name?",
            relu="all negative numbers have become 0, and large ones stay large. Which function does the formula name?",
        ),
        *known(
            "word",
            on_the_right="`W x` is written for a word in a column. Here words lie in rows: on which "
            "side must they stand?",
            as_it_is="the word's part is not `W x`. Words lie in rows here: what becomes of a "
            "product that is transposed?",
        ),
        *known(
            "state",
            on_the_right="`U h` is written for a state in a column. Here each state is a row: which sides must meet?",
            as_it_is="the state's part is not `U h`. U is square, so both products run. By what "
            "must a row of h be multiplied?",
            forgotten="the old state makes no difference, so nothing is remembered. Which term carries it on?",
        ),
        *known(
            "bias",
            none="one letter of the formula is not in use: what remains where word and state are all zero?",
            outside="the bias is added after the tanh. Where does the bracket close in the formula?",
            by_sentence="each sentence gets one number of b. It has one for each number of a *state*: on which axis?",
        ),
        *known(
            "matrices",
            exchanged="the matrices have changed places. Which of them reads words: how many columns must it have?",
        ),
        *known(
            "turn",
            columns="your sentences lie in columns. They came in rows, and the next step wants them in rows again.",
        ),
    ),
    axes=("sentence", "number"),
)


READS = {
    "own": lambda place, n: place < n,
    "one_more": lambda place, n: place <= n,
    "one_fewer": lambda place, n: place < n - 1,
    "outside": lambda place, n: place >= n,
    "last_place": lambda place, n: place < n + 99,
    "longest": lambda place, n: place < n.max().expand_as(n),
    "first": lambda place, n: place < n[0].expand_as(n),
    "shortest": lambda place, n: place < n.min().expand_as(n),
}


def read_batch(
    x, lengths, h, step, *, until="own", along="places", begin="given", carry="on", padding="keep", gives="last"
):
    """The state of each sentence after its last word."""
    x = x.transpose(0, 1) if along == "sentences" else x
    first = h = torch.zeros_like(h) if begin == "zeros" else h
    place, n = torch.arange(x.shape[1]), lengths[:, None]
    if padding == "zeros":
        x = torch.where((place < n)[:, :, None], x, 0.0)
    reads, states = READS["last_place" if padding == "zeros" or gives == "each_end_of_each" else until](place, n), []
    for j in range(x.shape[1]):
        new = step(x[:, j], first if carry == "nothing" else h)
        h = torch.where(reads[:, j : j + 1], new, 0 * h if padding == "erase" else h)
        states.append(h)
    if gives == "last":
        return h
    every = torch.stack(states, dim=1)
    return every[:, lengths - 1] if gives == "each_end_of_each" else every


def read_cases(rng: np.random.Generator) -> Inputs:
    """x, lengths, h, step: without padding and square; with padding; with places that no sentence reaches."""

    def inputs(lengths, places, d_word, d_state):
        W, U, b = (normal32(rng, n, d_state) for n in (d_word, d_state, 1))
        x, h = normal32(rng, len(lengths), places, d_word), normal32(rng, len(lengths), d_state)
        return x, torch.tensor(lengths), h, lambda x_j, h: torch.tanh(x_j.float() @ W + h.float() @ U + b)

    return {
        "three sentences of three words, no padding": inputs([3, 3, 3], 3, 4, 5),
        "sentences of two, three and one words": inputs([2, 3, 1], 3, 4, 2),
        "four sentences in six places": inputs(rng.permutation([4, 2, 1, 4]).tolist(), 6, 3, 5),
    }


check_read = Check(
    read_batch,
    read_cases,
    (
        *known(
            "until",
            last_place="this is the state at the last place, where short sentences have padding. When must it stay?",
            longest="every sentence is read as far as the longest one. What stands there in the shorter ones?",
            shortest="every sentence is read only as far as the shortest one. Where does each one end?",
            first="every sentence is read as far as the first one. Does each need an end of its own?",
            outside="padding is read, and words are not. Which way round is your condition?",
            one_more="one place of padding is read behind each short sentence. Counted from 0, where is its last word?",
            one_fewer="the last word of each sentence is not read. Counted from 0, where does it stand?",
        ),
        *known("along", sentences="x is taken sentence by sentence, not place by place. What is the first axis of x?"),
        *known("begin", zeros="you begin with zeros. With which states did the caller want the reading to begin?"),
        *known("carry", nothing="each word is read with the first states. Which state should the second word meet?"),
        *known(
            "padding",
            erase="a sentence that has ended is left with zeros. Should padding keep its state or erase it?",
            zeros="padding is set to zero and then read. Does `step` leave a state as it is when the word is zeros?",
        ),
        *known(
            "gives",
            all="these are the states after every place. Which one of each sentence is asked for?",
            each_end_of_each="each sentence is looked up at the ends of all. What pairs rows with lengths, one to one?",
        ),
    ),
    axes=("sentence", "number"),
)
