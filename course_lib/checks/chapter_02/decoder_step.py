"""Chapter 2: One step of Bahdanau's decoder."""

import numpy as np
import torch

from ..engine import Check, Inputs, known
from ..inputs import some


def decoder_step(
    s, y, h, W, U, v, f, *, query="state", matrices="own", meets="own", curve="tanh", softmax="words", **later
):
    """From the old state, the word read and the annotations: the context, the weights, the new state."""
    W, U = {"own": (W, U), "exchanged": (U, W), "as_they_are": (W.T, U.T)}[matrices]
    query, keys = {"state": s, "word": y}[query] @ W.T, h @ U.T
    both = (query[:, None] if meets == "own" else query) + keys
    scores = (torch.tanh(both) if curve == "tanh" else both) @ v
    scores = scores / len(v) ** 0.5 if later.pop("scale", "none") == "root" else scores
    return move_on(s, y, h, scores, NORMALISE[softmax](scores), keys, f, **later)


def move_on(s, y, h, e, a, keys, f, *, average="annotations", reads="s y c", gives="context weights new"):
    """The second half of a step, from the weights on."""
    parts = (e if average == "scores" else a)[:, :, None] * (keys if average == "projected" else h)
    c = {"mean": parts.mean(dim=1), "no_weights": h.mean(dim=1)}.get(average, parts.sum(dim=1))
    states = {"s": s, "y": y, "c": c, "last": h[:, -1], "mean": h.mean(dim=1)}
    new = f(*(states[name] for name in reads.split()))
    results = {"context": c, "weights": a, "new": new, "old": s, "scores": e}
    return tuple(results[name] for name in gives.split())


NORMALISE = {
    "words": lambda scores: scores.softmax(dim=1),
    "sentences": lambda scores: scores.softmax(dim=0),
    "nobody": lambda scores: scores,
    "best": lambda scores: torch.eye(scores.shape[1]).to(scores)[scores.argmax(dim=1)],
}


def decoder_step_cases(rng: np.random.Generator) -> Inputs:
    """Sentences in mid-translation, and a cell that tells its three arguments apart."""
    sizes = {
        "four sentences of four words, five numbers everywhere": (4, 4, 5, 5, 5, 5),
        "two sentences of three words, all sizes different": (2, 3, 4, 5, 6, 7),
        "one sentence of one word": (1, 1, 3, 2, 4, 5),
    }
    names = "batch", "key", "d_s", "d_y", "d_h", "d"
    return {case: tick_inputs(rng, dict(zip(names, of, strict=True))) for case, of in sizes.items()}


def tick_inputs(rng: np.random.Generator, sizes: dict[str, int]) -> tuple:
    """s, y, h, W, U, v and the cell, in these sizes."""
    A, B, C = some(rng, sizes, "d_s d_s", "d_y d_s", "d_h d_s")

    def cell(*states):  # in double precision, whatever comes
        s, y, c = (torch.as_tensor(state).double() for state in states)
        return torch.tanh(s @ A + y @ B + c @ C)

    return (*some(rng, sizes, "batch d_s", "batch d_y", "batch key d_h", "d d_s", "d d_h", "d"), cell)


check_tick = Check(
    decoder_step,
    decoder_step_cases,
    (
        *known(
            "query",
            word="the query is the word y. Which vector is the query in the formula, and what has it read by then?",
        ),
        *known(
            "matrices",
            exchanged="the matrices have changed places: which of them is for the query state?",
            as_they_are="the matrices are not transposed. `W @ s` is for one state: what if states "
            "are rows, to the left?",
        ),
        *known("curve", none="nothing keeps the sums within bounds. Which function stands around them in the score?"),
        *known("scale", root="the scores are divided by √d. Does the additive score divide by anything?"),
        *known(
            "meets",
            anybody="state b meets word b of *every* sentence. Where does `s @ W.T` need an axis for the words?",
        ),
        *known(
            "softmax",
            sentences="the softmax runs over the sentences. Over what does the sum in the denominator run?",
            nobody="you average with the scores as they are. Which function turns scores into weights?",
            best="you take the best annotation alone. A weighted average takes a little of each: where is the softmax?",
        ),
        *known(
            "average",
            projected="you average the projected keys $U h_j$. They are there to be compared: what is c made of?",
            scores="the weights are right, and the context is made with the scores: where do $c_i$'s shares come from?",
            no_weights="your context is the plain mean of the annotations. What are the weights for?",
            mean="the context is too small: the weights sum to one already, so a sum is enough.",
        ),
        *known(
            "reads",
            **{
                "y s c": "the cell takes the old state first and then the word, and it got them the other way round.",
                "s c y": "the cell takes the word before the context, and it got them the other way round.",
                "c y s": "the cell got the context where it takes the old state, and the old state last.",
                "y c s": "the cell got the old state last: it comes first, then word and context.",
                "c s y": "the cell got the context first: it comes last, after old state and word in this order.",
                "s y last": "the cell gets the last annotation, chapter 1's fixed context. What is "
                "the attention step for?",
                "s y mean": "the cell gets the plain mean of the annotations. Which weighted "
                "average does $c_i$ stand for?",
            },
        ),
        *known(
            "gives",
            **{
                "context weights old": "the state you return is the old one. Which state is the next query?",
                "weights context new": "weights and context have changed places: the context comes first.",
                "new context weights": "the new state stands first. In which order must the three results be returned?",
                "context new weights": "weights and new state have changed places: the state comes last.",
                "new weights context": "the three results come in reverse order: the context comes first.",
                "weights new context": "the context comes last: it must come first, then weights and new state.",
                "context scores new": "scores are returned in the place of the weights. Which of "
                "them weight the average?",
            },
        ),
    ),
    parts=("context", "weights", "new state"),
)
