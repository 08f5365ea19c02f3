"""Faces of a deck are brought in line and made clearer by what is printed alike on the others."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.rox.alike import Floats, clearer
from calibration.capture.rox.printed import in_line, moved, outline_of

W, H, REACH = 120, 180, 11.0
PLACES = np.array([(x, y) for y in (16, 46, 76, 104, 134, 164) for x in (14, 45, 75, 106)], float)
PLACES = PLACES[(PLACES[:, 0] % 92 == 14) | (PLACES[:, 1] % 148 == 16)]
COLOURS = np.array([[200, 40, 40], [40, 60, 200], [40, 160, 60]], np.float32)
STONES = np.array([i % 3 for i in range(36)])


def _kinds() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 3, (36, 16))


def _faces(kinds: np.ndarray) -> list[Floats]:
    grain = cv2.GaussianBlur(np.random.default_rng(5).normal(0, 60, (H, W)).astype(np.float32), (0, 0), 2.0)
    out = []
    for row in kinds:
        face = np.full((H, W, 3), 170, np.float32) + grain[..., None]
        for (x, y), kind in zip(PLACES, row, strict=True):
            cv2.circle(face, (int(x), int(y)), 8, COLOURS[kind].tolist(), -1, cv2.LINE_AA)
        out.append(face)
    return out


def test_a_face_that_was_cut_out_askew_is_brought_in_line() -> None:
    """Its print comes where that of the others is, and its corners move in the photo as far."""
    faces = _faces(_kinds())
    slip = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.5]])
    faces[4] = cv2.warpAffine(faces[4], slip, (W, H), borderMode=cv2.BORDER_REPLICATE)
    ways = in_line(faces)
    assert [i for i, by in enumerate(ways) if by is not None] == [4]
    right = _faces(_kinds())[4]
    inner = np.s_[8:-8, 8:-8]
    assert np.abs(moved(faces[4], ways[4]) - right)[inner].mean() < 0.3 * np.abs(faces[4] - right)[inner].mean()
    quad = np.array([[100, 50], [220, 50], [220, 230], [100, 230]], float)
    assert outline_of(quad, ways[4], faces[4].shape) == pytest.approx(quad + [2.0, -1.5], abs=0.4)
    assert outline_of(quad, None, faces[4].shape) is quad


def test_what_a_veil_hides_is_taken_from_cards_that_show_the_same() -> None:
    """Also its symbols' colours; a symbol that may be another one stays as it was seen."""
    kinds, faces = _kinds(), _faces(_kinds())
    right = faces[2].copy()
    faces[2] = 0.3 * faces[2] + 150
    doubt = np.zeros(kinds.shape)
    doubt[2, 5] = 0.9
    face = clearer(faces, PLACES, REACH, kinds, doubt, STONES)[2]
    for k, (x, y) in enumerate(PLACES.astype(int)):
        off = np.abs(face[y, x] - right[y, x]).max()
        assert off < 12 if k != 5 else off > 60


def test_clear_faces_keep_half_of_what_is_their_own() -> None:
    """A scratch tells a worn card from another."""
    kinds, faces = _kinds(), _faces(_kinds())
    faces[0][16:20, 10:26] = 250
    face = clearer(faces, PLACES, REACH, kinds, np.zeros(kinds.shape), STONES)[0]
    scratch, usual = 250.0, COLOURS[kinds[0, 0]]
    assert face[18, 18] == pytest.approx((scratch + usual) / 2, abs=8)
