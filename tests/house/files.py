"""The files of the project that the tests of this folder look at."""

import ast
import re
import subprocess
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
LIBRARY = HOME / "course_lib"
NOT_OURS = {".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints", "work"}
TEXT = {".py", ".md", ".ipynb", ".toml", ".yml", ".yaml", ".json", ".js", ".css", ".html", ".lock", ".txt", ".cfg", ""}
CHAPTER = re.compile(r"(\d\d[a-z]?)_[a-z0-9_]+")  # 02_where_… or, optional, 02a_…


def tracked():
    """Paths of the project's files, relative to its folder: those that Git knows, or all where Git is missing."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOME, capture_output=True, text=True, encoding="utf-8")
    if listed.returncode == 0 and listed.stdout:
        names = [Path(name) for name in listed.stdout.split("\0") if name]
        return [name for name in names if (HOME / name).is_file()]
    names = (path.relative_to(HOME) for path in sorted(HOME.rglob("*")) if path.is_file())
    return [name for name in names if not NOT_OURS & set(name.parts)]


def texts():
    """{relative path: text} of the project's text files."""
    found = {name: (HOME / name).read_bytes() for name in tracked() if name.suffix in TEXT}
    return {name: content.decode("utf-8") for name, content in found.items() if b"\0" not in content}


def library():
    """{path below course_lib: source} of the library's Python files."""
    files = (path for path in sorted(LIBRARY.rglob("*.py")) if "__pycache__" not in path.parts)
    return {path.relative_to(LIBRARY).as_posix(): path.read_text(encoding="utf-8") for path in files}


def chapters(folder="notebooks"):
    """The notebooks of a folder, in the order of chapters."""
    found = (HOME / folder).glob("**/*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def line_count(source):
    """Number of lines of a text."""
    return len(source.splitlines())


def public_definitions(source):
    """(name, node) of the public functions and classes of a module, and of the public methods of these classes."""
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, node
            for method in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                    yield f"{node.name}.{method.name}", method


def none(violations):
    """Fail with all violations, one a line."""
    found = list(violations)
    assert not found, "\n" + "\n".join(found)
