"""Words in pictures: the fonts that travel with the course, and what happens to a character that none of them has.

The reader's machine may have no Chinese font, and would draw empty boxes. So the course brings a subset of Noto Sans
(fonts/, under the OFL) beside DejaVu Sans, which comes with matplotlib: every figure looks the same everywhere.
"""

import io
from functools import cache
from pathlib import Path

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

DEJAVU = font_manager.findfont("DejaVu Sans")
LESSON = str(Path(__file__).parent / "fonts" / "LessonSansSC-Regular.otf")
UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # it looks like a question mark in a diamond, not like an empty box
BLANK = "\N{OPEN BOX}"
LAST_BEFORE_CHINESE = 0x2E7F

font_manager.fontManager.addfont(LESSON)
_fonts = {"DejaVu Sans": DEJAVU, "Lesson Sans SC": LESSON}


def add_font(path: str | Path) -> str:
    """Let static pictures also use the font in this file; returns the font's name."""
    font_manager.fontManager.addfont(str(path))
    name = FT2Font(str(path)).family_name
    _fonts[name] = str(path)
    return name


def font_family() -> list[str]:
    """The fonts that are asked for a character, in this order."""
    return list(_fonts)


@cache
def _characters_of(path: str) -> frozenset[int]:
    return frozenset(FT2Font(path).get_charmap())


def missing(text: str) -> list[str]:
    """The characters of a text that no font has, each once, in their order."""
    known = frozenset().union(*(_characters_of(path) for path in _fonts.values()))
    return [c for c in dict.fromkeys(text) if ord(c) not in known and not c.isspace()]


def written(token: str) -> str:
    """A token as a picture can show it: blanks visible, characters without a glyph replaced."""
    if token.isspace():
        return BLANK * len(token)
    table = {ord(c): UNKNOWN for c in missing(token)}
    return " ".join(token.translate(table).split())


def apology(text: str) -> str:
    """A sentence about the characters of a text that no font has, and how to mend it; empty if there are none."""
    lost = missing(text)
    if not lost:
        return ""
    codes = ", ".join(f"U+{ord(c):04X}" for c in lost[:6]) + (", …" if len(lost) > 6 else "")
    return (
        f"{UNKNOWN} stands for {codes}: no font of the course has it.\nshow.add_font('a font file') adds one that has."
    )


@cache
def chinese_font(text: str) -> bytes:
    """A font file with the Chinese characters of a text, cut from the one that travels; empty if there are none.

    About 300 bytes a character, the same bytes after every run.
    """
    wanted = {c for c in text if ord(c) > LAST_BEFORE_CHINESE and ord(c) in _characters_of(LESSON)}
    if not wanted:
        return b""
    from fontTools.subset import Options, Subsetter  # a tenth of the library's time to import, for few views
    from fontTools.ttLib import TTFont

    font = TTFont(LESSON, recalcTimestamp=False)
    cutter = Subsetter(Options(hinting=False, layout_features=[]))
    cutter.populate(text="".join(sorted(wanted)))
    cutter.subset(font)
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()
