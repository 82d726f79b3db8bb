"""Heads against torch's own module with copied weights, and against one attention after the other."""

import pytest
import torch
from torch import nn

from course_lib.attention import attention
from course_lib.attention.heads import MultiHead, merge_heads, split_heads
from course_lib.attention.masks import and_masks, causal, padding
from tests.attention.variants import DTYPES, tolerance

BATCH, N_QUERY, N_KEY, D_MODEL, N_HEADS = 2, 4, 7, 12, 3


def ours_and_torchs(dtype=torch.float64, d_source=None, bias=True):
    """The same weights twice; torch keeps its projections in one matrix, or in three if keys are of another size."""
    torch.manual_seed(0)
    ours = MultiHead(D_MODEL, N_HEADS, d_source=d_source, bias=bias).to(dtype)
    kdim = {} if d_source is None else {"kdim": d_source, "vdim": d_source}
    torchs = nn.MultiheadAttention(D_MODEL, N_HEADS, batch_first=True, bias=bias, **kdim).to(dtype)
    made = [ours.w_q, ours.w_k, ours.w_v]
    with torch.no_grad():
        if d_source is None:
            torchs.in_proj_weight.copy_(torch.cat([each.weight for each in made]))
        else:
            for name, each in zip(("q", "k", "v"), made, strict=True):
                getattr(torchs, f"{name}_proj_weight").copy_(each.weight)
        torchs.out_proj.weight.copy_(ours.w_o.weight)
        if bias:
            torchs.in_proj_bias.copy_(torch.cat([each.bias for each in made]))
            torchs.out_proj.bias.copy_(ours.w_o.bias)
    return ours, torchs


