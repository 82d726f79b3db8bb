"""UnrolledView: what Python checks, sends and says, and its page in a browser."""

import json
from itertools import pairwise

import numpy as np
import pytest

from course_lib.data import Pair, Vocabulary
from course_lib.models import BahdanauDecoder, Encoder, FixedContextDecoder, LuongDecoder, Seq2Seq, trace
from course_lib.show import UnrolledView
from course_lib.show.theme import THEME, WORDS

from .accessibility import violations
from .unrolled_runs import NAMES, READ, SOURCE, WRITTEN, as_tuple, run, step_of, unrolled
from .views import painted

in_browser = pytest.mark.browser
THICK = "(paths) => paths.map((path) => parseFloat(path.style.strokeWidth))"
BOXES = """() => ["view", "controls", "status", "legend", "plot"].map((name) => {
  const { x, y, width, height } = document.querySelector(`.lesson-${name}`).getBoundingClientRect();
  return [x, y, width, height];
})"""
SEND = """([run, values]) => {
  model.state.values = new Float32Array(values);
  model.set("run", run);
}"""


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"encoder_states": np.ones((4, 6))}, r"encoder_states: expected \(5, numbers\) for 5 words .*got \(4, 6\)"),
        ({"encoder_states": np.ones((5, 7))}, "even number .*two directions, got 7"),
        ({"states": 1.0}, r"states: expected \(4, numbers\) .*got \(\)"),
        ({"start": np.ones(3)}, r"start: expected \(1, 4\) .*got \(3,\)"),
        ({"contexts": None}, "got no contexts"),
        ({"weights": np.ones((5, 4))}, r"weights: expected \(4, 5\) .*got \(5, 4\)"),
        ({"weights": -np.ones((4, 5))}, "negative.*scores"),
        ({"weights": None}, r"bahdanau: expected \['scores', 'weights'\], got \['scores'\]"),
        ({"kind": "transformer"}, "kind: expected one of .*got 'transformer'"),
        ({"formulas": {"dream": "z"}}, r"formulas: expected some of .*got \['dream'\]"),
        ({"written": ["the"]}, "written, one word for each word read: expected 4, got 1"),
        ({"guesses": [[("a", 0.5)]]}, "guesses, one list for each word read: expected 4, got 1"),
        ({"source": []}, "source: expected at least one word"),
    ],
)
def test_wrong_arguments_are_named_and_an_update_with_them_changes_nothing(changed, message):
    view = unrolled()
    before = (view.run, view.values, view.step)
    for make in (UnrolledView, view.update):
        with pytest.raises(ValueError, match=message):
            make(**(run() | changed))
    assert (view.run, view.values, view.step) == before


@pytest.mark.parametrize("kind", NAMES)
def test_numbers_arrive_as_given_and_a_tick_has_the_steps_of_its_kind(kind):
    given, view = run(kind), unrolled(kind)
    for name, rows in view.numbers().items():
        assert rows == pytest.approx(np.broadcast_to(given[name], rows.shape), abs=1e-6), name
    assert set(view.numbers()) == {name for name in given if not isinstance(given[name], list | str | bool)}
    assert [step["name"] for step in view.run["recipe"]["decode"]] == NAMES[kind]
    assert UnrolledView(**(given | {"kind": None})).run["kind"] == kind.split(",")[0]
    assert "scores" not in [step["name"] for step in unrolled(scores=None).run["recipe"]["decode"]]


