"""Word vectors: the committed file is GloVe, the look-up is exact, and the facts that a chapter teaches hold."""

import numpy as np
import pytest

from course_lib.data.words import ANALOGIES, FILE, WordVectors, word_vectors

SMALL = WordVectors(
    ("east", "far east", "north", "west"), np.array([[1, 0], [9, 1], [0, 2], [-3, 0]], dtype=np.float32)
)


@pytest.fixture(scope="module")
def vectors():
    return word_vectors()


def test_the_first_numbers_are_glove(vectors):
    """Rejects words shifted against vectors, and another model: these numbers begin GloVe's own text file."""
    assert vectors.words[:5] == ("the", ",", ".", "of", "to")
    assert vectors["the"][:4] == pytest.approx([0.418, 0.24968, -0.41242, 0.1217], abs=5e-4)
    assert vectors["to"][:4] == pytest.approx([0.68047, -0.039263, 0.30186, -0.17792], abs=5e-4)


def test_shape_and_type(vectors):
    """Rejects half precision in computations, a word without a vector, a repeated word, and a vector of zeros."""
    assert vectors.vectors.shape == (10_000, 50)
    assert vectors.vectors.dtype == np.float32
    assert len(vectors) == len(set(vectors.words)) == 10_000
    assert np.linalg.norm(vectors.vectors, axis=1).min() > 1
    assert vectors["king"].shape == (50,)


def test_nobody_can_change_what_everybody_shares(vectors):
    """Rejects a cache through which one reader's experiment changes the next reader's vectors."""
    assert word_vectors() is vectors
    with pytest.raises(ValueError, match="read-only"):
        vectors["king"][0] = 0


def test_look_up(vectors):
    """Rejects a silent default for a word that is not there, and a representation of 10,000 words."""
    assert "king" in vectors
    assert "King" not in vectors
    with pytest.raises(KeyError, match="'King' is not among the 10000 words"):
        vectors["King"]
    assert repr(vectors) == "WordVectors(10000 words × 50 numbers: the , . of to …)"


def test_nearest_by_hand():
    """Rejects ranking by dot product (far east first), by distance, and cosines without both lengths."""
    found = SMALL.nearest(np.array([5, 0], dtype=np.float32), k=3)
    assert [word for word, _ in found] == ["east", "far east", "north"]
    assert [cosine for _, cosine in found] == pytest.approx([1, 9 / 82**0.5, 0])
    assert [word for word, _ in SMALL.nearest(SMALL["west"], exclude=["west"])] == ["north", "far east", "east"]
    with pytest.raises(ValueError, match="points nowhere"):
        SMALL.nearest(np.zeros(2, dtype=np.float32))


def test_king_minus_man_plus_woman(vectors):
    """Rejects the tale that the nearest word is queen: it is king itself, queen comes next."""
    nearest = vectors.nearest(vectors["king"] - vectors["man"] + vectors["woman"], k=2)
    assert [word for word, _ in nearest] == ["king", "queen"]
    assert [cosine for _, cosine in nearest] == pytest.approx([0.886, 0.861], abs=1e-3)


def test_analogies(vectors):
    """Rejects scoring that forgets to exclude the question's words, and a list picked so that all comes out right."""
    raw = excluded = 0
    for a, b, c, d in ANALOGIES:
        vector = vectors[b] - vectors[a] + vectors[c]
        raw += vectors.nearest(vector, k=1)[0][0] == d
        excluded += vectors.nearest(vector, k=1, exclude=(a, b, c))[0][0] == d
    assert (raw, excluded, len(ANALOGIES)) == (8, 11, 16)


@pytest.mark.parametrize("change", ["cut off", "empty", "one byte", "something else"])
def test_damaged_file(tmp_path, change):
    """Rejects reading what is not the committed file, and an error from inside zipfile."""
    content = FILE.read_bytes()
    damaged = {
        "cut off": content[:-1000],
        "empty": b"",
        "one byte": content[:5000] + bytes([content[5000] ^ 1]) + content[5001:],
        "something else": b"version https://git-lfs.github.com/spec/v1",
    }
    path = tmp_path / "word_vectors.npz"
    path.write_bytes(damaged[change])
    with pytest.raises(ValueError, match=r"are damaged .*git checkout"):
        word_vectors(path)


def test_missing_file(tmp_path):
    """Rejects an error that does not say how to get the file."""
    with pytest.raises(FileNotFoundError, match=r"are missing .*scripts\.cut_data words"):
        word_vectors(tmp_path / "word_vectors.npz")
