"""Colours and sizes of all figures; the browser reads the same theme.json.

The colour map of weights is perceptually uniform (OKLab) and runs from the colour of the page to a dark blue, or from a
dark page to a pale blue, so that a weight of zero is invisible. Its lightness is monotonic for every kind of colour
vision.
"""

import json
from pathlib import Path

from matplotlib.colors import LinearSegmentedColormap, to_rgb

HERE = Path(__file__).parent
THEME = json.loads((HERE / "theme.json").read_text(encoding="utf-8"))
WORDS = json.loads((HERE / "words.json").read_text(encoding="utf-8"))

PAGE, INK, MUTED, LINE, GOLD, WRONG = (
    THEME["light"][name] for name in ("page", "ink", "muted", "line", "gold", "wrong")
)
SERIES = THEME["series"]
MARKERS = ("o", "s", "^", "D", "v", "P")  # colour is never the only difference between two lines

SCALE_ABOVE = 16  # with more keys, colours are scaled to the largest weight
FLIP = 0.179  # luminance at which black and white letters have the same contrast (4.6 : 1)

STYLE = {
    "font.size": 9.5,
    "text.color": INK,
    "text.parse_math": True,
    "axes.titlesize": 10.5,
    "axes.titlepad": 8,
    "axes.labelsize": 9.5,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.grid": False,
    "grid.color": "#ececec",
    "grid.linewidth": 0.8,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": PAGE,
    "axes.facecolor": PAGE,
    "savefig.facecolor": PAGE,
}


WEIGHT_COLOURS = LinearSegmentedColormap.from_list("weights", THEME["light"]["ramp"], 256)
SIGNED_COLOURS = LinearSegmentedColormap.from_list("signed values", THEME["diverging"], 257)


def luminance(colour: tuple[float, ...]) -> float:
    r"""Relative luminance of a colour, $0.2126 R + 0.7152 G + 0.0722 B$ of its linear channels.

    Source: Web Content Accessibility Guidelines 2.2, "relative luminance".
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def letter_colour(background: tuple[float, ...]) -> str:
    """Black or white, whichever is easier to read on this background."""
    return "#000000" if luminance(background) > FLIP else "#ffffff"
