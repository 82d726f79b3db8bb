"""Right and wrong answers to the exercises of chapter 6."""

import math

import numpy as np
import torch

from course_lib.attention import attention
from course_lib.attention.masks import and_masks, causal, padding

from .answers import right, wrong

# ── Who may look at whom ──────────────────────────────────────────────────────────────────────────────────────────────


@right("seen")
def with_loops(lengths, n):
    return torch.tensor([[[j <= i and j < length for j in range(n)] for i in range(n)] for length in lengths.tolist()])


@right("seen")
def with_the_library(lengths, n):
    return and_masks(causal(n), padding(lengths, n))


@wrong("seen", says="is there a `return`")
def made_and_kept(lengths, n):
    with_loops(lengths, n)


@wrong("seen", "order=future")
def the_upper_triangle(lengths, n):
    return torch.ones(n, n).triu().bool() & padding(lengths, n)


@wrong("seen", "order=any")
def padding_alone(lengths, n):
    return padding(lengths, n).expand(len(lengths), n, n)


@wrong("seen", "own=hidden")
def strictly_before(lengths, n):
    return torch.ones(n, n).tril(-1).bool() & padding(lengths, n)


@wrong("seen", "hidden=queries")
def rows_of_padding(lengths, n):
    return causal(n) & padding(lengths, n).mT


@wrong("seen", "hidden=nobody")
def order_alone(lengths, n):
    return causal(n).repeat(len(lengths), 1, 1)


@wrong("seen", "hidden=one_short")
def counted_from_one(lengths, n):
    return causal(n) & (torch.arange(1, n + 1) < lengths[:, None, None])


@wrong("seen", "hidden=one_more")
def up_to_the_length(lengths, n):
    return causal(n) & (torch.arange(n) <= lengths[:, None, None])


@wrong("seen", "join=either")
def one_or_the_other(lengths, n):
    return causal(n) | padding(lengths, n)


@wrong("seen", "hidden=flat")
def one_axis_too_few(lengths, n):
    return causal(n) & (torch.arange(n) < lengths[:, None])


@wrong("seen", "gives=added")
def zeros_and_minus_infinity(lengths, n):
    return torch.where(with_the_library(lengths, n), 0.0, -math.inf)


@wrong("seen", says="not a tensor of booleans")
def ones_and_zeros(lengths, n):
    return with_the_library(lengths, n).float()


@wrong("seen", says="not a tensor of booleans")
def a_product_of_integers(lengths, n):
    return torch.ones(n, n).tril().long() * padding(lengths, n).long()


@wrong("seen", says="not a tensor of booleans")
def lists_of_lists(lengths, n):
    return with_the_library(lengths, n).tolist()


@wrong("seen", "gives=blocked")
def true_is_blocked(lengths, n):
    return ~with_the_library(lengths, n)


# ── The words that leaked ─────────────────────────────────────────────────────────────────────────────────────────────


@right("causal")
def word_by_word(x, W_Q, W_K, W_V):
    weights = torch.zeros(len(x), len(x), dtype=x.dtype)
    for i in range(len(x)):
        scores = torch.stack([(W_Q @ x[i]) @ (W_K @ x[j]) for j in range(i + 1)])
        weights[i, : i + 1] = (scores / math.sqrt(len(W_Q))).softmax(0)
    return weights @ x @ W_V.T, weights


@right("causal")
def masked_late_and_shared_again(x, W_Q, W_K, W_V):
    """After the softmax is right as well, where what is left is divided by its sum."""
    weights = (x @ W_Q.T @ W_K @ x.T / len(W_Q) ** 0.5).softmax(1).tril()
    weights = weights / weights.sum(1, keepdim=True)
    return weights @ x @ W_V.T, weights


@right("causal")
def with_the_kernel(x, W_Q, W_K, W_V):
    return attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T, causal(len(x)))[:2]


def looked(x, W_Q, W_K, W_V, mask=None):
    """The kernel among projected words."""
    return attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T, causal(len(x)) if mask is None else mask)[:2]


@wrong("causal", "mask=after")
def as_in_the_example(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).softmax(dim=1).tril()
    return weights @ (x @ W_V.T), weights


@wrong("causal", "mask=zeros")
def scores_made_zero(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).tril().softmax(dim=1)
    return weights @ (x @ W_V.T), weights


def hidden_by(number, x, W_Q, W_K, W_V):
    """A look whose hidden scores are this number."""
    later = torch.ones(len(x), len(x)).triu(1).bool()
    weights = ((x @ W_Q.T) @ (x @ W_K.T).T / math.sqrt(len(W_Q))).masked_fill(later, number).softmax(dim=1)
    return weights @ (x @ W_V.T), weights


