"""The pretrained model in the course's own words, against the library it was published for."""

import os

import pytest
import torch
from torch import nn

from course_lib.data.pretrained import SENTENCES, pretrained_attention
from course_lib.models import minilm


@pytest.fixture(scope="module")
def model():
    """The model with its weights, where they are installed; REQUIRE_PRETRAINED=1 asks for them."""
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


def test_a_layer_equals_torchs():
    """With random weights, so that it also runs where none are installed. Rejects relu, and pre-norm."""
    torch.manual_seed(0)
    ours = minilm.Layer()
    sizes = (minilm.D_MODEL, minilm.N_HEADS, minilm.D_INNER)
    theirs = nn.TransformerEncoderLayer(*sizes, 0.0, "gelu", 1e-12, batch_first=True)
    made = [ours.attend.w_q, ours.attend.w_k, ours.attend.w_v]
    theirs.self_attn.in_proj_weight.data = torch.cat([each.weight.data for each in made])
    theirs.self_attn.in_proj_bias.data = torch.cat([each.bias.data for each in made])
    pairs = [(theirs.self_attn.out_proj, ours.attend.w_o), (theirs.linear1, ours.inner), (theirs.linear2, ours.outer)]
    pairs += [(theirs.norm1, ours.norm_attended), (theirs.norm2, ours.norm)]
    for there, here in pairs:
        nn.init.normal_(here.bias)
        there.load_state_dict(here.state_dict())
    x = torch.randn(2, 5, minilm.D_MODEL)
    torch.testing.assert_close(ours(x)[0], theirs(x), rtol=1e-4, atol=1e-5)


def test_gates_prune_single_heads():
    """Rejects gates of another layer, and ones that change the weights of the layer they stand in."""
    torch.manual_seed(0)
    model, ids = minilm.MiniLM(), torch.tensor([[101, 1996, 2375, 102]])
    gates = torch.ones(minilm.N_LAYERS, minilm.N_HEADS)
    gates[2, 7] = 0
    with torch.no_grad():
        whole, pruned = model(ids), model(ids, gates)
    assert torch.equal(whole.weights[:, :3], pruned.weights[:, :3])
    assert not torch.allclose(whole.weights[:, 3], pruned.weights[:, 3], atol=1e-6)


def test_where_it_is_missing_the_mend_is_said(monkeypatch):
    """Rejects an import error about a package that nobody knows."""
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    for call in (minilm.load, lambda: minilm.tokenize("a")):
        with pytest.raises(ModuleNotFoundError, match="make pretrained"):
            call()


def test_other_weights_are_refused(monkeypatch, tmp_path):
    """Rejects weights that are not those of the committed arrays."""
    (tmp_path / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(minilm, "_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match="not those that belong here"):
        minilm.load()
