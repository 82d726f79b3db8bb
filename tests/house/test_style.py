"""One style, in libraries and notebooks alike: ruff's settings are in pyproject.toml."""

import subprocess
import sys

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from .files import HOME


def ruff(*arguments, folder=HOME):
    """What ruff says about a folder: its status and its words."""
    command = [sys.executable, "-m", "ruff", *arguments, "--config", str(HOME / "pyproject.toml"), "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_ruff_finds_nothing():
    status, words = ruff("check", "--quiet", "--output-format=concise")
    assert status == 0, "\n" + words


def test_ruff_would_format_nothing_differently():
    status, words = ruff("format", "--check", "--quiet")
    assert status == 0, "\n" + words


def test_ruff_reads_notebooks_too(tmp_path):
    """Rejects settings that leave notebooks out."""
    notebook = new_notebook(cells=[new_code_cell("import os")])
    nbformat.write(notebook, tmp_path / "a.ipynb")
    status, words = ruff("check", "--output-format=concise", folder=tmp_path)
    assert status == 1
    assert "F401" in words
