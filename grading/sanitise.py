"""Make a graded notebook safe to open: no output or text of a submission runs in the page that shows it.

nbgrader's formgrader shows submissions in the instructor's JupyterLab, where a script would have the instructor's
rights. So only text and pictures are kept of outputs, and tags and links in a student's text are shown literally.
"""

import copy
import re

from nbformat import NotebookNode
from nbformat.v4 import new_output

TAG_OR_LINK = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(:])")
WORD_JOINER = "\u2060"  # invisible; it keeps Markdown and browsers from seeing a tag or a link
PICTURES = ("image/png", "image/jpeg")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")


def sanitise(notebook: NotebookNode, release: NotebookNode) -> NotebookNode:
    """A copy without HTML, JavaScript and widgets, except in the texts of the release."""
    notebook, ours = copy.deepcopy(notebook), {cell.source for cell in release.cells}
    notebook.metadata = copy.deepcopy(release.metadata)
    for cell in notebook.cells:
        if cell.cell_type != "code" and cell.source not in ours:
            cell.source = TAG_OR_LINK.sub(rf"\g<0>{WORD_JOINER}", cell.source)
            cell.pop("attachments", None)
        elif cell.cell_type == "code":
            cell.execution_count = number(cell.get("execution_count"))
            cell.outputs = [kept(output) for output in cell.outputs]
    return notebook


def number(count: object) -> int | None:
    """The execution count if it is an integer; a kernel can send anything."""
    return count if type(count) is int else None


def kept(output: NotebookNode) -> NotebookNode:
    """An output reduced to text and pictures."""
    if output.output_type == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return new_output("stream", name=name, text=str(output.get("text", "")))
    if output.output_type == "error":
        lines = [str(line) for line in output.get("traceback", [])]
        return new_output("error", ename=str(output.ename), evalue=str(output.evalue), traceback=lines)
    data = {kind: value for kind, value in output.get("data", {}).items() if is_safe(kind, value)}
    return new_output("display_data", data=data or {"text/plain": "(an output that is neither text nor a picture)"})


def is_safe(kind: str, value: object) -> bool:
    """True for plain text and for valid base64 of a picture."""
    return isinstance(value, str) and (kind == "text/plain" or (kind in PICTURES and bool(BASE64.fullmatch(value))))
