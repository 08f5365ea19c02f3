"""Names over a picture of crowded rows, in a real browser."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest
from selenium.webdriver.remote.webdriver import WebDriver
from shapely import Polygon, box

from tests.webui.browsing import MARKS, fits, resize

pytestmark = MARKS

SIZE = 1280, 720
LABELS = Path("webui/static/labels.js")
STYLE = Path("webui/static/style.css")
PAGE = """
<style>{style}</style>
<div style="position: fixed; left: 8px; top: 8px; width: {shown}px; aspect-ratio: {width} / {height}; background: #877">
<svg class="overlay" viewBox="0 0 {width} {height}" style="width: 100%; height: 100%">{groups}</svg></div>
"""
MEASURE = """
const scale = document.querySelector('svg.overlay').getScreenCTM().a;
return [...document.querySelectorAll('svg.overlay g')].map((group) => {
  const text = group.querySelector('text:not([visibility])');
  if (!text || !text.textContent) return null;
  const box = text.getBBox(), high = parseFloat(text.getAttribute('font-size'));
  const y = parseFloat(text.getAttribute('y'));
  return [box.x, y - high / 2, box.x + box.width, y + high / 2, high * scale];
});
"""
LINES = "return document.querySelectorAll('svg.overlay line').length"


def crowded() -> list[tuple[Polygon, str]]:
    """A row along the table's lower edge, one along its left edge, and a row whose cards touch; a loose card."""
    cards = [
        (195, 620, 100, 160, 3, "air"),
        (322, 612, 100, 160, 2, "air"),
        (553, 612, 100, 160, 3, "earth"),
        (440, 616, 100, 160, 4, "water"),
        (688, 602, 100, 160, 6, "magic ?"),
        (820, 598, 100, 160, -1, "fire"),
        (92, 220, 142, 96, 3, "air"),
        (92, 322, 146, 96, -2, "fire"),
        (92, 424, 148, 100, 5, "magic"),
        (632, 455, 146, 94, 1, ""),
        *(
            (560 + 102 * n, 230 + 9 * (n % 2), 100, 160, 4 * (-1) ** n, ("water", "earth", "magic")[n % 3])
            for n in range(6)
        ),
    ]
    out = []
    for x, y, wide, high, degrees, name in cards:
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        half = [(-wide / 2, -high / 2), (wide / 2, -high / 2), (wide / 2, high / 2), (-wide / 2, high / 2)]
        out.append((Polygon([(x + c * u - s * v, y + s * u + c * v) for u, v in half]), name))
    return out


@pytest.mark.parametrize(("width", "height", "shown"), [(1366, 768, 740), (390, 844, 364)])
def test_names_stand_by_their_own_cards(browser: WebDriver, width: int, height: int, shown: int) -> None:
    """A name touches its card and no other, lies in the picture and off the stones, and hardly one is left out."""
    cards = crowded()
    resize(browser, width, height)
    browser.get("about:blank")
    groups = []
    for shape, name in cards:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in list(shape.exterior.coords)[:4])
        groups.append(f'<g><polygon points="{points}"></polygon><text>{name}</text></g>')
    page = PAGE.format(style=STYLE.read_text(), shown=shown, width=SIZE[0], height=SIZE[1], groups="".join(groups))
    browser.execute_script("document.body.innerHTML = arguments[0]", page)
    browser.execute_script(LABELS.read_text())
    browser.execute_script("window.layLabels(document.querySelector('svg.overlay'))")
    fits(browser, f"crowded-names-{shown}")
    laid = browser.execute_script(MEASURE)
    names = {n: box(*found[:4]) for n, found in enumerate(laid) if found}

    assert len(names) >= sum(bool(name) for _, name in cards) - 2
    assert browser.execute_script(LINES) == 0
    for n, name in names.items():
        own = name.distance(cards[n][0])
        others = [(name.distance(shape), m) for m, (shape, _) in enumerate(cards) if m != n]
        assert own < 25, cards[n][1]
        assert min(others)[0] > own, (cards[n][1], n, min(others)[1])
        assert not name.contains(cards[n][0].centroid)
        assert box(0, 0, *SIZE).contains(name)
    assert not any(a.intersects(b) for a, b in combinations(names.values(), 2))
    assert min(found[4] for found in laid if found) >= 8.9
