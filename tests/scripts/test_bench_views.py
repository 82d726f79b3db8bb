"""The measuring of the views: what it takes for an answer, and what it does with the numbers."""

import os

import psutil
import pytest

from scripts.bench_views import (
    BASELINE,
    CHANGES,
    CONDITIONS,
    RECORDER,
    ROUNDS,
    SIZES,
    VARIANTS,
    Cell,
    other_work,
    percentile,
    rows,
)

NOTEBOOK = """<!doctype html><div class=jp-Notebook><div class=jp-mod-active><div class=jp-Cell-outputWrapper>
<canvas width=100 height=100 style="width: 100px; height: 100px"></canvas><p>words</p></div></div></div>
<script>
  const draw = (colour) => {
    const context = document.querySelector("canvas").getContext("2d");
    Object.assign(context, { fillStyle: colour }).fillRect(0, 0, 100, 100);
  };
  draw("white");
  const drawn = {
    at_once: () => draw("red"),
    late: () => setTimeout(() => draw("red"), 80),
    twice: () => { draw("red"); setTimeout(() => draw("blue"), 80); },
    blank_between: () => {
      document.querySelector("canvas").hidden = true;
      setTimeout(() => { document.querySelector("canvas").hidden = false; draw("red"); }, 80);
    },
  };
  document.addEventListener("keydown", () => drawn[location.hash.slice(1)]());
</script>"""


@pytest.mark.browser
@pytest.mark.parametrize(("how", "at_least"), [("at_once", 0), ("late", 80), ("twice", 80), ("blank_between", 80)])
def test_the_answer_is_the_last_change_of_the_picture(page, tmp_path, how, at_least):
    """Rejects a clock that stops at the first change, at an empty cell, or when the key was heard."""
    (tmp_path / "page.html").write_text(NOTEBOOK, encoding="utf-8")
    page.add_init_script(RECORDER)
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#{how}")
    page.evaluate("bench.begin()")
    page.wait_for_function("bench.ready()")
    page.keyboard.press("ArrowRight")
    assert page.wait_for_function("bench.answer()").json_value()["latency"] > at_least


@pytest.mark.browser
def test_a_little_more_blue_is_a_change(page, tmp_path):
    """Rejects a fingerprint in which two pictures of one colour each look alike."""
    little = NOTEBOOK.replace("red", "#14b865").replace("white", "#14b863")
    (tmp_path / "page.html").write_text(little, encoding="utf-8")
    page.add_init_script(RECORDER)
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#at_once")
    page.evaluate("bench.patience = 1000; bench.begin()")
    page.wait_for_function("bench.ready()")
    page.keyboard.press("ArrowRight")
    assert page.wait_for_function("bench.answer()").json_value()["latency"] is not None


@pytest.mark.browser
def test_no_change_is_no_answer(page, tmp_path):
    """Words that change do not count: the last change of the picture was before the key."""
    (tmp_path / "page.html").write_text(NOTEBOOK.replace('draw("red")', "document.title = 'x'"), encoding="utf-8")
    page.add_init_script(RECORDER)
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#at_once")
    page.evaluate("bench.patience = 300; bench.begin()")
    page.wait_for_function("bench.ready()")
    page.keyboard.press("ArrowRight")
    assert page.wait_for_function("bench.answer()").json_value()["latency"] is None


def test_enough_changes_are_measured():
    assert ROUNDS * CHANGES >= 60
    assert SIZES == (12, 64)
    assert BASELINE in VARIANTS


def test_a_percentile_is_not_exceeded_by_that_many():
    numbers = [float(n) for n in range(101)]
    assert percentile(numbers, 50) == 50
    assert percentile(numbers, 95) == 95


def test_the_table_compares_with_the_baseline_of_the_same_size_and_condition():
    """Rejects one baseline for all: a busy machine would then be compared with a quiet one."""
    cells = [Cell(variant, size, each) for each in CONDITIONS for size in SIZES for variant in list(VARIANTS)[:2]]
    for cell, milliseconds in zip(cells, (300.0, 20.0, 600.0, 30.0, 900.0, 20.0, 800.0, 20.0), strict=True):
        cell.latencies = [milliseconds] * 10
    assert [line[-1] for line in rows(cells)] == ["", "15", "", "20", "", "45", "", "40"]
    assert rows(cells)[1][3:6] == ["20", "20", 10]


def test_a_busy_machine_has_other_work_and_is_left_without():
    """Rejects processes that go on after the measuring, or that never began."""
    before = psutil.Process().children()
    with other_work("busy"):
        assert len(psutil.Process().children()) == len(before) + os.cpu_count()
    assert psutil.Process().children() == before
    with other_work("quiet"):
        assert psutil.Process().children() == before
