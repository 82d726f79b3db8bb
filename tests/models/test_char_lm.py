"""The character model against PyTorch's attention, and against the leaks that it is there to show."""

import pytest
import torch
from torch import nn

from course_lib.models.char_lm import MASKED_ATTENTION, CharLM, generate, lm_loss

LETTERS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 5, 3, 5]])


def build(mask="before") -> CharLM:
    torch.manual_seed(0)
    return CharLM(8, 5, mask, d_model=6).double()


def projected(model):
    """Queries, keys and values by the formulas."""
    x = model.letter.weight[LETTERS] + model.position.weight
    return [x @ w.weight.T for w in (model.w_q, model.w_k, model.w_v)]


@pytest.mark.parametrize(("mask", "is_causal"), [("before", True), ("nowhere", False)])
def test_with_the_mask_before_the_softmax_or_without_it_is_pytorchs(mask, is_causal):
    """Rejects a missing scale, and a mask that is transposed, forgotten or added."""
    model = build(mask)
    expected = nn.functional.scaled_dot_product_attention(*projected(model), is_causal=is_causal)
    torch.testing.assert_close(model(LETTERS).logits, model.readout(expected))


def test_the_mask_after_the_softmax_leaves_rows_below_one():
    """Rejects rows that are normalised again."""
    model = build("after")
    q, k, v = projected(model)
    expected = (q @ k.mT / 6**0.5).softmax(dim=-1).tril()
    torch.testing.assert_close(model(LETTERS).weights, expected)
    torch.testing.assert_close(model(LETTERS).logits, model.readout(expected @ v))


@pytest.mark.parametrize("mask", MASKED_ATTENTION)
def test_only_the_mask_before_keeps_the_future_out(mask):
    """Rejects a model that leaks where it must not, or does not where it should. "before" is the default."""
    model, other = build(mask), LETTERS.clone()
    other[:, -1] = 7
    change = (model(LETTERS).logits - model(other).logits)[:, :-1].abs().max()
    assert (change == 0) == (mask == CharLM(8, 5).mask)


def test_generation_appends_the_argmax_each_time():
    """Rejects a changed beginning, and a letter from another position."""
    model = build()
    written = generate(model, LETTERS[:, :3], 2)
    assert torch.equal(written[:, :3], LETTERS[:, :3])
    for n in (3, 4):
        assert torch.equal(written[:, n], model(written[:, :n]).logits[:, -1].argmax(dim=-1))


def test_the_loss_is_of_the_next_letter():
    """Rejects a loss of the current letter."""
    model = build()
    logits = model(LETTERS[:, :-1]).logits
    by_hand = [-logits[b, n].log_softmax(0)[LETTERS[b, n + 1]] for b in range(2) for n in range(4)]
    torch.testing.assert_close(lm_loss(model, LETTERS), torch.stack(by_hand).mean())


def test_another_mask_raises():
    """Rejects a typing error that trains without a mask."""
    with pytest.raises(ValueError, match="mask must be one of before, after, nowhere, got 'late'"):
        CharLM(8, 5, "late")
