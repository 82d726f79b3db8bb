"""The engine of the checks: what is right by any route passes; what is wrong is named by the surest thing to say."""

import traceback

import numpy as np
import pytest
import torch

from course_lib.checks.card import Card, WrongAnswer
from course_lib.checks.engine import Check, Misconception


def mean_rows(x, y, *, axis=1, sign=1, scale=1.0):
    """The mean of each row of x, and y."""
    return scale * x.mean(axis=axis) + sign * y


def cases(rng):
    """A square table, and one that is not."""
    return {
        "three rows, three columns": (rng.normal(size=(3, 3)), rng.normal(size=3)),
        "two rows, four columns": (rng.normal(size=(2, 4)), rng.normal(size=2)),
    }


AXIS = Misconception("axis", {"axis": 0}, "this is the mean of the columns.")
SIGN = Misconception("sign", {"sign": -1}, "y is subtracted: is it a sum?")
SCALE = Misconception("scale", {"scale": 0.5}, "the mean is half as large as it must be.")
CHECK = Check(mean_rows, cases, (AXIS, SIGN, SCALE), axes=("row",))


def said(function, check=CHECK):
    """What the check says to a function that it must reject."""
    with pytest.raises(WrongAnswer) as rejected:
        check(function)
    return str(rejected.value)


