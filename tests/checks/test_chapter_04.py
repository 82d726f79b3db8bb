"""The references of chapter 4's checks against the library and PyTorch, which compute the same in their own ways."""

import torch

from course_lib.attention import masked_softmax
from course_lib.checks.chapter_04 import normalise

from .cases import inputs


def test_shares_are_the_librarys_masked_softmax():
    """Rejects a reference that leaves something to an empty row."""
    empty = 0
    for scores, mask in inputs(normalise.check_shares):
        torch.testing.assert_close(normalise.masked_softmax(scores, mask), masked_softmax(scores, mask))
        empty += int((~mask.any(dim=1)).sum())
    assert empty >= 2, "some query may attend to nothing"