@pytest.mark.parametrize("dtype", DTYPES)
def test_self_attention_equals_torchs(dtype):
    """Outputs, weights of each head and their mean. Rejects heads that mix words, √d_model, a missing W_O."""
    ours, torchs = ours_and_torchs(dtype)
    x = torch.randn(BATCH, N_KEY, D_MODEL, dtype=dtype)
    context, weights = ours(x)
    expected, each = torchs(x, x, x, average_attn_weights=False)
    torch.testing.assert_close(context, expected, **tolerance(dtype))
    torch.testing.assert_close(weights, each, **tolerance(dtype))
    torch.testing.assert_close(weights.mean(dim=1), torchs(x, x, x)[1], **tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_attention_with_both_masks_equals_torchs(dtype):
    """All sizes differ. Rejects exchanged queries and keys, and masks that block what they should allow."""
    ours, torchs = ours_and_torchs(dtype, d_source=10)
    x, source = torch.randn(BATCH, N_QUERY, D_MODEL, dtype=dtype), torch.randn(BATCH, N_KEY, 10, dtype=dtype)
    mask = torch.rand(N_QUERY, N_KEY) < 0.7
    mask[:, 0] = True
    words = padding(torch.tensor([5, 7]), N_KEY)
    expected, each = torchs(
        x, source, source, attn_mask=~mask, key_padding_mask=~words.squeeze(1), average_attn_weights=False
    )
    context, weights = ours(x, source, and_masks(mask, words))
    torch.testing.assert_close(context, expected, **tolerance(dtype))
    torch.testing.assert_close(weights, each, **tolerance(dtype))


@pytest.mark.parametrize("bias", [True, False])
def test_gradients_equal_torchs(bias):
    """Rejects a detached head, and a scale in the wrong place."""
    ours, torchs = ours_and_torchs(bias=bias)
    x = torch.randn(BATCH, N_KEY, D_MODEL, dtype=torch.float64)
    mask = causal(N_KEY)
    ours(x, mask=mask).context.pow(2).sum().backward()
    torchs(x, x, x, attn_mask=~mask)[0].pow(2).sum().backward()
    made = torch.cat([each.weight.grad for each in (ours.w_q, ours.w_k, ours.w_v)])
    torch.testing.assert_close(made, torchs.in_proj_weight.grad)
    torch.testing.assert_close(ours.w_o.weight.grad, torchs.out_proj.weight.grad)


def test_all_heads_at_once_equal_one_after_the_other():
    """The formula of §3.2.2 as a loop. Rejects a split by view alone, and heads concatenated in another order."""
    torch.manual_seed(0)
    ours, x = MultiHead(D_MODEL, N_HEADS), torch.randn(BATCH, N_KEY, D_MODEL)
    size, heads = D_MODEL // N_HEADS, []
    for h in range(N_HEADS):
        part = slice(h * size, (h + 1) * size)
        q, k, v = (x @ each.weight[part].T + each.bias[part] for each in (ours.w_q, ours.w_k, ours.w_v))
        heads.append(attention(q, k, v).context)
    torch.testing.assert_close(ours(x).context, ours.w_o(torch.cat(heads, dim=-1)))


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_grouped_heads_equal_all_heads_with_repeated_keys(n_kv_heads):
    """Rejects keys handed to the wrong heads: heads 1 and 2 share the first, not heads 1 and 3."""
    torch.manual_seed(0)
    few, x = MultiHead(8, 4, n_kv_heads), torch.randn(BATCH, N_KEY, 8)
    many, shared = MultiHead(8, 4), 4 // n_kv_heads
    many.load_state_dict(
        {
            name: value.unflatten(0, (n_kv_heads, 2)).repeat_interleave(shared, dim=0).flatten(0, 1)
            if name.startswith(("w_k", "w_v"))
            else value
            for name, value in few.state_dict().items()
        }
    )
    for got, expected in zip(few(x), many(x), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("tied", ["qk", "kv", "qkv", ""])
def test_tied_projections_are_one_matrix(tied):
    """Rejects copies, which part in training. With queries and keys tied, the scores are symmetric."""
    ours = MultiHead(8, 2, tied=tied)
    same = {(one, other): getattr(ours, f"w_{one}") is getattr(ours, f"w_{other}") for one, other in ("qk", "kv", "qv")}
    assert same == {pair: set(pair) <= set(tied) for pair in same}
    assert sum(parameter.numel() for parameter in ours.parameters()) == (4 - max(0, len(tied) - 1)) * (64 + 8)


def test_gates_prune_heads():
    """Rejects a gate after W_O, where the parts are mixed: without its head's rows nothing of a head is left."""
    torch.manual_seed(0)
    ours, x = MultiHead(D_MODEL, N_HEADS), torch.randn(BATCH, N_KEY, D_MODEL)
    pruned = ours(x, gates=torch.tensor([1.0, 0.0, 1.0])).context
    with torch.no_grad():
        ours.w_o.weight[:, 4:8] = 0
    torch.testing.assert_close(pruned, ours(x).context)


def test_what_is_not_allowed_is_not_seen():
    """Causality and padding: later words and padding change nothing. Rejects a mask that is not every head's."""
    torch.manual_seed(0)
    ours, x = MultiHead(D_MODEL, N_HEADS), torch.randn(BATCH, N_KEY, D_MODEL)
    changed = x.clone()
    changed[:, 3:] += 1
    before, after = (ours(each, mask=causal(N_KEY)).context for each in (x, changed))
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:])
    before, after = (ours(x, each, padding(torch.tensor([3, 3]), N_KEY)).context for each in (x, changed))
    assert torch.equal(before, after)


def test_splitting_and_merging_undo_each_other():
    """And the pieces are those of one word. Rejects a view of the final shape, which mixes words."""
    x = torch.arange(24.0).view(1, 2, 12)
    assert split_heads(x, 3)[0, 1].tolist() == [[4, 5, 6, 7], [16, 17, 18, 19]]
    assert torch.equal(merge_heads(split_heads(x, 3)), x)


def test_sizes_that_do_not_fit_raise():
    with pytest.raises(ValueError, match="expected a multiple of 3 features, got 8"):
        split_heads(torch.randn(2, 8), 3)
    with pytest.raises(ValueError, match="expected a multiple of 3, got 8"):
        MultiHead(8, 3)
    with pytest.raises(ValueError, match="expected a divisor of 4 heads, got 3"):
        MultiHead(8, 4, n_kv_heads=3)
    with pytest.raises(ValueError, match="one size"):
        MultiHead(8, 4, n_kv_heads=2, tied="qk")
    with pytest.raises(ValueError, match="boolean"):
        MultiHead(8, 2)(torch.randn(1, 3, 8), mask=torch.ones(3, 3))
