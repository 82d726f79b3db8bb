"""A reader in real JupyterLab: opens a chapter, runs all, and moves a live view by keyboard.

The pictures that the test took lie in test-artefacts/ afterwards.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from scripts.environment import HOME, clean_variables, lab_command
from scripts.notebooks import METADATA
from tests.house.files import HOME as PROJECT
from tests.house.files import chapters

pytestmark = pytest.mark.browser

ARTEFACTS = PROJECT / "test-artefacts"
ANSWER, HANG = 120, 900  # seconds until a click surely has its effect, and until a chapter surely has run
SMALL = "a_small_notebook.ipynb"
SMALL_CODE = """\
import numpy as np
from course_lib.show import AttentionView
AttentionView(np.eye(3), ["I", "am", "here"], ["je", "suis", "ici"])"""
HELPERS = """
const panel = () => window.jupyterapp?.shell.currentWidget;
const cells = () => panel()?.content?.widgets ?? [];
const isCode = (cell) => cell.model.type === "code" && cell.model.sharedModel.source.trim();
window.course = {
  idle: () => cells().length > 0 && panel().sessionContext?.session?.kernel?.status === "idle",
  hasRun: () => cells().filter(isCode).every((cell) => cell.model.executionCount),
  sources: () => cells().map((cell) => cell.model.sharedModel.source),
  hasFailed: () => course.outputs().some((output) => output.output_type === "error"),
  outputs: () => cells().flatMap((cell) => cell.model.outputs?.toJSON() ?? []),
  show: (place) => { panel().content.activeCellIndex = place; panel().content.scrollToItem(place, "start"); },
};
"""  # JupyterLab's own objects: what it draws is only what is near the window


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on a copy of the chapters that sees nothing of this machine's settings."""
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    for path in chapters():
        nbformat.write(without_outputs(nbformat.read(path, as_version=4)), home / "notebooks" / path.name)
    small = new_notebook(cells=[new_code_cell(SMALL_CODE)], metadata=METADATA)
    nbformat.write(small, home / "notebooks" / SMALL)
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    variables = {**clean_variables(), **folders, "IPYTHONDIR": str(home / "ipython"), "OMP_NUM_THREADS": "1"}
    port = free_port()
    flags = [
        "--no-browser",
        f"--ServerApp.root_dir={home / 'notebooks'}",
        "--IdentityProvider.token=",
        "--LabApp.expose_app_in_browser=True",
    ]
    command = lab_command(sys.executable, port, flags, root=getattr(os, "geteuid", lambda: 1)() == 0)
    ARTEFACTS.mkdir(exist_ok=True)
    with (ARTEFACTS / "jupyterlab.log").open("w") as log:
        server = subprocess.Popen(command, cwd=HOME, env=variables, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(server, f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)


def without_outputs(notebook):
    """The notebook as if it had never been run, so that all that is seen comes from this run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


def free_port():
    """A port that no server uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(server, address):
    """Return when the server answers; fail when it ends or hangs."""
    end = time.monotonic() + ANSWER
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start: see {ARTEFACTS.name}/jupyterlab.log")


def run_all(page, address):
    """Open a notebook and choose Run > Run All Cells; return when the last cell has run, or one has failed."""
    page.set_default_timeout(ANSWER * 1000)
    page.add_init_script(HELPERS)
    page.goto(address)
    page.wait_for_function("() => course.idle()")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function("() => (course.hasRun() || course.hasFailed()) && course.idle()", timeout=HANG * 1000)


def errors_of(page):
    """The names and words of the errors in the outputs of the notebook that is open."""
    outputs = page.evaluate("() => course.outputs()")
    return [f"{one['ename']}: {one['evalue']}" for one in outputs if one["output_type"] == "error"]


def first_view(page):
    """Scroll to the first attention view of the notebook; return its element."""
    sources = page.evaluate("() => course.sources()")
    page.evaluate("place => course.show(place)", next(n for n, text in enumerate(sources) if "AttentionView(" in text))
    view = page.locator(".jp-Notebook .jp-mod-active .lesson-view")
    view.scroll_into_view_if_needed()
    return view


def moved(page, view, key):
    """Press a key; return the picture of the view when it has changed."""
    before = view.screenshot()
    page.keyboard.press(key)
    end = time.monotonic() + ANSWER
    while (after := view.screenshot()) == before:
        assert time.monotonic() < end, f"{key} on the step slider did not change the picture"
    return after


def name_of(number):
    """The file of the chapter with this number, or a reason to skip."""
    found = [path.name for path in chapters() if path.name.startswith(number)]
    return found[0] if found else pytest.skip(f"chapter {number} is not written yet")


@pytest.mark.parametrize("which", ["small", "02"])
def test_the_step_slider_moves_the_picture(lab, page, blocked, which):
    """Rejects a view whose JavaScript fails in JupyterLab, or that draws the same picture for each step."""
    name = SMALL if which == "small" else name_of(which)
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    run_all(page, f"{lab}/lab/tree/{name}?reset")
    assert errors_of(page) == []
    view = first_view(page)
    view.get_by_role("slider").first.focus()
    page.screenshot(path=ARTEFACTS / f"lab_{which}_before.png")
    first = moved(page, view, "ArrowLeft")
    page.screenshot(path=ARTEFACTS / f"lab_{which}_after.png")
    assert moved(page, view, "ArrowRight") != first
    assert wrong == []
    assert blocked == []
