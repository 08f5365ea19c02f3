"""The silver sign of a CONEX card, whatever it is printed on."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.conex.sign import read_sign
from vision.types import Rgb

_GROUND, _SILVER = (60, 90, 140), (215, 218, 222)


def _card(sign: str, on: str = "") -> Rgb:
    """A card of 400 by 600 pixels with a sign in its middle, made large and brought to the size that is read."""
    face = np.full((1200, 800, 3), _GROUND, np.uint8)
    ink = _SILVER
    if on == "plate":
        cv2.rectangle(face, (255, 520), (545, 680), _SILVER, -1)
        ink = _GROUND
    if on == "ring":
        cv2.ellipse(face, (400, 600), (160, 105), 0, 0, 360, _SILVER, 12, cv2.LINE_AA)
    if sign == "plus2":
        cv2.putText(face, "+", (270, 645), cv2.FONT_HERSHEY_SIMPLEX, 4.2, ink, 22, cv2.LINE_AA)
        cv2.putText(face, "2", (410, 650), cv2.FONT_HERSHEY_SIMPLEX, 4.4, ink, 22, cv2.LINE_AA)
    if sign == "die":
        cv2.rectangle(face, (320, 520), (480, 680), _SILVER, -1)
        for x, y in ((360, 560), (440, 560), (400, 600), (360, 640), (440, 640)):
            cv2.circle(face, (x, y), 14, _GROUND, -1, cv2.LINE_AA)
    small = cv2.resize(face, (240, 360), interpolation=cv2.INTER_AREA).astype(float)
    return np.clip(small + np.random.default_rng(2).normal(0, 2, small.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("on", ["", "ring", "plate"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_2_is_read_on_whatever_it_stands(on: str, turned: bool) -> None:
    """Bare, in a ring, cut out of a plate; and it tells which way up the card lies."""
    face = _card("plus2", on)
    sign = read_sign(np.ascontiguousarray(face[::-1, ::-1]) if turned else face)
    assert (sign.name, sign.turned, sign.sure) == ("plus2", turned, True)


def test_a_die_shows_no_2() -> None:
    """And a bare ground shows nothing."""
    assert (read_sign(_card("die")).name, read_sign(_card("die")).sure) == ("die", True)
    assert (read_sign(_card("")).name, read_sign(_card("")).sure) == (None, True)


def test_a_ring_round_something_unread_is_no_sure_die() -> None:
    """It is as full as a die from without; one that is drawn as an outline shows its pips."""
    ring = cv2.ellipse(_card(""), (120, 180), (48, 32), 0, 0, 360, _SILVER, 4, cv2.LINE_AA)
    assert not read_sign(ring).sure
    die = cv2.rectangle(_card(""), (90, 150), (150, 210), _SILVER, 4)
    for x, y in ((105, 165), (135, 165), (120, 180), (105, 195), (135, 195)):
        cv2.circle(die, (x, y), 5, _SILVER, -1, cv2.LINE_AA)
    assert (read_sign(die).name, read_sign(die).sure) == ("die", True)
