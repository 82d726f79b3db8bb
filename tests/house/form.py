"""The form of a chapter, as far as it can be counted: the laws that test_notebooks.py holds.

Two tags make an exception in a cell, and say why: `derivation` (the cell builds what the library has as well) and
`sourced` (the numbers in the prose are quoted from a paper, which is named beside them).
"""

import ast
import re
from itertools import groupby
from statistics import median

from scripts.notebooks import clean, complaints

from .files import library, public_definitions

IMPORT_LINES, MEDIAN_LINES, MAX_LINES, IN_A_ROW, FIRST_IDEA = 6, 6, 20, 3, 4
FORBIDDEN = {
    "draws by hand (plt.)": r"\bplt\.",
    "changes sys.path": r"\bsys\.path\b",
    "installs something": r"^\s*[!%]+\s*(?:pip|conda|apt)\b",
    "filters warnings": r"\bwarnings\.(?:filterwarnings|simplefilter|catch_warnings)",
    "imports with a star": r"^\s*from\s+\S+\s+import\s+\*",
}
STEPS = {  # how a reader recognises the step of the rhythm
    "predict": r"\*\*Predict",
    "look": r"\blook (?:for|at|whether|where|how)\b",
    "play": r"^#+ .*\bPlay\b|\*\*Play",
    "measure": r"^#+ .*\bMeasure",
    "verdict": r"^#+ .*\bVerdict",
}
NOT_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|<[^>]*>"  # code, formulas, addresses, tags
    r"|(?:§|\b(?:[Ss]ect(?:ion|\.)|[Ee]q(?:uation|s?\.)|[Ff]ig(?:ure|\.)|[Tt]able|[Cc]hapter|[Aa]pp(?:endix|\.)))\s*[\d.,–-]+",
    re.DOTALL,
)
MEASURED = re.compile(r"(?<![\w.])[+−-]?\d*\.\d+|(?<![\w.])\d+\s?%")
ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")


# ── Reading a notebook ────────────────────────────────────────────────────────────────────────────────────────────────


def code_cells(notebook):
    """The code cells that have code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def prose(notebook):
    """The text of all markdown cells."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def tags(cell):
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def lines_of(cell):
    """How many lines of code a cell has; empty ones do not count."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def tree(cell):
    """The syntax of a cell without IPython's own lines."""
    return ast.parse("\n".join(line for line in cell.source.splitlines() if not re.match(r"\s*[!%?]", line)))


def defined(cell):
    """The names of the functions and classes that a cell defines."""
    return {node.name for node in ast.walk(tree(cell)) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def only_imports(cell):
    """True for a cell that imports and does nothing else."""
    return all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in tree(cell).body)


def outputs(notebook):
    """(cell, output) for all outputs."""
    return [(cell, output) for cell in code_cells(notebook) for output in cell.outputs]


def words_of(output):
    """All that an output says in text."""
    parts = [output.get("text", ""), *(str(value) for kind, value in output.get("data", {}).items() if "text/" in kind)]
    return "\n".join(parts)


# ── The laws: each takes a notebook and yields what is against it ─────────────────────────────────────────────────────


def title_asks_a_question(notebook):
    """The first cell is the title; it ends in a question mark, and tells how long the chapter takes."""
    first = notebook.cells[0].source
    if not re.match(r"# .*\?$", first.splitlines()[0]):
        yield f"the title asks nothing: {first.splitlines()[0]}"
    if not re.search(r"\d+ minutes", first):
        yield "the first cell does not say how many minutes the chapter takes"


def rhythm(notebook):
    """Predict, build, look, play, measure, verdict; the verdict is asserted in code."""
    text = prose(notebook)
    yield from (f"no {step}" for step, mark in STEPS.items() if not re.search(mark, text, re.MULTILINE | re.IGNORECASE))
    if not any(defined(cell) for cell in code_cells(notebook)):
        yield "no build: no cell defines a function or a class"
    headings = [n for n, cell in enumerate(notebook.cells) if re.search(STEPS["verdict"], cell.source, re.MULTILINE)]
    rest = notebook.cells[headings[-1] :] if headings else []
    if headings and not any(cell.cell_type == "code" and "assert" in cell.source for cell in rest):
        yield "no assertion after the heading Verdict"


