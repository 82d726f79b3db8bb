"""nbgrader's Execute in a sandbox: a cell that hangs, crashes or floods costs its own points, and no others."""

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

from .canary import ASSERT, RAISED, REPLACE, RESTORE
from .handin import grade_id, is_test
from .kernel import SandboxKernelManager
from .outputs import cut, error, failed, left_out, tidy
from .settings import Settings

ANSWER_S = 10  # in which a kernel that has nothing to do must answer
ASIDE = -1  # the place of code that belongs to no cell
TOO_LONG = "TooLong"
LOOK = "Look at this hand-in"
ESSENTIAL = ("status", "execute_input", "error")


class SandboxExecute(Execute):
    """Runs a notebook in the sandbox.

    When the kernel ends, or no longer answers, a new one is started: the cells before are run again without the one
    that ended it, and the next exercise has its chance. What happened is said in `reasons`.
    """

    folder = Unicode(help="for the files of kernels")
    settings = Instance(Settings, (), help="the limits")
    answered = Dict(help="for each test cell, the names that students had to define").tag(config=True)
    canaries = Dict(help="for each test cell, code that must fail with nonsense under these names").tag(config=True)
    trial = Bool(False, help="whether to find out, with the solutions, which of them do").tag(config=True)
    noticed = Dict(help="for each test cell, the canaries that failed as they must")
    imports = Unicode(help="code that is run before each test cell").tag(config=True)
    restarts = Integer(2, help="how often a new kernel is started").tag(config=True)
    fonts = Dict(help="matplotlib's list of fonts, which a trial finds").tag(config=True)
    started_s = Float(0.0, help="seconds until the first kernel was ready")
    reasons = List(help="what is to be said about this run, in words")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kernel_manager_class=SandboxKernelManager, shutdown_kernel="immediate", **kwargs)

    def create_kernel_manager(self) -> SandboxKernelManager:
        """A manager of a kernel with these limits."""
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
        """Keep nothing of the widgets."""

    def preprocess(
        self, nb: NotebookNode, resources: dict, km: SandboxKernelManager | None = None
    ) -> tuple[NotebookNode, dict]:
        """Run a notebook; see nbconvert's ExecutePreprocessor."""
        self.began = time.monotonic()
        self.stopped, self.ended_by, self.size = "", set(), 0
        return super().preprocess(nb, resources, km)

    def left(self) -> int:
        """Seconds until the whole notebook must be done."""
        return int(self.began + self.settings.total_s - time.monotonic())

    # ── One cell ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Run a cell, then see whether the kernel is still sound."""
        if cell.cell_type != "code":
            return cell, resources
        if not self.started_s:
            self.started_s, self.began = time.monotonic() - self.began, time.monotonic()
        if not self.stopped and self.left() < 1:
            self.stopped = f"the notebook ran longer than it may ({self.settings.total_s} s)"
            self.reasons.append(self.stopped)
        if self.stopped:
            cell.outputs = [error("NotRun", f"not run: {self.stopped}")]
            return cell, resources
        try:
            self.run_and_test(cell, index)
        except Exception as found:  # a dead kernel, one that does not stop, a message that is none
            self.log.error("cell %d: %r", index, found)
            self.new_kernel(cell, index)
        tidy(cell, self.settings.output_kb << 10)
        return cell, resources

    def run(self, cell: NotebookNode, index: int, seconds: int) -> str:
        """Run a cell. If it had to be interrupted: that, in words.

        Raises whatever nbclient raises where the kernel is dead, silent, or says what nobody understands.
        """
        self.timeout, self.size = max(1, min(seconds, self.left())), 0
        late = f"the cell ran longer than it may ({self.timeout} s)"
        self.error_on_timeout = {"ename": TOO_LONG, "evalue": late, "traceback": [f"{TOO_LONG}: {late}"]}
        self.execute_cell(cell, index, store_history=index >= 0)
        if self.size > self.settings.output_kb << 10:
            cell.outputs.append(cut())
        return late if any(output.get("ename") == TOO_LONG for output in cell.outputs) else ""

    def ask(self, code: str, seconds: int = ANSWER_S) -> str:
        """Run code that belongs to no cell; the name of the error that it raised, if any."""
        cell, last = new_code_cell(code), self.nb.cells[ASIDE]
        try:
            self.run(cell, ASIDE, seconds)
        finally:
            self.nb.cells[ASIDE] = last  # nbclient has put the other cell into its place
        return next((output.ename for output in cell.outputs if output.output_type == "error"), "")

    def run_and_test(self, cell: NotebookNode, index: int) -> None:
        """Run a cell. Where it passes and gives points: would it fail with a wrong answer? Else: is the kernel well?"""
        if is_test(cell) and self.imports:
            self.ask(self.imports)
        if late := self.run(cell, index, self.settings.cell_s):
            self.say(cell, late)
        if is_test(cell) and not failed(cell):
            self.test_the_test(cell)
        elif failed(cell):
            raised = [output.ename for output in cell.outputs if output.output_type == "error"]
            if "MemoryError" in raised or self.ask(self.assertion()) not in (RAISED, ""):
                return self.new_kernel(cell, index, "it ran out of memory" if "MemoryError" in raised else "")
        if self.km.watch.why:
            self.new_kernel(cell, index)
        return None

    def test_the_test(self, cell: NotebookNode) -> None:
        """Take the points of a test cell that has passed if it passes with nonsense too."""
        name, mark = cell.metadata.nbgrader.grade_id, f"_{secrets.token_hex(8)}"
        wanted, raised = self.canaries.get(name, []), []
        tried = self.ask(self.assertion())
        if tried == RAISED and wanted:
            tried = self.ask(REPLACE.format(mark=mark, names=self.answered[name])) or RAISED
            raised = [code for code in wanted if self.ask(code, self.settings.cell_s)]
            self.ask(RESTORE.format(mark=mark))
        self.noticed[name] = raised
        if tried not in (RAISED, ""):
            self.say(cell, f"the check could not be tried with a wrong answer ({tried}). {LOOK}")
        elif not tried or (raised != wanted and not self.trial):
            self.say(cell, f"the check passes with a wrong answer too: something has changed it. {LOOK}")

    def assertion(self) -> str:
        """An assertion that must fail."""
        return ASSERT.format(mark=secrets.token_hex(8))

    def say(self, cell: NotebookNode, words: str) -> None:
        """Note something about a cell; a test cell loses its points by it."""
        self.reasons.append(f"`{grade_id(cell) or cell.get('id')}`: {words}")
        if not failed(cell):
            cell.outputs.append(error("Stopped", words))

    # ── When a kernel has ended ───────────────────────────────────────────────────────────────────────────────────────

    def new_kernel(self, cell: NotebookNode, index: int, why: str = "") -> None:
        """Say why the kernel ended in this cell, and start another one in which the cells before are run again."""
        self.say(cell, f"the kernel ended here: {why or run_sync(self.km.why_it_ended)()}")
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
                    self.ask(earlier.source, self.settings.cell_s)
        except Exception as found:
            self.log.error("again: %r", found)
            self.stopped = "the kernel ended once more when the cells before were run again"
            self.reasons.append(self.stopped)

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        """Take a message of the kernel into the cell's outputs, as long as they are not too large."""
        if msg["msg_type"].startswith("comm"):  # of widgets, which nobody sees
            return None
        if msg["msg_type"] not in ESSENTIAL:
            self.size += len(json.dumps(msg["content"], default=str)) + sum(map(len, msg.get("buffers", ())))
            if cell_index == ASIDE or self.size > self.settings.output_kb << 10:
                return None
        try:
            return super().process_message(msg, cell, cell_index)
        except (ValidationError, KeyError, TypeError, ValueError, AttributeError):
            cell.outputs.append(left_out())
            return None
