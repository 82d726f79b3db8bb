"""Merge a submission into the released notebook.

Only the sources of answers and added cells are taken from the submission. Locked cells, points, order and kernel come
from the release, so deleted, duplicated, retyped or moved cells, other versions and large outputs have no effect.
"""

import ast
import copy
import re
from collections import defaultdict

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from .reading import Cell, Submission, UnreadableSubmission, read

__all__ = ["Cell", "Submission", "UnreadableSubmission", "answers", "has_answers", "read", "rebuild"]

WORD = re.compile(r"\w+")
# Innocent or not, an instructor should review answers that contain them.
SUSPICIOUS_WORDS = (
    *("get_ipython", "os._exit", "os.kill", "builtins", "sys.modules", "_getframe", "settrace", "subprocess", "socket"),
    *(
        "ctypes",
        "gc.get_",
        "import inspect",
        "inspect.",
        "course_lib.checks",
        "import grading",
        "from grading",
        "torch.testing",
    ),
    *("np.testing", "numpy.testing", "AssertionError", "__code__", "__globals__", "/proc/", "SystemExit"),
    *("os.system", "os.remove", "rmtree", ".unlink(", "expanduser", "Path.home", "/home", "/root"),
)


def has_answers(release: NotebookNode, submission: Submission) -> set[str]:
    """The ids of the answers that differ from the release."""
    found = answers(release, submission)
    return {
        grade_id(cell) for cell in release.cells if is_answer(cell) and not same(found[grade_id(cell)], cell.source)
    }


def answers(release: NotebookNode, submission: Submission) -> dict[str, str]:
    """{grade id: source} of the answers; the released stub if there is no answer."""
    return {grade_id(cell): cell.source for cell in rebuild(release, submission)[0].cells if is_answer(cell)}


def rebuild(release: NotebookNode, submission: Submission) -> tuple[NotebookNode, list[str]]:
    """The released notebook with the submission's answers and added cells, and notes."""
    notebook, notes = copy.deepcopy(release), list(submission.notes)
    given: dict[int, list[Cell]] = defaultdict(list)  # what was handed in for each cell of the release
    added: dict[int, list[Cell]] = defaultdict(list)  # cells added behind it
    anchor = -1
    for cell, place in zip(submission.cells, places(release, submission.cells), strict=True):
        anchor = anchor if place is None else place
        (added if place is None else given)[anchor].append(cell)
    for place, cell in enumerate(notebook.cells):
        if is_answer(cell):
            *earlier, cell.source = versions(cell, given[place], notes)
            added[place - 1] += [Cell(cell.cell_type, None, source) for source in earlier]
        elif grade_id(cell):
            notes += differences(cell, given[place])
        else:
            added[place] = [one for one in given[place] if not same(one.source, cell.source)] + added[place]
    notebook.cells = merged(notebook.cells, added)
    notebook.nbformat_minor = max(notebook.nbformat_minor, 5)  # the first version in which cells have ids
    return notebook, notes + review_notes(release, notebook)


def merged(cells: list[NotebookNode], added: dict[int, list[Cell]]) -> list[NotebookNode]:
    """The cells of the release, each followed by the cells that the student added behind it."""
    make, found = {"code": new_code_cell, "markdown": new_markdown_cell}, []
    for place, cell in enumerate([None, *cells], start=-1):
        found += [cell] if cell is not None else []
        for one in added[place]:
            if one.source.strip():
                found.append(make[one.kind](one.source, id=f"added-{len(found)}"))
    return found


def places(release: NotebookNode, cells: list[Cell]) -> list[int | None]:
    """The index of each cell in the release, found by grade id, cell id, source or defined function; else None."""
    known = {grade_id(cell): place for place, cell in enumerate(release.cells) if grade_id(cell)}
    found: list[int | None] = [known.get(cell.grade_id) for cell in cells]
    for alike in (
        lambda cell, other: cell.label is not None and cell.label == other.get("id"),
        lambda cell, other: same(cell.source, other.source),
        lambda cell, other: is_answer(other) and bool(names(other.source).keys() & names(cell.source).keys()),
    ):
        free = [place for place in range(len(release.cells)) if place not in found]
        for number, cell in enumerate(cells):
            if found[number] is None and cell.source.strip():
                place = next((place for place in free if alike(cell, release.cells[place])), None)
                if place is not None:
                    found[number] = place
                    free.remove(place)
    return found


