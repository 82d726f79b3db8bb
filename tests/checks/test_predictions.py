"""Predictions: every wrong one is explained, and no right answer is shown."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from course_lib.checks.card import WrongAnswer
from course_lib.checks.predictions import Predictions

NUMBERS = Predictions(
    {
        "one third": (1 / 3, {1 / 2: "two of them?", 1: "all of it?"}),
        "nothing": (0, {1: "is there any left?"}),
        "seven": (7, {8: "count again."}),
    }
)
MIXED = [
    [Fraction(1, 3), 0, 7],
    np.array([Fraction(1, 3), 0, 7], dtype=object),
    [torch.tensor([1 / 3]), np.array([0.0]), 7],
    [torch.tensor([[1 / 3]]), torch.tensor(0), np.float32(7)],
]
TEXTS = Predictions({"which way": ("left", {"right": "whose right hand?", "up": "it lies."})})


def said(predictions, check=NUMBERS):
    """What the check says to predictions that it must reject."""
    with pytest.raises(WrongAnswer) as rejected:
        check(lambda: predictions)
    return str(rejected.value)


@pytest.mark.parametrize("predictions", [[0.33, 0, 7], (1 / 3, 0.0, 7), np.array([0.33, 0.001, 7]), *MIXED])
def test_right_up_to_rounding_and_in_whatever_it_lies(predictions):
    assert NUMBERS(lambda: predictions) is None


def test_all_wrong_ones_are_named_and_the_right_ones_not_told():
    """Rejects a check that stops at the first or at a pair, and one whose words give the answers away."""
    words = said([1 / 2, 1, 8])
    assert "0 of 3 predictions hold" in words
    assert "Prediction 1 (one third): two of them?" in words
    assert "Prediction 2 (nothing): is there any left?" in words
    assert "Prediction 3 (seven): count again." in words
    assert "0.333" not in words
    assert "expected" not in words


def test_what_no_usual_idea_gives_is_said_and_the_others_are_named_all_the_same():
    words = said([0.4, 0, 8])
    assert "Prediction 1 (one third): it does not hold. Which steps lead you to 0.4?" in words
    assert "count again." in words
    assert "Prediction 2" not in words


@pytest.mark.parametrize(
    ("predicted", "words"), [(294_912, "294912?"), (float("inf"), "inf?"), (-1e15, "-1e+15?"), (1.23456789, "1.2346?")]
)
def test_a_number_is_repeated_as_people_write_it(predicted, words):
    """Rejects 2.9491e+05 for a number of parameters that the student has counted."""
    assert f"lead you to {words}" in said([1 / 3, 0, predicted])


def test_one_prediction_holds_and_two_hold():
    assert "1 of 3 predictions holds)" in said([0, 0, 8])
    assert "2 of 3 predictions hold)" in said([0, 0, 7])


@pytest.mark.parametrize("predicted", [0.3, 0.35, Fraction(3, 10), 0.3801])
def test_what_is_near_is_called_near_and_the_right_one_is_not_told(predicted):
    """Rejects a check that says of a right number, rounded to one digit, only that it does not hold."""
    words = said([predicted, 0, 7])
    assert "is near, but not near enough" in words
    assert "two digits at least" in words
    assert "0.333" not in words


def test_a_known_idea_comes_before_nearness():
    check = Predictions({"share": (0.2, {0.24: "who is the fourth?"})})
    assert "who is the fourth?" in said([0.24], check)


@pytest.mark.parametrize(("predicted", "so"), [(33, True), (50, True), (34, True), (40, False), (7, False)])
def test_per_cent_is_named_where_a_share_is_meant(predicted, so):
    """Of a right share and of a usual wrong one; a number that is no share in per cent is not called one."""
    assert ("Prediction 1 (one third): " + f"{predicted} looks like per cent" in said([predicted, 0, 7])) is so


def test_per_cent_is_suspected_only_where_a_share_is_asked_for():
    assert "it does not hold. Which steps lead you to 700?" in said([1 / 3, 0, 700])
    assert "100 looks like per cent" in said([100], Predictions({"all": (1, {})}))


@pytest.mark.parametrize(
    ("predicted", "words"),
    [
        ("1/3", "write a number, without quotation marks; yours is the text '1/3'"),
        ("0.33", "write a number, without quotation marks"),
        (None, "write a number; yours is nothing (None)"),
        ([1 / 3], "write a number; yours is a list of 1"),
        (torch.zeros(2), "write a number; yours is a tensor (2,)"),
        (1j, "write a number; yours is a complex"),
    ],
)
def test_what_is_no_number_is_told_to_be_one(predicted, words):
    assert words in said([predicted, 0, 7])


def test_texts_are_chosen_without_regard_to_capitals():
    TEXTS(lambda: [" Left"])
    assert "whose right hand?" in said(["RIGHT"], TEXTS)


def test_a_text_that_is_none_to_choose_is_told_the_choice_in_an_order_that_tells_nothing():
    assert "choose one of `'left'`, `'right'`, `'up'`; yours is the text 'down'" in said(["down"], TEXTS)


@pytest.mark.parametrize(
    ("predictions", "words"),
    [
        ([1 / 3, 0], "Expected a list of 3 predictions, got a list of 2"),
        (None, "got nothing (None)"),
        ("abc", "got the text 'abc'"),
        ({1: 2}, "got a dict"),
    ],
)
def test_another_number_of_predictions_is_named(predictions, words):
    assert words in said(predictions)


def test_an_exception_is_told_with_its_line():
    def divides():
        return [1 / 0, 0, 7]

    with pytest.raises(
        WrongAnswer, match=r"ZeroDivisionError in line \d+ of its cell, `return \[1 / 0, 0, 7\]`"
    ) as rejected:
        NUMBERS(divides)
    assert str(rejected.value).endswith("division by zero")  # and no list of arguments


def test_not_there_yet_is_no_wrong_answer():
    def stub():
        raise NotImplementedError("replace this line")

    with pytest.raises(NotImplementedError):
        NUMBERS(stub)


def test_a_list_in_place_of_the_function_is_said():
    with pytest.raises(WrongAnswer, match="The check needs your function, and got a list of 3"):
        NUMBERS([1 / 3, 0, 7])
