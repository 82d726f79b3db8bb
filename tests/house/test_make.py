"""The Makefile: `make` alone lists the targets, and the environment is made again when it must be."""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from .files import HOME

FAKE = """#!/bin/sh
echo "$@" >> calls
case "$*" in *venv*) rm -rf .venv; mkdir -p .venv/bin; cp python .venv/bin/python;; *-r*) test ! -e broken;; esac"""
VENV, PACKAGES, COURSE, WORK = "venv --clear", "pip install -r", "pip install --no-deps", "scripts.work"
pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")


def make(folder, *arguments):
    """Run make in a folder, without the variables of a make around it; return its status and what it printed."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "ONLY", "PYTHON_ENV")}
    done = subprocess.run(["make", *arguments], cwd=folder, env=kept, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_every_target_is_listed():
    targets = re.search(r"^\.PHONY: (.*)", (HOME / "Makefile").read_text(encoding="utf-8"), re.M)[1].split()
    assert re.findall(r"^  make (\S+)", make(HOME)[1], re.M) == targets


def test_the_environment_is_made_when_it_must_be(tmp_path):
    """Rejects a half-made environment that is taken for whole, and a change that is not noticed."""
    shutil.copy(HOME / "Makefile", tmp_path)
    for name, text in {"requirements.lock": "", "pyproject.toml": "", "broken": "", "python": FAKE}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "python").chmod(0o755)

    def calls(*arguments):
        (tmp_path / "calls").write_text("")
        make(tmp_path, "work", *(arguments or ["PYTHON=./python"]))
        said = (tmp_path / "calls").read_text()
        return [part for part in (VENV, PACKAGES, COURSE, WORK) if part in said]

    assert calls() == [VENV, PACKAGES]
    (tmp_path / "broken").unlink()
    assert calls() == [VENV, PACKAGES, COURSE, WORK]
    assert calls() == [WORK]
    for name, parts in {"requirements.lock": [VENV, PACKAGES, COURSE, WORK], "pyproject.toml": [COURSE, WORK]}.items():
        subprocess.run(["touch", "-d", "2100-01-01", tmp_path / name], check=True)
        assert calls() == parts
        subprocess.run(["touch", "-d", "2000-01-01", tmp_path / name], check=True)
    assert calls("PYTHON_ENV=./python") == [WORK]
    shutil.rmtree(tmp_path / ".venv")
    assert re.search(
        "needs Python 3.11 or newer, with venv.*make lab PYTHON=", make(tmp_path, "lab", "PYTHON=false")[1]
    )


def test_a_failing_cell_fails_make_test(tmp_path):
    """Rejects a `make test` that passes over chapters or solutions."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(HOME / name, tmp_path)
    for folder in ("notebooks", "solutions/00_words"):
        (tmp_path / folder).mkdir(parents=True)
        cells = [new_code_cell("assert 1 == 1"), new_code_cell("assert 1 == 2")]
        nbformat.write(new_notebook(cells=cells), tmp_path / folder / "00_a.ipynb")
    status, said = make(tmp_path, "test", f"PYTHON_ENV={sys.executable}")
    assert status != 0
    assert "2 failed, 2 passed" in said
