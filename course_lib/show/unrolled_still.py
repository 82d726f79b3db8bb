"""The still picture of an UnrolledView: the states known by one small step, the look if there is one, the words."""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from course_lib.show import theme
from course_lib.show.arrays import short
from course_lib.show.cells import draw_scale
from course_lib.show.letters import written
from course_lib.show.picture import Picture, finished, new_axes, picture_style
from course_lib.show.unrolled_steps import Story, headline, in_words

BAR, TALL, HALVES, FAN, LINE = 0.17, 1.2, 0.04, 1.0, 0.22  # inches: a bar, half and half, the lines, a line of words
NARROWEST, LETTER, LEFT, THICKEST = 0.36, 0.085, 0.42, 8  # inches; points for a weight of 1
BRIGHTNESS = ListedColormap(theme.WEIGHT_COLOURS.colors[::-1], name="brightness")
IN_MATHTEXT = {"h̃": r"\tilde{h}", "h̄": r"\bar{h}", "Σ": r"\Sigma", "−": "-"}


def still(story: Story) -> Picture:
    """Draw the source above and the words written below, each over the bars of its states."""
    told, numbers = story.told, story.numbers
    source, end = columns(told["source"])
    decoder, lower_end = columns([told["read"][0], *told["written"]], 2 if "combined" in numbers else 1)
    width, below = max(end + 2 * NARROWEST, lower_end), LINE + TALL + LINE + FAN
    vectors = [array.ravel() for name, array in numbers.items() if name not in ("scores", "weights")]
    largest = float(np.abs(np.ma.masked_invalid(np.concatenate(vectors))).max(fill_value=0.0) or 1.0)
    with picture_style():
        (axes,) = new_axes(width, below + TALL + LINE + 0.05)
        axes.set(xlim=(0, width), ylim=(below + TALL + LINE + 0.05, 0))
        axes.axis("off")
        draw_source(axes, story, source, largest)
        draw_context(axes, story, end + NARROWEST, decoder, below, largest)
        draw_look(axes, story, source, decoder, below)
        draw_decoder(axes, story, decoder, below, largest)
        axes.text(0, -0.36, headline(story), size=9.5, va="bottom", parse_math=False)
        axes.text(0, -0.1, in_math(story.now.formula), size=9.5, va="bottom")
        draw_scale(axes.figure, ScalarMappable(Normalize(-largest, largest), BRIGHTNESS), story.words)
        return finished(axes.figure, in_words(story))


def columns(words: Sequence[str], bars: int = 1) -> tuple[list[float], float]:
    """The middles of columns as wide as their words, and where the last one ends."""
    middles, end = [], LEFT
    for word in words:
        letters = sum(1.9 if character > "\u2e7f" else 1 for character in written(word))
        width = max(NARROWEST + (bars - 1) * BAR, LETTER * letters + 0.14)
        middles.append(end + width / 2)
        end += width
    return middles, end


def draw_bar(axes: Axes, x: float, y: float, values: Float[np.ndarray, "number"] | None, height: float, largest: float):
    """A column of cells from top to bottom; an empty frame if the numbers are not known yet."""
    left, right = x - BAR / 2, x + BAR / 2
    if values is not None:
        bar, scale = np.ma.masked_invalid(values)[:, None], {"vmin": -largest, "vmax": largest}
        extent = (left, right, y + height, y)
        axes.imshow(bar, cmap=BRIGHTNESS, extent=extent, aspect="auto", interpolation="nearest", **scale)
        wrong, cell = np.flatnonzero(~np.isfinite(values)), height / len(values)
        for index in wrong:
            look = {"hatch": "xxxxxx", "edgecolor": theme.WRONG, "linewidth": 0}
            axes.add_patch(Rectangle((left, y + (index - 0.5) * cell), BAR, 2 * cell, fill=False, **look))
        for index in wrong[:1]:
            told = short(float(values[index]))
            write_text(axes, right + 0.03, y + (index + 0.5) * cell, told, ha="left", size=8, color=theme.WRONG)
    axes.add_patch(Rectangle((left, y), BAR, height, fill=False, edgecolor=theme.LINE, linewidth=0.8, zorder=6))


def write_text(axes: Axes, x: float, y: float, text: str, **look) -> None:
    """A word or a number in the middle of its column; it is text, never a formula."""
    options = {"ha": "center", "va": "center_baseline", "size": 9.5, "parse_math": False, **look}
    axes.text(x, y, written(text), **options)


