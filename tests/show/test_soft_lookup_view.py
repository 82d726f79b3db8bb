"""SoftLookupView, the Python side: scores, weights and blend, the reader's own function, and what travels."""

import json
import math
import re

import numpy as np
import pytest
import torch
import traitlets

from course_lib.attention import scores
from course_lib.show import SoftLookupView

from .soft_lookup_cases import KEYS, NAMES, VALUES, cases, modules, parameters

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "'\"&quot;", "-->", " "]
FORMULAS = ("dot", "scaled_dot", "cosine", "bilinear", "concat", "additive", "location")


def view(**options) -> SoftLookupView:
    return SoftLookupView(KEYS, NAMES, **options)


def carried(view: SoftLookupView) -> dict:
    """The state that the page of a view carries."""
    return json.loads(re.search(r"showPage\(render, (\{.*\})\);</script>", view.to_html())[1])


def test_scores_weights_and_blend_are_those_of_the_library():
    """Rejects a score with another formula, a temperature at the wrong place, and parameters that are not the given."""
    for case in cases():
        mine = SoftLookupView(
            KEYS,
            NAMES,
            VALUES,
            parameters=parameters(),
            **{name: case[name] for name in ("query", "score", "temperature")},
        )
        assert mine.scores() == pytest.approx(case["scores"], abs=1e-5), case
        assert mine.weights() == pytest.approx(case["weights"], abs=1e-4), case
        assert mine.context() == pytest.approx(case["context"], abs=1e-4), case


def test_at_temperature_0_one_key_takes_all_and_at_infinity_all_are_equal():
    """Rejects a division by 0, and NaN from ∞ · 0."""
    lookup = view(query=[0.0, 1.0], score="dot")
    lookup.temperature = 0
    assert lookup.weights().tolist() == [0, 1, 0, 0, 0]
    lookup.temperature = math.inf
    assert lookup.weights() == pytest.approx(np.full(5, 0.2))
    lookup.temperature, lookup.query = 0, [0.0, 0.0]
    assert lookup.weights() == pytest.approx(np.full(5, 0.2)), "equal scores share"


def test_without_values_the_keys_are_blended():
    lookup = view(query=[0.5, 1.0])
    assert lookup.context() == pytest.approx(lookup.weights() @ KEYS)
    assert lookup.weights().sum() == pytest.approx(1)


