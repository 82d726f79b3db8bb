"""The references of chapter 6's checks against the library and PyTorch, which compute the same in their own ways."""

import torch

from course_lib.attention import attention
from course_lib.checks.chapter_06 import ablation

from .cases import inputs


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
