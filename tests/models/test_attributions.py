"""Attributions of one sentence at a time, by their definitions."""

import pytest
import torch

from course_lib.data.votes import CLS, votes
from course_lib.models.attributions import VoteClassifier, attributions


@pytest.mark.parametrize("n_layers", [1, 2])
def test_gradient_and_ablation_by_hand(n_layers):
    """Rejects an ablation that leaves the word visible, a gradient of another logit, a first layer's weight."""
    torch.manual_seed(0)
    model = VoteClassifier(CLS + 1, d_model=6, n_layers=n_layers).double()
    ids = votes(4, torch.Generator().manual_seed(0)).ids
    found = attributions(model, ids)
    logits = model(ids)

    def margin(logits, label):
        return logits[label] - logits[1 - label]

    for b, (one, label) in enumerate(zip(ids, logits.argmax(dim=-1).tolist(), strict=True)):
        whole = margin(logits[b], label)
        for j in range(1, len(one)):
            without = one.clone()
            without[j] = 0
            torch.testing.assert_close(found.ablated[b, j], whole - margin(model(without[None])[0], label))
        words = model.encoder.words(one)[None].detach().requires_grad_()
        output = margin(model.readout(model.encoder.read(words).states[:, 0])[0], label)
        (gradient,) = torch.autograd.grad(output, words)
        torch.testing.assert_close(found.gradient[b], gradient[0].square().sum(dim=-1).sqrt())
        torch.testing.assert_close(found.times_input[b], (gradient * words)[0].sum(dim=-1).detach())
    torch.testing.assert_close(found.weight, model.encoder(ids).weights[:, -1, 0, 0])
    assert (found.ablated[:, 0] == 0).all()
