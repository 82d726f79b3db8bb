"""Figures of the longer run in the words of the ledger."""

from course_lib.data.longer_runs import longer_run
from course_lib.measure import Spread, spread


def figure(run: str, model: str, name: str) -> Spread:
    """One figure of one model, over seeds."""
    return spread(longer_run(run).values(model, name))


def short(found: Spread) -> str:
    """As the ledger shows it."""
    return f"{found.mean:.2f} [{found.low:.2f}, {found.high:.2f}]"
