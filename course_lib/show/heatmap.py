"""Heat maps of attention weights: one row for each query, one column for each key.

The larger a weight, the darker its cell; a weight of zero has the colour of the page.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from course_lib.show import theme
from course_lib.show.alt_text import describe_maps
from course_lib.show.arrays import ArrayLike, as_flags, as_map, short
from course_lib.show.fonts import drawable
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDEST, LARGEST_CELL, GAP = 6.4, 0.42, 0.45  # inches: all maps, the side of a cell, the distance between two maps
CELL_WITH_NUMBER, LABEL_EVERY, LETTER = 0.31, 0.155, 0.11  # inches
MOST_LINES = 50  # between cells

Map = Float[np.ndarray, "query key"]
Flags = Bool[np.ndarray, "query key"]


def heatmap(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str], *, title: str = "", **options) -> Picture:
    """Draw weights (query, key) with a title; the other options are those of `heatmaps`."""
    return heatmaps({title: weights}, queries, keys, **options)


def heatmaps(
    maps: Mapping[str, ArrayLike],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    gold: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    bar: bool | str = True,
    numbers: bool = True,
    query_title: str | None = None,
    key_title: str | None = None,
    lang: str = "en",
) -> Picture:
    """Draw maps over the same queries and keys beside each other, titled by their names, in one scale.

    Cells where `gold` (query, key) is True are outlined; cells where `mask` is False are hatched; NaN and infinities
    are hatched in red. `bar` is the colour bar, or its title; `numbers` are written where cells are large enough;
    negative values get a diverging scale. Raises ValueError if a shape does not agree with the words.
    """
    grids = {name: as_map(name or "weights", values, queries, keys) for name, values in maps.items()}
    gold, mask = as_flags("gold", gold, queries, keys), as_flags("mask", mask, queries, keys)
    words = theme.WORDS[lang]
    cell = min(LARGEST_CELL, ((WIDEST + GAP) / len(grids) - GAP) / len(keys), 2 * WIDEST / len(queries))
    shades = shades_of(list(grids.values()))
    with picture_style():
        panels = new_axes(cell * len(keys), cell * len(queries), len(grids), GAP)
        for axes, (name, values) in zip(panels, grids.items(), strict=True):
            draw_cells(axes, values, shades, mask, cell if numbers else 0.0)
            outline(axes, gold, cell)
            draw_words(axes, queries if axes is panels[0] else (), keys, cell)
            axes.set(title=name, xlabel=words["key"] if key_title is None else key_title)
        panels[0].set_ylabel(words["query"] if query_title is None else query_title)
        if bar:
            draw_colour_bar(axes.figure, shades, words, bar if isinstance(bar, str) else None)
        draw_legend(axes.figure, list(grids.values()), gold, mask, words)
        return finished(axes.figure, describe_maps(grids, queries, keys, gold, words))


def shades_of(maps: list[Map]) -> ScalarMappable:
    """Colours from 0 to 1; to the largest if there are many keys or numbers above 1; around 0 if some are negative."""
    finite = np.concatenate([values[np.isfinite(values)] for values in maps])
    largest = float(np.abs(finite).max(initial=0.0)) or 1.0
    if (finite < 0).any():
        return ScalarMappable(Normalize(-largest, largest), theme.SIGNED_COLOURS)
    scaled = maps[0].shape[1] > theme.SCALE_ABOVE or largest > 1.005
    return ScalarMappable(Normalize(0, largest if scaled else 1), theme.WEIGHT_COLOURS)


def draw_cells(axes: Axes, values: Map, shades: ScalarMappable, mask: Flags | None, cell: float | int) -> None:
    """Colours, lines between cells, hatching of masked cells and of NaN, and numbers where cells are large."""
    hidden = np.zeros(values.shape, dtype=bool) if mask is None else ~mask
    wrong = ~np.isfinite(values) & ~hidden
    shown = np.ma.array(values, mask=hidden | wrong)
    axes.imshow(shown, cmap=shades.cmap, norm=shades.norm, interpolation="nearest", aspect="auto")
    if max(values.shape) <= MOST_LINES:
        axes.set_xticks(np.arange(0.5, values.shape[1] - 1), minor=True)
        axes.set_yticks(np.arange(0.5, values.shape[0] - 1), minor=True)
        axes.grid(which="minor", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(True)
    hatch(axes, hidden, "////", theme.LINE)
    hatch(axes, wrong, "xxxx", theme.WRONG)
    if cell < CELL_WITH_NUMBER:
        return
    for row, column in np.argwhere(~hidden & ~(np.abs(values) < 0.005)):
        value = float(values[row, column])
        colour, behind = theme.WRONG, {"facecolor": theme.PAGE, "edgecolor": "none", "pad": 1}
        if np.isfinite(value):
            colour, behind = theme.letter_colour(to_rgb(shades.to_rgba(value))), None
        axes.text(column, row, short(value), size=7.5, color=colour, bbox=behind, ha="center", va="center_baseline")


def hatch(axes: Axes, cells: Flags, pattern: str, colour: str) -> None:
    """Fill these cells with lines."""
    for row, column in np.argwhere(cells):
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch=pattern, edgecolor=colour, linewidth=0))


def outline(axes: Axes, cells: Flags | None, cell: float) -> None:
    """Draw a frame, with a thin light edge, just inside each of these cells."""
    width = min(1.8, 6 * cell)
    inset = 0.5 - width / 72 / cell
    for row, column in np.argwhere(cells if cells is not None else []):
        for line, colour in ((2 * width, theme.PAGE), (width, theme.GOLD)):
            corner = (column - inset, row - inset)
            axes.add_patch(Rectangle(corner, 2 * inset, 2 * inset, fill=False, edgecolor=colour, linewidth=line))


def draw_words(axes: Axes, queries: Sequence[str], keys: Sequence[str], cell: float) -> None:
    """Queries on the left, keys on top: upright if they fit into their columns; only some if cells are tiny."""
    every = int(np.ceil(LABEL_EVERY / cell))
    upright = max(len(drawable(key)) for key in keys[::every]) * LETTER < cell * every
    slant = {} if upright else {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(0, len(keys), every), [drawable(key) for key in keys[::every]], parse_math=False, **slant)
    axes.set_yticks(range(0, len(queries), every), [drawable(query) for query in queries[::every]], parse_math=False)
    axes.tick_params(axis="x", top=False, labeltop=True, labelbottom=False, pad=4 if upright else 2)
    axes.tick_params(labelsize=9.5 if cell * every > 0.2 else 8)
    axes.xaxis.set_label_position("top")
    axes.xaxis.labelpad = 7 if upright else 3


def draw_colour_bar(figure: Figure, shades: ScalarMappable, words: Mapping[str, str], title: str | None = None) -> None:
    """The colour bar at the right of the last map; its title says so if colours are scaled to the largest weight."""
    width, height = figure.get_size_inches()
    tall = max(min(height, 1.5), 0.5)
    axes = figure.add_axes((1 + 0.2 / width, 1 - tall / height, 0.1 / width, tall / height))
    low, high = shades.norm.vmin, shades.norm.vmax
    coarse = ScalarMappable(shades.norm, shades.cmap.resampled(17))  # few colours make small files
    bar = figure.colorbar(coarse, cax=axes, ticks=sorted({low, 0.0, high}))
    bar.set_ticklabels([short(tick) for tick in sorted({low, 0.0, high})])
    bar.outline.set_edgecolor(theme.LINE)
    text = title or words["value" if low < 0 else "weight"]
    bar.set_label(f"{text},\n{words['scaled']}" if low == 0 and high != 1 else text, size=8.5)


def draw_legend(
    figure: Figure, maps: list[Map], gold: Flags | None, mask: Flags | None, words: Mapping[str, str]
) -> None:
    """The meaning of outlines and hatchings, below the first map; nothing if there are none."""
    allowed = np.ones(maps[0].shape, dtype=bool) if mask is None else mask
    kinds = (
        (gold is not None, "gold", {"edgecolor": theme.GOLD, "linewidth": 1.8}),
        (not allowed.all(), "masked", {"edgecolor": theme.LINE, "hatch": "////"}),
        (any((~np.isfinite(values) & allowed).any() for values in maps), "not a number", {"hatch": "xxxx"}),
    )
    entries = [
        Patch(fill=False, label=words[name], **{"edgecolor": theme.WRONG, **style}) for has, name, style in kinds if has
    ]
    if entries:
        below = (0, -0.06 / figure.get_size_inches()[1])
        options = {"bbox_to_anchor": below, "borderaxespad": 0, "borderpad": 0, "columnspacing": 1.2}
        figure.legend(handles=entries, loc="upper left", ncols=3, handlelength=1.1, handleheight=1.1, **options)
