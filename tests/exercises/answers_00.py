"""Right and wrong answers to the exercises of chapter 0."""

import math
from fractions import Fraction

import numpy as np
import torch

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


@right("softmax")
def with_pytorch(scores, T=1.0):
    return (torch.from_numpy(scores) / T).softmax(dim=-1)


@wrong("softmax", says="is there a `return`")
def computes_and_forgets(scores, T=1.0):
    softmax_rows(scores, T)


@wrong("softmax", says="changes its argument `scores` in place")
def writes_into_the_scores(scores, T=1.0):
    scores -= scores.max(axis=1, keepdims=True)
    return softmax_rows(scores, T)


@wrong("softmax", says="name 'exp' is not defined")
def name_missing(scores, T=1.0):
    return exp(scores / T)


@wrong("softmax", "no exponential")
def no_exponential(scores, T=1.0):
    return scores / scores.sum(axis=1, keepdims=True)


@wrong("softmax", "power=none")
def no_exponential_but_a_shift(scores, T=1.0):
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted / shifted.sum(axis=1, keepdims=True)


@wrong("softmax", "the table")
def one_sum_for_the_table(scores, T=1.0):
    positive = np.exp((scores - scores.max()) / T)
    return positive / positive.sum()


@wrong("softmax", "total=all")
def sum_without_an_axis(scores, T=1.0):
    positive = np.exp((scores - scores.max(axis=1, keepdims=True)) / T)
    return positive / np.sum(positive)


@wrong("softmax", "the columns")
def over_the_wrong_axis(scores, T=1.0):
    return softmax_rows(scores.T, T).T


@wrong("softmax", "total=column")
def sums_of_the_columns(scores, T=1.0):
    positive = np.exp(scores / T - np.max(scores / T, axis=1)[:, None])
    return positive / positive.sum(axis=0)


@wrong("softmax", "largest=column")
def maxima_of_the_columns(scores, T=1.0):
    scores = scores / T
    positive = np.exp(scores - scores.max(axis=0, keepdims=True))
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "total=across")
def sums_lie_the_wrong_way(scores, T=1.0):
    positive = np.exp((scores - scores.max(axis=1, keepdims=True)) / T)
    return positive / positive.sum(axis=1)


@wrong("softmax", "largest=across")
def maxima_lie_the_wrong_way(scores, T=1.0):
    positive = np.exp((scores - scores.max(axis=1)) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "largest=across", "total=across")
def keepdims_never(scores, T=1.0):
    scores = scores / T
    positive = np.exp(scores - scores.max(axis=1))
    return positive / positive.sum(axis=1)


@wrong("softmax", "total=none")
def exponentials_only(scores, T=1.0):
    return np.exp((scores - scores.max(axis=1, keepdims=True)) / T)


@wrong("softmax", "temperature=unused")
def no_temperature(scores, T=1.0):
    return softmax_rows(scores)


@wrong("softmax", "temperature=multiplies")
def times_the_temperature(scores, T=1.0):
    return softmax_rows(scores * T)


@wrong("softmax", "temperature=late")
def weights_divided_by_the_temperature(scores, T=1.0):
    return softmax_rows(scores) / T


@wrong("softmax", "largest=none")
def no_maximum(scores, T=1.0):
    positive = np.exp(scores / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "largest=none", "temperature=unused")
def as_in_the_formula_without_T(scores, T=1.0):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


@wrong("softmax", "largest=all")
def maximum_of_the_table(scores, T=1.0):
    positive = np.exp((scores - scores.max()) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "maximum=early")
def maximum_before_the_temperature(scores, T=1.0):
    positive = np.exp(scores / T - scores.max(axis=1, keepdims=True))
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "largest=all", "maximum=early")
def one_maximum_before_the_temperature(scores, T=1.0):
    positive = np.exp(scores / T - np.max(scores))
    return positive / positive.sum(axis=1).reshape(-1, 1)


@wrong("softmax", "largest=mean")
def means_subtracted(scores, T=1.0):
    positive = np.exp((scores - scores.mean(axis=1, keepdims=True)) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "gives=first")
def return_in_the_loop(scores, T=1.0):
    for row in scores / T:
        positive = np.exp(row - row.max())
        return positive / positive.sum()
    return None


