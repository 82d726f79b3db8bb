"""One picture of each kind, and how to find in it what is looked for."""

import numpy as np
from matplotlib.patches import Rectangle

from course_lib import show

QUERIES, KEYS = ("XiaoMing", "likes", "XiaoHong"), ("小明", "喜欢", "小红", "。", "<eos>")
WEIGHTS = np.array([[0.9, 0.1, 0, 0, 0], [0.25, 0.7, 0, 0.05, 0], [0, 0.02, 0.97, 0, 0.01]])
GOLD = np.eye(3, 5, dtype=bool)
LENGTHS = ("4–7", "8–11", "12–15")
KINDS = ("heatmap", "heatmaps", "bars", "curves", "points", "columns")


def example(kind: str) -> show.Picture:
    """A small picture of this kind."""
    accuracy = {"fixed context": (LENGTHS, [0.96, 0.27, 0.03]), "Bahdanau": (LENGTHS, [1, 1, 0.98])}
    bands = {"Bahdanau": (LENGTHS, [0.99, 0.98, 0.7], [1, 1, 1])}
    match kind:
        case "heatmap":
            return show.heatmap(WEIGHTS, QUERIES, KEYS, gold=GOLD, title="learned")
        case "heatmaps":
            return show.heatmaps({"learned": WEIGHTS, "gold": GOLD}, QUERIES, KEYS)
        case "bars":
            return show.bars(WEIGHTS - 0.5, ["小明", "喜欢", "小红"], title="hidden states")
        case "curves":
            return show.curves(accuracy, xlabel="source words", ylabel="exact match", ranges=bands)
        case "points":
            return show.points([[0, 0], [0, 1]], ["king", "queen"], arrows=[("king", "queen")])
        case _:
            return show.columns([24.5, 37.1], ["without", "with"], ranges=[[24, 25], [36, 38]], ylabel="BLEU")


def patches(picture: show.Picture, axes: int = 0, **wanted) -> list[tuple[int, int]]:
    """(row, column) of the cells on which a rectangle with these properties lies."""
    found = []
    for patch in picture.figure.axes[axes].patches:
        if isinstance(patch, Rectangle) and all(
            getattr(patch, f"get_{name}")() == want for name, want in wanted.items()
        ):
            x, y = patch.get_center()
            found.append((round(y), round(x)))
    return sorted(found)
