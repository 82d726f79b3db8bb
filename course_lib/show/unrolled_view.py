"""UnrolledView: an encoder–decoder unrolled over time, in small steps."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import traitlets
from jaxtyping import Float

from course_lib.show import unrolled_steps
from course_lib.show.arrays import ArrayLike, as_array, check_count
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.picture import Picture
from course_lib.show.theme import HERE
from course_lib.show.unrolled_steps import Snapshot, schedule
from course_lib.show.unrolled_still import still
from course_lib.show.view import View

NEEDED = ("encoder_states", "states", "start", "contexts")
NAMES = (*NEEDED, "scores", "weights", "combined")


@runtime_checkable
class Run(Protocol):
    """A named tuple with the arguments of UnrolledView, such as models.trace returns."""

    def _asdict(self) -> dict[str, Any]: ...


class UnrolledView(View):
    r"""An encoder–decoder that reads n source words and writes m, in small steps: states, weights, contexts, words.

    `source` are the words that the encoder reads, `encoder_states` (n, d) its states; with `bidirectional` their first
    half is of the forward direction, the second of the backward direction. `start` (d_hidden) is the decoder's first
    state. At decoding step i of m it reads the word `read[i]`, computes `states[i]` (m, d_hidden) and writes
    `written[i]`; `contexts` (m, d) are its contexts, or one vector (d) if they are all the same. With attention:
    `weights` (m, n), and `scores` (m, n) before the softmax. `combined` (m, d_combined) is Luong's h̃. `guesses` are,
    for each decoding step, some (word, probability).

    `kind` is "fixed", "bahdanau", "bahdanau, query sees the word", "luong", or "luong, no input feeding"; by default it
    follows from the arrays. `formulas` replaces the formulas of steps, {"state": "s_i = tanh(W s_{i−1})"}. `forced`
    marks teacher forcing. `step` is the small step that is shown, by default the last one.

    Raises ValueError if shapes and words do not agree, if weights are negative, or if something is missing.
    """

    _esm = module("unrolled_layout.js", "unrolled_plot.js", "unrolled_view.js")
    _css = STYLE_SHEET + (HERE / "unrolled_view.css").read_text(encoding="utf-8")
    _carried = ("run", "values", "step")
    _numbers = ("values",)
    _frame_title = "an encoder–decoder, step by step"

    run = traitlets.Dict().tag(sync=True)  # words, guesses, shapes, and the recipe of the steps
    values = traitlets.Bytes().tag(sync=True)  # 32-bit numbers: the arrays of `run["shapes"]`, one after the other
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
        of_the_view = ("self", "__class__", "step", "lang", "words")
        self._given = {name: value for name, value in locals().items() if name not in of_the_view}
        run, values = checked(**self._given)
        last = len(schedule(run)) - 1
        super().__init__(run=run, values=values, step=last if step is None else step, lang=lang, words=words)

    @classmethod
    def of(cls, run: Run, **options: object) -> "UnrolledView":
        """The view of a named tuple with its arguments: `UnrolledView.of(trace(model, words, french, english))`."""
        return cls(**(run._asdict() | options))

    def update(self, run: Run | None = None, **changed: object) -> None:
        """Draw other numbers or words in place: those of a named tuple, or the arguments named. The rest stays."""
        given = self._given | ({} if run is None else run._asdict()) | changed
        new, values = checked(**given)
        self._given = given
        with self.hold_sync():
            self.font = self._font_for(self.lang, new, self.words)
            self.run, self.values = new, values
            self.step = min(self.step, len(schedule(new)) - 1)

    def numbers(self) -> dict[str, Float[np.ndarray, "row number"]]:
        """The arrays by their names, with one row for each word or decoding step."""
        values, found = np.frombuffer(self.values, "<f4").astype(float), {}
        for name, (rows, columns) in self.run["shapes"].items():
            found[name], values = values[: rows * columns].reshape(rows, columns), values[rows * columns :]
        return found

    def picture(self) -> Picture:
        steps = schedule(self.run)
        step = min(max(self.step, 0), len(steps) - 1)
        drawn = still(Snapshot(self.run, self.numbers(), steps, step, self.all_words))
        return replace(drawn, sharp=1)  # each view holds it twice

    def __repr__(self) -> str:
        (n, d), (m, _) = self.run["shapes"]["encoder_states"], self.run["shapes"]["states"]
        place = f"step {self.step + 1} of {len(schedule(self.run))}"
        return f"UnrolledView({self.run['kind']}: {n} source words × {d} numbers, {m} decoding steps, {place})"


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
    """The traits `run` and `values`."""
    check_words(source, read, written, guesses)
    numbers = shaped(arrays, len(source), len(read))
    kind = kind or ("fixed" if "weights" not in numbers else "luong" if "combined" in numbers else "bahdanau")
    recipe = unrolled_steps.recipe(kind, bidirectional, formulas or {})
    check_kind(kind, bidirectional, recipe, numbers)
    run = {
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
    return run, b"".join(array.astype("<f4").tobytes() for array in numbers.values())


def check_words(source: Sized, read: Sized, written: Sized, guesses: Sized) -> None:
    """Raise ValueError if there are no words, or not as many written, and guesses, as read."""
    for name, words in {"source": source, "read": read}.items():
        if not len(words):
            raise ValueError(f"{name}: expected at least one word, got none.")
    check_count("written, one word for each word read", written, len(read))
    if len(guesses):
        check_count("guesses, one list for each word read", guesses, len(read))


def check_kind(kind: str, bidirectional: bool, recipe: dict[str, Any], numbers: Mapping[str, ArrayLike]) -> None:
    """Raise ValueError if the arrays are not those of this kind; without scores, remove their step from the recipe."""
    width = numbers["encoder_states"].shape[1]
    if bidirectional and width % 2:
        raise ValueError(f"encoder_states: expected an even number of components for two directions, got {width}.")
    if "weights" in numbers and "scores" not in numbers:
        recipe["decode"] = [step for step in recipe["decode"] if step["name"] != "scores"]
    shows = {"scores": "scores", "weights": "weights", "combine": "combined"}
    expected = {shows[step["name"]] for step in recipe["decode"] if step["name"] in shows}
    got = set(shows.values()) & set(numbers)
    if expected != got:
        raise ValueError(f"{kind}: expected {sorted(expected) or 'no scores or weights'}, got {sorted(got)}.")


def shaped(arrays: Mapping[str, ArrayLike | None], n: int, m: int) -> dict[str, Float[np.ndarray, "row number"]]:
    """The given arrays in the order of NAMES, each with one row for each word or decoding step."""
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
        raise ValueError("weights: expected numbers of at least 0, got negative ones. Are they scores?")
    return found
