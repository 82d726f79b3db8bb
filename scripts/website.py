"""`make site`: the whole course as static pages in site/, which can be read from disk without a network.

Sphinx and MyST-NB build them (site_settings/conf.py); here the pages are laid out for it: the README becomes the front
page, chapters keep their outputs, pictures get their text alternatives, and every local link leads to a page.
"""

import base64
import html
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path, PurePosixPath

import nbformat

HOME = Path(__file__).resolve().parent.parent
SITE = HOME / "site"
SETTINGS = HOME / "scripts" / "site_settings"
FRONT = "README.md"
PARTS = {  # of the sidebar
    "Chapters": ("notebooks/[0-9][0-9]_*.ipynb",),
    "Exercises": ("exercises/[0-9][0-9]_*/*.ipynb",),
    "About the course": ("docs/claims.md", "docs/benchmarks.md", "docs/instructors.md", "docs/authors.md"),
    "Terms": ("course_lib/data/NOTICE.md", "LICENSE-texts.md"),
}
LINK = re.compile(r"(\[[^\]]*\])\(([^)\s#]+)(#[^)\s]*)?\)")


# ── What a page shows ─────────────────────────────────────────────────────────────────────────────────────────────────


def picture(output):
    """The still picture of an output as HTML, with its text alternative."""
    about = output.metadata.get("image/png", {})
    words = about.get("alt") or output.data.get("text/plain", "")
    size = "".join(f' {side}="{about[side]}"' for side in ("width", "height") if side in about)
    return f'<img alt="{html.escape(words)}"{size} src="data:image/png;base64,{output.data["image/png"].strip()}">'


def for_page(notebook):
    """Change the notebook's outputs to what a page shows of them: a view's frame, a picture, or else text."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data and "text/html" not in data:
                data["text/html"] = picture(output)
            if "text/html" in data:
                output.data = nbformat.from_dict({"text/html": data["text/html"]})
    return notebook


# ── Where the links of a page lead ────────────────────────────────────────────────────────────────────────────────────


def page_of(target):
    """The page, as a path from the project's folder, that shows a file or a folder; None if there is none."""
    if target == FRONT:
        return "index.md"
    if target.endswith(".py"):
        return f"{target}.md"
    if (HOME / target).is_dir():
        inside = sorted((HOME / target).glob("*.ipynb"))
        return inside[0].relative_to(HOME).as_posix() if len(inside) == 1 else None
    return target


def redirect(markdown, name, needed):
    """The text of the page `name` with links to the site's pages; a folder without a page leaves only its words.

    The files that the page links to are added to `needed`.
    """
    folder = PurePosixPath(name).parent

    def follow(match):
        words, address, anchor = match.groups()
        if re.match(r"[a-z]+:", address):
            return match.group()
        target = os.path.normpath(folder / address).replace(os.sep, "/")
        page = page_of(target)
        if page is None:
            return words[1:-1]
        needed.add(target)
        return f"{words}({os.path.relpath(page, folder).replace(os.sep, '/')}{anchor or ''})"

    return LINK.sub(follow, markdown)


# ── Laying the pages out ──────────────────────────────────────────────────────────────────────────────────────────────


def parts():
    """{part of the sidebar: its files, as paths from the project's folder}."""
    found = {
        name: [path for pattern in patterns for path in sorted(HOME.glob(pattern))] for name, patterns in PARTS.items()
    }
    return {name: [path.relative_to(HOME).as_posix() for path in paths] for name, paths in found.items()}


def contents():
    """The tables of contents that Sphinx makes the sidebar of."""
    for name, files in parts().items():
        pages = "\n".join(file.rpartition(".")[0] for file in files)
        yield f"```{{toctree}}\n:hidden:\n:caption: {name}\n\n{pages}\n```\n"


def lay_out(folder):
    """Write all that Sphinx needs into an empty folder."""
    shutil.copytree(SETTINGS, folder, dirs_exist_ok=True)
    write(folder / "_static" / "math.css", font_rule(SETTINGS / "LessonMath.woff"))
    needed = set()
    front = redirect((HOME / FRONT).read_text(encoding="utf-8"), "index.md", needed)
    write(folder / "index.md", "\n\n".join([front, *contents()]))
    done = {FRONT, *(file for files in parts().values() for file in files)}
    for name in sorted(done - {FRONT}):
        lay_out_page(name, folder, needed)
    for name in sorted(needed - done):
        if (HOME / name).is_file():
            lay_out_file(name, folder)


def lay_out_page(name, folder, needed):
    """Write a notebook or a text as a page."""
    if not name.endswith(".ipynb"):
        write(folder / name, redirect((HOME / name).read_text(encoding="utf-8"), name, needed))
        return
    notebook = for_page(nbformat.read(HOME / name, as_version=4))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = redirect(cell.source, name, needed)
    write(folder / name, nbformat.writes(notebook))


def lay_out_file(name, folder):
    """Write a file that some page links to: Python as a page of its own, anything else as it is."""
    if name.endswith(".py"):
        source = (HOME / name).read_text(encoding="utf-8")
        write(folder / f"{name}.md", f"---\norphan: true\n---\n# `{name}`\n\n``````python\n{source}``````\n")
    else:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / name, folder / name)


def font_rule(path):
    """The font of the formulas inside a style sheet: browsers do not let a page from disk fetch one."""
    font = base64.b64encode(path.read_bytes()).decode()
    return f'@font-face {{ font-family: "Lesson Math"; src: url("data:font/woff;base64,{font}") format("woff"); }}\n'


def write(path, text):
    """Write a text, and make its folder where necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(target=SITE):
    """Build the site into a folder, in the place of what was there; warnings are errors, and leave it as it was."""
    from sphinx.cmd.build import main as sphinx

    target = Path(target)
    with tempfile.TemporaryDirectory() as workshop:
        source, pages, memory = (Path(workshop, name) for name in ("source", "pages", "memory"))
        lay_out(source)
        status = sphinx(["-q", "-W", "--keep-going", "-d", str(memory), str(source), str(pages)])
        if status == 0:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(pages, target)
            print(f"Open {os.path.relpath(target / 'index.html')} in a browser")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