def test_the_query_starts_halfway_from_the_mean_to_the_first_key():
    assert view().query == pytest.approx((KEYS.mean(0) + KEYS[0]) / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SoftLookupView(KEYS[:3], NAMES), r"keys: expected shape \(5, 2\).*got \(3, 2\)"),
        (lambda: SoftLookupView(KEYS.T, NAMES), r"keys: expected shape \(5, 2\).*got \(2, 5\)"),
        (lambda: SoftLookupView(np.ones((5, 3)), NAMES), r"keys: expected shape \(5, 2\).*got \(5, 3\)"),
        (lambda: SoftLookupView([], []), r"keys: expected shape \(at least 1, 2\).*got \(0,\)"),
        (
            lambda: SoftLookupView([[0, 1], [np.nan, 0]], ["a", "b"]),
            "keys: expected finite numbers, got .*nan.* for 'b'",
        ),
        (
            lambda: SoftLookupView([[0, 1], [0, -np.inf]], ["a", "b"]),
            "keys: expected finite numbers, got .*inf.* for 'b'",
        ),
        (lambda: view(values=VALUES[:2]), r"values: expected shape \(5, numbers\).*got \(2, 3\)"),
        (lambda: view(values=VALUES[:, 0]), r"values: expected shape \(5, numbers\).*got \(5,\)"),
        (lambda: view(values=VALUES * np.nan), "values: expected finite numbers, got .*nan.* for '小明'"),
        (lambda: view(query=[0.0, 1.0, 2.0]), r"query: expected shape \(1, 2\).*got \(1, 3\)"),
        (lambda: view(query=[0.0, np.nan]), "query: expected finite numbers, got .*nan"),
        (lambda: view(score="euclid"), r"score: expected a function or one of \['dot', .*got 'euclid'"),
        (lambda: view(score="own"), "score: expected a function"),
        (lambda: view(parameters={"dot": {}}), r"parameters: expected some of \['bilinear', .*got \['dot'\]"),
        (lambda: view(parameters={"concat": {"w": [[1]]}}), r"of concat: expected \['w', 'v'\], got \['w'\]"),
        (lambda: view(parameters={"bilinear": {"w": np.ones((2, 3))}}), r"bilinear, w: .*\(2, 2\), got \(2, 3\)"),
        (lambda: view(parameters={"location": {"w": np.ones((4, 2))}}), r"location, w: .*\(5, 2\), got \(4, 2\)"),
        (
            lambda: view(parameters={"concat": {"w": np.ones((4, 3)), "v": np.ones(3)}}),
            r"concat, w: expected finite numbers of shape \(3, 4\), got \(4, 3\)",
        ),
        (lambda: view(parameters={"bilinear": {"w": [[1, np.nan], [0, 1]]}}), "bilinear, w: .*got NaN or infinity"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_parameters_that_were_not_given_are_drawn_and_named_untrained():
    """Rejects other numbers in each run, and a view that calls given parameters untrained."""
    one, other = view(), view(parameters={"concat": parameters()["concat"]})
    assert one.untrained == ["additive", "bilinear", "concat", "location"]
    assert other.untrained == ["additive", "bilinear", "location"]
    assert one.parameters == view().parameters
    assert one.parameters["bilinear"] == other.parameters["bilinear"]
    assert one.parameters["concat"] != other.parameters["concat"]
    sizes = {score: {name: np.shape(w) for name, w in tensors.items()} for score, tensors in one.parameters.items()}
    assert sizes["additive"] == {"w_q": (8, 2), "w_k": (8, 2), "v": (8,)}
    assert sizes["concat"] == {"w": (8, 4), "v": (8,)}
    assert sizes["location"] == {"w": (5, 2)}
    assert np.abs(one.parameters["concat"]["w"]).max() <= 0.5  # within ±1/√4


# ---- the reader's own score -----------------------------------------------------------------------------------------


def nearest(q, k):
    """A score that the library does not have."""
    return -((q - k) ** 2).sum(-1)


@pytest.mark.parametrize("score", [scores.cosine, scores.dot, modules()["additive"], modules()["location"]])
def test_the_librarys_scores_are_functions_like_a_readers(score):
    lookup = view(score=score, query=[0.5, 1.0])
    assert lookup.score == "own"
    assert lookup.message == {}
    expected = score(torch.tensor([[0.5, 1.0]]), torch.tensor(KEYS, dtype=torch.float32))[0]
    assert lookup.scores() == pytest.approx(expected.tolist(), abs=1e-5)


def test_an_own_score_is_called_where_the_query_is():
    """Rejects a function that is called once only, with other shapes, or while another score is chosen."""
    heard = []

    def score(q, k):
        heard.append((q.tolist(), tuple(k.shape), q.dtype))
        return nearest(q, k)

    lookup = view(score=score, query=[0.5, 1.0])
    lookup.query = [2.0, -0.25]
    assert heard == [([[0.5, 1.0]], (5, 2), torch.float32), ([[2.0, -0.25]], (5, 2), torch.float32)]
    assert lookup.weights().argmax() == NAMES.index("<eos>")
    assert lookup.own_query == [2.0, -0.25]
    lookup.score = "dot"
    lookup.query = [0.0, 1.0]
    assert len(heard) == 2
    lookup.score = "own"
    assert heard[-1][0] == [[0.0, 1.0]]
    before = lookup.weights()
    lookup.update(keys=KEYS[::-1])
    assert len(heard) == 4
    assert lookup.weights() == pytest.approx(before[::-1])


def test_an_own_score_may_return_arrays_lists_and_masks():
    for convert in (torch.Tensor.numpy, torch.Tensor.tolist, lambda answer: answer[None]):
        lookup = view(score=lambda q, k, convert=convert: convert(nearest(q, k)))
        assert lookup.message == {}
    lookup = view(score=lambda q, k: nearest(q, k).masked_fill(torch.arange(5) == 1, -math.inf))
    assert lookup.weights()[1] == 0
    assert lookup.weights().sum() == pytest.approx(1)


def test_what_an_own_score_prints_and_raises_is_said_and_the_old_weights_stay():
    """Rejects lost output, an error that ends the widget, and weights that vanish."""

    def score(q, k):
        print("asked at", q[0, 0].item())
        if q[0, 0] > 1:
            return q @ k
        return nearest(q, k)

    lookup = view(score=score, query=[0.5, 1.0])
    assert lookup.message == {"printed": "asked at 0.5\n"}
    before = lookup.weights()
    lookup.query = [2.0, 1.0]
    assert lookup.message["printed"] == "asked at 2.0\n"
    assert "RuntimeError" in lookup.message["error"]
    assert "return q @ k" in lookup.message["error"]
    assert lookup.weights().tolist() == before.tolist()
    assert lookup.own_query == [2.0, 1.0], "Python has answered, if with an error"
    lookup.query = [0.25, 1.0]
    assert "error" not in lookup.message
    assert lookup.weights().tolist() != before.tolist()
    lookup.score = "cosine"
    assert lookup.message == {}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda q, k: k, r"expected shape \(1, 5\) or \(5,\), a number for each key, got shape \(5, 2\)"),
        (lambda q, k: k @ q.T, r"expected shape \(1, 5\) or \(5,\).*got shape \(5, 1\)"),
        (lambda q, k: None, "got nothing: is a return missing"),
        (lambda q, k: [1, 2, math.nan, 4, 5], "expected numbers, got nan for “tea”"),
        (lambda q, k: [1, math.inf, 3, 4, 5], "expected numbers, got inf for “bread”"),
        (lambda q, k: "high", "ValueError"),
    ],
)
def test_an_answer_that_is_no_score_is_said_in_words(answer, message):
    lookup = view(score=answer)
    assert re.search(message, lookup.message["error"])
    assert np.isnan(lookup.weights()).all()
    assert "nan" in lookup.picture().text