@wrong("softmax", "gives=last")
def each_row_replaces_the_one_before(scores, T=1.0):
    for row in scores:
        positive = np.exp((row - max(row)) / T)
        weights = positive / sum(positive)
    return weights


@wrong("softmax", "gives=rounded")
def rounded_as_if_to_be_printed(scores, T=1.0):
    return [[round(float(weight), 3) for weight in row] for row in softmax_rows(scores, T)]


@wrong("softmax", "temperature=maximum")
def parentheses_missing(scores, T=1.0):
    positive = np.exp(scores - scores.max(axis=1, keepdims=True) / T)
    return positive / positive.sum(axis=1, keepdims=True)


@wrong("softmax", "power=two")
def powers_of_two(scores, T=1.0):
    return softmax_rows(scores * np.log(2), T)


# ── What moves a weight? ──────────────────────────────────────────────────────────────────────────────────────────────


@right("changes")
def rounded_to_two_digits():
    return np.array([0.5, 0.67, 0.33, 0.67, 0.33, 1])


@right("changes")
def as_fractions_and_tensors_of_one_number():
    return [Fraction(1, 2), Fraction(2, 3), torch.tensor([1 / 3]), np.array([2 / 3]), 1 / 3, 1]


@wrong("changes", says="Expected a list of 6 predictions, got a list of 2")
def two_predictions():
    return [1 / 2, 2 / 3]


@wrong("changes", says="Expected a list of 6 predictions, got nothing (None)")
def no_return():
    _ = [1 / 2, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 1]


@wrong("changes", says="Prediction 2 (every score doubled): it does not hold")
def a_number_that_no_usual_idea_gives():
    return [1 / 2, 0.6, 1 / 3, 2 / 3, 1 / 3, 1]


@wrong("changes", says="Prediction 2 (every score doubled): 0.7 is near")
def to_one_digit():
    return [0.5, 0.7, 1 / 3, 2 / 3, 1 / 3, 1]


@wrong("changes", says="Prediction 6 (T close to 0): 100 looks like per cent")
def in_per_cent():
    return [50, 67, 33, 67, 33, 100]


@wrong("changes", "heat decides", "cold mixes", says="3 of 6 predictions hold")
def temperature_the_wrong_way_round_and_a_number_from_nowhere():
    return [1 / 2, 2 / 3, 0.45, 2 / 3, 1, 1 / 3]


@wrong("changes", says="write a number, without quotation marks; yours is the text '1/3'")
def in_words():
    return [1 / 2, 2 / 3, "1/3", 2 / 3, 1 / 3, 1]


@wrong("changes", "more evens out", "doubling cancels")
def shares_of_a_plain_sum():
    return [1 / 3, 1 / 2, 1 / 3, 2 / 3, 1 / 3, 1]


@wrong("changes", "more sharpens", "doubling decides all")
def large_scores_decide():
    return [2 / 3, 1, 1 / 3, 2 / 3, 1 / 3, 1]


@wrong("changes", "doubling mixes", "heat decides", "cold mixes")
def heat_and_cold_exchanged():
    return [1 / 2, 1 / 3, 1 / 3, 2 / 3, 1, 1 / 3]


@wrong("changes", "copies take nothing", "weight is lost")
def a_weight_of_its_own():
    return [1 / 2, 2 / 3, 1 / 2, 1 / 2, 1 / 3, 1]


@wrong("changes", "copies share a half", "equal shares")
def weights_handed_on():
    return [1 / 2, 2 / 3, 1 / 4, 5 / 8, 1 / 3, 1]


@wrong("changes", "both copies", "the best inherits")
def the_best_has_it_all():
    return [1 / 2, 2 / 3, 2 / 3, 3 / 4, 1 / 3, 1]


@wrong("changes", "heat cancels", "cold cancels")
def a_temperature_cancels():
    return [1 / 2, 2 / 3, 1 / 3, 2 / 3, 1 / 2, 1 / 2]


@wrong("changes", "heat takes all", "cold takes all")
def everything_goes_to_zero():
    return [1 / 2, 2 / 3, 1 / 3, 2 / 3, 0, 0]


