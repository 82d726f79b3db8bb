"""Hard attention against the enumeration of all choices; local attention against a loop over the paper's equations."""

import math

import pytest
import torch

from course_lib.attention import attention, masked_softmax
from course_lib.attention.masks import window
from course_lib.attention.scores import dot, scaled_dot
from course_lib.attention.selection import (
    Predictive,
    gaussian,
    hard,
    local,
    monotonic,
    moving_mean,
    reinforce,
    straight_through,
)
from tests.attention.variants import example

TIMES = 40_000


def small(seed=0):
    """One query, which requires a gradient, and four keys with values, in float64."""
    torch.manual_seed(seed)
    q, k, v = torch.randn(1, 3), torch.randn(4, 3), torch.randn(4, 2)
    return q.double().requires_grad_(), k.double(), v.double()


# ── Hard ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_choices_are_as_frequent_as_their_weights():
    """Sampling is the default. Rejects the argmax, and probabilities from scores that are not normalised."""
    q, k, v = small()
    selected = hard(q.expand(TIMES, -1), k, v)
    share, weights = selected.weights.mean(dim=0), attention(q, k, v).weights[0]
    assert (share - weights).abs().max() < 5 * 0.5 / math.sqrt(TIMES)  # five standard deviations
    rows = selected.weights.argmax(dim=-1)
    assert torch.equal(selected.context, v[rows])
    torch.testing.assert_close(selected.log_probability, weights.log()[rows])


def test_without_sampling_the_argmax_is_selected():
    q, k, v, mask = example(torch.float64)
    selected = hard(q, k, v, mask, sample=False)
    weights = attention(q, k, v, mask).weights
    assert torch.equal(selected.weights.argmax(dim=-1), weights.argmax(dim=-1))
    torch.testing.assert_close(selected.log_probability, weights.max(dim=-1).values.log())


@pytest.mark.parametrize("select", [lambda *a: hard(*a), lambda *a: hard(*a, sample=False), straight_through])
def test_a_masked_key_is_never_selected_and_no_key_gives_zeros(select):
    """Rejects an error, NaN, a key selected where none is allowed, and log 0 there."""
    q, k, v, mask = example(torch.float64)
    mask[:, 1] = False
    q.requires_grad_()
    selected = select(q, k, v, mask)
    assert not selected.weights.masked_select(~mask).any()
    assert selected.weights[:, 1].abs().max() == 0
    assert selected.context[:, 1].abs().max() == 0
    total = selected.context.sum() + (selected.log_probability.sum() if hasattr(selected, "log_probability") else 0)
    total.backward()
    assert q.grad.isfinite().all()


def test_no_gradient_passes_the_choice():
    """Rejects a soft context."""
    q, k, v = small()
    assert not hard(q, k, v).context.requires_grad
    assert hard(q, k, v).log_probability.requires_grad


@pytest.mark.parametrize("baseline", [0.0, 0.7])
def test_reinforce_has_the_gradient_of_the_expected_reward(baseline):
    """All four choices, each with its probability. Rejects a wrong sign, and a baseline that biases the gradient."""
    q, k, _ = small()
    rewards = torch.tensor([0.3, -1.0, 2.0, 0.5], dtype=torch.float64)
    weights = masked_softmax(dot(q, k))[0]
    (exact,) = torch.autograd.grad(-(weights * rewards).sum(), q, retain_graph=True)
    losses = torch.stack([reinforce(weights[j].log(), rewards[j], baseline) for j in range(4)])
    torch.testing.assert_close(reinforce(weights[0].log(), rewards[0]), -rewards[0] * weights[0].log())
    (enumerated,) = torch.autograd.grad((weights.detach() * losses).sum(), q)
    torch.testing.assert_close(enumerated, exact)


def test_sampled_reinforce_approximates_the_exact_gradient():
    """Rejects a log-probability of another choice than the one whose value is rewarded."""
    q, k, v = small()
    rewards = v[:, 0]
    (exact,) = torch.autograd.grad(-(attention(q, k, v).weights[0] * rewards).sum(), q)
    many = q.expand(TIMES, -1)
    selected = hard(many, k, v)
    (sampled,) = torch.autograd.grad(reinforce(selected.log_probability, selected.context[:, 0]), q)
    assert (sampled - exact).abs().max() < 0.03 < exact.abs().max()


def test_rewards_and_baselines_get_no_gradient():
    """Rejects a reward model that is trained by accident."""
    reward, baseline = torch.ones(3, requires_grad=True), torch.zeros(3, requires_grad=True)
    reinforce(torch.zeros(3, requires_grad=True), reward, baseline).backward()
    assert reward.grad is None
    assert baseline.grad is None


