"""The ways to train a look that picks: each loss against the sum over all picks, written out."""

import pytest
import torch
from torch import nn

from course_lib.attention.selection import hard
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
    """A model in double precision, with scores far enough apart to make a difference."""
    set_seed(0)
    return LookupModel(n_items=4, d=3).double()


def parts(model):
    """Weights and values of each shelf, by the formulas."""
    q, k, v = (
        model.embed_query.weight[ROW.query],
        model.embed_key.weight[ROW.keys],
        model.embed_value.weight[ROW.values],
    )
    return (q @ k.mT / 3**0.5).softmax(dim=-1)[:, 0], v


def right(model, vectors):
    """The log-probability of the right digit."""
    return -nn.functional.cross_entropy(model.readout(vectors), ROW.answer, reduction="none")


def test_the_soft_loss_reads_the_blend():
    """Rejects the mean of what the books say, in place of what the mean of the books says."""
    model = build()
    weights, v = parts(model)
    torch.testing.assert_close(soft_loss(model, ROW), -right(model, (weights[:, :, None] * v).sum(dim=1)).mean())
    assert (soft_loss(model, ROW) - expected_loss(model, ROW)).abs() > 1e-3


def test_every_key_is_the_expected_loss_of_a_pick():
    """Rejects a blend before the reading, and another answer's probability."""
    model = build()
    weights, v = parts(model)
    expected = -sum(weights[:, j] * right(model, v[:, j]) for j in range(4)).mean()
    torch.testing.assert_close(expected_loss(model, ROW), expected)


def test_straight_through_reads_one_book_and_moves_the_query():
    """Rejects a loss of the blend, one without a gradient for the look, and a draw that is always the likeliest."""
    model = build()
    weights, v = parts(model)
    loss = straight_through_loss(model, ROW)
    torch.testing.assert_close(loss, -right(model, v[torch.arange(3), weights.argmax(dim=1)]).mean())
    drawn = {round(ESTIMATORS["straight-through, drawn"]()(model, ROW).item(), 6) for _ in range(20)}
    assert len(drawn) > 1
    assert {round(ESTIMATORS["straight-through"]()(model, ROW).item(), 6) for _ in range(20)} == {round(loss.item(), 6)}
    loss.backward()
    assert model.embed_query.weight.grad.abs().max() > 0


@pytest.mark.parametrize("kind", ["none", "mean", "self-critical"])
def test_reinforce_has_on_average_the_gradient_of_every_key(kind):
    """For look and reading. Rejects a wrong sign, a reward that is not passed on, a baseline that bends the mean."""
    model = build()
    names = ["embed_query.weight", "embed_value.weight", "readout.weight"]
    wanted = [dict(model.named_parameters())[name] for name in names]
    exact = torch.autograd.grad(expected_loss(model, ROW), wanted)
    many = ROW._replace(**{name: torch.cat([getattr(ROW, name)] * TIMES) for name in ROW._fields})
    loss = ReinforceLoss(kind)
    loss.mean = -2.0
    for got, expected in zip(torch.autograd.grad(loss(model, many), wanted), exact, strict=True):
        assert (got - expected).abs().max() < 0.02 < expected.abs().max()


def test_the_mean_baseline_remembers_rewards_and_the_others_do_not():
    """Rejects a mean that stays 0, one that takes this batch's own reward, and a memory that two trainings share."""
    model, losses = build(), {kind: ReinforceLoss(kind) for kind in ("none", "mean", "self-critical")}
    for loss in losses.values():
        loss(model, ROW)
        loss(model, ROW)
    assert losses["mean"].mean < 0 == losses["none"].mean == losses["self-critical"].mean
    assert ReinforceLoss("mean").baseline(model, ROW, torch.ones(3)) == 0
    assert ESTIMATORS["REINFORCE, mean"]() is not ESTIMATORS["REINFORCE, mean"]()
    assert [ESTIMATORS[f"REINFORCE, {kind}"]().kind for kind in losses] == list(losses)


def test_accuracy_counts_right_digits():
    """Rejects the blend's answer where the likeliest book was asked for."""
    model = build()
    weights, v = parts(model)
    told = model.readout(v[torch.arange(3), weights.argmax(dim=1)]).argmax(dim=1)
    assert model.accuracy(ROW, hard, sample=False) == pytest.approx((told == ROW.answer).double().mean().item())


def test_an_unknown_baseline_is_named():
    """Rejects a baseline that silently becomes none."""
    with pytest.raises(ValueError, match="expected one of none, mean, self-critical, got median"):
        ReinforceLoss("median")
