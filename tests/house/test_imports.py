"""Which part of course_lib may import which: the contracts of [tool.importlinter] in pyproject.toml."""

from importlinter.cli import lint_imports

from .files import HOME


def test_imports_keep_the_contracts(monkeypatch):
    """Rejects an import that points the wrong way; `lint-imports` says which."""
    monkeypatch.chdir(HOME)
    assert lint_imports(no_cache=True) == 0
