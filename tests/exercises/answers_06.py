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


@wrong("seen", "hidden=one_short")
def counted_from_one(lengths, n):
    return causal(n) & (torch.arange(1, n + 1) < lengths[:, None, None])


@wrong("seen", "hidden=flat")
def one_axis_too_few(lengths, n):
    return causal(n) & (torch.arange(n) < lengths[:, None])


@wrong("seen", says="not a tensor of booleans")
def ones_and_zeros(lengths, n):
    return with_the_library(lengths, n).float()


# ── The words that leaked ─────────────────────────────────────────────────────────────────────────────────────────────


@right("causal")
def word_by_word(x, W_Q, W_K, W_V):
    weights = torch.zeros(len(x), len(x), dtype=x.dtype)
    for i in range(len(x)):
        scores = torch.stack([(W_Q @ x[i]) @ (W_K @ x[j]) for j in range(i + 1)])
        weights[i, : i + 1] = (scores / math.sqrt(len(W_Q))).softmax(0)
    return weights @ x @ W_V.T, weights


@right("causal")
def masked_late_and_normalised_again(x, W_Q, W_K, W_V):
    """Masking after the softmax is right too, if the rest is divided by its sum."""
    weights = (x @ W_Q.T @ W_K @ x.T / len(W_Q) ** 0.5).softmax(1).tril()
    weights = weights / weights.sum(1, keepdim=True)
    return weights @ x @ W_V.T, weights


def attend(x, W_Q, W_K, W_V, mask):
    """Context and weights of the library on projected words."""
    out = attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T, mask)
    return out.context, out.weights


@right("causal")
def with_the_kernel(x, W_Q, W_K, W_V):
    return attend(x, W_Q, W_K, W_V, causal(len(x)))


@wrong("causal", "mask=after")
def with_the_given_bug(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).softmax(dim=1).tril()
    return weights @ (x @ W_V.T), weights


def hidden_by(number, x, W_Q, W_K, W_V):
    """Attention whose hidden scores are this number."""
    later = torch.ones(len(x), len(x)).triu(1).bool()
    weights = ((x @ W_Q.T) @ (x @ W_K.T).T / math.sqrt(len(W_Q))).masked_fill(later, number).softmax(dim=1)
    return weights @ (x @ W_V.T), weights


@right("causal")
def hidden_by_a_number_that_is_low_enough(x, W_Q, W_K, W_V):
    return hidden_by(-1e4, x, W_Q, W_K, W_V)


@wrong("causal", "mask=too_high")
def hidden_by_fifteen_below(x, W_Q, W_K, W_V):
    return hidden_by(-15, x, W_Q, W_K, W_V)


@wrong("causal", "gives=context_unmasked")
def context_of_all_words(x, W_Q, W_K, W_V):
    _, weights = with_the_kernel(x, W_Q, W_K, W_V)
    return attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T).context, weights


# ── What each word contributes ────────────────────────────────────────────────────────────────────────────────────────


@right("without")
def one_after_the_other(scores, v, u):
    def readout(kept):
        positive = [math.exp(scores[j]) for j in kept]
        return sum(p / sum(positive) * float(v[j] @ u) for p, j in zip(positive, kept, strict=True))

    keys = list(range(len(scores)))
    return [readout(keys) - readout([j for j in keys if j != gone]) for gone in keys]


@right("without")
def with_a_table(scores, v, u):
    """A row for each key that is left out, with weight 0 from the beginning."""
    others = 1 - torch.eye(len(scores)).double()
    positive = torch.exp(scores) * others
    return scores.softmax(0) @ v @ u - positive / positive.sum(1, keepdim=True) @ v @ u


@wrong("without", "rest=divided")
def with_a_formula(scores, v, u):
    """The rest is (o − w r) / (1 − w), with r = v u: right on paper."""
    w, r = scores.softmax(0), v @ u
    whole = w @ r
    return whole - (whole - w * r) / (1 - w)


@wrong("without", "rest=zero_score")
def score_set_to_zero(scores, v, u):
    rest = [(scores * (torch.arange(len(scores)) != j)).softmax(0) @ v @ u for j in range(len(scores))]
    return scores.softmax(0) @ v @ u - torch.stack(rest)


@wrong("without", "gives=shared_out")
def made_to_sum_to_one(scores, v, u):
    falls = with_a_table(scores, v, u)
    return falls / falls.sum()


# ── How many, how far ─────────────────────────────────────────────────────────────────────────────────────────────────


@right("counts")
def with_tensors():
    return [12**2, torch.ones(12, 12).tril().sum(), 11, np.array(1), 4 * 2, 1.0, 0.25, 3**2]
