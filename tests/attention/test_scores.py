"""Scores: each against a loop over single pairs, and against what relates it to the others."""

import math

import pytest
import torch

from course_lib.attention import scores
from tests.attention.variants import DTYPES, SIZES, VARIANTS, example, tolerance

BY_HAND = {
    "dot": lambda q, k, j, m: sum(a * b for a, b in zip(q, k, strict=True)),
    "scaled_dot": lambda q, k, j, m: sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(k)),
    "cosine": lambda q, k, j, m: float(q @ k) / math.sqrt(float(q @ q)) / math.sqrt(float(k @ k)),
    "bilinear": lambda q, k, j, m: sum(q[a] * m.w[a, b] * k[b] for a in range(len(q)) for b in range(len(k))),
    "concat": lambda q, k, j, m: m.v @ torch.tanh(m.w @ torch.cat([q, k])),
    "additive": lambda q, k, j, m: m.v @ torch.tanh(m.w_q.weight @ q + m.w_k.weight @ k),
    "location": lambda q, k, j, m: m.w[j] @ q,
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_each_pair_is_scored_by_the_formula(name, dtype):
    """Rejects a forgotten matrix, tanh or scale, and query and key exchanged."""
    q, k, _, _ = example(dtype)
    score = VARIANTS[name](dtype)
    got = score(q, k)
    assert got.shape == (SIZES.batch, SIZES.query, SIZES.key)
    for b in range(SIZES.batch):
        for i in range(SIZES.query):
            for j in range(SIZES.key):
                by_hand = torch.as_tensor(BY_HAND[name](q[b, i], k[b, j], j, score), dtype=dtype)
                torch.testing.assert_close(got[b, i, j], by_hand, **tolerance(dtype))


def test_concat_with_both_matrices_side_by_side_is_the_additive_score():
    """W [q; k] = W_q q + W_k k. Rejects [k; q]."""
    q, k, _, _ = example(torch.float64)
    additive = VARIANTS["additive"](torch.float64)
    joined = torch.cat([additive.w_q.weight, additive.w_k.weight], dim=1)
    torch.testing.assert_close(scores.concat(q, k, joined, additive.v), additive(q, k))


def test_bilinear_with_the_identity_is_the_dot_product():
    q, k, _, _ = example(torch.float64)
    torch.testing.assert_close(scores.bilinear(q, k, torch.eye(SIZES.d, dtype=torch.float64)), scores.dot(q, k))


def test_cosine_depends_on_direction_only_and_is_zero_for_a_zero_vector():
    """Rejects a cosine that divides by one norm only, and 0/0."""
    q, k, _, _ = example(torch.float64)
    torch.testing.assert_close(scores.cosine(7 * q, 0.1 * k), scores.cosine(q, k))
    assert (scores.cosine(torch.zeros_like(q), k) == 0).all()


def test_queries_and_keys_of_different_sizes_need_a_matrix_between_them():
    q, k = torch.randn(2, 5, 3), torch.randn(2, 7, 11)
    for module in (scores.Bilinear(3, 11), scores.Additive(3, 11, 13), scores.Concat(3, 11, 13)):
        assert module(q, k).shape == (2, 5, 7)


def test_queries_broadcast_over_missing_batch_axes():
    """One set of keys for every head or sentence: rejects scores that assume equal batches."""
    q, k = torch.randn(2, 4, 5, 3), torch.randn(2, 1, 7, 3)
    for name in VARIANTS:
        score = VARIANTS[name](torch.float32)
        torch.testing.assert_close(score(q, k)[:, 2], score(q[:, 2], k[:, 0]))


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "cosine"])
def test_sizes_that_do_not_match_raise(name):
    with pytest.raises(ValueError, match="same feature size: expected 3, got 4"):
        VARIANTS[name](torch.float32)(torch.randn(5, 3), torch.randn(7, 4))


def test_parameters_that_do_not_fit_raise():
    q, k = torch.randn(5, 3), torch.randn(7, 4)
    with pytest.raises(ValueError, match=r"expected \(3, 4\), got \(4, 3\)"):
        scores.bilinear(q, k, torch.randn(4, 3))
    with pytest.raises(ValueError, match=r"expected \(13, 7\), got \(13, 8\)"):
        scores.concat(q, k, torch.randn(13, 8), torch.randn(13))
    with pytest.raises(ValueError, match=r"expected \(13,\), got \(12,\)"):
        scores.concat(q, k, torch.randn(13, 7), torch.randn(12))
    with pytest.raises(ValueError, match=r"expected \(3,\), got \(5,\)"):
        scores.additive(q, torch.randn(7, 3), torch.randn(5))
    with pytest.raises(ValueError, match="at most that many keys, got 7"):
        scores.location(q, k, torch.randn(6, 3))
    assert scores.location(q, k, torch.randn(7, 3)).shape == (5, 7)
    with pytest.raises(ValueError, match=r"expected \(9, 3\), got \(9, 2\)"):
        scores.location(q, k, torch.randn(9, 2))
