"""What course_lib.attention computes for the scores of SoftLookupView: the oracle for its Python and its JavaScript."""

import math

import numpy as np
import torch

from course_lib.attention import attention, scores

TEMPERATURES = (0.05, 0.5, 1.0, 20.0)
NAMES = ["小明", "bread", "tea", "<eos>", "zero"]
KEYS = np.array([[1.0, 0.5], [-0.5, 2.0], [-1.5, -1.0], [2.0, -0.25], [0.0, 0.0]])
VALUES = np.random.default_rng(1).normal(size=(5, 3)).round(3)
QUERIES = ([0.5, 1.0], [-2.0, 0.25], [0.0, 0.0])


def modules():
    """The scores that have parameters, with parameters of their own."""
    torch.manual_seed(0)
    return {
        "bilinear": scores.Bilinear(2, 2),
        "concat": scores.Concat(2, 2, 3),
        "additive": scores.Additive(2, 2, 5),
        "location": scores.Location(2, 7),
    }


def parameters():
    """The same parameters as SoftLookupView takes them."""
    return {name: dict(module.named_parameters()) for name, module in modules().items()}


def library_scores():
    """All seven, by name."""
    return {"dot": scores.dot, "scaled_dot": scores.scaled_dot, "cosine": scores.cosine, **modules()}


def cases():
    """For each score, query and temperature: the library's scores, weights and context."""
    k, v = torch.tensor(KEYS, dtype=torch.float32), torch.tensor(VALUES, dtype=torch.float32)
    for name, score in library_scores().items():
        for query in QUERIES:
            q = torch.tensor([query])
            for temperature in TEMPERATURES:
                context, weights, _ = attention(q, k, v, score=lambda q, k, s=score, t=temperature: s(q, k) / t)
                yield {
                    "score": name,
                    "query": query,
                    "temperature": temperature,
                    "scores": score(q, k)[0].tolist(),
                    "weights": weights[0].tolist(),
                    "context": context[0].tolist(),
                }


def in_javascript():
    """The cases, and what they start from, as JSON can hold them."""
    lists = {
        name: {tensor.removesuffix(".weight"): numbers.tolist() for tensor, numbers in tensors.items()}
        for name, tensors in parameters().items()
    }
    assert math.prod(np.shape(lists["location"]["w"])) > 2 * len(KEYS)  # more places than keys
    return {"cases": list(cases()), "parameters": lists, "keys": KEYS.tolist(), "values": VALUES.tolist()}
