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


@wrong("soften", "softmax=none")
def without_softmax(q, k, v, T):
    return q @ k.T / T @ v


@wrong("soften", "total=mean")
def mean_of_the_parts(q, k, v, T):
    weights = torch.softmax(q @ k.T / T, dim=1)
    return (weights[:, :, None] * v).mean(dim=1)


@wrong("soften", "softmax=queries", "temperature=unused")
def two_things_at_once(q, k, v, T):
    return (q @ k.T).softmax(0) @ v


# ── All cosines ───────────────────────────────────────────────────────────────────────────────────────────────────────


def norm(table, dim=1):
    """The norm of each row, or 1 where it is zero."""
    found = table.square().sum(dim=dim, keepdim=True).sqrt()
    return torch.where(found > 0, found, torch.ones_like(found))


@right("cosines")
def with_the_library(q, k):
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


@wrong("cosines", "zero=nan")
def as_in_the_formula(q, k):
    return q @ k.T / torch.outer(q.norm(dim=1), k.norm(dim=1))


@wrong("cosines", says="about a thirtieth long")
def a_little_below_the_line(q, k):
    return q @ k.T / (torch.outer(q.norm(dim=1), k.norm(dim=1)) + 1e-4)


@wrong("cosines", says="the second all zeros")
def only_keys_may_be_empty(q, k):
    return q / q.norm(dim=1, keepdim=True) @ (k / norm(k)).T


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


@wrong("shares", says="changes its argument `scores` in place")
def writes_into_the_scores(scores, mask):
    scores[~mask] = -1e30
    return scores.softmax(dim=1) * mask


@wrong("shares", "softmax=overflowing", "empty=nan")
def as_in_the_formula_with_a_mask(scores, mask):
    positive = scores.exp() * mask
    return positive / positive.sum(dim=1, keepdim=True)


@wrong("shares", "hidden=shallow")
def a_thousand_is_not_enough(scores, mask):
    return scores.masked_fill(~mask, -1000.0).softmax(dim=1)


# ── Find the bug: a row that reads itself ─────────────────────────────────────────────────────────────────────────────


@right("itself")
def with_the_kernel(x, W_Q, W_K, W_V):
    out = attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T)
    return out.context, out.weights


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


@wrong("itself", "softmax=queries")
def with_the_given_bug(x, W_Q, W_K, W_V):
    q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
    weights = (q @ k.T / math.sqrt(len(W_Q))).softmax(dim=0)
    return weights @ v, weights


@wrong("itself", "softmax=queries_then_keys")
def normalised_by_columns_and_rows(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / math.sqrt(len(W_Q))).softmax(dim=0)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return weights @ (x @ W_V.T), weights


@wrong("itself", "scale=values")
def divided_by_the_values_size(x, W_Q, W_K, W_V):
    weights = (x @ W_Q.T @ W_K @ x.T / len(W_V) ** 0.5).softmax(dim=1)
    return weights @ x @ W_V.T, weights


# ── Scores foreseen ───────────────────────────────────────────────────────────────────────────────────────────────────


@right("variances")
def with_fractions_and_tensors():
    return [torch.tensor(64.0), 64 / 8**2, 4 * 64, math.sqrt(64), 0.6, (0 + 6 + 15) / 3, 2.5, np.array(0.5)]
