"""The attention of a real model that travels with the course."""

import numpy as np
import pytest

from course_lib.data import pretrained
from course_lib.data.pretrained import SENTENCES, pretrained_attention


@pytest.mark.parametrize("name", SENTENCES)
def test_every_sentence_has_all_heads_of_all_layers(name):
    """Rejects a mean over heads, an axis in the wrong place, and numbers too coarse to be weights."""
    found = pretrained_attention(name)
    n = len(found.tokens)
    assert found.weights.shape == (6, 12, n, n)
    assert (found.tokens[0], found.tokens[-1]) == ("[CLS]", "[SEP]")
    words = "".join(found.tokens[1:-1]).replace("##", "")
    assert words == SENTENCES[name].lower().replace(" ", "")
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, atol=2e-3)


def test_how_much_one_token_looks_at_another():
    """The query comes first, then the key. Rejects exchanged ones: the matrix is not symmetric."""
    found = pretrained_attention("law")
    i, j = found.tokens.index("its"), found.tokens.index("law")
    assert np.array_equal(found.between("its", "law"), found.weights[:, :, i, j])
    assert not np.allclose(found.between("its", "law"), found.between("law", "its"), atol=0.1)
    with pytest.raises(ValueError, match="'perfect!' is not among"):
        found.between("its", "perfect!")


def test_it_cannot_be_changed():
    """Rejects an array that one chapter's cell could spoil for the next."""
    with pytest.raises(ValueError, match="read-only"):
        pretrained_attention("tired").weights[0] = 0


def test_what_is_missing_or_damaged_is_said(tmp_path):
    """Rejects another file in silence."""
    with pytest.raises(ValueError, match="expected one of law, tired, wide, keys, got 'cat'"):
        pretrained_attention("cat")
    with pytest.raises(FileNotFoundError, match="git checkout"):
        pretrained_attention("law", tmp_path / "gone.npz")
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(pretrained.FILE.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"damaged.*git checkout"):
        pretrained_attention("law", damaged)