@pytest.mark.parametrize("decoder", [FixedContextDecoder, BahdanauDecoder, LuongDecoder])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_a_models_trace_is_all_it_needs(decoder, bidirectional):
    """Rejects a view whose arguments and a trace's names have grown apart."""
    words = Vocabulary.of([tuple("abcdef")])
    encoder = Encoder(len(words), 4, 8, bidirectional=bidirectional)
    model = Seq2Seq(encoder, decoder(encoder, len(words), 4, 8))
    for sentence in (tuple("abc"), Pair(tuple("abc"), tuple("fe"))):
        given = trace(model, sentence, words, words, 4)
        view = UnrolledView.of(given, lang="zh")
        assert view.run["forced"] == hasattr(sentence, "target")
        assert view.numbers()["states"] == pytest.approx(given.states.numpy(), abs=1e-6)
        assert view.run["bidirectional"] == bidirectional
        assert view.picture().png().startswith(b"\x89PNG")


def test_update_draws_other_numbers_or_a_whole_run_and_keeps_the_rest():
    view = unrolled(at=("weights", 2))
    step = view.step
    view.update(weights=np.eye(4, 5))
    assert view.numbers()["weights"] == pytest.approx(np.eye(4, 5))
    assert view.numbers()["states"] == pytest.approx(run()["states"], abs=1e-6)
    assert view.step == step
    assert "“zone” 1" in view.picture().text
    view.update(as_tuple(run(read=READ[:2], written=["das", "小明"])))
    assert view.run["written"] == ["das", "小明"]
    assert view.step == min(step, step_of(view, "write", 2))


def test_the_text_alternative_says_what_has_happened_so_far():
    """Rejects a translation that is there before it is written, or weights before their softmax."""

    def text(kind, name, time, **options):
        return unrolled(kind, at=(name, time), **options).picture().text

    weights = run()["weights"][1]
    shown = text("bahdanau", "weights", 2)
    assert shown.startswith("time step 2 of 4, step 2 of 6: softmax → weights: a_{ij} = softmax_j(e_{ij})")
    assert f"weights: “{SOURCE[weights.argmax()]}” .{100 * weights.max():.0f}" in shown
    assert "next word: “Economic” .75, “other” .15, “<unk>” .06" in text("bahdanau", "write", 2)
    assert text("fixed", "encode", 2).startswith("time step 2 of 5: the encoder reads")
    assert "解码器: the Economic" in text("bahdanau", "write", 2, lang="zh")
    assert "Economic" not in text("bahdanau", "state", 2)
    assert "weights: " not in text("bahdanau", "scores", 2)


def test_the_picture_shows_what_is_known_with_lines_as_thick_as_the_weights():
    """Bars are images in the picture: two halves for each word read, s_0, the context, and the states reached."""
    count = {("encode", 2): 4, ("start", 0): 11, ("state", 1): 13, ("write", 4): 16}
    for at, images in count.items():
        assert len(unrolled(at=at).picture().figure.axes[0].images) == images, at
    view = unrolled(at=("weights", 3), weights=np.eye(4, 5) * 0.8 + 0.04)
    lines = [patch.get_linewidth() for patch in view.picture().figure.axes[0].patches if hasattr(patch, "get_path")]
    thick = sorted((width for width in lines if width not in (0, 0.8)), reverse=True)
    assert (thick[0] - 0.5) / (thick[1] - 0.5) == pytest.approx(0.84 / 0.04)


def with_wrong_numbers():
    weights, states = run()["weights"].copy(), run()["encoder_states"].copy()
    weights[1, 2], states[0, 1], states[1, 5] = np.nan, np.inf, -np.inf
    guesses = [[("the", np.nan), ("a", 0.5)]] * 4
    return unrolled(at=("weights", 2), weights=weights, encoder_states=states, guesses=guesses)


def test_nan_and_infinity_are_written_as_such_and_travel_without_json_having_them():
    view = with_wrong_numbers()
    assert "weights: “économique” nan" in view.picture().text
    assert {"nan", "inf", "−inf"} <= {text.get_text() for text in view.picture().figure.axes[0].texts}
    json.dumps(view.run, allow_nan=False)
    view.step = step_of(view, "write", 2)
    assert "next word: “the” nan, “a” .50" in view.picture().text


# ---- in a browser ---------------------------------------------------------------------------------------------------


