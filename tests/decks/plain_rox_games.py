"""Printings of Rox with signs of their own, like games of six publishers: `lab-*` to tune, `blind-*` to measure."""

from __future__ import annotations

from tests.decks import plain_rox_more_signs as m
from tests.decks import plain_rox_signs as s
from tests.decks.plain_rox_print import Plain, clouded, dotted, fibres, lozenges, planks, starry, stripes, waves

_FONTS = "/usr/share/fonts/"
GAMES: dict[str, Plain] = {
    "lab-tide": Plain(
        (70.0, 120.0), (4, 6), 11.0, 9.5, (s.BOAT, s.WHALE, s.STARFISH, s.LIGHTHOUSE, s.ANCHOR),
        ("#d9372b", "#2b7fc4", "#f2b22a", "#ef8fb0", "#6d7c8a"), "ink", waves("#e9f6f4", "#9fd6d8", 60, 82), "porthole",
        _FONTS + "opentype/cabin/Cabin-Bold.otf", "#14304f", scatter=(0.2, 5.0), seed=71, outline="#14304f",
    ),
    "lab-plum": Plain(
        (80.0, 80.0), (5, 5), 11.0, 9.0, (s.HEART, s.KEY, s.TULIP, s.UMBRELLA, s.BOW),
        ("#d6336c", "#1c7293", "#5a8f29", "#e8891c", "#5b3a8c"), "block", dotted("#f0e4f5", "#dcc6e6", 42, 9.0),
        "block", _FONTS + "opentype/comic-neue/ComicNeue-Bold.otf", "#5b2a6e", 3.5, scatter=(0.0, 0.0), seed=72,
        outline="#fffdf8", paper="#fffdf8", plaque="#fffdf8",
    ),
    "lab-kiln": Plain(
        (50.0, 90.0), (3, 7), 8.0, 7.0, (s.STAR8, s.FAN, s.HOURGLASS, s.QUATREFOIL, s.ZIGZAG),
        ("#c4552f", "#d98e4a", "#b5793a", "#dcb877", "#a8504a"), "ink", clouded("#33241d", "#4a362b", 70, False),
        "vase", _FONTS + "opentype/bebas-neue/BebasNeue-Bold.otf", "#ecd9b8", wear=0.3, scatter=(0.15, 1.0), seed=73,
        outline="#1a110d", paper="#f3e3c6", accents=("#f3e3c6",) * 5,
    ),
    "blind-frost": Plain(
        (54.0, 86.0), (4, 6), 8.0, 7.0, (s.BELL, s.SNOWFLAKE, s.PINE, s.MITTEN, s.SNOWMAN),
        ("#3f5fa8", "#2f86b8", "#2c8c8c", "#6a63b5", "#35506e"), "cameo", dotted("#a9c9dd", "#f4fafd", 0, 7.0), "globe",
        _FONTS + "opentype/urw-base35/URWBookman-Demi.otf", "#22406a", 1.5, scatter=(0.1, 2.0), seed=81,
        outline="#f7fbff", paper="#f7fbff",
    ),
    "blind-market": Plain(
        (62.0, 104.0), (3, 7), 10.0, 8.5, (s.APPLE, s.AUBERGINE, s.BROCCOLI, s.CHEESE, s.CARROT),
        ("#d8342f", "#6b3a86", "#4f9a3c", "#f6cf4a", "#f0842c"), "ink", stripes("#fdf3df", "#cfe6dc", 62), "plate",
        _FONTS + "opentype/lobster/lobster.otf", "#8a2b1e", numbers="middle", scatter=(0.3, 8.0), seed=82,
        outline="#3a241c", accents=("#5da03c", "#6f9a45", "#c3d98c", "#d99a1e", "#58a044"), plaque="#ffffff",
    ),
    "blind-harvest": Plain(
        (75.0, 75.0), (5, 5), 10.0, 8.2, (s.PUMPKIN, s.MILL, s.TREE, s.WHEAT, s.GRAPES),
        ("#c9571c", "#33658a", "#55752f", "#b98a12", "#6d2e57"), "tile", planks("#a9784a", "#7d5330", 105), "arch",
        _FONTS + "opentype/urw-base35/P052-Bold.otf", "#fff1d2", wear=0.35, scatter=(0.2, 3.0), seed=83,
        outline="#3b2413", paper="#f8ecd0",
    ),
    "blind-orbit": Plain(
        (63.0, 100.0), (4, 6), 9.5, 8.4, (m.ROCKET, m.PLANET, m.COMET, m.SAUCER, m.SATELLITE),
        ("#f0542d", "#2f9fd0", "#f2b705", "#57b947", "#a05fd0"), "sticker", starry("#101a3c", "#4b2a6b", 160), "burst",
        _FONTS + "opentype/play/Play-Bold.otf", "#f7f3ff", numbers="both", scatter=(0.35, 12.0), seed=91,
        outline="#1a1f4a", paper="#f7f3ff",
    ),
    "blind-thicket": Plain(
        (68.0, 68.0), (5, 5), 9.5, 7.8, (m.LADYBIRD, m.BEE, m.BUTTERFLY, m.SNAIL, m.DRAGONFLY),
        ("#e0523c", "#f0b429", "#4a8fd0", "#b58a5c", "#39a88f"), "riso", fibres("#efe7d2", "#c9b992", 260), "medal",
        _FONTS + "opentype/league-spartan/LeagueSpartan-Bold.otf", "#2c3a5a", numbers="middle", wear=0.15,
        scatter=(0.3, 6.0), seed=92, outline="#2c3a5a", paper="#f8f3e4", plaque="#f0b429",
    ),
    "blind-rampart": Plain(
        (58.0, 106.0), (3, 7), 10.0, 8.0, (m.SWORD, m.CROWN, m.TOWER, m.CHALICE, m.HORSESHOE),
        ("#9c2230", "#23488c", "#b5861d", "#35703f", "#6b3a78"), "shield", lozenges("#d9cdb0", "#cdbf9d", 44),
        "pennant", _FONTS + "opentype/ebgaramond/EBGaramond12-Bold.otf", "#4a1f1a", 2.0, scatter=(0.1, 2.0), seed=93,
        outline="#3a2c1c", paper="#fbf1d6",
    ),
}  # fmt: skip
"""Name of a deck and how it is printed."""
