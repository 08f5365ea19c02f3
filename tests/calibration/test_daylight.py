"""Today's light: what white looks like, on the target, on cards, and on a colour chart."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.colour_chart import find_chart, is_mirrored
from calibration.daylight import CARDS, CHART, PAPER, Light, cards_light, chart_light, spot_light, target_light
from calibration.sheets.target import SIZE_MM, target_picture
from vision.deck import load_appearance
from vision.types import Detection
from webui.sight.decks.folders import bundled_deck

WARM = np.array([0.95, 0.8, 0.55])
PATCHES = (
    "735244c29682627a9d576c438580b167bdaad67e2c505ba6c15a635e3c6c9dbc40e0a32e"
    "383d96469449af363ce7c71fbb56950885a1f3f3f2c8c8c8a0a0a07a7a79555555343434"
)
"""The patches' colours, six digits each, row by row."""


def chart() -> NDArray[np.uint8]:
    """A colour chart of 24 patches on a grey table."""
    out = np.full((700, 1000, 3), 140, np.uint8)
    out[100:600, 130:870] = 20
    for n, colour in enumerate(PATCHES[i : i + 6] for i in range(0, len(PATCHES), 6)):
        row, column = divmod(n, 6)
        x, y = 150 + column * 120, 120 + row * 120
        out[y : y + 100, x : x + 100] = [int(colour[i : i + 2], 16) for i in (0, 2, 4)]
    return out


