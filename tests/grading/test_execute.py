"""Notebooks are run in the sandbox: each cell costs its own points at most, and a check that is bent is noticed."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from grading.execute import SandboxExecute
from grading.outputs import clean, error
from grading.probe import check_options, imports_again, probes
from grading.settings import Settings

from .assignment import nbgrader

SMALL = Settings(total_s=60, cell_s=5, cpu_s=10, memory_mb=400, disk_mb=8, processes=64, output_kb=20)


@pytest.fixture
def execute(private):
    """A function that runs cells; the notebook, and what SandboxExecute knows afterwards."""

    def executed(*cells, settings=SMALL, **options):
        notebook = new_notebook(cells=[cell if not isinstance(cell, str) else new_code_cell(cell) for cell in cells])
        executor = SandboxExecute(settings=settings, folder=private, **options)
        return executor.preprocess(notebook, {"metadata": {}})[0], executor

    return executed


def graded(source, name="check"):
    """A cell that gives points."""
    return new_code_cell(source, metadata=nbgrader(name, points=1))


def text(cell):
    """All that a cell's outputs say."""
    return nbformat.writes(new_notebook(cells=[cell]))


def test_warnings_and_last_values_cost_no_points_and_give_none(execute):
    """Rejects nbgrader's own rule: 0 points for text on stderr, and a last value as points."""
    printing = "import sys; print('old', file=sys.stderr)"
    notebook, _ = execute(graded(f"{printing}\n1000"), printing)
    kinds = [(output.output_type, output.get("name")) for output in notebook.cells[0].outputs]
    assert sorted(kinds, key=str) == [("display_data", None), ("stream", "stdout")]
    assert notebook.cells[1].outputs[0].name == "stderr"


def test_outputs_are_cut_and_what_comes_after_them_is_not(execute):
    """Rejects a grader that keeps everything, and one that loses an error behind a long output."""
    notebook, _ = execute("for k in range(20): print('x' * 5000, flush=True)\n1 / 0", "print('small')")
    assert len(text(notebook.cells[0])) < 40_000
    assert "the rest of the output was cut" in text(notebook.cells[0])
    assert any(output.get("ename") == "ZeroDivisionError" for output in notebook.cells[0].outputs)
    assert "was cut" not in text(notebook.cells[1])


def test_after_a_dead_kernel_the_cells_before_are_run_again_without_the_one_that_ended_it(execute):
    """Rejects a grader in which one exercise takes the points of the next, or meets the same end again."""
    notebook, executor = execute("a = 1", "import os; os._exit(7)", "b = a + 1", graded("assert (a, b) == (1, 2)"))
    assert notebook.cells[3].outputs == []
    assert executor.reasons == [f"`{notebook.cells[1].id}`: the kernel ended here: it ended itself (status 7)"]


def test_test_cells_are_not_run_again(execute):
    """Rejects a grader that repeats the checks, which take longest, whenever a kernel ends."""
    count = "open('/tmp/n', 'a').write('x')"
    notebook, _ = execute(graded(count), "import os; os._exit(0)", "import os; print(os.path.exists('/tmp/n'))")
    assert "False" in text(notebook.cells[2])


def test_a_notebook_has_an_end(execute):
    """Rejects a grader that counts cells, but not the whole."""
    sleep = "import time; time.sleep(1.5)"
    settings = Settings(total_s=4, cell_s=2, memory_mb=400)
    notebook, executor = execute(*[sleep] * 6, graded("pass"), settings=settings)
    assert executor.reasons[-1] == "the notebook ran longer than it may (4 s)"
    assert "not run: the notebook ran longer" in text(notebook.cells[-1])
    assert notebook.cells[0].outputs == []


def test_the_last_cell_is_the_last_cell(execute):
    """Rejects probes that nbclient leaves in the place of the notebook's last cell."""
    notebook, _ = execute(graded("assert True"), "last = 1", answered={"check": ["f"]}, probes={"check": ["f"]})
    assert [cell.source for cell in notebook.cells] == ["assert True", "last = 1"]


# ── Probes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

ANSWERS = {
    "a number": "def f(x): return 3.5",
    "a truth": "def f(x): return True",
    "a text": "def f(x): return 'queen'",
    "a list": "def f(x): return [1, [2, 'a']]",
    "a dictionary": "def f(x): return {'a': 1}",
    "nothing yet": "def f(x): return []",
    "a named pair": "from collections import namedtuple\nP = namedtuple('P', 'a b')\ndef f(x): return P(1, 2)",
    "an array": "import numpy as np\ndef f(x): return np.eye(3)[:2]",
    "an array of truths": "import numpy as np\ndef f(x): return np.array([True, False])",
    "a value": "f = 5",
    "names of Python's own": "dict = int = list = globals = callable = exec = 1\ndef f(x): return 2",
}


