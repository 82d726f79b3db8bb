"""The kernel: each test names the wrong kernel that it rejects."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from course_lib.attention import attention, masked_softmax
from course_lib.attention.masks import causal
from tests.attention.variants import DTYPES, SIZES, VARIANTS, example, tolerance


def slow_attention(q, k, v, mask, score):
    """One query and one key at a time, as in the equation."""
    context, weights = torch.zeros(len(q), v.shape[1], dtype=v.dtype), torch.zeros(len(q), len(k), dtype=v.dtype)
    for i in range(len(q)):
        allowed = [j for j in range(len(k)) if mask[i, j]]
        highest = max((score(i, j) for j in allowed), default=0)
        exps = {j: math.exp(score(i, j) - highest) for j in allowed}
        for j in allowed:
            weights[i, j] = exps[j] / sum(exps.values())
            context[i] += weights[i, j] * v[j]
    return context, weights


def test_the_hand_computed_case():
    """One query, two keys, scores ln 3 and 0: weights 3/4 and 1/4. Rejects scores divided by their sum."""
    q, k = torch.tensor([[1.0]]), torch.tensor([[math.log(3.0)], [0.0]])
    context, weights, scores = attention(q, k, torch.tensor([[8.0], [4.0]]))
    assert scores.tolist() == [pytest.approx([math.log(3), 0])]
    assert weights.tolist() == [pytest.approx([0.75, 0.25])]
    assert context.tolist() == [pytest.approx([7.0])]


@pytest.mark.parametrize("dtype", DTYPES)
def test_equals_torch_with_a_mask_and_all_sizes_different(dtype):
    """Rejects a missing √d_k, an inverted mask, a softmax over queries, exchanged keys and values."""
    q, k, v, mask = example(dtype)
    expected = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(attention(q, k, v, mask).context, expected, **tolerance(dtype))


@pytest.mark.parametrize("n", [SIZES.query, SIZES.key])
def test_equals_torch_when_a_transposed_softmax_would_keep_its_shape(n):
    """As many queries as keys: rejects a softmax over the queries, which here has the right shape."""
    q, k, v = torch.randn(2, n, 3), torch.randn(2, n, 3), torch.randn(2, n, 5)
    expected = scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(attention(q, k, v, causal(n)).context, expected)


@given(seed=st.integers(0, 10_000), n_query=st.integers(1, 5), n_key=st.integers(1, 6), scale=st.floats(0.01, 20))
def test_equals_the_slow_loop(seed, n_query, n_key, scale):
    """Any sizes, any mask, rows with nothing to attend to included."""
    random = torch.Generator().manual_seed(seed)
    q, k = (torch.randn(n, 3, generator=random, dtype=torch.float64) * scale for n in (n_query, n_key))
    v = torch.randn(n_key, 2, generator=random, dtype=torch.float64)
    mask = torch.rand(n_query, n_key, generator=random) < 0.6
    got = attention(q, k, v, mask)
    context, weights = slow_attention(q, k, v, mask, lambda i, j: float(q[i] @ k[j]) / math.sqrt(3))
    torch.testing.assert_close(got.weights, weights)
    torch.testing.assert_close(got.context, context)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_sum_to_one_or_to_zero_where_nothing_may_be_attended(name, dtype):
    """Rejects masking after the softmax (rows below one) and a fill of −∞ (NaN in empty rows)."""
    q, k, v, mask = example(dtype)
    mask[:, 1] = False
    weights = attention(q, k, v, mask, VARIANTS[name](dtype)).weights
    expected = torch.ones(weights.shape[:-1], dtype=dtype)
    expected[:, 1] = 0
    torch.testing.assert_close(weights.sum(dim=-1), expected, **tolerance(dtype))
    assert (weights.masked_select(~mask) == 0).all()


@pytest.mark.parametrize("name", VARIANTS)
def test_gradients_are_finite_where_nothing_may_be_attended(name):
    """Rejects a fill of −∞ mended afterwards with nan_to_num: its gradients stay NaN."""
    q, k, v, mask = example()
    mask[:, 1] = False
    for x in (q, k, v):
        x.requires_grad_()
    attention(q, k, v, mask, VARIANTS[name](q.dtype)).context.square().sum().backward()
    got = [x.grad for x in (q, k, v) if x.grad is not None]
    assert got
    assert all(grad.isfinite().all() for grad in got)
    assert v.grad.abs().sum() > 0


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_masked_has_no_influence_and_gets_no_gradient(name):
    """Rejects a finite fill such as 0 and any leak: a masked key may hold any number."""
    q, k, v, mask = example()
    score = VARIANTS[name](q.dtype)
    blocked = ~mask.any(dim=-2)
    assert blocked.any(), "the example must mask some key for every query"
    before = attention(q, k, v, mask, score).context
    k2, v2 = (torch.where(blocked[:, :, None], 1e4, x) for x in (k, v))
    torch.testing.assert_close(attention(q, k2, v2, mask, score).context, before)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "location"])
def test_other_keys_change_the_weights(name):
    """Rejects attention that ignores the keys."""
    q, k, v, _ = example()
    score = VARIANTS[name](q.dtype)
    other = k.clone()
    other[:, 2] = -other[:, 2] + 0.5
    assert (attention(q, other, v, score=score).weights - attention(q, k, v, score=score).weights).abs().max() > 1e-4


def test_location_scores_do_not_depend_on_the_keys():
    """The exception to the law above, by definition (Luong et al. 2015, eq. 8)."""
    q, k, v, _ = example()
    score = VARIANTS["location"](q.dtype)
    assert torch.equal(attention(q, k * 3, v, score=score).weights, attention(q, k, v, score=score).weights)


@pytest.mark.parametrize("name", VARIANTS)
def test_arguments_are_never_modified(name):
    """Rejects masked_fill_, in-place scaling of q, and their like."""
    arguments = example()
    before = [x.clone() for x in arguments]
    attention(*arguments, VARIANTS[name](torch.float32))
    assert all(map(torch.equal, before, arguments))


@given(shift=st.floats(-50, 50), seed=st.integers(0, 1000))
def test_softmax_ignores_a_common_shift_of_the_scores(shift, seed):
    """Rejects "scores divided by their sum", which also breaks on negative scores."""
    scores = torch.randn(3, 7, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    torch.testing.assert_close(masked_softmax(scores + shift), masked_softmax(scores))


def test_softmax_survives_enormous_scores():
    """Rejects exp() without subtracting the maximum first."""
    weights = masked_softmax(torch.tensor([[1e5, 0.0, -1e5]]), torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


def test_scores_are_after_the_bias_and_before_the_mask():
    """Rejects a bias multiplied, forgotten, or added to the weights, and scores with the mask in them."""
    q, k, v, mask = example(torch.float64)
    bias = torch.randn(SIZES.query, SIZES.key, dtype=torch.float64)
    by_hand = q @ k.mT / math.sqrt(SIZES.d) + bias
    got = attention(q, k, v, mask, bias=bias)
    torch.testing.assert_close(got.scores, by_hand)
    torch.testing.assert_close(got.weights, masked_softmax(by_hand, mask))
    torch.testing.assert_close(got.context, got.weights @ v)


def test_wrong_masks_and_biases_raise():
    q, k, v, mask = example()
    with pytest.raises(
        ValueError, match=r"bias must broadcast to the scores: expected \(2, 5, 7\), got \(3, 2, 5, 7\)"
    ):
        attention(q, k, v, bias=torch.zeros(3, 2, 5, 7))
    with pytest.raises(ValueError, match=r"boolean.*expected dtype torch.bool, got torch.float32"):
        attention(q, k, v, mask.float())
    with pytest.raises(ValueError, match=r"expected \(2, 5, 7\), got \(2, 7, 5\)"):
        attention(q, k, v, mask.mT)
    with pytest.raises(ValueError, match=r"expected \(2, 5, 7\), got \(3, 2, 5, 7\)"):
        attention(q, k, v, mask.expand(3, 2, 5, 7))


def test_wrong_sizes_raise():
    q, k, v, _ = example()
    with pytest.raises(ValueError, match=r"same feature size: expected 3, got 2"):
        attention(q, k[..., :2], v)
    with pytest.raises(ValueError, match=r"expected 7 values, got 6"):
        attention(q, k, v[:, :6])