def lit(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture under a warm lamp."""
    return np.asarray(np.clip(rgb * WARM, 0, 255), np.uint8)


def photo(table: NDArray[np.uint8], turn_rad: float, slant: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The chart on a table of 1440 × 810 px, and the (3, 3) that brought it there."""
    c, s = np.cos(turn_rad), np.sin(turn_rad)
    corners = np.array([[-1, -0.7], [1, -0.7], [1, 0.7], [-1, 0.7]]) * 210 @ np.array([[c, s], [-s, c]])
    corners[:, 1] *= slant
    corners[:, 0] *= 1 + corners[:, 1] / 1500
    face = chart()[100:600, 130:870]
    flat = np.array([[0, 0], [740, 0], [740, 500], [0, 500]], np.float32)
    to_px = cv2.getPerspectiveTransform(flat, (corners + [700, 400]).astype(np.float32))
    size = (table.shape[1], table.shape[0])
    laid = cv2.warpPerspective(face, to_px, size, flags=cv2.INTER_AREA)
    there = cv2.warpPerspective(np.full(face.shape[:2], 255, np.uint8), to_px, size) > 127
    return np.where(there[..., None], laid, table), np.asarray(to_px, np.float64)


def seen_by_a_camera(scene: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A little blurred, and with noise."""
    blurred = cv2.GaussianBlur(scene, (0, 0), 0.8)
    return np.asarray(np.clip(blurred + np.random.default_rng(5).normal(0, 3, scene.shape), 0, 255), np.uint8)


@pytest.mark.parametrize("turn_rad", [0.0, 0.4, 1.9, 3.3])
@pytest.mark.parametrize("slant", [1.0, 0.6, 0.45])
def test_a_chart_tells_the_light(turn_rad: float, slant: float) -> None:
    """Whichever way it lies, seen from above or at a slant, in noise, under a warm lamp and beside cards."""
    table = np.full((810, 1440, 3), (140, 120, 90), np.uint8)
    for x, y in ((90, 120), (1250, 600), (200, 640)):
        table[y : y + 90, x : x + 60] = (40, 90, 160)
    scene, _ = photo(table, turn_rad, slant)
    seen = chart_light(seen_by_a_camera(lit(scene).astype(np.float64)))
    assert seen is not None
    assert seen.seen_on == CHART
    np.testing.assert_allclose(seen.white, 243 * WARM, atol=6)


def test_a_gleam_and_a_lamp_at_one_side_spoil_no_chart() -> None:
    """A reflection over two patches, and light that falls off by half along the chart, are no other colours."""
    table = np.full((810, 1440, 3), (140, 120, 90), np.uint8)
    scene, to_px = photo(table, 0.4, 1.0)
    x, y = np.meshgrid(np.arange(1440.0), np.arange(810.0))
    at = cv2.perspectiveTransform(np.array([[[120.0, 70.0], [70.0, 430.0]]]), to_px)[0]
    gleam = 150 * np.exp(-((x - at[0, 0]) ** 2 + (y - at[0, 1]) ** 2) / (2 * 45.0**2))
    lamp = np.clip(1.0 - (x - at[1, 0]) / 900, 0.4, 1.2)
    seen = chart_light(seen_by_a_camera(lit(scene) * lamp[..., None] + gleam[..., None]))
    assert seen is not None
    np.testing.assert_allclose(seen.white, 243 * WARM, atol=12)


def test_a_chart_is_found_among_tiles() -> None:
    """Hundreds of even squares of the table, all much alike, do not hide it."""
    table = np.full((810, 1440, 3), 60, np.uint8)
    for n, (x, y) in enumerate((x, y) for x in range(4, 1400, 30) for y in range(4, 780, 30)):
        table[y : y + 25, x : x + 25] = (120 + n % 9, 90 + n % 7, 70)
    scene, _ = photo(table, 0.4, 1.0)
    seen = chart_light(seen_by_a_camera(lit(scene).astype(np.float64)))
    assert seen is not None
    np.testing.assert_allclose(seen.white, 243 * WARM, atol=6)


def test_what_is_no_chart_tells_no_light() -> None:
    """Neither an empty table, nor as many squares of other colours, nor a chart that is half in the picture."""
    assert chart_light(np.full((480, 640, 3), 90, np.uint8)) is None
    assert chart_light(chart()[:, :500]) is None
    shuffled = chart()
    for row in range(4):
        y = 120 + row * 120
        shuffled[y : y + 100, 150:850] = shuffled[y : y + 100, 150:850][:, ::-1]
    assert chart_light(shuffled) is None
    assert chart_light(chart()) is not None


def test_a_mirrored_chart_is_known_as_such() -> None:
    """However it lies and is lit; not the chart itself, and not what is none."""
    scene, _ = photo(np.full((810, 1440, 3), 90, np.uint8), 0.5, 0.7)
    seen = seen_by_a_camera(lit(scene).astype(np.float64))
    for rgb in (chart(), seen):
        assert not is_mirrored(rgb)  # nor is the chart found in its mirror image: that is how it is asked
        assert is_mirrored(rgb[:, ::-1])
    assert not is_mirrored(np.full((480, 640, 3), 90, np.uint8))


def test_a_white_patch_under_something_tells_no_light() -> None:
    """Neither under a yellow note, nor burnt out under a warm lamp: no white is better than a wrong one."""
    noted, burnt = chart(), lit(chart())
    noted[480:580, 150:250] = (243, 220, 150)
    burnt[480:580, 150:250] = 255
    assert find_chart(noted) is None
    assert find_chart(burnt) is None


def test_another_chart_tells_no_light() -> None:
    """Not one whose colours are half or one and a half times as strong, nor one with two patches in each other's."""
    face = chart()[100:600, 130:870].astype(np.float64)
    grey = face.mean(2, keepdims=True)
    for strength, told in ((0.45, False), (0.8, True), (1.25, True), (1.65, False)):
        other = chart()
        other[100:600, 130:870] = np.clip(grey + strength * (face - grey), 0, 255)
        assert (find_chart(other) is not None) == told, strength
    swapped = chart()
    swapped[240:340, 150:250], swapped[240:340, 630:730] = chart()[240:340, 630:730], chart()[240:340, 150:250]
    assert find_chart(swapped) is None


def test_the_target_tells_the_light() -> None:
    """Its paper is white; what is printed on it is not looked at."""
    margin, scale = 12.0, 3.0
    flat = np.repeat(target_picture(scale, margin)[..., None], 3, axis=2)
    to_px = np.array([[scale, 0, margin * scale - 0.5], [0, scale, margin * scale - 0.5], [0, 0, 1]])
    seen = target_light(lit(flat), to_px)
    assert seen is not None
    np.testing.assert_allclose(seen.white, 255 * WARM, atol=2)
    assert SIZE_MM[0] * scale < flat.shape[1]


def test_what_a_person_points_at_tells_the_light() -> None:
    """White paper under a warm lamp does; what is black or of a strong colour is white in no light."""
    table = np.full((300, 400, 3), (40, 30, 25), np.uint8)
    table[100:200, 100:200] = 240
    table[100:200, 250:350] = (220, 40, 30)
    seen = spot_light(lit(table), (150.4, 149.6))
    assert seen is not None
    assert seen.seen_on == PAPER
    np.testing.assert_allclose(seen.white, 240 * WARM, atol=1)
    assert spot_light(lit(table), (300, 150)) is None
    assert spot_light(lit(table), (20, 20)) is None
    assert spot_light(table, (0, 0)) is None


def test_cards_tell_the_light() -> None:
    """What is printed white on a card is white; a card that is half hidden is not asked."""
    deck = load_appearance(bundled_deck("rox"))
    look = deck.looks[0]
    face = cv2.resize(look.colour, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
    h, w = face.shape[:2]
    table = np.full((h + 200, w + 200, 3), 60, np.uint8)
    table[100 : 100 + h, 100 : 100 + w] = face
    quad = np.array([[99.5, 99.5], [99.5 + w, 99.5], [99.5 + w, 99.5 + h], [99.5, 99.5 + h]])
    seen = cards_light(lit(table), [Detection(quad, look.id, 0.99)], deck)
    assert seen is not None
    assert seen.seen_on == CARDS
    ratio = np.array(seen.white) / WARM
    assert ratio.min() > 210
    np.testing.assert_allclose(ratio, ratio.mean(), rtol=0.06)
    assert cards_light(lit(table), [Detection(quad, look.id, 0.99, visible=0.5)], deck) is None


def test_light_that_costs_colours_is_told() -> None:
    """Dark, burnt out, warm and bluish light each have a sentence; ordinary light has none."""
    assert Light((231.0, 228.0, 222.0), CARDS).advice() == ()
    for white, word in (
        ((40.0, 38.0, 35.0), "lamp"),
        ((240.0, 200.0, 150.0), "warm"),
        ((150.0, 180.0, 240.0), "bluish"),
        ((150.0, 240.0, 140.0), "greenish"),
    ):
        assert word in " ".join(Light(white, CARDS).advice())
    assert "burnt" in " ".join(Light((255.0, 255.0, 250.0), CARDS, clipped=0.6).advice())
    assert Light((255.0, 255.0, 250.0), CARDS).advice() == ()
