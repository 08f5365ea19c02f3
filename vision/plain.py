"""Cards with nearly no print on a table with a board: found by their outlines, named by what little is printed.

The network proposes outlines; the board, which is full of print, and the cards' own sides tell the plane and the lens;
on that plane every card is laid onto its edges with three unknowns; then each face of the deck is held against the
laid card. So no name decides where a card lies, and a card without a name still has a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import Pose
from vision.board import find_board
from vision.camera import CameraModel
from vision.contour import EdgeModel, Fit, fit_edges, free_corners, outline_edges, printed_edges
from vision.deck import DeckAppearance, LookSet
from vision.faces import compare, face_bank
from vision.grounds import Light, estimate_light, find_coloured
from vision.layers import hidden_points, order_of
from vision.outlines import WHOLE, Cells, Outline, find_outlines
from vision.plane import Plane, estimate_plane
from vision.quads import overlap, signed_area
from vision.rectify import Pyramid, face_to_px
from vision.survey import cells_at_scale
from vision.types import Detection, Quad, Reading, Rgb

Array = NDArray[np.float64]

_OFF = 0.3  # of a card's shorter side: a proposal that is farther from any card on the plane is none
_SEEN = 0.3  # visible share from which a proposal is laid onto its edges
_POOR = 0.5  # unexplained share from which other places nearby are tried
_DOUBTFUL = 0.22  # ... from which a named card is laid again from around
_NAMED = 0.62  # ... at which a face is as likely as not
_NAMED_WIDTH = 0.035
_SHARP = 40.0  # largest weight of a difference between two faces
_AROUND = tuple((x, y) for x in (-0.14, -0.07, 0.0, 0.07, 0.14) for y in (-0.14, -0.07, 0.0, 0.07, 0.14))
_SAME = 0.4  # overlap (IoU) from which two outlines are one card
_WIDE = (5.0, 2.5, 1.2)
_CLOSE = (3.0, 1.6, 1.2)  # reaches in mm of a fit that starts near its end
_OUTLINED = 0.75  # share of its outline that a card without a name must show
_PLANE_CARDS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Plainly:
    """What was found: cards, board and the plane that they share; `covers` are pairs (upper, lower) of detections."""

    detections: tuple[Detection, ...]
    board: Detection | None
    plane: Plane | None
    covers: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card on its edges, with the faces held against it.

    Parameters
    ----------
    fit
        Where it lies; the direction is that of the likeliest face.
    look
        Number of the likeliest face in its set.
    left
        What that face leaves unexplained, 0 to 1.
    readings
        Faces and their probabilities, likeliest first.
    visible
        Share that the network saw, or 1 where it was found by its colour.
    """

    looks: LookSet
    fit: Fit
    look: int
    left: float
    readings: tuple[Reading, ...]
    visible: float

    @property
    def belongs(self) -> float:
        """Probability that this is a card of the deck at all."""
        return _belongs(self.left)

    def quad(self, plane: Plane) -> Quad:
        """(4, 2) corners in px, printed order."""
        return plane.quad_of(_pose(self.fit.pose), self.looks.size_mm)


@lru_cache(maxsize=16)
def _contour(looks: LookSet) -> EdgeModel:
    return outline_edges(looks.size_mm, looks.radius_mm)


@lru_cache(maxsize=256)
def _edges(looks: LookSet, look: int) -> EdgeModel:
    """Outline and print of a face."""
    picture = looks.looks[look].colour
    return _contour(looks) + printed_edges(picture, looks.size_mm)


def locate_plain(rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None = None) -> Plainly:
    """Every card of a picture, and the board.

    Parameters
    ----------
    rgb
        The picture, (H, W, 3).
    deck
        A deck with a board.
    camera
        Calibration of the lens for pictures of this size, or None.
    """
    assert deck.board is not None
    table = _Table(Pyramid(rgb), deck, deck.board, camera)
    if table.plane is None:
        return Plainly((), None, None)
    laid = table.propose()
    laid = table.by_colour(laid)
    laid = table.refine(laid)
    return table.tell(laid)


