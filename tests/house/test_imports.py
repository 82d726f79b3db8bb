"""Who may import whom, read from the sources: the arrows of the house, and which room may draw, train or read files."""

import ast

import pytest

from .files import library, none

# A part of the library -> the parts it may import. The first row that fits a file holds for it.
ARROWS = [
    ("attention.scores", ()),
    ("attention.masks", ()),
    ("attention.positions", ()),
    ("attention.core", ("attention.scores",)),
    ("attention.__init__", ("attention",)),
    ("attention", ("attention.core", "attention.scores", "attention.masks")),
    ("models", ("models", "attention")),
    ("data", ("data",)),
    ("show", ("show",)),
    ("training", ()),
    ("measure", ()),
    ("divergence", ("measure.entropy",)),
    ("checks", ("checks", "attention", "models", "training.one_thread")),
    ("__init__", ()),
]
DRAWING = {"matplotlib", "anywidget", "ipywidgets", "IPython", "PIL", "seaborn", "plotly"}
MATHEMATICS = {"torch", "einops", "jaxtyping"}  # all that attention/ needs beside Python itself
PLAIN_PYTHON = {"__future__", "collections", "dataclasses", "enum", "functools", "itertools", "math", "typing"}


def module_name(path):
    """attention/core.py -> attention.core"""
    return path.removesuffix(".py").replace("/", ".")


def imported(source, module):
    """The dotted names that a module imports, relative ones resolved; `from a import b` gives a.b."""
    package = ["course_lib", *module.split(".")[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def within(name, part):
    """True when a dotted name is this part, or lies in it."""
    return f"{name}.".startswith(f"{part}.")


def wrong_arrows(path, source):
    """Imports between parts of the library that the house does not allow."""
    module = module_name(path)
    allowed = next((targets for part, targets in ARROWS if within(module, part)), None)
    if allowed is None:
        return [f"{path} is in no room of the house"]
    ours = (name.partition(".")[2] for name in imported(source, module) if within(name, "course_lib"))
    return [f"{path} imports course_lib.{name}" for name in ours if not any(within(name, part) for part in allowed)]


def wrong_tools(path, source):
    """Imports of packages from outside that do not belong in this room."""
    names = {name.partition(".")[0] for name in imported(source, module_name(path))} - {"course_lib"}
    wrong = set() if path.startswith("show/") else names & DRAWING
    wrong |= names & {"grading"}
    if path.startswith("checks/"):
        wrong -= {"IPython"}  # for the card that a check shows
    if path.startswith("attention/"):
        wrong |= names - MATHEMATICS - PLAIN_PYTHON
    return [f"{path} imports {name}" for name in sorted(wrong)]


def test_the_arrows_of_the_house_hold():
    none(wrong for path, source in library().items() for wrong in wrong_arrows(path, source))


def test_each_room_uses_its_own_tools():
    none(wrong for path, source in library().items() for wrong in wrong_tools(path, source))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("attention/scores.py", "from course_lib.attention.core import attention"),
        ("attention/masks.py", "from . import core"),
        ("attention/core.py", "from course_lib.models import seq2seq"),
        ("attention/heads.py", "import course_lib.training"),
        ("models/seq2seq.py", "def late():\n    from ..show import heatmap"),
        ("show/view.py", "from course_lib.attention.core import attention"),
        ("data/pairs.py", "import course_lib.training as t"),
        ("training.py", "from course_lib import measure"),
        ("cellar/wine.py", ""),
    ],
)
def test_a_wrong_arrow_is_found(path, source):
    assert len(wrong_arrows(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("attention/core.py", "from course_lib.attention.scores import dot\nimport torch"),
        ("attention/__init__.py", "from .core import attention"),
        ("models/seq2seq.py", "from course_lib.attention import core"),
        ("data/dates.py", "from .pairs import Pair"),
    ],
)
def test_a_right_arrow_is_let_pass(path, source):
    assert wrong_arrows(path, source) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("attention/core.py", "import numpy as np"),
        ("attention/core.py", "from pathlib import Path"),
        ("models/seq2seq.py", "import matplotlib.pyplot as plt"),
        ("checks/card.py", "import IPython, matplotlib"),
        ("measure.py", "from ipywidgets import interact"),
    ],
)
def test_a_foreign_tool_is_found(path, source):
    assert len(wrong_tools(path, source)) == 1
