"""Hostile or broken submissions: for each a name, its bytes, the points that it must get, and the note about it.

An attack stands in the answer `double`. If it must achieve nothing, the answer is right only if the attack failed, so
full points say that nothing was found, reached or changed. `triple` is always right and must get its points.
"""

from collections.abc import Callable
from textwrap import dedent, indent
from typing import NamedTuple

from .assignment import DOUBLE, FULL, STUBS, submit

NOTHING, ONLY_TRIPLE = dict.fromkeys(FULL, 0), FULL | {"double-check": 0}


class Case(NamedTuple):
    """A submission: its name, its bytes, its points (None: not graded) and a pattern of its notes."""

    name: str
    make: Callable[[], bytes | None]
    points: dict[str, float] | None
    note: str = ""


CASES: list[Case] = []


def program(name, code, points, note=""):
    """A submission whose answer `double` is this code; the other answers are right."""
    CASES.append(Case(name, lambda: submit(double=code), points, note))


def changed(name, change, points, note="", **answers):
    """A submission with these answers (else right ones) whose JSON is changed by a function."""
    CASES.append(Case(name, lambda: submit(change, **answers), points, note))


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


# Time
LATE, ENDED = "`double-check`: the cell ran longer than it may", "`double-check`: .*the kernel ended here"
COMPUTED = f"{ENDED}: it used more processor time than it may"

program("a loop without end", inside("while True: pass"), ONLY_TRIPLE, LATE)
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

# Memory
program("a list that does not fit", inside("[0] * 10**10"), ONLY_TRIPLE, "`double-check`: .*memory")
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

# Processes
FORKS = """
    import os
    while True:
        try: os.fork()
        except OSError: pass"""
program("a fork bomb", before(FORKS), ONLY_TRIPLE, "`double`: .*processor time|`double`: .*memory")
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
program("quit", inside("quit()"), FULL)
program("an interrupt of its own", inside("raise KeyboardInterrupt"), ONLY_TRIPLE)

# Files
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
DELETE = """
    import os, shutil, course_lib
    folders = ("/tmp", "/dev/shm", "/etc", "/home", ".", *course_lib.__path__)
    for folder in folders: shutil.rmtree(folder, ignore_errors=True)
    os.system("rm -rf ~ /tmp /dev /home /etc /root 2>/dev/null")"""
program("delete everything", before(DELETE), FULL)
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
SOCKETS = """
    import os, glob
    for path in glob.glob("/tmp/kernel-*"):
        os.unlink(path); os.symlink("/etc/passwd", path)"""
program("the kernel's sockets become links", before(SOCKETS), FULL)

# Network, and ways out
OPEN = """
    import socket
    kept = [socket.socket(kind) for kind in (socket.AF_INET, socket.AF_UNIX) for _ in range(20)]
    kept[-1].bind("/tmp/mine"); kept[-1].listen(); kept[0].bind(("", 0)); kept[0].listen()"""
program("sockets left open", before(OPEN), FULL, "review: socket")
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

# Output
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

# Tampering with checks
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
LIKE = before("from os.path import isabs as isclose")
program("a name of a check imported", LIKE, ONLY_TRIPLE, "review: isclose is redefined")
program("errors silenced", before("get_ipython().showtraceback = lambda *a, **k: None", WRONG), ONLY_TRIPLE)
ANOTHER = "import builtins\nclass AssertionError(Warning): pass\nbuiltins.AssertionError = AssertionError"
program("another AssertionError", before(ANOTHER, WRONG), ONLY_TRIPLE)

# Broken files
NOT_GRADED = [
    ("nothing", None, "Nothing was submitted"),
    ("an empty file", b"", "empty"),
    ("random bytes", bytes(range(256)) * 40, "damaged"),
    ("no text", b"\xff\xff", "damaged"),
    ("a long number", b"1" * 5000, "damaged"),
    ("half a file", submit()[:-400], "damaged"),
    ("deep nesting", b'{"cells": ' + b"[" * 100_000, "damaged"),
    ("JSON of another kind", b"[1, 2]", "not a notebook"),
    ("cells that are none", b'{"nbformat": 4, "cells": [1, null, "x", []]}', "no cells"),
    ("cells that are no list", b'{"cells": {}}', "no cells"),
    ("worksheets that are none", b'{"worksheets": [1, {"cells": 2}]}', "no cells"),
    ("a web page", b"<!DOCTYPE html><title>Log in</title>", "web page"),
    ("an archive", b"PK\x03\x04....", "zip archive"),
    ("a PDF", b"%PDF-1.4", "a PDF"),
    ("a merge left undone", b'{\n<<<<<<< mine\n"cells": []\n=======\n>>>>>>> theirs\n}', "unresolved merge"),
    ("too much code", submit(double="x = 1\n" * 10**6), "too large"),
    ("too many cells", b'{"cells": [' + b"{}," * 3000 + b"{}]}", "too large"),
    ("too many bytes", b" " * (65 << 20), "too large"),
]
CASES += [Case(name, lambda data=data: data, None, note) for name, data, note in NOT_GRADED]
CASES.append(Case("UTF-16", lambda: submit().decode().encode("utf-16"), FULL))
CASES.append(Case("a byte order mark", lambda: b"\xef\xbb\xbf" + submit(), FULL))
NO_TEXT = submit(why="It @dds.").replace(b"@", b"\xff")
CASES.append(Case("a byte that is no text", lambda: NO_TEXT, FULL, "some bytes of the file are not text"))
CASES.append(Case("unchanged", lambda: submit(double=None, triple=None, why=None), NOTHING))
program("a syntax error", "def double(x:", ONLY_TRIPLE)
program("code that is nested too deeply", f"x = {'-' * 100_000}1", ONLY_TRIPLE)

