"""The model for multi-relation recall against PyTorch's attention with the same matrices."""

import pytest
import torch
from torch import nn

from course_lib.data.multi_recall import multi_recall
from course_lib.models.multi_head import MultiHeadModel, multi_recall_loss
from course_lib.training import set_seed

ROWS = multi_recall(("match", "left", "right"), 5, torch.Generator().manual_seed(0))


def build(**options) -> MultiHeadModel:
    """A model in double precision."""
    set_seed(0)
    return MultiHeadModel(3, 2, d_model=6, **options).double()


def test_equals_pytorchs_attention_with_the_same_matrices():
    """Rejects heads that mix tokens, a missing scale, positions that do not count, relations in another order."""
    model, theirs = build(), nn.MultiheadAttention(6, 2, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([getattr(model.attend, f"w_{letter}").weight for letter in "qkv"]))
        theirs.out_proj.weight.copy_(model.attend.w_o.weight)
    made = model.vectors
    x = made.symbol.weight[ROWS.symbols] + made.value.weight[ROWS.values] + made.position.weight[None]
    context, weights = theirs(x, x, x, average_attn_weights=False)
    output = model(ROWS)
    torch.testing.assert_close(output.weights, weights)
    for relation, part in enumerate(model.readout[0].weight.split(16)):
        expected = context @ part.T + model.readout[0].bias[16 * relation : 16 * relation + 16]
        torch.testing.assert_close(output.logits[:, relation], expected)


def test_the_loss_is_the_mean_over_all_answers():
    """Rejects a loss of one relation, or answers that belong to another."""
    model = build(d_inner=7)
    log_p = model(ROWS).logits.log_softmax(-1)
    by_hand = [log_p[b, r, i, ROWS.answers[b, r, i]] for b in range(5) for r in range(3) for i in range(8)]
    torch.testing.assert_close(multi_recall_loss(model, ROWS), -torch.stack(by_hand).mean())


def test_gates_and_shared_keys_reach_the_attention():
    """Rejects an argument that is taken and not used."""
    model, gates = build(), torch.tensor([1.0, 0.0]).double()
    assert not torch.allclose(model(ROWS).logits, model(ROWS, gates).logits)
    torch.testing.assert_close(model(ROWS).weights, model(ROWS, gates).weights)
    assert build(n_kv_heads=1).attend.w_k.weight.shape == (3, 6)
    with pytest.raises(ValueError, match="divisor"):
        build(n_kv_heads=4)
