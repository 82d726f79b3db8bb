"""Word vectors: the committed file is GloVe, the look-up is exact, and the facts of chapter 0 hold."""

import numpy as np
import pytest

from course_lib.data.words import ANALOGIES, FILE, WordVectors, word_vectors

SMALL = WordVectors(
    ("east", "far east", "north", "west"), np.array([[1, 0], [9, 1], [0, 2], [-3, 0]], dtype=np.float32)
)


@pytest.fixture(scope="module")
def vectors():
    return word_vectors()


def test_the_file_is_glove(vectors):
    """Rejects words shifted against vectors, half precision, a repeated word, and an array that a reader can change."""
    assert vectors.words[:5] == ("the", ",", ".", "of", "to")
    assert vectors["the"][:4] == pytest.approx([0.418, 0.24968, -0.41242, 0.1217], abs=5e-4)
    assert vectors["to"][:4] == pytest.approx([0.68047, -0.039263, 0.30186, -0.17792], abs=5e-4)
    assert vectors.vectors.shape == (10_000, 50)
    assert vectors.vectors.dtype == np.float32
    assert len(vectors) == len(set(vectors.words)) == 10_000
    assert np.linalg.norm(vectors.vectors, axis=1).min() > 1
    assert word_vectors() is vectors
    with pytest.raises(ValueError, match="read-only"):
        vectors["king"][0] = 0


def test_look_up(vectors):
    """Rejects a silent default for an unknown word, and a repr of 10,000 words."""
    assert "king" in vectors
    assert "King" not in vectors
    with pytest.raises(KeyError, match="one of the 10000 words, in lower case, got 'King'"):
        vectors["King"]
    assert repr(vectors) == "WordVectors(10000 words × 50 dimensions: the , . of to …)"


def test_nearest_by_hand():
    """Rejects ranking by dot product (far east first), by distance, and cosines without both lengths."""
    found = SMALL.nearest(np.array([5, 0], dtype=np.float32), k=3)
    assert [word for word, _ in found] == ["east", "far east", "north"]
    assert [cosine for _, cosine in found] == pytest.approx([1, 9 / 82**0.5, 0])
    assert [word for word, _ in SMALL.nearest(SMALL["west"], exclude=["west"])] == ["north", "far east", "east"]
    with pytest.raises(ValueError, match="must not be zero"):
        SMALL.nearest(np.zeros(2, dtype=np.float32))


def test_analogies(vectors):
    """Rejects the claim that the nearest word is queen (king itself is), and a list of right analogies only."""
    nearest = vectors.nearest(vectors["king"] - vectors["man"] + vectors["woman"], k=2)
    assert [word for word, _ in nearest] == ["king", "queen"]
    assert [cosine for _, cosine in nearest] == pytest.approx([0.886, 0.861], abs=1e-3)
    assert len(vectors.nearest(vectors["king"])) == 5
    raw = excluded = 0
    for a, b, c, d in ANALOGIES:
        vector = vectors[b] - vectors[a] + vectors[c]
        raw += vectors.nearest(vector, k=1)[0][0] == d
        excluded += vectors.nearest(vector, k=1, exclude=(a, b, c))[0][0] == d
    assert (raw, excluded, len(ANALOGIES)) == (8, 11, 16)


def test_a_missing_or_damaged_file_raises(tmp_path):
    """Rejects an error from inside zipfile, or without the command that helps."""
    content, path = FILE.read_bytes(), tmp_path / "word_vectors.npz"
    with pytest.raises(FileNotFoundError, match=r"are missing .*scripts\.cut_data words"):
        word_vectors(path)
    for damaged in (content[:-1000], b"", content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"are damaged .*git checkout"):
            word_vectors(path)
