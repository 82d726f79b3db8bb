"""The longer run's file against a sample of it, run again: a number in a chapter must be one that the code makes."""

import json

import pytest

from course_lib.data.longer_runs import longer_run
from scripts import claims
from scripts.experiments import chapters_01_02

FOUND = json.loads(claims.FILE.read_text(encoding="utf-8"))


def test_the_file_holds_every_experiment_at_every_seed():
    """Rejects a file that was written for other settings, or by hand."""
    assert list(FOUND) == list(claims.EXPERIMENTS)
    for name, (_, settings) in claims.EXPERIMENTS.items():
        run = longer_run(name)
        assert run.settings == settings
        assert all(
            [row["seed"] for row in run.rows if row["model"] == model] == [*claims.SEEDS] for model in run.models
        )
        assert set(run.made_with) == {"python", "torch", "numpy", "processor"}


def test_compared_models_have_equal_numbers_of_parameters():
    """Within five in a hundred: rejects an attention that wins because it is larger."""
    for name in ("length", "dates"):
        run = longer_run(name)
        fixed, attentive = (run.values(model, "parameters")[0] for model in ("fixed context", "Bahdanau"))
        assert abs(fixed / attentive - 1) < 0.05
    run = longer_run("interface")
    for language in ("fr", "zh"):
        models = (f"{model}, {language}" for model in ("fixed context", "Bahdanau"))
        fixed, attentive = (run.values(model, "parameters")[0] for model in models)
        assert abs(fixed / attentive - 1) < 0.05


@pytest.mark.slow
def test_a_sample_run_again_lies_in_its_band(monkeypatch):
    """Dates, seed 0, both models at 300 steps: other processors differ in the last digits, so a band with a margin."""
    again = {
        "fixed context": chapters_01_02.DATE_MODELS["fixed context"],
        "Bahdanau": chapters_01_02.DATE_MODELS["Bahdanau"],
    }
    monkeypatch.setattr(chapters_01_02, "DATE_MODELS", again)
    recorded = longer_run("dates")
    with claims.one_thread():
        rows = list(chapters_01_02.dates(0))
    for row in rows:
        exact = recorded.values(row["model"], "exact")
        assert min(exact) - 0.05 <= row["exact"] <= max(exact) + 0.05
        assert row["parameters"] == recorded.values(row["model"], "parameters")[0]


@pytest.mark.slow
def test_another_sample_run_again_lies_in_its_band(monkeypatch):
    """The collapse by length, seed 0: the fixed context of chapter 1."""
    monkeypatch.setattr(
        chapters_01_02, "LENGTH_MODELS", {"fixed context": chapters_01_02.LENGTH_MODELS["fixed context"]}
    )
    with claims.one_thread():
        (row,) = chapters_01_02.length(0)
    labels, low, _, high = longer_run("length").band("fixed context", "exact")
    assert list(row["exact"]) == labels
    assert all(a - 0.07 <= b <= c + 0.07 for a, b, c in zip(low, row["exact"].values(), high, strict=True))
