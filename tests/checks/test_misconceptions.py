"""Each misconception is a test: the check rejects it, and names it and nothing else.

The switches of the reference show it for every misconception. Programs written as students write them, about three for
each exercise, stand in tests/exercises.
"""

import functools
import importlib
import itertools
import pkgutil

import numpy as np
import pytest

import course_lib.checks
from course_lib.checks.card import WrongAnswer
from course_lib.checks.engine import Check

pytestmark = pytest.mark.usefixtures("as_students")
SEEDS = (0, 1, 2)
MODULES = [
    importlib.import_module(f"course_lib.checks.{found.name}")
    for found in pkgutil.iter_modules(course_lib.checks.__path__)
    if found.name.startswith("chapter_")
]
CHECKS = {
    f"{module.__name__[-2:]}-{name}": check
    for module in MODULES
    for name, check in vars(module).items()
    if isinstance(check, Check)
}
each_check = pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
KNOWN = [(check, one) for check in CHECKS.values() for one in check.misconceptions]
NAMES = [f"{name}-{one.name}" for name, check in CHECKS.items() for one in check.misconceptions]
LEAST, PAIRS = 5, 12


def mistaken(check, *misconceptions):
    """The reference with these misconceptions, as a function of a student."""
    switches = {key: value for one in misconceptions for key, value in one.switches.items()}
    return functools.partial(check.reference, **switches)


def named(check, function, seed=0):
    """The names of the misconceptions in what the check says to a function that it must reject."""
    with pytest.raises(WrongAnswer) as rejected:
        check(function, seed=seed)
    return {one.name for one in check.misconceptions if one.says in str(rejected.value)}


@each_check
@pytest.mark.parametrize("seed", SEEDS)
def test_the_reference_is_right(check, seed):
    check(check.reference, seed=seed)


@pytest.mark.parametrize(("check", "misconception"), KNOWN, ids=NAMES)
def test_a_misconception_is_named_as_itself_and_nothing_else(check, misconception):
    """Rejects cases in which two mistakes look alike, or a mistake looks right, with this seed or another."""
    for seed in SEEDS:
        assert named(check, mistaken(check, misconception), seed) == {misconception.name}


@each_check
def test_two_mistakes_at_once_are_both_named(check):
    """Rejects a diagnosis of single mistakes only. Pairs that look like one alone, or like others, are left out.

    So that it does not take minutes, a few pairs are tried, chosen at random.
    """
    pairs = [pair for pair in check.candidates() if len(pair) == 2]
    cases = check.cases(rng(0))
    results = [signature(check, cases, pair) for pair in pairs]
    singles = [signature(check, cases, (one,)) for one in check.misconceptions] + [signature(check, cases, ())]
    for place in rng(0).permutation(len(pairs))[:PAIRS]:
        pair, found = pairs[place], results[place]
        alike = sum(equal(check, found, other) for other in itertools.chain(singles, results))
        if alike == 1 and any(result.error is None for result in found):
            assert named(check, mistaken(check, *pair)) == {one.name for one in pair}


@each_check
def test_misconceptions_have_names_and_words_of_their_own(check):
    names, texts = ([getattr(one, key) for one in check.misconceptions] for key in ("name", "says"))
    assert len(set(names)) == len(names)
    assert len(names) >= LEAST, f"{len(names)} misconceptions, expected at least {LEAST}"
    for one, other in itertools.permutations(texts, 2):
        assert one not in other
    assert all(text[0].islower() or text[0] in "`*" for text in texts), "it follows `Likely cause: `"
    assert all(text[-1] in ".?!" for text in texts)


def rng(seed):
    """What a check draws its inputs from."""
    return np.random.default_rng(seed)


def signature(check, cases, misconceptions):
    """The results of all cases with these misconceptions."""
    return list(check.with_mistakes(misconceptions, cases, 0))


def equal(check, some, others):
    """Whether two lists of results agree throughout."""
    return all(one.agrees(other, check.tolerance) for one, other in zip(some, others, strict=True))
