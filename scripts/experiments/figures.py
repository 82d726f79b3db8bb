"""Figures of the longer run in the words of the ledger."""

from course_lib.data.results import load_results
from course_lib.measure import Summary, summarise


def figure(run: str, model: str, name: str) -> Summary:
    """One figure of one model, over seeds."""
    return summarise(load_results(run).values(model, name))


def short(found: Summary) -> str:
    """As the ledger shows it."""
    return f"{found.mean:.2f} [{found.low:.2f}, {found.high:.2f}]"
