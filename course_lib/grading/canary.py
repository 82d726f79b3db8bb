"""After a graded cell has passed: would it have failed with a wrong answer?

A program can bend the checks: replace them, patch what they call, make assertions pass. So the checks are run once
more, with what the student had to define replaced by something that gives nonsense of the same kind (numbers of the
same shape, other values), and must fail. The solutions are run first: what nonsense passes there is asked of nobody.
All this happens in the student's process: it notices the usual ways, not all.
"""

import ast

from nbformat import NotebookNode

from .handin import grade_id, is_answer, is_test, names

# What runs in the student's kernel; {mark} is a random name, {names} what the student had to define. None of it uses
# names of the student's, who may well have a variable called `dict`.
ASSERT = "assert '{mark}' == ''"
RAISED = "AssertionError"
NONSENSE = """
def wrong(value):
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        backwards = value.flip(*range(value.ndim)) if hasattr(value, "flip") and value.ndim else value
        return ~value if "bool" in str(value.dtype) else -1.7 * backwards - 3.1
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | complex):
        return -7 - value if value == value else 1
    if isinstance(value, list | tuple) and value:
        parts = [wrong(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict) and value:
        return {key: wrong(part) for key, part in value.items()}
    return f"nonsense, {value}" if isinstance(value, str) else "nonsense"


def instead_of(value):
    def function(*arguments, **options):
        result = value(*arguments, **options)
        if result is None:
            raise ValueError("nonsense")
        return wrong(result)

    return function if callable(value) else wrong(value)


def restore():
    space.clear()
    space.update(before)


before = dict(space)
space.update({name: instead_of(space[name]) for name in names if name in space})
"""
REPLACE = f"""
import builtins as {{mark}}
{{mark}} = {{mark}}.dict(names={{names!r}}, space={{mark}}.globals(), __builtins__={{mark}})
{{mark}}["__builtins__"].exec({NONSENSE.replace("{", "{{").replace("}", "}}")!r}, {{mark}})
"""
RESTORE = '{mark}["restore"]()\ndel {mark}'


def about_checks(release: NotebookNode, whole: NotebookNode) -> dict:
    """What SandboxExecute must know of the checks of an assignment."""
    answered = answered_names(release, whole)
    sources = {grade_id(cell): cell.source for cell in whole.cells if is_test(cell)}
    codes = {name: canaries(sources[name], found) for name, found in answered.items()}
    return {"answered": answered, "canaries": codes, "imports": imports_again(whole)}


def answered_names(release: NotebookNode, whole: NotebookNode) -> dict[str, list[str]]:
    """For each cell that is graded by running it: the names that it uses and that students had to define.

    What they had to define stands in the release, what hidden tests use in the whole notebook of solutions/.
    """
    stubs = [names(cell.source) for cell in release.cells if is_answer(cell) and cell.cell_type == "code"]
    asked = {name for stub in stubs for name, imported in stub.items() if not imported}
    return {grade_id(cell): sorted(used(cell.source) & asked) for cell in whole.cells if is_test(cell)}


def canaries(source: str, answered: list[str]) -> list[str]:
    """What must fail with nonsense: the calls of a test cell like `check_softmax(softmax_rows)`, else all of it."""
    calls = [node for node in parsed(source) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    given = ((call, {arg.id for arg in call.value.args if isinstance(arg, ast.Name)}) for call in calls)
    return [ast.unparse(call) for call, arguments in given if arguments & set(answered)] or [source] * bool(answered)


def imports_again(whole: NotebookNode) -> str:
    """The imports of what graded cells use: run before each of them, they undo another meaning of these names."""
    given = [cell for cell in whole.cells if cell.cell_type == "code" and not is_answer(cell) and not is_test(cell)]
    wanted = {name for cell in whole.cells if is_test(cell) for name in used(cell.source)}
    defined = [names(cell.source) for cell in whole.cells if cell.cell_type == "code"]
    wanted -= {name for found in defined for name, imported in found.items() if not imported}
    lines = []
    for node in (node for cell in given for node in parsed(cell.source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in wanted]
            lines += [ast.unparse(node)] if node.names else []
    return "\n".join(lines)


def used(source: str) -> set[str]:
    """The names that code reads."""
    nodes = (node for statement in parsed(source) for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def parsed(source: str) -> list[ast.stmt]:
    """The statements of a cell; none where it is not plain Python."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []
