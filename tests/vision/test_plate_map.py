"""Plates' faces are told from everything else of their colour, and paints are believed where plates are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.decks.cactus_sets import ensure_set
from tests.vision.hung_scene import At, Photo, photograph
from vision.cactus.piece_paint import OTHER, Colours, Paint, Stranger
from vision.cactus.plate_map import estimate_plates

Array = NDArray[np.float64]
PX_MM = 2.1


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Photo:
    """Two pieces that hang and two that lie before them."""
    folder = ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")
    hung = (At("house", "K1", -20, 70), At("wheel", "K3", 5, 75, z=4.0))
    return photograph(folder, hung, (("hook-blue", -80.0, -60.0, 0.5), ("moon-red", 20.0, -50.0, 1.0)))


def _within(photo: Photo, outline_px: Array) -> NDArray[np.bool_]:
    mask = np.zeros(photo.rgb.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline_px).astype(np.int32)], 1)
    return cv2.erode(mask, np.ones((5, 5), np.uint8)) > 0


@pytest.mark.parametrize("scale", [1.0, 0.7])
def test_what_hangs_is_a_plate_and_the_room_is_none(photo: Photo, scale: float) -> None:
    """At any size of the picture; the map has the picture's size."""
    small = np.asarray(cv2.resize(photo.rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    found = estimate_plates(small, PX_MM * scale)
    assert found.shape == small.shape[:2]
    chance = cv2.resize(found, photo.rgb.shape[1::-1], interpolation=cv2.INTER_LINEAR) / 255
    pieces = [_within(photo, photo.outline_px(name)) for name in ("house", "wheel")]
    assert min(chance[p].mean() for p in pieces) > 0.6
    height = len(chance)
    assert chance[: height // 8].mean() < 0.05
    assert chance[height * 7 // 8 :].mean() < 0.05


def test_colours_mean_nothing_to_it(photo: Photo) -> None:
    """With red and blue exchanged the pieces are plates as before."""
    chance = estimate_plates(np.ascontiguousarray(photo.rgb[..., ::-1]), PX_MM) / 255
    assert min(chance[_within(photo, photo.outline_px(n))].mean() for n in ("house", "wheel")) > 0.6


def _labelled(plates: int) -> NDArray[np.uint8]:
    """Labels of red within a stranger of a shade of red, where plates are so probable."""
    red = np.array([0.8, 0.2, 0.2])
    paint = Paint(("red",), np.array([red]), 0)
    shade = 0.85 * red
    rgb = np.full((40, 40, 3), np.round(shade * 255), np.uint8)
    square = np.array([[0.0, 0], [39, 0], [39, 39], [0, 39]])
    near = Stranger(np.array([shade]), square, 1.0)
    return paint.label(Colours.of(rgb), [near], None, np.full((40, 40), plates, np.uint8))


def test_a_certain_plate_is_no_stranger() -> None:
    """Its paint is believed where it stands before something of about that colour; elsewhere it is not."""
    assert (_labelled(250) == 0).all()
    assert (_labelled(100) == OTHER).all()
