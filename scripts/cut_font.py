"""Cut course_lib/show/fonts/LessonSansSC-Regular.otf from Noto Sans CJK SC (needs fontTools: pip install fonttools).

The original comes with Debian and Ubuntu, in the package fonts-noto-cjk:

    apt-get download fonts-noto-cjk && dpkg-deb -x fonts-noto-cjk_*.deb noto
    python scripts/cut_font.py noto/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc

The licence (OFL 1.1) reserves the name "Source" and asks a changed font to have a name of its own, so the cut is
called "Lesson Sans SC".
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

NAME = "Lesson Sans SC"
TARGET = Path(__file__).parents[1] / "course_lib" / "show" / "fonts" / "LessonSansSC-Regular.otf"
SIMPLIFIED_CHINESE_IN_COLLECTION = 2
DATES = "曜年月日号號週금년목수요월일토화오전후서기"  # Japanese, Korean and traditional Chinese dates in CLDR
UI_SENTENCES = "浏渲阈結刪禅"  # what the sentences of JupyterLab's Chinese language pack need beyond GB 2312 level 1
TATOEBA = (  # … and what the everyday sentences of Tatoeba need
    "丐伫俚兿冥剎匮叟呎呗咄咔咦咪哒唔啜啬喔喱嗑嗝嗨嗯嘀嘈嘟噢噩囓垠埙夭妳姊姗婷媛嬉孑尬尴巅幚幺憩掴昰昵柚桦梵榄槟樵樽橄橘沐淇"
    "漉潢潺瀚炖烊熨狩瑜瘾盹瞌瞟瞭矶稔稣筝筵絶纔缪罔翡肴腼臊芙茕茜莓萃蕃蚓蚯蛎蜍蜿蝙蝠螂螫蟀蟋蟑蟾衕袤覚诋谧豚赝跤踝踮蹑辍辘逹"
    "遅遛醺铐锕镖阖阪阱靓饪馊馨髦髪魅鱿鲑鲨鲱鳄鳟鸫鹉鹦鹭鹳黏鼬鼾龈﹐"
)


def chinese_level_1() -> set[str]:
    """The 3,755 most used characters: rows 16 to 55 of the standard GB 2312."""
    codes = (bytes([row + 0xA0, column + 0xA0]) for row in range(16, 56) for column in range(1, 95))
    return set(b"".join(codes).decode("gb2312", errors="ignore"))


def wanted_characters() -> set[str]:
    """Everything a static picture of the course may have to write and DejaVu Sans has not."""
    blocks = {
        "CJK punctuation": range(0x3000, 0x3020),
        "kana": range(0x3041, 0x3100),
        "full-width forms": range(0xFF01, 0xFF61),
    }
    block_characters = {chr(code) for block in blocks.values() for code in block}
    return chinese_level_1() | block_characters | set(DATES + UI_SENTENCES + TATOEBA) | {" "}


def rename(font: TTFont) -> None:
    """Give the cut its own name; copyright and licence stay as they are."""
    names = {1: NAME, 2: "Regular", 3: f"{NAME} Regular", 4: f"{NAME} Regular", 6: "LessonSansSC-Regular"}
    kept = [record for record in font["name"].names if record.nameID in (0, 5, 13, 14) and record.langID == 0x409]
    font["name"].names = kept
    for name_id, text in names.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [names[6]]
    top = cff.topDictIndex[0]
    top.FullName, top.FamilyName = names[4], NAME


def main(original: str) -> None:
    font = TTFont(original, fontNumber=SIMPLIFIED_CHINESE_IN_COLLECTION, recalcTimestamp=False)
    options = Options(hinting=False, layout_features=[], notdef_outline=True, name_IDs=["*"], desubroutinize=False)
    options.drop_tables += ["BASE", "GDEF", "GPOS", "GSUB", "VORG", "vhea", "vmtx"]
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(wanted_characters())))
    subsetter.subset(font)
    rename(font)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    font.save(TARGET)
    print(f"{TARGET.name}: {len(font.getBestCmap())} characters, {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:])
