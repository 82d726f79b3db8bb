"""SoftLookupView: a dictionary that returns a blend. The query moves in the plane, the weights follow."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import traitlets
from jaxtyping import Float

from course_lib.show import soft_lookup
from course_lib.show.arrays import ArrayLike, short
from course_lib.show.in_words import shortened
from course_lib.show.interactive import heard
from course_lib.show.page import STYLE_SHEET, module
from course_lib.show.picture import Picture
from course_lib.show.soft_lookup import checked, one_for_each, parameter_traits, score_traits, value_traits
from course_lib.show.soft_lookup_still import still
from course_lib.show.theme import HERE, WORDS
from course_lib.show.view import View


def finite_or_none(number: float, view: View) -> float | None:
    """JSON has no ∞."""
    return number if math.isfinite(number) else None


def infinite_if_none(number: float | int | None, view: View) -> float:
    """What `finite_or_none` came from."""
    return math.inf if number is None else float(number)


class SoftLookupView(View):
    r"""Named keys in the plane, and a query that the reader moves: weights and blend follow.

    $$ w = \mathrm{softmax}(s / T) \qquad c = \sum_j w_j v_j \qquad s_j = \mathrm{score}(q, k_j) $$

    `keys` (key, 2) are places in the plane. `values` (key, number) are what is blended, drawn as strips; without
    them the keys themselves are. `score` is one of dot, scaled_dot, cosine, bilinear, concat, additive, location, or a
    function; the reader chooses among all. The temperature goes from 0 (the best key takes all) to ∞ (plain mean).

    `parameters` are those of the last four, {"bilinear": {"w": (2, 2)}, "concat": {"w": (h, 4), "v": (h)},
    "additive": {"w_q": (h, 2), "w_k": (h, 2), "v": (h)}, "location": {"w": (at least as many as keys, 2)}}, also as
    `dict(module.named_parameters())`. What is not given is random (see `soft_lookup.untrained`), and the view says so.

    A function is called as the library's own scores are, with PyTorch tensors `score(q, k)`, q (1, 2) and k (key, 2),
    whenever the query moves; it returns one number for each key, as (1, key) or (key). What it prints or raises
    is shown in the view, and the last weights stay. It needs Python; all other scores work in a saved page too.

    The query starts halfway from the mean of the keys to the first key.

    Raises ValueError if shapes and names do not agree, if a number is not finite, or if there is no such score.
    Source: Graves et al. 2014, §3.3.1 (content addressing; their key strength is 1 / T).
    """

    _esm = module("drawing.js", "soft_lookup.js", "soft_lookup_plane.js", "soft_lookup_view.js")
    _css = STYLE_SHEET + (HERE / "soft_lookup_view.css").read_text(encoding="utf-8")
    _carried = (
        *("names", "places", "values", "width", "query", "score", "temperature"),
        *("parameters", "untrained", "has_own", "own_query", "own_scores"),
    )
    _numbers = ("places", "values", "own_scores")
    _frame_title = "a dictionary that returns a blend"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    places = traitlets.Bytes().tag(sync=True)  # 32-bit numbers (key 2)
    values = traitlets.Bytes().tag(sync=True)  # 32-bit numbers (key width); nothing if the keys are blended
    width = traitlets.Int(0).tag(sync=True)
    query = traitlets.List(traitlets.Float(), minlen=2, maxlen=2).tag(sync=True)
    score = traitlets.Enum((*soft_lookup.SCORES, "own"), "scaled_dot").tag(sync=True)
    temperature = traitlets.Float(1.0, min=0).tag(sync=True, to_json=finite_or_none, from_json=infinite_if_none)
    parameters = traitlets.Dict().tag(sync=True)
    untrained = traitlets.List(traitlets.Unicode()).tag(sync=True)  # scores whose parameters were not given
    has_own = traitlets.Bool(False).tag(sync=True)
    own_query = traitlets.List(traitlets.Float()).tag(sync=True)  # where the reader's function was called last
    own_scores = traitlets.Bytes().tag(sync=True)  # 32-bit numbers: what it returned when all was well, or nothing

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
        places = checked("keys", keys, names, 2)
        start = ((places.mean(axis=0) + places[0]) / 2).round(3)
        self._function = score if callable(score) else None
        super().__init__(
            names=list(names),
            places=places.astype("<f4").tobytes(),
            query=(start if query is None else checked("query", [query], ["the query"], 2)[0]).tolist(),
            temperature=float(temperature),
            lang=lang,
            words=words,
            **score_traits(score),
            **value_traits(values, names),
            **parameter_traits(parameters or {}, len(names)),
        )
        self.observe(self._ask, ["query", "score"])
        self._ask()

    def update(self, keys: ArrayLike | None = None, values: ArrayLike | None = None) -> None:
        """Move the keys, or blend other values, in place: the names stay."""
        with self.hold_sync():
            if keys is not None:
                self.places = checked("keys", keys, self.names, 2).astype("<f4").tobytes()
            if values is not None:
                for name, value in value_traits(values, self.names).items():
                    setattr(self, name, value)
            self._ask()

    def scores(self) -> Float[np.ndarray, "key"]:
        """How well each key answers the query now; NaN where the reader's function never gave an answer."""
        if self.score != "own":
            return soft_lookup.scores(
                self.score, np.array(self.query), self._keys(), self.parameters.get(self.score, {})
            )
        return (
            np.frombuffer(self.own_scores, "<f4").astype(float) if self.own_scores else np.full(len(self.names), np.nan)
        )

    def weights(self) -> Float[np.ndarray, "key"]:
        """The weights that are shown now."""
        return soft_lookup.weights(self.scores(), self.temperature)

    def blend(self) -> Float[np.ndarray, "number"]:
        """The value that the look-up returns now: the sum of all values, each times its weight."""
        values = np.frombuffer(self.values, "<f4").reshape(-1, self.width) if self.width else self._keys()
        return self.weights() @ values.astype(float)

    def picture(self) -> Picture:
        values = np.frombuffer(self.values, "<f4").reshape(-1, self.width).astype(float) if self.width else None
        query, words = np.array(self.query), {**WORDS[self.lang], **self.words}
        return still(self._keys(), self.names, query, self.weights(), values, words, self._in_words(words))

    def _in_words(self, words: Mapping[str, str]) -> str:
        """The text alternative: where the query is, and the weights, largest first."""
        weights, blend = self.weights(), ", ".join(short(float(number)) for number in self.blend()[:12])
        place = ", ".join(short(number) for number in self.query)
        temperature = "∞" if math.isinf(self.temperature) else short(self.temperature)
        first = f"{words['soft look-up']}, {words[self.score]}, T = {temperature}, q = ({place}), c = ({blend}):"
        order = np.argsort(-weights, kind="stable")
        return "\n".join([first, *shortened([f"{self.names[j]} {short(float(weights[j]))}" for j in order])])

    def _keys(self) -> Float[np.ndarray, "key 2"]:
        return np.frombuffer(self.places, "<f4").reshape(-1, 2).astype(float)

    def _ask(self, change: object = None) -> None:
        """Call the reader's function where the query is; draw what it returns, or say what is wrong with it."""
        if self.score != "own":
            self.message = {}
            return
        import torch  # only here: other views do without

        def ask() -> Float[np.ndarray, "key"]:
            answer = self._function(torch.tensor([self.query]), torch.tensor(self._keys(), dtype=torch.float32))
            return one_for_each(answer, self.names)

        answer, message = heard(ask)
        with self.hold_sync():
            self.own_query, self.message = self.query, message
            if answer is not None:
                self.own_scores = answer.astype("<f4").tobytes()

    @traitlets.validate("score")
    def _known(self, proposal: dict) -> str:
        if proposal["value"] == "own" and self._function is None:
            raise traitlets.TraitError("score: expected a function when the view was made, got none.")
        return proposal["value"]

    def __repr__(self) -> str:
        values = f" → {self.width} numbers" if self.width else ""
        return f"SoftLookupView({self.score}: {len(self.names)} keys{values})"
