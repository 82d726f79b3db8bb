"""Distant recall: the answer and its distance against a loop over rows."""

import pytest
import torch

from course_lib.data.distant_recall import ASKED, CARDS, distant_recall, distant_recall_batches


@pytest.mark.parametrize("asked", ASKED)
def test_the_answer_is_the_number_of_the_card_asked_for(asked):
    """Rejects another card's answer, a distance that is one off, a question that gives the number away."""
    rows = distant_recall(asked, 200, torch.Generator().manual_seed(0))
    for letters, numbers, marks, distance, answer in zip(*(part.tolist() for part in rows), strict=True):
        assert len(letters) == len(numbers) == len(marks) == CARDS + 1 == 17
        assert sorted(letters[:-1]) == list(range(1, CARDS + 1))
        position = letters.index(letters[-1]) if asked == "last" else marks.index(1)
        assert distance == CARDS - position
        assert answer == numbers[position] - 1
        assert (numbers[-1], marks[-1]) == (0, 1)
        assert sum(marks) == (1 if asked == "last" else 2)
        assert asked == "last" or letters[-1] == 0
    assert set(rows.distance.tolist()) == set(range(1, CARDS + 1))
    assert set(rows.answer.tolist()) == set(range(CARDS))


def test_another_question_raises():
    """Rejects a typing error that is taken for one of the two tasks."""
    with pytest.raises(ValueError, match="asked must be one of last, at the card, got 'first'"):
        distant_recall("first", 1)


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and the same batch again and again."""
    one, same, other = (distant_recall_batches("last", seed) for seed in (0, 0, 1))
    first = next(one).letters
    assert len(first) == 64
    assert torch.equal(first, next(same).letters)
    assert not torch.equal(first, next(one).letters)
    assert not torch.equal(first, next(other).letters)
