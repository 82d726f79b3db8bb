"""Colours: even for every kind of colour vision, and readable."""

import numpy as np
import pytest
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from course_lib.show import theme


def ramp(stops):
    """256 colours between the stops, as figures and views have them."""
    return LinearSegmentedColormap.from_list("ramp", stops, 256)(range(256))[:, :3]


def test_numbers_are_readable_on_every_colour():
    """Contrast of at least 4.5 : 1 on all of the ramps; rejects digits that are always black."""
    for stops in (theme.THEME["light"]["ramp"], theme.THEME["dark"]["ramp"], theme.THEME["diverging"]):
        for colour in map(tuple, ramp(stops)):
            letter, background = theme.luminance(to_rgb(theme.letter_colour(colour))), theme.luminance(colour)
            assert (max(letter, background) + 0.05) / (min(letter, background) + 0.05) >= 4.5


@pytest.mark.parametrize("colour", ["ink", "muted", "wrong"])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_are_readable_on_the_page(name, colour):
    letter, page = (theme.luminance(to_rgb(theme.THEME[name][part])) for part in (colour, "page"))
    assert (max(letter, page) + 0.05) / (min(letter, page) + 0.05) >= 4.5


def test_both_languages_have_the_same_words():
    assert theme.WORDS["en"].keys() == theme.WORDS["zh"].keys()


# Linear red, green, blue as eyes without one kind of cone see them (Machado et al. 2009, severity 1).
VISION = {
    "normal": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("name", ["light", "dark", "negative", "positive"])
def test_more_weight_is_never_lighter_again(vision, name):
    """Rejects a rainbow: for every kind of colour vision, luminance runs in one direction along a ramp."""
    diverging = theme.THEME["diverging"]
    stops = {"negative": diverging[:17], "positive": diverging[16:]}.get(name) or theme.THEME[name]["ramp"]
    colours = ramp(stops)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    steps = np.diff(linear @ np.asarray(VISION[vision]).T @ [0.2126, 0.7152, 0.0722])
    assert (steps >= -1e-6).all() or (steps <= 1e-6).all()
