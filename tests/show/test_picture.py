"""All pictures: the same in words, small, and bytes that depend on nothing but the data."""

import io
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image

from course_lib import show

from .examples import KEYS, KINDS, QUERIES, WEIGHTS, example


@pytest.mark.parametrize("kind", KINDS)
def test_same_data_same_bytes_and_same_words(kind):
    """Rejects dates, versions and memory addresses in the file or in the repr."""
    one, other = example(kind), example(kind)
    assert one.png() == other.png()
    assert repr(one) == repr(other)
    assert "0x" not in repr(one)


def test_png_carries_no_metadata():
    png = io.BytesIO(example("heatmap").png())
    assert Image.open(png).info.keys() <= {"dpi"}
    assert b"Matplotlib" not in png.getvalue()


def test_typical_pictures_are_small():
    """Rejects a full-colour PNG: three times the size."""
    many = [f"word{n}" for n in range(12)]
    weights = np.random.default_rng(0).dirichlet(np.ones(12), size=12)
    assert len(show.heatmap(weights, many, many, gold=np.eye(12)).png()) < 40_000
    assert all(len(example(kind).png()) < 40_000 for kind in KINDS)


def test_notebook_gets_a_picture_with_its_text_alternative():
    data, metadata = example("heatmap")._repr_mimebundle_()
    assert data.keys() == {"image/png", "text/plain"}
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert metadata["image/png"]["width"] > 100


def test_text_alternative_names_each_query_with_what_it_reads_most():
    text = repr(example("heatmap"))
    for line in ("XiaoMing → 小明 .90", "likes → 喜欢 .70", "XiaoHong → 小红 .97", "learned"):
        assert line in text
    assert "fixed context: .96 .27 .03" in repr(example("curves"))
    assert "喜欢: −.25 .20 −.50 −.45 −.50" in repr(example("bars"))


def test_tensors_are_taken_from_their_graph_and_nothing_is_modified():
    tensor = torch.tensor(WEIGHTS, requires_grad=True)
    before = WEIGHTS.copy()
    assert show.heatmap(tensor, QUERIES, KEYS).png() == show.heatmap(WEIGHTS, QUERIES, KEYS).png()
    assert (before == WEIGHTS).all()
    assert tensor.requires_grad


def test_the_readers_settings_stay_as_they_are():
    before = dict(matplotlib.rcParams)
    example("curves").png()
    assert dict(matplotlib.rcParams) == before


def test_show_needs_neither_pyplot_nor_torch_nor_our_other_rooms():
    code = (
        "import sys, course_lib.show; names = set(sys.modules); print(sorted(name for name in names "
        "if name in ('matplotlib.pyplot', 'torch') or name.startswith('course_lib.') and '.show' not in name))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
