"""Word vectors: GloVe's 10,000 most frequent English words, 50 dimensions.

Trained on six billion words of Wikipedia and news, public domain (PDDL, see NOTICE.md). The file beside this one is cut
by `scripts/cut_data.py`; half precision moves a cosine by less than .001.
"""

import hashlib
import io
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

FILE = Path(__file__).with_name("word_vectors.npz")
SHA256 = "9ddc7737d4adf14362c632fd3d680e1093a6ace443c1c5d97426fb12eb1b3373"

# a is to b as c is to d
ANALOGIES = (
    ("man", "king", "woman", "queen"),
    ("man", "actor", "woman", "actress"),
    ("father", "son", "mother", "daughter"),
    ("brother", "sister", "uncle", "aunt"),
    ("boy", "girl", "brother", "sister"),
    ("france", "paris", "germany", "berlin"),
    ("japan", "tokyo", "china", "beijing"),
    ("germany", "german", "france", "french"),
    ("england", "english", "china", "chinese"),
    ("london", "england", "madrid", "spain"),
    ("good", "better", "bad", "worse"),
    ("big", "bigger", "small", "smaller"),
    ("big", "biggest", "small", "smallest"),
    ("walk", "walked", "play", "played"),
    ("car", "cars", "child", "children"),
    ("quick", "quickly", "slow", "slowly"),
)


@dataclass(frozen=True, repr=False, eq=False)
class WordVectors:
    """Words by falling frequency, with a vector each: `vectors["king"]`, `"king" in vectors`, `vectors.nearest(…)`."""

    words: tuple[str, ...]
    vectors: Float[np.ndarray, "word dim"]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _directions(self) -> Float[np.ndarray, "word dim"]:
        return self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)

    def __getitem__(self, word: str) -> Float[np.ndarray, "dim"]:
        if word not in self._rows:
            raise KeyError(f"word must be one of the {len(self)} words, in lower case, got {word!r}")
        return self.vectors[self._rows[word]]

    def nearest(
        self, vector: Float[np.ndarray, "dim"], k: int = 5, exclude: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        r"""The k words whose vectors have the largest cosine with this one, with their cosines, the nearest first.

        $$ \cos(u, v) = \frac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert} $$

        Words in `exclude` are skipped: analogies are usually scored without the three given words.
        Raises: ValueError for a vector of zeros, which has no direction.
        """
        length = np.linalg.norm(vector)
        if length == 0:
            raise ValueError("vector must not be zero: its cosine is undefined")
        cosines = self._directions @ (vector / length)
        by_cosine = (int(row) for row in np.argsort(-cosines, kind="stable"))
        kept = [row for row in by_cosine if self.words[row] not in exclude]
        return [(self.words[row], float(cosines[row])) for row in kept[:k]]

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"WordVectors({len(self)} words × {self.vectors.shape[1]} dimensions: {' '.join(self.words[:5])} …)"


@lru_cache
def word_vectors(path: Path = FILE) -> WordVectors:
    """The word vectors, in float32, as a shared read-only array.

    Raises: FileNotFoundError if the file is missing, ValueError if its SHA-256 differs.
    """
    cure = "get it back with `git checkout -- course_lib/data`, or cut it again with `python -m scripts.cut_data words`"
    if not path.is_file():
        raise FileNotFoundError(f"the word vectors are missing ({path}): {cure}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError(f"the word vectors are damaged ({path}, {len(content)} bytes): {cure}")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        words = tuple(file["words"].tobytes().decode().split("\n"))
        vectors = file["vectors"].astype(np.float32)
    vectors.setflags(write=False)
    return WordVectors(words, vectors)