@wrong("changes", "doubled, then copied", "one after another", "cold cancels")
def changes_pile_up():
    heaps = [[2, 1, 1], [4, 1, 1], [4, 1, 1, 4], [4, 1, 4], [1, 1, 1]]
    return [*(heap[0] / sum(heap) for heap in heaps), 1 / 2]


@wrong("changes", "doubled, one taken")
def the_doubled_keys_without_one():
    return [1 / 2, 2 / 3, 1 / 3, 4 / 5, 1 / 3, 1]


@wrong("changes", "copied, one taken", "heat on four keys")
def the_copy_stays():
    return [1 / 2, 2 / 3, 1 / 3, 2 / 5, 1 / 4, 1]


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


@wrong("answer", "asks=shelf")
def shelf_asks_the_questions(questions, shelf):
    return all_at_once(shelf, questions)


@wrong("answer", "softmax=equal")
def plain_average(questions, shelf):
    return np.stack([shelf.mean(axis=0) for _ in questions])


@wrong("answer", "softmax=best")
def nearest_word(questions, shelf):
    return shelf[(questions @ shelf.T).argmax(axis=1)]


@wrong("answer", "softmax=all")
def one_softmax_for_the_table(questions, shelf):
    positive = np.exp(questions @ shelf.T)
    return positive / positive.sum() @ shelf


@wrong("answer", "softmax=column")
def softmax_over_the_questions(questions, shelf):
    return softmax_rows(shelf @ questions.T).T @ shelf


@wrong("answer", "softmax=none")
def no_softmax(questions, shelf):
    return questions @ shelf.T @ shelf


@wrong("answer", "softmax=sum")
def no_exponential_in_the_blend(questions, shelf):
    scores = questions @ shelf.T
    return scores / scores.sum(axis=1, keepdims=True) @ shelf


@wrong("answer", "score=direction")
def lengths_of_the_words_divided_out(questions, shelf):
    return softmax_rows(questions @ (shelf / np.linalg.norm(shelf, axis=1, keepdims=True)).T) @ shelf


@wrong("answer", "score=cosine")
def cosines(questions, shelf):
    def cosine(u, v):
        return u @ v / math.sqrt((u @ u) * (v @ v))

    return softmax_rows(np.array([[cosine(q, x) for x in shelf] for q in questions])) @ shelf


@wrong("answer", "score=scaled")
def scaled_dot_product(questions, shelf):
    return softmax_rows(questions @ shelf.T / np.sqrt(questions.shape[-1])) @ shelf


@wrong("answer", "blend=questions")
def blends_the_questions(questions, shelf):
    return softmax_rows(questions @ shelf.T) @ questions


@wrong("answer", "blend=turned")
def weights_the_wrong_way_round(questions, shelf):
    weights = softmax_rows(questions @ shelf.T)
    return weights.T @ shelf


@wrong("answer", "blend=nothing")
def stops_at_the_weights(questions, shelf):
    return softmax_rows(questions @ shelf.T)


@wrong("answer", "score=turned")
def shelf_not_transposed(questions, shelf):
    return softmax_rows(questions @ shelf) @ shelf


@wrong("answer", "blend=columns")
def shelf_times_weights(questions, shelf):
    return np.stack([shelf @ softmax_rows((shelf @ question)[None])[0] for question in questions])


@wrong("answer", "blend=mean")
def averaged_twice(questions, shelf):
    weights = softmax_rows(questions @ shelf.T)
    return (weights[:, :, None] * shelf).mean(axis=1)


@wrong("answer", "gives=first")
def answers_one_and_returns(questions, shelf):
    for question in questions:
        weights = softmax_rows((shelf @ question)[None])[0]
        return weights @ shelf
    return None


@wrong("answer", "gives=last")
def keeps_the_last(questions, shelf):
    for question in questions:
        scores = [question @ word for word in shelf]
        weights = np.exp(scores) / np.exp(scores).sum()
        blend = sum(weight * word for weight, word in zip(weights, shelf, strict=True))
    return blend


@wrong("answer", "score=before")
def shelf_before_the_questions(questions, shelf):
    return softmax_rows(np.matmul(shelf, questions)) @ shelf


