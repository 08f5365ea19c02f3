"""Whether the camera still stands and sees as it did when it was calibrated: what lies on the table tells it.

Cards are rigid and their size is known. On the plane of the calibration their corners form such rectangles as long as
tilt, height and lens are those of then; a camera that was only turned about its axis or pushed along the table
measures as well as before. A contradiction takes the plane away and, where the lens itself is another one, the lens;
nothing is bent to fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.camera import CameraModel
from vision.cards.quads import signed_area
from vision.plane import ANY_LENS, Plane, estimate_plane
from vision.scene import SceneModel
from vision.types import Detection, Failure, Quad, Standing

_MISFIT = 0.012
"""Share of a card's side by which its corners may miss the rectangle that they are."""
_NOISE = 3.0
"""... or so many standard deviations of a corner."""
_DECIDES = 0.75
"""Share of the cards that must fit: some may lie tilted on others."""
_LEAST = 3
"""So few cards decide nothing: one may lie on a coin."""
_LENS_LEAST = 4
_LENS_OFF = 0.08
"""A focal length that differs by less than this share is no other one."""
_LENS_SIGMA = 0.04
_SHAPE = 0.01
"""By how much the ratio of a picture's sides may differ from that of the calibration."""
_VISIBLE, _SURE = 0.85, 0.8


CONTRADICTIONS = (Standing.MOVED, Standing.LENS, Standing.SHAPE)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A card of known size in the picture: its corners, its size, and how exact the corners are."""

    quad_px: Quad
    size_mm: tuple[float, float]
    sigma_px: float


def lens_for(model: SceneModel, width: int, height: int) -> CameraModel | None:
    """The calibrated lens for pictures of that size; None where there is none, or where the picture is a cut-out.

    A camera that gives another shape of picture cuts some away, and nothing tells which part.
    """
    camera = model.camera
    if camera is None or not same_shape(camera, width, height):
        return None
    return camera.scaled(width, height)


def same_shape(camera: CameraModel, width: int, height: int) -> bool:
    """Whether pictures of that size have the shape of those that were calibrated."""
    return bool(abs(width * camera.size_px[1] / (height * camera.size_px[0]) - 1) < _SHAPE)


def pieces_of(detections: Sequence[Detection], board: Detection | None, model: SceneModel) -> list[Piece]:
    """The cards, and the board, that are whole, sure, and of a size that the deck knows."""
    if model.deck is None:
        return []
    sizes = {look.id: look.size_mm for look in model.deck.looks}
    found = [(d, sizes[d.face]) for d in detections if d.face in sizes]
    if board is not None and model.deck.board is not None:
        found.append((board, model.deck.board.size_mm))
    return [Piece(d.quad_px, size, d.sigma_px) for d, size in found if d.visible >= _VISIBLE and d.confidence >= _SURE]


def recheck(
    found: Plane | None, pieces: Sequence[Piece], model: SceneModel, size_px: tuple[int, int]
) -> tuple[Plane | None, Standing]:
    """The plane to measure on, and how the picture agrees with the calibration.

    Parameters
    ----------
    found
        The plane that the cards of this picture share, estimated with the calibrated lens where it is of use.
    pieces
        What lies there, in pixels of this picture.
    model
        `camera` and `table` are what was calibrated.
    size_px
        Width and height of this picture.

    Returns
    -------
    Plane or None
        The calibrated plane where the cards lie on it, else `found`; a plane without the calibrated lens where the
        lens is contradicted.
    Standing
        What is to be told.
    """
    if model.camera is None:
        return found, Standing.UNKNOWN
    if not same_shape(model.camera, *size_px):
        return found, Standing.SHAPE
    if model.table is not None and found is not None:
        table = model.table.scaled(*size_px)
        off = _misfits(table, pieces)
        if len(off) and float(np.quantile(off, _DECIDES)) <= 1.0:
            return table, Standing.AS_CALIBRATED
        if len(off) < _LEAST:
            return found, Standing.UNKNOWN
        free = _other_lens(pieces, model.camera.scaled(*size_px), size_px)
        return (found, Standing.MOVED) if free is None else (free, Standing.LENS)
    free = _other_lens(pieces, model.camera.scaled(*size_px), size_px)
    return (found, Standing.UNKNOWN) if free is None else (free, Standing.LENS)


def _misfits(table: Plane, pieces: Sequence[Piece]) -> np.ndarray:
    """By how much each card's corners miss their rectangle on the plane, in units of what is allowed."""
    out = []
    for piece in pieces:
        pose, rms_mm = table.pose_of(piece.quad_px, piece.size_mm)
        side = float(np.sqrt(piece.size_mm[0] * piece.size_mm[1]))
        noise = _NOISE * piece.sigma_px / max(table.px_per_mm((pose.x_mm, pose.y_mm)), 1e-6)
        out.append(rms_mm / max(_MISFIT * side, noise))
    return np.array(out)


def _other_lens(pieces: Sequence[Piece], camera: CameraModel, size_px: tuple[int, int]) -> Plane | None:
    """The plane with a lens of its own where the cards tell for sure that it is not the calibrated one."""
    if len(pieces) < _LENS_LEAST:
        return None
    quads, sizes = [p.quad_px for p in pieces], [p.size_mm for p in pieces]
    sigma = float(np.median([p.sigma_px for p in pieces]))
    free = estimate_plane(quads, sizes, size_px, None, max(sigma, 0.3), ANY_LENS)
    if isinstance(free, Failure) or free.lens is None or free.lens.sigma_log_f > _LENS_SIGMA:
        return None
    known = float(np.log(camera.K[0, 0] / max(size_px)))
    if abs(free.lens.log_f - known) < max(_LENS_OFF, 4 * free.lens.sigma_log_f):
        return None
    held = estimate_plane(quads, sizes, size_px, camera, max(sigma, 0.3))
    spread = float(np.median([np.sqrt(abs(signed_area(q))) for q in quads]))
    worse = held.residual_px - free.residual_px if isinstance(held, Plane) else float("inf")
    return free if worse > max(0.003 * spread, sigma) else None
