"""What Jupyter Server does with notebooks under `make lab`; it can be put into any Jupyter's configuration folder.

A live view is drawn by what the running kernel holds. A file can only keep a reference to it, and tomorrow the notebook
itself, or a page exported from it, would say "model not found". So a file keeps what needs no kernel: the view's own
page in a frame, and its picture. The page that is open keeps its live view.

The released notebooks in exercises/ can be read and run, and lead to the student's own copy in work/.
"""

import json
import os
import re

import bleach
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

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


def without_live_views(model):
    """Take out of a notebook that is going to be saved what means something to its running kernel only."""
    if model.get("type") != "notebook" or not model.get("content"):
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


RELEASED = re.compile(r".*[/\\]exercises[/\\]([^/\\]+)[/\\]([^/\\]+\.ipynb)")
FIXED = {"editable": False, "deletable": False}
LEADS_TO = "**These are the course's exercises, to be read. Work in your own copy: [{0}](../../{0})**"
MAKES = "**The course's exercises, to be read.** For a copy of your own, to work in: `make work` in a terminal."


def own_copy_of(path):
    """Where the student's copy of a released notebook lies, from the course's folder; None for any other file."""
    found = RELEASED.fullmatch(path)
    if not found:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            released = "released" in json.load(file)["metadata"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return "work/{}/{}".format(*found.groups()) if released else None


class Contents(AsyncLargeFileManager):
    """Files as always, but nobody types an answer into exercises/, where the next release would overwrite it."""

    def is_writable(self, path):
        """Whether a file may be saved or deleted."""
        return super().is_writable(path) and own_copy_of(self._get_os_path(path)) is None

    async def _notebook_model(self, path, content=True, **about):
        """A notebook; a released one begins with the way to the student's copy, and its cells cannot be edited."""
        model = await super()._notebook_model(path, content=content, **about)
        os_path = self._get_os_path(path)
        own = content and own_copy_of(os_path)
        if own:
            there = os.path.exists(os.path.join(os.path.dirname(os_path), "..", "..", *own.split("/")))
            words = (LEADS_TO if there else MAKES).format(own)
            first = {"cell_type": "markdown", "id": "own-copy", "source": words, "metadata": {}}
            model["content"]["cells"].insert(0, first)
            for cell in model["content"]["cells"]:
                cell["metadata"].update(FIXED)
        return model

    async def save(self, model, path=""):
        """Save a file that may be saved. (As Jupyter's pre_save_hook, this would be announced with a warning.)"""
        own = own_copy_of(self._get_os_path(path.strip("/")))
        if own:
            raise HTTPError(403, f"The course's exercises stay as they are; your own copy is {own}")
        without_live_views(model)
        return await super().save(model, path)


c = get_config()  # Jupyter gives it to this file
c.ServerApp.contents_manager_class = Contents
c.HTMLExporter.filters = {"clean_html": clean_html}
