"""One training loop for every model of the course."""

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from tqdm import tqdm


@dataclass
class History:
    """What training recorded: the loss of every step, and what `watch` returned at every `watch_every`-th step."""

    losses: list[float] = field(default_factory=list)
    watched: list[tuple[int, float]] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def __repr__(self) -> str:
        recent = self.losses[-50:]
        mean = sum(recent) / max(len(recent), 1)
        return f"History({len(self.losses)} steps, mean loss of the last {len(recent)}: {mean:.3f})"


def fit(
    model: nn.Module,
    loss: Callable,
    batches: Iterable,
    *,
    steps: int,
    learning_rate: float = 3e-3,
    clip: float = 1.0,
    watch: Callable[[nn.Module], float] | None = None,
    watch_every: int = 100,
    name: str = "training",
) -> History:
    r"""Train for a fixed number of steps: Adam, a one-cycle schedule, gradients clipped to the norm `clip`.

    `loss(model, batch)` returns a scalar to be made small. Steps are counted, not seconds, so that a slower machine
    learns the same. Training runs on one thread (faster for models this small, and the same to the last bit on every
    run of one machine); the number of threads is restored afterwards.

    Raises: ValueError if `steps` is not positive, if the batches run out, or if the loss is not a finite number.
    Source: Kingma & Ba 2015 (Adam); Smith & Topin 2019 (one cycle); Pascanu et al. 2013 (clipping).
    """
    if steps < 1:
        raise ValueError(f"training needs at least one step, got {steps}")
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps + 1, pct_start=0.1)
    history, supply, began = History(), iter(batches), time.process_time()
    with one_thread():
        for step in progress(range(1, steps + 1), name):
            history.losses.append(_step(model, loss, supply, optimizer, clip))
            schedule.step()
            if watch is not None and step % watch_every == 0:
                history.watched.append((step, watch(model)))
    history.cpu_seconds = time.process_time() - began
    return history


def _step(model: nn.Module, loss: Callable, supply: Iterator, optimizer: torch.optim.Optimizer, clip: float) -> float:
    try:
        batch = next(supply)
    except StopIteration:
        raise ValueError("the batches ran out before training ended: pass endless batches, or fewer steps") from None
    model.train()
    value: Tensor = loss(model, batch)
    if not torch.isfinite(value):
        raise ValueError(f"the loss is {value.item()}: try a smaller learning rate, and look for a division by zero")
    model.zero_grad()
    value.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    model.eval()
    return value.item()


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread, and put the number of threads back afterwards, whatever happened."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def progress(items: Iterable, name: str) -> tqdm:
    """A bar on standard output that shows after two seconds and vanishes at the end."""
    return tqdm(items, desc=name, file=sys.stdout, leave=False, delay=2, mininterval=0.5)


def set_seed(seed: int) -> None:
    """Make what follows repeatable: Python's and torch's random numbers start from `seed`."""
    random.seed(seed)
    torch.manual_seed(seed)
