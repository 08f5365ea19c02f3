"""Photographs for enrolment show their pieces where the truth says."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from tests.decks.cactus_sets import ensure_set
from tests.render.cactus_game import SetArt
from tests.render.enroll_pieces import Look, photograph


def test_the_outlined_face_is_where_the_paint_is(tmp_path: Path) -> None:
    """Inside the true outline there is one colour, just outside of it mostly another."""
    art = SetArt.load(ensure_set(tmp_path, "tune-cholla"))
    names = art.basics[:2]
    look = Look(None, 0.2, (640, 360), 0.8, -0.03)
    rgb, truth, view = photograph(np.random.default_rng(4), art, names, 4, look)
    assert rgb.shape == (360, 640, 3)
    assert [t["id"] for t in truth] == names
    tilt = np.degrees(np.arccos(abs(view.R[2, 2])))
    assert tilt < 30
    for t in truth:
        face = np.zeros(rgb.shape[:2], np.uint8)
        cv2.fillPoly(face, [np.round(np.array(t["outline"])).astype(np.int32)], 1)
        inside = cv2.erode(face, np.ones((5, 5), np.uint8)) > 0
        around = (cv2.dilate(face, np.ones((31, 31), np.uint8)) > 0) & (
            cv2.dilate(face, np.ones((15, 15), np.uint8)) == 0
        )
        paint, table = (np.median(rgb[m], axis=0) for m in (inside, around))
        apart = float(np.linalg.norm(paint - table))
        assert apart > 30
        assert np.percentile(np.linalg.norm(rgb[inside] - paint, axis=1), 90) < 0.5 * apart
