"""Several heads among cards: against PyTorch's own attention with the same matrices."""

import pytest
import torch
from torch import nn

from course_lib.data.multi_recall import multi_recall
from course_lib.models.multi_head import MultiHeadModel, multi_recall_loss
from course_lib.training import set_seed

RING = multi_recall(("match", "left", "right"), 5, torch.Generator().manual_seed(0))


def build(**options) -> MultiHeadModel:
    """A model in double precision."""
    set_seed(0)
    return MultiHeadModel(3, 2, d_model=6, **options).double()


def test_a_look_is_pytorchs_between_the_same_matrices():
    """Rejects heads that mix words, a missing scale, places that do not count, relations read in another order."""
    model, theirs = build(), nn.MultiheadAttention(6, 2, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([w.weight for w in (model.look.w_q, model.look.w_k, model.look.w_v)]))
        theirs.out_proj.weight.copy_(model.look.w_o.weight)
    made = model.vectors
    x = made.symbol.weight[RING.symbols] + made.value.weight[RING.values] + made.place.weight[None]
    seen, weights = theirs(x, x, x, average_attn_weights=False)
    told = model(RING)
    torch.testing.assert_close(told.weights, weights)
    for relation, part in enumerate(model.reader[0].weight.split(16)):
        expected = seen @ part.T + model.reader[0].bias[16 * relation : 16 * relation + 16]
        torch.testing.assert_close(told.logits[:, relation], expected)


def test_the_loss_is_the_mean_over_all_that_is_to_be_told():
    """Rejects a loss of one relation, or answers that belong to another."""
    model = build(d_inner=7)
    chances = model(RING).logits.log_softmax(-1)
    right = [
        chances[b, r, i, RING.answers[b, r, i]] for b in range(5) for r in range(3) for i in range(8)
    ]  # one at a time
    torch.testing.assert_close(multi_recall_loss(model, RING), -torch.stack(right).mean())


def test_gates_and_shared_keys_reach_the_look():
    """Rejects an argument that is taken and not used."""
    model, gates = build(), torch.tensor([1.0, 0.0]).double()
    assert not torch.allclose(model(RING).logits, model(RING, gates).logits)
    torch.testing.assert_close(model(RING).weights, model(RING, gates).weights)
    assert build(n_kv_heads=1).look.w_k.weight.shape == (3, 6)
    with pytest.raises(ValueError, match="divisor"):
        build(n_kv_heads=4)