@wrong("answer", "softmax=all", "score=before")
def softmax_of_one_row_given_a_table(questions, shelf):
    scores = shelf @ questions
    positive = np.exp(scores - scores.max())
    return positive / positive.sum() @ shelf


@wrong("answer", says="Expected the shape (3, 3), got (3, 3, 3)")
def not_summed(questions, shelf):
    return softmax_rows(questions @ shelf.T)[:, :, None] * shelf


# ── Good neighbours, bad neighbours ───────────────────────────────────────────────────────────────────────────────────


def ranked(scores, k):
    """The places of the k largest scores of each row, a word's own left out."""
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


@wrong("neighbours", "by=column")
def one_bug_mended(table, k):
    directions = table / np.linalg.norm(table, axis=0, keepdims=True)
    return ranked(directions @ directions.T, k)


@wrong("neighbours", "itself=kept")
def the_other_bug_mended(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    return np.argsort(-(directions @ directions.T), axis=1)[:, :k]


@wrong("neighbours", "column, first one dropped")
def what_comes_first_dropped(table, k):
    directions = table / np.linalg.norm(table, axis=0)
    return np.argsort(-(directions @ directions.T), axis=1)[:, 1 : k + 1]


@wrong("neighbours", "by=across")
def lengths_the_wrong_way(table, k):
    directions = table / np.linalg.norm(table, axis=1)
    return ranked(directions @ directions.T, k)


@wrong("neighbours", "by=nothing")
def dot_products(table, k):
    return ranked(table @ table.T, k)


@wrong("neighbours", "by=nothing")
def one_length_for_the_whole_table(table, k):
    directions = table / np.linalg.norm(table)
    return ranked(directions @ directions.T, k)


@wrong("neighbours", "dot product, first one dropped")
def dot_products_without_the_first(table, k):
    return np.argsort(-(table @ table.T), axis=1)[:, 1 : k + 1]


@wrong("neighbours", "by=square")
def no_root(table, k):
    directions = table / (table * table).sum(axis=1)[:, None]
    return ranked(directions @ directions.T, k)


@wrong("neighbours", "by=distance")
def least_distances(table, k):
    return ranked(-np.linalg.norm(table[:, None] - table[None], axis=-1), k)


@wrong("neighbours", "itself=zero")
def ones_taken_off_the_diagonal(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    return np.argsort(np.eye(len(table)) - directions @ directions.T, axis=1)[:, :k]


@wrong("neighbours", "itself=cut")
def one_too_few(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    return np.argsort(-(directions @ directions.T), axis=1)[:, 1:k]


@wrong("neighbours", "order=backwards")
def nearest_last(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -1)
    return cosines.argsort(axis=1)[:, -k:]


@wrong("neighbours", "order=farthest")
def sign_forgotten(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(cosines, axis=1)[:, :k]


@wrong("neighbours", "order=farthest, itself kept")
def sign_forgotten_and_nothing_else(table, k):
    lengths = np.linalg.norm(table, axis=1)
    return (table @ table.T / np.outer(lengths, lengths)).argsort()[:, :k]


@wrong("neighbours", "by=column", "order=farthest, itself kept")
def sign_forgotten_in_what_was_given(table, k):
    directions = table / np.linalg.norm(table, axis=0)
    return np.argsort(directions @ directions.T, axis=1)[:, :k]


@wrong("neighbours", "order=farthest, first one dropped")
def sign_forgotten_and_the_first_dropped(table, k):
    lengths = np.linalg.norm(table, axis=1)
    return (table @ table.T / np.outer(lengths, lengths)).argsort()[:, 1 : k + 1]


@wrong("neighbours", "sort=column")
def sorted_down_the_columns(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(-cosines, axis=0)[:, :k]


@wrong("neighbours", "give=scores")
def cosines_of_the_neighbours(table, k):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -np.inf)
    return np.sort(cosines, axis=1)[:, ::-1][:, :k]


@wrong("neighbours", says="changes its argument `table` in place")
def divided_in_place(table, k):
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return ranked(table @ table.T, k)


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


@wrong("analogy", "left=none")
def no_exclusion(a, b, c, words, table):
    return nearest(sum_of_vectors(a, b, c, words, table), words, table)


@wrong("analogy", "left=b")
def only_b_excluded(a, b, c, words, table):
    return nearest(sum_of_vectors(a, b, c, words, table), words, table, (b,))


@wrong("analogy", "by=nothing")
def dot_product(a, b, c, words, table):
    scores = table @ sum_of_vectors(a, b, c, words, table)
    scores[[words.index(word) for word in (a, b, c)]] = -np.inf
    return words[scores.argmax()]


@wrong("analogy", "by=distance")
def least_distance(a, b, c, words, table):
    distances = np.linalg.norm(table - sum_of_vectors(a, b, c, words, table), axis=1)
    distances[[words.index(word) for word in (a, b, c)]] = np.inf
    return words[distances.argmin()]


@wrong("analogy", "by=square")
def no_root_in_the_length(a, b, c, words, table):
    scores = table @ sum_of_vectors(a, b, c, words, table) / (table**2).sum(axis=1)
    return max((word for word in words if word not in (a, b, c)), key=lambda word: scores[words.index(word)])


@wrong("analogy", "by=column")
def columns_normalised(a, b, c, words, table):
    return dot_product(a, b, c, words, table / np.linalg.norm(table, axis=0))


@wrong("analogy", "question=directions")
def directions_added(a, b, c, words, table):
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    return nearest(sum_of_vectors(a, b, c, words, directions), words, directions, (a, b, c))


@wrong("analogy", "question=exchanged")
def plus_and_minus_exchanged(a, b, c, words, table):
    return nearest(sum_of_vectors(b, a, c, words, table), words, table, (a, b, c))


@wrong("analogy", "question=turned")
def from_woman_to_man(a, b, c, words, table):
    return nearest(sum_of_vectors(c, b, a, words, table), words, table, (a, b, c))


@wrong("analogy", "question=without")
def king_and_woman(a, b, c, words, table):
    return nearest(table[words.index(b)] + table[words.index(c)], words, table, (a, b, c))


@wrong("analogy", "question=sum")
def sum_of_all_three(a, b, c, words, table):
    return nearest(sum(table[words.index(word)] for word in (a, b, c)), words, table, (a, b, c))


@wrong("analogy", "left=moved")
def rows_moved_up(a, b, c, words, table):
    question = sum_of_vectors(a, b, c, words, table)
    rest = np.delete(table, [words.index(word) for word in (a, b, c)], axis=0)
    return words[int((rest @ question / np.linalg.norm(rest, axis=1)).argmax())]


@wrong("analogy", "left=words")
def words_taken_out_and_rows_kept(a, b, c, words, table):
    rest = [word for word in words if word not in (a, b, c)]
    return rest[np.argmax(table @ sum_of_vectors(a, b, c, words, table) / np.linalg.norm(table, axis=1))]


@wrong("analogy", "left=zero")
def multiplied_with_a_mask(a, b, c, words, table):
    cosines = table @ sum_of_vectors(a, b, c, words, table) / np.linalg.norm(table, axis=1)
    return words[np.argmax(cosines * [word not in (a, b, c) for word in words])]


@wrong("analogy", "left=three")
def fourth_of_the_list(a, b, c, words, table):
    cosines = table @ sum_of_vectors(a, b, c, words, table) / np.linalg.norm(table, axis=1)
    return words[np.argsort(cosines)[-4]]


@wrong("analogy", "cosine=smallest")
def first_of_a_sorted_list(a, b, c, words, table):
    cosines = table @ sum_of_vectors(a, b, c, words, table) / np.linalg.norm(table, axis=1)
    return next(words[row] for row in np.argsort(cosines) if words[row] not in (a, b, c))


@wrong("analogy", "give=row")
def row_for_a_word(a, b, c, words, table):
    return words.index(sorted_by_cosine(a, b, c, words, table))


@wrong("analogy", says="changes its argument `table` in place")
def table_normalised_in_place(a, b, c, words, table):
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return "queen"


@wrong("analogy", says="changes its argument `words` in place")
def words_taken_out_of_the_list(a, b, c, words, table):
    found = sorted_by_cosine(a, b, c, words, table)
    words.remove(a)
    return found


@wrong("analogy", says="Expected the text ")
def always_queen(a, b, c, words, table):
    return "queen"
