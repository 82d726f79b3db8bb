"""A JupyterLab of its own, which sees nothing of this machine's settings: for tests in a browser, and for measuring."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request

from scripts.environment import HOME, clean_variables, lab_command

ANSWER, HANG = 120, 900  # seconds until a click surely has its effect, and until a chapter surely has run
HELPERS = """
const panel = () => window.jupyterapp?.shell.currentWidget;
const cells = () => panel()?.content?.widgets ?? [];
const isCode = (cell) => cell.model.type === "code" && cell.model.sharedModel.source.trim();
window.course = {
  idle: () => cells().length > 0 && panel().sessionContext?.session?.kernel?.status === "idle",
  hasRun: () => cells().filter(isCode).every((cell) => cell.model.executionCount),
  sources: () => cells().map((cell) => cell.model.sharedModel.source),
  hasFailed: () => course.failures().length > 0,
  failures: () => course.outputs().filter((output) => output.output_type === "error"),
  outputs: () => cells().flatMap((cell) => cell.model.outputs?.toJSON() ?? []),
  show: (place) => { panel().content.activeCellIndex = place; panel().content.scrollToItem(place, "start"); },
  run: async (place) => { course.show(place); await jupyterapp.commands.execute("notebook:run-cell"); },
  place: () => panel().content.activeCellIndex,
  count: () => panel().content.activeCell.model.executionCount,
  theme: (name) => jupyterapp.commands.execute("apputils:change-theme", { theme: `JupyterLab ${name}` }),
  restart: () => panel().sessionContext.restartKernel(),
  shows: (path) => panel()?.context?.path === path && course.idle(),
  open: (path) => { jupyterapp.commands.execute("docmanager:open", { path }); },  // returns no promise: it may get lost
  leave: async () => {
    const left = panel();
    await left.sessionContext.shutdown();
    left.dispose();  // to close it would ask whether to save
  },
};
"""  # JupyterLab's own objects: what it draws is only what is near the window


@contextlib.contextmanager
def lab_server(home, log):
    """Serve the folder home/notebooks, with every setting in `home`; yields the address. Words of the server: `log`.

    Raises RuntimeError when the server ends or hangs.
    """
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    variables = {**clean_variables(), **folders, "IPYTHONDIR": str(home / "ipython"), "OMP_NUM_THREADS": "1"}
    port = free_port()
    exposed = [f"--{app}.expose_app_in_browser=True" for app in ("LabApp", "JupyterNotebookApp")]
    flags = ["--no-browser", f"--ServerApp.root_dir={home / 'notebooks'}", "--IdentityProvider.token=", *exposed]
    command = lab_command(sys.executable, port, flags, root=getattr(os, "geteuid", lambda: 1)() == 0)
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as words:
        server = subprocess.Popen(command, cwd=HOME, env=variables, stdout=words, stderr=subprocess.STDOUT)
        try:
            wait_for(server, f"http://127.0.0.1:{port}/api", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)


def free_port():
    """A port that no server uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(server, address, log):
    """Return when the server answers."""
    end = time.monotonic() + ANSWER
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start: see {log.parent.name}/{log.name}")


def open_notebook(page, address):
    """Open a notebook (also in Notebook 7); return when its kernel waits."""
    page.set_default_timeout(ANSWER * 1000)
    page.add_init_script(HELPERS)
    page.goto(address)
    page.wait_for_function("() => window.course?.idle()")


def open_beside(page, path):
    """Open a notebook in the JupyterLab that the page shows; return when its kernel waits."""
    page.evaluate("(path) => course.open(path)", path)
    page.wait_for_function("(path) => course.shows(path)", arg=path)


def run_all(page, address):
    """Open a notebook and run all; see `run_cells`."""
    open_notebook(page, address)
    run_cells(page)


def run_cells(page):
    """Choose Run > Run All Cells; return when the last cell has run, or one has failed."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function("() => (course.hasRun() || course.hasFailed()) && course.idle()", timeout=HANG * 1000)


def errors_of(page):
    """The names and words of the errors in the outputs of the notebook that is open."""
    return [f"{one['ename']}: {one['evalue']}" for one in page.evaluate("() => course.failures()")]
