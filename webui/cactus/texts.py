"""Words of Cactus: names of colours, shapes and things; see `webui.texts` and, for the rules, `webui.cactus.laws`."""

from __future__ import annotations

from webui.texts import Translations, mark, name_in

COLORS = {
    "red": mark("red"),
    "yellow": mark("yellow"),
    "blue": mark("blue"),
    "pink": mark("pink"),
    "cream": mark("cream"),
    "white": mark("white"),
    "black": mark("black"),
    "green": mark("green"),
    "orange": mark("orange"),
    "purple": mark("purple"),
    "brown": mark("brown"),
    "turquoise": mark("turquoise"),
    "violet": mark("violet"),
    "grey": mark("grey"),
    "sand": mark("sand"),
    "teal": mark("teal"),
    "plum": mark("plum"),
    "coral": mark("coral"),
}
"""Names of colours; a set's own names stay as they are."""

SHAPES = {
    "crescent": mark("crescent"),
    "bone": mark("bone"),
    "ring": mark("ring"),
    "zigzag": mark("zigzag"),
    "arch": mark("arch"),
    "lizard": mark("lizard"),
    "skull": mark("skull"),
    "sun": mark("sun"),
    "moon": mark("moon"),
    "boot": mark("boot"),
    "snake": mark("snake"),
    "hat": mark("hat"),
    "guitar": mark("guitar"),
    "bird": mark("bird"),
    "chili": mark("chili"),
    "scorpion": mark("scorpion"),
    "bow": mark("bow"),
    "clover": mark("clover"),
    "wave": mark("wave"),
    "cane": mark("cane"),
    "tortoise": mark("tortoise"),
    "kettle": mark("kettle"),
    "lantern": mark("lantern"),
    "feather": mark("feather"),
    "cat": mark("cat"),
    "moth": mark("moth"),
    "snail": mark("snail"),
    "comet": mark("comet"),
    "heron": mark("heron"),
    "gourd": mark("gourd"),
    "hook": mark("hook"),
    "bolt": mark("bolt"),
    "key": mark("key"),
    "tee": mark("tee"),
    "plus": mark("plus"),
    "star": mark("star"),
    "heart": mark("heart"),
    "drop": mark("drop"),
    "angle": mark("angle"),
    "fork": mark("fork"),
    "ess": mark("ess"),
    "spade": mark("spade"),
    "fish": mark("fish"),
    "jug": mark("jug"),
    "bug": mark("bug"),
    "house": mark("house"),
    "comb": mark("comb"),
    "wheel": mark("wheel"),
    "loop": mark("loop"),
    "cross": mark("cross"),
    "leaf": mark("leaf"),
    "cloud": mark("cloud"),
    "flame": mark("flame"),
}
"""Names of shapes and special pieces; a set's own names stay as they are."""

NUMBERED = mark("special piece %(n)s")
BASIC = mark("%(color)s %(shape)s")
SPECIAL = mark("%(color)s %(shape)s ★")
UNREAD = mark("a piece that was not read")
CACTUS = mark("Cactus %(n)d")
STAND = mark("%(cactus)s with %(pieces)s")
STAND_EMPTY = mark("%(cactus)s, empty")
FLOWERS = mark("%(threes)d flowers with a dot, %(ones)d without")


def color(name: str | None, t: Translations) -> str:
    """The name of a colour."""
    return name_in(COLORS, name, t)


def shape(name: str | None, t: Translations) -> str:
    """The name of a shape."""
    if name is not None and name.startswith("special-") and (number := name.rpartition("-")[2]).isdigit():
        return t.gettext(NUMBERED) % {"n": number}  # of a learned copy: nobody named it
    return name_in(SHAPES, name, t)
