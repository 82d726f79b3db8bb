"""The pretrained model in the course's modules, against the library it was published for."""

import os

import pytest
import torch

from course_lib.data.pretrained import SENTENCES, pretrained_attention
from course_lib.models import minilm


@pytest.fixture(scope="module")
def model():
    """The model with its weights, if installed; REQUIRE_PRETRAINED=1 makes a missing one fail."""
    if not minilm.is_installed() and os.environ.get("REQUIRE_PRETRAINED") != "1":
        pytest.skip("the pretrained model is not installed (make pretrained)")
    return minilm.load()


@pytest.mark.parametrize("name", SENTENCES)
def test_all_heads_equal_those_of_another_library(model, name):
    """The committed weights come from transformers. Rejects exchanged matrices, another order of norms, lost heads."""
    tokens, ids = minilm.tokenize(SENTENCES[name])
    expected = pretrained_attention(name)
    assert tokens == expected.tokens
    with torch.no_grad():
        found = model(ids).weights[0]
    assert (found - torch.from_numpy(expected.weights.copy())).abs().max() < 6e-4  # half precision


def test_missing_weights_name_the_command(monkeypatch):
    """Rejects an import error about an internal package."""
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    for call in (minilm.load, lambda: minilm.tokenize("a")):
        with pytest.raises(ModuleNotFoundError, match="make pretrained"):
            call()


def test_other_weights_raise(monkeypatch, tmp_path):
    """Rejects weights that are not those of the committed arrays."""
    (tmp_path / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(minilm, "_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match="differ from the published file"):
        minilm.load()
