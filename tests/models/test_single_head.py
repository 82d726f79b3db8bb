"""One look among cards: against PyTorch's own attention, and against the classic mistakes."""

import pytest
import torch
from torch import nn

from course_lib.attention.scores import dot
from course_lib.data.associative_recall import associative_recall
from course_lib.models.single_head import SingleHeadModel, recall_loss
from course_lib.training import set_seed

ROWS = associative_recall("match", 3, torch.Generator().manual_seed(0))


def build(**options) -> SingleHeadModel:
    """A model in double precision."""
    set_seed(0)
    return SingleHeadModel(d_model=6, d_k=5, **options).double()


def test_equals_pytorchs_attention_with_the_same_matrices():
    """Rejects values that are not projected, a missing scale, positions that do not count."""
    model = build()
    made = model.vectors
    x = made.symbol.weight[ROWS.symbols] + made.value.weight[ROWS.values] + made.position.weight[None]
    q, k, v = (x @ project.weight.T for project in (model.w_q, model.w_k, model.w_v))
    expected = nn.functional.scaled_dot_product_attention(q, k, v)
    output = model(ROWS)
    torch.testing.assert_close(output.logits, model.w_o(expected))
    torch.testing.assert_close(output.weights.sum(dim=-1), torch.ones(3, 8).double())


def test_tied_projections_are_one_matrix():
    """Rejects a copy that begins equal and is then trained apart."""
    for tied in ("qk", "kv", "qkv"):
        model = build(tied=tied)
        matrices = {"q": model.w_q, "k": model.w_k, "v": model.w_v}
        assert len({id(matrices[letter]) for letter in tied}) == 1
        assert len({id(matrix) for matrix in matrices.values()}) == 4 - len(tied)
    assert SingleHeadModel(7).w_q.weight.shape == (7, 7)
    assert len({id(matrix) for matrix in (build().w_q, build().w_k, build().w_v)}) == 3


def test_tied_scores_are_symmetric_and_others_are_not():
    """Rejects a tie that ties something else."""
    for tied, symmetric in (("qk", True), ("kv", False), ("", False)):
        model = build(tied=tied)
        scores = dot(model.w_q(model.vectors(ROWS)), model.w_k(model.vectors(ROWS)))
        assert torch.allclose(scores, scores.mT) == symmetric


def test_mask_and_score_reach_the_kernel():
    """Rejects an argument that is accepted and not used."""
    not_itself = ~torch.eye(8, dtype=torch.bool)
    masked = build()(ROWS, not_itself).weights
    assert (masked.diagonal(dim1=1, dim2=2) == 0).all()
    assert (masked[:, not_itself] > 0).all()
    assert not torch.allclose(build(score=dot)(ROWS).weights, build()(ROWS).weights)


def test_queries_and_keys_start_with_variance_one():
    """Rejects embeddings or matrices of another scale, with which the scores would not grow as chapter 4 says."""
    set_seed(0)
    model = SingleHeadModel(d_model=64, d_k=1024)
    x = model.vectors(associative_recall("before", 200, torch.Generator().manual_seed(0)))
    assert model.w_q(x).var().item() == pytest.approx(1, abs=0.3)
    assert model.w_k(x).var().item() == pytest.approx(1, abs=0.3)


def test_the_loss_is_the_mean_cross_entropy_of_the_answers():
    """Rejects a loss of the cards' own values."""
    model = build()
    log_p = model(ROWS).logits.log_softmax(dim=-1)
    by_hand = -sum(log_p[b, i, ROWS.answer[b, i]] for b in range(3) for i in range(8)) / 24
    torch.testing.assert_close(recall_loss(model, ROWS), by_hand)