class _Table:
    """One picture on its way to `Plainly`."""

    def __init__(self, pyramid: Pyramid, deck: DeckAppearance, board: LookSet, camera: CameraModel | None) -> None:
        self.pyramid, self.deck, self.board_looks, self.camera = pyramid, deck, board, camera
        self.rgb = pyramid.rgb
        self.size = (self.rgb.shape[1], self.rgb.shape[0])
        self.cells, _ = cells_at_scale(self.rgb)
        self.outlines = [Outline(p, self.rgb, self.cells) for p in find_outlines(self.cells)]
        self.sets = tuple(s for s in deck.sets if any(v.kind == "face" for v in s.looks))
        likely = [o for o in self.outlines if o.proposal.visible > WHOLE]
        self.whole = [o for o in likely[: 2 * _PLANE_CARDS] if o.whole][:_PLANE_CARDS]
        self.board = find_board(pyramid, board, _open(self.cells, self.whole, self.size)) or find_board(pyramid, board)
        self.plane = self._first_plane()

    def _first_plane(self) -> Plane | None:
        """The plane from the board and the fitted outlines of whole cards."""
        known = [] if self.board is None else [(self.board.quad_px, self.board_looks.size_mm)]
        start = self._plane(known, 0.5) if known else None
        if start is None:
            return self._plane_of_cards()
        for o in self.whole:
            options = [
                (start.pose_of(np.roll(o.quad, -k, 0), s.size_mm)[1] / min(s.size_mm), k, s)
                for s in self.sets
                for k in (0, 1)
            ]
            misfit, k, looks = min(options, key=lambda v: v[0])
            if misfit < 0.12:
                known.append((np.roll(o.quad, -k, 0), looks.size_mm))
        return self._plane(known, 1.0) or start

    def _plane_of_cards(self) -> Plane | None:
        from vision.survey import first_plane

        return first_plane(self.outlines, self.deck, self.size, self.camera)

    def _plane(self, known: Sequence[tuple[Quad, tuple[float, float]]], sigma_px: float) -> Plane | None:
        found = estimate_plane([q for q, _ in known], [s for _, s in known], self.size, self.camera, sigma_px)
        return found if found else None

    # --- proposals -------------------------------------------------------------------------------------------------

    def propose(self) -> list[Laid]:
        """The network's proposals, laid onto their edges; those that fit no face are tried nearby too."""
        plane = self.plane
        assert plane is not None
        starts: list[tuple[int, LookSet, Array]] = []
        for i, o in enumerate(self.outlines):
            if o.proposal.visible < _SEEN:
                continue
            quads = (o.proposal.quad_px,) if o not in self.whole else (o.proposal.quad_px, o.quad)
            for looks in self.sets:
                for quad in quads:
                    pose = _snapped(plane, quad, looks)
                    if pose is not None:
                        starts.append((i, looks, pose))
        best = self._best(starts)
        poor = [s for s in starts if s[0] not in best or best[s[0]].left > _POOR]
        # one start of each is enough to look around from
        around: dict[tuple[int, LookSet], Array] = {(i, looks): pose for i, looks, pose in poor}
        nearby = [
            (i, looks, _shifted(pose, x * looks.size_mm[0], y * looks.size_mm[0]))
            for (i, looks), pose in around.items()
            for x, y in _AROUND
        ]
        for i, one in self._best(nearby, _CLOSE).items():
            if i not in best or one.left < best[i].left:
                best[i] = one
        return _resolved(list(best.values()), plane)

    def by_colour(self, laid: list[Laid]) -> list[Laid]:
        """Cards that the network missed, where the deck's ground colours lie about."""
        plane = self.plane
        assert plane is not None
        named = [v for v in laid if v.belongs > 0.5]
        taken = [v.quad(plane) for v in named]
        if self.board is not None:
            taken.append(self.board.quad_px)
        light = self._light()
        if light is None:
            return laid
        starts: list[tuple[int, LookSet, Array]] = []
        for looks in self.sets:
            w, h = looks.size_mm
            grounds = np.unique([v.ground for v in looks.looks if v.kind == "face"], axis=0)
            quad = taken[0]
            px2 = abs(signed_area(quad)) / (plane_area(plane, quad)) * w * h
            for centre, angle in find_coloured(self.rgb, light.seen(grounds), taken, 0.25 * px2):
                middle, ahead = plane.unproject(
                    np.array([centre, centre + 10 * np.array([np.cos(angle), np.sin(angle)])])
                )
                along = np.arctan2(*(ahead - middle)[::-1])
                pose = np.array([*middle, along - (np.pi / 2 if h > w else 0.0)])
                base = len(self.outlines) + len(starts)
                starts += [
                    (base, looks, _shifted(pose, x * w, y * w) + [0, 0, turn])
                    for x, y in _AROUND
                    for turn in (0.0, np.pi / 2)
                ]
        more = [v for v in self._best(starts, (6.0, *_CLOSE)).values() if v.belongs > 0.5]
        return _resolved(laid + more, plane)

    def _light(self) -> Light | None:
        if self.board is None:
            return None
        bank = face_bank(self.board_looks)
        H = face_to_px(self.board.quad_px, bank.coarse.grid)
        patch = self.pyramid.patch(H, bank.coarse.grid.shape)
        return estimate_light(bank.coarse.raw[0].astype(float), patch[bank.coarse.rim].astype(float))

    def _best(
        self, starts: Sequence[tuple[int, LookSet, Array]], reaches_mm: Sequence[float] = (6.0, 3.0, 1.6)
    ) -> dict[int, Laid]:
        """The start of each number that ends where a face fits best."""
        assert self.plane is not None
        fits = fit_edges(
            self.rgb,
            self.plane,
            np.array([p for _, _, p in starts]),
            [_contour(s) for _, s, _ in starts],
            None,
            reaches_mm,
        )
        best: dict[int, Laid] = {}
        seen: dict[int, list[Array]] = {}
        for (i, looks, _), fit in zip(starts, fits, strict=True):
            if fit is None or fit.support < 0.3:
                continue
            # many starts end in one place
            if any(np.hypot(*(p - fit.pose)[:2]) < 0.5 and abs(p[2] - fit.pose[2]) < 0.02 for p in seen.get(i, [])):
                continue
            seen.setdefault(i, []).append(fit.pose)
            visible = self.outlines[i].proposal.visible if i < len(self.outlines) else 1.0
            one = self._named(looks, fit, visible)
            if one is not None and (i not in best or one.left < best[i].left):
                best[i] = one
        return best

    def _named(self, looks: LookSet, fit: Fit, visible: float, clear: NDArray[np.uint8] | None = None) -> Laid | None:
        """Hold every face against a laid card, both ways round; `clear` (H, W) is nonzero where nothing covers it."""
        assert self.plane is not None
        fine = face_bank(looks).fine
        quad = self.plane.quad_of(_pose(fit.pose), looks.size_mm)
        ways = (0, 1, 2, 3) if looks.square else (0, 2)
        errors, samples = [], 0.0
        for way in ways:
            try:
                H = face_to_px(np.roll(quad, -way, 0), fine.grid)
            except ValueError:
                return None
            mask = self.pyramid.inside(H, fine.grid.shape).astype(np.float32)
            if clear is not None:
                flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
                mask *= cv2.warpPerspective(clear, H, fine.grid.shape[::-1], flags=flags, borderValue=1)
            c = compare(self.pyramid.patch(H, fine.grid.shape), mask, fine)
            errors.append(c.error)
            samples = c.samples
        error = np.stack(errors)
        number, look = divmod(int(error.argmin()), error.shape[1])
        way = ways[number]
        turned = fit.pose + [0, 0, way * np.pi / 2]
        face = error.min(0)
        return Laid(
            looks, _with_pose(fit, turned), look, float(face[look]), _readings(face, looks, samples), visible
        )

    # --- refinement ------------------------------------------------------------------------------------------------

    def refine(self, laid: list[Laid]) -> list[Laid]:
        """The plane again from exact corners, then every card on its outline and its print, minding what covers it."""
        for _ in range(2):
            laid = self._refit(laid)
            self._second_plane(laid)
        return _resolved(self._refit(laid), self.plane)

    def _refit(self, laid: list[Laid]) -> list[Laid]:
        plane = self.plane
        assert plane is not None
        models = [_edges(v.looks, v.look) if v.belongs > 0.5 else _contour(v.looks) for v in laid]
        poses = np.array([v.fit.pose for v in laid]).reshape(-1, 3)
        covers = order_of(self.pyramid, plane, laid)
        hidden = hidden_points(poses, [v.looks.size_mm for v in laid], models, covers)
        # a fit that leaves much unexplained may have slid along a side: it is begun from around too
        starts = [
            (i, poses[i] if x == y == 0 else _shifted(poses[i], x * v.looks.size_mm[0], y * v.looks.size_mm[0]))
            for i, v in enumerate(laid)
            for x, y in (_AROUND if v.belongs > 0.5 and v.left > _DOUBTFUL else ((0.0, 0.0),))
        ]
        fits = fit_edges(
            self.rgb,
            plane,
            np.array([p for _, p in starts]),
            [models[i] for i, _ in starts],
            [hidden[i] for i, _ in starts],
            _WIDE,
        )
        best: dict[int, Laid] = {}
        for (i, _), fit in zip(starts, fits, strict=True):
            again = None if fit is None else self._named(laid[i].looks, fit, laid[i].visible)
            if again is not None and (i not in best or again.left < best[i].left):
                best[i] = again
        return [best.get(i, v) for i, v in enumerate(laid)]

    def _second_plane(self, laid: list[Laid]) -> None:
        """The plane from the corners at which the cards' own sides meet."""
        assert self.plane is not None
        named = [v for v in laid if v.belongs > 0.5]
        poses = [v.fit.pose for v in named]
        models = [_contour(v.looks) for v in named]
        sizes = [v.looks.size_mm for v in named]
        board = self._board_fit()
        if board is not None:
            poses, models, sizes = (
                [*poses, board.pose],
                [*models, _contour(self.board_looks)],
                [*sizes, self.board_looks.size_mm],
            )
        if not poses:
            return
        covers = order_of(self.pyramid, self.plane, named)
        if board is not None:
            covers = (*covers, *((k, len(named)) for k in range(len(named))))
        hidden = hidden_points(np.array(poses), sizes, models, covers)
        corners = free_corners(self.rgb, self.plane, np.array(poses), models, hidden)
        known = [(quad, size) for quad, size in zip(corners, sizes, strict=True) if quad is not None]
        if board is not None and corners[-1] is None:
            known.append((self.plane.quad_of(_pose(board.pose), sizes[-1]), sizes[-1]))
        found = self._plane(known, 0.4) if known else None
        if found is None:
            return
        # the plane moved under the cards: each keeps its place in the picture
        for k, v in enumerate(laid):
            pose, _ = found.pose_of(v.quad(self.plane), v.looks.size_mm)
            laid[k] = Laid(
                v.looks,
                _with_pose(v.fit, np.array([pose.x_mm, pose.y_mm, pose.angle_rad])),
                v.look,
                v.left,
                v.readings,
                v.visible,
            )
        self.plane = found

    def _board_fit(self) -> Fit | None:
        if self.board is None or self.plane is None:
            return None
        pose, _ = self.plane.pose_of(self.board.quad_px, self.board_looks.size_mm)
        start = np.array([[pose.x_mm, pose.y_mm, pose.angle_rad]])
        return fit_edges(self.rgb, self.plane, start, [_edges(self.board_looks, 0)], None, (4.0, 2.0, 1.2))[0]

    # --- the answer ------------------------------------------------------------------------------------------------

    def tell(self, laid: list[Laid]) -> Plainly:
        """Detections in px with their doubt."""
        plane = self.plane
        assert plane is not None
        board = self._tell_board()
        kept = [v for v in laid if self._worth_telling(v, board)]
        detections = tuple(self._detection(v) for v in kept)
        covers = order_of(self.pyramid, plane, kept)
        return Plainly(detections, board, plane, covers)

    def _tell_board(self) -> Detection | None:
        if self.board is None:
            return None
        assert self.plane is not None
        fit = self._board_fit()
        quad, sigma = self.board.quad_px, max(self.board.sigma_px, 0.5)
        if fit is not None and fit.support > 0.4:
            quad = self.plane.quad_of(_pose(fit.pose), self.board_looks.size_mm)
            sigma = self._sigma_px(fit, self.board_looks)
        return Detection(quad, "board", _belongs(self.board.left), 1.0, sigma)

    def _worth_telling(self, v: Laid, board: Detection | None) -> bool:
        if v.belongs > 0.3:
            return True
        if v.fit.support < _OUTLINED:
            return False
        assert self.plane is not None
        middle = v.quad(self.plane).mean(0)
        return (
            board is None
            or cv2.pointPolygonTest(board.quad_px.astype(np.float32), tuple(map(float, middle)), False) < 0
        )

    def _detection(self, v: Laid) -> Detection:
        assert self.plane is not None
        look = v.looks.looks[v.look]
        quad, sigma = v.quad(self.plane), self._sigma_px(v.fit, v.looks)
        if v.belongs <= 0.3:
            return Detection(quad, None, v.fit.support, v.visible, sigma)
        if look.kind == "back":
            return Detection(quad, None, v.belongs, v.visible, sigma, (), True)
        return Detection(quad, look.id, v.readings[0].probability, min(1.0, v.visible), sigma, v.readings)

    def _sigma_px(self, fit: Fit, looks: LookSet) -> float:
        """Standard deviation of a corner along one axis: scatter of the edges, and what the plane is off."""
        assert self.plane is not None
        reach2 = (looks.size_mm[0] ** 2 + looks.size_mm[1] ** 2) / 4
        C = fit.covariance
        own = np.sqrt(max((C[0, 0] + C[1, 1] + C[2, 2] * reach2) / 2, 0.0))
        per_mm = self.plane.px_per_mm(fit.pose[:2])
        return float(np.hypot(own * per_mm, 0.5 * self.plane.residual_px))


