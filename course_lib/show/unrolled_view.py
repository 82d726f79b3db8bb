"""UnrolledView: an encoder–decoder at work, one small step after the other."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import traitlets
from jaxtyping import Float

from course_lib.show import theme, unrolled_steps
from course_lib.show.arrays import ArrayLike, as_array, check_count
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.picture import Picture
from course_lib.show.unrolled_steps import Small, Story
from course_lib.show.unrolled_still import still
from course_lib.show.view import View

NEEDED = ("encoder_states", "states", "start", "contexts")
NAMES = (*NEEDED, "scores", "weights", "combined")


@runtime_checkable
class Told(Protocol):
    """What a run is told by: a named tuple with the arguments of UnrolledView, such as models.trace returns."""

    def _asdict(self) -> dict[str, Any]: ...


class UnrolledView(View):
    r"""An encoder–decoder reading n source words and writing m, in small steps: states, looks, contexts, words.

    `source` are the words read by the encoder, `encoder_states` (n, d) its states; with `bidirectional` their first
    half has read forward, the second backward. `start` (d_hidden) is the decoder's first state. At tick i of m it reads
    the word `read[i]`, reaches `states[i]` (m, d_hidden) and writes `written[i]`; `contexts` (m, d) is what it knows of
    the source then, or one vector (d) if it is always the same. With attention: `weights` (m, n), and `scores` (m, n)
    before the softmax. `combined` (m, d_combined) is Luong's h̃. `guesses` are, for each tick, some (word, probability).

    `kind` says which steps a tick has: "fixed", "bahdanau", "bahdanau, query sees the word", "luong", "luong, no input
    feeding"; if it is left out, the arrays tell. `formulas` replaces formulas by the names of their steps, {"state":
    "s_i = tanh(W s_{i−1})"}. `forced` says that the words read are the right ones, whatever was written. `step` is the
    small step that is shown, the last one if it is left out.

    Raises ValueError if shapes and words do not agree, if weights are negative, or if something is missing.
    """

    _esm = module("drawing.js", "unrolled_layout.js", "unrolled_plot.js", "unrolled_view.js")
    _css = STYLE_SHEET + (theme.HERE / "unrolled_view.css").read_text(encoding="utf-8")
    _carried = ("told", "values", "step")
    _numbers = ("values",)
    _frame_title = "an encoder–decoder, step by step"

    told = traitlets.Dict().tag(sync=True)  # words, guesses, sizes, and the recipe of the steps
    values = traitlets.Bytes().tag(sync=True)  # 32-bit numbers: the arrays of `told["shapes"]`, one after the other
    step = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        *,
        source: Sequence[str],
        encoder_states: ArrayLike,
        start: ArrayLike,
        read: Sequence[str],
        written: Sequence[str],
        states: ArrayLike,
        contexts: ArrayLike,
        scores: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        combined: ArrayLike | None = None,
        guesses: Sequence[Sequence[tuple[str, float]]] = (),
        kind: str | None = None,
        bidirectional: bool = False,
        forced: bool = False,
        formulas: Mapping[str, str] | None = None,
        step: int | None = None,
        lang: str = "en",
        words: Mapping[str, str] | None = None,
    ):
        about_the_view = ("self", "__class__", "step", "lang", "words")
        self._given = {name: value for name, value in locals().items() if name not in about_the_view}
        told, values = checked(**self._given)
        last = len(steps_of(told)) - 1
        super().__init__(told=told, values=values, step=last if step is None else step, lang=lang, words=words)

    @classmethod
    def of(cls, told: Told, **options: object) -> "UnrolledView":
        """The view of a run that is told by a named tuple, `UnrolledView.of(trace(model, words, french, english))`."""
        return cls(**(told._asdict() | options))

    def update(self, told: Told | None = None, **changed: object) -> None:
        """Draw other numbers or words in place: those of a named tuple, or the arguments named. The rest stays."""
        given = self._given | ({} if told is None else told._asdict()) | changed
        new, values = checked(**given)
        self._given = given
        with self.hold_sync():
            self.font = self._font_for(self.lang, new, self.words)
            self.told, self.values = new, values
            self.step = min(self.step, len(steps_of(new)) - 1)

    def numbers(self) -> dict[str, Float[np.ndarray, "row number"]]:
        """The arrays as they are shown, by the names they were given by; one row for each word or tick."""
        values, found = np.frombuffer(self.values, "<f4").astype(float), {}
        for name, (rows, columns) in self.told["shapes"].items():
            found[name], values = values[: rows * columns].reshape(rows, columns), values[rows * columns :]
        return found

    def picture(self) -> Picture:
        step = min(max(self.step, 0), len(steps_of(self.told)) - 1)
        words = theme.WORDS[self.lang] | self.words
        drawn = still(Story(self.told, self.numbers(), steps_of(self.told), step, words))
        return replace(drawn, sharp=1)  # it travels twice with every view: keep it small

    def __repr__(self) -> str:
        (n, d), (m, _) = self.told["shapes"]["encoder_states"], self.told["shapes"]["states"]
        place = f"step {self.step + 1} of {len(steps_of(self.told))}"
        return f"UnrolledView({self.told['kind']}: {n} source words × {d} numbers, {m} ticks, {place})"


def steps_of(told: Mapping[str, Any]) -> list[Small]:
    """All small steps of what is told."""
    return unrolled_steps.schedule(told["recipe"], len(told["source"]), len(told["read"]))


def checked(
    *,
    source: Sequence[str],
    read: Sequence[str],
    written: Sequence[str],
    guesses: Sequence[Sequence[tuple[str, float]]] = (),
    kind: str | None = None,
    bidirectional: bool = False,
    forced: bool = False,
    formulas: Mapping[str, str] | None = None,
    **arrays: ArrayLike | None,
) -> tuple[dict[str, Any], bytes]:
    """What the browser is told as JSON, and the bytes of all numbers."""
    check_words(source, read, written, guesses)
    numbers = shaped(arrays, len(source), len(read))
    kind = kind or ("fixed" if "weights" not in numbers else "luong" if "combined" in numbers else "bahdanau")
    recipe = unrolled_steps.recipe(kind, bidirectional, formulas or {})
    check_kind(kind, bidirectional, recipe, numbers)
    told = {
        "kind": kind,
        "source": list(source),
        "read": list(read),
        "written": list(written),
        "guesses": [[[str(word), float(p) if np.isfinite(p) else None] for word, p in each] for each in guesses],
        "bidirectional": bidirectional,
        "forced": forced,
        "recipe": recipe,
        "shapes": {name: list(array.shape) for name, array in numbers.items()},
    }
    return told, b"".join(array.astype("<f4").tobytes() for array in numbers.values())


def check_words(source: Sized, read: Sized, written: Sized, guesses: Sized) -> None:
    """Raise ValueError if there are no words, or not as many written, and guessed, as were read."""
    for name, words in {"source": source, "read": read}.items():
        if not len(words):
            raise ValueError(f"{name}: expected at least one word, got none.")
    check_count("written, one word for each word read", written, len(read))
    if len(guesses):
        check_count("guesses, one list for each word read", guesses, len(read))


def check_kind(kind: str, bidirectional: bool, recipe: dict[str, Any], numbers: Mapping[str, ArrayLike]) -> None:
    """Raise ValueError if the arrays are not those of this kind's steps; without scores, their step is left out."""
    width = numbers["encoder_states"].shape[1]
    if bidirectional and width % 2:
        raise ValueError(f"encoder_states: two directions share a state: expected an even number, got {width}.")
    if "weights" in numbers and "scores" not in numbers:
        recipe["tick"] = [step for step in recipe["tick"] if step["name"] != "scores"]
    shows = {"scores": "scores", "weights": "weights", "combine": "combined"}
    expected = {shows[step["name"]] for step in recipe["tick"] if step["name"] in shows}
    got = set(shows.values()) & set(numbers)
    if expected != got:
        raise ValueError(f"{kind}: expected {sorted(expected) or 'no scores or weights'}, got {sorted(got)}.")


def shaped(arrays: Mapping[str, ArrayLike | None], n: int, m: int) -> dict[str, Float[np.ndarray, "row number"]]:
    """The arrays that were given, in the order of NAMES, each with one row for each word or tick."""
    found = {name: as_array(arrays[name]) for name in NAMES if arrays.get(name) is not None}
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise ValueError(f"expected the arrays {', '.join(NEEDED)}: got no {', '.join(missing)}.")
    rows = {"encoder_states": n, "start": 1}
    columns = {"start": (found["states"].shape or (0,))[-1], "scores": n, "weights": n}
    for name, array in found.items():
        one_for_all = array.ndim == 1 and name in ("start", "contexts")
        found[name] = np.tile(array, (rows.get(name, m), 1)) if one_for_all else array
        size = found[name].shape
        if len(size) != 2 or size != (rows.get(name, m), columns.get(name, size[-1])) or not array.size:
            wanted = f"({rows.get(name, m)}, {columns.get(name, 'numbers')})"
            raise ValueError(f"{name}: expected {wanted} for {n} words of the source and {m} read, got {array.shape}.")
    if "weights" in found and (found["weights"] < 0).any():
        raise ValueError("weights: expected numbers of at least 0, got negative ones: are they the scores?")
    return found
