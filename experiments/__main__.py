"""Train the models of every claim at every seed and write what was measured: `make claims [ONLY=04 | ONLY=dates]`."""

import itertools
import json
import platform
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from course_lib.measure import load_results
from course_lib.training import one_thread

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/claims.md"
SEEDS = range(5)
HEAD = """# The claims table

Introductions to attention repeat the same statements. The course measures them. Each number below is the mean of five
seeds, with the lowest and the highest in brackets. `make claims` trains the models and writes this table. The chapter
describes how the claim was measured, plots it, and asserts the finding. Exact match is measured with greedy,
free-running decoding. Attention accuracy is the share of queries whose largest weight lies on a gold key; in
translation it is measured with teacher forcing.

| id | the claim, as texts make it | chapter | finding | measured |
|---|---|---|---|---|
"""
TAIL = """
The missing numbers belong to chapters that are not written yet.

Made with {made_with}.
"""


def chapters() -> dict[str, ModuleType]:
    """The modules of all chapters by number: {"01": …, "02a": …}."""
    names = sorted(path.stem for path in HERE.glob("chapter_*.py"))
    return {name.removeprefix("chapter_"): import_module(f"experiments.{name}") for name in names}


def page() -> str:
    """The claims table, computed from the results of all chapters."""
    claims = [(*claim, chapter) for chapter, module in chapters().items() for claim in module.CLAIMS]
    lines = [
        f"| {number} | {claim} | {chapter} | {finding} | {measured()} |"
        for number, claim, finding, measured, chapter in sorted(claims, key=lambda claim: claim[0])
    ]
    made_with = ", ".join(f"{name} {value}" for name, value in load_results("length").made_with.items())
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(made_with=made_with)


def train(chapter: str, name: str, module: ModuleType) -> None:
    """Run one experiment at every seed and write its rows into the file of the chapter."""
    run, settings = module.EXPERIMENTS[name]
    began = time.process_time()
    with one_thread():
        rows = list(itertools.chain.from_iterable(map(run, SEEDS)))
    versions = {package: version(package) for package in ("torch", "numpy")}
    made_with = {"python": platform.python_version(), **versions, "processor": platform.machine()}
    file = HERE / f"chapter_{chapter}.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    found[name] = {"settings": settings, "rows": rows, "made_with": made_with}
    found = {name: found[name] for name in module.EXPERIMENTS if name in found}
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{name}: {len(rows)} rows, {time.process_time() - began:.0f} CPU seconds", flush=True)


def main(only: str) -> None:
    """Train all experiments, those of one chapter or the one of this name; then write the claims table."""
    known = [(chapter, name, module) for chapter, module in chapters().items() for name in module.EXPERIMENTS]
    chosen = [(chapter, name, module) for chapter, name, module in known if only in ("", chapter, name)]
    if not chosen:
        names = ", ".join(dict.fromkeys([chapter for chapter, *_ in known] + [name for _, name, _ in known]))
        sys.exit(f"ONLY must be one of {names}; got {only!r}")
    for experiment in chosen:
        train(*experiment)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
