"""A kernel in its sandbox, reached over unix sockets in the sandbox's private folder."""

import asyncio
import os
import secrets
import signal
import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import zmq.asyncio
from jupyter_client.client import KernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from traitlets import Dict, Instance, Unicode

from .processes import Watch, descendants, status
from .sandbox import command
from .settings import Settings

CONNECTION = "/kernel.json"  # the connection file, as the kernel sees it
MAX_MESSAGE_BYTES = 16 << 20
START_S = 30
# Skipping the debugger and completion saves a fifth of the kernel's start, matplotlib's font list half a second. The
# list is mounted at the root and linked into a writable folder. quit() does nothing, since it would end the kernel a
# moment later, in another cell.
LAUNCH = """import glob, os, sys; sys.modules.update(debugpy=None, jedi=None)
for path in glob.glob("/fontlist-*.json"):
    os.makedirs(os.environ["MPLCONFIGDIR"], exist_ok=True)
    os.symlink(path, os.environ["MPLCONFIGDIR"] + path)
from ipykernel import kernelapp, zmqshell
zmqshell.ZMQInteractiveShell.ask_exit = lambda shell: None
kernelapp.launch_new_instance()"""
KEPT = ("PATH", "LANG", "SYSTEMROOT", "TEMP", "TMP", "PYTHONPATH")  # of the grader's environment variables
ENV = {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "NBGRADER_EXECUTION": "autograde"}
ENV |= {"IPYTHONDIR": "/tmp/ipython", "MPLCONFIGDIR": "/tmp/matplotlib", "OMP_NUM_THREADS": "1"}
SIGNALS = {"SIGKILL": "it was killed", "SIGSEGV": "it crashed (segmentation fault)", "SIGABRT": "it crashed (abort)"}


class SandboxKernelManager(AsyncKernelManager):
    """Starts one kernel inside the sandbox, watches its memory and time, and reports why it ended."""

    settings = Instance(Settings, ())
    folder = Unicode(help="for the connection file; a short path, because sockets may lie in it too")
    fonts = Dict(help="the result of `fonts_found`, which saves kernels the search")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.connection_file = f"{self.folder}/connection.json"
        self.sandboxed = self.settings.sandbox != "none"
        if os.name == "posix":
            self.transport = "ipc"
            self.ip = f"/tmp/kernel-{secrets.token_hex(8)}" if self.sandboxed else f"{self.folder}/s"
        self.contexts: list[zmq.asyncio.Context] = []
        self.watch: Watch | None = None
        self.pid = 0

    @property
    def kernel_spec(self) -> KernelSpec:
        """Python's kernel spec; interrupts are messages, since a signal reaches only the sandbox's first process."""
        return KernelSpec(argv=["python"], display_name="Python 3", language="python", interrupt_mode="message")

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The command that starts the kernel."""
        file = CONNECTION if self.sandboxed else self.connection_file
        program = [sys.executable, "-P", "-c", LAUNCH, "-f", file, "--HistoryManager.enabled=False"]
        if self.sandboxed:
            os.chmod(self.connection_file, 0o644)  # the folders above it stay private
        files = {CONNECTION: self.connection_file}
        for name, text in self.fonts.items():
            path = files[f"/{name}"] = f"{self.folder}/{name}"
            Path(path).write_text(text, encoding="utf-8")
            os.chmod(path, 0o644)
        return command(program, self.settings, files, ENV)

    def fonts_found(self) -> dict[str, str]:
        """{file name: text} of matplotlib's font list, if the kernel has made one."""
        place = Path(f"{self.ip.partition('/root')[0]}/root{ENV['MPLCONFIGDIR']}")
        return {path.name: path.read_text() for path in place.glob("fontlist-*.json") if self.sandboxed}

    def client(self, **kwargs: Any) -> KernelClient:
        """A client of this kernel."""
        context = zmq.asyncio.Context()
        self.contexts.append(context)
        context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)  # a larger message closes the connection
        return super().client(context=context, **kwargs)

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kwargs: Any) -> None:
        env = {name: os.environ[name] for name in KEPT if name in os.environ}  # bubblewrap's own can be read inside
        if not self.sandboxed:
            env |= ENV | {"HOME": self.folder, "IPYTHONDIR": self.folder, "MPLCONFIGDIR": self.folder}
        kwargs.update(stdout=DEVNULL, stderr=DEVNULL, cwd=self.folder, env=env)
        await super()._async_launch_kernel(kernel_cmd, **kwargs)
        self.pid = self.provisioner.process.pid
        if self.sandboxed:
            self.ip = f"/proc/{await self.inner_process()}/root{self.ip}"
        self.watch = Watch(self.pid, self.settings.memory_mb, self.settings.cpu_s)
        self.watch.start()

    async def inner_process(self) -> int:
        """A process in the innermost PID namespace that is not its init process."""
        levels = len("".join(status(os.getpid(), "NSpid")).split()) + (2 if os.getuid() == 0 else 1)
        for _ in range(START_S * 100):
            for pid in descendants(self.pid):
                numbers = "".join(status(pid, "NSpid")).split()
                if len(numbers) == levels and numbers[-1] != "1":
                    return pid
            if self.provisioner.process is None or self.provisioner.process.poll() is not None:
                break
            await asyncio.sleep(0.01)
        raise RuntimeError("the sandbox did not start")

    async def why_it_ended(self) -> str:
        """Why the kernel ended."""
        process = self.provisioner.process if self.provisioner else None
        for _ in range(30):
            if process is None or process.poll() is not None:
                break
            await asyncio.sleep(0.01)
        code = process.returncode if process else None
        if self.watch and self.watch.why:
            return self.watch.why
        number = -code if code is not None and code < 0 else (code or 0) - 128
        name = signal.Signals(number).name if number in set(signal.Signals) else ""
        if name == "SIGXCPU":
            return f"it used more processor time than it may ({self.settings.cpu_s} s)"
        return SIGNALS.get(name, f"it ended itself (status {code})" if code is not None else "it no longer answers")

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        if self.watch:
            self.watch.stop()
        self.ip = "/nowhere"  # the sockets ended with the sandbox
        await super()._async_cleanup_resources(restart)

    cleanup_resources = _async_cleanup_resources

    def close(self) -> None:
        """Free the contexts of clients that have ended."""
        for context in self.contexts:
            context.destroy(linger=0)
