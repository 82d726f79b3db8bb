"""How Sphinx builds the site from the course's own folder: README.md, the chapters, the exercises, the documents.

Chapters keep their outputs; pictures get their text alternatives; a link to a folder leads to the notebook in it.
"""

import base64
import html
import json
import re
import shutil
from pathlib import Path

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging

HOME = Path(__file__).resolve().parents[2]
PARTS = {  # of the sidebar
    "Chapters": "notebooks/*",
    "Exercises": "exercises/*/*",
    "About the course": "docs/*",
    "Terms": "course_lib/data/NOTICE\nLICENSE-texts",
}

project = html_title = "Attention"
language = "en"
author = "The authors of the course on attention"
root_doc = "README"
include_patterns = ["README.md", "notebooks/*.ipynb", "exercises/*/*.ipynb", "docs/*.md", "LICENSE-texts.md"]
include_patterns += ["course_lib/data/NOTICE.md"]
exclude_patterns = ["**/.*", "build", "site", "work", "grading*", "tests", "solutions"]

extensions = ["myst_nb"]
highlight_language = "none"  # of blocks that do not name a language
nb_execution_mode = "off"  # the outputs are those that are committed
nb_ipywidgets_js = {}  # the views bring their own page: no widget manager from a CDN
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_update_mathjax = False
html_math_renderer = "mathml"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["math.css", "course.css"]
html_copy_source = False
html_show_search_summary = False  # a page from disk may not read the others
html_show_copyright = False
html_use_index = False
html_domain_indices = False

FORMULAS = LatexToMathML()
PRIME = re.compile("<msup>(<mi>.</mi>)<mo>([′″‴])</mo></msup>")  # raised in the font already: as a superscript, a speck


def mathml(node, block):
    """Return a formula as MathML; one that cannot be converted is a warning, and so an error."""
    try:
        formula = FORMULAS.convert_with_local_state(node.astext(), displaystyle=block)
    except LatexError as error:
        logging.getLogger(__name__).warning("formula %r: %s", node.astext(), error, location=node)
        return ""
    return PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', formula)


def inline_formula(translator, node):
    """Render a formula in a line."""
    translator.body.append(f'<span class="math">{mathml(node, block=False)}</span>')
    raise nodes.SkipNode


def block_formula(translator, node):
    """Render a formula on a line of its own, which scrolls where it is too wide."""
    translator.body.append(f'<div class="math">{mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def picture(output):
    """Return the HTML of a still picture, with its text alternative."""
    about = output["metadata"].get("image/png", {})
    size = "".join(f' {side}="{about[side]}"' for side in ("width", "height") if side in about)
    alt = html.escape(about.get("alt") or "".join(output["data"]["text/plain"]))
    return f'<img alt="{alt}"{size} src="data:image/png;base64,{"".join(output["data"]["image/png"]).strip()}">'


def prepare(app, docname, source):
    """Add the sidebar to the front page; let each output of a notebook be a view's frame, a picture, or else text."""
    if docname == root_doc:
        text = re.sub(r"\(exercises/(\w+)\)", r"(exercises/\1/\1.ipynb)", source[0])
        parts = (f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {name}\n\n{files}\n```" for name, files in PARTS.items())
        source[0] = "\n\n".join([text, *parts])
    elif app.env.doc2path(docname).suffix == ".ipynb":
        notebook = json.loads(source[0])
        for output in (output for cell in notebook["cells"] for output in cell.get("outputs", [])):
            data = output.get("data", {})
            if "text/html" in data or "image/png" in data:
                output["data"] = {"text/html": data.get("text/html") or picture(output)}
        source[0] = json.dumps(notebook)


def finish(app, error):
    """Copy the front page to index.html; write the font into a style sheet, since a page from disk can read no file."""
    if not error:
        font = base64.b64encode((HOME / "scripts/site_settings/LessonMath.woff").read_bytes()).decode()
        rule = f'@font-face {{ font-family: "Lesson Math"; src: url("data:font/woff;base64,{font}") format("woff"); }}'
        (app.outdir / "_static" / "math.css").write_text(rule + "\n")
        shutil.copy(app.outdir / "README.html", app.outdir / "index.html")


def setup(app):
    """Connect the functions above to Sphinx."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    app.connect("source-read", prepare)
    app.connect("build-finished", finish)
