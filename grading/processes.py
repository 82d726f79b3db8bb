"""Find, measure and end the processes of a submission. Uses /proc; other systems have no list of processes."""

import ctypes
import os
import signal
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

PROC = Path("/proc")
CHILD_SUBREAPER = 36  # prctl's PR_SET_CHILD_SUBREAPER
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def descendants(root: int) -> list[int]:
    """All direct and indirect children of a process, parents first."""
    children = defaultdict(list)
    for name in os.listdir(PROC) if PROC.exists() else ():
        if name.isdigit() and (fields := stat(int(name))):
            children[int(fields[1])].append(int(name))
    found = [root]
    for pid in found:
        found += children[pid]
    return found[1:]


def stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the state on; empty if the process has ended."""
    try:
        return Path(f"{PROC}/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def status(pid: int, *names: str) -> list[str]:
    """The named lines of /proc/PID/status; empty if the process has ended."""
    try:
        lines = (PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return []
    found = dict(line.partition(":")[::2] for line in lines)
    return [found.get(name, "").strip() for name in names]


def cpu_seconds(pids: list[int]) -> float:
    """CPU time of processes and of their children that have ended."""
    return sum(sum(map(int, fields[11:15])) for fields in map(stat, pids) if fields) / TICKS


def memory_mb(pids: list[int], enough: int = 0) -> float:
    """Memory of processes in MB. Above `enough`, shared pages are counted once, which is slower."""
    held = (status(pid, "RssAnon", "RssShmem") for pid in pids)
    whole = sum(int(size.split()[0]) for sizes in held for size in sizes if size) / 1024
    return whole if whole <= enough else sum(map(share_mb, pids))


def share_mb(pid: int) -> float:
    """Anonymous and shared memory of a process in MB, with its share of shared pages."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon", "Pss_Shmem"))) / 1024


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that all of them can be found (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all(seconds: int = 10) -> bool:
    """Kill all descendants and wait for them; False if some are left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        time.sleep(0.01)
    return not descendants(os.getpid())


class Watch(threading.Thread):
    """Kills a process and its descendants when together they exceed a limit.

    `why` says which limit; None while all limits hold.
    """

    def __init__(self, root: int, memory: int, cpu_s: int, interval: float = 0.2) -> None:
        super().__init__(daemon=True)
        self.root, self.memory, self.cpu_s, self.interval = root, memory, cpu_s, interval
        self.why: str | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(self.interval):
            pids = descendants(self.root)
            if memory_mb(pids, self.memory) > self.memory:
                self.why = f"it used more memory than it may ({self.memory} MB)"
            elif cpu_seconds(pids) > self.cpu_s:
                self.why = f"it used more processor time than it may ({self.cpu_s} s)"
            if self.why:
                for pid in (self.root, *pids):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except OSError:
                        continue
                return

    def stop(self) -> None:
        """Stop watching."""
        self.stopped.set()
