"""The references of chapter 5's checks against the library, which computes the same in its own way."""

import math

import numpy as np
import torch

from course_lib.attention.masks import window
from course_lib.attention.selection import hard, local, reinforce, straight_through
from course_lib.checks import chapter_05
from course_lib.checks.chapter_05 import local as windows
from course_lib.checks.chapter_05 import reinforce as rewards
from course_lib.checks.chapter_05 import sampling
from course_lib.data.strings import strings

TIMES = 20_000


def inputs(check):
    """The arguments of all cases."""
    return check.cases(np.random.default_rng(0)).values()


def given(scores):
    """A score for the library's functions that says these numbers."""
    return lambda q, k: scores


def test_picks_are_as_frequent_as_the_librarys():
    """Rejects a reference that samples with other probabilities than `hard` does."""
    for w, v, _ in inputs(sampling.check_pick):
        u = torch.rand(TIMES, generator=torch.Generator().manual_seed(0))
        context, picked = sampling.sample(w[:1].expand(TIMES, -1), v, u)
        torch.manual_seed(0)
        scores = w[:1].log().expand(TIMES, -1)
        expected = hard(scores, v, v, score=given(scores)).weights.mean(dim=0)
        assert (picked.mean(dim=0) - expected).abs().max() < 5 * math.sqrt(0.5 / TIMES)
        torch.testing.assert_close(context, v[picked.argmax(dim=1)])


def test_the_loss_is_the_librarys():
    """Rejects a loss with another sign, another mean or another key."""
    for scores, picked, reward, baseline in inputs(rewards.check_reinforce):
        likely = scores.log_softmax(dim=1).gather(1, picked[:, None])[:, 0]
        torch.testing.assert_close(
            rewards.reinforce_loss(scores, picked, reward, baseline), reinforce(likely, reward, baseline)
        )


def test_straight_through_is_the_librarys_by_autograd():
    """Rejects a formula that is not what autograd gives for one-hot + w − stop(w)."""
    for scores, v, slope in inputs(sampling.check_through):
        asks = scores.clone().requires_grad_()
        seen = straight_through(asks, v, v, score=given(asks))
        (gradient,) = torch.autograd.grad(seen.context, asks, slope)
        found, of_scores = sampling.straight_through(scores, v, slope)
        torch.testing.assert_close(found, seen.context.detach())
        torch.testing.assert_close(of_scores, gradient)


def test_the_gradient_is_that_of_the_librarys_loss():
    """Rejects a baseline through which a gradient passes, in the reference itself."""
    for scores, r, picked in inputs(rewards.check_gradient):
        asks = scores.clone().requires_grad_()
        likely = asks.log_softmax(dim=1).gather(1, picked[:, None])[:, 0]
        expected = (asks.softmax(dim=1) * r).sum(dim=1)
        loss = reinforce(likely, r.gather(1, picked[:, None])[:, 0], expected)
        torch.testing.assert_close(rewards.score_gradient(scores, r, picked), torch.autograd.grad(loss, asks)[0])


def test_a_baseline_with_a_gradient_is_autograds():
    """Rejects a misconception that computes something else than the program with the bug does."""
    for scores, r, picked in inputs(rewards.check_gradient):
        asks = scores.clone().requires_grad_()
        w, rows = asks.softmax(dim=1), torch.arange(len(asks))
        loss = -((r[rows, picked] - (w * r).sum(dim=1)) * w[rows, picked].log()).mean()
        got = rewards.score_gradient(scores, r, picked, b="carries")
        torch.testing.assert_close(got, torch.autograd.grad(loss, asks)[0])


def test_faded_weights_are_the_librarys():
    """Rejects a window or a Gaussian that is not that of `local`."""
    for scores, p, reach in inputs(windows.check_faded):
        values = torch.ones(scores.shape[1], 1).double()
        torch.testing.assert_close(
            windows.local_weights(scores, p, reach),
            local(scores, values, values, p, reach, score=given(scores)).weights,
        )


def test_picks_and_windows_are_as_foreseen():
    """The right predictions are what the library computes, and a count over a real string. Rejects a wrong key."""
    scores = torch.tensor([math.log(4), 0.0]).requires_grad_()
    r, first = torch.tensor([2.0, -1.0]), torch.tensor([0])
    (exact,) = torch.autograd.grad((scores.softmax(dim=0) * r).sum(), scores)
    one, compared = (
        -torch.autograd.grad(reinforce(scores.log_softmax(dim=0)[first], r[first], b), scores)[0][0] for b in (0.0, 1.4)
    )
    edge = local(torch.ones(1, 1), torch.ones(5, 1), torch.ones(5, 1), torch.tensor([2.0]), reach=2).weights[0]
    (pair,) = strings("reversal", 1, lengths=(9, 9))
    seen = [(i, j) for i, j in pair.links if window(9, 9, 2, 2)[i, j]]
    measured = [exact[0], one, compared, 0, edge[0] / edge[2], window(100, 100, 3, 3).sum(), len(seen)]
    np.testing.assert_allclose([float(x) for x in measured], chapter_05.check_guessed.reference(), atol=1e-6)
