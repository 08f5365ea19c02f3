"""Cards with nearly no print on a table with a board: found by their outlines, named by what little is printed.

The network proposes outlines; the board, which is full of print, and the cards' own sides tell the plane and the lens;
on that plane every card is laid onto its edges with three unknowns; then each face of the deck is held against the
laid card. So no name decides where a card lies, and a card without a name still has a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_side import BoardSide
from vision.camera import CameraModel
from vision.cards.contour import Fit, fit_edges
from vision.cards.face_bank import Floats
from vision.cards.grounds import find_coloured
from vision.cards.laid import Laid, belonging, edges_of, outline_of, pose_of, read_faces, resolved
from vision.cards.layers import hidden_points, order_of, visible_samples
from vision.cards.plain_table import NOTHING_KNOWN, Known, PlainTable
from vision.cards.quads import signed_area
from vision.cards.rectify import Pyramid
from vision.deck import DeckAppearance, LookSet
from vision.plane import Plane
from vision.types import Detection, Quad, Rgb

Array = NDArray[np.float64]

_OFF = 0.3  # of a card's shorter side: a proposal that is farther from any card on the plane is none
_SEEN = 0.3  # visible share from which a proposal is laid onto its edges
_POOR = 0.5  # unexplained share from which other places nearby are tried
_DOUBTFUL = 0.22  # ... from which a named card is laid again from around
_AROUND = tuple((x, y) for x in (-0.14, -0.07, 0.0, 0.07, 0.14) for y in (-0.14, -0.07, 0.0, 0.07, 0.14))
_NEARBY = tuple((x, y) for x in (-0.15, 0.0, 0.15) for y in (-0.15, 0.0, 0.15))
_PATCHES = 4  # of a ground colour that are looked at; a table of that colour would have no end of them
_FAR = (6.0, 3.0, 1.6)  # reaches in mm of a fit that starts from a proposal
_WIDE = (5.0, 2.5, 1.2)
_CLOSE = (3.0, 1.6, 1.2)  # ... and of one that starts near its end
_MADE_MM = 0.2  # how exactly a card is cut, lies flat, and at which height
_TORN_MM = 1.2
_MOSTLY = 0.6  # visible share that a card without a name must show
_TOLD = 0.3  # probability from which a name is told
_OUTLINED = 0.75  # share of its outline that a card without a name must show


@dataclass(frozen=True, slots=True, eq=False)
class Plainly:
    """What was found: cards, board and the plane that they share; `covers` are pairs (upper, lower) of detections.

    `side` is how large the board is, where the deck does not know it and the cards tell it.
    """

    detections: tuple[Detection, ...]
    board: Detection | None
    plane: Plane | None
    covers: tuple[tuple[int, int], ...] = ()
    side: BoardSide | None = None


_Start = tuple[int, LookSet, Array]
"""Number of the proposal, what lies there, and the pose to begin from."""


def locate_plain(
    rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None = None, known: Known = NOTHING_KNOWN
) -> Plainly:
    """Every card of a picture, and the board.

    Parameters
    ----------
    rgb
        The picture, (H, W, 3).
    deck
        A deck with a board.
    camera
        Calibration of the lens for pictures of this size, or None.
    known
        What earlier pictures told.
    """
    assert deck.board is not None
    table = PlainTable(Pyramid(rgb), deck, deck.board, camera, known)
    if not table.has_plane:
        return Plainly((), None, None)
    laid = _refine(table, _add_by_colour(table, _propose(table)))
    if known is not NOTHING_KNOWN and _torn(table.plane):
        # a first plane that went astray took the cards with it; begin anew without what was taken as known
        return locate_plain(rgb, deck, camera)
    return _tell(table, laid)


def _torn(plane: Plane) -> bool:
    """Whether the cards' corners miss their common plane by more than cards on one another do."""
    w, h = plane.camera.size_px
    middle = plane.unproject(np.array([[w / 2, h / 2]]))[0]
    return not plane.residual_px < _TORN_MM * plane.px_per_mm(middle)


def _propose(table: PlainTable) -> list[Laid]:
    """The network's proposals, laid onto their edges; those that fit no face are tried nearby too."""
    starts = _starts(table)
    fits = _fits(table, starts, _FAR[:2])
    good = [(looks, f) for (_, looks, _), f in zip(starts, fits, strict=True) if f is not None and f.support > 0.6]
    table.improve_plane([f.pose for _, f in good], [looks for looks, _ in good], ())
    starts = _starts(table)
    best = _best(table, starts)
    poor = [s for s in starts if s[0] not in best or best[s[0]].left > _POOR]
    nearby = [
        (i, looks, _shifted(pose, x * looks.size_mm[0], y * looks.size_mm[0]))
        for i, looks, pose in poor
        for x, y in _AROUND
    ]
    for i, one in _best(table, nearby, _CLOSE).items():
        if i not in best or one.left < best[i].left:
            best[i] = one
    return resolved(list(best.values()), table.plane)


