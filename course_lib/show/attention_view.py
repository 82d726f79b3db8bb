"""AttentionView: attention weights, or the softmax of scores, to step through and point at."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import traitlets
from jaxtyping import Float

from course_lib.show.arrays import ArrayLike, as_array, as_flags, check_shape
from course_lib.show.heatmap import heatmaps
from course_lib.show.page import module
from course_lib.show.picture import Picture
from course_lib.show.view import View


class AttentionView(View):
    """A heat map of weights, or of the softmax of scores: (query, key), with axes for head or layer and head in front.

    `gold` (query, key) shows the gold alignment beside it, `beside={"name": weights}` the weights of another model, of
    the same kind and shape; `mask` (True = may attend) hatches masked cells. With scores there is a slider for the
    temperature. `form` is "map", or "lines" between the words; the reader can switch. Everything is computed in the
    browser; no kernel is needed. `words` replaces the names of rows, columns and numbers: {"query": "question"}.

    Raises ValueError if shapes and words do not agree, if both or neither of weights and scores are given, or if
    weights are negative.
    """

    _esm = module("heatmap.js", "lines.js", "attention_view.js")
    _carried = (
        *("kind", "values", "shape", "query_tokens", "key_tokens", "gold", "beside", "beside_name"),
        *("form", "layer", "head", "step", "temperature"),
    )
    _numbers = ("values", "beside")
    _frame_title = "attention, step by step"

    kind = traitlets.Enum(("weights", "scores"), "weights").tag(sync=True)
    values = traitlets.Bytes().tag(sync=True)  # 32-bit numbers (layer head query key); −∞ where masked
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    query_tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    gold = traitlets.Bytes().tag(sync=True)  # one byte for each (query key), or nothing
    beside = traitlets.Bytes().tag(sync=True)  # like values, of another model, or nothing
    beside_name = traitlets.Unicode().tag(sync=True)
    form = traitlets.Enum(("map", "lines"), "map").tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)

    def __init__(
        self,
        weights: ArrayLike | None = None,
        queries: Sequence[str] = (),
        keys: Sequence[str] = (),
        *,
        scores: ArrayLike | None = None,
        gold: ArrayLike | None = None,
        beside: Mapping[str, ArrayLike] | None = None,
        mask: ArrayLike | None = None,
        form: str = "map",
        step: int | None = None,
        lang: str = "en",
        words: Mapping[str, str] | None = None,
    ):
        numbers = checked_numbers(weights, scores, queries, keys)
        super().__init__(
            kind="scores" if weights is None else "weights",
            values=packed(numbers, mask),
            shape=list(numbers.shape),
            query_tokens=list(queries),
            key_tokens=list(keys),
            gold=b"" if gold is None else as_flags("gold", gold, queries, keys).tobytes(),
            **other_model(beside or {}, numbers.shape, mask),
            form=form,
            step=len(queries) - 1 if step is None else step,
            lang=lang,
            words=words,
        )

    def update(
        self,
        weights: ArrayLike | None = None,
        *,
        scores: ArrayLike | None = None,
        beside: ArrayLike | None = None,
        mask: ArrayLike | None = None,
    ) -> None:
        """Draw other numbers for the same words, in place."""
        numbers = checked_numbers(weights, scores, self.query_tokens, self.key_tokens)
        other = other_model({} if beside is None else {self.beside_name: beside}, numbers.shape, mask)
        with self.hold_sync():
            self.kind = "scores" if weights is None else "weights"
            self.shape = list(numbers.shape)
            self.values = packed(numbers, mask)
            self.beside = other["beside"] or self.beside

    def weights(self) -> Float[np.ndarray, "query key"]:
        """The weights that are shown now: of this layer and head, at this temperature; 0 where masked."""
        return self._weights_of(self.values)

    def _weights_of(self, data: bytes) -> Float[np.ndarray, "query key"]:
        chosen = numbers = self._chosen(data)
        if self.kind == "scores":
            numbers = np.where(np.isneginf(chosen).all(-1, keepdims=True), 0.0, chosen / self.temperature)
            powers = np.exp(numbers - numbers.max(-1, keepdims=True))
            numbers = powers / powers.sum(-1, keepdims=True)
        return np.where(np.isneginf(chosen), 0.0, numbers)

    def _chosen(self, data: bytes) -> Float[np.ndarray, "query key"]:
        layers, heads = self.shape[:2]
        index = min(self.layer, layers - 1), min(self.head, heads - 1)
        return np.frombuffer(data, "<f4").reshape(self.shape)[index].astype(float)

    def picture(self) -> Picture:
        gold = as_array(list(self.gold)).reshape(self.shape[2:]) if self.gold else None
        tokens = {"queries": self.query_tokens, "keys": self.key_tokens, "lang": self.lang}
        titles = {"query_title": self.words.get("query"), "key_title": self.words.get("key")}
        maps = {"": self.weights()}
        if self.beside_name:
            maps = {self.all_words["learned"]: self.weights(), self.beside_name: self._weights_of(self.beside)}
        marks = {"gold": gold, "mask": ~np.isneginf(self._chosen(self.values))}
        still = heatmaps(maps, **tokens, **titles, **marks, numbers=False, bar=self.words.get("weight", True))
        return replace(still, sharp=1)  # each view holds it twice

    def __repr__(self) -> str:
        layers, heads, queries, keys = self.shape
        axes = f"{layers} layers × {heads} heads × " if layers * heads > 1 else ""
        extras = f"{', gold' if self.gold else ''}{f', beside {self.beside_name}' if self.beside_name else ''}"
        return f"AttentionView({self.kind}: {axes}{queries} queries × {keys} keys{extras})"


def checked_numbers(
    weights: ArrayLike | None, scores: ArrayLike | None, queries: Sequence[str], keys: Sequence[str]
) -> Float[np.ndarray, "layer head query key"]:
    """The weights or the scores, whichever are given, with axes for layer and head in front."""
    if (weights is None) == (scores is None):
        raise ValueError("AttentionView: expected weights or scores, exactly one of them, got both or neither.")
    name, numbers = ("scores", as_array(scores)) if weights is None else ("weights", as_array(weights))
    check_shape(name, numbers.shape, queries, keys)
    if not 2 <= numbers.ndim <= 4:
        raise ValueError(f"{name}: expected (query, key), with head or layer and head in front, got {numbers.shape}.")
    if weights is not None and (numbers < 0).any():
        raise ValueError("weights: expected numbers of at least 0, got negative ones. Are they scores?")
    return numbers.reshape((1,) * (4 - numbers.ndim) + numbers.shape)


def other_model(
    beside: Mapping[str, ArrayLike], shape: tuple[int, ...], mask: ArrayLike | None
) -> dict[str, str | bytes]:
    """The traits `beside_name` and `beside`: the weights of another model, of the same shape."""
    if len(beside) > 1:
        raise ValueError(f"beside: expected one name with its weights, got {sorted(beside)}.")
    for name, values in beside.items():
        other = as_array(values)
        if (1,) * (4 - other.ndim) + other.shape != shape:
            raise ValueError(f"beside: expected the shape {shape} of the first weights, got {other.shape}.")
        return {"beside_name": name, "beside": packed(other.reshape(shape), mask)}
    return {"beside_name": "", "beside": b""}


def packed(numbers: Float[np.ndarray, "layer head query key"], mask: ArrayLike | None) -> bytes:
    """32-bit numbers as bytes; −∞ where masked, which the softmax turns into 0."""
    allowed = True if mask is None else as_array(mask, bool)
    return np.where(np.broadcast_to(allowed, numbers.shape), numbers, -np.inf).astype("<f4").tobytes()
