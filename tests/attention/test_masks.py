"""Masks: True = may attend, everywhere."""

import pytest
import torch

from course_lib.attention import attention
from course_lib.attention.masks import and_masks, causal, or_masks, padding, window


def test_causal_written_out():
    """Rejects an inverted mask and one that hides a position from itself."""
    assert causal(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_with_fewer_queries_takes_them_for_the_last_positions():
    """Rejects a mask aligned at the first key, with which a decoder with a cache would see one key only."""
    assert torch.equal(causal(2, 5), causal(5)[-2:])


def test_causal_lets_no_gradient_reach_the_future():
    q, k, v = (torch.randn(5, 3, requires_grad=True) for _ in range(3))
    context = attention(q, k, v, causal(5)).context
    for i in range(5):
        for grad in torch.autograd.grad(context[i].sum(), (k, v), retain_graph=True):  # v comes last
            assert (grad[i + 1 :] == 0).all()
        assert (grad[: i + 1] != 0).all(), "the values up to i are what the context is made of"


def test_padding_written_out():
    assert padding(torch.tensor([2, 0, 3]), 3).int().tolist() == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_window_written_out():
    """Rejects `before` and `after` exchanged, and a query that does not see its own position."""
    assert window(4, 4, before=1).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert window(2, 4, before=0, after=2).int().tolist() == [[1, 1, 1, 0], [0, 1, 1, 1]]


def test_a_sliding_window_is_causal_and_window():
    wide = window(6, 6, before=2, after=2)
    assert torch.equal(and_masks(causal(6), wide), window(6, 6, before=2))
    assert torch.equal(or_masks(causal(6), causal(6).mT), torch.ones(6, 6, dtype=torch.bool))


def test_masks_combine_by_broadcasting_and_stay_as_they_were():
    lengths, future = padding(torch.tensor([1, 2]), 2), causal(2)
    before = lengths.clone(), future.clone()
    assert and_masks(lengths, future).int().tolist() == [[[1, 0], [1, 0]], [[1, 0], [1, 1]]]
    assert torch.equal(lengths, before[0])
    assert torch.equal(future, before[1])


def test_wrong_arguments_raise():
    with pytest.raises(ValueError, match="at most 3 queries, got 4"):
        causal(4, 3)
    with pytest.raises(ValueError, match=r"expected 0 to 3, got \[-1\]"):
        padding(torch.tensor([-1]), 3)
    with pytest.raises(ValueError, match=r"expected 0 to 3, got \[4\]"):
        padding(torch.tensor([4]), 3)
    with pytest.raises(ValueError, match="got -1, 0"):
        window(3, 3, before=-1)
    with pytest.raises(ValueError, match="got 0, -1"):
        window(3, 3, before=0, after=-1)
    assert window(3, 3, before=0).equal(torch.eye(3, dtype=torch.bool))
    assert causal(3, 3).equal(causal(3))
