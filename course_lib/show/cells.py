"""The parts of a heat map: colours, hatching, numbers, outlines, words and legends."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from course_lib.show import theme
from course_lib.show.arrays import short
from course_lib.show.letters import written

CELL_WITH_NUMBER, LABEL_EVERY = 0.31, 0.155  # inches
MOST_LINES = 50

Map = Float[np.ndarray, "query key"]
Flags = Bool[np.ndarray, "query key"]


def draw_cells(axes: Axes, values: Map, norm: Normalize, colours: ListedColormap, mask: Flags | None) -> None:
    """The colours, the lines between cells, the hatching of what is masked or not a number."""
    hidden = np.zeros(values.shape, dtype=bool) if mask is None else ~mask
    wrong = ~np.isfinite(values) & ~hidden
    shown = np.ma.array(values, mask=hidden | wrong)
    axes.imshow(shown, cmap=colours, norm=norm, interpolation="nearest", aspect="auto")
    if max(values.shape) <= MOST_LINES:
        axes.set_xticks(np.arange(0.5, values.shape[1] - 1), minor=True)
        axes.set_yticks(np.arange(0.5, values.shape[0] - 1), minor=True)
        axes.grid(which="minor", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(True)
    hatch(axes, hidden, "////", theme.LINE)
    hatch(axes, wrong, "xxxx", theme.WRONG)


def write_numbers(axes: Axes, values: Map, norm: Normalize, colours: ListedColormap, mask: Flags | None) -> None:
    """The number of each cell that is not masked and not nearly zero, black or white as its colour asks."""
    allowed = np.ones(values.shape, dtype=bool) if mask is None else mask
    for row, column in np.argwhere(allowed & ~(np.abs(values) < 0.005)):
        value = values[row, column]
        colour, behind = theme.WRONG, {"facecolor": theme.PAGE, "edgecolor": "none", "pad": 1}
        if np.isfinite(value):
            colour, behind = theme.letter_colour(colours(norm(value))[:3]), None
        axes.text(column, row, short(value), size=7.5, color=colour, bbox=behind, ha="center", va="center_baseline")


def hatch(axes: Axes, cells: Flags, pattern: str, colour: str) -> None:
    for row, column in np.argwhere(cells):
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch=pattern, edgecolor=colour, linewidth=0))


def outline(axes: Axes, cells: Flags, cell: float) -> None:
    """Draw a frame, with a thin light edge, just inside each of these cells."""
    width = min(1.8, 6 * cell)
    inset = 0.5 - width / 72 / cell
    for row, column in np.argwhere(cells):
        for line, colour in ((2 * width, theme.PAGE), (width, theme.GOLD)):
            corner = (column - inset, row - inset)
            axes.add_patch(Rectangle(corner, 2 * inset, 2 * inset, fill=False, edgecolor=colour, linewidth=line))


def draw_words(axes: Axes, queries: Sequence[str], keys: Sequence[str], cell: float) -> None:
    """Queries on the left, keys on top; upright if they are as short as a cell is wide; only some if cells are tiny."""
    every = max(1, int(np.ceil(LABEL_EVERY / cell)))
    longest = max((len(written(key)) for key in keys[::every]), default=0)
    upright = longest * 0.11 < cell * every
    turned = {} if upright else {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    places = range(0, len(keys), every)
    axes.set_xticks(places, [written(key) for key in keys[::every]], parse_math=False, **turned)
    axes.set_yticks(range(0, len(queries), every), [written(query) for query in queries[::every]], parse_math=False)
    axes.tick_params(axis="x", top=False, labeltop=True, labelbottom=False, pad=4 if upright else 2)
    axes.tick_params(labelsize=9.5 if cell * every > 0.2 else 8)
    axes.xaxis.set_label_position("top")
    axes.xaxis.labelpad = 7 if upright else 3


def draw_scale(figure: Figure, norm: Normalize, colours: ListedColormap, words: dict) -> None:
    """The legend of the colours, at the right of the last map."""
    width, height = figure.get_size_inches()
    tall = max(min(height, 1.5), 0.5)
    axes = figure.add_axes((1 + 0.2 / width, 1 - tall / height, 0.1 / width, tall / height))
    bar = figure.colorbar(ScalarMappable(norm, colours.resampled(17)), cax=axes)  # few colours, small files
    bar.set_ticks([norm.vmin, *([0] if norm.vmin < 0 else []), norm.vmax])
    bar.ax.set_yticklabels([short(tick) for tick in bar.get_ticks()])
    bar.outline.set_edgecolor(theme.LINE)
    signed = norm.vmin < 0
    text = words["value" if signed else "weight"]
    bar.set_label(text if signed or norm.vmax == 1 else f"{text},\n{words['scaled']}", size=8.5)


def draw_legend(figure: Figure, maps: list[Map], gold: Flags | None, mask: Flags | None, words: dict) -> None:
    """What outlines and hatchings mean, below the first map; nothing if there are none."""
    allowed = np.ones(maps[0].shape, dtype=bool) if mask is None else mask
    entries = []
    if gold is not None:
        entries.append(Patch(fill=False, edgecolor=theme.GOLD, linewidth=1.8, label=words["gold"]))
    if not allowed.all():
        entries.append(Patch(fill=False, edgecolor=theme.LINE, hatch="////", label=words["masked"]))
    if any((~np.isfinite(values) & allowed).any() for values in maps):
        entries.append(Patch(fill=False, edgecolor=theme.WRONG, hatch="xxxx", label=words["not a number"]))
    if entries:
        below = (0, -0.06 / figure.get_size_inches()[1])
        options = {"bbox_to_anchor": below, "borderaxespad": 0, "borderpad": 0, "columnspacing": 1.2}
        figure.legend(handles=entries, loc="upper left", ncols=3, handlelength=1.1, handleheight=1.1, **options)
