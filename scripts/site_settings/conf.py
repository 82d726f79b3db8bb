"""How Sphinx builds the site; scripts/website.py lays the pages out, and puts this file beside them."""

import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging

project = html_title = "Attention"
language = "en"
author = "The authors of the course on attention"

extensions = ["myst_nb"]
highlight_language = "none"  # of blocks that do not say what they are
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
    """A formula as MathML, which browsers draw themselves; what cannot be converted is a warning, and so an error."""
    try:
        formula = FORMULAS.convert_with_local_state(node.astext(), displaystyle=block)
    except LatexError as error:
        logging.getLogger(__name__).warning("formula %r: %s", node.astext(), error, location=node)
        return ""
    return PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', formula)


def inline_formula(translator, node):
    """Sphinx's renderer of a formula in a line."""
    translator.body.append(f'<span class="math">{mathml(node, block=False)}</span>')
    raise nodes.SkipNode


def block_formula(translator, node):
    """Sphinx's renderer of a formula on a line of its own, which scrolls where it is too wide."""
    translator.body.append(f'<div class="math">{mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
