"""One JupyterLab for all tests of a worker: on a copy of the chapters, and a notebook for each thing to try."""

import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts.lab_server import lab_server
from scripts.notebooks import METADATA
from tests.house.files import HOME, chapters

ARTEFACTS = HOME / "test-artefacts"


def without_outputs(notebook):
    """The notebook as if it had never been run, so that all that is seen comes from this run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


@pytest.fixture(scope="session")
def lab_folder(tmp_path_factory):
    """The folder of the JupyterLab; what lies in its notebooks/ can be opened at any time."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "notebooks").mkdir()
    for path in chapters():
        nbformat.write(without_outputs(nbformat.read(path, as_version=4)), folder / "notebooks" / path.name)
    return folder


@pytest.fixture(scope="session")
def lab(lab_folder):
    """The address of a JupyterLab that sees nothing of this machine's settings."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with lab_server(lab_folder, ARTEFACTS / f"jupyterlab{worker}.log") as address:
        yield address


@pytest.fixture(scope="session")
def notebook(lab, lab_folder):
    """A function that writes a notebook of these cells, and returns the address that opens it."""

    def write(name, cells, page="lab/tree"):
        fresh = new_notebook(cells=[new_code_cell(source) for source in cells], metadata=METADATA)
        nbformat.write(fresh, lab_folder / "notebooks" / name)
        return f"{lab}/{page}/{name}"

    return write
