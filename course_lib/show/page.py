"""A view as a page of its own: one module out of our JavaScript files, and a frame that carries everything it needs.

The same renderer lives in three homes: in the notebook (anywidget), in an exported page (here), under Node's tests.
"""

import base64
import gzip
import html
import json
import re
from collections.abc import Collection

import numpy as np

from course_lib.show.theme import HERE, THEME, WORDS

STYLE_SHEET = (HERE / "style.css").read_text(encoding="utf-8")
CONSTANTS = 2  # lines of data before the code of a module: THEME and WORDS
FEW = 2000  # so many numbers can afford full precision
EXACT_IN_HALF = 8.0  # up to this size, a half-precision score changes a weight by less than 0.001


def module(*names: str) -> str:
    """One JavaScript module out of several of our files, in this order; what all views share comes first."""
    data = (("THEME", {name: THEME[name] for name in ("light", "dark", "diverging")}), ("WORDS", WORDS))
    constants = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data]
    return "\n".join([*constants, *(source(name) for name in ("common.js", "base.js", *names))])


def source(name: str) -> str:
    """One of our JavaScript files, without its imports from the others: in one module they are all there."""
    text = (HERE / name).read_text(encoding="utf-8")
    return re.sub(r'^import .* from "\./.*";\n', "", text, flags=re.MULTILINE)


def smaller(text: str) -> str:
    """JavaScript or CSS in one line without comments, for pages that carry it along.

    Every statement of ours ends in a semicolon or a brace, and no text of ours holds two slashes after a blank.
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (re.sub(r"(^|\s)//\s.*", "", line).strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)


def in_base64(value: object, is_numbers: bool) -> object:
    """A value as JSON can hold it: bytes in base64; many numbers with half precision, where that is enough."""
    if not isinstance(value, bytes):
        return value
    if not is_numbers:
        return {"bytes": base64.b64encode(value).decode()}
    numbers = np.frombuffer(value, "<f4")
    largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    halved = numbers.size > FEW and largest <= EXACT_IN_HALF
    kind, dtype = ("half", "<f2") if halved else ("single", "<f4")
    return {kind: base64.b64encode(numbers.astype(dtype).tobytes()).decode()}


def page(title: str, script: str, state: dict, numbers: Collection[str] = (), css: str = STYLE_SHEET) -> str:
    """A whole HTML page that needs nothing else: no network, no Python. Words are data in it, never markup."""
    data = json.dumps({name: in_base64(value, name in numbers) for name, value in state.items()}, ensure_ascii=False)
    data = data.replace("<", "\\u003c")  # so that no word can end the script
    here = {state["lang"]: WORDS[state["lang"]]}  # a page has one language
    script = script.replace(json.dumps(WORDS, ensure_ascii=False), json.dumps(here, ensure_ascii=False))
    return (
        f'<!doctype html><html lang="{state["lang"]}"><meta charset=utf-8><title>{html.escape(title)}</title>'
        f"<style>body{{margin:0}} {smaller(css)}</style>"
        f"<main id=view><h1 class=lesson-unseen>{html.escape(title)}</h1></main>"
        f"<script type=module>{smaller(script)} {smaller(source('page.js'))} showPage(render, {data});</script></html>"
    )


def picture_and_frame(png: bytes, text: str, document: str, title: str) -> str:
    """The picture, and after it the page in a frame; once it runs, the page hides the picture and sets its height."""
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return (
        f'<div><img alt="{html.escape(text)}" src="{source}">'
        f'<iframe title="{html.escape(title)}" style="width:100%;height:0;border:0" srcdoc=\'{packed_page(document)}\'>'
        "</iframe></div>"
    )


def packed_page(document: str) -> str:
    """A page that unpacks itself: a quarter of the bytes. Where a browser cannot do that, the picture stays."""
    data = base64.b64encode(gzip.compress(document.encode(), mtime=0)).decode()
    return (
        '<!doctype html><meta charset=utf-8><script type=module>const packed = Uint8Array.from(atob("'
        + data
        + '"), (letter) => letter.charCodeAt(0)); '
        'const page = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")); '
        "document.write(await new Response(page).text()); document.close();</script>"
    )