def status(page):
    """The lines that say where the view stands."""
    return page.get_by_role("status").inner_text().splitlines()


def go(page, view, name, time):
    page.get_by_role("slider").fill(str(step_of(view, name, time)))


def decoder_words(page):
    """The words below the decoder that can be seen."""
    return [token.inner_text() for token in page.locator(".lesson-plot .token").all()[5:] if token.is_visible()]


def shown(page, selector):
    """How much of a group of lines can be seen: from 0 to 1."""
    return float(page.locator(selector).evaluate("(node) => getComputedStyle(node).opacity"))


@in_browser
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_small_step_is_named_has_its_place_and_is_accessible(open_view, kind, theme):
    """With its formula. Rejects steps out of their order, frames without arrows, a status that grows and moves all."""
    view = unrolled(kind, ("write", 1))
    page = open_view(view, motion="reduce", theme=theme)
    boxes, arrows = page.evaluate(BOXES), 0
    for place, step in enumerate(view.run["recipe"]["decode"]):
        page.get_by_role("slider").press("ArrowRight")
        name = WORDS["en"][f"step {step['name']}"]
        first, formula, *_ = status(page)
        assert first == f"time step 2 of 4, step {place + 1} of {len(NAMES[kind])}: {name}"
        assert formula.replace(" ", "") == "".join(letter for letter in step["formula"] if letter not in "_{}^ ")
        assert page.locator(".agenda .now").inner_text() == f"{place + 1} {name}"
        assert page.evaluate(BOXES) == boxes
        arrows += page.locator(".present path").count()
    assert arrows >= 2
    assert violations(page) == []


@in_browser
def test_keys_buttons_and_clicks_go_by_steps_and_by_time_steps(open_view):
    view = unrolled("luong", ("read", 2))
    page, start = open_view(view), view.step
    slider = page.get_by_role("slider")
    for target in (page.get_by_role("application"), slider):
        for key, step in {
            "ArrowRight": start + 1,
            "PageDown": start + 7,
            "PageUp": start,
            "Home": 0,
            "ArrowLeft": 0,
            "End": 33,
            "ArrowDown": 33,
        }.items():
            target.press(key)
            assert slider.input_value() == str(step), key
            assert page.evaluate("model.get('step')") == step
        slider.fill(str(start))
    page.get_by_role("button", name="step forward").click()
    assert slider.input_value() == str(start + 1)
    page.get_by_role("button", name="step back").click()
    assert slider.input_value() == str(start)
    page.locator(".token", has_text="économique").click()
    assert status(page)[0].startswith("time step 3 of 5: the encoder reads")
    plot = page.get_by_role("application").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] * 0.9, plot["y"] + plot["height"] * 0.75)
    assert status(page)[0].startswith("time step 4 of 4, step 7 of 7")


@in_browser
def test_words_stand_there_from_the_moment_they_are_written(open_view):
    """Rejects a translation that is there before it is written."""
    view = unrolled()
    page = open_view(view)
    for time in range(1, 5):
        go(page, view, "state", time)
        assert decoder_words(page) == ["<bos>", *WRITTEN[: time - 1]]
        go(page, view, "write", time)
        assert decoder_words(page) == ["<bos>", *WRITTEN[:time]]
        assert f"“{WRITTEN[time - 1]}”" in " ".join(status(page))
    go(page, view, "encode", 1)
    assert decoder_words(page) == []
    page = open_view(unrolled(written=["the", "big", "Area", "<eos>"], forced=True))
    assert decoder_words(page) == ["the", "big", "Area", "<eos>", *READ]
    assert page.get_by_text("reads next").is_visible()


