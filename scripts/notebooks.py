"""`make notebooks [ONLY=02]`: run each chapter in a fresh kernel, clean what it left, write it back with its outputs.

Cleaning keeps what a reader sees and what is the same after every run; times, widget state and editors' notes go.
"""

import copy
import hashlib
import os
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HOME = Path(__file__).resolve().parent.parent
CHAPTERS = HOME / "notebooks"
MAX_KB = 500  # about ten views, each with a page of its own (20 to 30 KB packed)
MAX_CPU_SECONDS = 60
HANG = 1800  # seconds for one cell: no chapter comes near it
VIEW = "application/vnd.jupyter.widget-view+json"
KEPT_OF_CELLS = ("tags", "nbgrader")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
FINISHED_BAR = re.compile(r"^.*\d+%\|.*\| *\d+/\d+ \[[\d:]+<.*\]$")


# ── Cleaning ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def clean(notebook):
    """A copy of the notebook as it may be committed: cleaning twice changes nothing more."""
    notebook = copy.deepcopy(notebook)
    notebook.nbformat_minor = max(5, notebook.nbformat_minor)
    notebook.metadata = nbformat.from_dict(METADATA)
    runs = 0
    for place, cell in enumerate(notebook.cells):
        cell.setdefault("id", "cell-" + hashlib.sha256(f"{place}{cell.source}".encode()).hexdigest()[:8])
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in KEPT_OF_CELLS if key in cell.metadata})
        if cell.cell_type == "code":
            cell.outputs = clean_outputs(cell.outputs)
            was_run = cell.execution_count is not None
            runs += was_run
            number_outputs(cell, runs if was_run else None)
    return notebook


def number_outputs(cell, count):
    """Give a cell, and the value it shows, this number."""
    cell.execution_count = count
    for output in cell.outputs:
        if output.output_type == "execute_result":
            output.execution_count = count


def clean_outputs(outputs):
    """What a reader sees: printed text in one piece without progress bars, views without what needs a kernel."""
    cleaned = []
    for output in outputs:
        if output.output_type == "stream":
            before = cleaned[-1] if cleaned else None
            if before and before.output_type == "stream" and before.name == output.name:
                before.text += output.text
                continue
        elif "data" in output:
            without_widget(output)
        cleaned.append(output)
    for output in cleaned:
        if output.output_type == "stream":
            output.text = without_bars(output.text)
    return [output for output in cleaned if output.output_type != "stream" or output.text]


def without_bars(text):
    """Text as it stands on a terminal in the end: a carriage return begins the line anew, and bars are gone."""
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(line for line in lines if not FINISHED_BAR.match(line))


def without_widget(output):
    """Take the reference to a live widget out of an output: without its kernel a page would only show an error."""
    output.data.pop(VIEW, None)
    output.metadata.pop(VIEW, None)


# ── What is wrong with a chapter's outputs ────────────────────────────────────────────────────────────────────────────


def complaints(notebook):
    """What must not be in a chapter's outputs and cannot be cleaned away: one sentence each."""
    for number, cell in enumerate(notebook.cells):
        where = f"cell {number} ({cell.get('id')})"
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"{where} ends in {output.ename}: {output.evalue}"
            elif output.get("name") == "stderr":
                yield f"{where} writes to stderr: {output.text.strip()[:300]}"
            elif VIEW in output.get("data", {}) and not output.data.keys() & {"text/html", "image/png"}:
                yield f"{where} shows a widget that leaves nothing to see where there is no kernel"


# ── Running ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def execute(path):
    """The notebook with the outputs of a fresh kernel of this Python, the seconds it took, and those of its CPU."""
    notebook = nbformat.read(path, as_version=4)
    wall, cpu = time.perf_counter(), children_seconds()
    client = NotebookClient(
        notebook,
        timeout=HANG,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of its own transport at each start
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute(env=kernel_variables())
    return notebook, time.perf_counter() - wall, children_seconds() - cpu


def kernel_variables():
    """What the kernel finds: one thread, fixed hashes, figures that go into the notebook, nobody's IPython settings."""
    kept = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    settings = HOME / "test-artefacts" / "ipython"
    settings.mkdir(parents=True, exist_ok=True)
    return {**kept, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "IPYTHONDIR": str(settings)}


def children_seconds():
    """CPU seconds of the processes that this one started and that have ended (0 on Windows, which does not count)."""
    spent = os.times()
    return spent.children_user + spent.children_system


def make(path):
    """Run, clean and write one chapter; print what it cost; return what is wrong with it."""
    try:
        notebook, wall, cpu = execute(path)
    except CellExecutionError as error:
        return [f"{error}".strip() + "\n(nothing was written)"]
    wrong = list(complaints(notebook))
    nbformat.write(clean(notebook), path)
    size = path.stat().st_size / 1024
    slow = f"  (more than the {MAX_CPU_SECONDS} CPU s of a chapter)" if cpu > MAX_CPU_SECONDS else ""
    print(f"{path.name:<45} {cpu:6.1f} CPU s {wall:6.1f} s {size:6.0f} KB{slow}", flush=True)
    if size > MAX_KB:
        wrong.append(f"its {size:.0f} KB are more than the {MAX_KB} that a chapter may have")
    return wrong


def main(only=""):
    """Make the chapters whose names begin with `only`; the status is 1 if one of them is not in order."""
    paths = sorted(path for path in CHAPTERS.glob("*.ipynb") if path.name.startswith(only))
    if not paths:
        print(f"No chapter in {CHAPTERS.name}/ begins with {only!r}", file=sys.stderr)
        return 1
    failures = 0
    for path in paths:
        for sentence in make(path):
            failures += 1
            print(f"!! {path.name}: {sentence}", file=sys.stderr)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
