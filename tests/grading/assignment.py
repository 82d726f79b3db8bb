"""A small assignment with hidden tests, and submissions for it: answers as source, the rest as a change of the JSON."""

import copy
import json

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

DOUBLE, TRIPLE, WHY = "def double(x):\n    return 2 * x", "def triple(x):\n    return x + x + x", "It adds."
FULL = {"double-check": 2, "triple-check": 3}
NOTHING = dict.fromkeys(FULL, 0)
SETTINGS = {"total_s": 40, "cell_s": 3, "cpu_s": 6, "memory_mb": 400, "disk_mb": 32, "processes": 64, "output_kb": 100}

GIVEN = """from math import isclose


def check_double(function, numbers=(1, 2.5, -3)):
    for x in numbers:
        assert isclose(function(x), 2 * x), f"double({x}) is not {2 * x}"
"""
HIDDEN = "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"
SOLUTION = "{}\n    ### BEGIN SOLUTION\n{}\n    ### END SOLUTION"


def nbgrader(name, points=None, solution=False):
    """The metadata of a cell: locked unless it is an answer."""
    rights = {"schema_version": 3, "grade_id": name, "grade": points is not None, "solution": solution, "task": False}
    return {"nbgrader": rights | {"locked": not solution} | ({} if points is None else {"points": points})}


def source():
    """The notebook of solutions/: code, code and a text, each with its points."""
    cells = [
        new_markdown_cell("# Numbers"),
        new_code_cell(GIVEN, metadata=nbgrader("given")),
        new_markdown_cell("Write `double`."),
        new_code_cell(SOLUTION.format(*DOUBLE.split("\n")), metadata=nbgrader("double", solution=True)),
        new_code_cell(
            "check_double(double)\n" + HIDDEN.format("check_double(double, (7, 21))\nassert double(double(3)) == 12"),
            metadata=nbgrader("double-check", points=2),
        ),
        new_markdown_cell("Write `triple`."),
        new_code_cell(SOLUTION.format(*TRIPLE.split("\n")), metadata=nbgrader("triple", solution=True)),
        new_code_cell(
            "assert triple(2) == 6\n" + HIDDEN.format("assert triple('ab') == 'ababab', 'the secret'"),
            metadata=nbgrader("triple-check", points=3),
        ),
        new_markdown_cell(
            "### BEGIN SOLUTION\nBecause.\n### END SOLUTION", metadata=nbgrader("why", points=4, solution=True)
        ),
    ]
    for number, cell in enumerate(cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"text-{number}")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return writes(new_notebook(cells=cells, metadata=kernel)).encode()


def released(release, change=lambda notebook: None, **answers):
    """A submission: the released notebook with these answers ({grade id: source}), then changed as plain JSON."""
    notebook = copy.deepcopy(json.loads(writes(release)))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return json.dumps(change(notebook) or notebook).encode()
