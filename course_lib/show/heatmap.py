"""Attention weights as a heat map: one row for each query, one column for each key.

A cell is as dark as its weight is large, and zero looks like the page. A row is a word being written; its cells say how
much it reads of each word above.
"""

from collections.abc import Mapping, Sequence

from course_lib.show import theme
from course_lib.show.arrays import ArrayLike, as_flags, as_map
from course_lib.show.cells import draw_cells, draw_legend, draw_scale, draw_words, outline, shades_of
from course_lib.show.in_words import describe_maps
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDEST, LARGEST_CELL, GAP = 6.4, 0.42, 0.45  # inches: all maps, the side of a cell, the distance between two maps


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
    are hatched in red. `bar` is the legend of the colours, or its title; `numbers` are written where cells are large
    enough; negative values get a scale of two colours. Raises ValueError if a shape does not agree with the words.
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
            draw_scale(axes.figure, shades, words, bar if isinstance(bar, str) else None)
        draw_legend(axes.figure, list(grids.values()), gold, mask, words)
        return finished(axes.figure, describe_maps(grids, queries, keys, gold, words))
