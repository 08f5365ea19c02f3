"""Cards with nearly no print on a table with a board: found by their outlines, named by what little is printed.

The network proposes outlines; the board, which is full of print, and the cards' own sides tell the plane and the lens;
on that plane every card is laid onto its edges with three unknowns; then each face of the deck is held against the
laid card. So no name decides where a card lies, and a card without a name still has a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import Pose
from vision.board import Board, align_board, find_board, find_board_by_colours
from vision.camera import CameraModel
from vision.contour import Fit, fit_edges, free_corners
from vision.deck import DeckAppearance, LookSet
from vision.edges import EdgeModel, outline_edges, printed_edges
from vision.faces import Floats, compare, face_bank
from vision.grounds import estimate_light, find_coloured
from vision.layers import hidden_points, order_of, visible_samples
from vision.outlines import WHOLE, Outline, estimate_cells, find_outlines
from vision.plane import ANY_LENS, LensPrior, Plane, estimate_plane
from vision.quads import overlap, signed_area
from vision.rectify import Pyramid, apply, face_to_px
from vision.survey import CARD_PX, cells_at_scale, first_plane, within
from vision.types import Detection, Quad, Reading, Rgb

Array = NDArray[np.float64]

_OFF = 0.3  # of a card's shorter side: a proposal that is farther from any card on the plane is none
_SEEN = 0.3  # visible share from which a proposal is laid onto its edges
_POOR = 0.5  # unexplained share from which other places nearby are tried
_DOUBTFUL = 0.22  # ... from which a named card is laid again from around
_NAMED = 0.62  # ... at which a face is as likely as not
_NAMED_WIDTH = 0.035
_CORNER_PX = 0.8  # how exactly the corners of cards that lie on one another tell a common plane
_SHARP = 40.0  # largest weight of a difference between two faces
_AROUND = tuple((x, y) for x in (-0.14, -0.07, 0.0, 0.07, 0.14) for y in (-0.14, -0.07, 0.0, 0.07, 0.14))
_NEARBY = tuple((x, y) for x in (-0.15, 0.0, 0.15) for y in (-0.15, 0.0, 0.15))
_PATCHES = 4  # of a ground colour that are looked at; a table of that colour would have no end of them
_OTHER_GROUND = 25.0  # grey levels from which a card's ground is none of the board's colours
_CLEARLY = 0.45  # unexplained share up to which a board that was there before is still there
_WELL_KNOWN = 0.06  # of the focal length: then the board alone tells a first plane
_SAME = 0.4  # overlap (IoU) from which two outlines are one card
_WIDE = (5.0, 2.5, 1.2)
_CLOSE = (3.0, 1.6, 1.2)  # reaches in mm of a fit that starts near its end
_PLANE_CARDS = 5  # as many outlines tell a first plane well enough
_ROUGHLY = 0.15  # of a card's shorter side: what an outline may miss a card on the board's own plane
_TOLD = 0.3  # probability from which a name is told
_OUTLINED = 0.75  # share of its outline that a card without a name must show


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What earlier pictures of the same camera told.

    Parameters
    ----------
    lens
        The lens.
    board_px
        (4, 2) where the board was.
    """

    lens: LensPrior | None = None
    board_px: Quad | None = None


NOTHING_KNOWN = Known()


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

    def moved(self, before: Plane, after: Plane) -> Laid:
        """The same card at the same place of the picture, on another plane."""
        pose, _ = after.pose_of(self.quad(before), self.looks.size_mm)
        fit = _with_pose(self.fit, np.array([pose.x_mm, pose.y_mm, pose.angle_rad]))
        return replace(self, fit=fit)


_Start = tuple[int, LookSet, Array]
"""Number of the proposal, what lies there, and the pose to begin from."""


@lru_cache(maxsize=16)
def _contour(looks: LookSet) -> EdgeModel:
    return outline_edges(looks.size_mm, looks.radius_mm, [v.colour for v in looks.looks])


