"""Hostile or broken submissions: for each a name, its bytes, the points that it must get, and the note about it.

An attack stands in the answer `double`. If it must achieve nothing, the answer is right only if the attack failed, so
full points say that nothing was found, reached or changed. `triple` is always right and must get its points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent, indent

from .assignment import DOUBLE, FULL, submit

NOTHING, ONLY_TRIPLE = dict.fromkeys(FULL, 0), FULL | {"double-check": 0}


@dataclass(frozen=True)
class Case:
    """A submission: its name, its bytes, its points (None: not graded) and a pattern of its notes."""

    name: str
    make: Callable[[], bytes | None]
    points: dict[str, float] | None
    note: str = ""

    def __str__(self) -> str:
        return self.name


CASES: list[Case] = []


def program(name, code, points, note=""):
    """A submission whose answer `double` is this code; the other answers are right."""
    CASES.append(Case(name, lambda: submit(double=code), points, note))


def changed(name, points, note=""):
    """A submission with right answers whose JSON is changed by the decorated function."""

    def add(change):
        CASES.append(Case(name, lambda: submit(change), points, note))
        return change

    return add


def raw(name, data, note):
    """A submission of these bytes, which cannot be graded."""
    CASES.append(Case(name, lambda: data, None, note))


def before(code, answer=DOUBLE):
    """Code that runs before an answer."""
    return f"{dedent(code).strip()}\n{answer}"


def inside(code):
    """A right `double` that runs this code first, when it is called."""
    return f"def double(x):\n{indent(dedent(code).strip(), '    ')}\n    return 2 * x"


def unless(found, first=""):
    """A right `double` if this expression is false or raises OSError; else a wrong one."""
    return f"""{dedent(first).strip()}
try:
    found = {dedent(found).strip()}
except OSError:
    found = False
def double(x):
    return "found" if found else 2 * x"""


# ── Time ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

LATE, ENDED = "`double-check`: the cell ran longer than it may", "`double-check`: .*the kernel ended here"
COMPUTED = f"{ENDED}: it used more processor time than it may"

program("a loop without end", inside("while True: pass"), ONLY_TRIPLE, LATE)
program("sleep", inside("import time; time.sleep(10**6)"), ONLY_TRIPLE, LATE)
program("no interrupt reaches it", inside("import itertools; sum(itertools.repeat(1))"), ONLY_TRIPLE, COMPUTED)
LOOP = """
    while True:
        try:
            while True: pass
        except BaseException: pass"""
program("a loop that catches everything", inside(LOOP), ONLY_TRIPLE, COMPUTED)
SIGNALS = """
    import signal
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU): signal.signal(one, signal.SIG_IGN)
    while True: pass"""
program("signals are ignored", inside(SIGNALS), ONLY_TRIPLE, COMPUTED)
THREADS = """
    import hashlib, threading
    def work():
        while True: hashlib.sha256(bytes(1 << 20))
    threading.Thread(target=work, daemon=True).start()"""
program("threads that compute for ever", before(THREADS), FULL)

# ── Memory ────────────────────────────────────────────────────────────────────────────────────────────────────────────

program("a list that does not fit", inside("[0] * 10**10"), ONLY_TRIPLE, "`double-check`: .*memory")
PIECES = "kept = []\nwhile True: kept.append(bytearray(10**7))"
program("memory in small pieces", inside(PIECES), ONLY_TRIPLE, "memory|longer")
SHARED = """
    import mmap
    shared = mmap.mmap(-1, 2 << 30)
    while True: shared.write(bytes(1 << 20))"""
program("memory that processes share", inside(SHARED), ONLY_TRIPLE, "more memory than it may")
MANY = """
    import os, time
    for _ in range(20):
        if not os.fork():
            mine = bytearray(b"x") * (100 << 20); time.sleep(60)
    time.sleep(60)"""
program("memory in many processes", inside(MANY), ONLY_TRIPLE, "more memory than it may")
program("a recursion without end", inside("return double(x)"), ONLY_TRIPLE)
program("a crash", inside("import ctypes; ctypes.string_at(1)"), ONLY_TRIPLE, "crashed")

# ── Processes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

FORKS = """
    import os
    while True:
        try: os.fork()
        except OSError: pass"""
program("a fork bomb", before(FORKS), ONLY_TRIPLE, "`double`: .*processor time|`double`: .*memory")
BOMB = "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=[99], daemon=True).start()"
program("a thread bomb", inside(BOMB), ONLY_TRIPLE)
STAY = """
    import subprocess
    for _ in range(3):
        subprocess.Popen(["sh", "-c", "trap '' TERM INT HUP; sleep 1000"], start_new_session=True)"""
program("processes that stay", before(STAY), FULL, "review: subprocess")
DAEMON = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)"""
program("a daemon, twice forked", before(DAEMON), FULL, "review: os._exit")
KILL = """
    import os
    for pid in (-1, 1, os.getppid()):
        try: os.kill(pid, 9)
        except OSError: pass"""
