"""The JavaScript of the views, under Node's own test runner."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from course_lib import show
from course_lib.show.page import in_javascript as in_a_page
from course_lib.show.page import source
from course_lib.show.theme import HERE, THEME

from .soft_lookup_cases import in_javascript
from .test_theme import ramp


def expected() -> dict:
    """What Python computes for the inputs of the JavaScript tests."""
    scores = np.random.default_rng(0).normal(size=(4, 7)).astype("<f4").astype(float)
    softmax = []
    for row, temperature in zip(scores, (1.0, 0.1, 0.5, 10.0), strict=True):
        powers = np.exp(row / temperature)
        softmax.append({"scores": list(row), "temperature": temperature, "weights": list(powers / powers.sum())})
    state = {"bytes": in_a_page(bytes([0, 1, 255]), False), "words": ["<img>", "小明"]}
    stops = {name: THEME[name]["ramp"] for name in ("light", "dark")}
    colours = {name: (255 * ramp(stops[name])).tolist() for name in stops}
    return {"softmax": softmax, "state": state, "stops": stops, **colours, "soft_lookup": in_javascript()}


def module_of(units: Path) -> str:
    """The module of the view that a test file is named after: soft_lookup.test.mjs tests SoftLookupView.

    units.test.mjs tests what all views share, and AttentionView.
    """
    name = units.name.removesuffix(".test.mjs")
    view = "Attention" if name == "units" else "".join(part.title() for part in name.split("_"))
    return f"{getattr(show, f'{view}View')._esm}\n{source('page.js')}"


@pytest.mark.parametrize("units", sorted(Path(__file__).parent.glob("*.test.mjs")), ids=lambda units: units.name)
def test_javascript_units(units, tmp_path):
    """Each *.test.mjs in this folder, with VIEW_MODULE, where its view lies, and EXPECTED, what Python computed."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js on PATH: the JavaScript units are not tested")
    (tmp_path / "view.mjs").write_text(module_of(units), encoding="utf-8")
    (tmp_path / "expected.json").write_text(json.dumps(expected()), encoding="utf-8")
    places = {"VIEW_MODULE": str(tmp_path / "view.mjs"), "EXPECTED": str(tmp_path / "expected.json")}
    run = subprocess.run([node, "--test", units], env=os.environ | places, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("file", sorted(HERE.glob("*.js")), ids=lambda file: file.name)
def test_javascript_lines_are_short(file):
    """Rejects minified code, and lines longer than 120 characters."""
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= 120
