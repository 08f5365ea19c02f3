"""Printings of the Rox decks that `plain_rox` draws, each by other means than the others."""

from __future__ import annotations

from calibration.art import signs as s
from tests.decks.plain_rox_games import GAMES
from tests.decks.plain_rox_print import Plain, checks, clouded, even, own_ground

_FONTS = "/usr/share/fonts/"
_BRIGHT = ("#d8342c", "#2767b8", "#2e8b45", "#e0a51e", "#7d3c98")
_TWINS = ("#d63a2a", "#2a5fb4", "#2f7f9e", "#e07b28", "#6a4fb0")
STYLES: dict[str, Plain] = {
    "tune-outline": Plain(
        (63.0, 63.0), (5, 5), 8.0, 7.0, (s.FLAME, s.WAVE, s.LEAF, s.SWIRL, s.SPARK), _BRIGHT, "line", even("#fbfaf6"),
        "grey", _FONTS + "truetype/dejavu/DejaVuSerif-Bold.ttf", "#2b2b2b", seed=41,
    ),
    "tune-checks": Plain(
        (56.0, 87.0), (4, 6), 6.0, 6.5, (s.SUN, s.FISH, s.MUSHROOM, s.CLOUD, s.MOON),
        ("#c8281e", "#1e5aa8", "#1f6b2f", "#5f5f5f", "#8a1f7a"), "flat", checks("#f2e3b8", "#fbf4dc", 26), "window",
        _FONTS + "truetype/lato/Lato-Medium.ttf", "#5b2a1a", numbers="corners", seed=42,
    ),
    "tune-night": Plain(
        (59.0, 92.0), (4, 6), 8.5, 7.5, (s.EMBER, s.DROP, s.PEAKS, s.GUST, s.GEM),
        ("#ff5a3c", "#3fa9ff", "#55d06a", "#ffe07a", "#d98bff"), "glow", clouded("#10131c", "#262b3a", 60, True),
        "sign", _FONTS + "truetype/roboto/unhinted/RobotoTTF/Roboto-Light.ttf", "#f4e9c8", seed=43,
    ),
    "measure-badges": Plain(
        (63.5, 88.9), (4, 6), 9.0, 9.0, (s.BIRD, s.SHELL, s.ACORN, s.FEATHER, s.HAND), _BRIGHT, "badge",
        own_ground(_BRIGHT, 0.3, "#fbf6ea"), "banner", _FONTS + "opentype/urw-base35/C059-Bold.otf", "#7a1f1f", 3.0,
        seed=51,
    ),
    "measure-pebbles": Plain(
        (59.0, 92.0), (4, 6), 8.0, 7.2, (s.RUNE_FIRE, s.RUNE_WATER, s.RUNE_EARTH, s.RUNE_AIR, s.RUNE_MAGIC),
        ("#b8442f", "#46688f", "#5c7d3d", "#c2a24a", "#7a5a86"), "pebble", clouded("#cfc6b4", "#9d927f", 40, False),
        "tinted", _FONTS + "truetype/freefont/FreeSerifBold.ttf", "#3a2f22", wear=0.5, seed=52,
    ),
    "measure-twins": Plain(
        (70.0, 70.0), (5, 5), 9.0, 8.0, (s.TRIANGLE, s.DISC, s.SQUARE, s.CROSS, s.RING), _TWINS, "flat",
        even("#ffffff"), "grey", _FONTS + "opentype/dosis/Dosis-Bold.otf", "#1b1b1b", numbers="middle", seed=53,
    ),
    "measure-tiny": Plain(
        (44.0, 68.0), (4, 6), 4.2, 4.6, (s.DISC, s.CHEVRON, s.HEX, s.CROSS, s.TRIANGLE),
        ("#c0281e", "#1b4f9c", "#2c7a3a", "#b07d10", "#6b2a86"), "flat", clouded("#efe6cf", "#d9caa4", 90, True),
        "tinted", _FONTS + "truetype/open-sans/OpenSans-Semibold.ttf", "#4a3312", 2.0, wear=0.3, seed=54,
    ),
    "measure-wild": Plain(
        (60.0, 90.0), (4, 6), 9.0, 8.2, (s.FLAME, s.DROP, s.LEAF, s.CLOUD, s.MOON),
        ("#ff3b2f", "#1f9bff", "#30c04a", "#f5f5f0", "#b44dff"), "badge", clouded("#5a4632", "#8f7650", 25, False),
        "window", _FONTS + "truetype/quicksand/Quicksand-Bold.ttf", "#fff3cf", seed=55,
    ),
    "measure-harbour": Plain(
        (57.0, 88.0), (4, 6), 7.0, 6.8, (s.WAVE, s.SHELL, s.FISH, s.GUST, s.SUN),
        ("#d1495b", "#00798c", "#30638e", "#edae49", "#3d5a40"), "line", clouded("#f3efe2", "#dfe7e6", 70, True),
        "banner", _FONTS + "truetype/lato/Lato-Heavy.ttf", "#003d5b", 2.5, numbers="both", seed=61,
    ),
    "measure-lantern": Plain(
        (63.0, 88.0), (4, 6), 8.0, 7.4, (s.EMBER, s.GEM, s.ACORN, s.CLOUD, s.HAND),
        ("#ff7b54", "#4cc9f0", "#80ed99", "#ffd166", "#e0aaff"), "pebble", clouded("#1d2233", "#3a2f45", 45, False),
        "tinted", _FONTS + "opentype/cabin/Cabin-Bold.otf", "#ffe8b0", wear=0.4, numbers="both", seed=62,
    ),
    "measure-orchid": Plain(
        (68.0, 68.0), (5, 5), 8.4, 7.6, (s.LEAF, s.FEATHER, s.MUSHROOM, s.BIRD, s.SPARK),
        ("#b5179e", "#3f37c9", "#2d6a4f", "#d00000", "#7f5539"), "badge", own_ground(
            ("#b5179e", "#3f37c9", "#2d6a4f", "#d00000", "#7f5539"), 0.18, "#fffaf3"
        ),
        "window", _FONTS + "opentype/linux-libertine/LinLibertine_RB.otf", "#2b193d", numbers="corners", seed=63,
    ),
} | GAMES  # fmt: skip
"""Name of a deck and how it is printed."""