program("kill everybody else", before(KILL), FULL, "review: os.kill")
program("the kernel ends itself", inside("import os; os._exit(0)"), ONLY_TRIPLE, ENDED + ": it ended itself")
program("the kernel ends itself at once", "import os; os._exit(3)", ONLY_TRIPLE, "`double`: the kernel ended here")
program("exit", inside("import sys; sys.exit()"), ONLY_TRIPLE)
program("quit", inside("quit()"), FULL)
program("an interrupt of its own", inside("raise KeyboardInterrupt"), ONLY_TRIPLE)

# ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

FILL = """
    for folder in ("/tmp", "/dev/shm", "."):
        with open(folder + "/full", "wb") as file:
            while file.write(bytes(1 << 20)): pass"""
program("a full disk", inside(FILL), ONLY_TRIPLE)
FILES = """
    for k in range(40):
        try: open(f"/tmp/{k}", "wb").write(bytes(2 << 20))
        except OSError: pass"""
program("a full disk, unnoticed", before(FILES), FULL)
program("very many files", before("for k in range(5000): open(f'/tmp/f{k}', 'w').close()"), FULL)
program("a file of a petabyte", inside("open('/tmp/x', 'wb').truncate(10**15)"), ONLY_TRIPLE)
DELETE = """
    import os, shutil, course_lib
    folders = ("/tmp", "/dev/shm", "/etc", "/home", ".", *course_lib.__path__)
    for folder in folders: shutil.rmtree(folder, ignore_errors=True)
    os.system("rm -rf ~ /tmp /dev /home /etc /root 2>/dev/null")"""
program("delete everything", before(DELETE), FULL)
WRITE = """
    import course_lib, sys, os
    def opens(folder):
        try: return not open(folder + "/mine", "w").close()
        except OSError: return False
    folders = ["/", "/usr", "/etc", "/dev", "/proc", "/home", course_lib.__path__[0], sys.prefix, sys.base_prefix]"""
program("write anywhere", unless("[folder for folder in folders if opens(folder)]", WRITE), FULL)
SEARCH = """
    import os
    found = []
    for folder, inner, files in os.walk("/"):
        inner[:] = [one for one in inner if one not in ("proc", "sys", "usr", "lib", "include", "site-packages")]
        ends = (".ipynb", ".db", ".git", "solutions", "submitted", "task.json")
        found += [name for name in (*files, *inner) if name.endswith(ends)]"""
program("look for solutions, gradebooks and others' work", unless("found", SEARCH), FULL)
SECRETS = "('/etc/passwd', '/etc/shadow', '/etc/hostname', '/var', '/sys', '/run', '/etc/machine-id')"
program("read about the machine", unless(f"[p for p in {SECRETS} if os.path.exists(p)]", "import os"), FULL)
ENVIRON = "[p for p in glob.glob('/proc/[0-9]*/environ') if b'SECRET_OF_THE_GRADER' in open(p, 'rb').read()]"
program("read others' environment variables", unless(ENVIRON, "import glob"), FULL, "review: /proc/")
LINKS = """
    import os
    places = ("/etc", "/", "../..", "/proc/1/root", "/proc/1/cwd")
    for k, place in enumerate(places): os.symlink(place, f"/tmp/link{k}")"""
LINKED = "os.path.exists('/tmp/link0/passwd') or set(os.listdir('/tmp/link3')) - set(os.listdir('/'))"
program("symbolic links out of the folder", unless(LINKED, LINKS), FULL)
SOCKETS = """
    import os, glob
    for path in glob.glob("/tmp/kernel-*"):
        os.unlink(path); os.symlink("/etc/passwd", path)"""
program("the kernel's sockets become links", before(SOCKETS), FULL)

# ── Network, and ways out ─────────────────────────────────────────────────────────────────────────────────────────────

REACH = """
    import os, socket
    def reach(*address):
        with socket.create_connection(address, 1): return True
    port = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])"""
program("the network", unless("reach('127.0.0.1', port) or reach('192.0.2.1', 80)", REACH), FULL, "review: socket")
OPEN = """
    import socket
    kept = [socket.socket(kind) for kind in (socket.AF_INET, socket.AF_UNIX) for _ in range(20)]
    kept[-1].bind("/tmp/mine"); kept[-1].listen(); kept[0].bind(("", 0)); kept[0].listen()"""
program("sockets left open", before(OPEN), FULL)
CALLS = """
    import ctypes
    libc = ctypes.CDLL(None)
    calls = [("shmget", 0, 4096, 0o1777), ("memfd_create", b"x", 0), ("ptrace", 16, 1, 0, 0), ("setuid", 0)]
    calls += [("unshare", 0x10000000), ("mount", b"x", b"/tmp", b"tmpfs", 0, None), ("setns", 0, 0)]"""
