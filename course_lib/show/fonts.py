"""Fonts for static pictures and views, and the replacement of characters that no font has.

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
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
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
    """The names of the fonts, in the order in which they are searched for a character."""
    return list(_fonts)


@cache
def _characters_of(path: str) -> frozenset[int]:
    return frozenset(FT2Font(path).get_charmap())


def missing_characters(text: str) -> list[str]:
    """The characters of a text that no font has, each once, in order of appearance."""
    known = frozenset().union(*(_characters_of(path) for path in _fonts.values()))
    return [c for c in dict.fromkeys(text) if ord(c) not in known and not c.isspace()]


def drawable(token: str) -> str:
    """A token with visible blanks, and a replacement for each character without a glyph."""
    if token.isspace():
        return "\N{OPEN BOX}" * len(token)
    table = {ord(c): UNKNOWN for c in missing_characters(token)}
    return " ".join(token.translate(table).split())


def missing_note(text: str) -> str:
    """A note on the characters of a text that no font has; empty if there are none."""
    lost = missing_characters(text)
    if not lost:
        return ""
    codes = ", ".join(f"U+{ord(c):04X}" for c in lost[:6]) + (", …" if len(lost) > 6 else "")
    return f"{UNKNOWN} stands for {codes}, which no font has.\nshow.add_font('path/to/font.ttf') adds a font."


@cache
def subset_font(text: str) -> bytes:
    """A font file with the Chinese characters of a text, about 300 bytes each; empty if there are none."""
    wanted = {c for c in text if ord(c) > LAST_BEFORE_CHINESE and ord(c) in _characters_of(LESSON)}
    if not wanted:
        return b""
    from fontTools.subset import Options, Subsetter  # slow to import, and few views need it
    from fontTools.ttLib import TTFont

    font = TTFont(LESSON, recalcTimestamp=False)
    subsetter = Subsetter(Options(hinting=False, layout_features=[]))
    subsetter.populate(text="".join(sorted(wanted)))
    subsetter.subset(font)
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()
