"""The ledger in docs/ is the one that the longer run gives."""

from scripts import ledger


def test_the_ledger_is_what_the_longer_run_gives():
    """Rejects a number typed by hand, and a ledger that was forgotten after `make claims`."""
    assert ledger.PAGE.read_text(encoding="utf-8") == ledger.page()