@right("causal")
def hidden_by_a_number_that_is_low_enough(x, W_Q, W_K, W_V):
    return hidden_by(-1e4, x, W_Q, W_K, W_V)


@wrong("causal", "mask=too_high")
def hidden_by_fifteen_below(x, W_Q, W_K, W_V):
    return hidden_by(-15, x, W_Q, W_K, W_V)


@wrong("causal", "mask=too_high")
def hidden_by_a_hundred_below(x, W_Q, W_K, W_V):
    return hidden_by(-100, x, W_Q, W_K, W_V)


@wrong("causal", "mask=too_high")
def hidden_by_ten_below(x, W_Q, W_K, W_V):
    return hidden_by(-10, x, W_Q, W_K, W_V)


@wrong("causal", "mask=nowhere")
def everybody_sees_all(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V, torch.ones(len(x), len(x), dtype=torch.bool))


@wrong("causal", "order=future")
def the_other_triangle(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V, causal(len(x)).T)


@wrong("causal", "order=strict")
def never_itself(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V, torch.ones(len(x), len(x)).tril(-1).bool())


@wrong("causal", "order=strict_nan")
def never_itself_and_nobody(x, W_Q, W_K, W_V):
    seen = torch.ones(len(x), len(x)).tril(-1)
    weights = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).masked_fill(seen == 0, -math.inf).softmax(dim=1)
    return weights @ (x @ W_V.T), weights


@wrong("causal", "order=one_more")
def the_next_word_too(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V, torch.ones(len(x), len(x)).tril(1).bool())


@wrong("causal", "share=queries")
def softmax_down_the_columns(x, W_Q, W_K, W_V):
    scores = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).masked_fill(~causal(len(x)), -math.inf)
    weights = scores.softmax(dim=0)
    return weights @ (x @ W_V.T), weights


@wrong("causal", "share=best")
def one_each(x, W_Q, W_K, W_V):
    best = (x @ W_Q.T @ W_K @ x.T).masked_fill(~causal(len(x)), -math.inf).argmax(dim=1)
    weights = torch.nn.functional.one_hot(best, len(x)).to(x)
    return weights @ (x @ W_V.T), weights


@wrong("causal", "scale=none")
def not_divided(x, W_Q, W_K, W_V):
    return looked(x, W_Q * len(W_Q) ** 0.5, W_K, W_V)


@wrong("causal", "scale=size")
def divided_without_the_root(x, W_Q, W_K, W_V):
    return looked(x, W_Q / len(W_Q) ** 0.5, W_K, W_V)


@wrong("causal", "scale=values")
def divided_by_the_size_of_a_value(x, W_Q, W_K, W_V):
    return looked(x, W_Q * math.sqrt(len(W_Q) / len(W_V)), W_K, W_V)


@wrong("causal", "scale=model")
def divided_by_the_size_of_a_word(x, W_Q, W_K, W_V):
    return looked(x, W_Q * math.sqrt(len(W_Q) / x.shape[1]), W_K, W_V)


@wrong("causal", "scale=words")
def divided_by_the_number_of_words(x, W_Q, W_K, W_V):
    return looked(x, W_Q * math.sqrt(len(W_Q) / len(x)), W_K, W_V)


@wrong("causal", "matrices=as_they_are")
def not_transposed(x, W_Q, W_K, W_V):
    return attention(x @ W_Q, x @ W_K, x @ W_V, causal(len(x)))[:2]


@wrong("causal", "gives=columns")
def columns_blended(x, W_Q, W_K, W_V):
    _, weights = looked(x, W_Q, W_K, W_V)
    return weights.T @ (x @ W_V.T), weights


@wrong("causal", "matrices=exchanged")
def who_asks_whom(x, W_Q, W_K, W_V):
    return looked(x, W_K, W_Q, W_V)


@wrong("causal", "values=keys")
def keys_blended(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_K)


@wrong("causal", "values=words")
def words_blended(x, W_Q, W_K, W_V):
    return attention(x @ W_Q.T, x @ W_K.T, x, causal(len(x)))[:2]


@wrong("causal", "gives=weights_first")
def weights_first(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V)[::-1]


@wrong("causal", "gives=context_alone")
def context_alone(x, W_Q, W_K, W_V):
    return looked(x, W_Q, W_K, W_V).context


# ── What each word contributes ────────────────────────────────────────────────────────────────────────────────────────


@right("without")
def one_after_the_other(scores, v, u):
    def told(kept):
        positive = [math.exp(scores[j]) for j in kept]
        return sum(p / sum(positive) * float(v[j] @ u) for p, j in zip(positive, kept, strict=True))

    keys = list(range(len(scores)))
    return [told(keys) - told([j for j in keys if j != gone]) for gone in keys]


