"""Preprocessors for nbgrader that remove hidden tests from feedback."""

import re

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import ClearHiddenTests, GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade

MIN_QUOTE_CHARS = 6  # shorter lines reveal nothing
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WITHHELD = "(This output quotes a hidden test: it was removed.)"


class HideHiddenTests(NbGraderPreprocessor):
    """Remove hidden tests from outputs: tracebacks quote them, and programs may print them.

    The message of an error in a check is kept. ClearHiddenTests, the next preprocessor, cleans the sources.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Redact all outputs of a notebook."""
        hidden = hidden_lines(nb)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [redacted(output, hidden, is_grade(cell)) for output in cell.outputs]
        return nb, resources


def hidden_lines(notebook: NotebookNode) -> set[str]:
    """The lines of all hidden tests that visible code does not contain."""
    begin, end = (getattr(ClearHiddenTests, f"{edge}_test_delimeter").default_value for edge in ("begin", "end"))
    hidden, shown, inside = set(), set(), False
    for line in (line.strip() for cell in notebook.cells for line in cell.source.splitlines()):
        inside = (inside or begin in line) and end not in line
        if len(line) >= MIN_QUOTE_CHARS and begin not in line:
            (hidden if inside else shown).add(line)
    return hidden - shown


def redacted(output: NotebookNode, hidden: set[str], is_check: bool) -> NotebookNode:
    """An output without quotes of hidden tests."""
    if output.output_type == "error" and is_check:
        output.traceback = [f"{output.ename}: {output.evalue}" if output.evalue else output.ename]
    if any(line in text for text in (output_text(output), output_text(output).replace("\\n", "\n")) for line in hidden):
        return new_output("stream", name="stdout", text=WITHHELD)
    return output


def output_text(output: NotebookNode) -> str:
    """All text of an output, without terminal colours."""
    parts = [output.get("text", ""), *output.get("traceback", []), output.get("evalue", "")]
    parts += [value for kind, value in output.get("data", {}).items() if kind.startswith("text/")]
    return COLOURS.sub("", "\n".join(map(str, parts)))


STUB = '# YOUR CODE HERE\nraise NotImplementedError("replace this line")'  # replaces a solution
# nbgrader's order for feedback.
PREPROCESSORS = [GetGrades, HideHiddenTests, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
