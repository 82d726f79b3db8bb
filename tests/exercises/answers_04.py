"""Right and wrong answers to the exercises of chapter 4."""

import math

import numpy as np
import torch

from course_lib.attention import attention
from course_lib.attention.scores import cosine

from .answers import right, wrong

INFINITY = float("inf")

# ── A dictionary that returns a blend ─────────────────────────────────────────────────────────────────────────────────


@right("soften")
def with_loops(q, k, v, T):
    blends = []
    for q_i in q.tolist():
        positive = [math.exp(sum(a * b for a, b in zip(q_i, k_j, strict=True)) / T) for k_j in k.tolist()]
        blends.append(sum(p / sum(positive) * v_j for p, v_j in zip(positive, v, strict=True)))
    return torch.stack(blends)


@right("soften")
def with_the_kernel_and_longer_queries(q, k, v, T):
    """The kernel divides by the root of the size, so the queries come multiplied by it."""
    return attention(q * q.shape[1] ** 0.5 / T, k, v).context


@right("soften")
def in_single_precision(q, k, v, T):
    return torch.einsum("ij,jd->id", torch.softmax((q @ k.mT).float() / T, -1), v.float())


@wrong("soften", says="is there a `return`")
def looked_up_and_kept(q, k, v, T):
    in_single_precision(q, k, v, T)


@wrong("soften", "temperature=unused")
def temperature_forgotten(q, k, v, T):
    return (q @ k.T).softmax(dim=1) @ v


@wrong("soften", "temperature=multiplies")
def times_the_temperature(q, k, v, T):
    return torch.softmax(T * (q @ k.T), dim=-1) @ v


@wrong("soften", "temperature=late")
def divided_after_the_softmax(q, k, v, T):
    weights = (q @ k.T).softmax(dim=1) / T
    return weights @ v


@wrong("soften", "scale=root")
def scaled_as_in_the_transformer(q, k, v, T):
    return attention(q / T, k, v).context


@wrong("soften", "share=queries")
def softmax_over_the_queries(q, k, v, T):
    return (q @ k.T / T).softmax(dim=0) @ v


@wrong("soften", "share=table")
def one_sum_for_the_table(q, k, v, T):
    positive = torch.exp(q @ k.T / T)
    return positive / positive.sum() @ v


@wrong("soften", "share=best")
def the_best_value(q, k, v, T):
    return v[(q @ k.T).argmax(dim=1)]


@wrong("soften", "share=sum")
def scores_over_their_sum(q, k, v, T):
    scores = q @ k.T / T
    return scores / scores.sum(dim=1, keepdim=True) @ v


@wrong("soften", "share=exponentials")
def never_divided(q, k, v, T):
    return torch.exp(q @ k.T / T) @ v


@wrong("soften", "share=evenly")
def softmax_of_each_number_alone(q, k, v, T):
    return v.mean(dim=0).expand(len(q), -1)


@wrong("soften", "takes=keys")
def keys_taken_home(q, k, v, T):
    return torch.softmax(q @ k.T / T, dim=1) @ k


@wrong("soften", "takes=columns")
def weights_transposed(q, k, v, T):
    return torch.softmax(q @ k.T / T, dim=1).T @ v


@wrong("soften", "total=mean")
def mean_of_the_parts(q, k, v, T):
    weights = torch.softmax(q @ k.T / T, dim=1)
    return (weights[:, :, None] * v).mean(dim=1)


@wrong("soften", "gives=weights")
def weights_only(q, k, v, T):
    return torch.softmax(q @ k.T / T, dim=1)


@wrong("soften", "gives=turned")
def queries_in_the_columns(q, k, v, T):
    return v.T @ torch.softmax(k @ q.T / T, dim=0)


@wrong("soften", "share=queries", "temperature=unused")
def two_things_at_once(q, k, v, T):
    return (q @ k.T).softmax(0) @ v


# ── All cosines ───────────────────────────────────────────────────────────────────────────────────────────────────────


def length(table, dim=1):
    """The length of each row, never zero."""
    found = table.square().sum(dim=dim, keepdim=True).sqrt()
    return torch.where(found > 0, found, torch.ones_like(found))


@right("cosines")
def the_librarys(q, k):
    return cosine(q, k)


@right("cosines")
def pair_by_pair(q, k):
    found = torch.zeros(len(q), len(k))
    for i, q_i in enumerate(q):
        for j, k_j in enumerate(k):
            sizes = q_i.norm() * k_j.norm()
            found[i, j] = q_i @ k_j / sizes if sizes > 0 else 0
    return found


@right("cosines")
def products_first_and_nan_cleared(q, k):
    return torch.nan_to_num(q @ k.T / (q.norm(dim=1)[:, None] * k.norm(dim=1)[None]))


