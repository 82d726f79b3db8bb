"""Small readers: against PyTorch's own modules, and against the leaks that they are there to show."""

import pytest
import torch
from torch import nn

from course_lib.data.distant_recall import READ, distant_recall, votes
from course_lib.models.readers import (
    PLACES,
    CharLM,
    RecallClassifier,
    VoteClassifier,
    attributions,
    generate,
    lm_loss,
    rank_correlation,
)
from course_lib.training import set_seed

LETTERS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 5, 3, 5]])


def next_letter(mask) -> CharLM:
    """A model in double precision."""
    set_seed(0)
    return CharLM(8, 5, mask, d_model=6).double()


def parts(model):
    """Queries, keys and values, made by hand."""
    x = model.letter.weight[LETTERS] + model.place.weight
    return [x @ project.weight.T for project in (model.w_q, model.w_k, model.w_v)]


def test_with_the_mask_before_the_softmax_it_is_pytorchs_causal_attention():
    """Rejects a missing scale, a mask that is turned."""
    model = next_letter("before")
    expected = nn.functional.scaled_dot_product_attention(*parts(model), is_causal=True)
    torch.testing.assert_close(model(LETTERS).logits, model.told(expected))


def test_the_other_two_are_wrong_as_they_say():
    """Rejects a late mask whose rows are shared out again, and a model without a mask that has one."""
    late, nowhere = next_letter("after"), next_letter("nowhere")
    q, k, _ = parts(late)
    expected = (q @ k.mT / 6**0.5).softmax(dim=-1).tril()
    torch.testing.assert_close(late(LETTERS).weights, expected)
    expected = nn.functional.scaled_dot_product_attention(*parts(nowhere))
    torch.testing.assert_close(nowhere(LETTERS).logits, nowhere.told(expected))


@pytest.mark.parametrize("mask", PLACES)
def test_only_the_mask_before_keeps_the_future_out(mask):
    """Rejects a leak test that everything passes, and a model that leaks where it must not."""
    model, other = next_letter(mask), LETTERS.clone()
    other[:, -1] = 7
    moved = (model(LETTERS).logits - model(other).logits)[:, :-1].abs().max()
    assert (moved == 0) == (mask == "before")


def test_a_continuation_is_the_likeliest_letter_each_time():
    """Rejects a beginning that is changed, and a letter that is taken from another place."""
    model = next_letter("before")
    written = generate(model, LETTERS[:, :3], 2)
    assert torch.equal(written[:, :3], LETTERS[:, :3])
    for n in (3, 4):
        assert torch.equal(written[:, n], model(written[:, :n]).logits[:, -1].argmax(dim=-1))


def test_the_loss_is_of_the_next_letter():
    """Rejects a loss of the letter that stands there."""
    model = next_letter("before")
    logits = model(LETTERS[:, :-1]).logits
    by_hand = [-logits[b, n].log_softmax(0)[LETTERS[b, n + 1]] for b in range(2) for n in range(4)]
    torch.testing.assert_close(lm_loss(model, LETTERS), torch.stack(by_hand).mean())


def test_another_place_of_the_mask_is_refused():
    """Rejects a typing error that trains without a mask."""
    with pytest.raises(ValueError, match="expected one of before, after, nowhere, got late"):
        CharLM(8, 5, "late")


def test_readers_are_of_one_size_and_answer_from_the_last_place():
    """Rejects a comparison of unequal budgets, and an answer from the first state."""
    rows = distant_recall("last", 3, torch.Generator().manual_seed(0))
    sizes = []
    for reader in ("GRU", "LSTM", "self-attention"):
        set_seed(0)
        model = RecallClassifier(reader)
        sizes.append(sum(p.numel() for p in model.parameters()))
        x = model.vectors(rows.letters, rows.numbers, rows.marks)
        states = model.reader.read(x).states if reader == "self-attention" else model.reader(x)[0]
        torch.testing.assert_close(model(rows), model.told(states[:, -1]))
    assert max(sizes) / min(sizes) < 1.05


@pytest.mark.parametrize("n_layers", [1, 2])
def test_reasons_are_gradient_and_ablation_by_hand(n_layers):
    """Rejects an ablation that leaves the word to be looked at, a gradient of another logit, a first layer's weight."""
    set_seed(0)
    model = VoteClassifier(READ + 1, d_model=6, n_layers=n_layers).double()
    ids = votes(4, torch.Generator().manual_seed(0)).ids
    found = attributions(model, ids)
    logits = model(ids)
    for b, (one, said) in enumerate(zip(ids, logits.argmax(dim=-1).tolist(), strict=True)):
        lead = logits[b, said] - logits[b, 1 - said]
        for j in range(1, len(one)):
            without = one.clone()
            without[j] = 0
            left = model(without[None])[0]
            torch.testing.assert_close(found.left_out[b, j], lead - (left[said] - left[1 - said]))
        words = model.encoder.words(one)[None].detach()
        moved = model.told(model.encoder.read(words * (1 + 1e-6)).states[:, 0])[0]
        slope = ((moved[said] - moved[1 - said]) - lead) / 1e-6
        torch.testing.assert_close(found.times_input[b].sum(), slope, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(found.weight, model.encoder(ids).weights[:, -1, 0, 0])
    assert (found.gradient >= 0).all()
    assert (found.left_out[:, 0] == 0).all()


def test_ranks_of_known_orders():
    """Rejects a correlation of the numbers themselves, and ranks that are only argsorts."""
    a = torch.tensor([[0.1, 5.0, 2.0, 3.0], [0.1, 5.0, 2.0, 3.0], [30.0, 10.0, 20.0, 0.0]])
    b = torch.tensor([[1.0, 900.0, 2.0, 3.0], [3.0, 0.0, 2.0, 1.0], [2.0, 0.0, 3.0, 1.0]])
    torch.testing.assert_close(rank_correlation(a, b), torch.tensor([1.0, -1.0, 0.6]))
