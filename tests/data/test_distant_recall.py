"""Rows of cards with a question, and words that vote: against loops that can be believed by reading."""

import pytest
import torch

from course_lib.data.distant_recall import (
    ASKED,
    CARDS,
    READ,
    distant_recall,
    distant_recall_batches,
    vote_batches,
    votes,
)


@pytest.mark.parametrize("asked", ASKED)
def test_the_answer_is_the_number_of_the_card_asked_for(asked):
    """Rejects the answer of another card, a distance that is one off, a question that gives the number away."""
    rows = distant_recall(asked, 50, torch.Generator().manual_seed(0))
    for letters, numbers, marks, distance, answer in zip(*(part.tolist() for part in rows), strict=True):
        assert len(letters) == len(numbers) == len(marks) == CARDS + 1
        assert sorted(letters[:-1]) == list(range(1, CARDS + 1))
        place = letters.index(letters[-1]) if asked == "last" else marks.index(1)
        assert distance == CARDS - place
        assert answer == numbers[place] - 1
        assert (numbers[-1], marks[-1]) == (0, 1)
        assert sum(marks) == (1 if asked == "last" else 2)
    assert set(rows.distance.tolist()) <= set(range(1, CARDS + 1))


def test_another_way_to_ask_is_refused():
    """Rejects a typing error that passes for one of the two tasks."""
    with pytest.raises(ValueError, match="expected one of last, at the card, got first"):
        distant_recall("first", 1)


def test_votes_are_counted():
    """Rejects a draw, a sentence without its first token, a word on the wrong side."""
    some = votes(200, torch.Generator().manual_seed(0))
    assert some.ids.shape == (200, 11)
    for ids, vote, answer in zip(*(part.tolist() for part in some), strict=True):
        assert ids[0] == READ
        assert vote == [1 if 1 <= i <= 10 else -1 if 11 <= i <= 20 else 0 for i in ids]
        assert sum(vote) != 0
        assert answer == (sum(vote) > 0)


def test_batches_are_the_same_for_the_same_seed_and_go_on():
    """Rejects a supply that repeats its first batch, or depends on the global generator."""
    for supply in (lambda seed: distant_recall_batches("last", seed, 4), lambda seed: vote_batches(seed, 4)):
        one, again, other = supply(0), supply(0), supply(1)
        first = next(one)[0]
        assert torch.equal(first, next(again)[0])
        assert not torch.equal(first, next(one)[0])
        assert not torch.equal(first, next(other)[0])
