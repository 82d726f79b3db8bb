"""The training loop."""

import itertools
import random

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from course_lib.training import History, fit, one_thread, progress, set_seed

X = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
Y = X @ torch.tensor([[1.0], [-2.0], [0.5]])


def regression(model, batch):
    return nn.functional.mse_loss(model(batch[0]), batch[1])


def train(steps=200, **settings):
    set_seed(3)
    model = nn.Linear(3, 1)
    return model, fit(model, regression, itertools.repeat((X, Y)), steps=steps, learning_rate=0.1, **settings)


def test_fit_finds_the_line():
    """Rejects a loop that forgets to step, to clear gradients, or climbs."""
    model, history = train()
    torch.testing.assert_close(model.weight, torch.tensor([[1.0, -2.0, 0.5]]), atol=0.02, rtol=0)
    assert history.losses[-1] < 1e-3 < history.losses[0]
    assert len(history.losses) == 200


def test_the_same_seed_gives_the_same_weights_to_the_last_bit():
    (first, one), (second, two) = train(), train()
    assert torch.equal(first.weight, second.weight)
    assert one.losses == two.losses


def test_the_steps_are_those_of_torchs_adam_to_the_last_bit():
    """Rejects a step that some setting of Adam's or the schedule does not reach, and gradients that are kept."""
    model, history = train(steps=30)
    set_seed(3)
    other, losses = nn.Linear(3, 1), []
    optimizer = torch.optim.Adam(other.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=31, pct_start=0.1)
    for _ in range(30):
        optimizer.zero_grad()
        loss = regression(other, (X, Y))
        loss.backward()
        nn.utils.clip_grad_norm_(other.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    assert history.losses == losses
    assert torch.equal(model.weight, other.weight)


def test_watching_is_called_with_a_model_that_is_not_in_training_mode():
    """Rejects accuracy measured with dropout switched on, and a model left in training mode."""
    modes = []
    model, history = train(10, watch=lambda m: modes.append(m.training) or 0.5, watch_every=4)
    assert history.watched == [(4, 0.5), (8, 0.5)]
    assert modes == [False, False]
    assert not model.training


def test_gradients_are_clipped():
    """One step with an enormous gradient must not move Adam's memory: rejects training without clipping."""
    seen = []
    set_seed(0)
    model = nn.Linear(3, 1)
    model.weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.norm().item()))
    optimizer_sees = []

    def look(optimizer, args, kwargs):
        grads = [p.grad.flatten() for group in optimizer.param_groups for p in group["params"]]
        optimizer_sees.append(torch.cat(grads).norm().item())

    with register_optimizer_step_pre_hook(look):
        fit(model, lambda m, b: 1e4 * regression(m, b), itertools.repeat((X, Y)), steps=2, clip=1.0)
    assert max(seen) > 100
    assert max(optimizer_sees) <= 1.0 + 1e-4


def test_the_number_of_threads_is_put_back_even_after_an_error():
    inside = []
    with one_thread():  # to undo the next line, which a machine with one core needs
        torch.set_num_threads(2)
        train(2, watch=lambda m: inside.append(torch.get_num_threads()) or 0.0, watch_every=1)
        assert set(inside) == {1}
        assert torch.get_num_threads() == 2
        with pytest.raises(RuntimeError, match="stop"), one_thread():
            raise RuntimeError("stop")
        assert torch.get_num_threads() == 2


def test_what_goes_wrong_is_explained():
    with pytest.raises(ValueError, match="at least one step, got 0"):
        train(0)
    model = nn.Linear(3, 1)
    with pytest.raises(ValueError, match="batches ran out"):
        fit(model, regression, [(X, Y)], steps=2)
    with pytest.raises(ValueError, match="the loss is nan: try a smaller learning rate"):
        fit(model, lambda m, b: regression(m, b) * float("nan"), itertools.repeat((X, Y)), steps=1)


def test_the_history_says_what_happened_without_times():
    assert repr(History([1.0, 3.0])) == "History(2 steps, mean loss of the last 2: 2.000)"
    assert repr(History()) == "History(0 steps, mean loss of the last 0: 0.000)"


def test_progress_leaves_no_trace_and_writes_nothing_to_stderr(capsys):
    """A grader gives no points for a cell that wrote to stderr."""
    assert list(progress(range(3), "counting")) == [0, 1, 2]
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.strip() == ""


def test_set_seed_covers_python_and_torch():
    set_seed(7)
    first = random.random(), torch.rand(1).item()
    set_seed(7)
    assert (random.random(), torch.rand(1).item()) == first
