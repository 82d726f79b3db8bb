"""Right and wrong answers to the exercises of chapter 0."""

import math
from fractions import Fraction

import numpy as np
import torch

from .answers import right, wrong

# ── Softmax with a temperature ────────────────────────────────────────────────────────────────────────────────────────


def softmax_rows(scores, T=1.0):
    """The right answer; some wrong answers below change it."""
    positive = np.exp((scores - scores.max(axis=1, keepdims=True)) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@right("softmax")
def with_loops(scores, T=1.0):
    weights = []
    for row in scores.tolist():
        positive = [math.exp((score - max(row)) / T) for score in row]
        weights.append([p / sum(positive) for p in positive])
    return weights


@right("softmax")
def with_logarithms_in_single_precision(scores, T=1.0):
    scores = scores.astype(np.float32) / T
    largest = scores.max(1, keepdims=True)
    return np.exp(scores - largest - np.log(np.exp(scores - largest).sum(1, keepdims=True)))


@right("softmax")
def with_pytorch(scores, T=1.0):
    return (torch.from_numpy(scores) / T).softmax(dim=-1)


@wrong("softmax", says="changes its argument `scores` in place")
def writes_into_the_scores(scores, T=1.0):
    scores -= scores.max(axis=1, keepdims=True)
    return softmax_rows(scores, T)


@wrong("softmax", "largest=across", "total=across")
def keepdims_never(scores, T=1.0):
    scores = scores / T
    positive = np.exp(scores - scores.max(axis=1))
    return positive / positive.sum(axis=1)


@wrong("softmax", "the columns, then the rows")
def columns_then_rows(scores, T=1.0):
    weights = softmax_rows(scores.T, T).T
    return weights / weights.sum(axis=1, keepdims=True)


# ── What moves a weight? ──────────────────────────────────────────────────────────────────────────────────────────────


@right("changes")
def rounded_to_two_digits():
    return np.array([0.5, 0.67, 0.33, 0.67, 0.33, 1])


@right("changes")
def as_fractions_and_tensors_of_one_number():
    return [Fraction(1, 2), Fraction(2, 3), torch.tensor([1 / 3]), np.array([2 / 3]), 1 / 3, 1]


# ── Answers from a shelf ──────────────────────────────────────────────────────────────────────────────────────────────


@right("answer")
def all_at_once(questions, shelf):
    return softmax_rows(questions @ shelf.T) @ shelf


@right("answer")
def number_by_number(questions, shelf):
    answers = np.zeros(questions.shape, dtype=np.float32)
    for i, question in enumerate(questions):
        positive = [math.exp(sum(a * b for a, b in zip(question, word, strict=True))) for word in shelf]
        for p, word in zip(positive, shelf, strict=True):
            answers[i] += p / sum(positive) * word
    return answers


@right("answer")
def with_einsum(questions, shelf):
    weights = softmax_rows(np.einsum("qd,kd->qk", questions, shelf))
    return [np.einsum("k,kd->d", row, shelf) for row in weights]


@wrong("answer", "softmax=best")
def nearest_word(questions, shelf):
    return shelf[(questions @ shelf.T).argmax(axis=1)]


@wrong("answer", "gives=last")
def keeps_the_last(questions, shelf):
    for question in questions:
        scores = [question @ word for word in shelf]
        weights = np.exp(scores) / np.exp(scores).sum()
        blend = sum(weight * word for weight, word in zip(weights, shelf, strict=True))
    return blend


@wrong("answer", "softmax=all", "score=before")
def softmax_of_one_row_given_a_table(questions, shelf):
    scores = shelf @ questions
    positive = np.exp(scores - scores.max())
    return positive / positive.sum() @ shelf


# ── Good neighbours, bad neighbours ───────────────────────────────────────────────────────────────────────────────────


def ranked(scores, k):
    """The indices of the k largest scores of each row, the word's own left out."""
    np.fill_diagonal(scores, -np.inf)
    return np.argsort(-scores, axis=1)[:, :k]


@right("neighbours")
def word_by_word(table, k):
    found = []
    for i, u in enumerate(table):
        others = [j for j in range(len(table)) if j != i]
        others.sort(key=lambda j: u @ table[j] / np.linalg.norm(table[j]), reverse=True)
        found.append(others[:k])
    return found


@right("neighbours")
def itself_comes_first_and_is_dropped(table, k):
    directions = torch.nn.functional.normalize(torch.from_numpy(table), dim=1)
    return (directions @ directions.T).argsort(dim=1, descending=True)[:, 1 : k + 1]


@right("neighbours")
def by_the_distance_of_directions(table, k):
    directions = table / np.sqrt((table**2).sum(axis=1, keepdims=True))
    return ranked(-np.linalg.norm(directions[:, None] - directions[None], axis=-1), k)


@wrong("neighbours", "by=column", "itself=kept")
def as_it_was_given(table, k):
    directions = table / np.linalg.norm(table, axis=0)
    cosines = directions @ directions.T
    return np.argsort(-cosines, axis=1)[:, :k]


@wrong("neighbours", "by=distance")
def least_distances(table, k):
    return ranked(-np.linalg.norm(table[:, None] - table[None], axis=-1), k)


@wrong("neighbours", says="changes its argument `table` in place")
def divided_in_place(table, k):
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return ranked(table @ table.T, k)


# ── Analogies ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def sum_of_vectors(a, b, c, words, table):
    """b − a + c."""
    return table[words.index(b)] - table[words.index(a)] + table[words.index(c)]


@right("analogy")
def sorted_by_cosine(a, b, c, words, table):
    directions = table.astype(np.float64) / np.linalg.norm(table, axis=1, keepdims=True)
    for row in np.argsort(-(directions @ sum_of_vectors(a, b, c, words, table))):
        if words[row] not in (a, b, c):
            return words[row]
    return None


@right("analogy")
def rows_and_words_taken_out(a, b, c, words, table):
    question = sum_of_vectors(a, b, c, words, table)
    kept = [row for row, word in enumerate(words) if word not in (a, b, c)]
    return words[kept[int((table[kept] @ question / np.linalg.norm(table[kept], axis=1)).argmax())]]


@wrong("analogy", "left=moved")
def rows_moved_up(a, b, c, words, table):
    question = sum_of_vectors(a, b, c, words, table)
    rest = np.delete(table, [words.index(word) for word in (a, b, c)], axis=0)
    return words[int((rest @ question / np.linalg.norm(rest, axis=1)).argmax())]


@wrong("analogy", "left=b_c")
def a_may_win(a, b, c, words, table):
    kept = [row for row, word in enumerate(words) if word not in (b, c)]
    question = sum_of_vectors(a, b, c, words, table)
    return words[kept[int((table[kept] @ question / np.linalg.norm(table[kept], axis=1)).argmax())]]


@wrong("analogy", says="changes its argument `words` in place")
def words_taken_out_of_the_list(a, b, c, words, table):
    found = sorted_by_cosine(a, b, c, words, table)
    words.remove(a)
    return found


@wrong("analogy", says="Expected the text ")
def always_queen(a, b, c, words, table):
    return "queen"
