"""Tamper checks: would a graded cell that passed have failed with a wrong answer?

A program can tamper with the checks: replace them, patch the functions they call, or disable assertions. So each check
that passed runs once more as a probe, in which the names that the student defined return wrong values of the same type
and shape. The probe must fail. Probes that do not fail with the solutions are dropped. All of this runs in the
student's process, so it detects the usual methods, not all.
"""

import ast

from nbformat import NotebookNode

from .submission import grade_id, is_answer, is_test, names

# Code that runs in the student's kernel; {mark} is a random name, {names} the names that the student defined. It uses
# no builtin through the student's namespace, which may contain a variable called `dict`.
ASSERT = "assert '{mark}' == ''"
RAISED = "AssertionError"
WRONG_VALUES = """
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
    return f"wrong, {value}" if isinstance(value, str) else "wrong"


def replacement(value):
    def function(*arguments, **options):
        result = value(*arguments, **options)
        if result is None:
            raise ValueError("wrong")
        return wrong(result)

    return function if callable(value) else wrong(value)


def restore():
    space.clear()
    space.update(before)


before = dict(space)
space.update({name: replacement(space[name]) for name in names if name in space})
"""
REPLACE = f"""
import builtins as {{mark}}
{{mark}} = {{mark}}.dict(names={{names!r}}, space={{mark}}.globals(), __builtins__={{mark}})
{{mark}}["__builtins__"].exec({WRONG_VALUES.replace("{", "{{").replace("}", "}}")!r}, {{mark}})
"""
RESTORE = '{mark}["restore"]()\ndel {mark}'


def check_options(release: NotebookNode, whole: NotebookNode) -> dict:
    """The options of SandboxExecute that depend on the assignment's checks."""
    answered = answered_names(release, whole)
    sources = {grade_id(cell): cell.source for cell in whole.cells if is_test(cell)}
    codes = {name: probes(sources[name], found) for name, found in answered.items()}
    return {"answered": answered, "probes": codes, "imports": imports_again(whole)}


def answered_names(release: NotebookNode, whole: NotebookNode) -> dict[str, list[str]]:
    """For each test cell, the names that it uses and that students define.

    The release shows which names students define; the source notebook shows which names hidden tests use.
    """
    stubs = [names(cell.source) for cell in release.cells if is_answer(cell) and cell.cell_type == "code"]
    asked = {name for stub in stubs for name, imported in stub.items() if not imported}
    return {grade_id(cell): sorted(used(cell.source) & asked) for cell in whole.cells if is_test(cell)}


def probes(source: str, answered: list[str]) -> list[str]:
    """The code that must fail with wrong values: calls such as `check_softmax(softmax_rows)`, else the whole cell."""
    calls = [node for node in parsed(source) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    given = ((call, {arg.id for arg in call.value.args if isinstance(arg, ast.Name)}) for call in calls)
    return [ast.unparse(call) for call, arguments in given if arguments & set(answered)] or [source] * bool(answered)


def imports_again(whole: NotebookNode) -> str:
    """The given imports that test cells use; running them before each test cell undoes redefinitions."""
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
    """The names that the code reads."""
    nodes = (node for statement in parsed(source) for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def parsed(source: str) -> list[ast.stmt]:
    """The statements of a cell; none if it is not valid Python."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []
