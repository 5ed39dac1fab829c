"""Fonts by shelf. Every font comes from a pinned wheel, none from the machine.

Text is laid out by Pillow's basic engine, since what the better one does depends on a library of
the system. Arabic letters are joined here; marks of other scripts may stand beside their letters.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass, field
from random import Random

from PIL import ImageFont

from build_engines.pictures.archives import Archives
from build_engines.pictures.picture import Split

SANS = ("roboto", "lato", "noto_sans", "pt_sans", "ibm_plex_sans", "barlow_condensed", "oswald")
SERIF = ("noto_serif", "pt_serif", "eb_garamond", "merriweather", "libre_baskerville")
MONO: dict[Split, tuple[str, ...]] = {
    "train": ("fira_code", "roboto_mono", "source_code_pro", "inconsolata", "space_mono"),
    "validation": ("dm_mono",),
    "test": ("jetbrains_mono", "ibm_plex_mono"),
}
HAND: dict[Split, tuple[str, ...]] = {
    "train": (
        "caveat",
        "indie_flower",
        "shadows_into_light",
        "kalam",
        "dancing_script",
        "permanent_marker",
        "great_vibes",
    ),
    "validation": ("delius", "yellowtail"),
    "test": ("zeyada", "satisfy", "amatic_sc"),
}
# Fonts for scripts that the others lack, by the script's ISO 15924 code.
SCRIPTS = {
    "Latn": "noto_sans",
    "Cyrl": "noto_sans",
    "Grek": "noto_sans",
    "Arab": "noto_sans_arabic",
    "Deva": "noto_sans_devanagari",
    "Thai": "noto_sans_thai",
    "Hani": "cjk",
}

# Name: package, the member of a light face, and of a bold one where that is a file of its own.
_FILES: dict[str, tuple[str, str, str]] = {
    "roboto": ("fontpkg-roboto", "Roboto[wdth,wght].ttf", ""),
    "lato": ("fontpkg-lato", "Lato-Regular.ttf", "Lato-Bold.ttf"),
    "noto_sans": ("fontpkg-noto-sans", "NotoSans[wdth,wght].ttf", ""),
    "pt_sans": ("fontpkg-pt-sans", "PT_Sans-Web-Regular.ttf", "PT_Sans-Web-Bold.ttf"),
    "oswald": ("fontpkg-oswald", "Oswald[wght].ttf", ""),
    "barlow_condensed": (
        "fontpkg-barlow-condensed",
        "BarlowCondensed-Regular.ttf",
        "BarlowCondensed-Bold.ttf",
    ),
    "ibm_plex_sans": ("fontpkg-ibm-plex-sans", "IBMPlexSans[wdth,wght].ttf", ""),
    "noto_serif": ("fontpkg-noto-serif", "NotoSerif[wdth,wght].ttf", ""),
    "eb_garamond": ("fontpkg-eb-garamond", "EBGaramond[wght].ttf", ""),
    "merriweather": ("fontpkg-merriweather", "Merriweather[opsz,wdth,wght].ttf", ""),
    "pt_serif": ("fontpkg-pt-serif", "PT_Serif-Web-Regular.ttf", "PT_Serif-Web-Bold.ttf"),
    "libre_baskerville": ("fontpkg-libre-baskerville", "LibreBaskerville[wght].ttf", ""),
    "fira_code": ("fontpkg-fira-code", "FiraCode[wght].ttf", ""),
    "ibm_plex_mono": ("fontpkg-ibm-plex-mono", "IBMPlexMono-Regular.ttf", "IBMPlexMono-Bold.ttf"),
    "inconsolata": ("fontpkg-inconsolata", "Inconsolata[wdth,wght].ttf", ""),
    "jetbrains_mono": ("fontpkg-jetbrains-mono", "JetBrainsMono[wght].ttf", ""),
    "roboto_mono": ("fontpkg-roboto-mono", "RobotoMono[wght].ttf", ""),
    "source_code_pro": ("fontpkg-source-code-pro", "SourceCodePro[wght].ttf", ""),
    "space_mono": ("fontpkg-space-mono", "SpaceMono-Regular.ttf", "SpaceMono-Bold.ttf"),
    "dm_mono": ("fontpkg-dm-mono", "DMMono-Regular.ttf", "DMMono-Medium.ttf"),
    "caveat": ("fontpkg-caveat", "Caveat[wght].ttf", ""),
    "indie_flower": ("fontpkg-indie-flower", "IndieFlower-Regular.ttf", ""),
    "zeyada": ("fontpkg-zeyada", "Zeyada.ttf", ""),
    "shadows_into_light": ("fontpkg-shadows-into-light", "ShadowsIntoLight.ttf", ""),
    "permanent_marker": ("fontpkg-permanent-marker", "PermanentMarker-Regular.ttf", ""),
    "kalam": ("fontpkg-kalam", "Kalam-Regular.ttf", "Kalam-Bold.ttf"),
    "delius": ("fontpkg-delius", "Delius-Regular.ttf", ""),
    "dancing_script": ("fontpkg-dancing-script", "DancingScript[wght].ttf", ""),
    "satisfy": ("fontpkg-satisfy", "Satisfy-Regular.ttf", ""),
    "yellowtail": ("fontpkg-yellowtail", "Yellowtail-Regular.ttf", ""),
    "great_vibes": ("fontpkg-great-vibes", "GreatVibes-Regular.ttf", ""),
    "amatic_sc": ("font-amatic-sc", "AmaticSC-Regular.ttf", "AmaticSC-Bold.ttf"),
    "noto_sans_arabic": ("fontpkg-noto-sans-arabic", "NotoSansArabic[wdth,wght].ttf", ""),
    "noto_sans_devanagari": (
        "fontpkg-noto-sans-devanagari",
        "NotoSansDevanagari[wdth,wght].ttf",
        "",
    ),
    "noto_sans_thai": ("fontpkg-noto-sans-thai", "NotoSansThai[wdth,wght].ttf", ""),
    "cjk": ("manimgx-fonts-cjk", "NotoSansCJK-VF.otf.ttc", ""),
    "emoji": ("deckr-fonts", "NotoEmoji[wght].ttf", ""),
}
_FOLDERS = {"manimgx-fonts-cjk": "manimgx_fonts_cjk", "deckr-fonts": "deckr_fonts/fonts"}
_LATIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z.,:/%-]*")
_JOINS_RIGHT_ONLY = frozenset("اأإآدذرزوؤةى")

Font = ImageFont.FreeTypeFont


@dataclass(frozen=True, slots=True)
class Fonts:
    """Loads each face and size once."""

    archives: Archives
    loaded: dict[tuple[str, int, bool], Font] = field(default_factory=dict)

    def get(self, name: str, size: int, *, bold: bool = False) -> Font:
        """A face by its name of a shelf; `size` in px."""
        key = (name, size, bold)
        if key not in self.loaded:
            self.loaded[key] = self._load(name, size, bold)
        return self.loaded[key]

    def path(self, name: str, *, bold: bool = False) -> str:
        """Where its file lies, for libraries that load fonts themselves."""
        package, light, heavy = _FILES[name]
        folder = _FOLDERS.get(package, f"{package.replace('-', '_')}/files")
        return str(self.archives.file(package, f"{folder}/{(bold and heavy) or light}"))

    def _load(self, name: str, size: int, bold: bool) -> Font:
        path = self.path(name, bold=bold)
        font = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
        if bold and not _FILES[name][2] and b"Bold" in _variations(path):
            font.set_variation_by_name("Bold")
        return font

    def any(self, shelf: tuple[str, ...], size: int, rng: Random, *, bold: bool = False) -> Font:
        return self.get(rng.choice(shelf), size, bold=bold)


@functools.cache
def _variations(path: str) -> tuple[bytes, ...]:
    try:
        return tuple(ImageFont.truetype(path, 10).get_variation_names())
    except OSError:  # not a variable font
        return ()


def joined(text: str) -> str:
    """Arabic letters in the shapes they have beside each other, and the line turned round."""
    if not any("ARABIC LETTER" in unicodedata.name(one, "") for one in text):
        return text
    shaped = [
        _shape(one, before, after)
        for before, one, after in zip(" " + text, text, text[1:] + " ", strict=False)
    ]
    line = "".join(reversed(shaped))
    # Numbers and Latin words run from left to right.
    return _LATIN.sub(lambda found: found.group()[::-1], line)


def _shape(letter: str, before: str, after: str) -> str:
    left = _joins(after) and letter not in _JOINS_RIGHT_ONLY
    right = _joins(before) and before not in _JOINS_RIGHT_ONLY
    form = {(True, True): "MEDIAL", (True, False): "INITIAL", (False, True): "FINAL"}.get(
        (left, right), "ISOLATED"
    )
    try:
        return unicodedata.lookup(f"{unicodedata.name(letter, '')} {form} FORM")
    except KeyError:
        return letter


def _joins(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("ARABIC LETTER") and letter != "ء"