@right("cosines")
def in_numpy(q, k):
    q, k = q.numpy(), k.numpy()
    sizes = np.sqrt((q**2).sum(1))[:, None] * np.sqrt((k**2).sum(1))
    return np.divide(q @ k.T, sizes, out=np.zeros((len(q), len(k))), where=sizes > 0)


@wrong("cosines", "query=none")
def only_the_keys(q, k):
    return q @ (k / length(k)).T


@wrong("cosines", "key=none")
def only_the_queries(q, k):
    return q / length(q) @ k.T


@wrong("cosines", "query=none", "key=none")
def a_dot_product(q, k):
    return q @ k.T


@wrong("cosines", "query=column", "key=column")
def along_the_wrong_axis(q, k):
    return (q / length(q, dim=0)) @ (k / length(k, dim=0)).T


@wrong("cosines", "query=column")
def queries_along_the_wrong_axis(q, k):
    return q / q.norm(dim=0) @ (k / length(k)).T


@wrong("cosines", "key=column")
def keys_along_the_wrong_axis(q, k):
    return q / length(q) @ (k / k.norm(dim=0)).T


@wrong("cosines", "query=table")
def one_length_for_all_queries(q, k):
    return q / torch.norm(q) @ (k / length(k)).T


@wrong("cosines", "key=table")
def one_length_for_all_keys(q, k):
    return q / length(q) @ (k / torch.norm(k)).T


@wrong("cosines", "length=squares")
def root_forgotten(q, k):
    return (q / length(q) ** 2) @ (k / length(k) ** 2).T


@wrong("cosines", "length=sum")
def sizes_added_up(q, k):
    return torch.nn.functional.normalize(q, p=1, dim=1) @ torch.nn.functional.normalize(k, p=1, dim=1).T


@wrong("cosines", "length=mean")
def root_of_the_mean(q, k):
    d = q.shape[1]
    return q / length(q) @ (k / length(k)).T * d


@wrong("cosines", "zero=nan")
def as_in_the_formula(q, k):
    return q @ k.T / torch.outer(q.norm(dim=1), k.norm(dim=1))


@wrong("cosines", "zero=smoothed")
def a_tenth_for_safety(q, k):
    return q @ k.T / torch.outer(q.norm(dim=1) + 0.1, k.norm(dim=1) + 0.1)


@wrong("cosines", says="about a thirtieth long")
def a_little_below_the_line(q, k):
    return q @ k.T / (torch.outer(q.norm(dim=1), k.norm(dim=1)) + 1e-4)


@wrong("cosines", says="about a thirtieth long")
def no_length_below_a_tenth(q, k):
    return q / q.norm(dim=1, keepdim=True).clamp(min=0.1) @ (k / length(k)).T


@wrong("cosines", says="the second all zeros")
def only_keys_may_be_empty(q, k):
    return q / q.norm(dim=1, keepdim=True) @ (k / length(k)).T


@wrong("cosines", "pairs=one_to_one")
def each_with_its_neighbour(q, k):
    return ((q / length(q)) * (k / length(k))).sum(dim=1)


@wrong("cosines", "gives=turned")
def keys_in_the_rows(q, k):
    return cosine(k, q)


@wrong("cosines", "gives=distances")
def a_distance(q, k):
    return 1 - cosine(q, k)


@wrong("cosines", "gives=weights")
def weights_already(q, k):
    return cosine(q, k).softmax(dim=1)


@wrong("cosines", "gives=sizes")
def without_a_sign(q, k):
    return abs(cosine(q, k))


# ── A softmax with a mask ─────────────────────────────────────────────────────────────────────────────────────────────


@right("shares")
def row_by_row(scores, mask):
    weights = torch.zeros_like(scores)
    for row, may, out in zip(scores, mask, weights, strict=True):
        if may.any():
            out[may] = row[may].softmax(dim=0)
    return weights


@right("shares")
def minus_infinity_and_nan_cleared(scores, mask):
    return scores.masked_fill(~mask, -INFINITY).softmax(dim=-1).nan_to_num(0.0)


@wrong("shares", "hidden=felt")
def shared_out_again(scores, mask):
    positive = scores.softmax(dim=1) * mask
    return positive / positive.sum(dim=1, keepdim=True).clamp(min=1e-30)


@wrong("shares", says="changes its argument `scores` in place")
def writes_into_the_scores(scores, mask):
    scores[~mask] = -1e30
    return scores.softmax(dim=1) * mask


@wrong("shares", "allowed=inverted")
def mask_inverted(scores, mask):
    return row_by_row(scores, ~mask)


@wrong("shares", "allowed=all")
def mask_lost_on_the_way(scores, mask):
    scores.masked_fill(~mask, -INFINITY)
    return scores.softmax(dim=1)