DONE = "[call for call in calls if getattr(libc, call[0])(*call[1:]) != -1]"
program("system calls around the limits", unless(DONE, CALLS), FULL, "review: ctypes")
program("more rights", inside("import resource as r; r.setrlimit(r.RLIMIT_CPU, (10**6, 10**6))"), ONLY_TRIPLE)
program("ask the person who grades", inside("input('password? ')"), ONLY_TRIPLE)
program("a script of the shell", "%%bash\nrm -rf /tmp /home 2>/dev/null; sleep 100 & disown", ONLY_TRIPLE, "longer")

# ── Output ────────────────────────────────────────────────────────────────────────────────────────────────────────────

FLOOD = inside("while True: print('x' * 1000)")
program("output without end", FLOOD, ONLY_TRIPLE, f"{ENDED}: it used more (processor time|memory) than it may")
program("a line of a hundred megabytes", before("print('x' * 10**8)"), FULL)
program("an error of thirty megabytes", inside("raise ValueError('x' * (30 << 20))"), ONLY_TRIPLE, "longer")
STDERR = "import sys, warnings; warnings.warn('old'); print('!', file=sys.stderr)"
program("text on stderr", inside(STDERR), FULL)
program("text past the kernel", inside("import os; os.write(1, b'x' * 5000); os.write(2, b'y' * 5000)"), FULL)
NONE = "display({'text/plain': 5, '': [{}], 'text/html': None}, raw=True)"
program("an invalid output", before(NONE, inside(NONE)), FULL)
program("a flood of pictures", inside("for _ in range(40): display({'image/png': 'A' * 10**5}, raw=True)"), FULL)
WIDGETS = """
    from comm import create_comm
    for _ in range(100): create_comm(target_name="jupyter.widget", data={"state": {"a": "x" * 10**4}})"""
program("messages of widgets", before(WIDGETS), FULL)
MESSAGE = "s = get_ipython().kernel; s.session.send(s.iopub_socket, 'stream', {'nothing': 1}, parent=s.get_parent())"
program("an invalid message", before(MESSAGE), FULL, "review: get_ipython")
program("characters that cannot be printed", inside(r"print('half a letter: \ud800')"), FULL)

# ── Tampering with checks ─────────────────────────────────────────────────────────────────────────────────────────────

WRONG, UNSOUND = "def double(x):\n    return x", "`double-check`: the check passes with a wrong answer too"
PATCHED = "import math; math.isclose = lambda *a, **k: True; globals()['isclose'] = math.isclose"
TWELVE = "def double(x):\n    return 12 if x == 6 else 6"
CHECK = "globals()['check_double'] = lambda *numbers: None"
program("a comparison replaced", before(PATCHED, TWELVE), ONLY_TRIPLE, UNSOUND)
program("a check replaced", before(CHECK, TWELVE), ONLY_TRIPLE, UNSOUND)
ANEW = "review: check_double is redefined"
program("a check defined anew", before("def check_double(*a): pass", TWELVE), ONLY_TRIPLE, ANEW)
EQUAL = "class Yes(int):\n    __eq__ = lambda *a: True\n    __hash__ = None\ndef double(x): return Yes()"
program("everything is equal", EQUAL, ONLY_TRIPLE)
OUT = """
    import ast
    class Out(ast.NodeTransformer):
        def visit_Assert(self, node): return ast.Pass()
    get_ipython().ast_transformers.append(Out())"""
program("assertions taken out", before(OUT, TWELVE), NOTHING, "`triple-check`: the check passes with a wrong answer")
CELLS = "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])"
program("cells replaced", before(CELLS, WRONG), NOTHING, UNSOUND)
program("errors silenced", before("get_ipython().showtraceback = lambda *a, **k: None", WRONG), ONLY_TRIPLE)
ANOTHER = "import builtins\nclass AssertionError(Warning): pass\nbuiltins.AssertionError = AssertionError"
program("another AssertionError", before(ANOTHER, WRONG), ONLY_TRIPLE)

# ── Broken files ──────────────────────────────────────────────────────────────────────────────────────────────────────

raw("nothing", None, "Nothing was submitted")
raw("an empty file", b"", "empty")
raw("random bytes", bytes(range(256)) * 40, "damaged")
raw("JSON of another kind", b"[1, 2]", "not a notebook")
raw("a notebook with cells that are none", b'{"nbformat": 4, "cells": [1, null, "x", []]}', "no cells")
raw("a web page", b"<!DOCTYPE html><title>Log in</title>", "web page")
raw("an archive", b"PK\x03\x04....", "zip archive")
raw("deep nesting", b'{"cells": ' + b"[" * 100_000, "damaged")
raw("a merge left undone", b'{\n<<<<<<< mine\n"cells": []\n=======\n>>>>>>> theirs\n}', "unresolved merge")
CASES.append(Case("half a file", lambda: submit()[:-400], None, "damaged"))
CASES.append(Case("too much code", lambda: submit(double="x = 1\n" * 10**6), None, "too large"))
CASES.append(Case("unchanged", lambda: submit(double=None, triple=None, why=None), NOTHING))
program("a syntax error", "def double(x:", ONLY_TRIPLE)
program("code that is nested too deeply", f"x = {'-' * 100_000}1", ONLY_TRIPLE)


