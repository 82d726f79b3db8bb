"""The attention weights of a pretrained Transformer."""

import numpy as np
import pytest

from course_lib.data import pretrained
from course_lib.data.pretrained import SENTENCES, pretrained_attention


@pytest.mark.parametrize("name", SENTENCES)
def test_every_sentence_has_all_heads_of_all_layers(name):
    """Rejects a mean over heads, exchanged axes, too coarse a precision, and an array that a cell could change."""
    found = pretrained_attention(name)
    n = len(found.tokens)
    assert found.weights.shape == (6, 12, n, n)
    assert (found.tokens[0], found.tokens[-1]) == ("[CLS]", "[SEP]")
    assert "".join(found.tokens[1:-1]).replace("##", "") == SENTENCES[name].lower().replace(" ", "")
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, atol=2e-3)
    with pytest.raises(ValueError, match="read-only"):
        found.weights[0] = 0


def test_between_takes_the_query_first():
    """Rejects exchanged tokens: the matrix is not symmetric."""
    found = pretrained_attention("law")
    i, j = found.tokens.index("its"), found.tokens.index("law")
    assert np.array_equal(found.between("its", "law"), found.weights[:, :, i, j])
    assert not np.allclose(found.between("its", "law"), found.between("law", "its"), atol=0.1)
    for query, key in (("its", "perfect!"), ("perfect!", "its")):
        with pytest.raises(ValueError, match=r"must be among the tokens .* got 'perfect!'"):
            found.between(query, key)


def test_a_missing_or_damaged_file_raises(tmp_path):
    with pytest.raises(ValueError, match="name must be one of law, tired, wide, keys, got 'cat'"):
        pretrained_attention("cat")
    with pytest.raises(FileNotFoundError, match="git checkout"):
        pretrained_attention("law", tmp_path / "gone.npz")
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(pretrained.FILE.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"damaged.*git checkout"):
        pretrained_attention("law", damaged)
