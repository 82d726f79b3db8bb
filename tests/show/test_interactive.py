"""Controls that call a function, and a view that draws what it returns: Python's side."""

import sys

import ipywidgets
import numpy as np
import pytest

from course_lib.show import AttentionView, interactive

QUERIES, KEYS = ["a", "b"], ["x", "y", "z"]


def view():
    return AttentionView(np.full((2, 3), 1 / 3), QUERIES, KEYS)


def first_weight(made):
    return made.view.weights()[0, 0]


def test_each_control_calls_the_function_once_and_the_view_draws_its_result():
    calls = []

    def weights(head, share, scale=2):
        calls.append((head, share))
        return [[share * scale, 0, 0]] * 2

    made = interactive(weights, view(), head=["first", "second"], share=ipywidgets.FloatSlider(0.25))
    assert first_weight(made) == pytest.approx(0.5)
    made.controls["share"].value = 0.75
    assert first_weight(made) == pytest.approx(1.5)
    made.controls["head"].value = "second"
    assert calls == [("first", 0.25), ("first", 0.75), ("second", 0.75)]


def test_a_dictionary_names_what_is_updated_and_a_control_starts_at_its_arguments_default():
    made = interactive(lambda hot=4: {"scores": np.eye(2, 3) / hot}, view(), hot=(1, 9))
    assert made.controls["hot"].value == 4
    assert first_weight(made) == pytest.approx(np.exp(1 / 4) / (np.exp(1 / 4) + 2), abs=1e-6)


def test_an_error_is_shown_with_the_readers_own_line_and_the_picture_stays():
    """Rejects the line of the library below it, and that of the caller where the fault is in what it calls."""

    def inverse(share):
        return np.linalg.inv(np.zeros((2, 2)))

    def weights(share):
        if share > 0.5:
            inverse(share)
        return [[share, 0, 0]] * 2

    made = interactive(weights, view(), share=(0.0, 1.0))
    made.controls["share"].value = 0.3
    made.controls["share"].value = 0.8
    error = made.view.message["error"]
    assert "LinAlgError: Singular matrix" in error
    assert "inverse, line" in error
    assert "return np.linalg.inv(np.zeros((2, 2)))" in error
    assert first_weight(made) == pytest.approx(0.3)
    made.controls["share"].value = 0.4
    assert made.view.message == {}


def test_a_result_of_the_wrong_shape_is_an_error_of_the_same_kind():
    made = interactive(lambda n: np.eye(n), view(), n=(2, 4))
    assert "expected shape (… 2, 3)" in made.view.message["error"]


@pytest.mark.parametrize(("length", "shown"), [(1, "x\nbeware\n"), (5000, "x\nbeware\n")])
def test_what_is_printed_on_either_stream_is_shown_and_cut_at_the_beginning(length, shown):
    def weights(n):
        print("x" * length)
        print("beware", file=sys.stderr)
        return np.eye(2, 3)

    printed = interactive(weights, view(), n=3).view.message["printed"]
    assert printed.endswith(shown)
    assert len(printed) == min(length + len("\nbeware\n"), 2001)


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"share": (0.0, 1.0), "hed": [0]}, r"expected one for each of \['share'\], got \['hed', 'share'\]"),
        ({}, r"expected one for each of \['share'\], got \[\]"),
        ({"share": object()}, "share: expected .*low, high"),
    ],
)
def test_wrong_controls_are_named(controls, message):
    with pytest.raises(ValueError, match=message):
        interactive(lambda share: share, view(), **controls)


def test_without_a_kernel_the_view_and_its_settings_stay():
    """Rejects the address of a function, and a rounding error, in the settings."""
    controls = {"f": [("one", len), ("two", max)], "x": ipywidgets.FloatSlider(0.1 + 0.2)}
    made = interactive(lambda f, x: [[x, 0, 0]] * 2, view(), **controls)
    data, metadata = made._repr_mimebundle_()
    assert "<iframe" in data["text/html"]
    assert "Drawn for f = one, x = 0.3. These controls need a running kernel." in data["text/html"]
    assert "a → x" in metadata["image/png"]["alt"]
    assert repr(made) == "Interactive(<lambda>: f, x → AttentionView(weights: 2 queries × 3 keys))"
