"""Words in figures: no boxes, no mathematics, and a note where a glyph is missing."""

import warnings

import matplotlib
import numpy as np
import pytest

from course_lib import show
from course_lib.show import fonts


@pytest.mark.parametrize(
    "words",
    [
        ("小明", "喜欢", "苹果", "。", "，", "浏览", "渲染"),
        ("1962年12月29日土曜日", "カタカナ", "ひらがな"),
        ("2012년 12월 29일 토요일", "星期六", "суббота", "Σάββατο", "السبت", "thứ Bảy"),
        ("$x$", "$\\nonsense", "a_b", " ", "<eos>", "\u202f"),
    ],
)
def test_words_of_the_course_have_glyphs_and_are_taken_literally(words):
    """Warnings are errors: rejects a missing font (boxes), and words read as mathematics."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        square = np.eye(len(words))
        pictures = [
            show.heatmap(square, words, words),
            show.bars(square, words, names=words),
            show.points(square[:, :2], words),
            show.columns(square[0], words),
        ]
        for picture in pictures:
            picture.png()
    assert fonts.missing_characters("".join(words)) == []
    labels = [label.get_text() for label in pictures[0].figure.axes[0].get_xticklabels()]
    assert labels == [fonts.drawable(word) for word in words]


def test_character_without_a_glyph_is_replaced_and_a_note_says_how_to_add_a_font():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = show.heatmap([[1.0]], ["กวาง"], ["deer"])
        picture.png()
    (sentence,) = (text.get_text() for text in picture.figure.texts)
    assert "U+0E01" in sentence
    assert "show.add_font" in sentence
    assert picture.figure.axes[0].get_yticklabels()[0].get_text() == fonts.UNKNOWN * 4
    assert "กวาง" in repr(picture)


def test_a_font_that_was_added_is_used(monkeypatch):
    monkeypatch.setattr(fonts, "_fonts", dict(fonts._fonts))
    only_in_stix = "\u23b4\ua730"
    lost = fonts.missing_characters(only_in_stix)
    assert lost
    name = show.add_font(f"{matplotlib.get_data_path()}/fonts/ttf/STIXGeneral.ttf")
    assert fonts.font_family()[-1] == name
    assert len(fonts.missing_characters(only_in_stix)) < len(lost)