def draw_source(axes: Axes, story: Story, places: Sequence[float], largest: float) -> None:
    """Source words, and below each its state, as far as the encoder has come (from both ends, if it has two)."""
    told, states = story.told, story.numbers["encoder_states"]
    read, n = story.ticks.get("encode", 0), len(places)
    for place, (x, word) in enumerate(zip(places, told["source"], strict=True)):
        write_text(axes, x, LINE / 2, word)
        parts = np.split(states[place], 2) if told["bidirectional"] else [states[place]]
        height = (TALL - HALVES * (len(parts) - 1)) / len(parts)
        for half, part in enumerate(parts):
            reached = place >= n - read if half else place < read
            draw_bar(axes, x, LINE + half * (height + HALVES), part if reached else None, height, largest)
    axes.text(0, LINE + TALL / 2, in_math(told["recipe"]["letters"]["source"]), size=10.5, va="center")


def draw_context(axes: Axes, story: Story, x: float, decoder: Sequence[float], below: float, largest: float) -> None:
    """The context at the right of the source; if it is always the same, also how it has been handed over so far."""
    letter = story.told["recipe"]["letters"]["context"]
    context = story.row("contexts", "blend")
    if "context" in story.ticks:
        context = story.numbers["contexts"][max(0, story.now.tick - 1)]
        for to in decoder[1 : story.ticks.get("state", 0) + 1]:
            draw_line(axes, to, below, x, linewidth=0.8, color=theme.MUTED)
    if story.row("states", story.now.name) is not None:  # at a tick of the decoder
        letter = re.sub("_.$", f"_{{{story.now.tick}}}", letter)
    axes.text(x, LINE / 2, in_math(letter), ha="center", va="center")
    draw_bar(axes, x, LINE, context, TALL, largest)


def draw_look(axes: Axes, story: Story, source: Sequence[float], decoder: Sequence[float], below: float) -> None:
    """Lines from the state that asks to the source, as thick as the weights; the numbers at their ends."""
    weights, scores = story.row("weights", "weights"), story.row("scores", "scores")
    asks = [step for step in story.told["recipe"]["tick"] if step["name"] == "weights"]
    shown = scores if weights is None else weights
    if shown is None:
        return
    aside = (BAR + 0.03) / 2 if "combined" in story.numbers else 0
    x = decoder[story.now.tick - ("before" in asks[0]["uses"])] - aside
    for j, to in enumerate(source):
        write_text(axes, to, LINE + TALL + LINE / 2, short(float(shown[j])), size=8.5, color=theme.MUTED)
        strength = 0.5 if weights is None else 0.5 + THICKEST * float(np.nan_to_num(weights[j]))
        look = {"linestyle": ":", "color": theme.WRONG} if not np.isfinite(shown[j]) else {"color": theme.SERIES[0]}
        draw_line(axes, x, below, to, linewidth=strength, **look)


def draw_line(axes: Axes, x: float, y: float, to: float, **look) -> None:
    """A line from here up to below the encoder, upright at both ends."""
    middle = y - FAN / 2
    curve = Path([(x, y), (x, middle), (to, middle), (to, y - FAN)], [Path.MOVETO, *[Path.CURVE4] * 3])
    axes.add_patch(PathPatch(curve, fill=False, capstyle="butt", **look))


def draw_decoder(axes: Axes, story: Story, places: Sequence[float], below: float, largest: float) -> None:
    """The decoder's states, and below each the word written there; the first word was given."""
    told, numbers, ticks = story.told, story.numbers, story.ticks
    states = np.concatenate([numbers["start"], numbers["states"]])
    aside = (BAR + 0.03) / 2 if "combined" in numbers else 0
    for tick, x in enumerate(places):
        reached = ticks.get("state" if tick else "start", -1) >= tick
        draw_bar(axes, x - aside, below, states[tick] if reached else None, TALL, largest)
        if aside and tick:
            combined = numbers["combined"][tick - 1] if ticks.get("combine", 0) >= tick else None
            draw_bar(axes, x + aside, below, combined, TALL, largest)
        if ticks.get("write" if tick else "start", -1) >= tick:
            word = told["written"][tick - 1] if tick else told["read"][0]
            write_text(axes, x, below + TALL + LINE / 2 + 0.05, word, color=theme.INK if tick else theme.MUTED)
    for line, name in enumerate(("state", "combined") if aside else ("state",)):
        axes.text(0, below + TALL / 2 + LINE * line, in_math(told["recipe"]["letters"][name]), size=10.5, va="center")


def in_math(formula: str) -> str:
    """A formula as matplotlib sets it; as plain text, if it cannot."""
    for ours, theirs in IN_MATHTEXT.items():
        formula = formula.replace(ours, theirs)
    formula = re.sub(r"(?<=[\w})\]]),? +(?=[\w\\[←→])", lambda found: found[0].replace(" ", r"\,"), formula)
    math = "$" + re.sub(r"(?<!\\)\b(tanh|softmax|score|max|exp|log)", r"\\mathrm{\1}", formula) + "$"
    try:
        MathTextParser("path").parse(math)
    except ValueError:
        return formula.replace("$", r"\$")
    return math
