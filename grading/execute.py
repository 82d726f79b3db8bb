"""nbgrader's Execute in a sandbox: a cell that hangs, crashes or floods loses only its own points."""

import json
import secrets
import tempfile
import time
from typing import Any

from jupyter_core.utils import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbformat.validator import ValidationError
from nbgrader.preprocessors import Execute
from traitlets import Bool, Dict, Float, Instance, Integer, List, Unicode

from .kernel import SandboxKernelManager
from .outputs import clean, error, failed, omitted, truncated
from .probe import ASSERT, RAISED, REPLACE, RESTORE
from .settings import Settings
from .submission import grade_id, is_test

ANSWER_S = 10  # seconds in which an idle kernel must answer
ASIDE = -1  # the index of code that belongs to no cell
TOO_LONG = "TooLong"
REVIEW = "Review this submission"
ESSENTIAL = ("status", "execute_input", "error")


class SandboxExecute(Execute):
    """Runs a notebook in the sandbox.

    When the kernel ends or no longer answers, a new one starts. It runs the earlier cells again, without the one that
    ended the kernel, so that later exercises can still be graded. `reasons` says what happened.
    """

    folder = Unicode(help="for the kernels' files")
    settings = Instance(Settings, (), help="the limits")
    answered = Dict(help="for each test cell, the names that students define").tag(config=True)
    probes = Dict(help="for each test cell, code that must fail with wrong values for these names").tag(config=True)
    trial = Bool(False, help="whether to find the effective probes, with the solutions").tag(config=True)
    effective = Dict(help="for each test cell, the probes that failed with wrong values")
    imports = Unicode(help="code that is run before each test cell").tag(config=True)
    restarts = Integer(2, help="how often a new kernel may start").tag(config=True)
    fonts = Dict(help="matplotlib's font list, which a trial finds").tag(config=True)
    started_s = Float(0.0, help="seconds until the first kernel was ready")
    reasons = List(help="notes on this run")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kernel_manager_class=SandboxKernelManager, shutdown_kernel="immediate", **kwargs)

    def create_kernel_manager(self) -> SandboxKernelManager:
        """Make the manager of a kernel with these limits."""
        folder = tempfile.mkdtemp(prefix="k", dir=self.folder or None)
        self.km = SandboxKernelManager(settings=self.settings, folder=folder, fonts=self.fonts)
        return self.km

    def _cleanup_kernel(self) -> None:
        if (manager := self.km) is None:
            return
        self.fonts = manager.fonts_found() if self.trial else self.fonts
        super()._cleanup_kernel()
        manager.close()

    def set_widgets_metadata(self) -> None:
        """Discard the widgets' state."""

    def preprocess(
        self, nb: NotebookNode, resources: dict, km: SandboxKernelManager | None = None
    ) -> tuple[NotebookNode, dict]:
        """Run a notebook; see nbconvert's ExecutePreprocessor."""
        self.began = time.monotonic()
        self.stopped, self.ended_by, self.size = "", set(), 0
        return super().preprocess(nb, resources, km)

    def remaining_s(self) -> int:
        """Seconds left for the whole notebook."""
        return int(self.began + self.settings.total_s - time.monotonic())

    # ── One cell ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Run a cell, then restart the kernel if it no longer works."""
        if cell.cell_type != "code":
            return cell, resources
        if not self.started_s:
            self.started_s, self.began = time.monotonic() - self.began, time.monotonic()
        if not self.stopped and self.remaining_s() < 1:
            self.stopped = f"the notebook ran longer than it may ({self.settings.total_s} s)"
            self.reasons.append(self.stopped)
        if self.stopped:
            cell.outputs = [error("NotRun", f"not run: {self.stopped}")]
            return cell, resources
        try:
            self.run_and_test(cell, index)
        except Exception as found:  # a dead kernel, one that cannot be interrupted, an invalid message
            self.log.error("cell %d: %r", index, found)
            self.restart_kernel(cell, index)
        clean(cell, self.settings.output_kb << 10)
        return cell, resources

    def run(self, cell: NotebookNode, index: int, seconds: int) -> str:
        """Run a cell; a note if it had to be interrupted, else "".

        Raises nbclient's errors when the kernel is dead, does not answer, or sends invalid messages.
        """
        self.timeout, self.size = max(1, min(seconds, self.remaining_s())), 0
        late = f"the cell ran longer than it may ({self.timeout} s)"
        self.error_on_timeout = {"ename": TOO_LONG, "evalue": late, "traceback": [f"{TOO_LONG}: {late}"]}
        self.execute_cell(cell, index, store_history=index >= 0)
        if self.size > self.settings.output_kb << 10:
            cell.outputs.append(truncated())
        return late if any(output.get("ename") == TOO_LONG for output in cell.outputs) else ""

    def run_aside(self, code: str, seconds: int = ANSWER_S) -> str:
        """Run code that belongs to no cell; the name of the error that it raised, else ""."""
        cell, last = new_code_cell(code), self.nb.cells[ASIDE]
        try:
            self.run(cell, ASIDE, seconds)
        finally:
            self.nb.cells[ASIDE] = last  # nbclient has replaced it
        return next((output.ename for output in cell.outputs if output.output_type == "error"), "")

    def run_and_test(self, cell: NotebookNode, index: int) -> None:
        """Run a cell. Probe its check if it passed; if it failed, verify that the kernel still works."""
        if is_test(cell) and self.imports:
            self.run_aside(self.imports)
        if late := self.run(cell, index, self.settings.cell_s):
            self.note(cell, late)
        if is_test(cell) and not failed(cell):
            self.probe_check(cell)
        elif failed(cell):
            raised = [output.ename for output in cell.outputs if output.output_type == "error"]
            if "MemoryError" in raised or self.run_aside(self.assertion()) not in (RAISED, ""):
                return self.restart_kernel(cell, index, "it ran out of memory" if "MemoryError" in raised else "")
        if self.km.watch.why:
            self.restart_kernel(cell, index)
        return None

    def probe_check(self, cell: NotebookNode) -> None:
        """Fail a test cell that also passes with wrong values."""
        name, mark = cell.metadata.nbgrader.grade_id, f"_{secrets.token_hex(8)}"
        wanted, raised = self.probes.get(name, []), []
        tried = self.run_aside(self.assertion())
        if tried == RAISED and wanted:
            tried = self.run_aside(REPLACE.format(mark=mark, names=self.answered[name])) or RAISED
            raised = [code for code in wanted if self.run_aside(code, self.settings.cell_s)]
            self.run_aside(RESTORE.format(mark=mark))
        self.effective[name] = raised
        if tried not in (RAISED, ""):
            self.note(cell, f"the check could not be tried with a wrong answer ({tried}). {REVIEW}")
        elif not tried or (raised != wanted and not self.trial):
            self.note(cell, f"the check passes with a wrong answer too: something has changed it. {REVIEW}")

    def assertion(self) -> str:
        """Code with an assertion that must fail."""
        return ASSERT.format(mark=secrets.token_hex(8))

    def note(self, cell: NotebookNode, words: str) -> None:
        """Add a note about a cell; a test cell thereby loses its points."""
        self.reasons.append(f"`{grade_id(cell) or cell.get('id')}`: {words}")
        if not failed(cell):
            cell.outputs.append(error("Stopped", words))

    # ── A dead kernel ─────────────────────────────────────────────────────────────────────────────────────────────────

    def restart_kernel(self, cell: NotebookNode, index: int, why: str = "") -> None:
        """Note why the kernel ended in this cell, and run the earlier cells again in a new one."""
        self.note(cell, f"the kernel ended here: {why or run_sync(self.km.why_it_ended)()}")
        self.ended_by.add(index)
        self._cleanup_kernel()
        if len(self.ended_by) > self.restarts:
            self.stopped = "the kernel had ended too often"
            self.reasons.append(self.stopped)
            return
        try:
            self.create_kernel_manager()
            self.start_new_kernel()
            self.start_new_kernel_client()
            for place, earlier in enumerate(self.nb.cells[:index]):
                if earlier.cell_type == "code" and place not in self.ended_by and not is_test(earlier):
                    self.run_aside(earlier.source, self.settings.cell_s)
        except Exception as found:
            self.log.error("again: %r", found)
            self.stopped = "the kernel ended once more when the cells before were run again"
            self.reasons.append(self.stopped)

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        """Add a message of the kernel to the cell's outputs until they are too large."""
        if msg["msg_type"].startswith("comm"):  # widgets are not shown
            return None
        if msg["msg_type"] not in ESSENTIAL:
            self.size += len(json.dumps(msg["content"], default=str)) + sum(map(len, msg.get("buffers", ())))
            if cell_index == ASIDE or self.size > self.settings.output_kb << 10:
                return None
        try:
            return super().process_message(msg, cell, cell_index)
        except (ValidationError, KeyError, TypeError, ValueError, AttributeError):
            cell.outputs.append(omitted())
            return None
