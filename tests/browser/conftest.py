"""One JupyterLab for all tests of a worker: on a copy of the chapters, and a notebook for each thing to try."""

import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts.lab_server import lab_server, open_beside, open_notebook
from scripts.notebooks import METADATA
from tests.conftest import page_at_home
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


class Window:
    """A page with JupyterLab: loaded with the first notebook, which takes four times as long as to open one more in it.

    `wrong` has the errors of scripts, `blocked` the addresses on other machines that were asked for.
    """

    def __init__(self, page, lab, blocked):
        self.page, self.lab, self.blocked, self.loaded = page, lab, blocked, False
        self.wrong = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def open(self, path):
        """Open a notebook, as a path from the lab's folder; return the page when its kernel waits."""
        if self.loaded:
            open_beside(self.page, path)
        else:
            open_notebook(self.page, f"{self.lab}/lab/tree/{path}?reset")
        self.loaded = True
        return self.page

    def leave(self):
        """Leave what is open, and end its kernel."""
        while self.page.evaluate("() => Boolean(window.jupyterapp?.shell.currentWidget?.context)"):
            self.page.evaluate("() => course.leave()")


@pytest.fixture(scope="session")
def lab_window(browser, lab):
    """The window for the tests of a worker."""
    blocked = []
    with page_at_home(browser, blocked) as page:
        yield Window(page, lab, blocked)


@pytest.fixture
def window(lab_window):
    """JupyterLab with no notebook open; what the test opens is left afterwards, and must not ask another machine."""
    yield lab_window
    lab_window.leave()
    assert lab_window.blocked == []