@wrong("shares", "allowed=afterwards")
def mask_after_the_softmax(scores, mask):
    return scores.softmax(dim=1) * mask


@wrong("shares", "hidden=zero")
def scores_times_mask(scores, mask):
    return (scores * mask).softmax(dim=1)


@wrong("shares", "hidden=shallow")
def not_low_enough(scores, mask):
    return torch.where(mask, scores, -20.0).softmax(dim=1)


@wrong("shares", "empty=nan")
def minus_infinity(scores, mask):
    return scores.masked_fill(~mask, -INFINITY).softmax(dim=1)


@wrong("shares", "empty=even")
def a_large_negative_number(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(dim=1)


@wrong("shares", "empty=all")
def no_mask_where_it_hides_all(scores, mask):
    return row_by_row(scores, mask | ~mask.any(dim=1, keepdim=True))


@wrong("shares", "share=queries")
def over_the_queries(scores, mask):
    return row_by_row(scores.T, mask.T).T


@wrong("shares", "share=table")
def one_sum_for_all(scores, mask):
    flat = scores.masked_fill(~mask, -INFINITY).flatten().softmax(dim=0)
    return flat.view_as(scores)


@wrong("shares", "share=exponentials")
def exponentials_only(scores, mask):
    return scores.masked_fill(~mask, -INFINITY).exp()


@wrong("shares", "hidden=zero_twice")
def scores_times_mask_and_cleared(scores, mask):
    return (scores * mask).softmax(dim=1) * mask


@wrong("shares", "hidden=felt")
def largest_taken_before_the_mask(scores, mask):
    positive = (scores - scores.amax(dim=1, keepdim=True)).exp() * mask
    return (positive / positive.sum(dim=1, keepdim=True)).nan_to_num(0.0)


@wrong("shares", says="near −1000")
def exponentials_without_protection(scores, mask):
    positive = torch.where(mask, scores.exp(), 0.0)
    return (positive / positive.sum(dim=1, keepdim=True)).nan_to_num(0.0)


@wrong("shares", says="near −1000")
def a_hundred_below_zero(scores, mask):
    return scores.masked_fill(~mask, -100.0).softmax(dim=1) * mask


@wrong("shares", "share=best")
def the_best_alone(scores, mask):
    best = scores.masked_fill(~mask, -INFINITY).argmax(dim=1)
    return torch.nn.functional.one_hot(best, scores.shape[1]) * mask.any(dim=1, keepdim=True).double()


@wrong("shares", "gives=kept")
def what_is_seen(scores, mask):
    return row_by_row(scores, mask)[mask]


@wrong("shares", "gives=rows")
def rows_that_see(scores, mask):
    some = mask.any(dim=1)
    return scores[some].masked_fill(~mask[some], -INFINITY).softmax(dim=1)


# ── Find the bug: a row that reads itself ─────────────────────────────────────────────────────────────────────────────


def read(q, k, v):
    """Scaled dot product attention, context first."""
    weights = (q @ k.T / q.shape[1] ** 0.5).softmax(dim=1)
    return weights @ v, weights


@right("itself")
def with_the_kernel(x, W_Q, W_K, W_V):
    return attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T)[:2]


@right("itself")
def word_by_word(x, W_Q, W_K, W_V):
    rows = []
    for x_i in x:
        scores = torch.stack([(W_Q @ x_i) @ (W_K @ x_j) for x_j in x]) / math.sqrt(W_K.shape[0])
        rows.append(scores.softmax(dim=0))
    weights = torch.stack(rows)
    return weights @ (W_V @ x.T).T, weights


@right("itself")
def with_pytorch(x, W_Q, W_K, W_V):
    q, k, v = (x @ W.T for W in (W_Q, W_K, W_V))
    ones = torch.eye(len(x)).double()
    sdpa = torch.nn.functional.scaled_dot_product_attention
    return sdpa(q, k, v), sdpa(q, k, ones)


@wrong("itself", "share=queries")
def as_in_the_example(x, W_Q, W_K, W_V):
    q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
    weights = (q @ k.T / math.sqrt(len(W_Q))).softmax(dim=0)
    return weights @ v, weights


@wrong("itself", "share=table")
def sums_to_one_in_all(x, W_Q, W_K, W_V):
    positive = torch.exp(x @ W_Q.T @ W_K @ x.T / len(W_Q) ** 0.5)
    weights = positive / positive.sum()
    return weights @ (x @ W_V.T), weights


@wrong("itself", "share=best")
def each_looks_at_one(x, W_Q, W_K, W_V):
    weights = torch.nn.functional.one_hot((x @ W_Q.T @ W_K @ x.T).argmax(dim=1), len(x)).double()
    return weights @ x @ W_V.T, weights


