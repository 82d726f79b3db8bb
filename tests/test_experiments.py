"""The longer run's file against a sample of it, run again: a number in a chapter must be one that the code makes."""

import itertools
import json

import pytest
from course_lib.data.results import load_results
from scripts.experiments import chapter_04

from scripts import claims

pytestmark = pytest.mark.usefixtures("as_students")
FOUND = json.loads(claims.FILE.read_text(encoding="utf-8"))


def test_the_file_holds_every_experiment_at_every_seed():
    """Rejects a file that was written for other settings, or by hand."""
    assert list(FOUND) == list(claims.EXPERIMENTS)
    for name, (_, settings) in claims.EXPERIMENTS.items():
        run = load_results(name)
        assert run.settings == settings
        assert all(
            [row["seed"] for row in run.rows if row["model"] == model] == [*claims.SEEDS] for model in run.models
        )
        assert set(run.made_with) == {"python", "torch", "numpy", "processor"}


def test_compared_models_have_equal_numbers_of_parameters():
    """Within five in a hundred: rejects an attention that wins because it is larger."""
    for name in ("length", "dates"):
        run = load_results(name)
        fixed, attentive = (run.values(model, "parameters")[0] for model in ("fixed context", "Bahdanau"))
        assert abs(fixed / attentive - 1) < 0.05
    run = load_results("interface")
    for language in ("fr", "zh"):
        models = (f"{model}, {language}" for model in ("fixed context", "Bahdanau"))
        fixed, attentive = (run.values(model, "parameters")[0] for model in models)
        assert abs(fixed / attentive - 1) < 0.05


def test_scores_have_as_many_parameters_as_bahdanaus():
    """Within five in a hundred: rejects a score that wins because its decoder is larger."""
    (bahdanau,) = set(load_results("length").values("Bahdanau", "parameters"))
    run = load_results("scores")
    assert all(abs(run.values(model, "parameters")[0] / bahdanau - 1) < 0.05 for model in run.models)
    others = load_results("who asks")
    (bahdanau,) = set(load_results("determiners").values("Bahdanau", "parameters"))
    assert all(abs(others.values(model, "parameters")[0] / bahdanau - 1) < 0.05 for model in others.models)


@pytest.mark.parametrize("name", ["windows", "static"])
def test_looks_of_chapter_5_have_equal_numbers_of_parameters(name):
    """Within five in a hundred. Rejects a predicted center, or a look for each word, that wins because it is larger."""
    sizes = [row["parameters"] for row in load_results(name).rows]
    assert max(sizes) / min(sizes) < 1.05


AGAIN = {  # how many rows of seed 0 are computed again: each costs some seconds
    "dates": 1,
    "tied": 2,
    "shelf": 1,
    "shelf of sixteen": 1,
    "windows": 1,
    "projections": 6,
    "masks": 3,
    "distance": 2,
    "explained": 1,
    "several heads": 1,
    "shared keys": 1,
}


def figures(row, path=()):
    """What was measured, with the names that lead to it; times are another machine's."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from figures(value, (*path, name))
        elif name not in ("model", "seed", "cpu_seconds"):
            yield (*path, name), value


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), AGAIN.items())
def test_a_sample_run_again_lies_in_its_band(name, count):
    """Rejects numbers of another code, or typed by hand. Other processors differ in the last digits, and training
    makes more of that: so the band of all seeds, with a margin. What is counted is the same everywhere."""
    with claims.one_thread():
        rows = list(itertools.islice(claims.EXPERIMENTS[name][0](0), count))
    assert len(rows) == count
    for row in rows:
        recorded = [dict(figures(one)) for one in FOUND[name]["rows"] if one["model"] == row["model"]]
        found = dict(figures(row))
        assert found.keys() == recorded[0].keys()
        for figure, value in found.items():
            values = [one[figure] for one in recorded]
            margin = 0 if figure == ("parameters",) else 0.07 * max(1, *values)
            assert min(values) - margin <= value <= max(values) + margin, figure


def test_look_ups_and_scores_without_training_come_out_again():
    """Chapter 4, seed 0: the same random numbers in double precision. Rejects figures of other formulas."""
    for name, run in (("look-up", chapter_04.lookup), ("scale", chapter_04.scale)):
        for row in run(0):
            (recorded,) = (one for one in load_results(name).rows if one["model"] == row["model"] and one["seed"] == 0)
            assert row.keys() == recorded.keys()
            for figure in row.keys() - {"model", "seed"}:
                assert list(row[figure].values()) == pytest.approx(list(recorded[figure].values()), rel=0.01, abs=1e-3)


def test_looks_that_are_compared_have_equal_numbers_of_parameters():
    """Chapter 4, within five in a hundred: rejects a tied look that fails, or passes, because it is smaller."""
    for run, prefix, ties in (("tied", "match, ", ("Q = K", "K = V")), ("tied values", "", ("K = V",))):
        own = load_results(run).values(f"{prefix}own matrices", "parameters")[0]
        for tie in ties:
            assert abs(load_results(run).values(f"{prefix}{tie}, wider", "parameters")[0] / own - 1) < 0.05


def test_readers_that_are_compared_have_equal_numbers_of_parameters():
    """Chapter 6, within five in a hundred: rejects an attention that wins because it is larger."""
    for run, models in (
        ("distance", [f"{reader}, last" for reader in ("GRU", "LSTM", "self-attention")]),
        ("jobs", ["reversal, classic", "reversal, self"]),
        ("jobs", ["match, classic", "match, self"]),
    ):
        sizes = [load_results(run).values(model, "parameters")[0] for model in models]
        assert max(sizes) / min(sizes) < 1.05
