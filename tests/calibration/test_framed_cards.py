"""Cards of CONEX with a frame printed round them: their edge on any table, and their corners within the frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.capture.cards import LaidCard
from calibration.capture.conex.corners import PX_PER_MM, inks_of, read_corners
from calibration.capture.conex.framed import drawn_round_frames
from calibration.capture.deck import Photo
from calibration.capture.grounds import lab_of
from vision.cards.quads import overlap

SIZE = (56.0, 87.0)
FRAME = 1.6
CREAM, BLUE, ORANGE, GREEN, PINK = (232, 224, 200), (50, 90, 160), (220, 120, 40), (90, 140, 60), (205, 110, 145)


def _card(ground: tuple[int, int, int], frame: tuple[int, int, int], scale: float) -> NDArray[np.uint8]:
    w, h, f = (round(v * scale) for v in (*SIZE, FRAME))
    face = np.full((h, w, 3), frame, np.uint8)
    face[f : h - f, f : w - f] = ground
    return face


def _photo(table: tuple[int, int, int], frame: tuple[int, int, int], within_mm: float) -> tuple[Photo, list[LaidCard]]:
    """Four cards, and outlines that lie so far within their edges."""
    scale, rgb = 2.5, np.full((300, 800, 3), table, np.uint8)
    cards = []
    for n, ground in enumerate((BLUE, ORANGE, GREEN, PINK)):
        face = _card(ground, frame, scale)
        x, y = 30 + 190 * n, 40
        rgb[y : y + face.shape[0], x : x + face.shape[1]] = face
        low = np.array([x, y]) - 0.5 + within_mm * scale
        high = np.array([x, y]) - 0.5 + np.array(face.shape[1::-1]) - within_mm * scale
        quad = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
        cards.append(LaidCard(0, quad, SIZE))
    blurred = np.asarray(cv2.GaussianBlur(rgb, (0, 0), 0.8), np.uint8)
    return Photo("00.jpg", blurred), cards


def test_a_frame_that_its_table_hides_is_known_by_other_photos() -> None:
    """On a table of the frame's colour the outlines are drawn out to the edge; on others they stay."""
    photos, cards = [], []
    for n, (table, within) in enumerate((((90, 60, 40), 0.0), ((40, 50, 60), 0.0), ((230, 224, 206), FRAME))):
        photo, some = _photo(table, CREAM, within)
        photos.append(photo)
        cards += [LaidCard(n, c.quad_px, c.size_mm) for c in some]
    true = [c.quad_px for c in _photo((0, 0, 0), CREAM, 0.0)[1]] * 3
    found, width = drawn_round_frames(photos, cards)
    assert abs(width - FRAME) < 0.3
    assert min(overlap(c.quad_px, q) for c, q in zip(found, true, strict=True)) > 0.98


def test_cards_without_a_frame_stay_as_they_are() -> None:
    """Where most photos show the ground up to the edge, no outline is moved."""
    photo, cards = _photo((90, 60, 40), CREAM, FRAME)
    found, width = drawn_round_frames([photo], cards)
    assert width == 0.0
    assert [c.quad_px.tolist() for c in found] == [c.quad_px.tolist() for c in cards]


def test_corners_that_a_frame_joins_are_parted() -> None:
    """The frame round the card is no part of its corners, which reach the card's edge all the same."""
    face = _card(BLUE, CREAM, PX_PER_MM)
    f, size = round(FRAME * PX_PER_MM), round(14 * PX_PER_MM)
    face[f:size, f:size] = ORANGE
    face[-size:-f, -size:-f] = GREEN
    palette = np.array([lab_of(c) for c in (BLUE, ORANGE, GREEN, PINK)])
    corners = read_corners(np.asarray(cv2.GaussianBlur(face, (0, 0), 1.5), np.uint8), SIZE, 0, palette, FRAME)
    assert sorted(c.kind for c in corners) == [1, 2]
    for corner in corners:
        low, high = corner.region_mm.min(0), corner.region_mm.max(0)
        assert low.tolist() == [0, 0] or high.tolist() == list(SIZE)
        assert np.allclose(high - low, 14, atol=0.8)


def test_a_corner_under_a_reflection_is_found() -> None:
    """Where a lamp makes ground and corner paler, and much alike, the corner is one, and the ground is none."""
    face = np.full((round(SIZE[1] * PX_PER_MM), round(SIZE[0] * PX_PER_MM), 3), BLUE, np.uint8)
    size = round(14 * PX_PER_MM)
    face[-size:, :size] = GREEN
    face[:size, -size:] = PINK
    h, w = face.shape[:2]
    y, x = np.mgrid[0 : 1 : h * 1j, 0 : 1 : w * 1j]
    veil = 0.75 * np.exp(-((x - 0.1) ** 2 + (y - 0.9) ** 2) / 0.3)[..., None]
    pale = np.asarray(np.clip(face * (1 - veil) + 235 * veil, 0, 255), np.uint8)
    palette = np.array([lab_of(c) for c in (BLUE, ORANGE, GREEN, PINK)])
    corners = read_corners(pale, SIZE, 0, palette)
    assert sorted(c.kind for c in corners) == [2, 3]


@pytest.mark.parametrize("ink", [(245, 240, 230), (40, 36, 40)])
def test_ink_is_what_differs_from_the_corner_itself(ink: tuple[int, int, int]) -> None:
    """A number is found pale on dark and dark on pale, though a frame of another colour runs beside it."""
    face = np.full((round(SIZE[1] * PX_PER_MM), round(SIZE[0] * PX_PER_MM), 3), BLUE, np.uint8)
    size = round(14 * PX_PER_MM)
    face[:size, :size] = CREAM
    face[: size - 5, : size - 5] = GREEN
    cv2.putText(face, "4", (14, 52), cv2.FONT_HERSHEY_SIMPLEX, 1.4, ink, 4, cv2.LINE_AA)
    soft = np.asarray(cv2.GaussianBlur(face, (0, 0), 1.5), np.uint8)
    palette = np.array([lab_of(c) for c in (BLUE, ORANGE, GREEN, PINK)])
    corners = read_corners(soft, SIZE, 0, palette)
    (seen,) = inks_of(soft, corners, SIZE)
    assert seen is not None
    digit = np.zeros(face.shape[:2], np.uint8)
    cv2.putText(digit, "4", (14, 52), cv2.FONT_HERSHEY_SIMPLEX, 1.4, 1, 4)
    rows, columns = np.nonzero(corners[0].cover)
    shown = digit[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] > 0
    inside = seen.within & (cv2.distanceTransform((~shown).astype(np.uint8), cv2.DIST_L2, 3) > 4)
    assert seen.ink[shown].mean() > 0.6
    assert seen.ink[inside].mean() < 0.1