def first_idea_comes_soon(notebook):
    """Title, imports, one cell of words: then something happens."""
    acts = [
        n for n, c in enumerate(notebook.cells) if c.cell_type == "code" and c.source.strip() and not only_imports(c)
    ]
    if not acts or acts[0] >= FIRST_IDEA:
        yield f"no code beside imports in the first {FIRST_IDEA} cells"


def import_cell_is_short(notebook):
    """Imports fit in a glance."""
    for cell in code_cells(notebook):
        if only_imports(cell) and lines_of(cell) > IMPORT_LINES:
            yield f"{cell.id}: {lines_of(cell)} lines of imports (at most {IMPORT_LINES})"


def code_cells_are_short(notebook):
    """Few lines in most cells, never many."""
    sizes = {cell.id: lines_of(cell) for cell in code_cells(notebook)}
    yield from (f"{name}: {size} lines (at most {MAX_LINES})" for name, size in sizes.items() if size > MAX_LINES)
    if sizes and median(sizes.values()) > MEDIAN_LINES:
        yield f"the median of the code cells is {median(sizes.values())} lines (at most {MEDIAN_LINES})"


def words_come_between_code(notebook):
    """No long runs of code."""
    for kind, run in groupby(notebook.cells, key=lambda cell: cell.cell_type):
        run = list(run)
        if kind == "code" and len(run) > IN_A_ROW:
            yield f"{run[0].id}: {len(run)} code cells in a row (at most {IN_A_ROW})"


def nothing_forbidden(notebook):
    """Drawing, paths, installing and warnings are not the lesson."""
    for cell in code_cells(notebook):
        yield from (f"{cell.id} {what}" for what, sign in FORBIDDEN.items() if re.search(sign, cell.source, re.M))


def library_is_not_defined_again(notebook):
    """What the library has is imported, except where the chapter derives it. Not what checks have."""
    sources = (source for path, source in library().items() if not path.startswith("checks/"))
    ours = {name for source in sources for name, _ in public_definitions(source) if "." not in name}
    for cell in code_cells(notebook):
        if "derivation" not in tags(cell):
            yield from (f"{cell.id} defines the library's {name} again" for name in sorted(defined(cell) & ours))


def numbers_are_printed_by_code(notebook):
    """Measured numbers (decimals, per cent) are never typed into the prose."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and "sourced" not in tags(cell):
            found = MEASURED.findall(NOT_PROSE.sub(" ", cell.source))
            yield from (f"{cell.id}: {number.strip()} is typed by hand" for number in found)


def every_cell_was_run(notebook):
    """From top to bottom in one fresh kernel."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells were run in the order {counts}"
    if not any(cell.outputs for cell in code_cells(notebook)):
        yield "no cell has an output"


def outputs_are_in_order(notebook):
    """No errors, nothing on stderr, no addresses in memory, no dead widgets."""
    yield from complaints(notebook)
    yield from (
        f"{cell.id} prints an address" for cell, output in outputs(notebook) if ADDRESS.search(words_of(output))
    )


def pictures_have_words(notebook):
    """Each picture has a text alternative."""
    for cell, output in outputs(notebook):
        if "image/png" in output.get("data", {}):
            alternative = output.metadata.get("image/png", {}).get("alt", "")
            alternative += "".join(re.findall(r"<img alt=\"([^\"]+)\"", output.data.get("text/html", "")))
            if not alternative.strip():
                yield f"{cell.id} shows a picture without a text alternative"


def notebook_is_clean(notebook):
    """Written by `make notebooks`: no widget state, times or editor's notes."""
    if clean(notebook) != notebook:
        yield "not as `make notebooks` writes it"
    if len({cell.id for cell in notebook.cells}) < len(notebook.cells):
        yield "two cells have the same id"


LAWS = [
    title_asks_a_question,
    rhythm,
    first_idea_comes_soon,
    import_cell_is_short,
    code_cells_are_short,
    words_come_between_code,
    nothing_forbidden,
    library_is_not_defined_again,
    numbers_are_printed_by_code,
    every_cell_was_run,
    outputs_are_in_order,
    pictures_have_words,
    notebook_is_clean,
]
