"""Which of two plates of one colour is seen before the other."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from shapely.geometry import Polygon

from vision.cactus.edge_order import nearer
from vision.types import Rgb

ONE = np.array([[40.0, 60.0], [140.0, 60.0], [140.0, 100.0], [40.0, 100.0]])
OTHER = np.array([[90.0, 40.0], [120.0, 40.0], [120.0, 140.0], [90.0, 140.0]])
PX_MM = 3.0


def picture(back: np.ndarray, front: np.ndarray, wall: int = 70) -> Rgb:
    """Two outlines in one colour; the front one has a darker wall on two of its sides."""
    canvas = np.full((180, 180, 3), 150.0)
    for outline in (back, front):
        for off, color in ((3.0, (200 - wall, 40, 40)), (0.0, (200, 40, 40))):
            cv2.fillPoly(canvas, [np.round(outline + off).astype(np.int32)], color)
            cv2.fillPoly(canvas, [np.round(outline - off).astype(np.int32)], color)
    noise = np.random.default_rng(1).normal(0, 2, canvas.shape)
    return np.asarray(np.clip(canvas + noise, 0, 255), np.uint8)


def test_edge_of_the_nearer_one_is_seen() -> None:
    """Whoever is named first, the one whose edge runs on across the other is before it."""
    for back, front, order in ((OTHER, ONE, 1), (ONE, OTHER, -1)):
        rgb = picture(back, front)
        assert nearer(rgb, ONE, OTHER, (), PX_MM) == order
        assert nearer(rgb, OTHER, ONE, (), PX_MM) == -order


def test_without_an_edge_nobody_is_nearer() -> None:
    """One flat colour, or a third piece over the crossing, tells nothing."""
    assert nearer(picture(OTHER, ONE, wall=0), ONE, OTHER, (), PX_MM) == 0
    third = Polygon([(0, 0), (180, 0), (180, 180), (0, 180)])
    assert nearer(picture(OTHER, ONE), ONE, OTHER, (third,), PX_MM) == 0


@pytest.mark.parametrize("off", [60.0, 400.0])
def test_outlines_that_do_not_cross_tell_nothing(off: float) -> None:
    """Apart in the picture, or beyond its border."""
    assert nearer(picture(OTHER, ONE), ONE, OTHER + off, (), PX_MM) == 0
