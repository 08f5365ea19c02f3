"""One frame, understood: `observe` is a pure function from a picture and prior knowledge to cards in mm."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, Candidate, Placement, Pose, Side, TableState, Token
from vision.board_side import with_board_side
from vision.camera import CameraModel
from vision.cards.locate import Located, locate
from vision.cards.plain_table import Known
from vision.plane import Plane
from vision.scene import Observation, SceneModel
from vision.tokens.flat_card import CardInView
from vision.tokens.tokens import read_tokens
from vision.tracking.recheck import Piece, lens_for, pieces_of, recheck
from vision.types import Detection, Failure, Frame, Quad, Rgb

Array = NDArray[np.float64]

WORKING_SIDE = 1920
"""Pictures with a longer side are analysed at this size; the answer is in their own pixels."""


def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
    """Find and name the cards of a frame.

    Parameters
    ----------
    frame
        An upright picture.
    model
        Deck, calibration and playing area.

    Returns
    -------
    Observation or Failure
        The failure says what is wrong with the picture; an empty table is an observation without placements.
    """
    rgb = frame.rgb
    if rgb.ndim != 3 or rgb.shape[2] != 3 or min(rgb.shape[:2]) < 32:
        return Failure("too small", "the picture is smaller than 32 pixels")
    h, w = rgb.shape[:2]
    if min(w, h) * WORKING_SIDE < 32 * max(w, h):
        return Failure("too narrow", f"a strip of {w} x {h} pixels")
    small, scale = _working(rgb)
    size = (small.shape[1], small.shape[0])
    camera = lens_for(model, *size)
    found = locate(
        small,
        model.deck,
        camera,
        Known(model.lens, None if model.board_px is None else (model.board_px + 0.5) / scale - 0.5),
    )
    if found.side is not None and model.deck is not None:
        model = replace(model, deck=with_board_side(model.deck, found.side))
    detections, covers = _within(model, tuple(_rescaled(d, scale) for d in found.detections), found.covers)
    board = None if found.board is None else _rescaled(found.board, scale)
    at_work = [
        Piece((p.quad_px + 0.5) / scale - 0.5, p.size_mm, p.sigma_px / scale)
        for p in pieces_of(detections, board, model)
    ]
    measured, standing = recheck(found.plane, at_work, model, size)
    found = replace(found, plane=measured)
    notes = () if found.plane is not None or not detections else ("no common plane",)
    plane = None if found.plane is None else found.plane.scaled(w, h)
    table = _table(detections, found, model, scale, (w, h))
    table = replace(table, covers=covers, board=None if board is None else _board(board, found, model, scale))
    tokens, tokens_px = _tokens(small, detections, table, found, model, scale)
    table = replace(table, tokens=tokens)
    return Observation(
        detections, table, frame.at_s, notes, board, tokens_px, plane, standing=standing, side=found.side
    )


def _tokens(
    small: Rgb,
    detections: tuple[Detection, ...],
    table: TableState,
    found: Located,
    model: SceneModel,
    scale: float,
) -> tuple[tuple[Token, ...], tuple[tuple[float, float], ...]]:
    """Pawns and stars, and where each is in the picture."""
    if model.deck is None or model.deck.tokens is None or found.plane is None:
        return (), ()
    plane = found.plane
    board = table.board

    def to_px(points_mm: Array) -> Array:
        assert board is not None
        c, s = np.cos(board.pose.angle_rad), np.sin(board.pose.angle_rad)
        local = points_mm - np.array(board.size_mm) / 2
        return plane.project(local @ np.array([[c, s], [-s, c]]) + [board.pose.x_mm, board.pose.y_mm])

    cards = [CardInView(str(i), d.face, (d.quad_px + 0.5) / scale - 0.5) for i, d in enumerate(detections)]
    read = read_tokens(small, None if board is None else to_px, plane, cards, model.deck.tokens)
    at_mm = plane.unproject(np.array([t.at_px for t in read]).reshape(-1, 2))
    tokens = tuple(
        Token(t.kind, t.name, (float(x), float(y)), t.on, t.square, t.confidence)
        for t, (x, y) in zip(read, at_mm, strict=True)
    )
    return tokens, tuple(((t.at_px[0] + 0.5) * scale - 0.5, (t.at_px[1] + 0.5) * scale - 0.5) for t in read)


def _within(
    model: SceneModel, detections: tuple[Detection, ...], covers: tuple[tuple[int, int], ...]
) -> tuple[tuple[Detection, ...], tuple[tuple[str, str], ...]]:
    """The cards of the agreed area, and which lies on which by their new numbers."""
    kept = list(range(len(detections)))
    if model.area_px is not None:
        area = np.asarray(model.area_px, np.float32).reshape(-1, 1, 2)
        # where a game has a board, a card that sticks out of the area is judged for it
        whole = model.deck is None or model.deck.board is None
        kept = [i for i, d in enumerate(detections) if _reaches(area, d.quad_px, whole)]
    number = {i: str(n) for n, i in enumerate(kept)}
    pairs = tuple((number[a], number[b]) for a, b in covers if a in number and b in number)
    return tuple(detections[i] for i in kept), pairs


def _reaches(area: NDArray[np.float32], quad: Quad, by_middle: bool) -> bool:
    points = [quad.mean(0)] if by_middle else [quad.mean(0), *quad]
    return any(cv2.pointPolygonTest(area, (float(x), float(y)), False) >= 0 for x, y in points)


def _board(board: Detection, found: Located, model: SceneModel, scale: float) -> Placement | None:
    """The board in mm; None where no plane was found."""
    if found.plane is None or model.deck is None or model.deck.board is None:
        return None
    size = model.deck.board.size_mm
    pose, _ = found.plane.pose_of((board.quad_px + 0.5) / scale - 0.5, size)
    sigma = float(np.hypot(_sigma_mm(board, scale, found.plane, pose, model), model.deck.board_sigma_mm / 2))
    return Placement(BOARD, BOARD, pose, size, sigma, board.confidence, (), board.visible)


def _sigma_mm(d: Detection, scale: float, plane: Plane, pose: Pose, model: SceneModel) -> float:
    """Standard deviation of a corner in mm: how exactly it is seen, and how far the calibration may be off."""
    px = np.hypot(d.sigma_px / scale, model.off_share * max(plane.camera.size_px))
    return float(px / max(plane.px_per_mm((pose.x_mm, pose.y_mm)), 1e-6))


def _working(rgb: Rgb) -> tuple[Rgb, float]:
    """The picture at the size it is analysed at, and how many of its own pixels one of those is."""
    longest = max(rgb.shape[:2])
    if longest <= WORKING_SIDE:
        return rgb, 1.0
    h, w = rgb.shape[:2]
    size = (round(w * WORKING_SIDE / longest), round(h * WORKING_SIDE / longest))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8), longest / WORKING_SIDE


def _rescaled(d: Detection, scale: float) -> Detection:
    if scale == 1.0:
        return d
    return Detection(
        (d.quad_px + 0.5) * scale - 0.5, d.face, d.confidence, d.visible, d.sigma_px * scale, d.readings, d.is_back
    )


def _table(
    detections: tuple[Detection, ...], found: Located, model: SceneModel, scale: float, size: tuple[int, int]
) -> TableState:
    plane = found.plane or _plain(detections, model, scale, size)
    w, h = size[0] / scale, size[1] / scale
    view = plane.unproject(np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]]))
    placements = []
    sizes = {look.id: look.size_mm for look in model.deck.looks} if model.deck else {}
    usual = model.deck.card_mm if model.deck else (63.0, 88.0)
    for i, d in enumerate(detections):
        mm = sizes.get(d.face or "", usual)
        quad = (d.quad_px + 0.5) / scale - 0.5
        if d.face is None and not d.is_back:
            across = plane.unproject(quad)
            if (np.hypot(*(across[1] - across[0])) > np.hypot(*(across[3] - across[0]))) != (mm[0] > mm[1]):
                quad = np.roll(quad, -1, 0)
        pose, _ = plane.pose_of(quad, mm)
        sigma = _sigma_mm(d, scale, plane, pose, model)
        side = Side.FACE if d.face is not None else Side.BACK if d.is_back else Side.UNKNOWN
        candidates = tuple(Candidate(r.face, r.probability) for r in d.readings)
        placements.append(Placement(str(i), d.face, pose, mm, sigma, d.confidence, candidates, d.visible, side))
    corners = tuple((float(x), float(y)) for x, y in view)
    return TableState(tuple(placements), (corners[0], corners[1], corners[2], corners[3]))


def _plain(detections: tuple[Detection, ...], model: SceneModel, scale: float, size: tuple[int, int]) -> Plane:
    """A plane seen from straight above, scaled by the cards found (or by a guess where there are none)."""
    usual = model.deck.card_mm if model.deck else (63.0, 88.0)
    w, h = size[0] / scale, size[1] / scale
    s = 2.0
    if detections:
        d = [
            np.sqrt(abs(np.linalg.det(np.stack([q[1] - q[0], q[3] - q[0]]))) / (usual[0] * usual[1]))
            for q in (v.quad_px / scale for v in detections)
        ]
        s = float(np.median(d))
    K = np.array([[max(w, h), 0, (w - 1) / 2], [0, max(w, h), (h - 1) / 2], [0, 0, 1.0]])
    return Plane(
        CameraModel((round(w), round(h)), K, np.zeros(5)),
        np.array([[s, 0, (w - 1) / 2], [0, s, (h - 1) / 2], [0, 0, 1.0]]),
        float("inf"),
    )
