"""A check of a loss: its value must be right, and a gradient must flow from it."""

from collections.abc import Callable

from torch import Tensor

from .engine import Check, Inputs, Result


class LossCheck(Check):
    """A check of a loss. Where its values are right, it must also carry a gradient.

    The gradient starts at the first argument if that is a tensor, else at whatever the cases provide.
    """

    def objection(self, function: Callable, cases: Inputs, got: list[Result]) -> str:
        """The message for a loss without a gradient."""
        first, *others = next(iter(cases.values()))
        if isinstance(first, Tensor):
            first = first.clone().requires_grad_()
        again = Result(function, (first, *others))
        if again.error is not None or getattr(again.value, "requires_grad", False):
            return ""
        return (
            "The value is right, but it carries no gradient, so a model cannot learn from it. Which of your lines "
            "leaves the computation graph: `.item()`, `.detach()`, `float()`, a new tensor?"
        )
