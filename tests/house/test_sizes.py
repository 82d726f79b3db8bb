"""Small is the argument: budgets for rooms, files and functions, and the README says the same numbers."""

import ast
import re

from .files import HOME, library, line_count, none

ATTENTION, FILE, FUNCTION, LIBRARY, CHECKS = 800, 200, 30, 7500, 4500
README = 150
STATED = re.compile(
    r"`attention/` (?:has )?at most ([\d,]+) lines, no file over ([\d,]+), no function over ([\d,]+), "
    r"all of `course_lib` at most ([\d,]+) beside `checks/` \(([\d,]+)\)"
)


def function_lines(node):
    """The lines of a function, its docstring not counted."""
    lines = node.end_lineno - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines


def long_functions(path, source):
    """The functions, methods included, that are over the budget."""
    functions = (n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    sizes = ((node.name, function_lines(node)) for node in functions)
    return [f"{path}: {name} has {lines} lines" for name, lines in sizes if lines > FUNCTION]


def too_large(sources):
    """Everything over its budget in {path: source}."""
    sizes = {path: line_count(source) for path, source in sources.items()}

    def inside(room):
        return sum(size for path, size in sizes.items() if path.startswith(room))

    rooms = {"attention/": ATTENTION, "checks/": CHECKS}
    rooms = {room: (inside(room), budget) for room, budget in rooms.items()}
    rooms["course_lib"] = (sum(sizes.values()) - inside("checks/"), LIBRARY)
    found = [f"{name} has {size} lines of {budget}" for name, (size, budget) in rooms.items() if size > budget]
    found += [f"{path} has {size} lines" for path, size in sizes.items() if size > FILE]
    return found + [wrong for path, source in sources.items() for wrong in long_functions(path, source)]


def stated_sizes(readme):
    """The budgets as the README states them."""
    found = STATED.search(" ".join(readme.split()))
    return tuple(int(number.replace(",", "")) for number in found.groups()) if found else None


def test_the_library_is_within_its_budgets():
    none(too_large(library()))


def test_readme_states_these_budgets():
    readme = (HOME / "README.md").read_text(encoding="utf-8")
    assert stated_sizes(readme) == (ATTENTION, FILE, FUNCTION, LIBRARY, CHECKS)


def test_readme_is_short():
    assert line_count((HOME / "README.md").read_text(encoding="utf-8")) <= README


def test_a_long_function_is_found_and_its_docstring_not_counted():
    body = "\n".join(["    x = 1"] * 29)
    assert long_functions("a.py", f"def f():\n{body}") == []
    assert long_functions("a.py", f'def f():\n    """One.\n\n    Two."""\n{body}') == []
    assert long_functions("a.py", f"def f():\n{body}\n    x = 2") == ["a.py: f has 31 lines"]
    assert len(long_functions("a.py", "class A:\n    def f(self):\n" + "\n".join(["        x = 1"] * 30))) == 1


def test_a_long_file_a_full_room_and_a_full_library_are_found():
    assert too_large({"measure.py": "x = 1\n" * 201}) == ["measure.py has 201 lines"]
    full = {f"attention/{n}.py": "x = 1\n" * 200 for n in range(4)}
    assert too_large(full) == []
    assert too_large(full | {"attention/5.py": "x = 1\n"}) == ["attention/ has 801 lines of 800"]
    assert too_large({f"data/{n}.py": "x = 1\n" * 200 for n in range(38)}) == ["course_lib has 7600 lines of 7500"]
    assert too_large({f"checks/{n}.py": "x = 1\n" * 200 for n in range(23)}) == ["checks/ has 4600 lines of 4500"]


def test_a_readme_that_says_other_sizes_is_found():
    said = "`attention/` at most 800 lines, no file\nover 200, no function over 30, all of `course_lib` at most 6,000"
    assert stated_sizes(f"{said} beside `checks/` (2,000)") == (800, 200, 30, 6000, 2000)
    assert stated_sizes(said) is None
    assert stated_sizes("small") is None
