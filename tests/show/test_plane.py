"""Words in the plane."""

import pytest

from course_lib import show

from .examples import QUERIES, WEIGHTS, example


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: show.points(WEIGHTS, QUERIES), r"expected places of shape \(word, 2\), got shape \(3, 5\)"),
        (lambda: show.points([[0, 0]], ["a"], arrows=[("a", "b")]), "arrows: expected words among the labels, got 'b'"),
    ],
)
def test_what_does_not_fit_is_named_with_expected_and_got(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_arrow_points_from_the_first_word_to_the_second():
    (arrow,) = (text for text in example("points").figure.axes[0].texts if text.arrow_patch)
    assert tuple(arrow.xyann) == (0, 0)
    assert tuple(arrow.xy) == (0, 1)


def test_chinese_words_keep_clear_of_the_points_beside_them():
    """Rejects a letter's width that is that of Latin ones: four Chinese letters need twice as much."""
    picture = show.points([[0, 0], [0.12, 0], [1.7, 1]], ["机器学习", "b", "c"])
    axes = picture.figure.axes[0]
    word = next(text for text in axes.texts if text.get_text() == "机器学习").get_window_extent()
    x, y = axes.transData.transform([0.12, 0])
    assert not word.contains(x, y)