@wrong("itself", "share=sum")
def no_softmax_but_sums(x, W_Q, W_K, W_V):
    scores = x @ W_Q.T @ W_K @ x.T / len(W_Q) ** 0.5
    weights = scores / scores.sum(dim=1, keepdim=True)
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=none")
def not_divided(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=late")
def divided_too_late(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T).softmax(dim=1) / len(W_K) ** 0.5
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=size")
def divided_without_the_root(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / len(W_K)).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=model")
def divided_by_the_words_size(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / x.shape[-1] ** 0.5).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=words")
def divided_by_the_number_of_words(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / len(x) ** 0.5).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "scale=values")
def divided_by_the_values_size(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / len(W_V) ** 0.5).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "values=columns")
def blended_down_the_columns(x, W_Q, W_K, W_V):
    weights = read(x @ W_Q.T, x @ W_K.T, x)[1]
    return weights.T @ x @ W_V.T, weights


@wrong("itself", "scale=upwards")
def multiplied(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T * len(W_Q) ** 0.5).softmax(dim=1)
    return weights @ x @ W_V.T, weights


@wrong("itself", "matrices=exchanged")
def who_asks_whom(x, W_Q, W_K, W_V):
    return read(x @ W_K.T, x @ W_Q.T, x @ W_V.T)


@wrong("itself", "matrices=tied")
def one_matrix_for_two(x, W_Q, W_K, W_V):
    q = x @ W_Q.T
    return read(q, q, x @ W_V.T)


@wrong("itself", "values=keys")
def keys_blended(x, W_Q, W_K, W_V):
    q, k = x @ W_Q.T, x @ W_K.T
    return read(q, k, k)


@wrong("itself", "values=words")
def words_blended(x, W_Q, W_K, W_V):
    return read(x @ W_Q.T, x @ W_K.T, x)


@wrong("itself", "turn=as_it_is")
def matrices_not_turned(x, W_Q, W_K, W_V):
    return read(x @ W_Q, x @ W_K, x @ W_V)


@wrong("itself", "gives=weights_first")
def weights_first(x, W_Q, W_K, W_V):
    return with_the_kernel(x, W_Q, W_K, W_V)[::-1]


@wrong("itself", "gives=context_alone")
def context_alone(x, W_Q, W_K, W_V):
    return attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T).context


# ── Scores foreseen ───────────────────────────────────────────────────────────────────────────────────────────────────


@right("variances")
def with_fractions_and_tensors():
    return [torch.tensor(64.0), 64 / 8**2, 4 * 64, math.sqrt(64), 0.6, (0 + 6 + 15) / 3, 2.5, np.array(0.5)]


@wrong("variances", "the deviation", "divided once", "deviation taken", "the size")
def roots_and_squares_confused():
    return [8, 8, 128, 64, 3 / 5, 7, 2.5, 1 / 2]


@wrong("variances", "size forgotten", "division forgotten", "queries forgotten", "upside down")
def sizes_forgotten():
    return [1, 64, 64, 1 / 8, 3 / 5, 7, 2.5, 1 / 2]


@wrong("variances", "variances multiplied", "divided by 64", "squared again", "no heat")
def squared_once_too_often():
    return [4096, 1 / 64, 1024, 1, 3 / 5, 7, 2.5, 1 / 2]


@wrong("variances", "one zero lost", "the sum", "sign turned", "symmetry suffices")
def weights_that_lose_something():
    return [64, 1, 256, 8, 3 / 4, 21, -2.5, 1]


@wrong("variances", "zero counts nothing", "heat decides", "one way", "none at all")
def the_winner_takes_it_all():
    return [64, 1, 256, 8, 1, 15, 0, 0]


@wrong("variances", "all alike", "the middle one", "the inverse", "the circle")
def all_the_same():
    return [64, 1, 256, 8, 1 / 3, 6, 1 / 2.5, 7 / 8]


@wrong("variances", "a deviation over the square", "score of one")
def letters_for_numbers():
    return [64, 8 / 64, 256, 8, math.e / (math.e + 1 + 1), 7, 2.5, 1 / 2]


@wrong("variances", "zero counts two")
def two_for_each_zero():
    return [64, 1, 256, 8, 3 / (3 + 2 + 2), 7, 2.5, 1 / 2]


@wrong("variances", "nothing left")
def blends_that_vanish():
    return [64, 1, 256, 8, 3 / 5, 0, 2.5, 1 / 2]


@wrong("variances", says="Expected a list of 8 predictions, got a list of 7")
def one_forgotten():
    return [64, 1, 256, 8, 3 / 5, 7, 2.5]
