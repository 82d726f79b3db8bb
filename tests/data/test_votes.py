"""Votes: each sentence counted by hand."""

import torch

from course_lib.data.votes import CLS, vote_batches, votes


def test_votes_are_counted():
    """Rejects a draw, a sentence without its first token, a word on the wrong side."""
    some = votes(200, torch.Generator().manual_seed(0))
    assert some.ids.shape == (200, 11)
    for ids, vote, answer in zip(*(part.tolist() for part in some), strict=True):
        assert ids[0] == CLS == 41
        assert vote == [1 if 1 <= i <= 10 else -1 if 11 <= i <= 20 else 0 for i in ids]
        assert sum(vote) != 0
        assert answer == (sum(vote) > 0)
    assert set(some.ids[:, 1:].flatten().tolist()) == set(range(1, 41))


def test_batches_are_the_same_for_the_same_seed_and_never_end():
    """Rejects batches from the global random numbers, and the same batch again and again."""
    one, same, other = (vote_batches(seed) for seed in (0, 0, 1))
    first = next(one).ids
    assert len(first) == 64
    assert torch.equal(first, next(same).ids)
    assert not torch.equal(first, next(one).ids)
    assert not torch.equal(first, next(other).ids)
