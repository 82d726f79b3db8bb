"""Hard attention against the enumeration of all choices; local attention against a loop over the paper's equations."""

import math

import pytest
import torch

from course_lib.attention import attention, masked_softmax
from course_lib.attention.masks import window
from course_lib.attention.scores import dot
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
    """One query and four keys with values, in float64; the query asks for a gradient."""
    torch.manual_seed(seed)
    q, k, v = torch.randn(1, 3), torch.randn(4, 3), torch.randn(4, 2)
    return q.double().requires_grad_(), k.double(), v.double()


# ── Hard ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_choices_are_as_frequent_as_their_weights():
    """Rejects the likeliest in place of a random one, and probabilities of scores that are not normalised."""
    q, k, v = small()
    picked = hard(q.expand(TIMES, -1), k, v)
    share, weights = picked.weights.mean(dim=0), attention(q, k, v).weights[0]
    assert (share - weights).abs().max() < 5 * 0.5 / math.sqrt(TIMES)  # five standard deviations
    rows = picked.weights.argmax(dim=-1)
    assert torch.equal(picked.context, v[rows])
    torch.testing.assert_close(picked.log_probability, weights.log()[rows])


def test_without_sampling_the_likeliest_is_picked():
    q, k, v, mask = example(torch.float64)
    picked = hard(q, k, v, mask, sample=False)
    weights = attention(q, k, v, mask).weights
    assert torch.equal(picked.weights.argmax(dim=-1), weights.argmax(dim=-1))
    torch.testing.assert_close(picked.log_probability, weights.max(dim=-1).values.log())


@pytest.mark.parametrize("pick", [lambda *a: hard(*a), lambda *a: hard(*a, sample=False), straight_through])
def test_what_may_not_be_attended_is_never_picked_and_nothing_gives_zeros(pick):
    """Rejects an error, NaN, or a word picked from nothing; and log 0 where nothing was chosen."""
    q, k, v, mask = example(torch.float64)
    mask[:, 1] = False
    q.requires_grad_()
    picked = pick(q, k, v, mask)
    assert not picked.weights.masked_select(~mask).any()
    assert picked.weights[:, 1].abs().max() == 0
    assert picked.context[:, 1].abs().max() == 0
    total = picked.context.sum() + (picked.log_probability.sum() if hasattr(picked, "log_probability") else 0)
    total.backward()
    assert q.grad.isfinite().all()


def test_no_gradient_passes_the_choice():
    """Rejects a hard attention that is soft in secret."""
    q, k, v = small()
    assert not hard(q, k, v).context.requires_grad
    assert hard(q, k, v).log_probability.requires_grad


@pytest.mark.parametrize("baseline", [0.0, 0.7])
def test_reinforce_has_the_gradient_of_the_expected_reward(baseline):
    """All four choices, each with its probability. Rejects a wrong sign, and a baseline that bends the mean."""
    q, k, _ = small()
    rewards = torch.tensor([0.3, -1.0, 2.0, 0.5], dtype=torch.float64)
    weights = masked_softmax(dot(q, k))[0]
    (exact,) = torch.autograd.grad(-(weights * rewards).sum(), q, retain_graph=True)
    losses = torch.stack([reinforce(weights[j].log(), rewards[j], baseline) for j in range(4)])
    (enumerated,) = torch.autograd.grad((weights.detach() * losses).sum(), q)
    torch.testing.assert_close(enumerated, exact)


def test_drawn_at_random_reinforce_comes_near_the_exact_gradient():
    """Rejects a log-probability of another choice than the one whose value is rewarded."""
    q, k, v = small()
    rewards = v[:, 0]
    (exact,) = torch.autograd.grad(-(attention(q, k, v).weights[0] * rewards).sum(), q)
    many = q.expand(TIMES, -1)
    picked = hard(many, k, v)
    (drawn,) = torch.autograd.grad(reinforce(picked.log_probability, picked.context[:, 0]), q)
    assert (drawn - exact).abs().max() < 0.03 < exact.abs().max()


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
    """Rejects a gradient of zero, and a context that is a blend."""
    q, k, v = small()
    seen = straight_through(q, k, v, sample=sample)
    assert sorted(seen.weights[0].tolist()) == pytest.approx([0, 0, 0, 1])
    torch.testing.assert_close(seen.context[0], v[seen.weights[0].argmax()])
    (got,) = torch.autograd.grad(seen.context.sum(), q)
    (expected,) = torch.autograd.grad(attention(q, k, v).context.sum(), q)
    torch.testing.assert_close(got, expected)


# ── Local ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fade", [True, False])
def test_local_attention_equals_a_loop_over_the_papers_equations(fade):
    """One query and one key at a time. Rejects a fade before the softmax, σ = D, and a window of the wrong side."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4).double(), torch.randn(9, 4).double(), torch.randn(9, 2).double()
    center, reach = torch.tensor([0.2, 4.5, 7.9]).double(), 2
    got = local(q, k, v, center, reach, score=dot, fade=fade)
    for t in range(3):
        p = float(center[t])
        near = [s for s in range(9) if p - reach <= s <= p + reach]
        total = sum(math.exp(float(q[t] @ k[s])) for s in near)
        for s in range(9):
            align = math.exp(float(q[t] @ k[s])) / total if s in near else 0.0
            expected = align * (math.exp(-((s - p) ** 2) / (2 * (reach / 2) ** 2)) if fade else 1.0)
            assert float(got.weights[t, s]) == pytest.approx(expected)
    torch.testing.assert_close(got.context, got.weights @ v)


def test_monotonic_windows_are_the_window_mask():
    """local-m is attention with a mask. Rejects a window that is one key too narrow."""
    q, k, v, _ = example(torch.float64)
    n_query, n_key = q.shape[-2], k.shape[-2]
    got = local(q, k, v, monotonic(n_query), 2, fade=False)
    expected = attention(q, k, v, window(n_query, n_key, 2, 2))
    torch.testing.assert_close(got.weights, expected.weights)


def test_the_predicted_center_learns():
    """Rejects a center without a gradient: a window alone has none, the fade has."""
    torch.manual_seed(0)
    place, q = Predictive(3, 5), torch.randn(2, 4, 3)
    center = place(q, torch.tensor([6, 1]))
    assert ((center[0] > 0) & (center[0] < 5)).all()
    assert (center[1] == 0).all()
    k = torch.randn(2, 6, 3)
    local(q, k, torch.randn(2, 6, 2), center, 2).context.sum().backward()
    assert place.w_p.weight.grad.abs().max() > 0
    one = place.v_p.weight[0] @ torch.tanh(place.w_p.weight @ q[0, 1])
    torch.testing.assert_close(center[0, 1], 5 / (1 + math.e**-one))


def test_a_mask_holds_inside_the_window():
    """Rejects padding that a window lets in."""
    q, k, v, mask = example(torch.float64)
    weights = local(q, k, v, monotonic(q.shape[-2]).double(), 3, mask).weights
    assert not weights.masked_select(~mask).any()


def test_the_fade_is_a_gaussian_of_half_the_reach():
    torch.testing.assert_close(gaussian(torch.tensor([1.0]), 4, 2)[0], torch.exp(-torch.tensor([0.5, 0.0, 0.5, 2.0])))
    with pytest.raises(ValueError, match="reach ≥ 1, got 0"):
        gaussian(torch.tensor([1.0]), 4, 0)