def _starts(table: PlainTable) -> list[_Start]:
    """Every proposal as a card of each size would lie there."""
    starts: list[_Start] = []
    for i, o in enumerate(table.outlines):
        if o.proposal.visible < _SEEN or table.on_board(o):
            continue
        for looks in table.sets:
            pose = _snapped(table.plane, o.proposal.quad_px, looks)
            if pose is not None:
                starts.append((i, looks, pose))
    return starts


def _fits(table: PlainTable, starts: Sequence[_Start], reaches_mm: Sequence[float]) -> list[Fit | None]:
    poses = np.array([p for _, _, p in starts]).reshape(-1, 3)
    return fit_edges(table.rgb, table.plane, poses, [outline_of(s) for _, s, _ in starts], None, reaches_mm)


def _best(table: PlainTable, starts: Sequence[_Start], reaches_mm: Sequence[float] = _FAR) -> dict[int, Laid]:
    """The start of each number that ends where a face fits best."""
    fits = _fits(table, starts, reaches_mm)
    best: dict[int, Laid] = {}
    seen: dict[int, list[Array]] = {}
    for (i, looks, _), fit in zip(starts, fits, strict=True):
        if fit is None or fit.support < 0.3:
            continue
        # many starts end in one place
        if any(np.hypot(*(p - fit.pose)[:2]) < 0.5 and abs(p[2] - fit.pose[2]) < 0.02 for p in seen.get(i, [])):
            continue
        seen.setdefault(i, []).append(fit.pose)
        visible = table.outlines[i].proposal.visible if i < len(table.outlines) else 1.0
        one = read_faces(table.pyramid, table.plane, looks, fit, visible)
        if one is not None and (i not in best or one.left < best[i].left):
            best[i] = one
    return best


def _add_by_colour(table: PlainTable, laid: list[Laid]) -> list[Laid]:
    """Cards that the network missed, where the deck's ground colours lie about."""
    plane = table.plane
    named = [v for v in laid if v.belongs > 0.5]
    taken = [v.quad(plane) for v in named]
    if table.board is not None:
        taken.append(table.board.quad_px)
    grounds = table.grounds()
    if grounds is None:
        return laid
    starts: list[_Start] = []
    for looks in table.sets:
        w, h = looks.size_mm
        quad = taken[0]
        px2 = abs(signed_area(quad)) / (_area_mm2(plane, quad)) * w * h
        for centre, angle in find_coloured(table.rgb, grounds, taken, 0.25 * px2)[:_PATCHES]:
            middle, ahead = plane.unproject(np.array([centre, centre + 10 * np.array([np.cos(angle), np.sin(angle)])]))
            along = np.arctan2(*(ahead - middle)[::-1])
            pose = np.array([*middle, along - (np.pi / 2 if h > w else 0.0)])
            base = len(table.outlines) + len(starts)
            starts += [
                (base, looks, _shifted(pose, x * w, y * w) + [0, 0, turn])
                for x, y in _NEARBY
                for turn in (0.0, np.pi / 2)
            ]
    more = [v for v in _best(table, starts, (_FAR[0], *_CLOSE)).values() if v.belongs > 0.5]
    return resolved(laid + more, plane)


def _refine(table: PlainTable, laid: list[Laid]) -> list[Laid]:
    """The plane again from exact corners, then every card on its outline and its print, minding what covers it."""
    covers = order_of(table.pyramid, table.plane, laid)
    laid = _refit(table, laid, covers, restart=False)
    named = [k for k, v in enumerate(laid) if v.belongs > 0.5]
    number = {k: n for n, k in enumerate(named)}
    among = [(number[a], number[b]) for a, b in covers if a in number and b in number]
    before = table.plane
    table.improve_plane([laid[k].fit.pose for k in named], [laid[k].looks for k in named], among)
    # the plane moved under the cards: each keeps its place in the picture
    laid = [v.moved(before, table.plane) for v in laid]
    laid = _refit(table, laid, covers, restart=True)
    return resolved(laid, table.plane)


