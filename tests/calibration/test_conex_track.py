"""The track on a board of CONEX is found by its numbers and by the outlines of its squares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.art.numerals import numeral
from calibration.art.paths import moved, regular
from calibration.art.symbols import Finish, Print, sprite
from calibration.capture.conex.board import _spaces
from calibration.capture.conex.squares import apart
from calibration.capture.conex.track import read_track
from tests.render.enroll_cards import read

DECK = Path(__file__).parent.parent.parent / "calibration" / "decks" / "conex-proxy"


@pytest.mark.parametrize("corners", [4, 6, 8, 24])
def test_squares_that_wind_across_the_board_are_a_track(corners: int) -> None:
    """Squares, hexagons or discs on a spiral, some illegible: all are found by their outlines, in their order."""
    turn = np.sqrt(11.5 * np.arange(34, 3, -1))[:, None]
    places = 300 + 8 * turn * np.hstack([np.cos(turn), np.sin(turn)])
    board = np.full((600, 600, 3), (48, 52, 64), np.uint8)
    for n, (x, y) in enumerate(places):
        edge = np.round(moved(regular(corners, 21), x, y, turn=np.pi / corners) * 8).astype(np.int32)
        cv2.fillPoly(board, [edge], (88, 92, 102), cv2.LINE_AA, 3)
        cv2.polylines(board, [edge], True, (220, 220, 205), 2, cv2.LINE_AA, 3)
        if n and n % 7:
            _stamp(board, sprite(numeral(n, 14.0, underline=False), (240, 240, 240), Print(Finish.FLAT), 22), x, y)
    cv2.fillPoly(board, [np.round(moved(regular(3, 10), *places[0])).astype(np.int32)], (230, 230, 230), cv2.LINE_AA)
    found = read_track(np.asarray(np.rot90(board, 2), np.uint8))
    assert found is not None
    assert found.quarter == 2
    assert len(found.squares) == len(places)
    assert np.abs(found.squares * 600 - places).max() < 5


def test_squares_that_their_numbers_break_open_look_like_the_others() -> None:
    """Diamonds that touch, with numbers across their outlines: all are found by the look that they have in common."""
    along = [(c, 0) for c in range(8)] + [(7, r) for r in range(1, 7)]
    along += [(c, 6) for c in range(6, -1, -1)] + [(0, r) for r in range(5, 1, -1)] + [(c, 2) for c in range(1, 6)]
    places = 150 + 42.0 * np.array(along)
    board = np.full((600, 600, 3), (48, 52, 64), np.uint8)
    for n, (x, y) in enumerate(places):
        edge = np.round(moved(regular(4, 21), x, y) * 8).astype(np.int32)
        cv2.polylines(board, [edge], True, (190, 190, 180), 1, cv2.LINE_AA, 3)
        if n:
            _stamp(board, sprite(numeral(n, 23.0, underline=False), (190, 190, 180), Print(Finish.FLAT), 36), x, y)
    board = cv2.GaussianBlur(board, (0, 0), 1.0)
    found = read_track(board)
    assert found is not None
    apart = np.linalg.norm(found.squares[:, None] * 600 - places[None], axis=2)
    assert (apart.min(0) < 6).all()
    assert (apart.min(1) < 6).all()


def _stamp(board: Any, sign: Any, x: float, y: float) -> None:
    h, w = sign.shape[:2]
    part = board[round(y - h / 2) :, round(x - w / 2) :][:h, :w]
    part[:] = part * (1 - sign[..., 3:]) + sign[..., :3]


def test_board_upside_down_is_turned_by_its_numbers() -> None:
    """A board is read the same whichever of its sides is up."""
    data = json.loads((DECK / "deck.json").read_text())["board"]
    picture = cv2.resize(read(DECK / data["image"]), (600, 600), interpolation=cv2.INTER_AREA)
    found = read_track(np.asarray(np.rot90(picture, 2), np.uint8))
    assert found is not None
    assert found.quarter == 2
    squares = np.array(data["track"][1:]) / data["size_mm"]
    assert np.abs(found.squares[-len(squares) :] - squares).max() < 0.02


def test_paper_between_a_number_and_a_frame_is_no_number() -> None:
    """What looks like a digit nearer to a number than a square is wide is left out; the surer one stays."""
    squares = np.array([[100.0 + 90 * x, 100.0 + 90 * y] for x in range(3) for y in range(3)])
    between = squares[[1, 6]] + [0.0, 40.0]
    kept = apart(np.concatenate([between, squares]), np.array([0.7, 0.9, *[0.98] * 9]))
    assert sorted(kept.tolist()) == squares.tolist()


def test_track_without_numbers_is_not_guessed() -> None:
    """Squares that nothing is written on have no order."""
    plain = np.full((600, 600, 3), 220, np.uint8)
    for x in range(200, 400, 50):
        for y in range(200, 400, 50):
            cv2.rectangle(plain, (x, y), (x + 50, y + 50), (40, 40, 40), 2)
    assert read_track(plain) is None


def test_a_grey_space_ends_where_the_paper_begins() -> None:
    """Its colour is hardly another than the paper's: what tells them apart is how light they are."""
    face = np.full((960, 960, 3), (158, 156, 154), np.uint8)
    paints = {(0, 0): (86, 90, 98), (1, 0): (150, 80, 105), (1, 1): (150, 140, 60), (0, 1): (50, 118, 130)}
    for (x, y), paint in paints.items():
        face[y * 704 : y * 704 + 256, x * 704 : x * 704 + 256] = paint
    found = _spaces(face)
    assert found is not None
    for space in found[0]:
        assert np.ptp(space, axis=0) == pytest.approx([32, 32], abs=1)
