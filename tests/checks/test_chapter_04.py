"""The references of chapter 4's checks against the library and PyTorch, which compute the same in their own ways."""

import math

import numpy as np
import torch
from torch.nn.functional import cosine_similarity, scaled_dot_product_attention

from course_lib.attention import attention, masked_softmax
from course_lib.attention.scores import dot
from course_lib.checks import chapter_04
from course_lib.checks.chapter_04 import normalise, weighted_average


def inputs(check):
    """The arguments of all cases."""
    return check.cases(np.random.default_rng(0)).values()


def test_a_look_up_is_the_kernel_at_a_temperature():
    """Rejects a reference with another scale."""
    for q, k, v, T in inputs(weighted_average.check_soften):
        expected = attention(q, k, v, score=lambda q, k, T=T: dot(q, k) / T).context
        torch.testing.assert_close(weighted_average.soft_lookup(q, k, v, T), expected)


def test_a_row_that_reads_itself_is_pytorchs_attention():
    """Rejects a reference that asks with the keys, or divides by another size."""
    for x, W_Q, W_K, W_V in inputs(weighted_average.check_itself):
        q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
        context, weights = weighted_average.self_attention(x, W_Q, W_K, W_V)
        torch.testing.assert_close(context, scaled_dot_product_attention(q, k, v))
        torch.testing.assert_close(weights, attention(q, k, v).weights)


def test_cosines_are_pytorchs():
    """Rejects lengths along the wrong axis; a key of zeros has the cosine 0."""
    for q, k in inputs(normalise.check_cosines):
        expected = cosine_similarity(q[:, None], k[None], dim=-1)
        torch.testing.assert_close(normalise.cosines(q, k), expected)


def test_shares_are_the_librarys_masked_softmax():
    """Rejects a reference that leaves something to an empty row."""
    empty = 0
    for scores, mask in inputs(normalise.check_shares):
        torch.testing.assert_close(normalise.masked_softmax(scores, mask), masked_softmax(scores, mask))
        empty += int((~mask.any(dim=1)).sum())
    assert empty >= 2, "some query may attend to nothing"


def test_scores_are_as_foreseen():
    """The right predictions are what is measured. Rejects a prediction by a formula that does not hold."""
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 400, 64, 64, generator=generator, dtype=torch.float64)
    products = dot(q, k)
    right = chapter_04.check_variances.reference()
    measured = [products.var(), (products / 8).var(), dot(2 * q, k).var()]
    np.testing.assert_allclose(measured, right[:3], rtol=0.05)
    torch.testing.assert_close((products[0] / right[3]).softmax(-1), attention(q[0], k[0], k[0]).weights)
    three = torch.tensor([math.log(3), 0.0, 0.0])
    np.testing.assert_allclose(
        [three.softmax(0)[0], (three / 1e6).softmax(0) @ torch.tensor([0.0, 6, 15])], right[4:6], rtol=1e-5
    )
    w = torch.randn(3, 5, generator=generator)
    a, b = (torch.randn(1, 5, generator=generator) @ w.T for _ in range(2))
    torch.testing.assert_close(dot(a, b) / dot(b, a) * 2.5, torch.full((1, 1), right[6]))


def test_of_two_twins_at_most_one_looks_at_the_other():
    """Over many random pairs: none beats the share foreseen, and some reach it. Rejects a bound that is too low."""
    p = torch.randn(20_000, 2, 3, generator=torch.Generator().manual_seed(0))
    finds = (p @ p.mT).argmax(dim=-1) == torch.tensor([1, 0])
    assert finds.float().mean(dim=1).max() == chapter_04.check_variances.reference()[7]
