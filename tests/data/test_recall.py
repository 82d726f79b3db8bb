"""The recall tasks, lookup and votes: each row against a loop over it."""

import pytest
import torch

from course_lib.data.associative_recall import (
    CARDS,
    RELATIONS,
    SYMBOLS,
    VALUES,
    associative_recall,
    associative_recall_batches,
)
from course_lib.data.distant_recall import ASKED, distant_recall, distant_recall_batches
from course_lib.data.distant_recall import CARDS as DISTANT_CARDS
from course_lib.data.lookup import ITEMS, lookup_batches, lookups
from course_lib.data.lookup import VALUES as LOOKUP_VALUES
from course_lib.data.multi_recall import ALL_RELATIONS, multi_recall, multi_recall_batches
from course_lib.data.votes import CLS, vote_batches, votes


def partner_by_hand(relation, symbols, i):
    if relation == "before":
        return max(i - 1, 0)
    if relation == "next":
        return symbols.index((symbols[i] + 1) % SYMBOLS)
    if relation == "match":
        (match,) = (j for j in range(len(symbols)) if j != i and symbols[j] == symbols[i])
        return match
    return (i + {"left": 7, "right": 1, "opposite": 4}[relation]) % 8


def drawn(task, *arguments):
    return task(*arguments, torch.Generator().manual_seed(0))


def rows_of(batch):
    return zip(*(part.tolist() for part in batch), strict=True)


@pytest.mark.parametrize("relation", RELATIONS)
def test_partners_and_answers_are_those_of_the_relation(relation):
    """Rejects a shifted partner, a card that matches itself, a circle that does not close, another card's answer."""
    rows = drawn(associative_recall, relation, 50)
    assert rows.symbols.shape == rows.values.shape == (50, CARDS) == (50, 8)
    assert set(rows.values.flatten().tolist()) == set(range(VALUES))
    for symbols, values, partner, answer in rows_of(rows):
        assert partner == [partner_by_hand(relation, symbols, i) for i in range(CARDS)]
        assert answer == [values[j] for j in partner]


def test_rows_differ_and_values_are_independent():
    """Rejects one order for all rows, and values that depend on the symbol or the position."""
    rows = drawn(associative_recall, "match", 4000)
    for known in (rows.symbols, torch.arange(CARDS).expand(4000, -1)):
        means = torch.stack([rows.values[known == kind].double().mean() for kind in range(8)])
        assert (means - (VALUES - 1) / 2).abs().max() < 0.4  # the standard error is below .08
    assert len({tuple(row) for row in rows.symbols.tolist()}) > 1500  # of 8 · 7 · 6 · 5 / 24 · 8! / 16 orders


def test_partners_and_answers_are_those_of_the_relations_in_their_order():
    """Rejects relations in another order, and what the test of one relation rejects."""
    rows = drawn(multi_recall, ALL_RELATIONS, 50)
    assert rows.partners.shape == rows.answers.shape == (50, 4, 8)
    for symbols, values, partners, answers in rows_of(rows):
        for relation, partner, answer in zip(ALL_RELATIONS, partners, answers, strict=True):
            assert partner == [partner_by_hand(relation, symbols, i) for i in range(8)]
            assert answer == [values[j] for j in partner]


@pytest.mark.parametrize("asked", ASKED)
def test_the_answer_is_the_number_of_the_card_asked_for(asked):
    """Rejects another card's answer, a distance that is one off, a question that gives the number away."""
    rows = drawn(distant_recall, asked, 200)
    for letters, numbers, marks, distance, answer in rows_of(rows):
        assert len(letters) == len(numbers) == len(marks) == DISTANT_CARDS + 1 == 17
        assert sorted(letters[:-1]) == list(range(1, DISTANT_CARDS + 1))
        position = letters.index(letters[-1]) if asked == "last" else marks.index(1)
        assert (distance, answer) == (DISTANT_CARDS - position, numbers[position] - 1)
        assert (numbers[-1], marks[-1], sum(marks)) == (0, 1, 1 if asked == "last" else 2)
        assert asked == "last" or letters[-1] == 0
    assert set(rows.distance.tolist()) == set(range(1, DISTANT_CARDS + 1))
    assert set(rows.answer.tolist()) == set(range(DISTANT_CARDS))


def test_the_answer_is_the_value_of_the_query():
    """Rejects another item's value, a key that occurs twice, and one order for all rows."""
    rows = drawn(lookups, 200, 5)
    for keys, values, (query,), answer in rows_of(rows):
        assert sorted(keys) == list(range(5))
        assert values[keys.index(query)] == answer
    assert len({tuple(row) for row in rows.keys.tolist()}) > 60  # of 120 orders
    assert set(rows.values.flatten().tolist()) == set(range(LOOKUP_VALUES))
    assert set(rows.query.flatten().tolist()) == set(range(5))


def test_votes_are_counted():
    """Rejects a draw, a sentence without its first token, a word on the wrong side."""
    some = drawn(votes, 200)
    assert some.ids.shape == (200, 11)
    for ids, vote, answer in rows_of(some):
        assert ids[0] == CLS == 41
        assert vote == [1 if 1 <= i <= 10 else -1 if 11 <= i <= 20 else 0 for i in ids]
        assert sum(vote) != 0
        assert answer == (sum(vote) > 0)
    assert set(some.ids[:, 1:].flatten().tolist()) == set(range(1, 41))


BATCHES = {
    "associative": (lambda seed: associative_recall_batches("next", seed), "values", CARDS),
    "multi": (lambda seed: multi_recall_batches(("left",), seed), "values", 8),
    "distant": (lambda seed: distant_recall_batches("last", seed), "letters", DISTANT_CARDS + 1),
    "lookup": (lookup_batches, "values", ITEMS),
    "votes": (vote_batches, "ids", 11),
}


@pytest.mark.parametrize("task", BATCHES)
def test_batches_are_the_same_for_the_same_seed_and_never_end(task):
    """Rejects batches from the global random numbers, and the same batch again and again."""
    batches, part, width = BATCHES[task]
    one, same, other = map(batches, (0, 0, 1))
    first, second = next(one), next(one)
    torch.testing.assert_close(first, next(same))
    first, second, third = (getattr(batch, part) for batch in (first, second, next(other)))
    assert first.shape == (64, width)
    assert not torch.equal(first, second)
    assert not torch.equal(first, third)


@pytest.mark.parametrize(
    ("task", "argument", "message"),
    [
        (associative_recall, "after", "relation must be one of match, before, next, got 'after'"),
        (multi_recall, (), r"relations must be some of match, left, right, opposite, got \["),
        (multi_recall, ("match", "above"), r"relations must be some of match, left, right, opposite, got \["),
        (distant_recall, "first", "asked must be one of last, at the card, got 'first'"),
    ],
)
def test_no_or_unknown_relations_and_questions_raise(task, argument, message):
    """Rejects a typing error that is taken for one of the tasks, and a task without relations."""
    with pytest.raises(ValueError, match=message):
        task(argument, 1)