def plane_area(plane: Plane, quad: Quad) -> float:
    """Area in square millimetres of an outline in px."""
    return abs(signed_area(plane.unproject(quad)))


def _open(cells: Cells, whole: Sequence[Outline], size: tuple[int, int]) -> NDArray[np.uint8]:
    """(H, W) where the network saw something that whole cards do not explain."""
    left = (cells.card > 0.25).astype(np.uint8)
    for o in whole:
        cv2.fillConvexPoly(left, np.round(cells.on_map(o.quad)).astype(np.int32), 0)
    left = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)).astype(np.uint8)
    left = cv2.dilate(left, np.ones((7, 7), np.uint8)).astype(np.uint8)
    return np.asarray(cv2.resize(left, size, interpolation=cv2.INTER_NEAREST), np.uint8)


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


def _pose(p: Array) -> Pose:
    return Pose(float(p[0]), float(p[1]), float(p[2]))


def _with_pose(fit: Fit, pose: Array) -> Fit:
    return Fit(pose, fit.covariance, fit.support, fit.scatter_mm, fit.found, fit.searched, fit.edges_px)


def _belongs(left: float) -> float:
    return float(1 / (1 + np.exp(np.clip((left - _NAMED) / _NAMED_WIDTH, -30, 30))))


def _readings(error: Array, looks: LookSet, samples: float) -> tuple[Reading, ...]:
    best = float(error.min())
    p = np.exp(-min(_SHARP, samples / 20) * np.log(error / best))
    p = p / p.sum() * _belongs(best)
    return tuple(Reading(looks.looks[i].id, float(p[i])) for i in np.argsort(-p) if p[i] > 1e-3)


def _resolved(laid: list[Laid], plane: Plane | None) -> list[Laid]:
    """One card one outline, and one outline one name: what explains the picture better stays."""
    assert plane is not None
    kept: list[Laid] = []
    names: set[str] = set()
    for v in sorted(laid, key=lambda v: v.left):
        face = v.looks.looks[v.look].id
        if any(overlap(v.quad(plane), k.quad(plane)) > _SAME for k in kept):
            continue
        if v.belongs > 0.5 and face and face in names:
            continue
        kept.append(v)
        if v.belongs > 0.5:
            names.add(face)
    return kept
