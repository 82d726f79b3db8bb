"""The static picture of an UnrolledView at one small step: states, attention and words."""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from course_lib.show import theme
from course_lib.show.arrays import short
from course_lib.show.fonts import drawable
from course_lib.show.heatmap import draw_colour_bar
from course_lib.show.picture import Picture, finished, new_axes, picture_style
from course_lib.show.unrolled_steps import Snapshot, alt_text, headline

BAR, TALL, HALVES, FAN, LINE = 0.17, 1.2, 0.04, 1.0, 0.22  # inches: a bar, its gap, the lines, a line of words
NARROWEST, LETTER, LEFT, THICKEST = 0.36, 0.085, 0.42, 8  # inches; points for a weight of 1
BRIGHTNESS = theme.WEIGHT_COLOURS.reversed("brightness")
IN_MATHTEXT = {"h̃": r"\tilde{h}", "h̄": r"\bar{h}", "Σ": r"\Sigma", "−": "-"}


def still(snapshot: Snapshot) -> Picture:
    """Draw the source above and the words written below, each over the bars of its states."""
    run, numbers = snapshot.run, snapshot.numbers
    source, end = columns(run["source"])
    decoder, lower_end = columns([run["read"][0], *run["written"]], 2 if "combined" in numbers else 1)
    width, below = max(end + 2 * NARROWEST, lower_end), LINE + TALL + LINE + FAN
    vectors = [array.ravel() for name, array in numbers.items() if name not in ("scores", "weights")]
    largest = float(np.abs(np.ma.masked_invalid(np.concatenate(vectors))).max(fill_value=0.0) or 1.0)
    with picture_style():
        (axes,) = new_axes(width, below + TALL + LINE + 0.05)
        axes.set(xlim=(0, width), ylim=(below + TALL + LINE + 0.05, 0))
        axes.axis("off")
        draw_source(axes, snapshot, source, largest)
        draw_context(axes, snapshot, end + NARROWEST, decoder, below, largest)
        draw_attention(axes, snapshot, source, decoder, below)
        draw_decoder(axes, snapshot, decoder, below, largest)
        axes.text(0, -0.36, headline(snapshot), size=9.5, va="bottom", parse_math=False)
        axes.text(0, -0.1, in_math(snapshot.now.formula), size=9.5, va="bottom")
        draw_colour_bar(axes.figure, ScalarMappable(Normalize(-largest, largest), BRIGHTNESS), snapshot.words)
        return finished(axes.figure, alt_text(snapshot))


def columns(words: Sequence[str], bars: int = 1) -> tuple[list[float], float]:
    """The middles of columns as wide as their words, and where the last one ends."""
    middles, end = [], LEFT
    for word in words:
        letters = sum(1.9 if character > "\u2e7f" else 1 for character in drawable(word))
        width = max(NARROWEST + (bars - 1) * BAR, LETTER * letters + 0.14)
        middles.append(end + width / 2)
        end += width
    return middles, end


def draw_bar(axes: Axes, x: float, y: float, values: Float[np.ndarray, "number"] | None, height: float, largest: float):
    """A column of cells from top to bottom; an empty frame if the vector is not computed yet."""
    left, right = x - BAR / 2, x + BAR / 2
    if values is not None:
        bar, scale = np.ma.masked_invalid(values)[:, None], {"vmin": -largest, "vmax": largest}
        extent = (left, right, y + height, y)
        axes.imshow(bar, cmap=BRIGHTNESS, extent=extent, aspect="auto", interpolation="nearest", **scale)
        wrong, cell = np.flatnonzero(~np.isfinite(values)), height / len(values)
        for index in wrong:
            style = {"hatch": "xxxxxx", "edgecolor": theme.WRONG, "linewidth": 0}
            axes.add_patch(Rectangle((left, y + (index - 0.5) * cell), BAR, 2 * cell, fill=False, **style))
        for index in wrong[:1]:
            number = short(float(values[index]))
            write_text(axes, right + 0.03, y + (index + 0.5) * cell, number, ha="left", size=8, color=theme.WRONG)
    axes.add_patch(Rectangle((left, y), BAR, height, fill=False, edgecolor=theme.LINE, linewidth=0.8, zorder=6))


def write_text(axes: Axes, x: float, y: float, text: str, **style) -> None:
    """A word or a number in the middle of its column, never read as a formula."""
    options = {"ha": "center", "va": "center_baseline", "size": 9.5, "parse_math": False, **style}
    axes.text(x, y, drawable(text), **options)


