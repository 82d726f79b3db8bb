"""Every score with its parameters, and inputs whose sizes are all different primes: no transposition passes by luck."""

from types import SimpleNamespace

import torch

from course_lib.attention import scores

SIZES = SimpleNamespace(batch=2, query=5, key=7, d=3, d_v=11, hidden=13, max_length=17)
DTYPES = [torch.float32, torch.float64]


def seeded(make):
    """A module with the same parameters in every test."""

    def build(dtype):
        torch.manual_seed(0)
        return make().to(dtype)

    return build


VARIANTS = {
    "dot": lambda dtype: scores.dot,
    "scaled_dot": lambda dtype: scores.scaled_dot,
    "cosine": lambda dtype: scores.cosine,
    "bilinear": seeded(lambda: scores.Bilinear(SIZES.d, SIZES.d)),
    "concat": seeded(lambda: scores.Concat(SIZES.d, SIZES.d, SIZES.hidden)),
    "additive": seeded(lambda: scores.Additive(SIZES.d, SIZES.d, SIZES.hidden)),
    "location": seeded(lambda: scores.Location(SIZES.d, SIZES.max_length)),
}


def example(dtype=torch.float32):
    """q, k, v and a mask that blocks key 4 of the first sentence and key 6 of the second for all queries."""
    random = torch.Generator().manual_seed(1)
    q = torch.randn(SIZES.batch, SIZES.query, SIZES.d, generator=random, dtype=torch.float64)
    k = torch.randn(SIZES.batch, SIZES.key, SIZES.d, generator=random, dtype=torch.float64)
    v = torch.randn(SIZES.batch, SIZES.key, SIZES.d_v, generator=random, dtype=torch.float64)
    mask = torch.rand(SIZES.batch, SIZES.query, SIZES.key, generator=random) < 0.7
    mask[:, :, 0] = True  # each query sees something
    mask[0, :, 4] = mask[1, :, 6] = False
    return q.to(dtype), k.to(dtype), v.to(dtype), mask


def tolerance(dtype):
    return {"rtol": 1e-10, "atol": 1e-12} if dtype == torch.float64 else {"rtol": 1e-4, "atol": 1e-6}
