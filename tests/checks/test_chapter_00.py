"""The references of chapter 0's checks against implementations that nobody here wrote, or that the chapter uses."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from course_lib.checks import chapter_00
from course_lib.checks.chapter_00 import nearest_words, softmax
from course_lib.data.words import ANALOGIES, word_vectors


@pytest.mark.parametrize("T", [0.5, 1.0, 3.0])
def test_softmax_is_pytorchs(T):
    scores = 3 * np.random.default_rng(0).normal(size=(4, 6))
    expected = torch.softmax(torch.from_numpy(scores) / T, dim=1)
    np.testing.assert_allclose(softmax.softmax_rows(scores, T), expected)


def test_a_blend_is_pytorchs_attention_with_the_shelf_as_keys_and_values():
    rng = np.random.default_rng(0)
    questions, shelf = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    q, x = torch.from_numpy(questions)[None], torch.from_numpy(shelf)[None]
    expected = torch.nn.functional.scaled_dot_product_attention(q, x, x, scale=1.0)[0]
    np.testing.assert_allclose(chapter_00.answer(questions, shelf), expected)


def test_neighbours_are_those_of_the_word_vectors():
    vectors = word_vectors()
    rows = nearest_words.neighbours(vectors.vectors[:300].astype(float), 4)
    few = type(vectors)(vectors.words[:300], vectors.vectors[:300])
    for word in few.words[::60]:
        found = [few.words[row] for row in rows[few.words.index(word)]]
        assert found == [near for near, _ in few.nearest(few[word], 4, exclude=(word,))]


def test_no_two_words_have_the_same_direction():
    """The task promises it, so that the word itself may be dropped as the first of its own list."""
    for seed in range(20):
        for table, _ in nearest_words.neighbours_cases(np.random.default_rng(seed)).values():
            cosines = np.corrcoef(np.append(table, -table, axis=1))  # of rows whose mean is 0
            assert (cosines - 2 * np.eye(len(table))).max() < 1 - 1e-6


def test_analogies_come_out_as_in_the_chapter():
    """Rejects a reference that scores by dot product, or lets a word of the question win."""
    vectors = word_vectors()
    words = list(vectors.words)
    for a, b, c, _ in ANALOGIES:
        expected = vectors.nearest(vectors[b] - vectors[a] + vectors[c], 1, exclude=(a, b, c))[0][0]
        assert nearest_words.analogy(a, b, c, words, vectors.vectors) == expected


WITHOUT_TORCH = """
import sys
import course_lib.data.words
from course_lib.checks import chapter_00 as checks
from course_lib.checks.chapter_00 import softmax
from course_lib.checks.card import WrongAnswer

checks.check_softmax(softmax.softmax_rows)
checks.check_changes(softmax.check_changes.reference)
try:
    checks.check_softmax(lambda scores, T: scores)
except WrongAnswer as told:
    print("told", "torch" in sys.modules)
"""


def test_chapter_0_needs_no_torch():
    """Rejects an import that lets the reader of the first cell wait two seconds for what the chapter never uses.

    (That `show` needs none is a test of tests/show.)
    """
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["told False"], done.stderr
