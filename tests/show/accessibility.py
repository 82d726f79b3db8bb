"""axe-core in a page: what a reader with a keyboard or a screen reader could not use, as far as a program can tell."""

from functools import cache
from importlib.resources import files

GRAVE = ("serious", "critical")


@cache
def axe():
    """The program of axe-core, as the package axe-playwright-python brings it."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page, selector="html", impacts=GRAVE):
    """What axe-core finds wrong in this part of the page, with one of these impacts: a line for each place."""
    page.evaluate(axe())
    found = page.evaluate("(part) => axe.run(part, { resultTypes: ['violations'] })", selector)["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in impacts
        for node in one["nodes"]
    ]
