"""Checks that diagnose: an answer is run beside a reference, and a wrong one beside all known misconceptions."""

import copy
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from .card import accept, reject
from .compare import rounding, same, shape, unchanged
from .difference import where_it_differs
from .faults import changed, raised

Inputs = dict[str, tuple]  # what a case is called: the arguments


@dataclass(frozen=True)
class Misconception:
    """A known mistake: switches that make the reference err in this way, and what a student who made it reads.

    `says` names the likely cause first and then what to think about, without giving the line to write.
    """

    name: str
    switches: dict[str, Any]
    says: str


def known(switch: str, **says: str) -> tuple[Misconception, ...]:
    """The wrong settings of one switch, which takes texts: each a misconception, and what a student reads."""
    return tuple(Misconception(f"{switch}={setting}", {switch: setting}, text) for setting, text in says.items())


def single_thread() -> AbstractContextManager:
    """One PyTorch thread, if PyTorch is imported at all."""
    if "torch" not in sys.modules:
        return nullcontext()
    from course_lib.training import one_thread

    return one_thread()


class Result:
    """The value of a function for one case, or its exception, and which arguments it changed."""

    def __init__(self, function: Callable, arguments: tuple, switches: dict[str, Any] | None = None) -> None:
        __tracebackhide__ = True  # a stub's traceback shows the student's lines only
        given = copy.deepcopy(arguments)
        self.value, self.error = None, None
        try:
            with single_thread(), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # nbgrader gives no points for a cell that writes to stderr
                self.value = function(*given, **(switches or {}))
        except NotImplementedError:
            raise
        except (Exception, SystemExit) as error:
            self.error = error
        self.changed = [k for k, (a, b) in enumerate(zip(arguments, given, strict=True)) if not unchanged(a, b)]

    def agrees(self, other: "Result", tolerance: float) -> bool:
        """Both raise something, or both give the same."""
        if self.error is not None or other.error is not None:
            return self.error is not None and other.error is not None
        return same(self.value, other.value, tolerance)


