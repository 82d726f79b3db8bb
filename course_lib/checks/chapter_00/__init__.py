"""Chapter 0: the checks of its exercises, and that of a soft look-up."""

import numpy as np

from ..engine import Check, Inputs, known
from .nearest_words import check_analogy, check_neighbours
from .softmax import check_changes, check_softmax, softmax_rows

NORMALISE = {
    "row": softmax_rows,
    "column": lambda scores: softmax_rows(scores.T).T,
    "all": lambda scores: softmax_rows(scores, largest="all", total="all"),
    "none": np.asarray,
    "sum": lambda scores: scores / scores.sum(axis=1, keepdims=True),
    "best": lambda scores: np.eye(scores.shape[1])[scores.argmax(axis=1)],
    "equal": lambda scores: np.full(scores.shape, 1 / scores.shape[1]),
}


def answer(questions, shelf, *, query="question", score="dot", softmax="row", average="shelf", gives="all"):
    """For each question a weighted average of the words on the shelf."""
    if query == "shelf":
        questions, shelf = shelf, questions
    long, wide = (np.linalg.norm(rows, axis=1, keepdims=True) for rows in (questions, shelf))
    by = {"cosine": long * wide.T, "direction": wide.T, "scaled": shelf.shape[1] ** 0.5}.get(score, 1.0)
    way = {"transposed": lambda: questions @ shelf, "before": lambda: shelf @ questions}
    weights = NORMALISE[softmax](way.get(score, lambda: questions @ shelf.T)() / by)
    if average == "nothing":
        return weights
    averaged = {"questions": questions, "columns": shelf.T, "mean": shelf / len(shelf)}.get(average, shelf)
    answers = (weights.T if average == "transposed" else weights) @ averaged
    return {"first": answers[0], "last": answers[-1]}.get(gives, answers)


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
        *known(
            "query",
            shelf="queries and shelf are exchanged. Which of them are the queries, and how many results are needed?",
        ),
        *known(
            "softmax",
            column="each word has weights for the questions that sum to one. Who has one to share "
            "out: a word, or a question?",
            all="all weights together sum to one. `softmax` takes one row of scores: how often is it needed?",
            none="the words are multiplied with their scores as they are. Do the scores of a question sum to one?",
            sum="scores divided by their sum may be negative, or huge. What makes weights out of any scores?",
            best="your answer is the best word alone. A weighted average takes a little of every "
            "word: how much of each?",
            equal="every question gets the same answer, the plain average. Where do the scores come in?",
        ),
        *known(
            "score",
            cosine="your scores are cosines, with both lengths divided out. Which of the two is in the formula?",
            direction="your words are scaled to length one before they are scored. Is that still a dot product?",
            transposed="the numbers of a question meet a column of the shelf. In which direction do "
            "the components of a word lie?",
            before="the shelf stands first and nothing is transposed: its rows meet the columns of the questions. What "
            "must the components of a word meet?",
            scaled="your scores are divided by √d: that is the scaled dot product. Is it in this formula?",
        ),
        *known(
            "average",
            questions="the weights are right, but they weighted average the questions. What is to be given back?",
            transposed="the weights are transposed before the weighted average. Over which of their "
            "axes is the sum: what is `j`?",
            columns="each weight multiplies a column of the shelf. Where does the vector of a word lie?",
            mean="the weighted words are averaged once more. The weights sum to one: is anything left to divide by?",
            nothing="these are the weights. One step of the formula is still missing: what does each one multiply?",
        ),
        *known(
            "gives",
            first="only the first question is answered. Is the `return` inside the loop?",
            last="only the last question is answered. What has become of the answers before it?",
        ),
    ),
    axes=("question", "number"),
)
