"""Heads against torch's own module with copied weights, and against one attention after the other."""

import pytest
import torch
from torch import nn

from course_lib.attention import attention
from course_lib.attention.heads import MultiHead, merge_heads, split_heads
from course_lib.attention.masks import and_masks, causal, padding
from course_lib.attention.scores import Additive
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
    """Outputs, weights of each head and their mean. Rejects heads that mix tokens, √d_model, a missing W_O."""
    ours, torchs = ours_and_torchs(dtype)
    x = torch.randn(BATCH, N_KEY, D_MODEL, dtype=dtype)
    context, weights, _ = ours(x)
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
    context, weights, _ = ours(x, source, and_masks(mask, words))
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


def test_masked_tokens_have_no_influence():
    """Causality and padding. Rejects a mask that is not applied to every head."""
    torch.manual_seed(0)
    ours, x = MultiHead(D_MODEL, N_HEADS), torch.randn(BATCH, N_KEY, D_MODEL)
    changed = x.clone()
    changed[:, 3:] += 1
    before, after = (ours(each, mask=causal(N_KEY)).context for each in (x, changed))
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:])
    before, after = (ours(x, each, padding(torch.tensor([3, 3]), N_KEY)).context for each in (x, changed))
    assert torch.equal(before, after)


def test_merging_is_the_inverse_of_splitting():
    """Rejects a view of the final shape, which mixes tokens."""
    x = torch.arange(24.0).view(1, 2, 12)
    assert split_heads(x, 3)[0, 1].tolist() == [[4, 5, 6, 7], [16, 17, 18, 19]]
    assert torch.equal(merge_heads(split_heads(x, 3)), x)


@pytest.mark.parametrize(("batch", "n_heads"), [(2, 3), (3, 3)])
@pytest.mark.parametrize("what", ["mask", "bias"])
def test_masks_and_biases_are_shared_or_per_head(what, batch, n_heads):
    """With prime sizes, and with as many sentences as heads, where shapes alone would not tell the axes apart.

    Rejects one axis taken for another, a mask per head that is refused, and a bias that does not reach the scores.
    """
    torch.manual_seed(0)
    ours, x = MultiHead(D_MODEL, n_heads), torch.randn(batch, N_QUERY, D_MODEL)
    source = torch.randn(batch, N_KEY, D_MODEL)

    def draw(*shape):
        if what == "bias":
            return torch.randn(*shape, N_QUERY, N_KEY)
        return (torch.rand(*shape, N_QUERY, N_KEY) < 0.6).index_fill(-1, torch.tensor([0]), True)

    for shape, as_scores in (
        ((), lambda given: given.expand(batch, n_heads, -1, -1)),
        ((batch,), lambda given: given[:, None].expand(-1, n_heads, -1, -1)),
        ((1, n_heads), lambda given: given.expand(batch, -1, -1, -1)),
        ((batch, n_heads), lambda given: given),
    ):
        given = draw(*shape)
        got = ours(x, source, **{what: given})
        plain = ours(x, source).scores
        full = as_scores(given)
        scores = plain + full if what == "bias" else plain
        torch.testing.assert_close(got.scores, scores)
        seen = scores if what == "bias" else scores.masked_fill(~full, -torch.inf)
        torch.testing.assert_close(got.weights, seen.softmax(dim=-1))


def test_without_a_batch_axis_a_mask_of_three_axes_is_per_head():
    """As many axes as the scores have. Rejects a rule that counts axes from a batch that is not there."""
    ours, x, mask = MultiHead(D_MODEL, N_HEADS), torch.randn(N_KEY, D_MODEL), torch.rand(N_HEADS, N_KEY, N_KEY) < 0.6
    assert torch.equal(ours(x, mask=mask).weights > 0, mask)
    with pytest.raises(
        ValueError, match=r"mask must broadcast to the scores: expected \(2, 3, 7, 7\), got \(3, 1, 7, 7\)"
    ):
        ours(torch.randn(2, N_KEY, D_MODEL), mask=mask)


def test_another_score_compares_the_heads():
    """Rejects a score that is accepted and not used, and one whose parameters are not trained."""
    torch.manual_seed(0)
    score = Additive(4, 4, 5)
    ours, x = MultiHead(D_MODEL, N_HEADS, score=score), torch.randn(BATCH, N_KEY, D_MODEL)
    q, (k, _) = split_heads(ours.w_q(x), N_HEADS), ours.project(x)
    torch.testing.assert_close(ours(x).scores, score(q, k))
    assert {id(p) for p in score.parameters()} <= {id(p) for p in ours.parameters()}


def test_sizes_that_do_not_fit_raise():
    with pytest.raises(ValueError, match="expected a multiple of 3 features, got 8"):
        split_heads(torch.randn(2, 8), 3)
    with pytest.raises(ValueError, match="expected a multiple of 3, got 8"):
        MultiHead(8, 3)
    with pytest.raises(ValueError, match="expected a divisor of 4, got 3"):
        MultiHead(8, 4, n_kv_heads=3)
    for wrong in (0, -1):
        with pytest.raises(ValueError, match=f"multiple of {wrong}"):
            split_heads(torch.randn(2, 8), wrong)
        with pytest.raises(ValueError, match=f"multiple of {wrong}"):
            MultiHead(8, wrong)
        with pytest.raises(ValueError, match=f"divisor of 4, got {wrong}"):
            MultiHead(8, 4, n_kv_heads=wrong)
    with pytest.raises(ValueError, match="one size"):
        MultiHead(8, 4, n_kv_heads=2, tied="qk")
    with pytest.raises(ValueError, match="boolean"):
        MultiHead(8, 2)(torch.randn(1, 3, 8), mask=torch.ones(3, 3))
