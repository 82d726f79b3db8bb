"""Notebooks run in the sandbox: each cell costs at most its own points, and tampering with a check is detected."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grading.execute import SandboxExecute
from grading.probe import check_options, imports_again
from grading.settings import Settings

from .assignment import nbgrader

SMALL = Settings(total_s=60, cell_s=20, cpu_s=20, memory_mb=400, disk_mb=8, processes=64, output_kb=20)
PASSES = "`check`: the check passes with a wrong answer too: something has changed it. Review this submission"


@pytest.fixture
def execute(private):
    """A function that runs cells; the executed cells and the SandboxExecute."""

    def executed(*cells, settings=SMALL, **options):
        notebook = new_notebook(cells=[one if not isinstance(one, str) else new_code_cell(one) for one in cells])
        executor = SandboxExecute(settings=settings, folder=private, **options)
        return executor.preprocess(notebook, {"metadata": {}})[0].cells, executor

    return executed


def graded(source, name="check"):
    """A check worth a point."""
    return new_code_cell(source, metadata=nbgrader(name, points=1))


def text(cell):
    """A cell with its outputs as text."""
    return nbformat.writes(new_notebook(cells=[cell]))


def test_outputs_cost_no_points_and_are_truncated(execute):
    """Rejects nbgrader's rule (0 points for text on stderr, a last value as points), and unlimited outputs."""
    printing = "import sys; print('old', file=sys.stderr)"
    flood = "for k in range(20): print('x' * 5000, flush=True)\n1 / 0"
    cells, _ = execute(graded(f"{printing}\n1000"), printing, flood, "print('small')")
    kinds = [(output.output_type, output.get("name")) for output in cells[0].outputs]
    assert sorted(kinds, key=str) == [("display_data", None), ("stream", "stdout")]
    assert cells[1].outputs[0].name == "stderr"
    assert len(text(cells[2])) < 40_000
    assert "the rest of the output was cut" in text(cells[2])
    assert any(output.get("ename") == "ZeroDivisionError" for output in cells[2].outputs)
    assert "was cut" not in text(cells[3])


def test_after_a_dead_kernel_the_earlier_cells_run_again(execute):
    """Rejects losing the points of the next exercise, running again what ended the kernel, and repeating checks."""
    count = graded("open('/tmp/n', 'a').write('x')", "count")
    later = graded("import os; assert (a, b, os.path.exists('/tmp/n')) == (1, 2, False)")
    cells, executor = execute("a = 1", count, "import os; os._exit(7)", "b = a + 1", later)
    assert cells[4].outputs == []
    assert executor.reasons == [f"`{cells[2].id}`: the kernel ended here: it ended itself (status 7)"]


def test_a_notebook_has_a_deadline(execute):
    """Rejects a grader that limits cells but not the whole notebook."""
    settings = Settings(total_s=4, cell_s=2, memory_mb=400)
    cells, executor = execute(*["import time; time.sleep(1.5)"] * 6, graded("pass"), settings=settings)
    assert executor.reasons[-1] == "the notebook ran longer than it may (4 s)"
    assert "not run: the notebook ran longer" in text(cells[-1])


ANSWERS = {
    "a number": "def f(x): return 3.5",
    "a boolean": "def f(x): return True",
    "a text": "def f(x): return 'queen'",
    "a list": "def f(x): return [1, [2, 'a']]",
    "a dictionary": "def f(x): return {'a': 1}",
    "an empty list": "def f(x): return []",
    "a named pair": "from collections import namedtuple\nP = namedtuple('P', 'a b')\ndef f(x): return P(1, 2)",
    "an array": "import numpy as np\ndef f(x): return np.eye(3)[:2]",
    "a boolean array": "import numpy as np\ndef f(x): return np.array([True, False])",
    "a value": "f = 5",
    "names of builtins": "dict = int = list = globals = callable = exec = 1\ndef f(x): return 2",
}


def test_wrong_values_of_every_type_fail_and_are_undone(execute):
    """Rejects wrong values that equal the right answer, and a probe that leaves values or names behind."""
    value, cells, codes = "(f(0) if hasattr(f, '__call__') else f)", [], {}
    for name, code in ANSWERS.items():
        cells += [code, f"right = {value}"]
        for again in ("", ", again"):
            codes[name + again] = [f"assert repr({value}) == repr(right), 'wrong'"]
            cells.append(graded(codes[name + again][0], name + again))
    left = "del globals; print([name for name in globals() if len(name) == 17 and name.startswith('_')])"
    cells, executor = execute(*cells, left, answered={name: ["f"] for name in codes}, probes=codes)
    assert executor.reasons == []
    assert executor.effective == codes
    assert cells[-1].source == left
    assert cells[-1].outputs[0].text == "[]\n"


def test_wrong_tensors_have_the_same_shape(execute):
    """Rejects wrong values that fail only because of their shape, when the comparison of numbers was patched away."""
    code = "import torch\ndef f(x): return torch.ones(2, 3), torch.tensor([True])"
    check = "assert f(0)[0].shape == (2, 3) and f(0)[1].dtype == torch.bool"
    settings = Settings(total_s=300, cell_s=60, disk_mb=8)
    options = {"answered": {"check": ["f"]}, "probes": {"check": [check]}}
    assert execute(code, graded(check), settings=settings, **options)[1].reasons == [PASSES]


def test_a_trial_finds_effective_probes_and_fonts(execute):
    """Rejects a probe that fails everybody for a check that accepts anything, and a font search in every kernel."""
    load = "import matplotlib.font_manager"
    cells = [load, "def f(x): return 1", graded("f(0)", "lax"), graded("assert f(0) == 1", "strict")]
    codes = {"lax": ["f(0)"], "strict": ["assert f(0) == 1"]}
    _, executor = execute(*cells, trial=True, answered={"lax": ["f"], "strict": ["f"]}, probes=codes)
    assert executor.effective == {"lax": [], "strict": ["assert f(0) == 1"]}
    assert executor.reasons == []
    assert list(executor.fonts)
    cells, _ = execute("import subprocess\nsubprocess.check_output = None", load, fonts=executor.fonts)
    assert cells[1].outputs == []


def test_options_that_depend_on_the_checks():
    """Rejects names that students do not define, and imports that undo definitions of the course."""
    given = "import numpy as np\nfrom math import isclose, sqrt\nfrom checks import check_f, check_g"
    answer = "import os\n\ndef f(x):\n    {}\n\ndef help(x): ..."
    calls = "check_f(f)\ncheck_f(f, seed=1)\nprint(f(1))\nset_up()"
    hidden = "assert isclose(sqrt(f(4)), np.sqrt(2))"
    check = graded(f"{calls}\n### BEGIN HIDDEN TESTS\n{hidden}")
    cells = [new_code_cell(one) for one in (given, "def sqrt(x): return x")]
    rights = nbgrader("f", solution=True)
    stub, solved = (new_code_cell(answer.format(text), metadata=rights) for text in ("...", "y = 1"))
    found = check_options(new_notebook(cells=[*cells, stub, check]), new_notebook(cells=[*cells, solved, check]))
    assert (found["answered"], found["probes"]) == ({"check": ["f"]}, {"check": ["check_f(f)", "check_f(f, seed=1)"]})
    assert found["imports"] == "import numpy as np\nfrom math import isclose\nfrom checks import check_f"
    assert imports_again(new_notebook(cells=[new_code_cell("%matplotlib inline\nimport x"), check])) == ""