def test_nonsense_of_every_kind_is_noticed_and_undone(execute):
    """Rejects nonsense that equals the right answer, and a probe that leaves nonsense or names of its own behind."""
    value, cells, codes = "(f(0) if hasattr(f, '__call__') else f)", [], {}
    for name, code in ANSWERS.items():
        cells += [code, f"right = {value}"]
        for again in ("", ", again"):
            codes[name + again] = [f"assert repr({value}) == repr(right), 'wrong'"]
            cells.append(graded(codes[name + again][0], name + again))
    left = "del globals; print([name for name in globals() if len(name) == 17 and name.startswith('_')])"
    notebook, executor = execute(*cells, left, answered={name: ["f"] for name in codes}, probes=codes)
    assert executor.reasons == []
    assert executor.effective == codes
    assert notebook.cells[-1].outputs[0].text == "[]\n"


def test_tensors_become_nonsense_of_the_same_shape(execute):
    """Rejects nonsense that fails because of its shape, where a check of the numbers has been patched away."""
    code = "import torch\ndef f(x): return torch.ones(2, 3), torch.tensor([True])"
    check = "assert f(0)[0].shape == (2, 3) and f(0)[1].dtype == torch.bool"
    settings = Settings(total_s=60, cell_s=20, disk_mb=8)
    _, executor = execute(
        code, graded(check), answered={"check": ["f"]}, probes={"check": [check]}, settings=settings
    )
    assert executor.reasons == [
        "`check`: the check passes with a wrong answer too: something has changed it. Review this submission"
    ]


def test_a_trial_says_which_canaries_are_any_good(execute):
    """Rejects a probe that takes everybody's points for a check that no wrong answer fails."""
    cells = ["def f(x): return 1", graded("f(0)", "lax"), graded("assert f(0) == 1", "strict")]
    checks = {
        "answered": {"lax": ["f"], "strict": ["f"]},
        "probes": {"lax": ["f(0)"], "strict": ["assert f(0) == 1"]},
    }
    _, executor = execute(*cells, trial=True, **checks)
    assert executor.effective == {"lax": [], "strict": ["assert f(0) == 1"]}
    assert executor.reasons == []


def test_a_trial_finds_the_fonts_and_a_hand_in_need_not(execute):
    """Rejects a kernel that looks for all fonts of the machine whenever somebody draws."""
    load = "import matplotlib.font_manager"
    _, executor = execute(load, trial=True)
    assert list(executor.fonts)
    notebook, _ = execute("import subprocess\nsubprocess.check_output = None", load, fonts=executor.fonts)
    assert notebook.cells[1].outputs == []


def test_what_the_course_imports_is_imported_again_before_each_check(execute):
    """Rejects a check under whose name the student has put something else."""
    cells = ["from math import isclose", "isclose = lambda *a: True", graded("assert isclose(1, 2)")]
    notebook, _ = execute(*cells, imports="from math import isclose")
    assert notebook.cells[2].outputs[0].ename == "AssertionError"


def test_canaries_are_the_checks_of_the_answer_or_the_whole_cell():
    """Rejects probes of calls that would not fail: print(f(1)), or calls without the answer."""
    assert probes("check_f(f)\ncheck_f(f, seed=1)\nprint(f(1))\nset_up()", ["f"]) == [
        "check_f(f)",
        "check_f(f, seed=1)",
    ]
    assert probes("x = f(1)\nassert x == 2", ["f"]) == ["x = f(1)\nassert x == 2"]
    assert probes("assert 1 + 1 == 2", []) == []


def test_what_is_known_of_the_checks():
    """Rejects names that students did not have to define, and imports that undo what the course defines itself."""
    given = "import numpy as np\nfrom math import isclose, sqrt\nfrom checks import check_f, check_g"
    own = "def sqrt(x): return x"
    answer = "import os\n\ndef f(x):\n    {}\n\ndef help(x): ..."
    check = graded("check_f(f)\n### BEGIN HIDDEN TESTS\nassert isclose(sqrt(f(4)), np.sqrt(2))")
    cells = [new_code_cell(one, metadata=nbgrader(one)) for one in (given, own)]
    stub, solved = (
        new_code_cell(answer.format(text), metadata=nbgrader("f", solution=True)) for text in ("...", "y = 1")
    )
    found = check_options(new_notebook(cells=[*cells, stub, check]), new_notebook(cells=[*cells, solved, check]))
    assert found["answered"] == {"check": ["f"]}
    assert found["probes"] == {"check": ["check_f(f)"]}
    assert found["imports"] == "import numpy as np\nfrom math import isclose\nfrom checks import check_f"
    assert imports_again(new_notebook(cells=[new_code_cell("%matplotlib inline\nimport x"), check])) == ""


# ── Outputs ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_outputs_are_made_such_that_they_can_be_written():
    """Rejects outputs that stop nbgrader when it writes the notebook."""
    cell = new_code_cell(outputs=[error("E", "x" * 1000), new_output("stream", text="half a letter \ud800")])
    cell.outputs[0].traceback = ["y" * 1000] * 1000
    clean(cell, 100)
    assert len(text(cell).encode()) < 30_000
    assert cell.outputs[1].text == "half a letter ?"
