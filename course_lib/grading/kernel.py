"""A kernel in its sandbox, reached over unix sockets that lie in the sandbox's own private folder."""

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
LARGEST_MESSAGE = 16 << 20
START_S = 30
# Nobody debugs a hand-in, nor completes its words: what a kernel imports for that is a fifth of its start. The list of
# fonts, which matplotlib makes in half a second, is shown at the top and wanted in a folder that can be written. And
# quit() does nothing: it would end the kernel a moment later, in a cell that is not to blame.
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
    """Starts one kernel inside the sandbox, watches over it, and can say why it ended."""

    settings = Instance(Settings, ())
    folder = Unicode(help="for the connection file, with a short path: sockets may lie in it too")
    fonts = Dict(help="what `fonts_found` gave: a kernel that draws need not look for the fonts itself")

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
        """Python's; interrupts are messages, since a signal would end in the sandbox's first process."""
        return KernelSpec(argv=["python"], display_name="Python 3", language="python", interrupt_mode="message")

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The command that starts the kernel."""
        file = CONNECTION if self.sandboxed else self.connection_file
        program = [sys.executable, "-P", "-c", LAUNCH, "-f", file, "--HistoryManager.enabled=False"]
        if self.sandboxed:
            os.chmod(self.connection_file, 0o644)  # the folders above are the grader's
        files = {CONNECTION: self.connection_file}
        for name, text in self.fonts.items():
            path = files[f"/{name}"] = f"{self.folder}/{name}"
            Path(path).write_text(text, encoding="utf-8")
            os.chmod(path, 0o644)
        return command(program, self.settings, files, ENV)

    def fonts_found(self) -> dict[str, str]:
        """matplotlib's list of the fonts that the sandbox has, if the kernel has made it: {name of the file: text}."""
        place = Path(f"{self.ip.partition('/root')[0]}/root{ENV['MPLCONFIGDIR']}")
        return {path.name: path.read_text() for path in place.glob("fontlist-*.json") if self.sandboxed}

    def client(self, **kwargs: Any) -> KernelClient:
        """A client of this kernel."""
        context = zmq.asyncio.Context()
        self.contexts.append(context)
        context.setsockopt(zmq.MAXMSGSIZE, LARGEST_MESSAGE)  # a larger message is not read, and its sender cut off
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
        """A process that sees what the kernel sees: one that has a number in the innermost list of processes, not 1."""
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
        """Why the kernel ended, in words."""
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
        self.ip = "/nowhere"  # the sockets are gone with the sandbox
        await super()._async_cleanup_resources(restart)

    cleanup_resources = _async_cleanup_resources

    def close(self) -> None:
        """Give back what clients have used; called when they have ended."""
        for context in self.contexts:
            context.destroy(linger=0)