def _refit(table: PlainTable, laid: list[Laid], covers: Sequence[tuple[int, int]], *, restart: bool) -> list[Laid]:
    plane = table.plane
    models = [edges_of(v.looks, v.look) if v.belongs > 0.5 else outline_of(v.looks) for v in laid]
    poses = np.array([v.fit.pose for v in laid]).reshape(-1, 3)
    hidden = hidden_points(poses, [v.looks.size_mm for v in laid], models, covers)
    clear = visible_samples(poses, [v.looks for v in laid], covers)
    fits = fit_edges(table.rgb, plane, poses, models, hidden, _WIDE)
    best = [_better(table, v, fit, c) for v, fit, c in zip(laid, fits, clear, strict=True)]
    if not restart:
        return best
    # a fit that leaves much unexplained may have slid along a side: it is begun from around too
    starts = [
        (i, _shifted(poses[i], x * v.looks.size_mm[0], y * v.looks.size_mm[0]))
        for i, v in enumerate(best)
        if v.belongs > 0.5 and v.left > _DOUBTFUL
        for x, y in _AROUND
        if x or y
    ]
    fits = fit_edges(
        table.rgb,
        plane,
        np.array([p for _, p in starts]).reshape(-1, 3),
        [models[i] for i, _ in starts],
        [hidden[i] for i, _ in starts],
        _CLOSE,
    )
    for (i, _), fit in zip(starts, fits, strict=True):
        again = _better(table, laid[i], fit, clear[i])
        if again.left < best[i].left - 0.01:
            best[i] = again
    return best


def _better(table: PlainTable, laid: Laid, fit: Fit | None, clear: Floats) -> Laid:
    again = None if fit is None else read_faces(table.pyramid, table.plane, laid.looks, fit, laid.visible, clear)
    return laid if again is None else again


def _tell(table: PlainTable, laid: list[Laid]) -> Plainly:
    """Detections in px with their doubt."""
    plane = table.plane
    board = _tell_board(table)
    kept = [v for v in laid if _worth_telling(table, v, board)]
    detections = tuple(_detection(table, v) for v in kept)
    covers = order_of(table.pyramid, plane, kept)
    return Plainly(detections, board, plane, covers, table.side)


def _tell_board(table: PlainTable) -> Detection | None:
    if table.board is None:
        return None
    fit = table.fit_board()
    quad, sigma = table.board.quad_px, max(table.board.sigma_px, 0.5)
    if fit is not None and fit.support > 0.4:
        quad = table.plane.quad_of(pose_of(fit.pose), table.board_looks.size_mm)
        sigma = _sigma_px(table.plane, fit, table.board_looks)
    return Detection(quad, "board", belonging(table.board.left), 1.0, sigma)


def _worth_telling(table: PlainTable, v: Laid, board: Detection | None) -> bool:
    if v.readings and v.readings[0].probability > _TOLD:
        return True
    if v.fit.support < _OUTLINED or v.visible < _MOSTLY:
        return False
    middle = v.quad(table.plane).mean(0)
    return board is None or cv2.pointPolygonTest(board.quad_px.astype(np.float32), tuple(map(float, middle)), False) < 0


def _detection(table: PlainTable, v: Laid) -> Detection:
    look = v.looks.looks[v.look]
    quad, sigma = v.quad(table.plane), _sigma_px(table.plane, v.fit, v.looks)
    visible = min(1.0, v.visible)
    if not v.readings or v.readings[0].probability <= _TOLD:
        return Detection(quad, None, v.fit.support, visible, sigma)
    if look.kind == "back":
        return Detection(quad, None, v.belongs, visible, sigma, (), True)
    return Detection(quad, look.id, v.readings[0].probability, visible, sigma, v.readings)


def _sigma_px(plane: Plane, fit: Fit, looks: LookSet) -> float:
    """Standard deviation of a corner along one axis: scatter of the edges, and what the plane is off."""
    reach2 = (looks.size_mm[0] ** 2 + looks.size_mm[1] ** 2) / 4
    C = fit.covariance
    own = np.sqrt(max((C[0, 0] + C[1, 1] + C[2, 2] * reach2) / 2, 0.0))
    per_mm = plane.px_per_mm(fit.pose[:2])
    return float(np.sqrt((own * per_mm) ** 2 + (0.5 * plane.residual_px) ** 2 + (_MADE_MM * per_mm) ** 2))


def _area_mm2(plane: Plane, quad: Quad) -> float:
    """Area in square millimetres of an outline in px."""
    return abs(signed_area(plane.unproject(quad)))


def _snapped(plane: Plane, quad: Quad, looks: LookSet) -> Array | None:
    """The nearest card of that size on the plane, or None where the quad is none."""
    misfit, k = min((plane.pose_of(np.roll(quad, -k, 0), looks.size_mm)[1], k) for k in (0, 1))
    if not misfit < _OFF * min(looks.size_mm):
        return None
    pose, _ = plane.pose_of(np.roll(quad, -k, 0), looks.size_mm)
    return np.array([pose.x_mm, pose.y_mm, pose.angle_rad])


def _shifted(pose: Array, dx: float, dy: float) -> Array:
    """The pose moved along the card's own axes, in mm."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(pose + [dx * c - dy * s, dx * s + dy * c, 0.0])
