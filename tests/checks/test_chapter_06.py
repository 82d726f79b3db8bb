"""The references of chapter 6's checks against the library and PyTorch, which compute the same in their own ways."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.attention import attention
from course_lib.attention.masks import and_masks, causal, padding, window
from course_lib.checks import chapter_06
from course_lib.checks.chapter_06 import ablation, masks


def inputs(check):
    """The arguments of all cases."""
    return check.cases(np.random.default_rng(0)).values()


def test_who_may_look_is_the_librarys_masks_joined():
    """Rejects a reference that hides rows of padding, or a word from itself."""
    for lengths, n in inputs(masks.check_seen):
        assert torch.equal(masks.may_attend(lengths, n), and_masks(causal(n), padding(lengths, n)))


def test_a_causal_look_is_pytorchs():
    """Rejects a reference whose mask stands after the softmax."""
    for x, W_Q, W_K, W_V in inputs(masks.check_causal):
        q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
        context, weights = masks.causal_attention(x, W_Q, W_K, W_V)
        torch.testing.assert_close(context, scaled_dot_product_attention(q, k, v, is_causal=True))
        torch.testing.assert_close(weights.sum(dim=1), torch.ones(len(x)).double())


def test_what_a_key_contributes_is_the_kernel_with_and_without_it():
    """Rejects a reference in which the others keep their old weights."""
    for scores, v, u in inputs(ablation.check_without):
        others = ~torch.eye(len(scores), dtype=torch.bool)
        everybody = torch.ones_like(others)
        told = [
            attention(scores[None], torch.eye(len(scores)).double(), v, mask[:1], score=lambda q, k: q @ k).context @ u
            for mask in (everybody, *others[:, None])
        ]
        expected = told[0] - torch.cat(told[1:])
        torch.testing.assert_close(ablation.contributions(scores, v, u), expected)


def test_counts_are_as_foreseen():
    """The right predictions are what is counted. Rejects a prediction by a formula that does not hold."""
    right, n = chapter_06.check_counts.reference(), 12
    narrow = and_masks(causal(n), window(n, n, before=2)).long()
    reach = n - 1 - int(torch.linalg.matrix_power(narrow, 4)[-1].nonzero().min())
    level = torch.zeros(n, n)
    hidden = level.masked_fill(~causal(n), -np.inf).softmax(1)
    late = level.softmax(1) * causal(n)
    counted = [
        level.numel(),
        causal(n).sum(),
        len(range(1, n)),
        causal(n)[-1, 0],
        reach,
        hidden[0, 0],
        late[2].sum(),
        9,
    ]
    np.testing.assert_allclose([float(number) for number in counted], right, rtol=1e-5)