def test_without_a_function_there_is_no_own_score():
    with pytest.raises(traitlets.TraitError, match="expected a function"):
        view().score = "own"


# ---- what travels, and what is left without a browser ---------------------------------------------------------------


def test_update_moves_keys_and_values_in_place():
    lookup = view(values=VALUES, score="dot", query=[0.5, 1.0])
    before = lookup.context()
    lookup.update(values=2 * VALUES)
    assert lookup.context() == pytest.approx(2 * before, abs=1e-6)
    lookup.update(keys=-KEYS)
    assert lookup.scores() == pytest.approx(-KEYS @ [0.5, 1.0], abs=1e-6)
    with pytest.raises(ValueError, match=r"keys: expected shape \(5, 2\).*got \(4, 2\)"):
        lookup.update(keys=KEYS[:4])


def test_the_state_is_json_at_every_temperature():
    """Rejects ∞ in a message to the browser: JSON has none."""
    lookup = view(temperature=math.inf)
    state = {name: value for name, value in lookup.get_state().items() if not isinstance(value, bytes | memoryview)}
    assert json.loads(json.dumps(state, allow_nan=False))["temperature"] is None
    lookup.set_state({"temperature": None, "query": [1, 2]})
    assert lookup.temperature == math.inf
    assert lookup.query == [1.0, 2.0]


def test_the_page_carries_everything_that_the_scores_need():
    """Rejects a page without the parameters, or one in which the reader's last answer is lost."""
    lookup = view(values=VALUES, score=nearest, parameters=parameters())
    state = carried(lookup)
    assert state["parameters"] == lookup.parameters
    assert state["names"] == NAMES
    assert state["has_own"] is True
    assert state["own_query"] == lookup.query
    assert state["own_scores"]["single"]
    assert state["values"]["single"]


def test_page_asks_for_nothing_from_any_network():
    """Rejects a CDN, a linked style sheet, a font or a module from elsewhere (the name of SVG is no address)."""
    html = view(values=VALUES).to_html().replace('"http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|url\(|@import|import\(|href=|src=(?!.?data:)|fetch\(", html)


def test_words_are_text_never_markup():
    hostile, plain = (SoftLookupView(KEYS, names) for names in (HOSTILE, list("abcde")))
    assert carried(hostile)["names"] == HOSTILE
    elements = [re.findall(r"<[a-z/!]+", lookup.to_html()) for lookup in (hostile, plain)]
    assert elements[0] == elements[1]
    assert "&lt;img" in hostile._repr_mimebundle_()[0]["text/html"]


def test_same_data_same_output():
    one, other = (view(values=VALUES) for _ in range(2))
    assert repr(one) == repr(other) == "SoftLookupView(scaled_dot: 5 keys → 3 numbers)"
    assert repr(view(score=nearest)) == "SoftLookupView(own: 5 keys)"
    assert one._repr_mimebundle_()[0]["text/html"] == other._repr_mimebundle_()[0]["text/html"]
    assert one.picture().png() == other.picture().png()


@pytest.mark.parametrize("score", FORMULAS)
def test_the_picture_says_the_present_state_in_words(score):
    lookup = view(score=score, query=[0.5, 1.0], temperature=0.5)
    first, *lines = lookup.picture().text.splitlines()
    name = {"dot": "dot product", "scaled_dot": "scaled dot product"}.get(score, score)
    assert first.startswith(f"soft look-up, {name}, T = .50, q = (.50, 1)")
    order = np.argsort(-lookup.weights(), kind="stable")
    assert [line.rpartition(" ")[0] for line in lines] == [NAMES[j] for j in order]


def test_the_picture_draws_lines_as_thick_as_the_weights():
    lookup = view(query=[0.5, 1.0], score="dot")
    lines = [line for line in lookup.picture().figure.axes[0].lines if len(line.get_xdata()) == 2]
    widths = [line.get_linewidth() for line in lines if tuple(line.get_xydata()[0]) == (0.5, 1.0)]
    assert np.argsort(widths).tolist() == np.argsort(lookup.weights()).tolist()


def test_the_picture_shows_values_as_strips_and_the_blend_below():
    axes = view(values=VALUES).picture().figure.axes
    assert len(axes) == len(view().picture().figure.axes) + 1
    assert [label.get_text() for label in axes[-1].get_yticklabels()] == ["context c"]


def test_words_of_the_view_come_in_chinese_too():
    lookup = view(lang="zh", score="cosine")
    assert "余弦" in lookup.picture().text
    assert lookup.font, "Chinese characters travel with the view"


@pytest.mark.parametrize("n_keys", [1, 2, 30])
def test_from_one_key_to_thirty(n_keys):
    keys = np.random.default_rng(0).normal(size=(n_keys, 2))
    lookup = SoftLookupView(keys, [f"key {j}" for j in range(n_keys)], query=[100.0, -100.0])
    assert lookup.weights().sum() == pytest.approx(1)
    assert lookup.picture().png().startswith(b"\x89PNG")
