"""The form of a chapter, as far as it can be counted: the laws that test_notebooks.py applies.

Two tags make an exception for a cell: `derivation` (it builds what the library has as well) and `sourced` (the numbers
in its prose are quoted from a paper, which is named beside them).
"""

import ast
import re
import symtable

from scripts.notebooks import clean, complaints

from .files import library, public_definitions

MAX_LINES = 20
FORBIDDEN = {
    "draws by hand (plt.)": r"\bplt\.",
    "changes sys.path": r"\bsys\.path\b",
    "installs something": r"^\s*[!%]+\s*(?:pip|conda|apt)\b",
    "filters warnings": r"\bwarnings\.(?:filterwarnings|simplefilter|catch_warnings)",
}
PARTS = {  # what a chapter has, and how a reader recognises it
    "prediction": r"\*\*Predict",
    "play": r"^#+ .*\bPlay\b|\*\*Play",
    "measurement": r"^#+ .*\bmeasure",
}
NOT_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|<[^>]*>"  # code, formulas, addresses, tags
    r"|(?:§|\b(?:[Ss]ect(?:ion|\.)|[Ee]q(?:uation|s?\.)|[Ff]ig(?:ure|\.)|[Tt]able|[Cc]hapter|[Aa]pp(?:endix|\.)))\s*[\d.,–-]+",
    re.DOTALL,
)
VIEW = re.compile(r"\b(?:\w+View|interactive)\(")
MEASURED = re.compile(r"(?<![\w.])[+−-]?\d*\.\d+|(?<![\w.])\d+\s?%")


def code_cells(notebook):
    """The code cells that have code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def prose(notebook):
    """The text of all markdown cells."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def defined(cell):
    """The names of the functions and classes that a cell defines."""
    tree = ast.parse("\n".join(line for line in cell.source.splitlines() if not re.match(r"\s*[!%?]", line)))
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def outputs(notebook):
    """(cell, output) for all outputs."""
    return [(cell, output) for cell in code_cells(notebook) for output in cell.outputs]


# Each law takes a notebook and yields what violates it.


def title_asks_a_question(notebook):
    """The title ends in a question mark, and the first cell states how long the chapter takes."""
    title, *_ = notebook.cells[0].source.splitlines()
    if not re.match(r"# .*\?$", title):
        yield f"the title is not a question: {title}"
    if not re.search(r"\d+ minutes", notebook.cells[0].source):
        yield "the first cell does not state how many minutes the chapter takes"


def parts_are_there(notebook):
    """A prediction, a definition, something to play with, a measurement, and an assertion after it."""
    for part, mark in PARTS.items():
        if not re.search(mark, prose(notebook), re.MULTILINE | re.IGNORECASE):
            yield f"no {part}"
    if not any(defined(cell) for cell in code_cells(notebook)):
        yield "no cell defines a function or a class"
    headings = [n for n, cell in enumerate(notebook.cells) if re.search(PARTS["measurement"], cell.source, re.M | re.I)]
    rest = notebook.cells[headings[-1] :] if headings else []
    if not any(cell.cell_type == "code" and "assert" in cell.source for cell in rest):
        yield "no assertion after the last measurement"


def code_cells_are_short(notebook):
    """At most MAX_LINES lines; empty ones do not count."""
    for cell in code_cells(notebook):
        size = sum(bool(line.strip()) for line in cell.source.splitlines())
        if size > MAX_LINES:
            yield f"{cell.id}: {size} lines (at most {MAX_LINES})"


def nothing_forbidden(notebook):
    """Drawing, paths, installing and warnings are not the lesson."""
    for cell in code_cells(notebook):
        yield from (f"{cell.id} {what}" for what, sign in FORBIDDEN.items() if re.search(sign, cell.source, re.M))


def library_is_not_defined_again(notebook):
    """What the library has is imported, except where the chapter derives it. Not what checks have."""
    sources = (source for path, source in library().items() if not path.startswith("checks/"))
    ours = {name for source in sources for name, _ in public_definitions(source) if "." not in name}
    for cell in code_cells(notebook):
        if "derivation" not in cell.metadata.get("tags", []):
            yield from (f"{cell.id} defines the library's {name} again" for name in sorted(defined(cell) & ours))


def numbers_are_printed_by_code(notebook):
    """Measured numbers (decimals, per cent) are never typed into the prose."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and "sourced" not in cell.metadata.get("tags", []):
            found = MEASURED.findall(NOT_PROSE.sub(" ", cell.source))
            yield from (f"{cell.id}: {number.strip()} is typed by hand" for number in found)


def views_can_run_again(notebook):
    """After a full run every view's cell can be run again: no later cell gives another meaning to a name it needs."""
    cells, inside = [], {}
    for cell in code_cells(notebook):
        names, needed, functions = names_of(cell.source)
        inside |= functions
        cells.append((cell, names, needed))
    for place, (cell, names, needed) in enumerate(cells):
        if not VIEW.search(cell.source):
            continue
        while (more := needed.union(*(inside[name] for name in needed & inside.keys()))) != needed:
            needed = more
        earlier = set().union(*(others for _, others, _ in cells[:place]))
        for later, others, _ in cells[place + 1 :]:
            for name in sorted((needed - names) & earlier & others):
                yield f"{later.id} gives a new meaning to {name}, which the view of {cell.id} needs"


def names_of(source):
    """Names that a cell binds, names it needs from earlier cells, and {function or class: names it needs}."""
    table = symtable.symtable(re.sub(r"(?m)^\s*[!%?].*$", "", source), "cell", "exec")

    def needed(scope):
        own = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        return own.union(*map(needed, scope.get_children()))

    symbols = table.get_symbols()
    bound = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported() or one.is_namespace()}
    used = {one.get_name() for one in symbols if one.is_referenced()}.union(*map(needed, table.get_children()))
    return bound, used - bound, {scope.get_name(): needed(scope) for scope in table.get_children()}


def every_cell_was_run(notebook):
    """From top to bottom in one fresh kernel, with outputs."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells were run in the order {counts}"
    if not outputs(notebook):
        yield "no cell has an output"


def outputs_are_in_order(notebook):
    """No errors, nothing on stderr, no addresses in memory, no widgets that need a kernel."""
    yield from complaints(notebook)
    for cell, output in outputs(notebook):
        texts = [output.get("text", ""), *(str(v) for kind, v in output.get("data", {}).items() if "text/" in kind)]
        if re.search(r" at 0x[0-9a-f]{6,}", "\n".join(texts)):
            yield f"{cell.id} prints an address"


def pictures_have_words(notebook):
    """Each picture has a text alternative."""
    for cell, output in outputs(notebook):
        if "image/png" in output.get("data", {}):
            alternative = output.metadata.get("image/png", {}).get("alt", "")
            alternative += "".join(re.findall(r"<img alt=\"([^\"]+)\"", output.data.get("text/html", "")))
            if not alternative.strip():
                yield f"{cell.id} shows a picture without a text alternative"


def notebook_is_clean(notebook):
    """Written by `make notebooks`: no widget state, times or editor's notes; no cell id twice."""
    if clean(notebook) != notebook:
        yield "not as `make notebooks` writes it"
    if len({cell.id for cell in notebook.cells}) < len(notebook.cells):
        yield "two cells have the same id"


LAWS = [title_asks_a_question, parts_are_there, code_cells_are_short, nothing_forbidden, library_is_not_defined_again]
LAWS += [numbers_are_printed_by_code, views_can_run_again, every_cell_was_run, outputs_are_in_order]
LAWS += [pictures_have_words, notebook_is_clean]
