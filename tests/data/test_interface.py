"""Interface sentences: read from the real packs, and from small packs made here, in order and out of order."""

import gettext
import json
import sys
from importlib.resources import files

import pytest

from course_lib.data.interface import LONGEST, interface_sentences, tokenise


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """A function that installs a French pack with these catalogues ({file name: bytes}) in front of the real one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jupyterlab_language_pack_fr_FR", raising=False)

    def install(**catalogues):
        folder = tmp_path / "jupyterlab_language_pack_fr_FR" / "locale" / "fr_FR" / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder.parents[2] / "__init__.py").touch()
        for name, content in catalogues.items():
            written = content if isinstance(content, bytes) else json.dumps(content).encode()
            (folder / f"{name}.json").write_bytes(written)

    yield install
    sys.modules.pop("jupyterlab_language_pack_fr_FR", None)


def as_text(pairs):
    return [(" ".join(pair.source), " ".join(pair.target)) for pair in pairs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L'état d’aujourd'hui", "l' état d' aujourd'hui"),
        ("Lorsqu'il n'y a qu'un T-Shirt…", "lorsqu' il n' y a qu' un t-shirt ..."),
        ("It's John's 2nd, isn't it?!", "it's john's 2nd , isn't it ? !"),
        ("保存 Notebook，然后关闭。", "保 存 notebook , 然 后 关 闭 。"),
        ("Schwarz-weißer Hund\u00a0: „Wau“", "schwarz-weißer hund : „ wau “"),
        ("  ", ""),
    ],
)
def test_tokeniser(text, expected):
    """Rejects cutting at spaces only, cutting English apostrophes, and keeping Chinese sentences in one piece."""
    assert " ".join(tokenise(text)) == expected


def test_tokens_lose_nothing_but_spaces():
    """Rejects a tokeniser that drops a sign or a letter it has no rule for."""
    text = "a_b 3.5% <x> @y #z € ½ ñ l' 'q' c'est -- '' “¡hola!” (中文) наука"
    assert "".join(tokenise(text)) == "a_b3.5%<x>@y#z€1⁄2ñl''q'c'est--''“¡hola!”(中文)наука"


@pytest.mark.parametrize(("language", "at_least"), [("fr", 2200), ("zh", 2300)])
def test_real_packs(language, at_least):
    """Rejects reading only one catalogue, leaving placeholders in, repeating sentences, and a random order."""
    pairs = interface_sentences(language)
    assert len(pairs) > at_least
    assert pairs == interface_sentences(language)
    assert len({pair.source for pair in pairs}) == len(pairs)
    assert not any(pair.links for pair in pairs)
    assert max(max(len(pair.source), len(pair.target)) for pair in pairs) <= LONGEST
    tokens = {word for pair in pairs for word in pair.source + pair.target}
    assert not [word for word in tokens if set(word) & set("%{}<>\n\x04 ") or not word]
    assert not [pair for pair in pairs if pair.source == pair.target]


@pytest.mark.parametrize(("language", "folder"), [("fr", "fr_FR"), ("zh", "zh_CN")])
def test_source_is_foreign_as_gettext_says(language, folder):
    """Rejects swapped sides, and translations paired with the wrong entry: the binary catalogues say the same."""
    path = files(f"jupyterlab_language_pack_{folder}") / "locale" / folder / "LC_MESSAGES" / "jupyterlab.mo"
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    pairs = {(pair.source, pair.target) for pair in interface_sentences(language)}
    for english in ("Restart Kernel", "Show Left Activity Bar", "This cannot be undone.", "Cancel"):
        translated = catalogue.gettext(english)
        assert translated != english
        assert (tokenise(translated), tokenise(english)) in pairs


def test_what_is_kept(pack):
    """Rejects keeping what nobody translated or no one would read as a sentence; and dropping a context's entries."""
    metadata = {"domain": "a", "language": "fr-FR"}
    long = " ".join(["mot"] * (LONGEST + 1))
    pack(
        a={
            "": metadata,
            "Save": ["Enregistrer"],
            "menu\x04Open File…": ["Ouvrir l’élément…"],
            "Copy Cell": ["Copier la cellule", "Copier les cellules"],
            "%1 item": ["%1 élément"],
            "Run {}": ["Exécuter {}"],
            "<b>Bold</b>": ["<b>Gras</b>"],
            "Line\nbreak": ["Saut\nde ligne"],
            "Notebook": ["Notebook"],
            "Long": [long],
            "Untranslated": [""],
            "No form": [],
            "42": ["— 42 —"],
        },
        b={"": metadata, "SAVE": ["Enregistrer"], "Keep": ["Enregistrer"], "Preserve": ["Conserver"]},
    )
    assert as_text(interface_sentences("fr")) == [
        ("enregistrer", "save"),
        ("ouvrir l' élément ...", "open file ..."),
        ("copier la cellule", "copy cell"),
        ("conserver", "preserve"),
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b'{"Save": ["Enreg', b"\xff\xfe", b"[]", b'{"Save": 3}', b'{"Save": [7]}', b'{"Save": {"a": "b"}}'],
    ids=["empty", "cut off", "not UTF-8", "a list", "no forms", "a number", "a dictionary"],
)
def test_damaged_catalogue(pack, content):
    """Rejects a traceback from the depths of json, and silently going on without the catalogue."""
    pack(a={"Save": ["Enregistrer"]}, b=content)
    with pytest.raises(
        ValueError, match=r"b\.json is damaged: pip install --force-reinstall jupyterlab-language-pack-f"
    ):
        interface_sentences("fr")


def test_pack_without_catalogues(pack):
    """Rejects an empty list of sentences in place of an error."""
    pack()
    with pytest.raises(ValueError, match="no catalogues in it: pip install"):
        interface_sentences("fr")


def test_unknown_language():
    """Rejects looking for a pack that the course does not use."""
    with pytest.raises(ValueError, match="'fr' or 'zh': got 'de'"):
        interface_sentences("de")


@pytest.mark.parametrize("language", ["fr", "zh"])
def test_missing_pack(monkeypatch, language):
    """Rejects an error that does not say what to install."""
    for folder in ("fr_FR", "zh_CN"):
        monkeypatch.setitem(sys.modules, f"jupyterlab_language_pack_{folder}", None)
    with pytest.raises(ModuleNotFoundError, match=f"pip install jupyterlab-language-pack-{language}"):
        interface_sentences(language)
