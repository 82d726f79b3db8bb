"""Outputs of cells: placeholders, errors, and what nbgrader can process."""

import json

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output

from .submission import is_test

LINES = 200  # of a traceback


def truncated() -> NotebookNode:
    """The output that replaces the rest of a long output."""
    return new_output("stream", text="\n(the rest of the output was cut)\n")


def error(name: str, text: str) -> NotebookNode:
    """An error output."""
    return new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])


def failed(cell: NotebookNode) -> bool:
    """True for a cell with an error output."""
    return any(output.output_type == "error" for output in cell.outputs)


def omitted() -> NotebookNode:
    """The output that replaces an invalid message."""
    return new_output("stream", text="(an invalid output was omitted)\n")


def clean(cell: NotebookNode, most: int) -> None:
    """Make the outputs of a cell acceptable for nbgrader.

    Unencodable characters are replaced and long errors truncated. In test cells, text on stderr would cost all points,
    even a warning, and a last value would count as points, so both become ordinary outputs.
    """
    for place, output in enumerate(cell.outputs):
        if output.output_type == "error":
            output.evalue = output.evalue[:most]
            output.traceback = [line[:most] for line in output.traceback[:LINES]]
        if is_test(cell) and output.output_type == "stream":
            output.name = "stdout"
        if is_test(cell) and output.output_type == "execute_result":
            output = new_output("display_data", output.data, metadata=output.metadata)
        text = json.dumps(output, ensure_ascii=False).encode("utf-8", "replace").decode()
        cell.outputs[place] = from_dict(json.loads(text))
