"""Cut the course's two fonts out of larger ones (needs fontTools, which comes with matplotlib).

Lesson Sans SC, for Chinese words in pictures, is cut from Noto Sans CJK SC:

    apt-get download fonts-noto-cjk && dpkg-deb -x fonts-noto-cjk_*.deb noto
    python scripts/cut_fonts.py sans noto/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc

Lesson Math, for the site's formulas (MathML), is cut from STIX Two Math, which is in the package ziamath:

    pip download --no-deps ziamath && unzip ziamath-*.whl "*.ttf" -d ziamath
    python scripts/cut_fonts.py math ziamath/ziamath/fonts/STIXTwoMath-Regular.ttf

The licence (OFL 1.1) reserves the original names, so the cut fonts have names of their own.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

HOME = Path(__file__).parents[1]
DATES = "曜年月日号號週금년목수월요일토화오전후서기"  # Japanese, Korean and traditional Chinese dates in CLDR
UI_SENTENCES = "浏渲阈結刪禅"  # what the sentences of JupyterLab's Chinese language pack need beyond GB 2312 level 1
TATOEBA = (  # … and what the everyday sentences of Tatoeba need
    "丐伫俚兿冥剎匮叟呎呗咄咔咦咪哒唔啜啬喔喱嗑嗝嗨嗯嘀嘈嘟噢噩囓垠埙夭妳姊姗婷媛嬉孑尬尴巅幚幺憩掴昰昵柚桦梵榄槟樵樽橄橘沐淇"
    "漉潢潺瀚炖烊熨狩瑜瘾盹瞌瞟瞭矶稔稣筝筵絶纔缪罔翡肴腼臊芙茕茜莓萃蕃蚓蚯蛎蜍蜿蝙蝠螂螫蟀蟋蟑蟾衕袤覚诋谧豚赝跤踝踮蹑辍辘逹"
    "遅遛醺铐锕镖阖阪阱靓饪馊馨髦髪魅鱿鲑鲨鲱鳄鳟鸫鹉鹦鹭鹳黏鼬鼾龈﹐"
)
MATH_BLOCKS = [  # as (first, last) of each range
    *[(0x20, 0x7E), (0xA0, 0xFF), (0x391, 0x3C9), (0x3D1, 0x3F5)],  # Latin and Greek letters, and variants
    *[(0x2C6, 0x2DD), (0x300, 0x30F), (0x2010, 0x2037), (0x20D0, 0x20D7)],  # accents, dashes, dots, primes
    *[(0x2061, 0x2064), (0x2100, 0x213F), (0x2190, 0x21D5), (0x27F5, 0x27FA)],  # invisible operators, symbols, arrows
    *[(0x2200, 0x22FF), (0x2308, 0x230B), (0x23B4, 0x23DF), (0x27E6, 0x27EB), (0x2A00, 0x2A06)],  # operators, brackets
    *[(0x1D400, 0x1D49B), (0x1D538, 0x1D56B), (0x1D6A8, 0x1D755), (0x1D7CE, 0x1D7D7)],  # bold, italic, double-struck
]


def chinese() -> set[str]:
    """Return what a static picture may write and DejaVu Sans lacks: GB 2312 level 1 (rows 16 to 55), kana and more."""
    codes = (bytes([row + 0xA0, column + 0xA0]) for row in range(16, 56) for column in range(1, 95))
    level_1 = b"".join(codes).decode("gb2312", errors="ignore")
    blocks = (range(0x3000, 0x3020), range(0x3041, 0x3100), range(0xFF01, 0xFF61))  # punctuation, kana, full-width
    return {*level_1, *DATES, *UI_SENTENCES, *TATOEBA, " ", *(chr(code) for block in blocks for code in block)}


def rename(font: TTFont, name: str, file: str, kept: list) -> None:
    """Give the cut its own name; copyright and licence stay as they are."""
    names = {1: name, 2: "Regular", 3: f"{name} Regular", 4: f"{name} Regular", 6: file}
    font["name"].names = kept
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        font["CFF "].cff.fontNames = [file]
        font["CFF "].cff.topDictIndex[0].FullName, font["CFF "].cff.topDictIndex[0].FamilyName = names[4], name


def main(which: str, original: str) -> None:
    """Cut `sans` or `math` from the original font."""
    font = TTFont(original, fontNumber=2 if which == "sans" else -1, recalcTimestamp=False)  # 2: simplified Chinese
    options = Options(hinting=False, notdef_outline=True, name_IDs=["*"])
    options.layout_features = [] if which == "sans" else ["ssty", "dtls", "flac"]
    if which == "sans":
        options.drop_tables += ["BASE", "GDEF", "GPOS", "GSUB", "VORG", "vhea", "vmtx"]
    subsetter = Subsetter(options)
    codes = {chr(code) for first, last in MATH_BLOCKS for code in range(first, last + 1)}
    subsetter.populate(text="".join(sorted(chinese() if which == "sans" else codes)))
    subsetter.subset(font)
    kept = [record for record in font["name"].names if record.nameID in (0, 5, 13, 14)]
    if which == "sans":
        rename(font, "Lesson Sans SC", "LessonSansSC-Regular", [record for record in kept if record.langID == 0x409])
        target = HOME / "course_lib" / "show" / "fonts" / "LessonSansSC-Regular.otf"
    else:
        rename(font, "Lesson Math", "LessonMath-Regular", kept)
        font.flavor = "woff"
        target = HOME / "scripts" / "site_settings" / "LessonMath.woff"
    font.save(target)
    print(f"{target.name}: {len(font.getBestCmap())} characters, {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:])
