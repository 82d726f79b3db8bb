"""What Jupyter Server does with notebooks under `make lab`; it can be put into any Jupyter's configuration folder.

A live view is drawn by what the running kernel holds. A file can only keep a reference to it, and tomorrow the notebook
itself, or a page exported from it, would say "model not found". So a file keeps what needs no kernel: the view's own
page in a frame, and its picture. The page that is open keeps its live view.
"""

import re

import bleach

VIEW = "application/vnd.jupyter.widget-view+json"
LASTING = {"text/html", "image/png"}
TAGS = {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "kbd", "sub", "sup", "del", "details", "summary"}
TAGS |= {*bleach.ALLOWED_TAGS, "div", "span", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "img"}
ATTRIBUTES = {
    "*": ["class", "id"],
    "a": lambda tag, name, value: name == "title" or (name == "href" and not value.startswith("data:")),
    "img": ["alt", "src", "width", "height"],
}
FRAME = re.compile(r"""<iframe title="([^"<>]*)" style="[^"]*" srcdoc='([^']*)'></iframe>""")
APART = """<iframe sandbox="allow-scripts" title="{}" style="{}" srcdoc='{}'></iframe>"""
MARK = "\ufffc{}\ufffc"  # stands for a frame while everything around it is cleaned
PICTURE_AND_MARK = re.compile(r'<div><img ((?:[^>"]|"[^"]*")*>' + MARK.format(r"\d+") + "</div>)")
COVERING = "grid-area:1/1;width:100%;height:100%;min-height:34em;border:0"


def without_live_views(model, **about):
    """Take out of a notebook that is going to be saved what means something to its running kernel only."""
    if model["type"] != "notebook" or not model.get("content"):
        return
    model["content"]["metadata"].pop("widgets", None)
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            if LASTING & output.get("data", {}).keys():
                output["data"].pop(VIEW, None)
                output["metadata"].pop(VIEW, None)


def clean_html(element):
    """HTML for an exported page that JupyterLab was asked to sanitize, as its dialog proposes.

    nbconvert's own function shows headings, pictures and frames as their source. Here headings and pictures stay, and
    a view stays in its frame, in a sandbox: nothing outside of it can run scripts, and it does not reach the page.
    There it cannot say how high it is, nor hide the picture before it: so it gets a height, and covers the picture.
    """
    frames = []

    def mark(frame):
        frames.append(frame)
        return MARK.format(len(frames) - 1)

    text = element.decode() if isinstance(element, bytes) else str(element)
    protocols = {*bleach.ALLOWED_PROTOCOLS, "data"}
    cleaned = bleach.clean(FRAME.sub(mark, text), tags=TAGS, attributes=ATTRIBUTES, protocols=protocols)
    cleaned = PICTURE_AND_MARK.sub(r'<div style="display:grid"><img style="grid-area:1/1" \1', cleaned)
    for number, frame in enumerate(frames):
        title, page = frame.groups()
        cleaned = cleaned.replace(MARK.format(number), APART.format(title, COVERING, page))
    return cleaned


c = get_config()  # Jupyter gives it to this file
c.FileContentsManager.pre_save_hook = without_live_views
c.HTMLExporter.filters = {"clean_html": clean_html}
