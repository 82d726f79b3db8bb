"""The content of a feedback page: points, checks, and Markdown and formulas as HTML."""

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
except ImportError:  # from the extra `site`; without it, MathJax draws the formulas
    FORMULAS = None
else:
    FORMULAS = LatexToMathML()

PRIME = re.compile("<msup>(<mi>.</mi>)<mo>([′″‴])</mo></msup>")  # these glyphs are already raised
TITLE = re.compile(r"^# +(.*?) *$", re.M)
MARKS = {"✓": "right", "✗": "wrong"}  # the first character of a check's message


# ── The notebook ──────────────────────────────────────────────────────────────────────────────────────────────────────


def join_prints(notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
    """Join consecutive stream outputs, so that hidden tests printed in pieces are found."""
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        runs = groupby(cell.outputs, lambda output: output.output_type == "stream")
        cell.outputs = [one for prints, run in runs for one in ([joined(run)] if prints else run)]
    return notebook, resources


def joined(prints: Iterable[NotebookNode]) -> NotebookNode:
    """One output for several; of an overwritten line (a progress bar), only the last version is kept."""
    lines = "".join(output.text for output in prints).replace("\r\n", "\n").split("\n")
    return new_output("stream", text="\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


def lay_out(nb: NotebookNode, resources: dict, released: NotebookNode, by_hand: set) -> tuple[NotebookNode, dict]:
    """Add what the template needs; `by_hand` names the exercises still to be graded by hand."""
    ours, names = {cell.source for cell in released.cells}, headings(released)
    texts = (cell.source for cell in released.cells if cell.cell_type == "markdown")
    title = next(filter(None, map(TITLE.search, texts)), None)
    about = {"names": names, "several": Counter(names.values()), "left": 0.0, "mathjax": False}
    about["title"] = title[1] if title else resources["nbgrader"]["notebook"]
    about["reason"] = nb.cells.pop(0).source if nb.cells[0].get("id") == "not-graded" else ""
    for cell in nb.cells:
        cell.metadata.setdefault("nbgrader", NotebookNode())
        layout = cell.metadata.page = NotebookNode(ours=cell.source in ours, open=False, intro=False)
        if is_grade(cell) and cell.metadata.nbgrader.grade_id in by_hand:
            layout.open, about["left"] = True, about["left"] + cell.metadata.nbgrader.points
        raw = "" if cell.cell_type == "code" or (layout.ours and FORMULAS) else cell.source
        about["mathjax"] |= f"{raw}{cell.metadata.nbgrader.get('comment')}".count("$") > 1
        if cell.cell_type == "code":
            cell.outputs = without_repeats(cell.outputs)
        elif title and layout.ours and title[0] in cell.source:
            layout.intro, cell.source = True, cell.source.replace(title[0], "", 1)
    return nb, resources | {"page": about}


def without_repeats(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Mark the messages of checks, and drop errors that repeat a message above them."""
    kept, messages = [], []
    for output in outputs:
        text = output.get("data", {}).get("text/plain", "")
        if text.startswith(tuple(MARKS)):
            output.card = MARKS[text[0]]
            messages.append(text[1:].strip().replace("`", ""))
        if output.output_type != "error" or output.evalue.strip().replace("`", "") not in messages:
            kept.append(output)
    return kept


# ── Its texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class TypedText(IPythonRenderer):
    """nbconvert's renderer for typed text: only links with http or https stay links.

    Formulas are not converted, since forty unclosed brackets keep the converter busy for years.
    """

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link with http or https; else its text alone."""
        return super().link(text, url, title) if url.startswith(("https://", "http://")) else text


class CourseText(TypedText):
    """The renderer of the course's own texts, with formulas as MathML if the converter is installed."""

    def inline_math(self, body: str) -> str:
        """An inline formula."""
        return to_mathml(body, block=False) or super().inline_math(body)

    def block_math(self, body: str) -> str:
        """A display formula."""
        return to_mathml(body, block=True) or super().block_math(body)


def to_mathml(formula: str, block: bool) -> str:
    """A formula of the course as MathML; "" if it cannot be converted."""
    try:
        found = FORMULAS.convert_with_local_state(formula, displaystyle=block) if FORMULAS else ""
    except LatexError:
        return ""
    found = PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', found)
    return f'<span class="math{" block" if block else ""}">{found}</span>' if found else ""


def course_text(text: str) -> str:
    """A text of the release as HTML; it may contain HTML."""
    return MarkdownWithMath(CourseText(escape=False, exclude_anchor_links=True)).render(text)


def typed_text(text: str) -> str:
    """Text of a student or an instructor as HTML: Markdown in which HTML is shown literally."""
    blocks, lines = MathBlockParser(), MathInlineParser(hard_wrap=False)
    blocks.rules.remove("raw_html")
    lines.rules.remove("auto_email")
    lines.specification["auto_link"] = r"<https?://[^<>\s]+>"
    return MarkdownWithMath(TypedText(escape=True, exclude_anchor_links=True), blocks, lines).render(text)


def card(text: str) -> str:
    """The message of a check as HTML, with `…` as code and $…$ in italics."""
    with_code = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))
    lines = re.sub(r"\$([^$<>\n]+)\$", r"<i>\1</i>", with_code).splitlines()
    return "".join(f"<div>{line}</div>" for line in lines)


FILTERS = {"ours": course_text, "typed": typed_text, "card": card, "plain": plain}
