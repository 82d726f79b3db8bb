"""Results of `make claims`: complete, compared fairly, written into docs/claims.md, and made by the present code."""

import itertools
import json

import pytest

from course_lib.measure import load_results
from course_lib.training import one_thread
from experiments import chapter_04
from experiments.__main__ import PAGE, SEEDS, chapters, main, page, train

pytestmark = pytest.mark.usefixtures("as_students")
EXPERIMENTS = {name: experiment for module in chapters().values() for name, experiment in module.EXPERIMENTS.items()}


def test_results_hold_every_experiment_at_every_seed():
    """Rejects results of other settings, results without an experiment, and a name that two chapters use."""
    assert len(EXPERIMENTS) == sum(len(module.EXPERIMENTS) for module in chapters().values())
    for name, (_, settings) in EXPERIMENTS.items():
        run = load_results(name)
        assert run.settings == settings
        assert all([row["seed"] for row in run.rows if row["model"] == model] == [*SEEDS] for model in run.models)
        assert set(run.made_with) == {"python", "torch", "numpy", "processor"}


def test_the_claims_table_is_made_of_the_results():
    """Rejects a number typed by hand, and a table that was forgotten after `make claims`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_an_unknown_experiment_is_explained():
    with pytest.raises(SystemExit, match=r"ONLY must be one of 01, .*length.*; got 'lenght'"):
        main("lenght")


def test_training_writes_every_seed_beside_the_other_experiments(tmp_path, monkeypatch):
    """Rejects a file that forgets the other experiments of its chapter, or their order."""
    monkeypatch.setattr("experiments.__main__.HERE", tmp_path)
    for name in ("scale", "soft addressing"):
        train("04", name, chapter_04)
    written = json.loads((tmp_path / "chapter_04.json").read_text(encoding="utf-8"))
    assert list(written) == ["soft addressing", "scale"]
    assert [row["seed"] for row in written["scale"]["rows"]] == [seed for seed in SEEDS for _ in range(2)]
    assert written["scale"].keys() == {"settings", "rows", "made_with"}


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (("length", "fixed context"), [("length", "Bahdanau")]),
        (("dates", "fixed context"), [("dates", "Bahdanau")]),
        (("interface", "fixed context, fr"), [("interface", "Bahdanau, fr")]),
        (("interface", "fixed context, zh"), [("interface", "Bahdanau, zh")]),
        (("length", "Bahdanau"), [("scores", model) for model in load_results("scores").models]),
        (("determiners", "Bahdanau"), [("query state", model) for model in load_results("query state").models]),
        (("tied", "match, own matrices"), [("tied", f"match, {tie}, wider") for tie in ("Q = K", "K = V")]),
        (("tied values", "own matrices"), [("tied values", "K = V, wider")]),
        (("windows", "copy, global"), [("windows", model) for model in load_results("windows").models]),
        (("static", "static attention"), [("static", model) for model in load_results("static").models]),
        (("distant recall", "GRU, last"), [("distant recall", f"{name}, last") for name in ("LSTM", "self-attention")]),
        *[(("two tasks", f"{task}, classic"), [("two tasks", f"{task}, self")]) for task in ("reversal", "match")],
    ],
)
def test_compared_models_have_equal_numbers_of_parameters(first, others):
    """Within 5 %: rejects a model that wins because it is larger."""
    sizes = [load_results(name).values(model, "parameters")[0] for name, model in [first, *others]]
    assert max(sizes) / min(sizes) < 1.05


AGAIN = {  # how many rows of seed 0 are computed again, in about 40 CPU seconds
    "dates": 1,
    "tied": 2,
    "small keys": 1,
    "estimators": 1,
    "estimators, 16 items": 1,
    "windows": 1,
    "static": 1,
    "projections": 6,
    "masks": 3,
    "distant recall": 2,
    "two tasks": 2,
    "attributions": 1,
    "several heads": 2,
    "shared keys": 1,
}


def figures(row, path=()):
    """What was measured, with the names that lead to it; times are another machine's."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from figures(value, (*path, name))
        elif name not in ("model", "seed", "CPU seconds"):
            yield (*path, name), value


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), AGAIN.items())
def test_a_sample_run_again_lies_in_its_range(name, count):
    """Rejects results of other code. Processors differ in the last digits, and training makes more of that: hence the
    range of all seeds, with a margin. Counts are the same everywhere."""
    with one_thread():
        rows = list(itertools.islice(EXPERIMENTS[name][0](0), count))
    assert len(rows) == count
    for row in rows:
        recorded = [dict(figures(one)) for one in load_results(name).rows if one["model"] == row["model"]]
        found = dict(figures(row))
        assert found.keys() == recorded[0].keys()
        for figure, value in found.items():
            values = [one[figure] for one in recorded]
            margin = 0 if figure == ("parameters",) else 0.07 * max(1, *values)
            assert min(values) - margin <= value <= max(values) + margin, figure


@pytest.mark.parametrize(
    ("name", "run"), [("soft addressing", chapter_04.soft_addressing), ("scale", chapter_04.scale)]
)
def test_experiments_without_training_give_the_same_again(name, run):
    """The same random numbers in double precision. Rejects results of other formulas."""
    for row in run(0):
        (recorded,) = (one for one in load_results(name).rows if one["model"] == row["model"] and one["seed"] == 0)
        assert dict(figures(row)) == pytest.approx(dict(figures(recorded)), rel=0.01, abs=1e-3)