def test_the_moving_mean_follows_rewards():
    assert moving_mean(1.0, torch.tensor([0.0, 4.0])) == pytest.approx(0.9 * 1 + 0.1 * 2)


@pytest.mark.parametrize("sample", [False, True])
def test_straight_through_is_hard_forwards_and_soft_backwards(sample):
    """Rejects a gradient of zero, and a context that is a weighted average."""
    q, k, v = small()
    got = straight_through(q, k, v, sample=sample)
    assert sorted(got.weights[0].tolist()) == pytest.approx([0, 0, 0, 1])
    torch.testing.assert_close(got.context[0], v[got.weights[0].argmax()])
    (gradient,) = torch.autograd.grad(got.context.sum(), q)
    (expected,) = torch.autograd.grad(attention(q, k, v).context.sum(), q)
    torch.testing.assert_close(gradient, expected)
    torch.testing.assert_close(got.scores, scaled_dot(q, k))


@pytest.mark.parametrize("select", [hard, straight_through])
def test_the_default_samples_in_hard_attention_only(select):
    """Rejects a switched default."""
    q, k, v = small()
    assert len({tuple(row) for row in select(q.expand(200, -1), k, v).weights.tolist()}) == (4 if select is hard else 1)


# ── Local ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("weighted", [True, False])
def test_local_attention_equals_a_loop_over_the_papers_equations(weighted):
    """One query and one key at a time. Rejects a Gaussian before the softmax, σ = D, and a window on the wrong side."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4).double(), torch.randn(9, 4).double(), torch.randn(9, 2).double()
    center, radius = torch.tensor([0.2, 4.5, 7.9]).double(), 2
    got = local(q, k, v, center, radius, score=dot, gaussian_weights=weighted)
    for t in range(3):
        p = float(center[t])
        near = [s for s in range(9) if p - radius <= s <= p + radius]
        total = sum(math.exp(float(q[t] @ k[s])) for s in near)
        for s in range(9):
            align = math.exp(float(q[t] @ k[s])) / total if s in near else 0.0
            expected = align * (math.exp(-((s - p) ** 2) / (2 * (radius / 2) ** 2)) if weighted else 1.0)
            assert float(got.weights[t, s]) == pytest.approx(expected)
    torch.testing.assert_close(got.context, got.weights @ v)
    torch.testing.assert_close(got.scores, q @ k.mT)
    assert got.center is center


def test_monotonic_windows_are_the_window_mask():
    """local-m is attention with a mask. Rejects a window that is one key too narrow."""
    q, k, v, _ = example(torch.float64)
    n_query, n_key = q.shape[-2], k.shape[-2]
    got = local(q, k, v, monotonic(n_query), 2, gaussian_weights=False)
    expected = attention(q, k, v, window(n_query, n_key, 2, 2))
    torch.testing.assert_close(got.weights, expected.weights)


def test_the_predicted_center_learns():
    """Rejects a center without a gradient, which it gets through the default Gaussian."""
    torch.manual_seed(0)
    predictive, q = Predictive(3, 5), torch.randn(2, 4, 3)
    center = predictive(q, torch.tensor([6, 1]))
    assert ((center[0] > 0) & (center[0] < 5)).all()
    assert (center[1] == 0).all()
    k = torch.randn(2, 6, 3)
    local(q, k, torch.randn(2, 6, 2), center, 2).context.sum().backward()
    assert predictive.w_p.weight.grad.abs().max() > 0
    one = predictive.v_p.weight[0] @ torch.tanh(predictive.w_p.weight @ q[0, 1])
    torch.testing.assert_close(center[0, 1], 5 / (1 + math.e**-one))


def test_a_mask_holds_inside_the_window():
    """Rejects padding inside a window."""
    q, k, v, mask = example(torch.float64)
    weights = local(q, k, v, monotonic(q.shape[-2]).double(), 3, mask).weights
    assert not weights.masked_select(~mask).any()


def test_the_gaussian_has_half_the_radius():
    torch.testing.assert_close(gaussian(torch.tensor([1.0]), 4, 2)[0], torch.exp(-torch.tensor([0.5, 0.0, 0.5, 2.0])))
    with pytest.raises(ValueError, match="radius ≥ 1, got 0"):
        gaussian(torch.tensor([1.0]), 4, 0)
    assert monotonic(2, dtype=torch.float64).dtype == torch.float64
