"""Train every model of the claims ledger at every seed and write what was measured: `make claims [ONLY=dates]`.

Each experiment is a function of a seed that returns one row per model. The chapters show these rows as bands, and
tests/test_claims.py runs a sample of them again.
"""

import itertools
import json
import platform
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from course_lib.training import one_thread
from scripts import ledger
from scripts.experiments import chapter_03, chapter_04, chapter_05, chapter_06, chapter_07, chapters_01_02

FILE = Path(__file__).parent.parent / "course_lib/data/results.json"
SEEDS = range(5)
EXPERIMENTS = {
    **chapters_01_02.EXPERIMENTS,
    **chapter_03.EXPERIMENTS,
    **chapter_04.EXPERIMENTS,
    **chapter_05.EXPERIMENTS,
    **chapter_06.EXPERIMENTS,
    **chapter_07.EXPERIMENTS,
}


def made_with() -> dict:
    """The versions that the numbers depend on, and the kind of processor."""
    versions = {name: version(name) for name in ("torch", "numpy")}
    return {"python": platform.python_version(), **versions, "processor": platform.machine()}


def main(names: Sequence[str]) -> None:
    """Run the named experiments, or all, and write each into the file as soon as it is complete."""
    for name in names or EXPERIMENTS:
        run, settings = EXPERIMENTS[name]
        began = time.process_time()
        with one_thread():
            rows = list(itertools.chain.from_iterable(map(run, SEEDS)))
        found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        found[name] = {"settings": settings, "rows": rows, "made_with": made_with()}
        found = {name: found[name] for name in EXPERIMENTS if name in found}
        FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{name}: {len(rows)} rows, {time.process_time() - began:.0f} CPU seconds", flush=True)
        for row in rows:
            print("  ", row)
    ledger.PAGE.write_text(ledger.page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
