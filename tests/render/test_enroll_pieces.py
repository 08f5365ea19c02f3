"""Photographs for enrolment show their pieces where the truth says."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.capture.cactus.pieces import find_pieces
from calibration.capture.cactus.plate_sheet import PAPERS, find_sheet
from calibration.capture.cactus.plate_view import PlateView
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


def test_a_sheet_of_paper_below_the_pieces_tells_its_kind_and_the_scale(tmp_path: Path) -> None:
    """Its corners are found to a pixel or so; nothing is found on the table beside it."""
    art = SetArt.load(ensure_set(tmp_path, "tune-cholla"))
    look = Look(None, 0.2, (1280, 720), 0.8, 0.0)
    rgb, truth, view = photograph(np.random.default_rng(8), art, art.basics[:4], 4, look, PAPERS["A4"])
    corners = np.array([[x, y, 0.0] for x, y in ((-148.5, 105), (148.5, 105), (148.5, -105), (-148.5, -105))])
    sheet = find_sheet(rgb)
    assert sheet is not None
    off = np.linalg.norm(view.project(corners)[:, None] - sheet.corners_px[None], axis=2).min(1)
    assert off.max() < 2.0
    n = view.R @ np.array([0, 0, -1.0])
    middle = (np.array(view.size_px) - 1) / 2
    seen = PlateView(middle + n[:2] / n[2] * view.K[0, 0], 0.0, float(view.K[0, 0]), middle)
    flat = seen.flat(view.project(corners))
    mm_per_px = 297 / float(np.hypot(*(flat[1] - flat[0])))
    piece_px = 35.0 / mm_per_px
    told = sheet.paper(seen, piece_px)
    assert told is not None
    assert told[0] == "A4"
    assert told[1] == pytest.approx(mm_per_px, rel=0.008)
    assert sheet.paper(seen, 3 * piece_px) is None
    middles = [np.array(t["outline"]).mean(0) for t in truth]
    found = find_pieces(rgb)
    assert len(found) <= len(middles)
    assert all(min(np.hypot(*(o.mean(0) - m)) for m in middles) < 8 for o in found.traced.outer)


def test_a_sheet_that_is_cut_off_tells_nothing() -> None:
    """Nor does a light table without one."""
    rgb = np.full((360, 640, 3), 90, np.uint8)
    assert find_sheet(rgb) is None
    cut = rgb.copy()
    cut[40:, 100:500] = 220
    assert find_sheet(cut) is None
    whole = rgb.copy()
    whole[40:320, 100:500] = 220
    seen = find_sheet(whole)
    assert seen is not None
    assert np.sort(seen.corners_px[:, 0]) == pytest.approx([99.5, 99.5, 499.5, 499.5], abs=0.6)
