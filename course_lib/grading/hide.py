"""Hidden tests taken out of what students see: for nbgrader, which calls this when it writes feedback."""

import re

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import ClearHiddenTests, GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade

SHORTEST = 6  # characters of a line that tells something when it is quoted
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WITHHELD = "(This output quotes a hidden test: it is left out.)"


class HideHiddenTests(NbGraderPreprocessor):
    """Take hidden tests out of outputs: tracebacks quote them, and programs may print them.

    Of an error in a check its own words stay. ClearHiddenTests, which comes next, takes them out of the checks.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Look through all outputs of a notebook."""
        hidden = hidden_lines(nb)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [without(output, hidden, is_grade(cell)) for output in cell.outputs]
        return nb, resources


def hidden_lines(notebook: NotebookNode) -> set[str]:
    """The lines of all hidden tests that would tell something."""
    begin, end = (getattr(ClearHiddenTests, f"{edge}_test_delimeter").default_value for edge in ("begin", "end"))
    hidden, shown, inside = set(), set(), False
    for line in (line.strip() for cell in notebook.cells for line in cell.source.splitlines()):
        inside = (inside or begin in line) and end not in line
        if len(line) >= SHORTEST and begin not in line:
            (hidden if inside else shown).add(line)
    return hidden - shown


def without(output: NotebookNode, hidden: set[str], is_check: bool) -> NotebookNode:
    """An output that quotes no hidden test."""
    if output.output_type == "error" and is_check:
        output.traceback = [f"{output.ename}: {output.evalue}" if output.evalue else output.ename]
    if any(line in text for text in (words(output), words(output).replace("\\n", "\n")) for line in hidden):
        return new_output("stream", name="stdout", text=WITHHELD)
    return output


def words(output: NotebookNode) -> str:
    """All text of an output, without the colours of a terminal."""
    parts = [output.get("text", ""), *output.get("traceback", []), output.get("evalue", "")]
    parts += [value for kind, value in output.get("data", {}).items() if kind.startswith("text/")]
    return COLOURS.sub("", "\n".join(map(str, parts)))


STUB = '# YOUR CODE HERE\nraise NotImplementedError("replace this line")'  # in the place of a solution
# What makes feedback, in this order.
PREPROCESSORS = [GetGrades, HideHiddenTests, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
