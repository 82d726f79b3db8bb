"""Controls that call a function, and a view that draws what it returns: Python's side."""

import sys

import ipywidgets
import numpy as np
import pytest

from course_lib.show import AttentionView, interactive
from course_lib.show.interactive import captured

QUERIES, KEYS = ["a", "b"], ["x", "y", "z"]


def a_view() -> AttentionView:
    return AttentionView(np.full((2, 3), 1 / 3), QUERIES, KEYS)


def first_weight(made) -> float:
    return made.view.weights()[0, 0]


def test_a_control_calls_the_function_and_the_view_draws_its_result():
    made = interactive(lambda share: [[share, 1 - share, 0]] * 2, a_view(), share=(0.0, 1.0, 0.1))
    made.controls["share"].value = 0.7
    assert first_weight(made) == pytest.approx(0.7)
    made.controls["share"].value = 0.2
    assert first_weight(made) == pytest.approx(0.2)


def test_the_function_is_called_once_before_anything_is_moved():
    calls = []

    def weights(head, sharp):
        calls.append((head, sharp))
        return np.eye(2, 3)

    made = interactive(weights, a_view(), head=["first", "second"], sharp=True)
    assert calls == [("first", True)]
    assert first_weight(made) == 1
    made.controls["head"].value = "second"
    assert calls[1:] == [("second", True)]


def test_a_dictionary_says_what_is_updated():
    made = interactive(lambda hot: {"scores": np.eye(2, 3) / hot}, a_view(), hot=(1.0, 9.0))
    assert made.view.kind == "scores"
    assert first_weight(made) == pytest.approx(np.exp(1 / 5) / (np.exp(1 / 5) + 2), abs=1e-6)


def test_what_the_function_raises_is_shown_with_its_line_and_the_picture_stays():
    def weights(share):
        if share > 0.5:
            raise KeyError("no such head")
        return [[share, 0, 0]] * 2

    made = interactive(weights, a_view(), share=(0.0, 1.0))
    made.controls["share"].value = 0.3
    made.controls["share"].value = 0.8
    error = made.view.message["error"]
    assert "KeyError: 'no such head'" in error
    assert "weights, line" in error
    assert 'raise KeyError("no such head")' in error
    assert first_weight(made) == pytest.approx(0.3)
    made.controls["share"].value = 0.4
    assert made.view.message == {}


def test_a_result_of_the_wrong_shape_is_an_error_of_the_same_kind():
    made = interactive(lambda n: np.eye(n), a_view(), n=(2, 4))
    assert "expected shape (… 2, 3)" in made.view.message["error"]


def test_what_is_printed_on_either_stream_is_shown():
    def weights(n):
        print("printed", n)
        print("beware", file=sys.stderr)
        return np.eye(2, 3)

    assert interactive(weights, a_view(), n=3).view.message == {"printed": "printed 3\nbeware\n"}


def test_the_line_is_that_of_the_readers_function_not_of_the_library_below():
    def readers():
        return np.linalg.inv(np.zeros((2, 2)))

    error = captured(readers)[1]["error"]
    assert "Singular matrix" in error
    assert "return np.linalg.inv" in error


def test_the_line_is_the_innermost_one_of_the_readers_also_in_another_function():
    """Rejects a message that names the caller, where the fault is in what it calls."""

    def broken():
        return undefined_name

    assert "broken, line" in captured(lambda: [broken() for _ in range(2)])[1]["error"]


def test_a_control_starts_at_the_default_of_its_argument():
    made = interactive(lambda n=4, m=2: np.full((2, 3), float(n * m)), a_view(), n=(0, 5))
    assert made.controls["n"].value == 4
    assert first_weight(made) == 8


def test_much_that_is_printed_is_cut_at_the_beginning():
    printed = captured(lambda: print("x" * 5000 + "end"))[1]["printed"]
    assert len(printed) < 2100
    assert printed.endswith("end\n")


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"share": (0.0, 1.0), "hed": [0]}, r"expected one for each of \['share'\], got \['hed', 'share'\]"),
        ({}, r"expected one for each of \['share'\], got \[\]"),
        ({"share": object()}, "share: expected .*low, high"),
    ],
)
def test_controls_that_do_not_fit_are_named(controls, message):
    with pytest.raises(ValueError, match=message):
        interactive(lambda share: share, a_view(), **controls)


def test_arguments_with_a_default_need_no_control_and_widgets_are_taken_as_they_are():
    slider = ipywidgets.IntSlider(1, 0, 3)
    made = interactive(lambda n, m=2: np.full((2, 3), float(n * m)), a_view(), n=slider)
    slider.value = 3
    assert first_weight(made) == 6


def test_where_there_is_no_kernel_the_view_and_its_settings_are_left():
    made = interactive(lambda share: [[share, 0, 0]] * 2, a_view(), share=(0.0, 1.0))
    data, metadata = made._repr_mimebundle_()
    assert "<iframe" in data["text/html"]
    assert "Drawn for share = 0.5. These controls need a running kernel." in data["text/html"]
    assert (
        "Drawn for f = one, x = 0.3."
        in interactive(
            lambda f, x: np.eye(2, 3), a_view(), f=[("one", len), ("two", max)], x=ipywidgets.FloatSlider(0.1 + 0.2)
        )._repr_mimebundle_()[0]["text/html"]
    )  # no address of a function, no rounding error
    assert "a → x" in metadata["image/png"]["alt"]
    assert repr(made) == "Interactive(<lambda>: share → AttentionView(weights: 2 queries × 3 keys))"
