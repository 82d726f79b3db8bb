"""The three encoders of the recall classifier."""

import torch

from course_lib.data.distant_recall import DistantRecall, distant_recall
from course_lib.models.recall_classifier import RecallClassifier


def test_encoders_have_equal_sizes_and_the_answer_comes_from_the_last_position():
    """Rejects a comparison of unequal budgets, an answer from another state or row, and a missing embedding."""
    rows = distant_recall("last", 3, torch.Generator().manual_seed(0))
    sizes = []
    for encoder in ("GRU", "LSTM", "self-attention"):
        torch.manual_seed(0)
        model = RecallClassifier(encoder)
        sizes.append(sum(p.numel() for p in model.parameters()))
        x = model.letter.weight[rows.letters] + model.number.weight[rows.numbers] + model.mark.weight[rows.marks]
        states = model.encoder.read(x).states if encoder == "self-attention" else model.encoder(x)[0]
        torch.testing.assert_close(model(rows), model.readout(states[:, -1]))
        alone = model(DistantRecall(*(part[2:] for part in rows)))
        torch.testing.assert_close(model(rows)[2:], alone)
    assert max(sizes) / min(sizes) < 1.05