def draw_source(axes: Axes, snapshot: Snapshot, places: Sequence[float], largest: float) -> None:
    """Source words, and below each its state, as far as it is computed (from both ends, if bidirectional)."""
    run, states = snapshot.run, snapshot.numbers["encoder_states"]
    read, n = snapshot.done.get("encode", 0), len(places)
    for place, (x, word) in enumerate(zip(places, run["source"], strict=True)):
        write_text(axes, x, LINE / 2, word)
        parts = np.split(states[place], 2) if run["bidirectional"] else [states[place]]
        height = (TALL - HALVES * (len(parts) - 1)) / len(parts)
        for half, part in enumerate(parts):
            reached = place >= n - read if half else place < read
            draw_bar(axes, x, LINE + half * (height + HALVES), part if reached else None, height, largest)
    axes.text(0, LINE + TALL / 2, in_math(run["recipe"]["letters"]["source"]), size=10.5, va="center")


def draw_context(
    axes: Axes, snapshot: Snapshot, x: float, decoder: Sequence[float], below: float, largest: float
) -> None:
    """The context at the right of the source; a fixed context with lines to the states that have used it."""
    letter = snapshot.run["recipe"]["letters"]["context"]
    context = snapshot.row("contexts", "average")
    if "context" in snapshot.done:
        context = snapshot.numbers["contexts"][max(0, snapshot.now.time - 1)]
        for to in decoder[1 : snapshot.done.get("state", 0) + 1]:
            draw_line(axes, to, below, x, linewidth=0.8, color=theme.MUTED)
    if snapshot.row("states", snapshot.now.name) is not None:  # at a time step of the decoder
        letter = re.sub("_.$", f"_{{{snapshot.now.time}}}", letter)
    axes.text(x, LINE / 2, in_math(letter), ha="center", va="center")
    draw_bar(axes, x, LINE, context, TALL, largest)


def draw_attention(
    axes: Axes, snapshot: Snapshot, source: Sequence[float], decoder: Sequence[float], below: float
) -> None:
    """Lines from the query's state to the source, as thick as the weights, with the numbers at their ends."""
    weights, scores = snapshot.row("weights", "weights"), snapshot.row("scores", "scores")
    shown = scores if weights is None else weights
    if shown is None:
        return
    (query,) = (step for step in snapshot.run["recipe"]["decode"] if step["name"] == "weights")
    aside = (BAR + 0.03) / 2 if "combined" in snapshot.numbers else 0
    x = decoder[snapshot.now.time - ("before" in query["uses"])] - aside
    for j, to in enumerate(source):
        write_text(axes, to, LINE + TALL + LINE / 2, short(float(shown[j])), size=8.5, color=theme.MUTED)
        strength = 0.5 if weights is None else 0.5 + THICKEST * float(np.nan_to_num(weights[j]))
        style = {"linestyle": ":", "color": theme.WRONG} if not np.isfinite(shown[j]) else {"color": theme.SERIES[0]}
        draw_line(axes, x, below, to, linewidth=strength, **style)


def draw_line(axes: Axes, x: float, y: float, to: float, **style) -> None:
    """A line from here up to below the encoder, vertical at both ends."""
    middle = y - FAN / 2
    curve = Path([(x, y), (x, middle), (to, middle), (to, y - FAN)], [Path.MOVETO, *[Path.CURVE4] * 3])
    axes.add_patch(PathPatch(curve, fill=False, capstyle="butt", **style))


def draw_decoder(axes: Axes, snapshot: Snapshot, places: Sequence[float], below: float, largest: float) -> None:
    """The decoder's states, and below each the word written there; the first word is given."""
    run, numbers, done = snapshot.run, snapshot.numbers, snapshot.done
    states = np.concatenate([numbers["start"], numbers["states"]])
    aside = (BAR + 0.03) / 2 if "combined" in numbers else 0
    for time, x in enumerate(places):
        reached = done.get("state" if time else "start", -1) >= time
        draw_bar(axes, x - aside, below, states[time] if reached else None, TALL, largest)
        if aside and time:
            combined = numbers["combined"][time - 1] if done.get("combine", 0) >= time else None
            draw_bar(axes, x + aside, below, combined, TALL, largest)
        if done.get("write" if time else "start", -1) >= time:
            word = run["written"][time - 1] if time else run["read"][0]
            write_text(axes, x, below + TALL + LINE / 2 + 0.05, word, color=theme.INK if time else theme.MUTED)
    for line, name in enumerate(("state", "combined") if aside else ("state",)):
        axes.text(0, below + TALL / 2 + LINE * line, in_math(run["recipe"]["letters"][name]), size=10.5, va="center")


def in_math(formula: str) -> str:
    """A formula as matplotlib mathtext; as plain text, if it is none."""
    for character, mathtext in IN_MATHTEXT.items():
        formula = formula.replace(character, mathtext)
    formula = re.sub(r"(?<=[\w})\]]),? +(?=[\w\\[←→])", lambda found: found[0].replace(" ", r"\,"), formula)
    math = "$" + re.sub(r"(?<!\\)\b(tanh|softmax|score|max|exp|log)", r"\\mathrm{\1}", formula) + "$"
    try:
        MathTextParser("path").parse(math)
    except ValueError:
        return formula.replace("$", r"\$")
    return math
