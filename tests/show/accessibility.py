"""axe-core in a page: what a reader with a keyboard or a screen reader could not use, as far as a program can tell."""

from functools import cache
from importlib.resources import files


@cache
def axe():
    """The program of axe-core, as the package axe-playwright-python brings it."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


# Animations that never end, such as those of JupyterLab itself, are not waited for.
AT_REST = """(part) => [...document.querySelectorAll(part)].every((node) => node.getAnimations({ subtree: true })
  .every((one) => one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity))"""


def violations(page, selector="html"):
    """What axe-core finds wrong in this part of the page, of whatever impact: a line for each place."""
    if page.evaluate("window.axe === undefined"):
        page.evaluate(axe())
    page.wait_for_function(AT_REST, arg=selector)  # what appears is pale at first
    found = page.evaluate("(part) => axe.run(part, { resultTypes: ['violations'] })", selector)["violations"]
    nodes = ((one, node["html"]) for one in found for node in one["nodes"])
    return [f"{one['id']} ({one['impact']}): {one['help']}: {html[:200]}" for one, html in nodes]
