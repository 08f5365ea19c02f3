"""Cacti and pieces that were found in a frame, as a table in millimetres with the contacts that it has."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from scoring.table import Candidate, Placement, Point, Pose, Side, TableState
from vision.cactus.cactus_set import CactusSet
from vision.cactus.contacts import find_contacts
from vision.cactus.upright import HungPiece, Stage, Upright
from vision.scene import Observation
from vision.types import Detection, Frame, Reading

Array = NDArray[np.float64]


def understood(
    frame: Frame,
    cactus_set: CactusSet,
    stage: Stage,
    hung: tuple[HungPiece, ...],
    before: Set[tuple[str, str]] = frozenset(),
    sized: Sequence[HungPiece] = (),
) -> Observation:
    """The observation of cacti and pieces that were found; `before` and `sized` see `find_contacts`."""
    table = TableState(
        tuple(placement(cactus_set, piece, hung) for piece in hung),
        _view(frame, stage),
        cacti=tuple(u.id for u in stage.cacti),
        contacts=find_contacts(cactus_set, stage, hung, before, sized),
    )
    detections = tuple(_detection(piece, stage) for piece in hung)
    return Observation(detections, table, frame.at_s, stage=stage, hung=hung)


def placement(cactus_set: CactusSet, piece: HungPiece, hung: Sequence[HungPiece]) -> Placement:
    """A hung piece on the upright plane of its cactus.

    Parameters
    ----------
    cactus_set
        The set.
    piece
        The piece.
    hung
        All pieces: of those on one cactus the nearest to the viewer has the highest layer.
    """
    outline = cactus_set.piece(piece.id).outline_mm
    x, y, z = (float(v) for v in piece.to_cactus.t)
    R = piece.to_cactus.R
    # The plane of the table has y down.
    pose = Pose(x, -y, float(np.arctan2(-R[1, 0], R[0, 0])), piece.cactus)
    size = outline.max(0) - outline.min(0)
    return Placement(
        piece.id,
        piece.id,
        pose,
        (float(size[0]), float(size[1])),
        piece.sigma_mm,
        piece.confidence,
        tuple(Candidate(name, p) for name, p in readings(piece)),
        piece.visible,
        Side.BACK if piece.flipped else Side.FACE,
        sum(h.cactus == piece.cactus and float(h.to_cactus.t[2]) < z for h in hung),
    )


def readings(piece: HungPiece) -> tuple[tuple[str, float], ...]:
    """All names of a piece with their probabilities, likeliest first."""
    others = tuple((name, p) for name, p in piece.readings if name != piece.id)
    return ((piece.id, piece.confidence), *others)


def base_px(cactus_set: CactusSet, stage: Stage, cactus: Upright) -> Array:
    """(4, 2) px: top-left, top-right, bottom-right and bottom-left corner of the front of a cactus's base."""
    width, height, depth = cactus_set.base_mm
    x, z = width / 2, depth / 2
    corners = np.array([[-x, 0.0, z], [x, 0.0, z], [x, -height, z], [-x, -height, z]])
    return stage.project(corners, cactus.to_camera)


def px_per_mm(piece: HungPiece, stage: Stage) -> float:
    """Pixels of the picture for a millimetre at a hung piece."""
    for cactus in stage.cacti:
        if cactus.id == piece.cactus:
            middle = cactus.to_camera.apply(piece.to_cactus.t[None])[0]
            return float(stage.camera.K[0, 0]) / max(float(middle[2]), 1.0)
    return 1.0


def _detection(piece: HungPiece, stage: Stage) -> Detection:
    return Detection(
        np.asarray(piece.outline_px, np.float64),
        piece.id,
        piece.confidence,
        piece.visible,
        piece.sigma_mm * px_per_mm(piece, stage),
        tuple(Reading(name, p) for name, p in readings(piece)),
        piece.flipped,
    )


def _view(frame: Frame, stage: Stage) -> tuple[Point, Point, Point, Point]:
    """The picture's corners in mm, at the scale of the middle cactus and around its foot."""
    height, width = frame.rgb.shape[:2]
    corners = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    if stage.cacti:
        middle = stage.cacti[len(stage.cacti) // 2]
        foot = stage.project(np.zeros((1, 3)), middle.to_camera)[0]
        corners = (corners - foot) * max(float(middle.to_camera.t[2]), 1.0) / float(stage.camera.K[0, 0])
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d
