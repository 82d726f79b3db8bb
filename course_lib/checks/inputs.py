"""Random tensors for the cases of a check."""

import numpy as np
import torch
from torch import Tensor


def normal(rng: np.random.Generator, *shape: int) -> Tensor:
    """Normal random numbers in double precision."""
    return torch.from_numpy(rng.normal(size=shape))


def some(rng: np.random.Generator, sizes: dict[str, int], *shapes: str) -> tuple[Tensor, ...]:
    """A tensor for each text of axes, `batch key`, with these sizes."""
    return tuple(normal(rng, *(sizes[axis] for axis in axes.split())) for axes in shapes)


def normal32(rng: np.random.Generator, *shape: int) -> Tensor:
    """Normal random numbers in PyTorch's default type, so that what a student makes with `torch.zeros` fits."""
    return normal(rng, *shape).float()
