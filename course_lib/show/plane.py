"""Words as points in the plane, with arrows between them."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from course_lib.show import theme
from course_lib.show.alt_text import describe_rows
from course_lib.show.arrays import ArrayLike, as_array, check_count
from course_lib.show.fonts import LAST_BEFORE_CHINESE, drawable
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDTH, HEIGHT = 4.6, 3.6  # inches
LETTER, LINE = 0.085, 0.15  # inches
SIDES = np.array([(1, 0), (1, 1), (1, -1), (-1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1)])
ARROW = {"arrowstyle": "-|>", "color": theme.SERIES[1], "linewidth": 1.3, "shrinkA": 5, "shrinkB": 5}


def points(
    xy: ArrayLike, labels: Sequence[str], *, arrows: Sequence[tuple[str, str]] = (), title: str | None = None
) -> Picture:
    """Draw words as points (word, 2), and arrows from one named word to another.

    Raises ValueError if there is not one label for each point, or if an arrow names a word that is not a label.
    """
    places = as_array(xy)
    if places.ndim != 2 or places.shape[1] != 2:
        raise ValueError(f"points: expected places of shape (word, 2), got shape {places.shape}.")
    check_count("labels", labels, len(places))
    check_arrows(arrows, labels)
    at = dict(zip(labels, places, strict=True))
    with picture_style():
        (axes,) = new_axes(WIDTH, HEIGHT)
        axes.scatter(*places.T, s=22, color=theme.SERIES[0], zorder=3)
        axes.margins(0.12)
        axes.grid(True)
        for start, end in arrows:
            axes.annotate("", xy=at[end], xytext=at[start], arrowprops=ARROW)
        write_beside(axes, places, [drawable(label) for label in labels])
        axes.set_title(title or "", loc="left")
        return finished(axes.figure, describe_rows(title or "points", at))


def check_arrows(arrows: Sequence[tuple[str, str]], labels: Sequence[str]) -> None:
    """Raise ValueError if an arrow starts or ends at a word that is not a label."""
    for word in (word for arrow in arrows for word in arrow):
        if word not in labels:
            raise ValueError(f"arrows: expected words among the labels, got {word!r}.")


def write_beside(axes: Axes, places: Float[np.ndarray, "word 2"], labels: Sequence[str]) -> None:
    """Write each word on the side of its point where it overlaps other words and points least."""
    dots = axes.transData.transform(places) / axes.figure.dpi
    taken = [box(dot, np.zeros(2), np.array([0.1, 0.1])) for dot in dots]
    for place, dot, label in zip(places, dots, labels, strict=True):
        size = np.array([LETTER * sum(1 + (ord(c) > LAST_BEFORE_CHINESE) for c in label), LINE])
        side = min(SIDES, key=lambda side: sum(overlap(box(dot, side, size), other) for other in taken))
        taken.append(box(dot, side, size))
        align = {"ha": ("right", "center", "left")[side[0] + 1], "va": ("top", "center", "bottom")[side[1] + 1]}
        axes.annotate(label, place, xytext=5 * side, textcoords="offset points", parse_math=False, **align)


def box(dot: np.ndarray, side: np.ndarray, size: np.ndarray) -> Float[np.ndarray, "corner 2"]:
    """The lower left and upper right corners of a text on this side of a point."""
    centre = dot + side * (size / 2 + 0.06)
    return np.stack([centre - size / 2, centre + size / 2])


def overlap(one: Float[np.ndarray, "corner 2"], other: Float[np.ndarray, "corner 2"]) -> float:
    """The area that two boxes have in common."""
    return float(np.prod(np.clip(np.minimum(one[1], other[1]) - np.maximum(one[0], other[0]), 0, None)))