@in_browser
@pytest.mark.parametrize(("kind", "before"), [("bahdanau", True), ("luong", False)])
def test_weights_are_lines_of_their_thickness_from_the_state_that_is_the_query(open_view, kind, before):
    """s_{i−1} for Bahdanau, h_t for Luong. Rejects the one drawn as the other, and weights before softmax."""
    view = unrolled(kind, ("scores", 3), weights=np.tile([0.05, 0.25, 0.6, 0.05, 0.05], (4, 1)))
    page = open_view(view, motion="reduce")
    fan, numbers = page.locator(".fan path"), page.locator(".lesson-plot .number")
    assert (shown(page, ".fan"), len(set(fan.evaluate_all(THICK)))) == (1, 1), "scores are no weights yet"
    page.get_by_role("button", name="step forward").click()
    assert fan.evaluate_all(THICK)[1:3] == pytest.approx([14 * 0.25, 14 * 0.6])
    assert numbers.all_inner_texts()[:5] == [".05", ".25", ".60", ".05", ".05"]
    x = float(fan.first.get_attribute("d")[1:].split(",")[0])
    assert x == pytest.approx(float(page.locator("rect.used").first.get_attribute("x")) + 10, abs=0.1)
    token = page.locator(".token").nth(5 + 2).bounding_box()
    column = token["x"] + token["width"] / 2 - page.get_by_role("application").bounding_box()["x"]
    assert (abs(x - column) < 1) == before
    assert shown(page, ".arcs") == 0
    page.get_by_role("button", name="step forward").click()
    assert shown(page, ".arcs") == 1, "now they run to the context"
    assert "“économique” \n.60" in page.get_by_role("status").inner_text()
    go(page, view, "start", 0)
    assert shown(page, ".fan") == 0


@in_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_brightness_is_the_value_and_what_is_not_known_yet_is_not_drawn(open_view, theme):
    states = np.tile([-1, -0.6, -0.2, 0.2, 0.6, 1], (5, 1))
    view = unrolled("fixed", ("encode", 2), encoder_states=states, bidirectional=False)
    page = open_view(view, theme=theme)
    x, y = (float(page.locator("rect.made").get_attribute(name)) + 2 for name in "xy")
    pixels = painted(page.locator("canvas.bars"))[int(y) + 6 : int(y) + 72 : 12, int(x) + 8]
    brightness = pixels[:, :3].sum(1)
    assert all(one < other for one, other in pairwise(brightness))
    ends = sorted((bytes.fromhex(THEME[theme]["ramp"][end][1:]) for end in (0, -1)), key=sum)
    assert [bytes(pixels[end, :3].tolist()) for end in (0, -1)] == ends
    go(page, view, "encode", 1)
    assert (painted(page.locator("canvas.bars"))[int(y) + 6 : int(y) + 72 : 12, int(x) + 8, 3] == 0).all()


@in_browser
def test_a_bidirectional_encoder_reads_from_both_ends_and_a_fixed_context_is_handed_to_each_decoding_step(open_view):
    page = open_view(unrolled(at=("encode", 2)))
    assert page.locator("rect.made").count() == 2
    assert page.locator(".token.now").all_inner_texts() == [SOURCE[1], SOURCE[-2]]
    assert "→ “zone”, ← “小红”" in status(page)[2]
    page = open_view(unrolled("fixed", ("state", 3)))
    handed = page.locator("svg .passed").nth(1).locator("path").all()
    assert [path.is_visible() for path in handed] == [True, True, True, False]
    assert len({path.get_attribute("d").split("C")[0] for path in handed}) == 1


