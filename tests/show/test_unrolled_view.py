"""UnrolledView, the Python side: shapes, steps, what travels, and what is left in places without a kernel."""

import json
import re

import numpy as np
import pytest
import torch

from course_lib.models import BahdanauDecoder, Encoder, FixedContextDecoder, LuongDecoder, Seq2Seq, trace
from course_lib.show import UnrolledView
from course_lib.show.theme import WORDS
from course_lib.show.unrolled_steps import DECODING_STEPS, recipe
from course_lib.show.unrolled_still import in_math

from .test_attention_view import HOSTILE, Outline
from .unrolled_runs import D_HIDDEN, NAMES, READ, SOURCE, WRITTEN, as_tuple, run, step_of


def view(kind="bahdanau", at=None, **changed):
    """A view of a random run, at a small step (name, tick)."""
    made = UnrolledView(**(run(kind) | changed))
    if at:
        made.step = step_of(made, *at)
    return made


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"encoder_states": np.ones((4, 6))}, r"encoder_states: expected \(5, numbers\) for 5 words .*got \(4, 6\)"),
        ({"encoder_states": np.ones((5, 7))}, "two directions.*even number, got 7"),
        ({"states": np.ones((5, 4))}, r"states: expected \(4, numbers\) .*got \(5, 4\)"),
        ({"states": np.ones(4)}, r"states: expected \(4, numbers\) .*got \(4,\)"),
        ({"states": 1.0}, r"states: expected \(4, numbers\) .*got \(\)"),
        ({"start": np.ones(3)}, r"start: expected \(1, 4\) .*got \(3,\)"),
        ({"contexts": np.ones((2, 6))}, r"contexts: expected \(4, numbers\) .*got \(2, 6\)"),
        ({"contexts": None}, "got no contexts"),
        ({"weights": np.ones((5, 4))}, r"weights: expected \(4, 5\) .*got \(5, 4\)"),
        ({"scores": np.ones((4, 4))}, r"scores: expected \(4, 5\) .*got \(4, 4\)"),
        ({"weights": -np.ones((4, 5))}, "negative.*scores"),
        ({"weights": None}, r"bahdanau: expected \['scores', 'weights'\], got \['scores'\]"),
        ({"kind": "fixed"}, r"fixed: expected no scores or weights, got \['scores', 'weights'\]"),
        ({"kind": "luong"}, r"luong: expected \['combined', 'scores', 'weights'\], got"),
        ({"kind": "transformer"}, "kind: expected one of .*got 'transformer'"),
        ({"formulas": {"dream": "z"}}, r"formulas: expected names of steps.*got \['dream'\]"),
        ({"written": ["the"]}, "written, one word for each word read: expected 4, got 1"),
        ({"guesses": [[("a", 0.5)]]}, "guesses, one list for each word read: expected 4, got 1"),
        ({"source": []}, "source: expected at least one word"),
        ({"read": []}, "read: expected at least one word"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(changed, message):
    with pytest.raises(ValueError, match=message):
        UnrolledView(**(run() | changed))


@pytest.mark.parametrize("kind", NAMES)
def test_a_tick_has_the_steps_of_its_kind_in_their_order(kind):
    """Luong's seven, Bahdanau's six, four without attention. Rejects steps of another kind."""
    told = view(kind).run
    assert [step["name"] for step in told["recipe"]["decode"]] == NAMES[kind]
    hand = ["context", "start"] if kind == "fixed" else ["start"]
    assert [step["name"] for step in told["recipe"]["hand"]] == hand
    assert view(kind).step + 1 == len(SOURCE) + len(hand) + len(READ) * len(NAMES[kind])


def test_every_step_has_a_name_in_every_language():
    names = {step.name for steps in DECODING_STEPS.values() for step in steps} | {"encode", "context", "start"}
    for words in WORDS.values():
        assert {f"step {name}" for name in names} <= set(words)


@pytest.mark.parametrize("kind", DECODING_STEPS)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_every_formula_can_be_set_by_matplotlib(kind, bidirectional):
    told = recipe(kind, bidirectional, {})
    for step in (*told["encode"], *told["hand_over"], *told["decode"]):
        assert in_math(step["formula"]).startswith("$"), step["formula"]
    assert all(in_math(letter).startswith("$") for letter in told["letters"].values())


def test_a_formula_that_is_none_stays_text():
    made = view("fixed", formulas={"state": r"s_{i = \frac$ <b>"}, at=("state", 1))
    assert r"\frac" in made.picture().text
    assert made.picture().png().startswith(b"\x89PNG")
    assert made.run["recipe"]["decode"][2]["formula"] == r"s_{i = \frac$ <b>"


def test_the_arrays_tell_the_kind():
    for kind in ("fixed", "bahdanau", "luong"):
        assert UnrolledView(**(run(kind) | {"kind": None})).run["kind"] == kind


def test_weights_without_scores_leave_that_step_out():
    told = UnrolledView(**(run() | {"scores": None})).run
    assert [step["name"] for step in told["recipe"]["decode"]] == NAMES["bahdanau"][1:]


def test_numbers_arrive_as_they_were_given():
    for kind in NAMES:
        given, got = run(kind), view(kind).numbers()
        for name, rows in got.items():
            assert rows == pytest.approx(np.broadcast_to(given[name], rows.shape), abs=1e-6), name
        assert set(got) == {name for name in given if not isinstance(given[name], list | str | bool)}


@pytest.mark.parametrize("decoder", [FixedContextDecoder, BahdanauDecoder, LuongDecoder])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_a_models_trace_is_all_it_needs(decoder, bidirectional):
    """Rejects a view whose arguments and a trace's names have grown apart."""
    from course_lib.data import Pair, Vocabulary

    words = Vocabulary.of([tuple("abcdef")])
    torch.manual_seed(0)
    encoder = Encoder(len(words), 4, 8, bidirectional=bidirectional)
    model = Seq2Seq(encoder, decoder(encoder, len(words), 4, 8))
    for sentence in (tuple("abc"), Pair(tuple("abc"), tuple("fe"))):
        told = trace(model, sentence, words, words, 4)
        made = UnrolledView.of(told, lang="zh")
        assert made.run["forced"] == hasattr(sentence, "target")
        assert made.numbers()["states"] == pytest.approx(told.states.numpy(), abs=1e-6)
        assert made.run["bidirectional"] == bidirectional
        assert made.picture().png().startswith(b"\x89PNG")


def test_same_data_same_output():
    """Rejects addresses, model ids and random ids in the repr or in the page."""
    one, other = view(), UnrolledView.of(as_tuple(run()))
    assert (
        repr(one)
        == repr(other)
        == "UnrolledView(bahdanau: 5 source words × 6 numbers, 4 decoding steps, step 30 of 30)"
    )
    assert one._repr_mimebundle_()[0]["text/html"] == other._repr_mimebundle_()[0]["text/html"]


def test_page_asks_for_nothing_from_any_network():
    """The one address in it is the name of SVG, which no browser fetches."""
    page = view().to_html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|import\(|href=|src=(?!.?data:)|fetch\(", page)


def test_words_are_text_never_markup():
    hostile = {"source": [*HOSTILE, "<eos>"], "read": HOSTILE, "written": HOSTILE}
    hostile |= {"guesses": [[(word, 0.5)] for word in HOSTILE], "formulas": {"read": HOSTILE[1]}}
    outline, plain = Outline(view(**hostile).to_html()), Outline(view().to_html())
    assert outline.names == plain.names
    state = json.loads(re.search(r"showPage\(render, (\{.*\})\);$", outline.scripts[0])[1])
    assert state["told"]["source"][:4] == HOSTILE
    assert HOSTILE[0] in view(**hostile, at=("read", 1)).picture().text


def test_a_view_of_twelve_words_and_64_numbers_is_small():
    words = [f"word{n}" for n in range(12)]
    given = run("luong", words, ["<bos>", *words[1:]], words, 64, 64)
    assert len(UnrolledView(**given)._repr_mimebundle_()[0]["text/html"]) < 80_000


def test_update_draws_other_numbers_and_keeps_the_rest():
    made = view(at=("weights", 2))
    step, weights = made.step, np.eye(4, 5)
    made.update(weights=weights)
    assert made.numbers()["weights"] == pytest.approx(weights)
    assert made.numbers()["states"] == pytest.approx(run()["states"], abs=1e-6)
    assert made.step == step
    assert "“zone” 1" in made.picture().text


def test_update_takes_a_whole_run_with_fewer_words():
    made = view()
    made.update(as_tuple(run(read=READ[:2], written=["das", "小明"])))
    assert made.run["written"] == ["das", "小明"]
    assert made.step == step_of(made, "write", 2)
    assert made.font


def test_an_update_that_does_not_fit_changes_nothing():
    made = view()
    before = (made.run, made.values, made.step)
    with pytest.raises(ValueError, match="weights: expected"):
        made.update(weights=np.ones((2, 2)))
    assert (made.run, made.values, made.step) == before
    made.update(scores=np.zeros((4, 5)))  # nor is the wrong one kept for later
    assert made.numbers()["scores"].max() == 0


def test_arguments_are_never_modified():
    given = run("luong")
    copies = {name: np.copy(value) for name, value in given.items() if isinstance(value, np.ndarray)}
    UnrolledView(**given).picture()
    for name, copy in copies.items():
        assert np.array_equal(given[name], copy)


def text_at(kind, name, tick, **changed):
    return view(kind, at=(name, tick), **changed).picture().text


def test_the_text_alternative_says_what_happens():
    weights = run()["weights"][1]
    told = text_at("bahdanau", "weights", 2)
    assert told.startswith("time step 2 of 4, step 2 of 6: softmax → weights: a_{ij} = softmax_j(e_{ij})")
    assert f"weights: “{SOURCE[weights.argmax()]}” {weights.max():.2f}"[:-4] in told
    assert "next word: “Economic” .75, “other” .15, “<unk>” .06" in text_at("bahdanau", "write", 2)
    assert text_at("fixed", "encode", 2).startswith("time step 2 of 5: the encoder reads")
    assert text_at("fixed", "context", 0).startswith("the context: c = [→h_n; ←h_1]")
    assert "解码器: the Economic" in text_at("bahdanau", "write", 2, lang="zh")


def test_the_text_alternative_does_not_tell_what_is_not_known_yet():
    """Rejects a picture in which the translation stands before it is written, or weights before their softmax."""
    assert "Economic" not in text_at("bahdanau", "state", 2)
    assert "the" not in text_at("bahdanau", "start", 0).split("decoder: ")[1]
    scored = text_at("bahdanau", "scores", 2)
    assert "scores: " in scored
    assert "weights: " not in scored


def test_the_picture_shows_what_is_known_and_frames_for_the_rest():
    """Bars are images in the picture: two halves for each word read, s_0, and the states reached."""
    count = {
        ("encode", 2): 4,  # two forward, two backward
        ("start", 0): 2 * len(SOURCE) + 1,
        ("state", 1): 2 * len(SOURCE) + 1 + 1 + 1,  # and the context
        ("write", 4): 2 * len(SOURCE) + 1 + 4 + 1,
    }
    for at, images in count.items():
        assert len(view(at=at).picture().figure.axes[0].images) == images, at


def test_lines_in_the_picture_are_as_thick_as_the_weights():
    made = view(at=("weights", 3), weights=np.eye(4, 5) * 0.8 + 0.04)
    lines = [patch.get_linewidth() for patch in made.picture().figure.axes[0].patches if hasattr(patch, "get_path")]
    thick = sorted((width for width in lines if width not in (0, 0.8)), reverse=True)
    assert (thick[0] - 0.5) / (thick[1] - 0.5) == pytest.approx(0.84 / 0.04)


def test_nan_and_infinity_are_said_as_such():
    given = run()
    weights, states = given["weights"].copy(), given["encoder_states"].copy()
    weights[1, 2], states[0, 1], states[1, 5] = np.nan, np.inf, -np.inf
    made = view(at=("weights", 2), weights=weights, encoder_states=states)
    picture = made.picture()
    assert "weights: “économique” nan" in picture.text
    written = {text.get_text() for text in picture.figure.axes[0].texts}
    assert {"nan", "inf", "−inf"} <= written
    assert np.isnan(made.numbers()["weights"][1, 2])


def test_a_probability_that_is_no_number_travels_too():
    """JSON has no NaN, and a kernel refuses to send one."""
    made = view(at=("write", 1), guesses=[[("the", float("nan")), ("a", 0.5)]] * 4)
    json.dumps(made.run, allow_nan=False)
    assert "next word: “the” nan, “a” .50" in made.picture().text


def test_all_nan_still_draws():
    nothing = np.full((4, D_HIDDEN), np.nan)
    given = {name: np.full_like(value, np.nan) for name, value in run().items() if isinstance(value, np.ndarray)}
    assert view(**(given | {"states": nothing})).picture().png().startswith(b"\x89PNG")


def test_many_numbers_still_draw():
    made = UnrolledView(**run("luong", d=512, d_hidden=512))
    assert made.numbers()["combined"].shape == (len(WRITTEN), 512)
    assert made.picture().png().startswith(b"\x89PNG")
