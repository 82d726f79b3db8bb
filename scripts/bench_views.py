"""How soon a view answers: from a key press on a slider to changed pixels, in JupyterLab, side by side with matplotlib.

`make bench ONLY=views` measures, and writes the section of docs/benchmarks.md. It needs Chromium, as the tests do.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from scripts.lab_server import errors_of, lab_server, run_all
from scripts.notebooks import METADATA

ARTEFACTS = Path(__file__).parent.parent / "test-artefacts"
SIZES = (12, 64)
CONDITIONS = ("quiet", "busy")  # busy: on each core another process computes, as while a model learns next door
ROUNDS, CHANGES = 12, 10  # 120 changes of each cell; one key more in each round is not counted
BASELINE = "`interact` + matplotlib"

SETUP = '''\
import anywidget, ipywidgets, matplotlib.pyplot as plt, numpy as np
from course_lib.show import AttentionView, interactive

def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)

def example(n):
    slider = ipywidgets.FloatLogSlider(value=1, base=10, min=-1, max=1, step=0.02)
    return [f"word{k}" for k in range(n)], 2 * np.random.default_rng(0).normal(size=(n, n)), slider

def with_matplotlib(n):
    words, scores, slider = example(n)
    def draw(temperature):
        weights = softmax(scores / temperature)
        plt.figure(figsize=(6, 6))
        plt.imshow(weights, vmin=0, vmax=1, cmap="Blues")
        places = range(0, n, 1 if n <= 12 else 3)  # as many words as the view writes
        plt.xticks(places, [words[place] for place in places], rotation=45)
        plt.yticks(places, [words[place] for place in places])
        if n <= 12:
            for row, column in np.ndindex(weights.shape):
                plt.text(column, row, f"{weights[row, column]:.2f}", ha="center", va="center")
        plt.show()
    ipywidgets.interact(draw, temperature=slider)

def with_python(n):
    words, scores, slider = example(n)
    view = AttentionView(softmax(scores), words, words)
    return interactive(lambda temperature: softmax(scores / temperature), view, temperature=slider)

def in_the_browser(n):
    words, scores, _ = example(n)
    return AttentionView(scores=scores, queries=words, keys=words)

class Least(anywidget.AnyWidget):
    _esm = """export default { render({ el }) {
      const [canvas, slider, label] = ["canvas", "input", "label"].map((name) => document.createElement(name));
      slider.type = "range";
      slider.oninput = () => {
        const context = canvas.getContext("2d");
        context.fillStyle = `hsl(${3 * slider.value} 80% 40%)`;
        context.fillRect(0, 0, 300, 150);
      };
      slider.toggleAttribute("data-lm-suppress-shortcuts", true);  // arrows are the notebook's otherwise
      slider.onkeydown = (event) => event.stopPropagation();
      label.append(slider);
      el.className = "lesson-view";
      el.append(canvas, label);
    } }"""'''
VARIANTS = {  # what draws: the cell
    BASELINE: "with_matplotlib({n})",
    "`interactive` + `AttentionView`: Python computes, the browser draws": "with_python({n})",
    "`AttentionView(scores=…)`: the browser computes and draws": "in_the_browser({n})",
    "for comparison: a slider that fills one rectangle, the least there is": "Least()",
}
SLIDERS = ".noUi-handle, .lesson-view label:last-child input"  # the temperature's comes first in each variant

# One sample a frame: a fingerprint of the cell's pictures at its beginning, and the time when the frame was painted.
RECORDER = """
const small = new OffscreenCanvas(256, 64).getContext("2d", { willReadFrequently: true });  // four beside each other
small.imageSmoothingEnabled = false;  // half the time
const pictures = () => {
  const all = [...document.querySelectorAll(".jp-Notebook .jp-mod-active .jp-Cell-outputWrapper :is(img, canvas)")];
  const drawn = (one) => one.tagName === "CANVAS" || (one.complete && one.naturalWidth);
  return all.filter((one) => one.clientWidth > 40 && drawn(one)).slice(0, 4);
};
const fingerprint = () => {
  const found = pictures();
  if (found.length === 0) return 0;
  small.clearRect(0, 0, 256, 64);
  found.forEach((picture, place) => small.drawImage(picture, 64 * place, 0, 64, 64));
  let hash = 1;
  for (const four of new Uint32Array(small.getImageData(0, 0, 64 * found.length, 64).data.buffer)) {
    hash = Math.imul(hash ^ four, 0x9e3779b1);
    hash ^= hash >>> 15;  // else two pictures of one colour each can look alike
  }
  return hash;
};
let log = [];
let pressed = Infinity;
const sample = () => {
  const began = performance.now();
  const frame = { began, print: fingerprint() };
  frame.cost = performance.now() - began;
  log.push(frame);
  scheduler.postTask(() => (frame.painted = performance.now()), { priority: "user-blocking" });  // before all others
  requestAnimationFrame(sample);
};
requestAnimationFrame(sample);
window.addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
const changes = () => log.slice(1).filter(({ began, print, painted }, place) =>
  began > pressed && print && painted && print !== log[place].print);