@in_browser
def test_the_table_has_the_numbers_of_the_present_time_step(open_view):
    given, view = run("luong"), unrolled("luong", ("combine", 2))
    page = open_view(view)
    page.locator("summary").click()
    page.get_by_role("columnheader").first.wait_for()
    assert page.get_by_role("columnheader").all_inner_texts() == ["scores", "weights", *"123456"]
    assert page.get_by_role("rowheader").all_inner_texts() == [*SOURCE, "c_2", "h_1", "h_2", "h̃_2"]
    rows = [row.get_by_role("cell").all_inner_texts() for row in page.get_by_role("row").all()[1:]]
    numbers = [[float(cell.replace("−", "-")) for cell in row if cell] for row in rows]
    assert numbers[1][:2] == pytest.approx([given["scores"][1, 1], given["weights"][1, 1]], abs=6e-4)
    assert numbers[-1] == pytest.approx(given["combined"][1], abs=6e-4)
    assert numbers[-3] == pytest.approx(given["states"][0], abs=6e-4)
    go(page, view, "state", 2)
    assert page.get_by_role("rowheader").all_inner_texts() == [*SOURCE, "h_1", "h_2"], "no context, no h̃ yet"


@in_browser
def test_play_walks_through_the_steps_until_the_reader_steps_by_hand(open_view):
    page = open_view(unrolled())
    page.get_by_label("speed").select_option("4×")
    page.get_by_role("button", name="play").click()  # at the end: starts anew
    page.wait_for_function("model.get('step') > 2 && model.get('step') < 30")
    assert page.get_by_role("status").get_attribute("aria-live") == "off"
    page.get_by_role("slider").press("Home")
    page.get_by_role("button", name="play").wait_for()
    page.evaluate("Object.assign(document.querySelector('input'), { value: 30 })")
    assert page.evaluate("model.get('step')") == 0


@in_browser
def test_what_is_not_a_number_is_written_not_coloured(open_view):
    page = open_view(with_wrong_numbers())
    assert page.locator(".number").nth(2).inner_text() == "nan"
    assert page.locator(".fan path").nth(2).get_attribute("class") == "wrong"
    assert "“économique” \nnan" in page.get_by_role("status").inner_text()
    assert "not a number" in page.locator(".lesson-legend").inner_text()
    red = np.abs(painted(page.locator("canvas.bars"))[..., :3] - list(bytes.fromhex(THEME["light"]["wrong"][1:])))
    assert (red.max(-1) < 9).sum() > 20


@in_browser
@pytest.mark.parametrize("kind", ["fixed", "luong"])
def test_a_narrow_column_scrolls_inside_and_follows_what_happens_and_a_wider_one_gives_room(open_view, kind):
    words = ["word"] * 12
    view = UnrolledView(**run(kind, words, ["<bos>", *words[1:]], words, 64, 64))
    page = open_view(view, width=360)
    size = "getComputedStyle(document.querySelector('.token')).fontSize"
    assert page.evaluate(size) == "11px"
    for name, time in (("encode", 1), ("encode", 12), ("state", 1), ("state", 12)):
        go(page, view, name, time)
        plot, frame = page.locator(".scroller").bounding_box(), page.locator("rect.made").first.bounding_box()
        assert plot["x"] <= frame["x"] <= plot["x"] + plot["width"] - frame["width"], (name, time)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_function(f"{size} === '13px'")


@in_browser
def test_python_changes_the_numbers_in_place(open_view):
    """Rejects a view that is built anew for new numbers: the slider would lose the focus, the table would close."""
    view = unrolled(at=("weights", 2))
    page = open_view(view)
    page.locator("summary").click()
    page.get_by_role("slider").focus()
    view.update(weights=np.eye(4, 5))
    page.evaluate(SEND, [view.run, np.frombuffer(view.values, "<f4").tolist()])
    page.evaluate("model.set('values', model.get('values'))")
    assert "“zone” \n1" in page.get_by_role("status").inner_text()
    assert page.evaluate("document.activeElement.type") == "range"
    longer = {"source": SOURCE[-3:], "read": [*READ, "and", "so"], "written": ["the", *"abcd", "小明"]}
    other = UnrolledView(**run(**longer))
    page.evaluate(SEND, [other.run, np.frombuffer(other.values, "<f4").tolist()])
    page.get_by_role("slider").press("End")
    assert status(page)[0].startswith("time step 6 of 6"), "also where there are fewer source words"
    assert page.locator("details").get_attribute("open") is not None
