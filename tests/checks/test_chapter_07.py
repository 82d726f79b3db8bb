"""The references of chapter 7's checks against the library and PyTorch, which compute the same in their own ways."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.attention.heads import MultiHead, merge_heads, split_heads
from course_lib.checks import chapter_07
from course_lib.checks.chapter_07 import heads


def inputs(check):
    """The arguments of all cases."""
    return check.cases(np.random.default_rng(0)).values()


def test_pieces_are_the_librarys_heads():
    """Rejects a reference that deals features out, or mixes words."""
    for x, n_heads in inputs(heads.check_pieces):
        torch.testing.assert_close(heads.split_heads(x, n_heads), split_heads(x, n_heads))


def test_joined_is_the_librarys_merge_and_a_matrix():
    """Rejects a reference with another order of heads, or a turned matrix."""
    for seen, W_O in inputs(heads.check_joined):
        expected = torch.nn.functional.linear(merge_heads(seen), W_O)
        torch.testing.assert_close(heads.merge_heads(seen, W_O), expected)


def test_grouped_is_pytorchs():
    """Rejects groups in turn where neighbours share, and another scale."""
    for q, k, v in inputs(heads.check_grouped):
        expected = scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]
        torch.testing.assert_close(heads.grouped_attention(q, k, v), expected)


def test_counts_are_those_of_the_librarys_modules():
    """The right predictions are counted here. Rejects a formula that forgets a matrix or a head."""
    size, eight, two, one, kept, kept_by_one, shared = chapter_07.check_costs.reference()

    def matrices(**options):
        look = MultiHead(512, bias=False, **options)
        return look, sum(matrix.weight.numel() for matrix in (look.w_q, look.w_k, look.w_v))

    (look, many), (_, single), (query, few) = (
        matrices(n_heads=8),
        matrices(n_heads=1),
        matrices(n_heads=8, n_kv_heads=1),
    )
    assert (many, single, few) == (eight, two, shared)
    x = torch.randn(10, 512)
    assert split_heads(look.w_q(x), 8).shape[-1] == size
    assert look(x).weights.numel() == one
    for module, number in ((look, kept), (query, kept_by_one)):
        assert module.w_k(x[:1]).numel() + module.w_v(x[:1]).numel() == number
