"""Views as pages of their own: one module out of our JavaScript files, and a frame that carries all it needs."""

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
DECIMALS = 4  # of numbers in a page; of numbers below 1, relative to the largest


def module(*names: str) -> str:
    """One JavaScript module out of several of our files, in this order; what all views share comes first."""
    data = (("THEME", {name: THEME[name] for name in ("light", "dark", "diverging")}), ("WORDS", WORDS))
    constants = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data]
    return "\n".join([*constants, *(source(name) for name in ("common.js", "base.js", *names))])


def source(name: str) -> str:
    """One of our JavaScript files without its imports from the others, which one module does not need."""
    text = (HERE / name).read_text(encoding="utf-8")
    return re.sub(r'^import .* from "\./.*";\n', "", text, flags=re.MULTILINE)


def smaller(text: str) -> str:
    """JavaScript or CSS in one line without comments.

    Every statement of ours ends in a semicolon or a brace, and no string of ours holds two slashes after a blank.
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (re.sub(r"(^|\s)//\s.*", "", line).strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)


def in_javascript(value: object, is_numbers: bool) -> object:
    """A trait as a page holds it: the bytes of 32-bit numbers as rounded numbers, other bytes in base64."""
    if not isinstance(value, bytes):
        return value
    if not is_numbers:
        return {"bytes": base64.b64encode(value).decode()}
    numbers = np.frombuffer(value, "<f4").astype(float)
    largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0) or 1.0
    return np.round(numbers, max(DECIMALS, DECIMALS - int(np.floor(np.log10(largest))))).tolist()


def page(title: str, script: str, state: dict, numbers: Collection[str] = (), css: str = STYLE_SHEET) -> str:
    """A whole HTML page that needs no network and no Python. Words are data in it, never markup."""
    values = {name: in_javascript(value, name in numbers) for name, value in state.items()}
    data = json.dumps(values, ensure_ascii=False, separators=(",", ":"))  # NaN and Infinity are JavaScript
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
    """A picture, and after it a page in a frame; once it runs, the page hides the picture and sets its height."""
    image = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return (
        f'<div><img alt="{html.escape(text)}" src="{image}">'
        f'<iframe title="{html.escape(title)}" style="width:100%;height:0;border:0" srcdoc=\'{packed_page(document)}\'>'
        "</iframe></div>"
    )


def packed_page(document: str) -> str:
    """A page that unpacks itself, a quarter of the bytes; where a browser cannot do that, the picture stays."""
    data = base64.b64encode(gzip.compress(document.encode(), mtime=0)).decode()
    return (
        '<!doctype html><meta charset=utf-8><script type=module>const packed = Uint8Array.from(atob("'
        + data
        + '"), (letter) => letter.charCodeAt(0)); '
        'const page = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")); '
        "document.write(await new Response(page).text()); document.close();</script>"
    )
