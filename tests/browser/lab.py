"""A JupyterLab for tests in a browser; it reads no settings of this machine."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from tests.house.files import HOME

ANSWER, HANG = 120, 900  # seconds after which a click, or the run of a whole notebook, counts as failed
HELPERS = """
const panel = () => window.jupyterapp?.shell.currentWidget;
const cells = () => panel()?.content?.widgets ?? [];
const isCode = (cell) => cell.model.type === "code" && cell.model.sharedModel.source.trim();
window.course = {
  idle: () => cells().length > 0 && panel().sessionContext?.session?.kernel?.status === "idle",
  isDirty: () => panel().context.model.dirty,
  path: () => panel()?.context?.path,
  hasRun: () => cells().filter(isCode).every((cell) => cell.model.executionCount),
  sources: () => cells().map((cell) => cell.model.sharedModel.source),
  hasFailed: () => course.failures().length > 0,
  failures: () => course.outputs().filter((output) => output.output_type === "error"),
  outputs: () => cells().flatMap((cell) => cell.model.outputs?.toJSON() ?? []),
  show: (place) => { panel().content.activeCellIndex = place; panel().content.scrollToItem(place, "start"); },
  run: async (place) => { course.show(place); await jupyterapp.commands.execute("notebook:run-cell"); },
  save: () => jupyterapp.commands.execute("docmanager:save"),
  place: () => panel().content.activeCellIndex,
  count: () => panel().content.activeCell.model.executionCount,
  theme: (name) => jupyterapp.commands.execute("apputils:change-theme", { theme: `JupyterLab ${name}` }),
  restart: () => panel().sessionContext.restartKernel(),
  shows: (path) => course.path() === path && course.idle(),
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
    """Serve the folder `home` under the course's settings; yields the address. The server's messages go to `log`."""
    shutil.copytree(HOME / "scripts" / "lab_settings", home / "scripts" / "lab_settings")
    folders = {f"JUPYTER_{kind}_DIR": str(home / ".own" / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    settings = {"JUPYTER_CONFIG_PATH": str(home / "scripts" / "lab_settings"), "IPYTHONDIR": str(home / ".own")}
    port = free_port()
    exposed = [f"--{app}.expose_app_in_browser=True" for app in ("LabApp", "JupyterNotebookApp")]
    flags = ["--no-browser", "--allow-root", "--IdentityProvider.token=", f"--port={port}", "--port-retries=0"]
    command = [sys.executable, "-m", "jupyterlab", *flags, *exposed]
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as words:
        variables = {**os.environ, **folders, **settings, "OMP_NUM_THREADS": "1"}
        server = subprocess.Popen(command, cwd=HOME, env=variables, stdout=words, stderr=subprocess.STDOUT)
        try:
            wait_for(server, f"http://127.0.0.1:{port}/api", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def free_port():
    """Return a port that no server uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(server, address, log):
    """Return when the server answers; raise RuntimeError when it has ended."""
    while server.poll() is None:
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


def run_all(page, address):
    """Open a notebook and run all; see `run_cells`."""
    open_notebook(page, address)
    run_cells(page)


def run_cells(page):
    """Choose Run > Run All Cells; return when the last cell has run, or one has failed."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function("() => (course.hasRun() || course.hasFailed()) && course.idle()", timeout=HANG * 1000)


def do(page, function, argument=None):
    """Call a function of the page and wait until its promise is settled.

    Playwright can wait for ever for a promise that Chromium collects as garbage, so the page keeps it and says when
    it is done.
    """
    keep = f"window.doing = Promise.resolve(({function})(argument)).finally(() => {{ window.done = true; }});"
    page.evaluate(f"(argument) => {{ window.done = false; {keep} }}", argument)
    page.wait_for_function("window.done")


def errors_of(page):
    """Return the names and messages of the errors in the outputs of the notebook that is open."""
    return [f"{one['ename']}: {one['evalue']}" for one in page.evaluate("() => course.failures()")]
