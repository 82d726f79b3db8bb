"""Chapter 0: a look-up that blends. The checks of its other exercises lie in softmax.py and nearest_words.py."""

import numpy as np

from .engine import Check, Inputs, known
from .nearest_words import check_analogy, check_neighbours  # noqa: F401
from .softmax import check_changes, check_softmax, softmax_rows  # noqa: F401

SHARES = {
    "row": softmax_rows,
    "column": lambda scores: softmax_rows(scores.T).T,
    "all": lambda scores: softmax_rows(scores, largest="all", total="all"),
    "none": np.asarray,
    "sum": lambda scores: scores / scores.sum(axis=1, keepdims=True),
    "best": lambda scores: np.eye(scores.shape[1])[scores.argmax(axis=1)],
    "equal": lambda scores: np.full(scores.shape, 1 / scores.shape[1]),
}


def answer(questions, shelf, *, asks="question", score="dot", softmax="row", blend="shelf"):
    """For each question a blend of the words on the shelf."""
    if asks == "shelf":
        questions, shelf = shelf, questions
    long, wide = (np.linalg.norm(rows, axis=1, keepdims=True) for rows in (questions, shelf))
    by = {"dot": 1.0, "cosine": long * wide.T, "direction": wide.T, "scaled": shelf.shape[1] ** 0.5}[score]
    weights = SHARES[softmax](questions @ shelf.T / by)
    if blend == "nothing":
        return weights
    return (weights.T if blend == "turned" else weights) @ (questions if blend == "questions" else shelf)


def answer_cases(rng: np.random.Generator) -> Inputs:
    """Questions and shelves."""
    sizes = {
        "three questions, three words, three numbers each": (3, 3, 3),
        "two questions, five words, four numbers each": (2, 5, 4),
        "four questions, two words, three numbers each": (4, 2, 3),
        "one word on the shelf": (2, 1, 3),
    }
    return {case: (rng.normal(size=(q, dim)), rng.normal(size=(k, dim))) for case, (q, k, dim) in sizes.items()}


check_answer = Check(
    answer,
    answer_cases,
    (
        *known("asks", shelf="the words ask and the questions answer. Who asks whom, and who gets one blend each?"),
        *known(
            "softmax",
            column="each word shares out a one among the questions. Who has one to share out: a word, or a question?",
            all="all weights together sum to one. `softmax` takes one row of scores: how often is it needed?",
            none="the words are multiplied with their scores as they are. Do the scores of a question sum to one?",
            sum="scores divided by their sum may be negative, or huge. What makes weights out of any scores?",
            best="your answer is the best word alone. A blend takes a little of every word: how much of each?",
            equal="every question gets the same answer, the plain average. Where do the scores come in?",
        ),
        *known(
            "score",
            cosine="your scores are cosines, with both lengths divided out. Which of the two is in the formula?",
            direction="your words are scaled to length one before they are scored. Is that still a dot product?",
            scaled="your scores are divided by √d, as in a later chapter's scaled dot product. Not here: why not?",
        ),
        *known(
            "blend",
            questions="the weights are right, but they blend the questions. What is to be given back?",
            turned="the weights are transposed before the blend. Over which of their axes is the sum: $j$ is what?",
            nothing="these are the weights. One step of the formula is still missing: what does each one multiply?",
        ),
    ),
    axes=("question", "number"),
)