@right("without")
def with_a_table(scores, v, u):
    """A row for each key that is gone; its weight is nothing from the beginning."""
    others = 1 - torch.eye(len(scores)).double()
    positive = torch.exp(scores) * others
    return scores.softmax(0) @ v @ u - positive / positive.sum(1, keepdim=True) @ v @ u


@wrong("without", "share=divided")
def with_a_formula(scores, v, u):
    """What is left is (o − w r) / (1 − w), with r = v u: right on paper."""
    w, r = scores.softmax(0), v @ u
    whole = w @ r
    return whole - (whole - w * r) / (1 - w)


@wrong("without", "share=divided")
def with_a_shorter_formula(scores, v, u):
    w = scores.softmax(0)
    return w / (1 - w) * (v @ u - w @ v @ u)


@wrong("without", "share=values")
def whole_minus_what_it_says(scores, v, u):
    return scores.softmax(0) @ v @ u - v @ u


@wrong("without", "share=twice")
def softmax_of_the_weights(scores, v, u):
    weights = scores.softmax(0)
    kept = [[i for i in range(len(scores)) if i != j] for j in range(len(scores))]
    return torch.stack([weights @ v @ u - weights[others].softmax(0) @ v[others] @ u for others in kept])


@wrong("without", "gives=values")
def what_it_says(scores, v, u):
    return v @ u


@wrong("without", "gives=gradient")
def the_gradient_of_the_scores(scores, v, u):
    scores = scores.clone().requires_grad_()
    return torch.autograd.grad(scores.softmax(0) @ v @ u, scores)[0]


@wrong("without", "share=kept")
def share_taken_away(scores, v, u):
    return scores.softmax(0) * (v @ u)


@wrong("without", "share=zero_score")
def score_set_to_zero(scores, v, u):
    rest = [(scores * (torch.arange(len(scores)) != j)).softmax(0) @ v @ u for j in range(len(scores))]
    return scores.softmax(0) @ v @ u - torch.stack(rest)


@wrong("without", "sign=turned")
def what_is_gained(scores, v, u):
    return -with_a_table(scores, v, u)


@wrong("without", "sign=lost")
def sizes_alone(scores, v, u):
    return with_a_table(scores, v, u).abs()


@wrong("without", "readout=unused")
def summed_without_u(scores, v, u):
    return with_a_table(scores, v, torch.ones_like(u))


@wrong("without", "scale=root")
def scaled_again(scores, v, u):
    return with_a_table(scores / v.shape[1] ** 0.5, v, u)


@wrong("without", "gives=weights")
def weights_alone(scores, v, u):
    return torch.exp(scores) / torch.exp(scores).sum()


@wrong("without", "gives=rest")
def what_is_left(scores, v, u):
    return scores.softmax(0) @ v @ u - with_a_table(scores, v, u)


@wrong("without", "gives=relative")
def as_a_part_of_the_whole(scores, v, u):
    return with_a_table(scores, v, u) / (scores.softmax(0) @ v @ u)


@wrong("without", "gives=shared_out")
def made_to_sum_to_one(scores, v, u):
    falls = with_a_table(scores, v, u)
    return falls / falls.sum()


# ── How many, how far ─────────────────────────────────────────────────────────────────────────────────────────────────


@right("counts")
def with_tensors():
    return [12**2, torch.ones(12, 12).tril().sum(), 11, np.array(1), 3 * 2, 1.0, 0.25, 2**2]


@wrong("counts", "one each", "strictly before", "steps like words", "place by place")
def counted_too_little_or_one_too_many():
    return [12, 66, 12, 11, 6, 1, 1 / 4, 4]


@wrong("counts", "pairs once", "the whole table", "a short cut", "a look at each")
def pairs_and_tables():
    return [66, 144, 1, 12, 6, 1, 1 / 4, 4]


@wrong("counts", "not itself", "half the table", "all paths", "no step at all")
def diagonals_lost():
    return [132, 72, 66, 0, 6, 1, 1 / 4, 4]


@wrong("counts", "one layer", "shared with all", "always one", "as the words")
def one_layer_for_all():
    return [144, 78, 11, 1, 2, 1 / 12, 1, 2]


@wrong("counts", "itself counted", "nothing seen", "a share for a sum", "no more")
def shares_confused():
    return [144, 78, 11, 1, 9, 0, 1 / 3, 1]


@wrong("counts", "doubled each time", "what is lost", "a cube")
def powers_of_two():
    return [144, 78, 11, 1, 8, 1, 3 / 4, 8]


@wrong("counts", "one weight", "a step on the spot")
def a_weight_for_a_sum():
    return [144, 78, 11, 1, 7, 1, 1 / 12, 4]


@wrong("counts", says="Expected a list of 8 predictions, got a list of 7")
def one_forgotten():
    return [144, 78, 11, 1, 6, 1, 1 / 4]
