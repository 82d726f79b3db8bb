"""The Makefile is a table of contents: each target is a line or two, and `make` alone explains it."""

import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts.environment import COMMANDS, TEST, targets

from .files import HOME, none

TARGETS = {
    "help",
    "lab",
    "test",
    "notebooks",
    "exercises",
    "work",
    "grade",
    "feedback",
    "site",
    "data",
    "pretrained",
    "claims",
    "bench",
    "lock",
}
MAX_LINES = 3


def recipes(makefile):
    """{target: its line and the lines of its recipe}."""
    blocks = re.findall(r"^([a-z][\w-]*):.*\n((?:\t.*\n?)*)", makefile, re.MULTILINE)
    return {name: recipe.splitlines() for name, recipe in blocks}


def long_targets(makefile):
    """Targets whose recipe is longer than a target should be."""
    return [f"{name} has {len(lines)} lines" for name, lines in recipes(makefile).items() if len(lines) > MAX_LINES]


def test_targets_are_short():
    none(long_targets((HOME / "Makefile").read_text(encoding="utf-8")))


def test_a_long_target_is_found():
    assert long_targets("a: ## x\n\tone\n\ttwo\n\tthree\n\tfour\n\nb:\n\tone\n") == ["a has 4 lines"]


def test_all_targets_are_explained(capsys):
    targets()
    explained = re.findall(r"^  make (\S+)", capsys.readouterr().out, re.MULTILINE)
    assert set(explained) == TARGETS == set(recipes((HOME / "Makefile").read_text(encoding="utf-8")))


def test_every_target_calls_something_that_is_there():
    """Rejects a target whose script was renamed."""
    for name, lines in recipes((HOME / "Makefile").read_text(encoding="utf-8")).items():
        command, *rest = " ".join(lines).partition("$(ENV)")[2].split()
        assert command in COMMANDS, name
        if rest and rest[0].endswith(".py"):
            assert (HOME / rest[0]).is_file(), name


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_make_alone_prints_the_list():
    done = subprocess.run(["make"], cwd=HOME, capture_output=True, text=True)
    assert done.returncode == 0
    assert "make lab" in done.stdout


def test_notebooks_are_part_of_the_tests(pytestconfig):
    """Rejects a `make test` that passes over chapters and solutions."""
    assert "--nbval-lax" in TEST
    assert "--nbval-current-env" in TEST
    assert {"tests", "notebooks", "solutions"} <= set(pytestconfig.getini("testpaths"))


def test_a_failing_cell_fails_the_whole(tmp_path):
    """The command of `make test`, in a project that has nothing but a chapter and a solution, each half wrong."""
    shutil.copy(HOME / "pyproject.toml", tmp_path)
    for folder in ("notebooks", "solutions/00_words"):
        (tmp_path / folder).mkdir(parents=True)
        cells = [new_code_cell("assert 1 == 1"), new_code_cell("assert 1 == 2")]
        nbformat.write(new_notebook(cells=cells), tmp_path / folder / "00_a.ipynb")
    command = [sys.executable, "-m", *TEST, "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout
    assert "2 failed, 2 passed" in done.stdout
