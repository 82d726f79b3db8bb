"""Attention weights as a heat map: one row for each query, one column for each key.

A cell is as dark as its weight is large, and zero looks like the page. The axis is the reading direction: the row is
the word being written, the columns are the words that it reads.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure

from course_lib.show import theme
from course_lib.show.arrays import ArrayLike, as_flags, as_map
from course_lib.show.cells import (
    CELL_WITH_NUMBER,
    draw_cells,
    draw_legend,
    draw_scale,
    draw_words,
    outline,
    write_numbers,
)
from course_lib.show.in_words import describe_maps
from course_lib.show.picture import Picture, finished, new_axes, picture_style

WIDEST = 6.4  # inches for all the cells of a row
LARGEST_CELL = 0.42
GAP = 0.45  # inches between two maps


def heatmap(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    gold: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    title: str | None = None,
    bar: bool = True,
    numbers: bool = True,
    query_title: str | None = None,
    key_title: str | None = None,
    lang: str = "en",
) -> Picture:
    """Draw weights (query, key); cells where `gold` is True are outlined, cells where `mask` is False are hatched.

    Negative values get a scale with two colours. NaN and infinities are drawn as hatched red cells.
    Raises ValueError if a shape does not agree with the numbers of queries and keys.
    """
    return heatmaps(
        {title or "": weights},
        queries,
        keys,
        gold=gold,
        mask=mask,
        bar=bar,
        numbers=numbers,
        query_title=query_title,
        key_title=key_title,
        lang=lang,
    )


def heatmaps(
    maps: Mapping[str, ArrayLike],
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    gold: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    bar: bool = True,
    numbers: bool = True,
    query_title: str | None = None,
    key_title: str | None = None,
    lang: str = "en",
) -> Picture:
    """Draw several maps over the same queries and keys beside each other, titled by their names, in one scale.

    Raises ValueError as `heatmap` does.
    """
    grids = {name: as_map(name or "weights", values, queries, keys) for name, values in maps.items()}
    gold = None if gold is None else as_flags("gold", gold, queries, keys)
    mask = None if mask is None else as_flags("mask", mask, queries, keys)
    words = theme.WORDS[lang]
    cell = cell_size(len(queries), len(keys), len(grids))
    width, height = cell * len(keys), cell * len(queries)
    norm, colours = scale(list(grids.values()), len(keys))
    with picture_style():
        figure = Figure(figsize=(len(grids) * (width + GAP) - GAP, height))
        for place, (name, values) in enumerate(grids.items()):
            axes = new_axes(width, height, left=place * (width + GAP), figure=figure)
            draw_cells(axes, values, norm, colours, mask)
            if numbers and cell >= CELL_WITH_NUMBER:
                write_numbers(axes, values, norm, colours, mask)
            draw_words(axes, queries if place == 0 else (), keys, cell)
            axes.set_title(name)
            axes.set_xlabel(key_title or words["key"])
            if gold is not None:
                outline(axes, gold, cell)
        figure.axes[0].set_ylabel(query_title or words["query"])
        if bar:
            draw_scale(figure, norm, colours, words)
        draw_legend(figure, list(grids.values()), gold, mask, words)
        return finished(figure, describe_maps(grids, queries, keys, gold, words))


def cell_size(n_queries: int, n_keys: int, n_maps: int) -> float:
    """Inches of the side of a cell, such that all maps fit a page."""
    return min(LARGEST_CELL, (WIDEST - GAP * (n_maps - 1)) / (n_maps * n_keys), 2 * WIDEST / n_queries)


def scale(maps: list[Float[np.ndarray, "query key"]], n_keys: int) -> tuple[Normalize, ListedColormap]:
    """From 0 to 1; to the largest weight if there are many keys or numbers above 1; around 0 if some are negative."""
    finite = np.concatenate([values[np.isfinite(values)] for values in maps])
    largest = float(np.abs(finite).max(initial=0.0)) or 1.0
    if (finite < 0).any():
        return Normalize(-largest, largest), theme.SIGNED_COLOURS
    return Normalize(0, largest if n_keys > theme.SCALE_ABOVE or largest > 1.005 else 1), theme.WEIGHT_COLOURS