# Notebooks changed outside the answers; `double` is the third cell


def at(notebook, name):
    """A cell of a notebook as JSON, by its id."""
    return next(one for one in notebook["cells"] if one.get("id") == name)


def put(name, **fields):
    """A change that sets fields of a cell."""
    return lambda notebook: at(notebook, name).update(fields)


def each(change):
    """A change of all cells."""
    return lambda notebook: notebook.update(cells=[change(one) or one for one in notebook["cells"]])


def insert(notebook, place, source):
    """Insert a code cell."""
    own = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": 1}
    notebook["cells"].insert(place, own)


def older(notebook):
    """The notebook in version 3 of the format."""
    cells = [{**one, "input": one["source"]} for one in notebook["cells"]]
    for one in cells:
        del one["source"]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


def retype(notebook):
    """Give everything another type."""
    notebook["metadata"] = ["python"]
    for one in notebook["cells"]:
        one |= {"outputs": {"a": 1}, "execution_count": "x", "id": 7, "source": [*one["source"], 5, None]}
    notebook["cells"] += [{"cell_type": 4, "metadata": "x", "source": {"a": 1}}, {"cell_type": [], "metadata": []}, 5]


def unencodable(notebook):
    """Add characters that UTF-8 does not have."""
    at(notebook, "why")["source"] = "half a letter: \ud800, nothing: \x00"
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "\udfff"})


def end(notebook):
    """End the kernel before each of the first three cells."""
    for k in range(3):
        insert(notebook, 2 * k, f"import os; os._exit({k})")


ALL = {"grade": True, "solution": True, "locked": False, "schema_version": 99}
BASH = {"kernelspec": {"name": "bash", "display_name": "rm", "language": "bash"}}
MEGABYTES = {"output_type": "stream", "name": "stdout", "text": ["x" * 1000] * 40_000}
TAGS = ["skip-execution", "raises-exception", "remove_cell"]
changed("version 3", older, FULL)
changed("version 99", lambda n: n.update(nbformat=99), FULL, "version '99'")
changed("everything of another type", retype, FULL, "some cells are not valid and were omitted")
changed("forty megabytes of outputs", put("double", outputs=[MEGABYTES]), FULL)
changed("characters that cannot be encoded", unencodable, FULL)
changed("another kernel", lambda n: n["metadata"].update(BASH), FULL)
DYNAMIC, LOST = "globals().update(double=lambda x: 2 * x)", "`double` had lost its grade id"
changed("no metadata", each(lambda one: one.update(metadata={}, id=None)), FULL, LOST)
changed("only cell ids", each(lambda one: one.update(metadata={})), FULL, LOST, double=DYNAMIC)
POINTS = "the points of `double-check` were changed"
changed("points changed", lambda n: at(n, "double-check")["metadata"]["nbgrader"].update(points=10**9), FULL, POINTS)
changed("rights changed", each(lambda one: one["metadata"].get("nbgrader", {}).update(ALL)), FULL)
EDITED = "`double-check` is a locked cell and was edited"
changed("the check taken out", put("double-check", source="pass"), ONLY_TRIPLE, EDITED, double=WRONG)
MISSING = "`double-check` is missing"
changed("the check deleted", lambda n: n["cells"].remove(at(n, "double-check")), ONLY_TRIPLE, MISSING, double=WRONG)
changed("the answer deleted", lambda n: n["cells"].remove(at(n, "double")), ONLY_TRIPLE, "`double` is missing")
FEW = "`given` is missing"
changed("only the answers", lambda n: n.update(cells=[at(n, name) for name in ("triple", "double")]), FULL, FEW)
ZERO, TWICE = "def double(x): return 0", "`double` is there 2 times"
changed("an answer twice", lambda n: n["cells"].insert(2, dict(at(n, "double"), source=ZERO)), FULL, TWICE)
changed("a stub behind the answer", lambda n: n["cells"].insert(3, dict(at(n, "double"), source=STUBS["double"])), FULL)
changed("a grade id twice", lambda n: n["cells"].extend([at(n, "triple-check"), at(n, "double-check")]), FULL)
SAME = lambda n: at(n, "triple-check")["metadata"]["nbgrader"].update(grade_id="double-check")  # noqa: E731
changed("two cells with one grade id", SAME, FULL, "had lost|edited|twice|is missing")
changed("cells in another order", lambda n: n["cells"].reverse(), FULL)
changed("an answer as text", put("double", cell_type="markdown"), FULL, "changed into another kind of cell")
changed("tags that skip cells", each(lambda one: one["metadata"].update(tags=TAGS)), ONLY_TRIPLE, double=WRONG)
HALVES = "def double(x): return half(x) + half(x)"
changed("help beside the answer", lambda n: insert(n, 2, "def half(x): return x"), FULL, double=HALVES)
changed("the kernel ends whenever it can", end, NOTHING, "ended too often")
