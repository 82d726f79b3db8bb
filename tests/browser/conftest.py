"""One JupyterLab for all tests of a worker, on the first chapter and a notebook for each thing to try."""

import os
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts.notebooks import METADATA
from tests.browser.lab import do, lab_server, open_notebook
from tests.conftest import page_at_home
from tests.house.files import HOME, chapters

ARTEFACTS = HOME / "test-artefacts"


@pytest.fixture(scope="session")
def lab_folder(tmp_path_factory):
    """Return the folder that JupyterLab serves; files that lie in it can be opened at any time."""
    return with_first_chapter(tmp_path_factory.mktemp("lab"))


def with_first_chapter(folder):
    """Put the first chapter where JupyterLab opens it."""
    (folder / "notebooks").mkdir()
    shutil.copy(chapters()[0], folder / "notebooks")
    return folder


@pytest.fixture(scope="session")
def lab(lab_folder):
    """Return the address of a JupyterLab that reads no settings of this machine."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with lab_server(lab_folder, ARTEFACTS / f"jupyterlab{worker}.log") as address:
        yield address


@pytest.fixture
def first_visit(tmp_path):
    """Return the address and the folder of a JupyterLab that nobody has opened: it has no layout of another test."""
    folder = with_first_chapter(tmp_path)
    with lab_server(folder, ARTEFACTS / "jupyterlab_first_visit.log") as address:
        yield address, folder


@pytest.fixture(scope="session")
def notebook(lab, lab_folder):
    """Return a function that writes a notebook of these cells, and returns the address that opens it."""

    def write(name, cells, page="lab/tree"):
        fresh = new_notebook(cells=[new_code_cell(source) for source in cells], metadata=METADATA)
        nbformat.write(fresh, lab_folder / name)
        return f"{lab}/{page}/{name}"

    return write


class Window:
    """A page with JupyterLab, which is loaded with the first notebook only.

    `wrong` has the errors of scripts, `blocked` the addresses on other machines that were asked for.
    """

    def __init__(self, page, lab, blocked):
        self.page, self.lab, self.blocked, self.loaded = page, lab, blocked, False
        self.wrong = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def open(self, path):
        """Open a notebook, as a path from the lab's folder; return the page when its kernel waits."""
        if self.loaded:
            self.page.evaluate("(path) => course.open(path)", path)
            self.page.wait_for_function("(path) => course.shows(path)", arg=path)
        else:
            open_notebook(self.page, f"{self.lab}/lab/tree/{path}?reset")
        self.loaded = True
        return self.page

    def leave(self):
        """Leave what is open, and end its kernel."""
        while self.page.evaluate("() => Boolean(window.jupyterapp?.shell.currentWidget?.context)"):
            do(self.page, "course.leave")


@pytest.fixture(scope="session")
def lab_window(browser, lab):
    """Return the window for the tests of a worker."""
    blocked = []
    with page_at_home(browser, blocked) as page:
        yield Window(page, lab, blocked)


@pytest.fixture
def window(lab_window):
    """Return JupyterLab with no notebook open; what the test opens is left, and must not have asked other machines."""
    yield lab_window
    lab_window.leave()
    assert lab_window.blocked == []
