"""Contrast of the page's colours, by day and by night, as WCAG 2 measures it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import webui

CSS = (Path(webui.__file__).parent / "static" / "style.css").read_text("utf-8")
TEXT, LARGE = 4.5, 3.0
PAIRS = [
    ("ink", "ground", TEXT),
    ("ink", "card", TEXT),
    ("ink-2", "ground", TEXT),
    ("ink-2", "card", TEXT),
    ("act", "card", TEXT),
    ("act", "ground", TEXT),
    ("on-act", "act", TEXT),
    ("on-act", "act-2", TEXT),
    ("on-wood", "wood", TEXT),
    ("on-wood-2", "wood", TEXT),
    ("good", "good-bg", TEXT),
    ("bad", "bad-bg", TEXT),
    ("doubt", "doubt-bg", TEXT),
    ("good", "card", TEXT),
    ("bad", "card", TEXT),
    ("doubt", "card", TEXT),
    ("ink", "good-bg", TEXT),
    ("ink", "bad-bg", TEXT),
    ("ink", "doubt-bg", TEXT),
    ("line", "card", LARGE),
    ("focus", "card", LARGE),
    ("focus", "ground", LARGE),
    *[(f"seat-{n}", "card", LARGE) for n in range(1, 6)],
    *[(e, "card", LARGE) for e in ("fire", "water", "earth", "air", "magic")],
    *[(e, "bad-bg", LARGE) for e in ("fire", "water", "earth", "air", "magic")],
]


def colours(night: bool) -> dict[str, str]:
    """The variables of the style sheet, by day or by night."""
    blocks = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    assert len(blocks) == 2
    found: dict[str, str] = {}
    for block in blocks[: 2 if night else 1]:
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize(("front", "back", "least"), PAIRS)
def test_colours_can_be_told_apart(front: str, back: str, least: float, night: bool) -> None:
    """Text has 4.5 to 1 against its ground; signs, borders and focus rings have 3 to 1."""
    known = colours(night)
    a, b = sorted((luminance(known[front]), luminance(known[back])))
    assert (b + 0.05) / (a + 0.05) >= least
