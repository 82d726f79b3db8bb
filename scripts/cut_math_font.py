"""Cut scripts/site_settings/LessonMath.woff from STIX Two Math (needs fontTools, which comes with matplotlib).

The original is in the package ziamath, among others:

    pip download --no-deps ziamath && unzip ziamath-*.whl "*.ttf" -d ziamath
    python scripts/cut_math_font.py ziamath/ziamath/fonts/STIXTwoMath-Regular.ttf

The formulas of the site are drawn by the browser (MathML). For roots, large brackets and accents it needs a font with
a table of mathematics, and not every system has one.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

NAME = "Lesson Math"
TARGET = Path(__file__).parent / "site_settings" / "LessonMath.woff"
BLOCKS = {
    "Latin": (0x20, 0x7F),
    "Latin 1": (0xA0, 0x100),
    "Greek": (0x391, 0x3CA),
    "variants of Greek letters": (0x3D1, 0x3F6),
    "accents on their own": (0x2C6, 0x2DE),
    "accents": (0x300, 0x310),
    "dashes, dots, primes": (0x2010, 0x2038),
    "invisible operators": (0x2061, 0x2065),
    "arrows above letters": (0x20D0, 0x20D8),
    "letter-like symbols": (0x2100, 0x2140),
    "arrows": (0x2190, 0x21D6),
    "operators": (0x2200, 0x2300),
    "ceilings and floors": (0x2308, 0x230C),
    "brackets above and below": (0x23B4, 0x23E0),
    "angle brackets": (0x27E6, 0x27EC),
    "long arrows": (0x27F5, 0x27FB),
    "operators with subscripts": (0x2A00, 0x2A07),
    "bold, italic and bold italic": (0x1D400, 0x1D49C),
    "double-struck": (0x1D538, 0x1D56C),
    "italic and bold Greek": (0x1D6A8, 0x1D756),
    "bold digits": (0x1D7CE, 0x1D7D8),
}


def rename(font: TTFont) -> None:
    """Give the cut its own name; copyright and licence stay as they are."""
    names = {1: NAME, 2: "Regular", 3: f"{NAME} Regular", 4: f"{NAME} Regular", 6: "LessonMath-Regular"}
    font["name"].names = [record for record in font["name"].names if record.nameID in (0, 5, 13, 14)]
    for name_id, text in names.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)


def main(original: str) -> None:
    font = TTFont(original, recalcTimestamp=False)
    options = Options(hinting=False, layout_features=["ssty", "dtls", "flac"], notdef_outline=True, name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for block in BLOCKS.values() for code in range(*block)])
    subsetter.subset(font)
    rename(font)
    font.flavor = "woff"
    font.save(TARGET)
    print(f"{TARGET.name}: {len(font.getBestCmap())} characters, {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:])