def versions(cell: NotebookNode, given: list[Cell], notes: list[str]) -> list[str]:
    """The different answers for a cell; the last one counts, as it does when all cells are run."""
    name = grade_id(cell)
    if not given:
        notes.append(f"`{name}` is missing: graded as not answered")
    if any(one.kind != cell.cell_type for one in given):
        notes.append(f"`{name}` was changed into another kind of cell: restored")
    if any(one.grade_id is None for one in given):
        notes.append(f"`{name}` had lost its grade id: recognised by its content")
    notes += changed_points(cell, given)
    sources = list(dict.fromkeys(one.source for one in given if not same(one.source, cell.source)))
    if len(sources) > 1:
        notes.append(f"`{name}` is there {len(sources)} times with different answers: the last one counts")
    return sources or [cell.source]


def differences(cell: NotebookNode, given: list[Cell]) -> list[str]:
    """Notes on changes to a cell that is not the student's."""
    name = grade_id(cell)
    if not given:
        return [f"`{name}` is missing: put back"]
    edited = any(not same(one.source, cell.source) or one.kind != cell.cell_type for one in given)
    return [f"`{name}` is a locked cell and was edited: restored"] * edited + changed_points(cell, given)


def changed_points(cell: NotebookNode, given: list[Cell]) -> list[str]:
    """A note if a cell claims other points than it is worth."""
    worth = cell.metadata.nbgrader.get("points")
    claims = [one.points for one in given if one.points is not None and one.points != worth]
    return [f"the points of `{grade_id(cell)}` were changed: restored"] if claims else []


def review_notes(release: NotebookNode, notebook: NotebookNode) -> list[str]:
    """Notes on answers with suspicious words, or that redefine a name that checks use."""
    ours = [cell.source for cell in release.cells if cell.cell_type == "code" and not is_answer(cell)]
    used = used_by([cell.source for cell in release.cells if is_test(cell)], ours)
    course = {name: what for source in ours for name, what in names(source).items() if name in used}
    stubs = {grade_id(cell): names(cell.source) for cell in release.cells if is_answer(cell)}
    notes = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and (is_answer(cell) or not grade_id(cell)) and cell.source not in ours:
            where = f"in `{grade_id(cell)}`" if grade_id(cell) else "in an added cell"
            notes += [f"review: {word} ({where})" for word in SUSPICIOUS_WORDS if word in cell.source]
            own = names(cell.source).items() - stubs.get(grade_id(cell), {}).items()
            again = (name for name, what in own if name in course and not (what and what == course[name]))
            notes += [f"review: {name} is redefined ({where})" for name in sorted(again)]
    return list(dict.fromkeys(notes))


def used_by(checks: list[str], given: list[str]) -> set[str]:
    """The words of the checks and, transitively, of the given cells that define them."""
    used = set(WORD.findall("\n".join(checks)))
    cells = [(names(source).keys(), set(WORD.findall(source))) for source in given]
    for _ in cells:
        used = used.union(*(words for defined, words in cells if used & defined))
    return used


def is_test(cell: NotebookNode) -> bool:
    """True for a cell that gives points if it runs without an error."""
    rights = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "code" and rights.get("grade") and not rights.get("solution"))


def grade_id(cell: NotebookNode) -> str | None:
    """nbgrader's id of a cell, or None."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_answer(cell: NotebookNode) -> bool:
    """True for a cell that students write, whether tested or graded by hand."""
    return bool(grade_id(cell) and cell.metadata.nbgrader.get("solution"))


def same(one: str, other: str) -> bool:
    """True if two texts are equal except for trailing whitespace."""
    left, right = ([line.rstrip() for line in text.strip().splitlines()] for text in (one, other))
    return left == right


def names(source: str) -> dict[str, str]:
    """{name: what it imports, else ""} of the top level of code; empty if the code is invalid."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found |= {alias.asname or alias.name: f"{start}{alias.name}" for alias in node.names}
        else:
            inner = list(ast.walk(node))
            found |= {n.id: "" for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            found |= {n.name: "" for n in inner if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return found
