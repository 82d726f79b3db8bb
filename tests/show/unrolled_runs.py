"""Runs for the tests of UnrolledView: random numbers in the shapes that a model would have computed."""

from collections import namedtuple

import numpy as np

from course_lib.show import UnrolledView

SOURCE = ["la", "zone", "économique", "小红", "<eos>"]
READ, WRITTEN = ["<bos>", "the", "Economic", "Area"], ["the", "Economic", "Area", "<eos>"]
NAMES = {
    "fixed": ["read", "take", "state", "write"],
    "bahdanau": ["scores", "weights", "average", "read", "state", "write"],
    "bahdanau, query sees the word": ["read", "scores", "weights", "average", "state", "write"],
    "luong": ["read", "state", "scores", "weights", "average", "combine", "write"],
    "luong, no input feeding": ["read", "state", "scores", "weights", "average", "combine", "write"],
}


def run(kind="bahdanau", source=SOURCE, read=READ, written=WRITTEN, d=6, d_hidden=4):
    """The arguments of a view: what is not drawn at random follows from it, as in a model."""
    random = np.random.default_rng(0)
    n, m = len(source), len(read)
    states = random.uniform(-1, 1, (n, d))
    given = {
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
        return {**given, "contexts": states[-1]}
    scores = random.normal(0, 2, (m, n))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    given |= {"scores": scores, "weights": weights, "contexts": weights @ states}
    return {**given, "combined": random.uniform(-1, 1, (m, d_hidden))} if kind.startswith("luong") else given


def unrolled(kind="bahdanau", at=None, **changed):
    """A view of a random run, at a small step (name, time)."""
    view = UnrolledView(**(run(kind) | changed))
    if at:
        view.step = step_of(view, *at)
    return view


def as_tuple(given):
    """The same as a named tuple, as a model's trace is one."""
    return namedtuple("Trace", given)(**given)


def step_of(view, name, time):
    """The number of a small step, by its name and time step."""
    n, recipe = len(view.run["source"]), view.run["recipe"]
    hand_over, names = ([step["name"] for step in recipe[part]] for part in ("hand_over", "decode"))
    if name == "encode":
        return time - 1
    return (
        n + hand_over.index(name)
        if name in hand_over
        else n + len(hand_over) + len(names) * (time - 1) + names.index(name)
    )
