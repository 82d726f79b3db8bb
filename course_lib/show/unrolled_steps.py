"""The small steps of an encoder–decoder: names, formulas and inputs, and their text alternatives."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib.show.arrays import short


class Step(NamedTuple):
    """One small step: its name ("step …" in words.json), its formula (x_{i−1} is a subscript), and its inputs.

    Inputs: the word read, the state before it, the state, the context, h̃ before (fed) and now (combined); in the
    hand-over, the ends of the encoder: the last forward state, the first backward one.
    """

    name: str
    formula: str
    uses: str = ""


class SmallStep(NamedTuple):
    """A small step of a run: its time step (from 1; the hand-over has 0), and its place in the time step."""

    name: str
    formula: str
    uses: str
    time: int
    place: int


READS = "before word context"
BAHDANAU = (
    Step("scores", "e_{ij} = v^T tanh(W s_{i−1} + U h_j)", "before"),
    Step("weights", "a_{ij} = softmax_j(e_{ij})", "before"),
    Step("average", "c_i = Σ_j a_{ij} h_j"),
    Step("read", "y_{i−1}", "word"),
    Step("state", "s_i = G(s_{i−1}, [y_{i−1}; c_i])", READS),
    Step("write", "p(y_i) = softmax(W_o t_i),  t_i from s_{i−1}, y_{i−1}, c_i", READS),
)
LUONG = (
    Step("read", "y_{t−1}, h̃_{t−1}", "word fed"),
    Step("state", "h_t = f(h_{t−1}, [y_{t−1}; h̃_{t−1}])", "before word fed"),
    Step("scores", "e_{ts} = score(h_t, h̄_s)", "state"),
    Step("weights", "a_{ts} = softmax_s(e_{ts})", "state"),
    Step("average", "c_t = Σ_s a_{ts} h̄_s"),
    Step("combine", "h̃_t = tanh(W_c [c_t; h_t])", "context state"),
    Step("write", "p(y_t) = softmax(W_s h̃_t)", "combined"),
)
DECODING_STEPS = {
    "fixed": (
        Step("read", "y_{i−1}", "word"),
        Step("take", "c", "context"),
        Step("state", "s_i = G(s_{i−1}, [y_{i−1}; c])", READS),
        Step("write", "p(y_i) = softmax(logits from s_{i−1}, y_{i−1}, c)", READS),
    ),
    "bahdanau": BAHDANAU,
    "bahdanau, query sees the word": (
        BAHDANAU[3],
        Step("scores", "e_{ij} = v^T tanh(W [s_{i−1}; y_{i−1}] + U h_j)", "before word"),
        Step("weights", "a_{ij} = softmax_j(e_{ij})", "before word"),
        BAHDANAU[2],
        *BAHDANAU[4:],
    ),
    "luong": LUONG,
    "luong, no input feeding": (
        Step("read", "y_{t−1}", "word"),
        Step("state", "h_t = f(h_{t−1}, y_{t−1})", "before word"),
        *LUONG[2:],
    ),
}


def recipe(kind: str, bidirectional: bool, formulas: Mapping[str, str]) -> dict:
    """The steps of the encoder, the hand-over and a decoding step, and the letters of the vectors, for JSON.

    Raises ValueError if there is no such kind, or a formula is given for a step that it does not have.
    """
    if kind not in DECODING_STEPS:
        raise ValueError(f"kind: expected one of {list(DECODING_STEPS)}, got {kind!r}.")
    of = "t" if kind.startswith("luong") else "i"
    h, j = ("h̄", "s") if of == "t" else ("h", "j")
    forward, backward = f"→{h}_{j} = F(x_{j}, →{h}_{{{j}−1}})", f"←{h}_{j} = F(x_{j}, ←{h}_{{{j}+1}})"
    encode = Step("encode", f"{forward},  {backward}" if bidirectional else forward.replace("→", ""))
    whole = f"[→{h}_n; ←{h}_1]" if bidirectional else f"{h}_n"
    hand_over = {
        "f": (Step("context", f"c = {whole}", "ends"), Step("start", "s_0 = tanh(W_s c)", "context")),
        "b": (Step("start", f"s_0 = tanh(W_s {'←h_1' if bidirectional else 'h_n'})", "backward"),),
        "l": (Step("start", f"h_0 = tanh(W_0 {whole})", "ends"),),
    }[kind[0]]
    parts = {"encode": (encode,), "hand_over": hand_over, "decode": DECODING_STEPS[kind]}
    names = [step.name for steps in parts.values() for step in steps]
    if unknown := set(formulas) - set(names):
        raise ValueError(f"formulas: expected some of {names}, got {sorted(unknown)}.")
    steps = {
        name: [step._replace(formula=formulas.get(step.name, step.formula))._asdict() for step in part]
        for name, part in parts.items()
    }
    letters = {"source": f"{h}_{j}", "state": "h_t" if of == "t" else "s_i", "combined": "h̃_t"}
    return {**steps, "letters": {**letters, "context": "c" if kind == "fixed" else f"c_{of}"}}


def schedule(run: Mapping[str, Any]) -> list[SmallStep]:
    """All small steps of a run, in order."""
    groups = [("encode", time + 1) for time in range(len(run["source"]))]
    groups += [("hand_over", 0), *(("decode", time + 1) for time in range(len(run["read"])))]
    return [
        SmallStep(**step, time=time, place=place)
        for part, time in groups
        for place, step in enumerate(run["recipe"][part])
    ]


class Snapshot(NamedTuple):
    """What the picture shows: the run, its arrays, all small steps, the index of the present one, and the words."""

    run: Mapping[str, Any]
    numbers: Mapping[str, Float[np.ndarray, "row number"]]
    steps: Sequence[SmallStep]
    step: int
    words: Mapping[str, str]

    @property
    def now(self) -> SmallStep:
        """The present small step."""
        return self.steps[self.step]

    @property
    def done(self) -> dict[str, int]:
        """For each kind of step, the last time step that has done it."""
        return {small.name: small.time for small in self.steps[: self.step + 1]}

    @property
    def decoding(self) -> bool:
        """True at the time steps of the decoder."""
        return self.step >= len(self.run["source"]) + len(self.run["recipe"]["hand_over"])

    def row(self, name: str, step: str) -> Float[np.ndarray, "number"] | None:
        """The present decoding step's row of an array, if the small step that computes it is done."""
        known = self.decoding and name in self.numbers and self.done.get(step) == self.now.time
        return self.numbers[name][self.now.time - 1] if known else None


