"""Interface sentences: from the real packs, and from small packs made here, sound and damaged."""

import gettext
import json
import sys
from importlib.resources import files

import pytest

from course_lib.data.interface import MAX_LENGTH, interface_sentences, tokenise

METADATA = {"domain": "a", "language": "fr-FR"}


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """A function that installs a French pack with these catalogues ({file name: content}) in front of the real one."""
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
    """Rejects splitting at spaces only, splitting English apostrophes, and whole Chinese sentences as tokens."""
    assert " ".join(tokenise(text)) == expected


def test_tokens_lose_nothing_but_spaces():
    """Rejects a tokeniser that drops a sign or a letter it has no rule for."""
    text = "a_b 3.5% <x> @y #z € ½ ñ l' 'q' c'est -- '' “¡hola!” (中文) наука"
    assert "".join(tokenise(text)) == "a_b3.5%<x>@y#z€1⁄2ñl''q'c'est--''“¡hola!”(中文)наука"


@pytest.mark.parametrize(("language", "folder", "at_least"), [("fr", "fr_FR", 2200), ("zh", "zh_CN", 2300)])
def test_real_packs(language, folder, at_least):
    """Rejects one catalogue only, placeholders, repeats, swapped sides, and what the binary catalogues do not have."""
    pairs = interface_sentences(language)
    assert len(pairs) > at_least
    assert pairs == interface_sentences(language)
    assert len({pair.source for pair in pairs}) == len(pairs)
    assert not any(pair.links or pair.source == pair.target for pair in pairs)
    assert max(max(len(pair.source), len(pair.target)) for pair in pairs) == MAX_LENGTH
    tokens = {word for pair in pairs for word in pair.source + pair.target}
    assert not [word for word in tokens if set(word) & set("%{}<>\n\x04 ") or not word]
    path = files(f"jupyterlab_language_pack_{folder}") / "locale" / folder / "LC_MESSAGES" / "jupyterlab.mo"
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    found = {(pair.source, pair.target) for pair in pairs}
    for english in ("Restart Kernel", "Show Left Activity Bar", "This cannot be undone.", "Cancel"):
        assert (translated := catalogue.gettext(english)) != english
        assert (tokenise(translated), tokenise(english)) in found


def test_what_is_kept(pack):
    """Rejects untranslated entries and what is not prose, a limit that is one off, and dropped contexts."""
    longest = " ".join(["mot"] * MAX_LENGTH)
    dropped = {"Longer": [f"{longest} mot"], "Notebook": ["Notebook"], "Untranslated": [""], "No form": []}
    dropped |= {"%1 item": ["%1 élément"], "Run {}": ["Exécuter {}"], "<b>Bold</b>": ["<b>Gras</b>"]}
    dropped |= {"Line\nbreak": ["Saut\nde ligne"], "42": ["— 42 —"]}
    pack(
        a={
            "": METADATA,
            "Save": ["Enregistrer"],
            "menu\x04Open File…": ["Ouvrir l’élément…"],
            "Copy Cell": ["Copier la cellule", "Copier les cellules"],
            "Long": [longest],
        }
        | dropped,
        b={"": METADATA, "SAVE": ["Enregistrer"], "Keep": ["Enregistrer"], "Preserve": ["Conserver"]},
    )
    assert [(" ".join(pair.source), " ".join(pair.target)) for pair in interface_sentences("fr")] == [
        ("enregistrer", "save"),
        ("ouvrir l' élément ...", "open file ..."),
        ("copier la cellule", "copy cell"),
        (longest, "long"),
        ("conserver", "preserve"),
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b'{"Save": ["Enreg', b"\xff\xfe", b"[]", b'{"Save": 3}', b'{"Save": [7]}', b'{"Save": {"a": "b"}}'],
    ids=["empty", "cut off", "not UTF-8", "a list", "no forms", "a number", "a dictionary"],
)
def test_a_damaged_catalogue_raises(pack, content):
    """Rejects an error from inside json, and silently going on without the catalogue."""
    pack(a={"Save": ["Enregistrer"]}, b=content)
    message = r"b\.json is damaged: pip install --force-reinstall jupyterlab-language-pack-f"
    with pytest.raises(ValueError, match=message):
        interface_sentences("fr")


def test_missing_packs_and_catalogues_raise(pack, monkeypatch):
    """Rejects an empty list, and an error that does not say what to install."""
    with pytest.raises(ValueError, match="language must be 'fr' or 'zh', got 'de'"):
        interface_sentences("de")
    pack()
    with pytest.raises(ValueError, match="has no catalogues: pip install"):
        interface_sentences("fr")
    for language, folder in (("fr", "fr_FR"), ("zh", "zh_CN")):
        monkeypatch.setitem(sys.modules, f"jupyterlab_language_pack_{folder}", None)
        with pytest.raises(ModuleNotFoundError, match=f"pip install jupyterlab-language-pack-{language}"):
            interface_sentences(language)
