"""The attention weights of a pretrained Transformer, all heads of all layers, for some sentences.

The model is all-MiniLM-L6-v2: six layers of twelve heads (`models.minilm`). The file beside this one is made by
`scripts/cut_data.py`; half precision moves a weight by less than .0003.
"""

import hashlib
import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Float

FILE = Path(__file__).with_name("pretrained_attention.npz")
SHA256 = "8c7c1a38c2d0561670ce8e3b27c45657606ddff6023cff8e338f7ce8e4de47c8"
CURE = "restore it with `git checkout -- course_lib/data`, or make it with `python -m scripts.cut_data attention`"
SENTENCES = {
    "law": "The Law will never be perfect, but its application should be just - "
    "this is what we are missing, in my opinion.",
    "tired": "The animal didn't cross the street because it was too tired.",
    "wide": "The animal didn't cross the street because it was too wide.",
    "keys": "The keys that the guard left in the car are old.",
}


@dataclass(frozen=True, repr=False, eq=False)
class PretrainedAttention:
    """The tokens of a sentence (rare words in pieces, between [CLS] and [SEP]), and the weights."""

    tokens: tuple[str, ...]
    weights: Float[np.ndarray, "layer head query key"]

    def between(self, query: str, key: str) -> Float[np.ndarray, "layer head"]:
        """The weight from one token to another in each head (of equal tokens the first). Raises: ValueError."""
        missing = [token for token in (query, key) if token not in self.tokens]
        if missing:
            raise ValueError(f"query and key must be among the tokens {' '.join(self.tokens)}, got {missing[0]!r}")
        return self.weights[:, :, self.tokens.index(query), self.tokens.index(key)]

    def __repr__(self) -> str:
        layers, heads = self.weights.shape[:2]
        return f"PretrainedAttention({layers} layers × {heads} heads: {' '.join(self.tokens)})"


@lru_cache
def pretrained_attention(name: str, path: Path = FILE) -> PretrainedAttention:
    """The weights for one of SENTENCES, in float32, as a shared read-only array.

    Raises: ValueError for another name, or if the SHA-256 of the file differs; FileNotFoundError if it is missing.
    """
    if name not in SENTENCES:
        raise ValueError(f"name must be one of {', '.join(SENTENCES)}, got {name!r}")
    if not path.is_file():
        raise FileNotFoundError(f"the pretrained attention is missing ({path}): {CURE}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError(f"the pretrained attention is damaged ({path}, {len(content)} bytes): {CURE}")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        weights = file[name].astype(np.float32)
        tokens = tuple(file[f"{name} tokens"].tobytes().decode().split("\n"))
    weights.setflags(write=False)
    return PretrainedAttention(tokens, weights)