def headline(snapshot: Snapshot) -> str:
    """Where the run stands, such as "time step 2 of 5, step 4 of 6: softmax → weights"."""
    now, words, run = snapshot.now, snapshot.words, snapshot.run
    name = words[f"step {now.name}"]
    if not now.time:
        return name
    length = len(run["read" if snapshot.decoding else "source"])
    place = f", {words['step']} {now.place + 1} {words['of']} {len(run['recipe']['decode'])}"
    time = f"{words['time step']} {now.time} {words['of']} {length}"
    return f"{time}{place if snapshot.decoding else ''}: {name}"


def alt_text(snapshot: Snapshot) -> str:
    """The present step, the words so far, and the largest scores, weights and probabilities."""
    run, words, now = snapshot.run, snapshot.words, snapshot.now
    lines = [f"{headline(snapshot)}: {now.formula}", f"{words['encoder']}: {' '.join(run['source'])}"]
    if "start" in snapshot.done:
        written = run["written"][: snapshot.done.get("write", 0)]
        lines.append(f"{words['decoder']}: {' '.join(written) or words['nothing']}")
    for name in ("scores", "weights"):
        row = snapshot.row(name, name)
        if row is not None:
            lines.append(f"{words[name]}: {largest(zip(run['source'], row, strict=True))}")
    if now.name == "write" and run["guesses"]:
        guesses = [(word, np.nan if p is None else p) for word, p in run["guesses"][now.time - 1]]
        lines.append(f"{words['next word']}: {largest(guesses)}")
    return "\n".join(lines)


def largest(pairs: Iterable[Sequence[Any]]) -> str:
    """The three largest of (word, number), with their numbers; NaN and infinities come first."""
    order = sorted(pairs, key=lambda pair: (np.isfinite(pair[1]), -np.nan_to_num(pair[1])))
    return ", ".join(f"“{word}” {short(float(number))}" for word, number in order[:3])
