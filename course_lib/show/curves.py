"""Line plots: loss by step, accuracy by length, weights by temperature; with ranges for ranges over seeds."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from course_lib.show import theme
from course_lib.show.alt_text import describe_rows
from course_lib.show.arrays import ArrayLike, as_array
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDTH, HEIGHT = 4.8, 2.8  # inches
LABELS_THAT_FIT, LINE_HEIGHT = 6, 0.17  # names at the ends of lines, and inches for each
MARKED_POINTS = 24
BEHIND, ALONE = 0.16, 0.4  # opacity of a band with a line, and without one

Limits = tuple[float | int, float | int]


def curves(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    xlabel: str,
    ylabel: str,
    title: str | None = None,
    ranges: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]] | None = None,
    ylim: Limits | None = None,
) -> Picture:
    """Draw one line for each (x, y); x may be numbers or categories such as "4–7".

    `ranges` holds (x, low, high), shaded in the colour of the line of the same name; a band without a line gets a
    colour and a label of its own. Raises ValueError if x and y are not equally long.
    """
    ranges = ranges or {}
    check_lengths(series, ranges)
    places = Places([x for x, *_ in (*series.values(), *ranges.values())])
    names = list(dict.fromkeys((*series, *ranges)))
    with picture_style():
        (axes,) = new_axes(WIDTH, HEIGHT)
        for number, name in enumerate(names):
            style = line_style(number)
            if name in ranges:
                x, low, high = ranges[name]
                alpha = BEHIND if name in series else ALONE
                band = {"color": style["color"], "alpha": alpha, "linewidth": 0}
                axes.fill_between(places(x), as_array(low), as_array(high), **band)
            if name in series:
                x, y = series[name]
                if len(x) > MARKED_POINTS:
                    del style["marker"]
                axes.plot(places(x), as_array(y), **style, clip_on=False, zorder=3)
        if places.categories:
            axes.set_xticks(range(len(places.categories)), places.categories, parse_math=False)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.set_title(title or "", loc="left")
        axes.grid(axis="y")
        axes.margins(x=0.02)
        if ylim is not None:
            axes.set_ylim(*ylim)
        middles = {name: (as_array(low) + as_array(high)) / 2 for name, (_, low, high) in ranges.items()}
        name_lines(axes, {name: series[name][1] if name in series else middles[name] for name in names})
        rows = {name: as_array(y) for name, (_, y) in series.items()}
        return finished(axes.figure, describe_rows(f"{title or 'curves'}: {ylabel} by {xlabel}", rows))


class Places:
    """Positions on the x axis: of numbers their values, of categories their order of appearance."""

    def __init__(self, xs: list[ArrayLike]):
        values = [value for x in xs for value in x]
        self.categories = list(dict.fromkeys(values)) if any(isinstance(value, str) for value in values) else []

    def __call__(self, x: ArrayLike) -> np.ndarray:
        return as_array([self.categories.index(value) for value in x] if self.categories else x)


def line_style(number: int) -> dict:
    """Colour, marker and dashes of the nth line; neither colour nor shape is the only difference."""
    turn, place = divmod(number, len(theme.SERIES))
    return {"color": theme.SERIES[place], "marker": theme.MARKERS[place], "linestyle": ("-", "--", ":")[turn % 3]}


def name_lines(axes: Axes, lines: Mapping[str, ArrayLike]) -> None:
    """Write each name at the end of its line, without overlap; in a legend if there are too many."""
    if len(lines) > LABELS_THAT_FIT:
        for number, name in enumerate(lines):
            axes.plot([], [], label=name, **line_style(number))
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
        return
    bottom, top = axes.get_ylim()
    finite = [numbers[np.isfinite(numbers)] for numbers in map(as_array, lines.values())]
    ends = np.array([(np.append(0.0, numbers)[-1] - bottom) / (top - bottom) for numbers in finite])
    for number, (name, height) in enumerate(zip(lines, pushed_apart(ends, LINE_HEIGHT / HEIGHT), strict=True)):
        colour = line_style(number)["color"]
        axes.text(1.02, height, name, color=colour, size=9, va="center", transform=axes.transAxes)


def pushed_apart(heights: np.ndarray, gap: float) -> np.ndarray:
    """The same heights, moved so far that neighbours are a gap apart and none is above 1."""
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    up = np.maximum.accumulate(heights[order] - steps) + steps
    ceiling = 1 - steps[::-1]
    moved = np.empty_like(heights)
    moved[order] = np.minimum(up, ceiling)
    return moved


def check_lengths(series: Mapping[str, tuple], ranges: Mapping[str, tuple]) -> None:
    """Raise ValueError naming the series whose x and y do not have the same length."""
    for name, (x, *ys) in (*series.items(), *ranges.items()):
        for y in ys:
            if len(x) != len(y):
                raise ValueError(f"{name}: expected as many values as the {len(x)} places on the x axis, got {len(y)}.")
