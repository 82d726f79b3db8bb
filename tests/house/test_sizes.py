"""The mathematics stays small enough to read in one sitting."""

from .files import library, line_count


def test_attention_stays_below_a_thousand_lines():
    assert sum(line_count(source) for path, source in library().items() if path.startswith("attention/")) < 1000
