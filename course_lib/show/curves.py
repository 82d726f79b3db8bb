"""Curves: loss by step, accuracy by length, weights by temperature; with the band of a longer run behind them."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from course_lib.show import theme
from course_lib.show.arrays import ArrayLike, as_array
from course_lib.show.in_words import describe_rows
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDTH, HEIGHT = 4.8, 2.8  # inches
LABELS_THAT_FIT, LINE_HEIGHT = 6, 0.17  # names at the ends of lines, and inches for each
MARKED_POINTS = 24
BEHIND, ALONE = 0.16, 0.4  # how opaque a band is behind its line, or without one


def curves(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    xlabel: str,
    ylabel: str,
    title: str | None = None,
    ranges: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]] | None = None,
    ylim: tuple[float | int, float | int] | None = None,
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
            colour = line_style(number)["color"]
            if name in ranges:
                x, low, high = ranges[name]
                alpha = BEHIND if name in series else ALONE
                axes.fill_between(places(x), as_array(low), as_array(high), color=colour, alpha=alpha, linewidth=0)
            if name in series:
                draw_line(axes, places(series[name][0]), as_array(series[name][1]), number)
        places.label(axes)
        finish_axes(axes, xlabel, ylabel, title, ylim)
        name_lines(axes, names, [series[name][1] if name in series else middle(ranges[name]) for name in names])
        rows = {name: as_array(y) for name, (_, y) in series.items()}
        return finished(axes.figure, describe_rows(f"{title or 'curves'}: {ylabel} by {xlabel}", rows))


class Places:
    """Where the values of x go: numbers as they are, categories side by side in the order of their appearance."""

    def __init__(self, xs: list[ArrayLike]):
        values = [value for x in xs for value in x]
        self.categories = list(dict.fromkeys(values)) if any(isinstance(value, str) for value in values) else []

    def __call__(self, x: ArrayLike) -> np.ndarray:
        return as_array([self.categories.index(value) for value in x] if self.categories else x)

    def label(self, axes: Axes) -> None:
        """Write the categories below the axis; numbers have labels of their own."""
        if self.categories:
            axes.set_xticks(range(len(self.categories)), self.categories, parse_math=False)


def line_style(number: int) -> dict:
    """Colour, marker and dashes of the nth line; neither colour nor shape is the only difference."""
    turn, place = divmod(number, len(theme.SERIES))
    return {"color": theme.SERIES[place], "marker": theme.MARKERS[place], "linestyle": ("-", "--", ":")[turn % 3]}


def draw_line(axes: Axes, x: np.ndarray, y: np.ndarray, number: int) -> None:
    """A line; with a marker at each point if the points are few enough to be told apart."""
    style = line_style(number)
    if len(x) > MARKED_POINTS:
        style.pop("marker")
    axes.plot(x, y, **style, clip_on=False, zorder=3)


def finish_axes(
    axes: Axes, xlabel: str, ylabel: str, title: str | None, ylim: tuple[float | int, float | int] | None
) -> None:
    """Titles, limits, and quiet lines across to read values off."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title or "", loc="left")
    axes.grid(axis="y")
    axes.margins(x=0.02)
    if ylim is not None:
        axes.set_ylim(*ylim)


def name_lines(axes: Axes, names: list[str], ys: list[ArrayLike]) -> None:
    """Write each name at the end of its line, pushed apart where ends are close; in a legend if there are too many."""
    if len(names) > LABELS_THAT_FIT:
        for number, name in enumerate(names):
            axes.plot([], [], label=name, **line_style(number))
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
        return
    bottom, top = axes.get_ylim()
    ends = np.array([(last_finite(y) - bottom) / (top - bottom) for y in ys])
    for number, height in enumerate(pushed_apart(ends, LINE_HEIGHT / HEIGHT)):
        colour = line_style(number)["color"]
        axes.text(1.02, height, names[number], color=colour, size=9, va="center", transform=axes.transAxes)


def pushed_apart(heights: np.ndarray, gap: float) -> np.ndarray:
    """The same heights, moved so far that neighbours are a gap apart and none is above 1."""
    order = np.argsort(heights, kind="stable")
    placed = heights[order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    ceiling = 1.0
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    moved = np.empty_like(placed)
    moved[order] = placed
    return moved


def last_finite(y: ArrayLike) -> float:
    """Where a line ends; 0 if it never was a number."""
    numbers = as_array(y)
    return float(np.append(0.0, numbers[np.isfinite(numbers)])[-1])


def middle(band: tuple) -> np.ndarray:
    """Half way between low and high."""
    return (as_array(band[1]) + as_array(band[2])) / 2


def check_lengths(series: Mapping[str, tuple], ranges: Mapping[str, tuple]) -> None:
    """Raise ValueError naming the series whose x and y do not have the same length."""
    for name, (x, *ys) in (*series.items(), *ranges.items()):
        for y in ys:
            if len(x) != len(y):
                raise ValueError(f"{name}: expected as many values as the {len(x)} places on the x axis, got {len(y)}.")
