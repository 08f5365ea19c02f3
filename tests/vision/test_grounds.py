"""Colours of a plain deck in the day's light: what the light is, and where the picture has them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cards.grounds import estimate_light, find_coloured

Array = NDArray[np.float64]

YELLOW, RED, TEAL, PURPLE = (250.0, 205.0, 45.0), (215.0, 50.0, 60.0), (45.0, 180.0, 172.0), (84.0, 42.0, 140.0)
COLOURS = np.array([YELLOW, RED, TEAL, PURPLE])
CARD_PX = (60, 92)
AREA = float(CARD_PX[0] * CARD_PX[1])


# ---- light -----------------------------------------------------------------------------------------------------------


def lit(printed: Array, gain: tuple[float, float, float]) -> Array:
    """What a camera makes of printed colours under a light, in sRGB."""
    v = printed / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4) * gain
    v = np.clip(linear, 0, 1)
    return np.asarray(255 * np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055))


@pytest.mark.parametrize("gain", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (1.1, 0.8, 0.45), (0.3, 0.35, 0.5)])
def test_the_light_is_told_by_what_is_known(gain: tuple[float, float, float]) -> None:
    """Colour and strength of a lamp come out to 8 percent, though a fifth of the samples is covered, and all noisy."""
    rng = np.random.default_rng(3)
    printed = rng.uniform(20, 240, (400, 3))
    seen = lit(printed, gain) + rng.normal(0, 3, printed.shape)
    seen[:80] = rng.uniform(0, 255, (80, 3))
    light = estimate_light(printed, np.clip(seen, 0, 255))
    np.testing.assert_allclose(light.gain, gain, rtol=0.08)
    np.testing.assert_allclose(light.seen(COLOURS), lit(COLOURS, gain), atol=5)


def test_light_that_burns_out_stays_white() -> None:
    """What is too bright for the camera is white, not more."""
    printed = np.random.default_rng(4).uniform(20, 120, (200, 3))
    light = estimate_light(printed, lit(printed, (2.5, 2.5, 2.5)))
    assert light.seen(np.array([[250.0, 250.0, 250.0]])).max() == pytest.approx(255)


def test_too_little_print_tells_no_light() -> None:
    """From black, or from a few samples only, no light is concluded: colours stay as printed."""
    for printed in (np.zeros((100, 3)), np.full((5, 3), 120.0)):
        light = estimate_light(printed, np.full_like(printed, 200.0))
        np.testing.assert_allclose(light.seen(COLOURS), COLOURS, atol=0.5)


# ---- patches ---------------------------------------------------------------------------------------------------------


def table(cards: list[tuple[tuple[float, float], float, tuple[float, float, float]]]) -> NDArray[np.uint8]:
    """Cards, each given by centre, angle in degrees and colour, on a grey table with some grain."""
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 60, (540, 960)), (0, 0), 3)[..., None]
    rgb = np.clip(128 + grain + np.zeros(3), 0, 255).astype(np.uint8)
    for centre, angle, colour in cards:
        points = cv2.boxPoints((centre, CARD_PX, angle))
        cv2.fillPoly(rgb, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return rgb


def outline(centre: tuple[float, float], angle: float, grow: float = 1.1) -> Array:
    return np.asarray(cv2.boxPoints((centre, (CARD_PX[0] * grow, CARD_PX[1] * grow), angle)), float)


def test_cards_are_found_by_their_colour() -> None:
    """The middle of each to 3 px and the direction of its longer side to 4 degrees, one patch a card."""
    cards = [((200.0, 150.0), 20.0, YELLOW), ((600.0, 380.0), 75.0, TEAL), ((420.0, 200.0), 130.0, PURPLE)]
    found = find_coloured(table(cards), COLOURS, [], 0.25 * AREA)
    assert len(found) == 3
    for centre, angle, _ in cards:
        at, turn = min(found, key=lambda f: float(np.hypot(*(f[0] - centre))))
        assert np.hypot(*(at - centre)) < 3
        along = np.radians(angle + 90)  # the longer side runs across a box's width
        assert abs(np.sin(turn - along)) < np.sin(np.radians(4))


def test_what_is_known_is_left_out() -> None:
    """A patch under a known outline is explained; one beside it is not."""
    cards = [((200.0, 150.0), 20.0, YELLOW), ((600.0, 380.0), 75.0, YELLOW)]
    (only,) = find_coloured(table(cards), COLOURS, [outline(*cards[0][:2])], 0.25 * AREA)
    assert np.hypot(*(only[0] - cards[1][0])) < 3
    assert find_coloured(table(cards), COLOURS, [outline(*c[:2]) for c in cards], 0.25 * AREA) == []


def test_the_largest_comes_first() -> None:
    """A card half under a known one is a smaller patch and comes after a whole one."""
    cards = [((200.0, 150.0), 0.0, RED), ((600.0, 380.0), 0.0, TEAL)]
    known = outline((200.0, 175.0), 0.0)
    first, second = find_coloured(table(cards), COLOURS, [known], 0.15 * AREA)
    assert np.hypot(*(first[0] - (600.0, 380.0))) < 3
    assert second[0][1] < 150


def test_what_is_no_card_is_left_out() -> None:
    """Specks, a long pencil, another colour and the bare table: none has the size, the shape or the colour."""
    rgb = table([((500.0, 270.0), 0.0, (40.0, 110.0, 40.0))])
    cv2.circle(rgb, (150, 150), 12, RED, -1)
    cv2.line(rgb, (300, 60), (800, 110), YELLOW, 6)
    assert find_coloured(rgb, COLOURS, [], 0.25 * AREA) == []


def test_a_patch_without_straight_sides_is_none() -> None:
    """A star-shaped stain of a card's colour fills too little of its box."""
    rgb = table([])
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    reach = np.where(np.arange(12) % 2, 110.0, 30.0)
    star = np.c_[480 + reach * np.cos(turn), 270 + reach * np.sin(turn)]
    cv2.fillPoly(rgb, [np.round(star).astype(np.int32)], TEAL)
    assert find_coloured(rgb, COLOURS, [], 0.25 * AREA) == []


def test_a_table_of_that_colour_is_no_card() -> None:
    """Where everything is red, the patch is too large for a card."""
    rgb = np.full((540, 960, 3), RED, np.uint8)
    assert find_coloured(rgb, COLOURS, [], 0.25 * AREA) == []


@pytest.mark.parametrize("shade", [0.8, 1.12])
def test_shadow_and_light_do_not_hide_a_card(shade: float) -> None:
    """A card a fifth darker, or an eighth lighter, still has its colour."""
    colour = (TEAL[0] * shade, TEAL[1] * shade, TEAL[2] * shade)
    (found,) = find_coloured(table([((300.0, 300.0), 40.0, colour)]), COLOURS, [], 0.25 * AREA)
    assert np.hypot(*(found[0] - (300.0, 300.0))) < 3


def test_places_are_those_of_the_picture_whatever_its_size() -> None:
    """Colours are compared in a small picture; the answer is in pixels of the given one."""
    rgb = table([((700.0, 400.0), 30.0, RED)])
    large = np.asarray(cv2.resize(rgb, None, fx=2, fy=2), np.uint8)
    (found,) = find_coloured(large, COLOURS, [], AREA)
    assert np.hypot(*((found[0] + 0.5) / 2 - 0.5 - (700.0, 400.0))) < 3