class Check:
    """The check of one exercise: `check(function)` says that it is right, or raises WrongAnswer, which says why not.

    `reference(*arguments, **switches)` is the right answer, and with switches a wrong one. `cases(rng)` makes the
    inputs: some square, where a wrong axis keeps its shape, some with all sizes different, where a transposition shows.
    An answer is right if it agrees with the reference in every case, whatever its type; what it prints is ignored. A
    wrong one is compared with each misconception, then with each pair of them, and must match in all cases.

    axes        the names of the result's axes, for messages
    tolerance   the absolute and relative tolerance, if it is larger than rounding
    parts       the names of the parts of a result that is a tuple
    """

    def __init__(
        self,
        reference: Callable,
        cases: Callable[[np.random.Generator], Inputs],
        misconceptions: tuple[Misconception, ...],
        axes: tuple[str, ...] = (),
        tolerance: float = 0.0,
        parts: tuple[str, ...] = (),
    ) -> None:
        self.reference, self.cases, self.misconceptions = reference, cases, misconceptions
        self.axes, self.tolerance, self.parts = axes, tolerance, parts
        self.mistaken: dict[tuple, Result] = {}

    def __call__(self, function: Any, seed: int = 0) -> None:
        """Try a function; another seed makes other inputs, as hidden tests do.

        Raises WrongAnswer, and NotImplementedError from an answer that is not there yet.
        """
        __tracebackhide__ = True
        name = name_of(function)
        cases = self.cases(np.random.default_rng(seed))
        expected = [Result(self.reference, arguments) for arguments in cases.values()]
        got = list(map(partial(Result, function), cases.values()))
        for case, result, right in zip(cases, got, expected, strict=True):
            if result.changed or not result.agrees(right, self.tolerance):
                likely = self.diagnosis(cases, got, seed)
                self.report(function, name, (case, cases[case]), (result, right), likely)
        if words := self.objection(function, cases, got):
            reject(name, words)
        if seed == 0:  # hidden tests have nothing to add
            accept(name, len(cases))

    def objection(self, function: Callable, cases: Inputs, got: list[Result]) -> str:
        """A message for an answer whose values are all right; subclasses may add one."""
        return ""

    def inputs(self, case: str, seed: int = 0) -> tuple:
        """The arguments of a case, to try a function on: `my_function(*check.inputs("three rows, three columns"))`.

        Raises KeyError, with the names that there are.
        """
        cases = self.cases(np.random.default_rng(seed))
        if case not in cases:
            raise KeyError(f"no case {case!r}: there are {', '.join(map(repr, cases))}")
        return cases[case]

    def candidates(self) -> Iterator[tuple[Misconception, ...]]:
        """Each misconception, then each pair that can be made at the same time."""
        yield from ((one,) for one in self.misconceptions)
        for one, other in itertools.combinations(self.misconceptions, 2):
            if not one.switches.keys() & other.switches.keys():
                yield one, other

    def with_mistakes(self, candidates: tuple[Misconception, ...], cases: Inputs, seed: int) -> Iterator[Result]:
        """What the reference gives for each case with these mistakes; kept, since students try more than once."""
        switches = {key: value for one in candidates for key, value in one.switches.items()}
        for case, arguments in cases.items():
            key = (seed, case, *(one.name for one in candidates))
            if key not in self.mistaken:
                self.mistaken[key] = Result(self.reference, arguments, switches)
            yield self.mistaken[key]

    def diagnosis(self, cases: Inputs, got: list[Result], seed: int = 0) -> tuple[Misconception, ...]:
        """The misconception, or the pair, that gives the same as these results in every case; empty if none does.

        Exceptions in all cases are no evidence: they may have any cause, and say more themselves.
        """
        if all(result.error is not None for result in got):
            return ()
        for candidates in self.candidates():
            found = zip(got, self.with_mistakes(candidates, cases, seed), strict=True)
            if all(result.agrees(mistaken, self.tolerance) for result, mistaken in found):
                return candidates
        return ()

    def report(self, function: Callable, name: str, case: tuple, results: tuple, likely: tuple) -> None:
        """Raise WrongAnswer for the first wrong case: argument changed, likely cause, exception, or difference."""
        (title, arguments), (got, right) = case, results
        names = function.__code__.co_varnames if hasattr(function, "__code__") else ()
        if got.changed:
            reject(name, changed(names, arguments, got.changed[0]))
        if likely:
            also = f"\nAnd: {likely[1].says}" if len(likely) == 2 else ""
            message = f"Likely cause: {likely[0].says}{also}"
        elif got.error is not None:
            message = raised(function, got.error, dict(zip(names, arguments, strict=False)))
        elif not Result(function, arguments).agrees(got, self.tolerance):
            message = (
                "Called twice with the same inputs, your function gives two different results. Is something drawn at "
                "random? What does the task take instead?"
            )
        elif got.value is None and right.value is not None:
            message = "Nothing came back (None): is there a `return`, and is it reached?"
        else:
            message = ""
        found = where_it_differs(
            got.value, right.value, self.axes, max(self.tolerance, rounding(got.value)), self.parts
        )
        difference = found if not message or (likely and got.error is None) else None
        more = f"These inputs are `{self.name}.inputs({title!r})`."
        reject(name, message or "Not one of the usual mistakes.", f"tried with: {title}", difference, more)

    @cached_property
    def name(self) -> str:
        """The name of this check in its chapter's module."""
        modules = [module for name, module in list(sys.modules.items()) if name.startswith(f"{__package__}.")]
        return next((name for module in modules for name, value in vars(module).items() if value is self), "check")


def name_of(function: Any) -> str:
    """The name of a function in messages. Raises WrongAnswer if it is not callable."""
    name = getattr(function, "__name__", "your answer")
    if not callable(function):
        got = shape(function)
        reject(name, f"The check needs your function, and got {got}. Pass its name, without parentheses behind it.")
    return name
