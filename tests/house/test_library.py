"""Every public thing of the library says what it is, and every module has tests where one looks for them."""

import ast
from pathlib import PurePosixPath

from .files import HOME, library, none, public_definitions
from .test_imports import imported, module_name


def without_docstring(path, source):
    """Public functions, classes and methods that do not say what they do (a subclass may inherit a method's words)."""
    definitions = dict(public_definitions(source))
    for name, node in definitions.items():
        owner = definitions.get(name.rpartition(".")[0])
        if not ast.get_docstring(node) and not (owner and owner.bases):
            yield f"{path}: {name} has no docstring"


def test_files(path):
    """Where the tests of a module lie: attention/core.py -> tests/attention/test_core*.py"""
    path = PurePosixPath(path)
    return f"tests/{path.parent}/test_{path.stem}*.py".replace("/./", "/")


test_files.__test__ = False


def without_tests(sources, home):
    """Modules that have no test file, and do not serve one of their room that has."""
    modules = {module_name(path): path for path in sources if not path.endswith("__init__.py")}
    todo = [name for name, path in modules.items() if list(home.glob(test_files(path)))]
    tested = set()
    while todo:
        name = todo.pop()
        tested.add(name)
        room = name.rpartition(".")[0]
        for other in imported(sources[modules[name]], name):
            neighbour = ".".join(other.split(".")[1:3])  # course_lib.data.words.WORDS -> data.words
            if neighbour in modules and neighbour not in tested and neighbour.startswith(f"{room}."):
                todo.append(neighbour)
    return [f"{path} has no tests in {test_files(path)}" for name, path in modules.items() if name not in tested]


def test_public_things_have_docstrings():
    none(missing for path, source in library().items() for missing in without_docstring(path, source))


def test_modules_have_docstrings():
    none(path for path, source in library().items() if not ast.get_docstring(ast.parse(source)))


def test_each_module_has_its_tests():
    none(without_tests(library(), HOME))


def test_a_missing_docstring_is_found():
    methods = "    'A.'\n    def m(self): ...\n    def _p(self): ...\n"
    source = f"def f(): ...\ndef _g(): ...\nclass A:\n{methods}class B(A):\n{methods}class C: ...\n"
    assert [wrong.split()[1] for wrong in without_docstring("a.py", source)] == ["f", "A.m", "C"]


def test_a_module_without_tests_is_found(tmp_path):
    for name in ("data/test_pairs.py", "test_measure.py"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).touch()
    sources = {
        "measure.py": "from course_lib.data import dates",  # another room's module gains nothing by this
        "data/pairs.py": "from course_lib.data.words import WORDS",
        "data/words.py": "from . import letters",
        "data/letters.py": "",
        "data/dates.py": "from course_lib.data.pairs import Pair",
        "data/__init__.py": "",
    }
    assert without_tests(sources, tmp_path) == ["data/dates.py has no tests in tests/data/test_dates*.py"]
