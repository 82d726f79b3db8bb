"""Right and wrong answers to the exercises of chapter 0."""

import math

import numpy as np

from .answers import right, wrong

# ── Softmax with a temperature ────────────────────────────────────────────────────────────────────────────────────────


def softmax_rows(scores, T=1.0):
    """As it must be; some wrong answers below go wrong around it."""
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


@wrong("softmax", "Is there a return")
def computes_and_forgets(scores, T=1.0):
    softmax_rows(scores, T)


@wrong("softmax", "changed the scores")
def writes_into_the_scores(scores, T=1.0):
    scores -= scores.max(axis=1, keepdims=True)
    return softmax_rows(scores, T)


@wrong("softmax", "where is the exponential")
def no_exponential(scores, T=1.0):
    return scores / scores.sum(axis=1, keepdims=True)


@wrong("softmax", "the whole table sums to one")
def one_sum_for_the_table(scores, T=1.0):
    positive = np.exp((scores - scores.max()) / T)
    return positive / positive.sum()


@wrong("softmax", "your columns sum to one")
def over_the_wrong_axis(scores, T=1.0):
    return softmax_rows(scores.T, T).T


@wrong("softmax", "keepdims")
def sums_lie_the_wrong_way(scores, T=1.0):
    positive = np.exp((scores - scores.max(axis=1, keepdims=True)) / T)
    return positive / positive.sum(axis=1)


@wrong("softmax", "`max(axis=1)` needs keepdims=True")
def maxima_lie_the_wrong_way(scores, T=1.0):
    positive = np.exp((scores - scores.max(axis=1)) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "the temperature changes nothing")
def no_temperature(scores, T=1.0):
    return softmax_rows(scores)


@wrong("softmax", "divided by T")
def times_the_temperature(scores, T=1.0):
    return softmax_rows(scores * T)


@wrong("softmax", "exp(1000) is out of range")
def no_maximum(scores, T=1.0):
    positive = np.exp(scores / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "one maximum for the whole table")
def maximum_of_the_table(scores, T=1.0):
    positive = np.exp((scores - scores.max()) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "the example above gives")
def powers_of_two(scores, T=1.0):
    return softmax_rows(scores * np.log(2), T)


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


@wrong("answer", "Who asks whom")
def shelf_asks_the_questions(questions, shelf):
    return all_at_once(shelf, questions)


@wrong("answer", "every question gets the same answer")
def plain_average(questions, shelf):
    return np.stack([shelf.mean(axis=0) for _ in questions])


@wrong("answer", "the best word alone")
def nearest_word(questions, shelf):
    return shelf[(questions @ shelf.T).argmax(axis=1)]


@wrong("answer", "softmax takes one row")
def one_softmax_for_the_table(questions, shelf):
    positive = np.exp(questions @ shelf.T)
    return positive / positive.sum() @ shelf


@wrong("answer", "it is each question that has to")
def softmax_over_the_questions(questions, shelf):
    return softmax_rows(shelf @ questions.T).T @ shelf


@wrong("answer", "not with scores")
def no_softmax(questions, shelf):
    return questions @ shelf.T @ shelf


@wrong("answer", "scores divided by their sum")
def no_exponential_in_the_blend(questions, shelf):
    scores = questions @ shelf.T
    return scores / scores.sum(axis=1, keepdims=True) @ shelf


@wrong("answer", "is each score a dot product")
def cosines(questions, shelf):
    return softmax_rows(questions @ (shelf / np.linalg.norm(shelf, axis=1, keepdims=True)).T) @ shelf


# ── Analogies ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def nearest(question, words, table, passed_over=()):
    """The word with the largest cosine."""
    cosines = table @ question / np.linalg.norm(table, axis=1)
    return max((word for word in words if word not in passed_over), key=lambda word: cosines[words.index(word)])


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


@wrong("analogy", "Pass over a, b and c")
def no_exclusion(a, b, c, words, table):
    return nearest(sum_of_vectors(a, b, c, words, table), words, table)


@wrong("analogy", "not over b alone")
def only_b_excluded(a, b, c, words, table):
    return nearest(sum_of_vectors(a, b, c, words, table), words, table, (b,))


@wrong("analogy", "a dot product likes that")
def dot_product(a, b, c, words, table):
    scores = table @ sum_of_vectors(a, b, c, words, table)
    scores[[words.index(word) for word in (a, b, c)]] = -np.inf
    return words[scores.argmax()]


@wrong("analogy", "compare directions, not distances")
def least_distance(a, b, c, words, table):
    distances = np.linalg.norm(table - sum_of_vectors(a, b, c, words, table), axis=1)
    distances[[words.index(word) for word in (a, b, c)]] = np.inf
    return words[distances.argmin()]


@wrong("analogy", "what subtracted")
def plus_and_minus_exchanged(a, b, c, words, table):
    return nearest(sum_of_vectors(b, a, c, words, table), words, table, (a, b, c))


@wrong("analogy", "Take the words out as well")
def rows_moved_up(a, b, c, words, table):
    question = sum_of_vectors(a, b, c, words, table)
    rest = np.delete(table, [words.index(word) for word in (a, b, c)], axis=0)
    return words[int((rest @ question / np.linalg.norm(rest, axis=1)).argmax())]


@wrong("analogy", "which word stands in that row")
def row_for_a_word(a, b, c, words, table):
    return words.index(sorted_by_cosine(a, b, c, words, table))


@wrong("analogy", "changed the table")
def table_normalised_in_place(a, b, c, words, table):
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return "queen"


@wrong("analogy", "divide each row by its own length")
def always_queen(a, b, c, words, table):
    return "queen"
