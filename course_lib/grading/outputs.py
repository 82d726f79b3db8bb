"""The outputs of a cell, made such that nbgrader can do with them."""

import json

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output

from .handin import is_test

LINES = 200  # of a traceback


def cut() -> NotebookNode:
    """What stands where more was said than is kept."""
    return new_output("stream", text="\n(the rest of the output was cut)\n")


def error(name: str, text: str) -> NotebookNode:
    """The output of a cell that raised this."""
    return new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])


def failed(cell: NotebookNode) -> bool:
    """True for a cell that raised something."""
    return any(output.output_type == "error" for output in cell.outputs)


def left_out() -> NotebookNode:
    """What stands in the place of a message that nobody understands."""
    return new_output("stream", text="(an output that is none was left out)\n")


def tidy(cell: NotebookNode, most: int) -> None:
    """Make the outputs of a cell such that nbgrader can do with them.

    Letters that cannot be written are replaced, long errors cut. In test cells, text on stderr would cost all points,
    be it a warning, and a last value would count as points: both become ordinary outputs.
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
