"""Faces of laid pieces are told from their sides and from one another."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.cactus.laid import BEYOND, cut_out, face_rims


def _depth(*boxes: tuple[float, float, float, float]) -> np.ndarray:
    """How deep pixels lie within boxes (left, top, right, bottom), up to 4 px."""
    y, x = np.mgrid[:80, :140].astype(np.float32)
    own = [np.minimum.reduce([x - a, c - x, y - b, d - y]) for a, b, c, d in boxes]
    return np.clip(np.maximum.reduce(own), BEYOND, 4.0).astype(np.float32)


def test_an_outline_lies_between_pixels() -> None:
    """Where no depth is left, to a fraction of one."""
    (rim,) = face_rims(_depth((20.3, 10.6, 60.2, 50.7)), 100)
    assert [*rim.min(0), *rim.max(0)] == pytest.approx([20.3, 10.6, 60.2, 50.7], abs=0.06)


def test_faces_that_touch_are_parted() -> None:
    """Each has its own outline; a crumb beside them has none."""
    rims = face_rims(_depth((10, 10, 60, 60), (60, 20, 110, 70), (120, 5, 125, 10)), 100)
    areas = sorted(cv2.contourArea(r.astype(np.float32)) for r in rims)
    assert areas == pytest.approx([2500, 2500], rel=0.03)


def test_a_narrow_limb_belongs_to_its_face() -> None:
    """Two broad parts with a neck between are one piece."""
    assert len(face_rims(_depth((10, 10, 50, 60), (45, 30, 90, 36), (85, 10, 130, 60)), 100)) == 1


def test_a_face_ends_where_its_side_begins() -> None:
    """The darker side below a plate is of the piece, not of its face; a shadow is neither."""
    light = np.full((160, 200, 3), 175, np.float32)
    light[60:128, 70:146] *= 0.72
    light[50:120, 60:140] = (110, 27, 23)  # a side that is hardly darker might be the rounding of a rim
    light[50:110, 60:140] = (205, 62, 52)
    seen = cv2.GaussianBlur(light, (0, 0), 0.8) + np.random.default_rng(1).normal(0, 1.5, light.shape)
    table = np.full(light.shape, 175 / 255, np.float32)
    cut = cut_out(np.clip(seen, 0, 255).astype(np.uint8), table)
    (rim,) = face_rims(cut.depth, 500)
    assert [*rim.min(0), *rim.max(0)] == pytest.approx([59.5, 49.5, 139.5, 109.5], abs=1.0)
    assert cut.plate[114, 100] > 0.5
    assert cut.plate[124, 143] < 0.5
