"""SoftLookupView: soft key–value lookup in the plane. The query moves, and weights and context follow."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import traitlets
from jaxtyping import Float

from course_lib.show import soft_lookup
from course_lib.show.alt_text import shortened
from course_lib.show.arrays import ArrayLike, short
from course_lib.show.interactive import captured
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.picture import Picture
from course_lib.show.soft_lookup import checked_parameters, checked_rows, checked_scores, value_traits
from course_lib.show.soft_lookup_still import still
from course_lib.show.theme import HERE
from course_lib.show.view import View

NULL_IS_INFINITY = {  # in JSON
    "to_json": lambda number, view: number if math.isfinite(number) else None,
    "from_json": lambda number, view: math.inf if number is None else float(number),
}


class SoftLookupView(View):
    r"""Named keys in the plane, and a query that the reader moves: weights and context follow.

    $$ w = \mathrm{softmax}(s / T) \qquad c = \sum_j w_j v_j \qquad s_j = \mathrm{score}(q, k_j) $$

    `keys` (key, 2) are points in the plane. `values` (key, number) are drawn as strips; without them the keys are the
    values. `score` is one of dot, scaled_dot, cosine, bilinear, concat, additive, location, or a function; the reader
    can choose among all. The temperature goes from 0 (argmax) to ∞ (uniform weights).

    `parameters` are those of the last four, {"bilinear": {"w": (2, 2)}, "concat": {"w": (h, 4), "v": (h)},
    "additive": {"w_q": (h, 2), "w_k": (h, 2), "v": (h)}, "location": {"w": (at least as many as keys, 2)}}, also as
    `dict(module.named_parameters())`. Missing ones are random (see `soft_lookup.untrained`), and labelled as untrained.

    A function is called like the library's scores, with PyTorch tensors `score(q, k)`, q (1, 2) and k (key, 2),
    whenever the query moves; it returns one number for each key, as (1, key) or (key). Its output and errors are shown
    in the view, and the last weights stay. It needs Python; all other scores work in a saved page too.

    The query starts halfway from the mean of the keys to the first key.

    Raises ValueError if shapes and names do not agree, if a number is not finite, or if there is no such score.
    Source: Graves et al. 2014, §3.3.1 (content addressing; their key strength is 1 / T).
    """

    _esm = module("soft_lookup.js", "soft_lookup_plane.js", "soft_lookup_view.js")
    _css = STYLE_SHEET + (HERE / "soft_lookup_view.css").read_text(encoding="utf-8")
    _carried = (
        *("names", "places", "values", "width", "query", "score", "temperature"),
        *("parameters", "untrained", "has_own", "own_query", "own_scores"),
    )
    _numbers = ("places", "values", "own_scores")
    _frame_title = "soft key–value lookup"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    places = traitlets.Bytes().tag(sync=True)  # 32-bit numbers (key 2)
    values = traitlets.Bytes().tag(sync=True)  # 32-bit numbers (key width); nothing if the keys are the values
    width = traitlets.Int(0).tag(sync=True)
    query = traitlets.List(traitlets.Float(), minlen=2, maxlen=2).tag(sync=True)
    score = traitlets.Enum((*soft_lookup.SCORES, "own"), "scaled_dot").tag(sync=True)
    temperature = traitlets.Float(1.0, min=0).tag(sync=True, **NULL_IS_INFINITY)
    parameters = traitlets.Dict().tag(sync=True)
    untrained = traitlets.List(traitlets.Unicode()).tag(sync=True)  # scores without given parameters
    has_own = traitlets.Bool(False).tag(sync=True)
    own_query = traitlets.List(traitlets.Float()).tag(sync=True)  # the query of the last call of the reader's function
    own_scores = traitlets.Bytes().tag(sync=True)  # 32-bit numbers: its last valid result, or nothing

    def __init__(
        self,
        keys: ArrayLike,
        names: Sequence[str],
        values: ArrayLike | None = None,
        *,
        query: ArrayLike | None = None,
        score: str | Callable = "scaled_dot",
        temperature: float | int = 1.0,
        parameters: Mapping[str, Mapping[str, ArrayLike]] | None = None,
        lang: str = "en",
        words: Mapping[str, str] | None = None,
    ):
        places = checked_rows("keys", keys, names, 2)
        start = ((places.mean(axis=0) + places[0]) / 2).round(3)
        self._function = score if callable(score) else None
        if self._function is None and score not in soft_lookup.SCORES:
            raise ValueError(f"score: expected a function or one of {list(soft_lookup.SCORES)}, got {score!r}.")
        untrained = soft_lookup.untrained(len(names))
        super().__init__(
            names=list(names),
            places=places.astype("<f4").tobytes(),
            query=(start if query is None else checked_rows("query", [query], ["the query"], 2)[0]).tolist(),
            score="own" if self._function else score,
            has_own=self._function is not None,
            temperature=float(temperature),
            parameters=untrained | checked_parameters(parameters or {}, len(names)),
            untrained=sorted(untrained.keys() - (parameters or {}).keys()),
            lang=lang,
            words=words,
            **value_traits(values, names),
        )
        self.observe(self._call_own_score, ["query", "score"])
        self._call_own_score()

    def update(self, keys: ArrayLike | None = None, values: ArrayLike | None = None) -> None:
        """Move the keys, or change the values, in place: the names stay."""
        with self.hold_sync():
            if keys is not None:
                self.places = checked_rows("keys", keys, self.names, 2).astype("<f4").tobytes()
            if values is not None:
                for name, value in value_traits(values, self.names).items():
                    setattr(self, name, value)
            self._call_own_score()

    def scores(self) -> Float[np.ndarray, "key"]:
        """The scores of the query and all keys; NaN if the reader's function has never returned valid ones."""
        if self.score != "own":
            parameters = self.parameters.get(self.score, {})
            return soft_lookup.scores(self.score, np.array(self.query), self._keys(), parameters)
        own = np.frombuffer(self.own_scores, "<f4").astype(float)
        return own if own.size else np.full(len(self.names), np.nan)

    def weights(self) -> Float[np.ndarray, "key"]:
        """The weights that are shown now."""
        return soft_lookup.weights(self.scores(), self.temperature)

    def context(self) -> Float[np.ndarray, "number"]:
        """The weighted average of the values."""
        return self.weights() @ (self._keys() if self._values() is None else self._values())

    def picture(self) -> Picture:
        query, words = np.array(self.query), self.all_words
        return still(self._keys(), self.names, query, self.weights(), self._values(), words, self._alt_text(words))

    def _alt_text(self, words: Mapping[str, str]) -> str:
        """The query, the context, and the weights, largest first."""
        weights, context = self.weights(), ", ".join(short(float(number)) for number in self.context()[:12])
        query = ", ".join(short(number) for number in self.query)
        temperature = "∞" if math.isinf(self.temperature) else short(self.temperature)
        first = f"{words['soft lookup']}, {words[self.score]}, T = {temperature}, q = ({query}), c = ({context}):"
        order = np.argsort(-weights, kind="stable")
        return "\n".join([first, *shortened([f"{self.names[j]} {short(float(weights[j]))}" for j in order])])

    def _keys(self) -> Float[np.ndarray, "key 2"]:
        return np.frombuffer(self.places, "<f4").reshape(-1, 2).astype(float)

    def _values(self) -> Float[np.ndarray, "key number"] | None:
        return np.frombuffer(self.values, "<f4").reshape(-1, self.width).astype(float) if self.width else None

    def _call_own_score(self, change: object = None) -> None:
        """Call the reader's function for the present query; draw its scores, or show its error."""
        if self.score != "own":
            self.message = {}
            return
        import torch  # only here: other views do without

        def own_scores() -> Float[np.ndarray, "key"]:
            result = self._function(torch.tensor([self.query]), torch.tensor(self._keys(), dtype=torch.float32))
            return checked_scores(result, self.names)

        scores, message = captured(own_scores)
        with self.hold_sync():
            self.own_query, self.message = self.query, message
            if scores is not None:
                self.own_scores = scores.astype("<f4").tobytes()

    @traitlets.validate("score")
    def _known(self, proposal: dict) -> str:
        if proposal["value"] == "own" and self._function is None:
            raise traitlets.TraitError("score: expected a function when the view was made, got none.")
        return proposal["value"]

    def __repr__(self) -> str:
        values = f" → {self.width} numbers" if self.width else ""
        return f"SoftLookupView({self.score}: {len(self.names)} keys{values})"