window.bench = {
  patience: 5000,
  begin: () => { log = []; pressed = Infinity; },
  ready: () => log.length > 2,
  /** Milliseconds from the key to the last change, when there was none for a quarter of a second; null: no change. */
  answer: () => {
    const last = changes().at(-1);
    const now = performance.now();
    if (last && now - last.began > 250) return { latency: last.painted - pressed, cost: costs() };
    return now - pressed > bench.patience ? { latency: null, cost: costs() } : undefined;
  },
};
const costs = () => log.reduce((sum, { cost }) => sum + cost, 0) / log.length;
"""


@dataclass
class Cell:
    """A cell of the notebook, and how many milliseconds each change of its slider took."""

    variant: str
    size: int
    condition: str = CONDITIONS[0]
    latencies: list[float] = field(default_factory=list)
    missed: int = 0

    @property
    def code(self) -> str:
        """What makes the cell's picture."""
        return VARIANTS[self.variant].format(n=self.size)


def press(page: "Page", cell: Cell, place: int, keys: Iterable[str]) -> list[float]:
    """Press keys on the temperature's slider, each when the picture has come to rest; note what each change took."""
    page.evaluate("(place) => course.show(place)", place)
    page.locator(f".jp-Notebook .jp-mod-active :is({SLIDERS})").first.focus()
    page.wait_for_timeout(300)
    costs = []
    for number, key in enumerate(keys):
        page.evaluate("bench.begin()")
        page.wait_for_function("bench.ready()")
        page.wait_for_timeout(random.uniform(20, 60))  # a key comes at any moment, not just after a frame
        page.keyboard.press(key)
        page.wait_for_timeout(300)  # asking earlier would be work for the page while it answers
        answer = page.wait_for_function("bench.answer()", polling=50).json_value()
        costs.append(answer["cost"])
        if number and answer["latency"] is not None:  # the first one is not counted
            cell.latencies.append(answer["latency"])
        cell.missed += number > 0 and answer["latency"] is None
    return costs


def measure(page: "Page", address: str, cells: list[Cell], rounds: int, changes: int) -> float:
    """Fill the cells' latencies, the cells taking turns; returns what looking at the pictures costs a frame, in ms."""
    page.add_init_script(RECORDER)
    run_all(page, address)
    if errors_of(page):
        raise RuntimeError(f"a cell failed: {errors_of(page)}")
    for place, cell in enumerate(cells):  # a cell that does not answer is found in the first minute
        press(page, cell, place + 1, ["ArrowRight", "ArrowLeft"])
        if not cell.latencies:
            raise RuntimeError(f"no change was seen after a key: {cell.variant}, {cell.size}")
        cell.latencies.clear()
    costs = []
    for turn in range(rounds):
        key = ("ArrowRight", "ArrowLeft")[turn % 2]
        for place, cell in enumerate(cells):
            costs += press(page, cell, place + 1, [key] * (changes + 1))
    return statistics.median(costs)