@lru_cache(maxsize=256)
def _edges(looks: LookSet, look: int) -> EdgeModel:
    """Outline and print of a face."""
    picture = looks.looks[look].colour
    return outline_edges(looks.size_mm, looks.radius_mm, [picture]) + printed_edges(picture, looks.size_mm)


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
    table = _Table(Pyramid(rgb), deck, deck.board, camera, known)
    if table.plane is None:
        return Plainly((), None, None)
    laid = table.propose()
    laid = table.by_colour(laid)
    laid = table.refine(laid)
    return table.tell(laid)


class _Table:
    """One picture on its way to `Plainly`."""

    def __init__(
        self, pyramid: Pyramid, deck: DeckAppearance, board: LookSet, camera: CameraModel | None, known: Known
    ) -> None:
        self.pyramid, self.deck, self.board_looks, self.camera = pyramid, deck, board, camera
        self.lens = known.lens or ANY_LENS
        self.rgb = pyramid.rgb
        self.size = (self.rgb.shape[1], self.rgb.shape[0])
        self.cells, side = cells_at_scale(self.rgb)
        self.outlines = [Outline(p, self.rgb, self.cells) for p in find_outlines(self.cells)]
        self.sets = tuple(s for s in deck.sets if any(v.kind == "face" for v in s.looks))
        # the network's scale is chosen by the cards' size, so it tells theirs
        px_per_mm = max(self.size) / side * CARD_PX / min(deck.card_mm)
        self.board = self._board_again(known) or (
            find_board(pyramid, board, px_per_mm, self._round_the_cards(px_per_mm * board.size_mm[0]))
            or find_board(pyramid, board)
            or find_board_by_colours(pyramid, board, px_per_mm)
        )
        if self.board is not None:
            self._look_at_scale(side)
        self.plane = self._first_plane()

    def _board_again(self, known: Known) -> Board | None:
        """The board where it was before, if it clearly lies there."""
        if known.board_px is None:
            return None
        found = align_board(self.pyramid, self.board_looks, known.board_px)
        return found if found is not None and found.left < _CLEARLY else None

    def _round_the_cards(self, reach_px: float) -> NDArray[np.uint8] | None:
        """(H, W) where a board may lie on which cards lie; None (everywhere) where there are none."""
        seen = (self.cells.card > 0.5).astype(np.uint8)
        if not seen.any():
            return None
        size = 2 * int(reach_px / self.cells.cell_px[0]) + 1
        return np.asarray(cv2.dilate(seen, np.ones((size, size), np.uint8)), np.uint8)

    def _look_at_scale(self, side: int) -> None:
        """Look again where the board tells that the network took its squares, or corners of cards, for cards."""
        assert self.board is not None
        longest = max(self.size)
        px_per_mm = np.sqrt(abs(signed_area(self.board.quad_px))) / self.board_looks.size_mm[0]
        better = within(longest * CARD_PX / (px_per_mm * min(self.deck.card_mm)), longest)
        if not 0.7 < better / side < 1.4:
            self.cells = estimate_cells(self.rgb, better)
            self.outlines = [Outline(p, self.rgb, self.cells) for p in find_outlines(self.cells)]

    def _first_plane(self) -> Plane | None:
        """The plane from the board and the fitted outlines of a few whole cards."""
        if self.board is None:
            return first_plane(self.outlines, self.deck, self.size, self.camera)
        known = [(self.board.quad_px, self.board_looks.size_mm)]
        start = self._plane(known, 0.5)
        if start is None:
            return None
        if self.camera is not None or self.lens.sigma_log_f < _WELL_KNOWN:
            return start
        likely = [o for o in self.outlines if o.proposal.visible > WHOLE and not self._on_board(o)][:_PLANE_CARDS]
        for o in likely:
            if not o.whole:
                continue
            options = [
                (start.pose_of(np.roll(o.quad, -k, 0), s.size_mm)[1] / min(s.size_mm), k, s.size_mm)
                for s in self.sets
                for k in (0, 1)
            ]
            misfit, k, size = min(options, key=lambda v: v[0])
            if misfit < _ROUGHLY:
                known.append((np.roll(o.quad, -k, 0), size))
        return self._plane(known, 1.0) or start

    def _plane(self, known: Sequence[tuple[Quad, tuple[float, float]]], sigma_px: float) -> Plane | None:
        quads, sizes = [q for q, _ in known], [s for _, s in known]
        found = estimate_plane(quads, sizes, self.size, self.camera, sigma_px, self.lens)
        return found if found else None

    # --- proposals -------------------------------------------------------------------------------------------------

    def propose(self) -> list[Laid]:
        """The network's proposals, laid onto their edges; those that fit no face are tried nearby too."""
        starts = self._starts()
        fits = self._fits(starts, (6.0, 3.0))
        good = [(looks, f) for (_, looks, _), f in zip(starts, fits, strict=True) if f is not None and f.support > 0.6]
        self._second_plane([f.pose for _, f in good], [looks for looks, _ in good], ())
        starts = self._starts()
        best = self._best(starts)
        poor = [s for s in starts if s[0] not in best or best[s[0]].left > _POOR]
        nearby = [
            (i, looks, _shifted(pose, x * looks.size_mm[0], y * looks.size_mm[0]))
            for i, looks, pose in poor
            for x, y in _AROUND
        ]
        for i, one in self._best(nearby, _CLOSE).items():
            if i not in best or one.left < best[i].left:
                best[i] = one
        return _resolved(list(best.values()), self.plane)

    def _starts(self) -> list[_Start]:
        """Every proposal as a card of each size would lie there."""
        assert self.plane is not None
        starts: list[_Start] = []
        for i, o in enumerate(self.outlines):
            if o.proposal.visible < _SEEN or self._on_board(o):
                continue
            for looks in self.sets:
                pose = _snapped(self.plane, o.proposal.quad_px, looks)
                if pose is not None:
                    starts.append((i, looks, pose))
        return starts

    def _on_board(self, o: Outline) -> bool:
        """Whether a proposal is a part of the board's print."""
        if self.board is None:
            return False
        board = self.board.quad_px.astype(np.float32)
        points = o.proposal.quad_px * 0.8 + o.proposal.quad_px.mean(0) * 0.2
        return all(cv2.pointPolygonTest(board, (float(x), float(y)), False) > 0 for x, y in points)

    def _fits(self, starts: Sequence[_Start], reaches_mm: Sequence[float]) -> list[Fit | None]:
        assert self.plane is not None
        poses = np.array([p for _, _, p in starts]).reshape(-1, 3)
        return fit_edges(self.rgb, self.plane, poses, [_contour(s) for _, s, _ in starts], None, reaches_mm)

    def by_colour(self, laid: list[Laid]) -> list[Laid]:
        """Cards that the network missed, where the deck's ground colours lie about."""
        plane = self.plane
        assert plane is not None
        named = [v for v in laid if v.belongs > 0.5]
        taken = [v.quad(plane) for v in named]
        if self.board is not None:
            taken.append(self.board.quad_px)
        grounds = self._grounds()
        if grounds is None:
            return laid
        starts: list[_Start] = []
        for looks in self.sets:
            w, h = looks.size_mm
            quad = taken[0]
            px2 = abs(signed_area(quad)) / (plane_area(plane, quad)) * w * h
            for centre, angle in find_coloured(self.rgb, grounds, taken, 0.25 * px2)[:_PATCHES]:
                middle, ahead = plane.unproject(
                    np.array([centre, centre + 10 * np.array([np.cos(angle), np.sin(angle)])])
                )
                along = np.arctan2(*(ahead - middle)[::-1])
                pose = np.array([*middle, along - (np.pi / 2 if h > w else 0.0)])
                base = len(self.outlines) + len(starts)
                starts += [
                    (base, looks, _shifted(pose, x * w, y * w) + [0, 0, turn])
                    for x, y in _NEARBY
                    for turn in (0.0, np.pi / 2)
                ]
        more = [v for v in self._best(starts, (6.0, *_CLOSE)).values() if v.belongs > 0.5]
        return _resolved(laid + more, plane)

    def _grounds(self) -> Array | None:
        """(k, 3) the cards' grounds as this picture shows them, by the board's spaces or else by its light."""
        if self.board is None:
            return None
        coarse = face_bank(self.board_looks).coarse
        H = face_to_px(self.board.quad_px, coarse.grid)
        patch = self.pyramid.patch(H, coarse.grid.shape)
        to_sample = np.asarray(np.linalg.inv(coarse.grid.to_mm()), np.float64)
        seen: list[Array] = []
        for space in self.deck.spaces:
            inner = np.asarray(space.region_mm * 0.7 + space.region_mm.mean(0) * 0.3, float)
            mask = np.zeros(coarse.grid.shape, np.uint8)
            cv2.fillPoly(mask, [np.round(apply(to_sample, inner)).astype(np.int32)], 1)
            if np.any(mask):
                seen.append(np.median(patch[mask > 0], axis=0))
        light = estimate_light(coarse.raw[0].astype(float), patch[coarse.rim].astype(float))
        told = [np.array(s.ground) for s in self.deck.spaces]
        known = [v.ground for s in self.sets for v in s.looks if v.kind == "face"]
        rest = [g for g in np.unique(np.round(known), axis=0) if all(np.abs(g - t).max() > _OTHER_GROUND for t in told)]
        found = [*seen, *(light.seen(np.array(rest)) if rest else ())]
        return np.array(found) if found else None

    def _best(self, starts: Sequence[_Start], reaches_mm: Sequence[float] = (6.0, 3.0, 1.6)) -> dict[int, Laid]:
        """The start of each number that ends where a face fits best."""
        assert self.plane is not None
        fits = self._fits(starts, reaches_mm)
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

    def _named(self, looks: LookSet, fit: Fit, visible: float, clear: Floats | None = None) -> Laid | None:
        """Hold every face against a laid card, both ways round; `clear` (rows, columns) is 0 where it is covered."""
        assert self.plane is not None
        fine = face_bank(looks).fine
        quad = self.plane.quad_of(_pose(fit.pose), looks.size_mm)
        ways = (0, 1, 2, 3) if looks.square else (0, 2)
        whole = bool((quad > 0).all() and (quad < np.array(self.size) - 1).all())
        errors, samples = [], 0.0
        for way in ways:
            try:
                H = face_to_px(np.roll(quad, -way, 0), fine.grid)
            except ValueError:
                return None
            mask = (
                np.ones(fine.grid.shape, np.float32)
                if whole
                else np.asarray(self.pyramid.inside(H, fine.grid.shape), np.float32)
            )
            if clear is not None:
                mask = mask * (clear if way == 0 else np.rot90(clear, way))
            c = compare(self.pyramid.patch(H, fine.grid.shape), mask, fine)
            errors.append(c.error)
            samples = c.samples
        error = np.stack(errors)
        number, look = divmod(int(error.argmin()), error.shape[1])
        way = ways[number]
        turned = fit.pose + [0, 0, way * np.pi / 2]
        face = error.min(0)
        return Laid(looks, _with_pose(fit, turned), look, float(face[look]), _readings(face, looks, samples), visible)

    # --- refinement ------------------------------------------------------------------------------------------------

    def refine(self, laid: list[Laid]) -> list[Laid]:
        """The plane again from exact corners, then every card on its outline and its print, minding what covers it."""
        assert self.plane is not None
        covers = order_of(self.pyramid, self.plane, laid)
        laid = self._refit(laid, covers, restart=False)
        named = [k for k, v in enumerate(laid) if v.belongs > 0.5]
        number = {k: n for n, k in enumerate(named)}
        among = [(number[a], number[b]) for a, b in covers if a in number and b in number]
        before = self.plane
        self._second_plane([laid[k].fit.pose for k in named], [laid[k].looks for k in named], among)
        # the plane moved under the cards: each keeps its place in the picture
        laid = [v.moved(before, self.plane) for v in laid]
        laid = self._refit(laid, covers, restart=True)
        return _resolved(laid, self.plane)

    def _refit(self, laid: list[Laid], covers: Sequence[tuple[int, int]], *, restart: bool) -> list[Laid]:
        plane = self.plane
        assert plane is not None
        models = [_edges(v.looks, v.look) if v.belongs > 0.5 else _contour(v.looks) for v in laid]
        poses = np.array([v.fit.pose for v in laid]).reshape(-1, 3)
        hidden = hidden_points(poses, [v.looks.size_mm for v in laid], models, covers)
        clear = visible_samples(poses, [v.looks for v in laid], covers)
        fits = fit_edges(self.rgb, plane, poses, models, hidden, _WIDE)
        best = [self._better(v, fit, c) for v, fit, c in zip(laid, fits, clear, strict=True)]
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
            self.rgb,
            plane,
            np.array([p for _, p in starts]).reshape(-1, 3),
            [models[i] for i, _ in starts],
            [hidden[i] for i, _ in starts],
            _CLOSE,
        )
        for (i, _), fit in zip(starts, fits, strict=True):
            again = self._better(laid[i], fit, clear[i])
            if again.left < best[i].left - 0.01:
                best[i] = again
        return best

    def _better(self, laid: Laid, fit: Fit | None, clear: Floats) -> Laid:
        again = None if fit is None else self._named(laid.looks, fit, laid.visible, clear)
        return laid if again is None else again

    def _second_plane(self, poses: list[Array], looks: list[LookSet], covers: Sequence[tuple[int, int]]) -> None:
        """The plane from the corners at which the cards' own sides, and the board's, meet."""
        assert self.plane is not None
        board = self._board_fit()
        if board is not None:
            poses, looks = [*poses, board.pose], [*looks, self.board_looks]
            covers = (*covers, *((k, len(poses) - 1) for k in range(len(poses) - 1)))
        if not poses:
            return
        sizes = [v.size_mm for v in looks]
        models = [_contour(v) for v in looks]
        hidden = hidden_points(np.array(poses), sizes, models, covers)
        corners = free_corners(self.rgb, self.plane, np.array(poses), models, hidden)
        known = [(quad, size) for quad, size in zip(corners, sizes, strict=True) if quad is not None]
        if board is not None and corners[-1] is None:
            known.append((self.plane.quad_of(_pose(board.pose), sizes[-1]), sizes[-1]))
        self.plane = (self._plane(known, _CORNER_PX) if known else None) or self.plane

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
        if v.readings and v.readings[0].probability > _TOLD:
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
        if not v.readings or v.readings[0].probability <= _TOLD:
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


def _near(a: Laid, b: Laid) -> bool:
    """Whether two cards lie so near that they may be one."""
    return float(np.hypot(*(a.fit.pose - b.fit.pose)[:2])) < max(*a.looks.size_mm, *b.looks.size_mm)


def _resolved(laid: list[Laid], plane: Plane | None) -> list[Laid]:
    """One card one outline, and one outline one name: what explains the picture better stays."""
    assert plane is not None
    kept: list[Laid] = []
    names: set[str] = set()
    for v in sorted(laid, key=lambda v: v.left):
        face = v.looks.looks[v.look].id
        if any(_near(v, k) and overlap(v.quad(plane), k.quad(plane)) > _SAME for k in kept):
            continue
        if v.belongs > 0.5 and face and face in names:
            continue
        kept.append(v)
        if v.belongs > 0.5:
            names.add(face)
    return kept
