"""AttentionView, the Python side: shapes, what travels, and what is left in places without a kernel."""

import base64
import gzip
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from course_lib.show import AttentionView

QUERIES, KEYS = ["European", "Economic", "Area"], ["zone", "économique", "européenne", "。"]
SCORES = np.array([[0.1, 0.2, 3.0, -1.0], [0.3, 2.5, 0.1, 0.0], [2.2, 0.4, 0.1, -2.0]])
GOLD = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]], dtype=bool)
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "'\"&quot;", "-->"]
WIDGET = "application/vnd.jupyter.widget-view+json"


class Outline(HTMLParser):
    """The names of the elements of a page, its srcdoc pages, and the text of its scripts."""

    def __init__(self, source: str):
        super().__init__()
        self.names, self.frames, self.scripts = [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.frames += [value for name, value in attrs if name == "srcdoc"]

    def handle_data(self, data):
        if self.names and self.names[-1] == "script":
            self.scripts.append(data)


def html_of(view: AttentionView) -> str:
    return view._repr_mimebundle_()[0]["text/html"]


def frame_of(view: AttentionView) -> str:
    """The page in the frame, unpacked as a browser does it."""
    packed = re.search(r'atob\("(.*?)"\)', Outline(html_of(view)).frames[0])[1]
    return gzip.decompress(base64.b64decode(packed)).decode()


def carried(view: AttentionView) -> dict:
    """The state that the page of a view carries."""
    return json.loads(re.search(r"showPage\(render, (\{.*\})\);</script>", view.to_html())[1])


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AttentionView(SCORES.T**2, QUERIES, KEYS), r"expected .*3, 4.*got \(4, 3\).*transposed"),
        (lambda: AttentionView(scores=SCORES[:2], queries=QUERIES, keys=KEYS), r"scores: expected .*got \(2, 4\)"),
        (lambda: AttentionView(SCORES**2, QUERIES, KEYS, gold=GOLD[:, :2]), r"gold: expected .*got \(3, 2\)"),
        (lambda: AttentionView(np.ones((1, 1, 1, 3, 4)), QUERIES, KEYS), r"head or layer.*got \(1, 1, 1, 3, 4\)"),
        (lambda: AttentionView(SCORES**2, QUERIES, KEYS, beside={"b": GOLD.T}), r"beside: .*3, 4.*got \(4, 3\)"),
        (lambda: AttentionView(SCORES**2, QUERIES, KEYS, beside={"b": GOLD, "c": GOLD}), "expected one name"),
        (lambda: AttentionView(queries=QUERIES, keys=KEYS), "exactly one of them"),
        (lambda: AttentionView(SCORES, QUERIES, KEYS, scores=SCORES), "exactly one of them"),
        (lambda: AttentionView(SCORES, QUERIES, KEYS), "negative.*say scores="),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_every_place_gets_its_form():
    data, metadata = AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS)._repr_mimebundle_()
    assert data.keys() == {WIDGET, "text/html", "image/png", "text/plain"}
    assert "European → européenne" in metadata["image/png"]["alt"]
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


def test_picture_comes_first_then_a_page_that_hides_it():
    view = AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS)
    assert Outline(html_of(view)).names == ["div", "img", "iframe"]
    assert frame_of(view) == view.to_html()
    assert "previousElementSibling.hidden = true" in Outline(view.to_html()).scripts[0]


def test_same_data_same_output():
    """Rejects addresses, model ids and random ids in the repr or in the page."""
    one, other = (AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, gold=GOLD) for _ in range(2))
    assert repr(one) == repr(other) == "AttentionView(scores: 3 queries × 4 keys, gold)"
    assert html_of(one) == html_of(other)


def test_page_asks_for_nothing_from_any_network():
    """Rejects a CDN, a linked style sheet, a font or a module from elsewhere."""
    view = AttentionView(SCORES**2, QUERIES, KEYS)
    for page in (html_of(view), view.to_html()):
        assert not re.search(r"https?:|url\(|@import|import\(|href=|src=(?!.?data:)|fetch\(", page)


def test_words_are_text_never_markup():
    """Rejects words pasted into HTML or into the script: they must not add or close an element."""
    square = np.eye(4)
    hostile, plain = (AttentionView(square, words, words) for words in (HOSTILE, list("abcd")))
    assert Outline(html_of(hostile)).names == Outline(html_of(plain)).names
    assert Outline(hostile.to_html()).names == Outline(plain.to_html()).names
    assert carried(AttentionView(square, HOSTILE, HOSTILE))["query_tokens"] == HOSTILE


@pytest.mark.parametrize(("kind", "heads", "size"), [("single", 1, 1.0), ("half", 200, 1.0), ("single", 200, 40.0)])
def test_page_carries_the_numbers_precisely_enough(kind, heads, size):
    """Rejects half precision where it would move weights visibly, and full precision for many numbers."""
    scores = size * np.random.default_rng(0).uniform(-7, 7, size=(heads, 3, 4))
    text = carried(AttentionView(scores=scores, queries=QUERIES, keys=KEYS))["values"][kind]
    numbers = np.frombuffer(base64.b64decode(text), {"half": "<f2", "single": "<f4"}[kind]).astype(float)
    assert np.abs(softmax(numbers.reshape(scores.shape)) - softmax(scores)).max() < 2e-3


