"""Runs for the tests of UnrolledView: random numbers in the shapes that a model would have computed."""

from collections import namedtuple

import numpy as np

SOURCE = ["la", "zone", "économique", "小红", "<eos>"]
READ, WRITTEN = ["<bos>", "the", "Economic", "Area"], ["the", "Economic", "Area", "<eos>"]
D, D_HIDDEN = 6, 4
NAMES = {
    "fixed": ["read", "take", "state", "write"],
    "bahdanau": ["scores", "weights", "average", "read", "state", "write"],
    "bahdanau, query sees the word": ["read", "scores", "weights", "average", "state", "write"],
    "luong": ["read", "state", "scores", "weights", "average", "combine", "write"],
    "luong, no input feeding": ["read", "state", "scores", "weights", "average", "combine", "write"],
}


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def run(kind="bahdanau", source=SOURCE, read=READ, written=WRITTEN, d=D, d_hidden=D_HIDDEN):
    """The arguments of a view: what is not drawn at random follows from it, as in a model."""
    random = np.random.default_rng(0)
    n, m = len(source), len(read)
    states = random.uniform(-1, 1, (n, d))
    told = {
        "source": source,
        "encoder_states": states,
        "bidirectional": True,
        "start": random.uniform(-1, 1, d_hidden),
        "read": read,
        "written": written,
        "states": random.uniform(-1, 1, (m, d_hidden)),
        "guesses": [[(word, 0.75), ("other", 0.15), ("<unk>", 0.0625)] for word in written],
        "kind": kind,
    }
    if kind == "fixed":
        return {**told, "contexts": states[-1]}
    scores = random.normal(0, 2, (m, n))
    weights = softmax(scores)
    told |= {"scores": scores, "weights": weights, "contexts": weights @ states}
    return {**told, "combined": random.uniform(-1, 1, (m, d_hidden))} if kind.startswith("luong") else told


def as_tuple(told):
    """The same as a named tuple, as a model's trace is one."""
    return namedtuple("Told", told)(**told)


def step_of(view, name, tick):
    """The number of a small step, by its name and tick."""
    steps = view.run["recipe"]
    before, hand = len(view.run["source"]), len(steps["hand_over"])
    if name == "encode":
        return tick - 1
    if name in [step["name"] for step in steps["hand_over"]]:
        return before + [step["name"] for step in steps["hand_over"]].index(name)
    names = [step["name"] for step in steps["decode"]]
    return before + hand + len(names) * (tick - 1) + names.index(name)
