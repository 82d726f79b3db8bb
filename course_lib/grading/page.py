"""A feedback page as a student reads it: whose points are whose, what a check said, Markdown and formulas as HTML."""

import re
from collections import Counter
from collections.abc import Iterable
from html import escape
from itertools import groupby

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath, MathBlockParser, MathInlineParser
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.utils import is_grade

from .gradebook import headings
from .report import plain

try:
    from math_core import LatexError, LatexToMathML
except ImportError:  # it comes with the extra `site`: without it, MathJax draws the formulas
    FORMULAS = None
else:
    FORMULAS = LatexToMathML()

PRIME = re.compile("<msup>(<mi>.</mi>)<mo>([′″‴])</mo></msup>")  # raised in the font already: as a superscript, a speck
TITLE = re.compile(r"^# +(.*?) *$", re.M)
MARKS = {"✓": "right", "✗": "wrong"}  # with which the card of a check begins


# ── The notebook ──────────────────────────────────────────────────────────────────────────────────────────────────────


def join_prints(notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
    """Prints that came in pieces as one output; hidden tests that were printed in pieces are then found in it."""
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        runs = groupby(cell.outputs, lambda output: output.output_type == "stream")
        cell.outputs = [one for prints, run in runs for one in ([joined(run)] if prints else run)]
    return notebook, resources


def joined(prints: Iterable[NotebookNode]) -> NotebookNode:
    """One output for several; of a line that was written over (a progress bar), what stood there last is left."""
    lines = "".join(output.text for output in prints).replace("\r\n", "\n").split("\n")
    return new_output("stream", text="\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


def lay_out(nb: NotebookNode, resources: dict, released: NotebookNode, by_hand: set) -> tuple[NotebookNode, dict]:
    """Note what the template has to know; `by_hand` names the exercises that a hand still has to grade."""
    ours, names = {cell.source for cell in released.cells}, headings(released)
    texts = (cell.source for cell in released.cells if cell.cell_type == "markdown")
    title = next(filter(None, map(TITLE.search, texts)), None)
    about = {"names": names, "several": Counter(names.values()), "left": 0.0, "mathjax": False}
    about["title"] = title[1] if title else resources["nbgrader"]["notebook"]
    about["reason"] = nb.cells.pop(0).source if nb.cells[0].get("id") == "not-graded" else ""
    for cell in nb.cells:
        cell.metadata.setdefault("nbgrader", NotebookNode())
        told = cell.metadata.page = NotebookNode(ours=cell.source in ours, open=False, intro=False)
        if is_grade(cell) and cell.metadata.nbgrader.grade_id in by_hand:
            told.open, about["left"] = True, about["left"] + cell.metadata.nbgrader.points
        raw = "" if cell.cell_type == "code" or (told.ours and FORMULAS) else cell.source
        about["mathjax"] |= f"{raw}{cell.metadata.nbgrader.get('comment')}".count("$") > 1
        if cell.cell_type == "code":
            cell.outputs = told_once(cell.outputs)
        elif title and told.ours and title[0] in cell.source:
            told.intro, cell.source = True, cell.source.replace(title[0], "", 1)
    return nb, resources | {"page": about}


def told_once(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs in which the cards of checks are marked; an error that says the same as a card above it is left out."""
    kept, said = [], []
    for output in outputs:
        text = output.get("data", {}).get("text/plain", "")
        if text.startswith(tuple(MARKS)):
            output.card = MARKS[text[0]]
            said.append(text[1:].strip().replace("`", ""))
        if output.output_type != "error" or output.evalue.strip().replace("`", "") not in said:
            kept.append(output)
    return kept


# ── Its texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class TypedText(IPythonRenderer):
    """nbconvert's renderer for what somebody typed: links lead into the net or nowhere.

    Formulas stay as they were typed: forty brackets that are never closed keep the converter busy for years.
    """

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to somewhere in the net; else its text alone."""
        return super().link(text, url, title) if url.startswith(("https://", "http://")) else text


class CourseText(TypedText):
    """The same for the course's own texts, with formulas as MathML where there is a converter that can do them."""

    def inline_math(self, body: str) -> str:
        """A formula in a line."""
        return drawn(body, block=False) or super().inline_math(body)

    def block_math(self, body: str) -> str:
        """A formula on a line of its own."""
        return drawn(body, block=True) or super().block_math(body)


def drawn(formula: str, block: bool) -> str:
    """A formula of ours as MathML; nothing where there is no converter, or none that can do it."""
    try:
        found = FORMULAS.convert_with_local_state(formula, displaystyle=block) if FORMULAS else ""
    except LatexError:
        return ""
    found = PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', found)
    return f'<span class="math{" block" if block else ""}">{found}</span>' if found else ""


def course_text(text: str) -> str:
    """A text of the release as HTML; it may hold HTML."""
    return MarkdownWithMath(CourseText(escape=False, exclude_anchor_links=True)).render(text)


def typed_text(text: str) -> str:
    """What a student or an instructor typed, as HTML: Markdown without HTML, in which < is <."""
    blocks, lines = MathBlockParser(), MathInlineParser(hard_wrap=False)
    blocks.rules.remove("raw_html")
    lines.rules.remove("auto_email")
    lines.specification["auto_link"] = r"<https?://[^<>\s]+>"
    return MarkdownWithMath(TypedText(escape=True, exclude_anchor_links=True), blocks, lines).render(text)


def card(text: str) -> str:
    """The words of a check as HTML: a line each, what stands between `…` as code, between $…$ in italics."""
    with_code = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))
    lines = re.sub(r"\$([^$<>\n]+)\$", r"<i>\1</i>", with_code).splitlines()
    return "".join(f"<div>{line}</div>" for line in lines)


FILTERS = {"ours": course_text, "typed": typed_text, "card": card, "plain": plain}
