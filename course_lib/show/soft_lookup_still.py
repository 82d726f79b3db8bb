"""The static picture of a SoftLookupView: the plane, the weights as bars, and the values as strips."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patheffects import withStroke

from course_lib.show import theme
from course_lib.show.arrays import short
from course_lib.show.figures import draw_strips
from course_lib.show.fonts import drawable
from course_lib.show.picture import Picture, finished, new_axes, picture_style
from course_lib.show.plane import write_beside

PLANE, HIGH, BARS, STRIPS, ROW, LETTER = 3.6, 3.0, 1.1, 1.8, 0.22, 0.085  # inches


def still(
    keys: Float[np.ndarray, "key 2"],
    names: Sequence[str],
    query: Float[np.ndarray, "2"],
    weights: Float[np.ndarray, "key"],
    values: Float[np.ndarray, "key number"] | None,
    words: Mapping[str, str],
    text: str,
) -> Picture:
    """The plane with lines as thick as the weights; beside it a bar for each key, and its value if it has one."""
    labels, known = [drawable(name) for name in names], np.nan_to_num(weights)
    with picture_style():
        (axes,) = new_axes(PLANE, HIGH)
        draw_plane(axes, keys, labels, query, known)
        left = PLANE + 0.35 + LETTER * max(map(len, labels))
        draw_bars(beside(axes, left, BARS, len(names)), labels, weights)
        if values is None:
            mark(axes, known @ keys, "c", marker="D", color=theme.GOLD)
        else:
            strips = beside(axes, left + BARS + 0.45, STRIPS, len(names) + 1)
            largest = float(np.abs(values).max()) or 1.0
            draw_strips(strips, np.vstack([values, weights @ values]), Normalize(-largest, largest))
            strips.set_xticks([])
            strips.set_yticks([len(names)], [words["context"]])
            strips.set_ylim(len(names) + 0.5, -0.5)
        return replace(finished(axes.figure, text), sharp=1)  # each view holds it twice


def draw_plane(
    axes: Axes,
    keys: Float[np.ndarray, "key 2"],
    labels: Sequence[str],
    query: Float[np.ndarray, "2"],
    weights: Float[np.ndarray, "key"],
) -> None:
    """Keys, sized and coloured by weight, joined to the query; both axes have the same scale."""
    colours = theme.WEIGHT_COLOURS(0.35 + 0.65 * weights)
    axes.axhline(0, color=theme.LINE, linewidth=0.8)
    axes.axvline(0, color=theme.LINE, linewidth=0.8)
    for key, weight, colour in zip(keys, weights, colours, strict=True):
        axes.plot(*np.stack([query, key]).T, color=colour, linewidth=0.5 + 6 * weight, solid_capstyle="round")
    axes.scatter(*keys.T, s=16 + 120 * weights, color=colours, edgecolor=theme.INK, linewidth=0.6, zorder=3)
    axes.update_datalim([query])
    axes.margins(0.15)
    axes.set_aspect("equal", adjustable="datalim")
    axes.apply_aspect()
    write_beside(axes, keys, labels)
    for label in axes.texts:
        label.set_path_effects([withStroke(linewidth=3, foreground=theme.PAGE)])  # readable on a line
    mark(axes, query, "q", marker="o", color=theme.PAGE)


def mark(axes: Axes, place: Float[np.ndarray, "2"], letter: str, **style) -> None:
    """The query or the context: a shape with its letter."""
    axes.plot(*place, markersize=12, markeredgecolor=theme.INK, markeredgewidth=1.2, zorder=5, **style)
    axes.text(*place, letter, size=8.5, ha="center", va="center_baseline", zorder=6)


def beside(axes: Axes, left: float, width: float, rows: int) -> Axes:
    """Axes at the right of the plane, `left` inches from its left edge, for rows from top to bottom."""
    whole, high = axes.figure.get_size_inches()
    height = ROW * rows
    added = axes.figure.add_axes((left / whole, 1 - height / high, width / whole, height / high))
    added.set_ylim(rows - 0.5, -0.5)
    added.spines[:].set_visible(False)
    added.tick_params(length=0)
    return added


def draw_bars(axes: Axes, labels: Sequence[str], weights: Float[np.ndarray, "key"]) -> None:
    """A bar and a number for each weight, on a scale from 0 to 1."""
    axes.barh(range(len(labels)), weights, height=0.6, color=theme.SERIES[0])
    axes.set_yticks(range(len(labels)), labels, parse_math=False)
    axes.set_xticks([])
    axes.set_xlim(0, 1)
    for place, weight in enumerate(weights):
        axes.text(np.nan_to_num(weight) + 0.05, place, short(float(weight)), size=8.5, va="center_baseline")
