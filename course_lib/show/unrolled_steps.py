"""The small steps of an encoder–decoder: what they are called, their formulas, what each uses; a step told in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib.show.arrays import short


class Step(NamedTuple):
    """One small step: its name ("step …" in words.json), its formula (x_{i−1} is a subscript), and what it uses.

    What is used: the word read, the state before it, the state, the context, h̃ before (fed) and now (combined); in the
    hand-over, the ends of the encoder: the last forward state, the first backward one.
    """

    name: str
    formula: str
    uses: str = ""


class Small(NamedTuple):
    """A small step as it comes in a run: of which tick (from 1; the hand-over is 0), at which place of the tick."""

    name: str
    formula: str
    uses: str
    tick: int
    place: int


SEES = "before word context"
BAHDANAU = (
    Step("scores", "e_{ij} = v^T tanh(W s_{i−1} + U h_j)", "before"),
    Step("weights", "a_{ij} = softmax_j(e_{ij})", "before"),
    Step("blend", "c_i = Σ_j a_{ij} h_j"),
    Step("read", "y_{i−1}", "word"),
    Step("state", "s_i = G(s_{i−1}, [y_{i−1}; c_i])", SEES),
    Step("write", "p(y_i) = softmax(W_o t_i),  t_i from s_{i−1}, y_{i−1}, c_i", SEES),
)
LUONG = (
    Step("read", "y_{t−1}, h̃_{t−1}", "word fed"),
    Step("state", "h_t = f(h_{t−1}, [y_{t−1}; h̃_{t−1}])", "before word fed"),
    Step("scores", "e_{ts} = score(h_t, h̄_s)", "state"),
    Step("weights", "a_{ts} = softmax_s(e_{ts})", "state"),
    Step("blend", "c_t = Σ_s a_{ts} h̄_s"),
    Step("combine", "h̃_t = tanh(W_c [c_t; h_t])", "context state"),
    Step("write", "p(y_t) = softmax(W_s h̃_t)", "combined"),
)
TICKS = {
    "fixed": (
        Step("read", "y_{i−1}", "word"),
        Step("take", "c", "context"),
        Step("state", "s_i = G(s_{i−1}, [y_{i−1}; c])", SEES),
        Step("write", "p(y_i) = softmax(logits from s_{i−1}, y_{i−1}, c)", SEES),
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
    """The steps of the encoder, of the hand-over and of a tick, and the letters of the vectors, as JSON can hold them.

    Raises ValueError if there is no such kind, or a formula is given for a step that it does not have.
    """
    if kind not in TICKS:
        raise ValueError(f"kind: expected one of {list(TICKS)}, got {kind!r}.")
    of = "t" if kind.startswith("luong") else "i"
    h, j = ("h̄", "s") if of == "t" else ("h", "j")
    forward, backward = f"→{h}_{j} = F(x_{j}, →{h}_{{{j}−1}})", f"←{h}_{j} = F(x_{j}, ←{h}_{{{j}+1}})"
    encode = Step("encode", f"{forward},  {backward}" if bidirectional else forward.replace("→", ""))
    whole = f"[→{h}_n; ←{h}_1]" if bidirectional else f"{h}_n"
    hand = {
        "f": (Step("context", f"c = {whole}", "ends"), Step("start", "s_0 = tanh(W_s c)", "context")),
        "b": (Step("start", f"s_0 = tanh(W_s {'←h_1' if bidirectional else 'h_n'})", "backward"),),
        "l": (Step("start", f"h_0 = tanh(W_0 {whole})", "ends"),),
    }[kind[0]]
    parts = {"encode": (encode,), "hand": hand, "tick": TICKS[kind]}
    unknown = set(formulas) - {step.name for steps in parts.values() for step in steps}
    if unknown:
        raise ValueError(f"formulas: expected names of steps such as {TICKS[kind][0].name!r}, got {sorted(unknown)}.")
    told = {
        name: [step._replace(formula=formulas.get(step.name, step.formula))._asdict() for step in steps]
        for name, steps in parts.items()
    }
    letters = {"source": f"{h}_{j}", "state": "h_t" if of == "t" else "s_i", "combined": "h̃_t"}
    return {**told, "letters": {**letters, "context": "c" if kind == "fixed" else f"c_{of}"}}


def schedule(told: Mapping[str, Sequence[Mapping[str, str]]], words: int, ticks: int) -> list[Small]:
    """All small steps of a run over so many source words and ticks of the decoder, in their order."""
    groups = [("encode", word + 1) for word in range(words)]
    groups += [("hand", 0), *(("tick", tick + 1) for tick in range(ticks))]
    return [Small(**step, tick=tick, place=place) for part, tick in groups for place, step in enumerate(told[part])]


def known(steps: Sequence[Small], step: int) -> dict[str, int]:
    """For each kind of step, the last tick that has done it by now."""
    return {small.name: small.tick for small in steps[: step + 1]}


class Story(NamedTuple):
    """What the picture is of: what is told, the arrays, all small steps, the present one, and the words of the view."""

    told: Mapping[str, Any]
    numbers: Mapping[str, Float[np.ndarray, "row number"]]
    steps: Sequence[Small]
    step: int
    words: Mapping[str, str]

    @property
    def now(self) -> Small:
        """The present small step."""
        return self.steps[self.step]

    @property
    def ticks(self) -> dict[str, int]:
        """For each kind of step, the last tick that has done it."""
        return known(self.steps, self.step)

    @property
    def writes(self) -> bool:
        """Is it a tick of the decoder?"""
        return self.step >= len(self.told["source"]) + len(self.told["recipe"]["hand"])

    def row(self, name: str, step: str) -> Float[np.ndarray, "number"] | None:
        """The present tick's row of this array, if the step that makes it has been done in this tick."""
        done = self.writes and name in self.numbers and self.ticks.get(step) == self.now.tick
        return self.numbers[name][self.now.tick - 1] if done else None


def headline(story: Story) -> str:
    """Where the picture stands: tick 2 of 5, step 4 of 6: softmax → weights."""
    now, words, recipe = story.now, story.words, story.told["recipe"]
    name = words[f"step {now.name}"]
    if not now.tick:
        return name
    tick = f"{words['tick']} {now.tick} {words['of']} {len(story.told['read' if story.writes else 'source'])}"
    step = f", {words['step']} {now.place + 1} {words['of']} {len(recipe['tick'])}" if story.writes else ""
    return f"{tick}{step}: {name}"


def in_words(story: Story) -> str:
    """What happens at this step, for those who do not see the picture."""
    told, words, tick = story.told, story.words, story.now.tick
    lines = [f"{headline(story)}: {story.now.formula}", f"{words['encoder']}: {' '.join(told['source'])}"]
    if "start" in story.ticks:
        written = told["written"][: story.ticks.get("write", 0)]
        lines.append(f"{words['decoder']}: {' '.join(written) or words['nothing']}")
    for name in ("scores", "weights"):
        row = story.row(name, name)
        if row is not None:
            lines.append(f"{words[name]}: {listed(zip(told['source'], row, strict=True))}")
    if story.now.name == "write" and told["guesses"]:
        guesses = [(word, np.nan if p is None else p) for word, p in told["guesses"][tick - 1]]
        lines.append(f"{words['next word']}: {listed(guesses)}")
    return "\n".join(lines)


def listed(pairs: Iterable[Sequence[Any]]) -> str:
    """The three largest of (word, number), each with its number; what is no number comes first."""
    order = sorted(pairs, key=lambda pair: (np.isfinite(pair[1]), -np.nan_to_num(pair[1])))
    return ", ".join(f"“{word}” {short(float(number))}" for word, number in order[:3])
