"""The small pages that chapters carry for their views are made of the JavaScript that is here, not of an older one."""

import base64
import gzip
import html
import re

import nbformat
import pytest

from course_lib.show.page import CONSTANTS, smaller
from course_lib.show.view import View

from .files import chapters, none

FRAME = re.compile(r'<iframe title="([^"]*)".*?srcdoc=\'(.*?)\'', re.S)
PACKED = re.compile(r'atob\("(.*?)"\)')


def frames(text):
    """(title, unpacked page) of each frame in the HTML of an output."""
    for title, source in FRAME.findall(text):
        packed = PACKED.search(html.unescape(source))[1]
        yield html.unescape(title), gzip.decompress(base64.b64decode(packed)).decode()


def is_stale(title, page):
    """True where the page does not hold the present code of the view with this title."""
    view = next(view for view in View.__subclasses__() if view._frame_title == title)
    return smaller(view._esm.split("\n", CONSTANTS)[CONSTANTS]) not in page


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.name[:2])
def test_chapters_carry_the_present_code_of_their_views(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    outputs = [(cell.id, output.get("data", {}).get("text/html", "")) for cell in cells for output in cell.outputs]
    found = [(place, *frame) for place, text in outputs for frame in frames(text)]
    assert found, "a chapter without views"
    none(f"{path.name}: {place}: make notebooks" for place, title, page in found if is_stale(title, page))
