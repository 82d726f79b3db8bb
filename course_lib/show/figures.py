"""Vectors as strips of coloured cells, and bar charts with ranges."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from course_lib.show import theme
from course_lib.show.alt_text import describe_rows
from course_lib.show.arrays import ArrayLike, as_array, check_count, short
from course_lib.show.fonts import drawable
from course_lib.show.heatmap import draw_colour_bar, hatch
from course_lib.show.picture import Picture, finished, new_axes, picture_style

STRIP, STRIP_GAP, LETTER = 0.24, 0.09, 0.085  # inches: height of a strip, space below it, width of a letter
WIDEST = 6.0  # inches


def bars(
    vectors: ArrayLike, labels: Sequence[str], *, title: str | None = None, names: Sequence[str] | None = None
) -> Picture:
    """Draw each vector (time, dim) as a strip of cells coloured by value: white is 0, blue negative, brown positive.

    `labels` name the strips, e.g. the word read at that time; `names` name the components.
    Raises ValueError if there is not one label for each vector, or not one name for each component.
    """
    values = as_array(vectors)
    if values.ndim != 2:
        raise ValueError(f"bars: expected vectors of shape (time, dim), got shape {values.shape}.")
    check_count("labels", labels, len(values))
    if names is not None:
        check_count("names", names, values.shape[1])
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    norm = Normalize(-largest, largest)
    cell = min(0.3, WIDEST / values.shape[1])
    width, height = cell * values.shape[1], len(values) * (STRIP + STRIP_GAP)
    with picture_style():
        (axes,) = new_axes(width, height)
        draw_strips(axes, values, norm)
        axes.set_yticks(range(len(values)), [drawable(label) for label in labels], parse_math=False)
        name_components(axes, names, cell)
        axes.set_title(title or "")
        draw_colour_bar(axes.figure, ScalarMappable(norm, theme.SIGNED_COLOURS), theme.WORDS["en"])
        rows = {f"{place + 1} {label}": row for place, (label, row) in enumerate(zip(labels, values, strict=True))}
        return finished(axes.figure, describe_rows(title or "vectors", rows))


def draw_strips(axes: Axes, values: Float[np.ndarray, "time dim"], norm: Normalize) -> None:
    """One strip for each vector, from top to bottom."""
    half = 0.5 * STRIP / (STRIP + STRIP_GAP)
    edges = np.arange(values.shape[1] + 1) - 0.5
    for time, row in enumerate(np.ma.masked_invalid(values)):
        axes.pcolormesh(edges, [time - half, time + half], row[None], cmap=theme.SIGNED_COLOURS, norm=norm)
        frame = {"color": theme.LINE, "linewidth": 0.8, "clip_on": False}
        axes.plot(edges[[0, -1, -1, 0, 0]], time + half * np.array([-1, -1, 1, 1, -1]), **frame)
    hatch(axes, ~np.isfinite(values), "xxxx", theme.WRONG)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def name_components(axes: Axes, names: Sequence[str] | None, cell: float) -> None:
    """Names above the components, rotated if they are longer than a cell is wide; nothing if there are none."""
    if names is None:
        axes.set_xticks([])
        return
    rotated = max(len(name) for name in names) * 0.11 > cell
    axes.set_xticks(range(len(names)), [drawable(name) for name in names], parse_math=False, size=8)
    axes.tick_params(axis="x", labeltop=True, labelbottom=False, labelrotation=90 if rotated else 0)


def columns(
    values: ArrayLike,
    labels: Sequence[str],
    *,
    ranges: ArrayLike | None = None,
    ylabel: str = "",
    title: str | None = None,
    ylim: tuple[float | int, float | int] | None = None,
) -> Picture:
    """Draw one column for each value, its number above it; `ranges` (value, 2) are minimum and maximum over seeds.

    Raises ValueError if there is not one label, or not one range, for each value.
    """
    heights = as_array(values)
    check_count("labels", labels, len(heights))
    limits = np.stack([heights, heights], axis=1) if ranges is None else as_array(ranges)
    check_count("ranges", limits, len(heights))
    with picture_style():
        spacing = max(0.75, 0.15 + LETTER * max((len(label) for label in labels), default=0))
        (axes,) = new_axes(spacing * len(heights), 2.4)
        axes.bar(range(len(heights)), heights, color=theme.SERIES[0], width=0.45 / spacing)
        if ranges is not None:
            around = [heights - limits[:, 0], limits[:, 1] - heights]
            axes.errorbar(range(len(heights)), heights, around, fmt="none", ecolor=theme.INK, elinewidth=1, capsize=4)
        beside, side = ((0, 3), "center") if ranges is None else ((5, 3), "left")  # beside the line of the range
        for place, height in enumerate(np.maximum(heights, 0)):
            where = {"xytext": beside, "textcoords": "offset points", "ha": side, "size": 8.5}
            axes.annotate(short(heights[place]), (place, height), **where)
        axes.axhline(0, color=theme.LINE, linewidth=0.8)
        axes.grid(axis="y")
        axes.set_xticks(range(len(labels)), [drawable(label) for label in labels], parse_math=False)
        axes.set(ylabel=ylabel, ylim=ylim, title=title or "")
        rows = heights[:, None] if ranges is None else np.column_stack([heights, limits])
        return finished(axes.figure, describe_rows(title or ylabel or "columns", dict(zip(labels, rows, strict=True))))
