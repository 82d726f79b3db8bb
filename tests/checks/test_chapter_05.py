"""The references of chapter 5's checks against the library, which computes the same in its own way."""

import math

import torch

from course_lib.attention.selection import hard, local, straight_through
from course_lib.checks.chapter_05 import local as windows
from course_lib.checks.chapter_05 import sampling

from .cases import inputs

TIMES = 20_000


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


def test_straight_through_is_the_librarys_by_autograd():
    """Rejects a formula that is not what autograd gives for one-hot + w − stop(w)."""
    for scores, v, slope in inputs(sampling.check_through):
        asks = scores.clone().requires_grad_()
        seen = straight_through(asks, v, v, score=given(asks))
        (gradient,) = torch.autograd.grad(seen.context, asks, slope)
        found, of_scores = sampling.straight_through(scores, v, slope)
        torch.testing.assert_close(found, seen.context.detach())
        torch.testing.assert_close(of_scores, gradient)


def test_faded_weights_are_the_librarys():
    """Rejects a window or a Gaussian that is not that of `local`."""
    for scores, p, reach in inputs(windows.check_faded):
        values = torch.ones(scores.shape[1], 1).double()
        torch.testing.assert_close(
            windows.local_weights(scores, p, reach),
            local(scores, values, values, p, reach, score=given(scores)).weights,
        )