def test_view_of_twelve_words_is_small():
    words = [f"word{n}" for n in range(12)]
    view = AttentionView(np.random.default_rng(0).dirichlet(np.ones(12), size=12), words, words, gold=np.eye(12))
    assert len(html_of(view)) < 40_000


def test_weights_are_the_softmax_of_the_layer_and_head_that_are_shown():
    scores = np.random.default_rng(0).normal(size=(2, 5, 3, 4))
    view = AttentionView(scores=scores, queries=QUERIES, keys=KEYS)
    view.layer, view.head, view.temperature = 1, 3, 0.5
    assert view.weights() == pytest.approx(softmax(scores[1, 3] / 0.5), abs=1e-6)
    assert "2 layers × 5 heads" in repr(view)
    heads_only = AttentionView(scores=scores[0], queries=QUERIES, keys=KEYS)
    assert heads_only.shape == [1, 5, 3, 4]


def test_masked_cells_get_no_weight_and_a_wholly_masked_row_gives_zeros():
    mask = np.tri(3, 4, k=-1, dtype=bool)
    view = AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, mask=mask)
    weights = view.weights()
    assert (weights[~mask] == 0).all()
    assert weights.sum(1) == pytest.approx([0, 1, 1])
    assert np.isneginf(np.frombuffer(view.values, "<f4").reshape(3, 4)).tolist() == (~mask).tolist()


def test_nan_stays_nan():
    weights = np.full((3, 4), 0.25)
    weights[1, 2] = np.nan
    view = AttentionView(weights, QUERIES, KEYS)
    assert np.isnan(view.weights()[1, 2])
    assert "Economic → nan" in view.picture().text


def test_update_draws_other_numbers_over_the_same_words():
    view = AttentionView(np.full((3, 4), 0.25), QUERIES, KEYS)
    view.update(scores=SCORES)
    assert view.weights() == pytest.approx(softmax(SCORES), abs=1e-6)
    with pytest.raises(ValueError, match="transposed"):
        view.update(SCORES.T**2)


def test_words_of_the_view_come_in_chinese_too():
    assert "热图" in AttentionView(SCORES**2, QUERIES, KEYS, lang="zh").picture().text


def test_all_languages_have_the_same_words():
    from course_lib.show.theme import WORDS

    assert WORDS["en"].keys() == WORDS["zh"].keys()


def test_a_view_can_call_its_rows_and_columns_otherwise():
    """Rejects a view that calls every row “the word being written”, also where nothing is written."""
    view = AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, words={"query": "question", "key": "on the shelf"})
    assert "question" in view.to_html()
    titles = [axes.get_ylabel() for axes in view.picture().figure.axes]
    assert "question" in titles
    with pytest.raises(ValueError, match=r"words: expected some of .*got \['colour'\]"):
        AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, words={"colour": "red"})


def test_the_other_model_is_named_and_drawn_beside():
    view = AttentionView(scores=SCORES, queries=QUERIES, keys=KEYS, beside={"Luong": SCORES[::-1]})
    assert repr(view) == "AttentionView(scores: 3 queries × 4 keys, beside Luong)"
    text = view.picture().text
    assert text.index("“learned”") < text.index("European → européenne") < text.index("“Luong”")
    assert text.index("“Luong”") < text.index("European → zone")
    view.update(scores=SCORES, beside=SCORES)
    assert "European → zone" not in view.picture().text


def test_fewer_heads_after_an_update_still_draw():
    view = AttentionView(np.ones((1, 4, 3, 4)), QUERIES, KEYS)
    view.head = 3
    view.update(np.ones((3, 4)))
    assert view.weights().shape == (3, 4)


def test_chinese_characters_travel_with_the_view_and_others_do_not():
    """Rejects a view that a browser without a Chinese font draws as boxes, and one that carries a whole font."""
    from fontTools.ttLib import TTFont

    view = AttentionView(np.eye(2), ["小明", "b"], ["喜欢", "é"])
    characters = TTFont(io.BytesIO(view.font)).getBestCmap()
    assert set(map(chr, characters)) == set("小明喜欢")
    assert view.font == AttentionView(np.eye(2), ["明小", "c"], ["欢喜", "d"]).font
    assert AttentionView(np.eye(2), ["a", "b"], ["c", "é"]).font == b""
    in_chinese = TTFont(io.BytesIO(AttentionView(np.eye(2), ["a", "b"], ["c", "d"], lang="zh").font)).getBestCmap()
    assert set("播放步温度热图连线") <= set(map(chr, in_chinese)), "the words of the view itself"
    assert ord("猜") not in in_chinese, "but not those of other views"
