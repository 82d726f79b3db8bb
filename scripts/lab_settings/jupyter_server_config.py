"""Jupyter's settings for the course; `make lab` names this folder in JUPYTER_CONFIG_PATH."""

import json
from pathlib import Path

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

SETTINGS = Path(__file__).parent
COURSE = SETTINGS.parents[1]
VIEW = "application/vnd.jupyter.widget-view+json"
IN_FILE = {  # the metadata of a committed notebook, and what JupyterLab makes of it as soon as the kernel has started
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
IN_LAB = {
    "kernelspec": {**IN_FILE["kernelspec"], "display_name": "Python 3 (ipykernel)"},
    "language_info": IPythonKernel.language_info,
}
TOC = "@jupyterlab/toc:plugin"
LAYOUT = {
    "left": {"collapsed": False, "visible": True, "current": TOC, "widgets": ["filebrowser", TOC]},
    "relativeSizes": [0.2, 0.8, 0],
}


class Contents(AsyncLargeFileManager):
    """Ordinary files; what merely opening a notebook would change in it is undone."""

    async def get(self, path, content=True, **options):
        """Read a file; JupyterLab finds the metadata that it would write itself, so that the tab stays clean."""
        model = await super().get(path, content=content, **options)
        if content and model["type"] == "notebook" and model["content"]["metadata"].items() >= IN_FILE.items():
            model["content"]["metadata"].update(IN_LAB)
        return model

    async def save(self, model, path=""):
        """Write a file; a notebook keeps no widget state, which is lost with the kernel."""
        if model.get("type") == "notebook" and model.get("content"):
            clean(model["content"])
        return await super().save(model, path)


def clean(notebook):
    """Remove widget state and references to live views that also leave a picture; restore the committed metadata."""
    metadata = notebook["metadata"]
    metadata.pop("widgets", None)
    if metadata.get("kernelspec", {}).get("name") == "python3":
        metadata.update(IN_FILE)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if {"text/html", "image/png"} & output.get("data", {}).keys():
                output["data"].pop(VIEW, None)
                output["metadata"].pop(VIEW, None)


c = get_config()
c.ServerApp.contents_manager_class = Contents
c.ServerApp.root_dir = str(COURSE)
c.LabApp.app_settings_dir = str(SETTINGS)
chapters = sorted(COURSE.glob("notebooks/[0-9]*.ipynb"))
c.LabApp.default_url = "/lab" + "".join(f"/tree/notebooks/{chapter.name}" for chapter in chapters[:1])
c.LabApp.workspaces_dir = str(COURSE / ".jupyter")  # the reader's layouts; the first one shows the table of contents
first_layout = COURSE / ".jupyter" / "default-37a8.jupyterlab-workspace"
if not first_layout.exists():
    first_layout.parent.mkdir(exist_ok=True)
    first_layout.write_text(json.dumps({"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "default"}}))