RIGHT = {
    "single precision": lambda x, y: (x.astype(np.float32).mean(1) + y).astype(np.float32),
    "half precision": lambda x, y: (x.mean(1) + y).astype(np.float16),
    "a list of numbers": lambda x, y: [float(sum(row) / len(row)) + b for row, b in zip(x, y.tolist(), strict=True)],
    "a tensor that wants a gradient": lambda x, y: torch.tensor(x.mean(1) + y, requires_grad=True),
    "a tuple of tensors": lambda x, y: tuple(torch.tensor(x.mean(1) + y)),
    "with a print": lambda x, y: print("here") or x.mean(1) + y,
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_right_by_any_route(function):
    assert CHECK(function) is None


def test_a_mistake_and_a_pair_are_named():
    """Rejects a diagnosis that stops at one, or that names more than there is."""
    one = said(lambda x, y: x.mean(1) - y)
    assert SIGN.says in one
    assert "three rows, three columns" in one
    assert "First difference at row 0" in one
    both = said(lambda x, y: x.mean(1) / 2 - y)
    assert SIGN.says in both
    assert SCALE.says in both
    assert AXIS.says not in both


def test_a_mistake_must_hold_in_every_case():
    """Rejects a diagnosis from one case: right for columns = rows only is another mistake than the wrong axis."""
    half = said(lambda x, y: (x.mean(0) if len(x) == 3 else x.mean(1)) + y)
    assert AXIS.says not in half


def test_a_mistake_that_raises_in_the_same_case_is_named():
    assert AXIS.says in said(lambda x, y: x.mean(0) + y)


def test_an_exception_in_every_case_is_no_known_mistake():
    """Rejects a diagnosis of any program that stops, as whatever mistake stops everywhere."""
    stopping = Misconception("stopping", {"axis": 7}, "there is no axis 7.")
    words = said(lambda x, y: x.mean(1) + y[17], Check(mean_rows, cases, (stopping, SIGN)))
    assert stopping.says not in words
    assert "index 17 is out of bounds" in words


def changes(x, y):
    x -= x.mean()
    return x.mean(1) + y


def stops(x, y):
    columns = x[:, 17]
    return columns.mean() + y


def leaves(x, y):
    raise SystemExit


WORDS = {
    "returns nothing": (lambda x, y: None, "is there a `return`"),
    "in place": (changes, "changes its argument `x` in place"),
    "exception with its line": (stops, "`columns = x[:, 17]`: index 17 is out of bounds"),
    "what it was given": (stops, "x: an array (3, 3), y: an array (3,)"),
    "leaves Python": (leaves, "SystemExit"),
    "NaN": (lambda x, y: (x.mean(1) + y) * np.nan, "3 of your 3 numbers are NaN"),
    "infinity": (lambda x, y: np.array([np.inf, 0, 0][: len(y)]), "1 of your 3 numbers are infinite"),
    "a text": (lambda x, y: "mean", "Expected an array (3,), got the text 'mean'"),
    "transposed": (lambda x, y: (x.mean(1) + y)[None], "as many numbers as expected, arranged in another way"),
    "several for one": (lambda x, y: [x.mean(1) + y] * 2, "Expected the shape (3,), got (2, 3)"),
    "a tuple": (lambda x, y: (x.mean(1) + y, 0), "got a tuple of 2"),
    "another mistake": (lambda x, y: x.mean(1) + 1.1 * y, "Not one of the usual mistakes"),
    "jagged": (lambda x, y: [[1.0], [1.0, 2.0], []], "got a list of 3"),
}


@pytest.mark.parametrize(("function", "words"), WORDS.values(), ids=WORDS.keys())
def test_in_words(function, words):
    assert words in said(function)


def test_not_there_yet_is_no_wrong_answer():
    """Rejects a check that turns a stub's NotImplementedError into another failure, or shows its own lines."""

    def stub(x, y):
        raise NotImplementedError("replace this line")

    with pytest.raises(NotImplementedError, match="replace this line") as raised:
        CHECK(stub)
    shown = [frame for frame, _ in traceback.walk_tb(raised.tb) if not frame.f_locals.get("__tracebackhide__")]
    assert [frame.f_code.co_name for frame in shown] == ["test_not_there_yet_is_no_wrong_answer", "stub"]


def test_what_is_no_function_is_said():
    assert "The check needs your function, and got the number 3." in said(3.0)


def test_another_seed_has_other_inputs():
    """Rejects hidden tests that would repeat the visible ones: answers learned by heart fail them."""
    learned = [mean_rows(*arguments) for arguments in cases(np.random.default_rng(0)).values()]
    by_heart = iter(learned)
    CHECK(lambda x, y: next(by_heart))
    again = iter(learned)
    with pytest.raises(WrongAnswer):
        CHECK(lambda x, y: next(again), seed=1)


def test_a_pair_of_results_is_compared_part_by_part():
    check = Check(lambda x, y: (x, y), cases, (), axes=("row", "column"))
    check(lambda x, y: [x, y])
    assert "Part 1 of the result: first difference at 0: " in said(lambda x, y: (x, y + 1), check)


def test_one_number_is_expected():
    check = Check(lambda x, y: x.mean(), cases, ())
    assert "Expected one number, got the shape (3,)" in said(lambda x, y: x.mean(1), check)


def test_the_sizes_in_another_order_are_named():
    """Rejects the hint for any other shape with as many axes."""
    check = Check(lambda x: x, lambda rng: {"two rows, four columns": (rng.normal(size=(2, 4)),)}, ())
    hint = "have two axes changed places?"
    assert hint in said(np.transpose, check)
    assert hint not in said(lambda x: x[:1], check)


def test_a_tuple_where_a_table_is_expected():
    """Rejects stacking it first: what nn.RNN returns is no table."""
    check = Check(lambda x, y: x, cases, ())
    assert "Expected an array (3, 3), got a tuple of 2" in said(lambda x, y: (x, x), check)


def test_parts_have_their_names():
    check = Check(lambda x, y: (x, x + 1), cases, (), axes=("row", "column"), parts=("context", "weights"))
    assert "The weights: first difference at row 0, column 0" in said(lambda x, y: (x, x), check)


def test_a_large_table_says_which_part_is_seen(monkeypatch):
    shown = []
    monkeypatch.setattr("course_lib.checks.card.display", shown.append)
    check = Check(lambda x: x, lambda rng: {"large": (rng.normal(size=(9, 7)),)}, ())
    said(lambda x: x + np.eye(9)[8][:, None], check)
    assert "Of a larger table: rows 3 to 8, columns 0 to 5." in shown[0]._repr_html_()


def test_texts_are_compared_letter_by_letter():
    check = Check(lambda word: word.upper(), lambda rng: {"a word": ("queen",)}, ())
    check(str.upper)
    assert "Expected the text 'QUEEN', got the text 'queen'" in said(lambda word: word, check)


def test_the_card_escapes():
    """Rejects a card that runs what a student's text holds."""
    html = Card("✗", "`<img>`", "a `<b>`, $x_j$")._repr_html_()
    assert "<i>x_j</i>" in html
    assert "<img>" not in html
    assert "<code>&lt;b&gt;</code>" in html


def test_the_picture_marks_what_differs(monkeypatch):
    shown = []
    monkeypatch.setattr("course_lib.checks.card.display", shown.append)
    said(lambda x, y: x.mean(1) + y * np.array([1.0, 1.2, 1.0])[: len(y)])
    html = shown[0]._repr_html_()
    assert html.count("<td") == 6
    assert html.count("border:2px solid") == 2  # one place, in the expected and in the answer's table
    said(lambda x: [np.nan, 2.0], Check(lambda x: np.array([np.nan, 1.0]), lambda rng: {"NaN is right": (0,)}, ()))
    assert shown[1]._repr_html_().count("border:2px solid") == 2


def test_a_notebook_shows_one_line_of_the_error():
    """Rejects a traceback through the engine, which would be all that a student reads."""
    error = WrongAnswer("mean_rows is not right yet.\nLikely cause: …")
    assert error._render_traceback_() == ["WrongAnswer: what to think about stands above"]


def test_nbgraders_validate_shows_all_of_it(monkeypatch):
    """Rejects words that point to a card above, where there is none."""
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    error = WrongAnswer("mean_rows is not right yet.\nLikely cause: …")
    assert error._render_traceback_() == ["WrongAnswer: mean_rows is not right yet.\nLikely cause: …"]


def test_the_inputs_of_a_case_can_be_had():
    """Rejects inputs other than those that were tried; a student can attend to what went wrong."""
    tried = []
    CHECK(lambda x, y: tried.append((x, y)) or x.mean(1) + y)
    for case, arguments in zip(cases(np.random.default_rng(0)), tried, strict=True):
        assert all(map(np.array_equal, CHECK.inputs(case), arguments))
    with pytest.raises(KeyError, match="two rows, four columns"):
        CHECK.inputs("six rows")


def test_hidden_tests_are_silent_where_all_is_right(capsys):
    CHECK(mean_rows, seed=1)
    assert capsys.readouterr().out == ""
