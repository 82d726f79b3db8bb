"""The Transformer encoder against torch's with copied weights, and the properties of its masks and gates."""

import pytest
import torch
from torch import nn

from course_lib.models.self_attention import Block, SelfAttentionEncoder

D_MODEL, N_HEADS, D_INNER = 12, 3, 20
IDS = torch.tensor([[3, 4, 5, 6, 7], [8, 3, 9, 0, 0]])


def build(seed=0, **options):
    """An encoder with random weights, also where torch begins with zeros."""
    torch.manual_seed(seed)
    encoder = SelfAttentionEncoder(10, D_MODEL, N_HEADS, n_layers=2, max_length=8, d_inner=D_INNER, **options)
    for name, parameter in encoder.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter)
    return encoder.double().eval()


def as_torchs(block):
    """torch's block with the same weights."""
    theirs = nn.TransformerEncoderLayer(D_MODEL, N_HEADS, D_INNER, 0.0, "gelu", batch_first=True).double().eval()
    made = [block.attend.w_q, block.attend.w_k, block.attend.w_v]
    theirs.self_attn.in_proj_weight.data = torch.cat([each.weight.data for each in made])
    theirs.self_attn.in_proj_bias.data = torch.cat([each.bias.data for each in made])
    pairs = [(theirs.self_attn.out_proj, block.attend.w_o), (theirs.linear1, block.inner)]
    pairs += [(theirs.linear2, block.outer), (theirs.norm1, block.norm_attended), (theirs.norm2, block.norm)]
    for there, here in pairs:
        there.load_state_dict(here.state_dict())
    return theirs


def test_a_block_equals_torchs():
    """Rejects relu, a norm before the sum, a residual that is left out."""
    block, x = build().blocks[0], torch.randn(2, 5, D_MODEL, dtype=torch.float64)
    torch.testing.assert_close(block(x).context, as_torchs(block)(x))


@pytest.mark.parametrize("causal", [False, True])
def test_the_encoder_equals_torchs_with_padding(causal):
    """All layers, both masks. Rejects a mask for one layer only, and position embeddings added again in each."""
    encoder = build(causal=causal)
    x = encoder.norm(encoder.words(IDS) + encoder.positions.weight[:5])
    later = ~torch.ones(5, 5, dtype=torch.bool).tril() if causal else None
    for block in encoder.blocks:
        x = as_torchs(block)(x, src_mask=later, src_key_padding_mask=IDS == 0)
    is_word = IDS != 0
    torch.testing.assert_close(encoder(IDS).states[is_word], x[is_word])


def test_padding_changes_nothing():
    """Rejects words that attend to padding."""
    encoder = build()
    together, alone = encoder(IDS), encoder(IDS[1:, :3])
    torch.testing.assert_close(together.states[1, :3], alone.states[0])
    assert together.weights[1, ..., 3:].abs().max() == 0


def test_a_causal_token_does_not_depend_on_later_ones():
    """Through all layers. Rejects a mask that is off by one, and one for the first layer alone."""
    changed = IDS.clone()
    changed[0, 3] = 9
    for causal, first in ((True, 3), (False, 0)):
        encoder = build(causal=causal)
        moved = (encoder(IDS).states - encoder(changed).states)[0].abs().amax(dim=-1) > 1e-9
        assert moved.tolist() == [position >= first for position in range(5)]


def test_without_position_embeddings_order_does_not_count():
    """Rejects positions that enter elsewhere."""
    order = torch.tensor([2, 0, 4, 1, 3])
    for positions in (False, True):
        encoder = build(positions=positions)
        same = torch.allclose(encoder(IDS[:1]).states[:, order], encoder(IDS[:1, order]).states)
        assert same == (not positions)


def test_gates_prune_single_heads():
    """Rejects gates of another layer, and ones that change the weights of the layer they stand in."""
    encoder, gates = build(), torch.ones(2, N_HEADS, dtype=torch.float64)
    gates[0, 1] = 0
    whole, pruned = encoder(IDS), encoder(IDS, gates)
    assert torch.equal(whole.weights[:, 0], pruned.weights[:, 0])
    assert not torch.allclose(whole.weights[:, 1], pruned.weights[:, 1])


def test_too_long_a_sentence_raises():
    build()(torch.ones(1, 8, dtype=torch.long))
    with pytest.raises(ValueError, match="max_length: expected at most 8 tokens, got 9"):
        build()(torch.ones(1, 9, dtype=torch.long))


def test_tied_projections_reach_the_heads_and_the_inner_size_is_four_times_d_model():
    (default,) = SelfAttentionEncoder(10, D_MODEL, N_HEADS).blocks
    assert default.inner.weight.shape == (4 * D_MODEL, D_MODEL)
    block = Block(D_MODEL, N_HEADS, D_INNER, tied="qk")
    assert block.attend.w_q is block.attend.w_k
