"""The file of longer runs: read as it was written, and explained where it is not."""

import json

import pytest
from course_lib.data.results import load_results

from course_lib.data import results

ROWS = [
    {"model": "a", "seed": 0, "exact": {"4–7": 0.5, "8–11": 0.1}, "parameters": 10},
    {"model": "a", "seed": 1, "exact": {"4–7": 0.7, "8–11": 0.3}, "parameters": 10},
    {"model": "b", "seed": 0, "exact": {"4–7": 1.0, "8–11": 0.9}, "parameters": 11},
]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Reads from a file of this text in place of the library's."""
    monkeypatch.setattr(results, "files", lambda _: tmp_path)

    def write(text):
        (tmp_path / "results.json").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def run(written):
    written(json.dumps({"length": {"settings": {"steps": 3}, "rows": ROWS, "made_with": {"torch": "2.0"}}}))
    return load_results("length")


def test_a_band_is_lowest_mean_and_highest_over_seeds(run):
    """Rejects a band over models, or over lengths."""
    labels, low, mean, high = run.range("a", "exact")
    assert labels == ["4–7", "8–11"]
    assert low.tolist() == [0.5, 0.1]
    assert mean.tolist() == pytest.approx([0.6, 0.2])
    assert high.tolist() == [0.7, 0.3]


def test_bands_can_be_renamed(run):
    assert list(run.ranges("exact", ["a", "b"])) == ["a", "b"]
    labels, low, high = run.ranges("exact", {"shown": "a"})["shown"]
    assert (labels, low.tolist(), high.tolist()) == (["4–7", "8–11"], [0.5, 0.1], [0.7, 0.3])
    labels, mean = run.means("exact", {"shown": "a"})["shown"]
    assert (labels, mean.tolist()) == (["4–7", "8–11"], pytest.approx([0.6, 0.2]))


def test_values_come_one_for_each_seed_and_the_repr_tells_the_provenance(run):
    assert run.values("a", "parameters") == [10, 10]
    assert run.models == ("a", "b")
    assert "torch 2.0" in repr(run)
    assert "steps 3" in repr(run)
    assert "2 seeds" in repr(run)


def test_what_is_not_there_is_explained(run):
    with pytest.raises(KeyError, match=r"no 'bleu' of 'a'.*'exact'"):
        run.values("a", "bleu")
    with pytest.raises(KeyError, match=r"of 'c'; models: \('a', 'b'\)"):
        run.values("c", "exact")
    with pytest.raises(ValueError, match="no longer run 'dates': expected one of length"):
        load_results("dates")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"length": {"rows": []}}', '{"length": 3}'])
def test_a_damaged_file_is_explained(written, text):
    written(text)
    with pytest.raises(ValueError, match=r"damaged.*make claims"):
        load_results("length")


def test_a_missing_file_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "files", lambda _: tmp_path)
    with pytest.raises(FileNotFoundError, match=r"missing.*make claims"):
        load_results("length")