def cell(notebook, name):
    """A cell of a notebook as JSON, by its id."""
    return next(one for one in notebook["cells"] if one.get("id") == name)


def added(notebook, name, source):
    """Insert a code cell before another one."""
    own = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": 1}
    notebook["cells"].insert(notebook["cells"].index(cell(notebook, name)), own)


@changed("version 3", FULL)
def _(notebook):
    for one in notebook["cells"]:
        one["input"] = one.pop("source")
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": notebook["cells"]}]}


@changed("version 99", FULL, "version '99'")
def _(notebook):
    notebook["nbformat"] = 99


@changed("everything of another type", FULL)
def _(notebook):
    notebook["metadata"] = ["python"]
    for one in notebook["cells"]:
        one["outputs"], one["execution_count"], one["id"] = {"a": 1}, "x", 7
        one["source"] = [*one["source"], 5, None]
    notebook["cells"].append({"cell_type": 4, "metadata": "x", "source": {"a": 1}})


@changed("forty megabytes of outputs", FULL)
def _(notebook):
    text = ["x" * 1000] * 40_000
    cell(notebook, "double")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]


@changed("characters that cannot be encoded", FULL)
def _(notebook):
    cell(notebook, "why")["source"] = "half a letter: \ud800, nothing: \x00"
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "\udfff"})


@changed("another kernel", FULL)
def _(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "bash", "display_name": "rm", "language": "bash"}


@changed("no metadata", FULL, "`double` had lost its grade id")
def _(notebook):
    for one in notebook["cells"]:
        one["metadata"] = {}
        one.pop("id", None)


@changed("points changed", FULL, "the points of `double-check` were changed")
def _(notebook):
    cell(notebook, "double-check")["metadata"]["nbgrader"]["points"] = 10**9


@changed("rights changed", FULL)
def _(notebook):
    for one in notebook["cells"]:
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"] |= {"grade": True, "solution": True, "locked": False, "schema_version": 99}


@changed("the check taken out", ONLY_TRIPLE, "`double-check` is a locked cell and was edited")
def _(notebook):
    cell(notebook, "double-check")["source"] = "pass"
    cell(notebook, "double")["source"] = "def double(x): return x"


@changed("the check deleted", ONLY_TRIPLE, "`double-check` is missing")
def _(notebook):
    notebook["cells"].remove(cell(notebook, "double-check"))
    cell(notebook, "double")["source"] = "def double(x): return x"


@changed("the answer deleted", ONLY_TRIPLE, "`double` is missing")
def _(notebook):
    notebook["cells"].remove(cell(notebook, "double"))


@changed("only the answers", FULL, "`given` is missing")
def _(notebook):
    notebook["cells"] = [cell(notebook, "triple"), cell(notebook, "double")]


@changed("an answer twice", FULL, "`double` is there 2 times")
def _(notebook):
    first = dict(cell(notebook, "double"), source="def double(x): return 0")
    notebook["cells"].insert(notebook["cells"].index(cell(notebook, "double")), first)


@changed("a grade id twice", FULL)
def _(notebook):
    notebook["cells"] += [
        dict(cell(notebook, "triple-check")),
        dict(cell(notebook, "double-check"), source="double-check"),
    ]


@changed("two cells with one grade id", FULL, "had lost|edited|twice|is missing")
def _(notebook):
    cell(notebook, "triple-check")["metadata"]["nbgrader"]["grade_id"] = "double-check"


@changed("cells in another order", FULL)
def _(notebook):
    notebook["cells"].reverse()


@changed("an answer as text", FULL, "changed into another kind of cell")
def _(notebook):
    cell(notebook, "double")["cell_type"] = "markdown"


@changed("tags that skip cells", ONLY_TRIPLE)
def _(notebook):
    for one in notebook["cells"]:
        one["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove_cell"]
    cell(notebook, "double")["source"] = "def double(x): return x"


@changed("help beside the answer", FULL)
def _(notebook):
    added(notebook, "double", "def half(x): return x")
    cell(notebook, "double")["source"] = "def double(x): return half(x) + half(x)"


@changed("the kernel ends whenever it can", NOTHING, "ended too often")
def _(notebook):
    for place, name in enumerate(("title", "given", "double")):
        added(notebook, name, f"import os; os._exit({place})")
