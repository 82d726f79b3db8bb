"""What `make claims` measured: each model at several seeds, with the versions that made it. Chapters show it as bands.

A chapter has a minute and trains one seed; the longer run trains every seed. The numbers live in one file,
`results.json`, written by scripts/claims.py and never by hand.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

MEND = "take the file from the repository again, or make it with `make claims`"


@dataclass(frozen=True)
class Results:
    """One experiment: its settings, one row for each model and seed, and what it was made with."""

    name: str
    settings: dict
    rows: tuple[dict, ...]
    made_with: dict

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were trained, in the order of training."""
        return tuple(dict.fromkeys(row["model"] for row in self.rows))

    def values(self, model: str, figure: str) -> list:
        """One figure of one model, a value for each seed. Raises: KeyError naming what there is."""
        rows = [row for row in self.rows if row["model"] == model]
        if not rows or figure not in rows[0]:
            figures = sorted({key for row in rows or self.rows for key in row})
            raise KeyError(f"{self.name}: no {figure!r} of {model!r}; models: {self.models}; figures: {figures}")
        return [row[figure] for row in rows]

    def range(self, model: str, figure: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """A figure that is a table, such as accuracy by length: its labels, and lowest, mean and highest over seeds."""
        tables = self.values(model, figure)
        matrix = np.array([list(table.values()) for table in tables], dtype=float)
        return list(tables[0]), matrix.min(axis=0), matrix.mean(axis=0), matrix.max(axis=0)

    def ranges(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> dict[str, tuple]:
        """A table's labels, lowest and highest for several models, as `show.curves` takes them; a mapping renames."""
        return {name: (labels, low, high) for name, (labels, low, _, high) in self._tables(figure, models)}

    def means(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> dict[str, tuple]:
        """A table's labels and means over seeds for several models: the lines in the bands."""
        return {name: (labels, mean) for name, (labels, _, mean, _) in self._tables(figure, models)}

    def _tables(self, figure: str, models: Sequence[str] | Mapping[str, str]) -> list[tuple[str, tuple]]:
        shown = models if isinstance(models, Mapping) else {model: model for model in models}
        return [(name, self.range(model, figure)) for name, model in shown.items()]

    def __repr__(self) -> str:
        seeds = len({row["seed"] for row in self.rows})
        versions = ", ".join(f"{name} {value}" for name, value in self.made_with.items())
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return f"longer run “{self.name}”: {len(self.models)} models × {seeds} seeds ({versions}); {settings}"


def load_results(name: str) -> Results:
    """Read one experiment of the longer run.

    Raises: ValueError if there is no such experiment, or the file is damaged; FileNotFoundError if it is missing.
    """
    path = files("course_lib.data") / "results.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        experiments = {key: Results(key, **value | {"rows": tuple(value["rows"])}) for key, value in found.items()}
    except FileNotFoundError:
        raise FileNotFoundError(f"the longer runs are missing (results.json): {MEND}") from None
    except (json.JSONDecodeError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"the longer runs are damaged (results.json): {MEND}") from error
    if name not in experiments:
        raise ValueError(f"no longer run {name!r}: expected one of {', '.join(experiments)}")
    return experiments[name]
