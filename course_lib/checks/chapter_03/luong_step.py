"""Chapter 3: One step of Luong's decoder, with input feeding."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import some


def luong_step(
    y,
    h,
    h_tilde,
    h_bar,
    f,
    W,
    W_c,
    *,
    reads="y fed",
    query="new",
    matrix="W",
    scale="none",
    softmax="words",
    average="states",
    joined="c new",
    curve="tanh",
    gives="weights new combined",
):
    """From the word read, the state and h̃ before: the weights, the new state, the new h̃."""
    before = {"y": y, "fed": h_tilde, "h": h, "nothing": torch.zeros_like(h_tilde)}
    new = f(torch.cat([before[name] for name in reads.split()], dim=1), h)
    asking = {"new": new, "old": h, "fed": h_tilde}[query] @ (W if matrix == "W" else W.T)
    scores = (asking[:, None] * h_bar).sum(dim=2)
    a = NORMALISE[softmax](scores / h.shape[1] ** 0.5 if scale == "root" else scores)
    c = {"mean": h_bar.mean(dim=1), "last": h_bar[:, -1]}.get(average, (a[:, :, None] * h_bar).sum(dim=1))
    c = c / h_bar.shape[1] if average == "divided" else c
    states = {"c": c, "new": new, "old": h}
    combined = torch.cat([states[name] for name in joined.split()], dim=1) @ W_c.T
    combined = torch.tanh(combined) if curve == "tanh" else combined
    results = {"weights": a, "new": new, "combined": combined, "scores": scores, "old": h, "context": c}
    return tuple(results[name] for name in gives.split())


NORMALISE = {
    "words": lambda scores: scores.softmax(dim=1),
    "sentences": lambda scores: scores.softmax(dim=0),
    "nobody": lambda scores: scores,
    "quotient": lambda scores: scores / scores.sum(dim=1, keepdim=True),
}


def luong_step_cases(rng: np.random.Generator) -> Inputs:
    """Sentences in mid-translation, and a cell that tells what it reads from where it stands."""
    sizes = {
        "four sentences of four words, every size four": (4, 4, 4, 4, 4),
        "two sentences of three words, all sizes different": (2, 3, 4, 5, 6),
        "one sentence of two words": (1, 2, 3, 5, 4),
    }
    names = "batch", "key", "d_y", "d_h", "d_bar"
    return {case: tick_inputs(rng, dict(zip(names, of, strict=True))) for case, of in sizes.items()}


def tick_inputs(rng: np.random.Generator, sizes: dict[str, int]) -> tuple:
    """y, h, h̃, h̄, the cell, W, W_c in these sizes."""
    sizes = sizes | {"read": sizes["d_y"] + sizes["d_h"], "both": sizes["d_bar"] + sizes["d_h"]}
    A, B = some(rng, sizes, "read d_h", "d_h d_h")

    def cell(x, h):  # in double precision, whatever comes
        x, h = (torch.as_tensor(state).double() for state in (x, h))
        return torch.tanh(x @ A + h @ B)

    first = some(rng, sizes, "batch d_y", "batch d_h", "batch d_h", "batch key d_bar")
    W, W_c = some(rng, sizes, "d_h d_bar", "d_h both")
    return (*first, cell, W, W_c / 2)


check_luong = Check(
    luong_step,
    luong_step_cases,
    (
        *known(
            "reads",
            **{
                "fed y": "the cell reads h̃ before the word. In which order are they joined in the formula?",
                "y h": "the cell reads the old state beside the word. What is fed in beside it?",
                "y nothing": "nothing is fed: h̃ makes no difference. Where does the formula read it?",
            },
        ),
        *known(
            "query",
            old="the query is the old state. Which state has the decoder reached before the attention step?",
            fed="`h_tilde` of the step before is the query. Which vector is the query in the formula?",
        ),
        *known("matrix", transposed="the matrix is transposed: on which side of it stands the query state?"),
        *known("scale", root="the scores are divided by √d. Does Luong's score divide by anything?"),
        *known(
            "softmax",
            sentences="the softmax runs over the sentences. Over what does the sum in the denominator run?",
            nobody="the context is averaged with the scores as they are. Which function turns scores into weights?",
            quotient="the scores are divided by their sum as they are: the exponential is missing.",
        ),
        *known(
            "average",
            mean="the context is the plain mean of the encoder's states. What are the weights for?",
            last="the context is the encoder's last state, chapter 1's fixed context. What is the attention step for?",
            divided="the context is too small: the weights sum to one already, so a sum is enough.",
        ),
        *known(
            "joined",
            **{
                "new c": "context and state are joined the other way round. Which comes first in [c; h]?",
                "c old": "the context is combined with the old state. With which state in the formula?",
            },
        ),
        *known("curve", none="what keeps each number of h̃ between minus one and one?"),
        *known(
            "gives",
            **{
                "scores new combined": "scores stand in the place of the weights. Which of them weight the average?",
                "weights old combined": "the state you return is the old one. From which does the next step start?",
                "weights new context": "the context stands in the place of h̃. What is made of it, and of the state?",
                "weights combined new": "`h_tilde` and the state have changed places: which comes last?",
                "new weights combined": "state and weights have changed places: the weights come first.",
            },
        ),
    ),
    parts=("weights", "new state", "h̃"),
)
