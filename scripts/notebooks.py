"""`make notebooks [ONLY=02]`: run each chapter in a fresh kernel, clean its outputs and write it back.

Cleaning keeps what a reader sees and what is the same after every run: times, widget state and editors' metadata go.
"""

import copy
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode

HOME = Path(__file__).resolve().parent.parent
CHAPTERS = HOME / "notebooks"
MAX_KB = 400
MAX_CPU_SECONDS = 60
VIEW = "application/vnd.jupyter.widget-view+json"
KEPT_OF_CELLS = ("tags", "nbgrader", "jupyter")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def clean(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of the notebook as it may be committed: cleaning twice changes nothing more."""
    notebook = copy.deepcopy(notebook)
    CoalesceStreamsPreprocessor(enabled=True)(notebook, {})
    notebook.metadata = nbformat.from_dict(METADATA)
    runs = 0
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in KEPT_OF_CELLS if key in cell.metadata})
        if cell.cell_type == "code":
            runs += cell.execution_count is not None
            cell.execution_count = cell.execution_count and runs
            cell.outputs = [output for output in map(clean_output, cell.outputs) if output.get("text", "x").strip()]
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = cell.execution_count
    return notebook


def clean_output(output: NotebookNode) -> NotebookNode:
    """Remove from an output a live view, which needs its kernel, and what is left of a progress bar."""
    if "data" in output:
        output.data.pop(VIEW, None)
        output.metadata.pop(VIEW, None)
    elif output.output_type == "stream":
        output.text = "\n".join(line.rpartition("\r")[2] for line in output.text.replace("\r\n", "\n").split("\n"))
    return output


def complaints(notebook: NotebookNode) -> Iterator[str]:
    """Name what must not be in a chapter's outputs and cannot be cleaned away, one sentence each."""
    for number, cell in enumerate(notebook.cells):
        where = f"cell {number} ({cell.get('id')})"
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"{where} ends in {output.ename}: {output.evalue}"
            elif output.get("name") == "stderr":
                yield f"{where} writes to stderr: {output.text.strip()[:300]}"
            elif VIEW in output.get("data", {}) and not output.data.keys() & {"text/html", "image/png"}:
                yield f"{where} shows a widget that leaves nothing to see where there is no kernel"


def execute(path: Path) -> tuple[NotebookNode, float, float]:
    """Return the notebook with the outputs of a fresh kernel, the seconds it took, and those of its CPU."""
    notebook = nbformat.read(path, as_version=4)
    kernel = {"kernel_name": "python3", "extra_arguments": ["--IPKernelApp.log_level=ERROR"]}
    client = NotebookClient(notebook, record_timing=False, resources={"metadata": {"path": str(path.parent)}}, **kernel)
    variables = {
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    before = os.times()
    client.execute(env=os.environ | variables | {"IPYTHONDIR": str(HOME / "test-artefacts" / "ipython")})
    spent = [now - then for now, then in zip(os.times(), before, strict=True)]
    return notebook, spent[4], spent[2] + spent[3]  # elapsed; user and system time of child processes


def make(path: Path) -> list[str]:
    """Run, clean and write one chapter; print what it cost; return what is wrong with it."""
    try:
        notebook, wall, cpu = execute(path)
    except CellExecutionError as error:
        return [f"{error}\n(nothing was written)"]
    wrong = list(complaints(notebook))
    nbformat.write(clean(notebook), path)
    size = path.stat().st_size / 1024
    print(f"{path.name:<45} {cpu:6.1f} CPU s {wall:6.1f} s {size:6.0f} KB", flush=True)
    if cpu > MAX_CPU_SECONDS:
        print(f"   more than the {MAX_CPU_SECONDS} CPU seconds of a chapter (on a busy machine this may happen)")
    if size > MAX_KB:
        wrong.append(f"{size:.0f} KB is more than the {MAX_KB} KB that a chapter may have")
    return wrong


def main(only: str = "") -> int:
    """Make the chapters whose names begin with `only`; return 1 if one of them is not in order."""
    paths = sorted(CHAPTERS.glob(f"{only}*.ipynb"))
    if not paths:
        print(f"no chapter in {CHAPTERS.name}/ begins with {only!r}", file=sys.stderr)
    failures = [f"{path.name}: {sentence}" for path in paths for sentence in make(path)]
    for sentence in failures:
        print(sentence, file=sys.stderr)
    return int(bool(failures) or not paths)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