def write_notebook(path: Path, cells: list[Cell]) -> None:
    """A notebook with what all cells need, and the cells."""
    sources = [SETUP, *(cell.code for cell in cells)]
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources], metadata=METADATA), path)


@contextmanager
def other_work(condition: str) -> Iterator[None]:
    """While the context lasts: nothing, or on each core a process that never rests."""
    count = os.cpu_count() if condition == "busy" else 0
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def percentile(numbers: list[float], percent: int) -> float:
    """The number that so many percent of the numbers do not exceed."""
    return statistics.quantiles(numbers, n=100, method="inclusive")[percent - 1]


def rows(cells: list[Cell]) -> list[list]:
    """The table: how soon each variant answers, and how many times sooner than the baseline beside it."""
    beside = {(cell.size, cell.condition): percentile(cell.latencies, 50) for cell in cells if cell.variant == BASELINE}
    found = []
    for cell in cells:
        p50, p95 = (percentile(cell.latencies, percent) for percent in (50, 95))
        faster = "" if cell.variant == BASELINE else f"{beside[cell.size, cell.condition] / p50:.0f}"
        words = f"{cell.size} × {cell.size}"
        found.append([words, cell.condition, cell.variant, f"{p50:.0f}", f"{p95:.0f}", len(cell.latencies), faster])
    return found


def views() -> str:
    """The section of the page."""
    from playwright.sync_api import sync_playwright

    from scripts.bench import table
    from tests.conftest import FLAGS, browser_path, page_at_home

    groups = [[Cell(variant, size, each) for variant in VARIANTS] for each in CONDITIONS for size in SIZES]
    cells = [cell for group in groups for cell in group]
    costs = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        (Path(folder) / "notebooks").mkdir()
        chromium = playwright.chromium.launch(executable_path=browser_path(), args=list(FLAGS), headless=True)
        with lab_server(Path(folder), ARTEFACTS / "jupyterlab_bench.log") as address:
            for group in groups:
                size, condition = group[0].size, group[0].condition
                name = f"views_{size}_{condition}.ipynb"
                write_notebook(Path(folder) / "notebooks" / name, group)
                with page_at_home(chromium, []) as page, other_work(condition):
                    costs.append(measure(page, f"{address}/lab/tree/{name}?reset", group, ROUNDS, CHANGES))
        cost, browser = statistics.mean(costs), chromium.version
        chromium.close()
    if missed := [f"{cell.variant}, {cell.size}, {cell.condition}: {cell.missed}" for cell in cells if cell.missed]:
        raise RuntimeError(f"no change was seen after some keys: {missed}")
    lab, chrome, cores = version("jupyterlab"), browser.partition(".")[0], os.cpu_count()
    how = f"""\
A key press on the temperature's slider, until the picture has changed: milliseconds on the clock, within which half of
the changes and 95 % of them are seen. All cells of a size are in one notebook in one JupyterLab {lab}, in headless
Chromium {chrome} on {cores} cores without a graphics card; they take turns, {CHANGES} changes each in {ROUNDS} rounds.
In each frame a script draws the cell's pictures, 64 × 64 pixels small, and compares them with those of the frame before
({cost:.1f} ms a frame). The time runs from the key event's own stamp to the end of the painting of the last frame that
differed; 250 ms without a change end it. Nothing can be faster than the next frame; there is one every 17 ms. What a
view says in words beside its picture follows a frame later and is not counted. In a new figure, matplotlib writes the
same words as the view, and with 12 of them the numbers. The last column says how many times sooner than with
{BASELINE} half of the answers are there. A slider that only fills one rectangle says what JupyterLab and the measuring
themselves cost on this machine: no view can be sooner. Busy: on each core one more process computes all the time, as
when a model learns in another notebook."""
    head = ["words", "machine", "what draws", "p50, ms", "p95, ms", "changes", "times as soon"]
    return f"{how}\n\n{table(head, rows(cells))}"
