"""The losses of the look-up model, each against the sum over all items, written out."""

import pytest
import torch
from torch import nn

from course_lib.attention.selection import hard, soft
from course_lib.data.lookup import lookups
from course_lib.models.lookup import (
    ESTIMATORS,
    LookupModel,
    ReinforceLoss,
    expected_loss,
    soft_loss,
    straight_through_loss,
)
from course_lib.training import set_seed

ROW = lookups(3, 4, torch.Generator().manual_seed(0))
TIMES = 20_000


def build() -> LookupModel:
    """In double precision, with scores far enough apart to make a difference."""
    set_seed(0)
    return LookupModel(n_items=4, d=3).double()


def parts(model):
    """Weights and values of each row, by the formulas."""
    q, k, v = (
        model.embed_query.weight[ROW.query],
        model.embed_key.weight[ROW.keys],
        model.embed_value.weight[ROW.values],
    )
    return (q @ k.mT / 3**0.5).softmax(dim=-1)[:, 0], v


def log_prob(model, vectors):
    """The log-probability of the answer."""
    return -nn.functional.cross_entropy(model.readout(vectors), ROW.answer, reduction="none")


def test_the_soft_loss_is_that_of_the_weighted_average():
    """Rejects the average of the losses in place of the loss of the average."""
    model = build()
    weights, v = parts(model)
    torch.testing.assert_close(soft_loss(model, ROW), -log_prob(model, (weights[:, :, None] * v).sum(dim=1)).mean())
    assert (soft_loss(model, ROW) - expected_loss(model, ROW)).abs() > 1e-3


def test_the_expected_loss_is_the_average_over_items():
    """Rejects an average before the readout, and another answer's probability."""
    model = build()
    weights, v = parts(model)
    expected = -sum(weights[:, j] * log_prob(model, v[:, j]) for j in range(4)).mean()
    torch.testing.assert_close(expected_loss(model, ROW), expected)


def test_straight_through_reads_one_item_and_moves_the_query():
    """Rejects a loss of the average, one without a gradient for the query, and a sample that is always the argmax."""
    model = build()
    weights, v = parts(model)
    loss = straight_through_loss(model, ROW)
    torch.testing.assert_close(loss, -log_prob(model, v[torch.arange(3), weights.argmax(dim=1)]).mean())
    sampled = {round(ESTIMATORS["straight-through, drawn"]()(model, ROW).item(), 6) for _ in range(20)}
    assert len(sampled) > 1
    assert {round(ESTIMATORS["straight-through"]()(model, ROW).item(), 6) for _ in range(20)} == {round(loss.item(), 6)}
    loss.backward()
    assert model.embed_query.weight.grad.abs().max() > 0


@pytest.mark.parametrize("kind", ["none", "mean", "self-critical"])
def test_reinforce_is_unbiased(kind):
    """For attention and readout. Rejects a wrong sign, a reward without a gradient of its own, a biased baseline."""
    model = build()
    names = ["embed_query.weight", "embed_value.weight", "readout.weight"]
    wanted = [dict(model.named_parameters())[name] for name in names]
    exact = torch.autograd.grad(expected_loss(model, ROW), wanted)
    many = ROW._replace(**{name: torch.cat([getattr(ROW, name)] * TIMES) for name in ROW._fields})
    loss = ReinforceLoss(kind)
    loss.mean = -2.0
    for got, expected in zip(torch.autograd.grad(loss(model, many), wanted), exact, strict=True):
        assert (got - expected).abs().max() < 0.02 < expected.abs().max()


def test_only_the_mean_baseline_depends_on_earlier_batches():
    """Rejects a mean that stays 0, one that uses this batch's own reward, and a state that two trainings share."""
    model, losses = build(), {kind: ReinforceLoss(kind) for kind in ("none", "mean", "self-critical")}
    for loss in losses.values():
        loss(model, ROW)
        loss(model, ROW)
    assert losses["mean"].mean < 0 == losses["none"].mean == losses["self-critical"].mean
    assert ReinforceLoss("mean").baseline(model, ROW, torch.ones(3)) == 0
    assert ESTIMATORS["REINFORCE, mean"]() is not ESTIMATORS["REINFORCE, mean"]()
    assert [ESTIMATORS[f"REINFORCE, {kind}"]().kind for kind in losses] == list(losses)


def test_accuracy_counts_correct_values():
    """Rejects the answer of soft attention where hard attention was requested, and the other way round."""
    model = build()
    weights, v = parts(model)
    contexts = {hard: v[torch.arange(3), weights.argmax(dim=1)], soft: (weights[:, :, None] * v).sum(dim=1)}
    for attend, options in ((hard, {"sample": False}), (soft, {})):
        expected = (model.readout(contexts[attend]).argmax(dim=1) == ROW.answer).double().mean().item()
        assert model.accuracy(ROW, attend, **options) == pytest.approx(expected)


def test_an_unknown_baseline_raises():
    """Rejects a baseline that silently becomes none."""
    with pytest.raises(ValueError, match="baseline must be one of none, mean, self-critical, got 'median'"):
        ReinforceLoss("median")
