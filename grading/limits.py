"""The first program inside the sandbox: it limits itself, then executes the given program.

python -I -S limits.py '{"memory_mb": …}' PROGRAM ARGUMENTS. It imports only the standard library.

Each process gets resource limits (setrlimit), and a seccomp filter refuses the system calls that would evade them:
memory outside processes, further namespaces, access to other processes.
"""

import ctypes
import json
import os
import struct
import sys

try:
    import resource
except ImportError:  # Windows
    resource = None

MB = 1 << 20
FILES = 256  # open files of one process
# The audit number of the architecture, and the numbers of the refused system calls: shmget, msgget, memfd_create,
# ptrace, process_vm_readv and _writev, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, unshare, setns.
REFUSED = {
    "x86_64": (0xC000003E, (29, 68, 319, 101, 310, 311, 248, 249, 250, 321, 298, 323, 272, 308)),
    "aarch64": (0xC00000B7, (194, 186, 279, 117, 270, 271, 217, 218, 219, 280, 241, 282, 97, 268)),
}
REFUSED_EVERYWHERE = (425, 426, 427, 447)  # io_uring, memfd_secret
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, NOT_PERMITTED = 0x7FFF0000, 0x00050001
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2


def limit(name: str, soft: int, hard: int | None = None) -> None:
    """Set a limit if the system has it, never above the existing hard limit."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    most = resource.getrlimit(kind)[1]
    hard = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):  # macOS refuses some limits
        return


def apply(memory_mb: int, cpu_s: int, disk_mb: int, processes: int) -> None:
    """Limit this process and its future children."""
    limit("RLIMIT_DATA", memory_mb * MB)
    limit("RLIMIT_CPU", cpu_s, cpu_s + 2)  # SIGXCPU first, then SIGKILL
    limit("RLIMIT_FSIZE", disk_mb * MB)
    if processes:
        limit("RLIMIT_NPROC", processes)
    limit("RLIMIT_NOFILE", FILES)
    limit("RLIMIT_CORE", 0)
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # the kernel's first choice when memory runs out
    except OSError:
        pass
    refuse_calls()


def refuse_calls() -> None:
    """Install a seccomp filter that refuses these system calls with EPERM (Linux on the architectures above)."""
    if not sys.platform.startswith("linux") or os.uname().machine not in REFUSED:
        return
    machine, calls = REFUSED[os.uname().machine]
    steps = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, machine), (RETURN, 0, 0, NOT_PERMITTED), (LOAD, 0, 0, 0)]
    steps += [(AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, NOT_PERMITTED)]  # the x32 variants
    for call in (*calls, *REFUSED_EVERYWHERE):
        steps += [(EQUAL, 0, 1, call), (RETURN, 0, 0, NOT_PERMITTED)]
    steps.append((RETURN, 0, 0, ALLOW))
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    header = ctypes.create_string_buffer(struct.pack("HL", len(steps), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls cannot be set")


if __name__ == "__main__":
    apply(**json.loads(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
