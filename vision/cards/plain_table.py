"""What carries plain cards in a picture: the board, the plane and lens, and today's colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_side import BoardSide, board_side, with_board_side
from vision.camera import CameraModel
from vision.cards.board import Board, align_board, find_board, find_board_by_colours
from vision.cards.contour import Fit, fit_edges, free_corners
from vision.cards.face_bank import face_bank
from vision.cards.grounds import estimate_light
from vision.cards.laid import edges_of, outline_of, pose_of
from vision.cards.layers import hidden_points
from vision.cards.outlines import WHOLE, Outline, estimate_cells, find_outlines
from vision.cards.quads import signed_area
from vision.cards.rectify import Pyramid, apply, face_to_px
from vision.cards.survey import CARD_PX, cells_at_scale, first_plane, within
from vision.deck import DeckAppearance, LookSet
from vision.plane import ANY_LENS, LensPrior, Plane, estimate_plane
from vision.types import Quad

Array = NDArray[np.float64]

_CORNER_PX = 0.8  # how exactly the corners of cards that lie on one another tell a common plane
_OTHER_GROUND = 25.0  # grey levels from which a card's ground is none of the board's colours
_CLEARLY = 0.45  # unexplained share up to which a board that was there before is still there
_PLANE_CARDS = 4  # as many outlines tell a first plane well enough
_SIDE_TURNS = 8  # times that a board's size and the plane are told by one another, at most
_SETTLED = 0.002  # share by which a size that has been found changes no more
_ROUGHLY = 0.15  # of a card's shorter side: what an outline may miss a card on the board's own plane


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


class PlainTable:
    """One picture of a table of plain cards: its proposals, its board and its plane, which gets better by and by.

    Parameters
    ----------
    pyramid
        The picture.
    deck
        A deck with a board.
    board
        The board's look.
    camera
        Calibration of the lens for pictures of this size, or None.
    known
        What earlier pictures told.
    """

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
        self.side: BoardSide | None = None
        if self.board is not None:
            self._look_at_scale(side)
        self._best_plane = self._first_plane()

    @property
    def has_plane(self) -> bool:
        """Whether board or cards tell a plane."""
        return self._best_plane is not None

    @property
    def plane(self) -> Plane:
        """The plane by what is known so far; only where there is one."""
        assert self._best_plane is not None
        return self._best_plane

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
        start = self._plane([(self.board.quad_px, self.board_looks.size_mm)], 0.5)
        if start is not None and self.deck.board_taken:
            self._take_side(start, [(o.quad, s.size_mm) for o in self._whole() for s in self.sets], self.board.quad_px)
            start = self._plane([(self.board.quad_px, self.board_looks.size_mm)], 0.5)
        if start is None:
            return None
        known = [(self.board.quad_px, self.board_looks.size_mm)]
        likely = [o for o in self.outlines if o.proposal.visible > WHOLE and not self.on_board(o)][:_PLANE_CARDS]
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

    def _whole(self) -> list[Outline]:
        """The proposals beside the board that show all of a card."""
        return [o for o in self.outlines if o.proposal.visible > WHOLE and not self.on_board(o) and o.whole]

    def _take_side(self, plane: Plane, cards: Sequence[tuple[Quad, tuple[float, float]]], outline: Quad) -> None:
        """The board as large as cards on its plane tell."""
        told = board_side(plane, outline, cards)
        if told is not None:
            self.side = told
            self.deck = replace(with_board_side(self.deck, told), board_taken=True)
            assert self.deck.board is not None
            self.board_looks = self.deck.board

    def _plane(self, known: Sequence[tuple[Quad, tuple[float, float]]], sigma_px: float) -> Plane | None:
        quads, sizes = [q for q, _ in known], [s for _, s in known]
        found = estimate_plane(quads, sizes, self.size, self.camera, sigma_px, self.lens)
        return found if found else None

    def on_board(self, o: Outline) -> bool:
        """Whether a proposal is a part of the board's print."""
        if self.board is None:
            return False
        board = self.board.quad_px.astype(np.float32)
        points = o.proposal.quad_px * 0.8 + o.proposal.quad_px.mean(0) * 0.2
        return all(cv2.pointPolygonTest(board, (float(x), float(y)), False) > 0 for x, y in points)

    def improve_plane(self, poses: list[Array], looks: list[LookSet], covers: Sequence[tuple[int, int]]) -> None:
        """The plane from the corners at which the cards' own sides, and the board's, meet."""
        board = self.fit_board()
        if board is not None:
            poses, looks = [*poses, board.pose], [*looks, self.board_looks]
            covers = (*covers, *((k, len(poses) - 1) for k in range(len(poses) - 1)))
        if not poses:
            return
        sizes = [v.size_mm for v in looks]
        models = [outline_of(v) for v in looks]
        hidden = hidden_points(np.array(poses), sizes, models, covers)
        corners = free_corners(self.rgb, self.plane, np.array(poses), models, hidden)
        known = [(quad, size) for quad, size in zip(corners, sizes, strict=True) if quad is not None]
        if board is not None and corners[-1] is None:
            known.append((self.plane.quad_of(pose_of(board.pose), sizes[-1]), sizes[-1]))
        plane = self._plane(known, _CORNER_PX) if known else None
        if plane is not None and board is not None and self.deck.board_taken:
            *cards, (outline, _) = known
            for _ in range(_SIDE_TURNS):
                before = self.board_looks.size_mm[0]
                self._take_side(plane, cards, outline)
                plane = self._plane([*cards, (outline, self.board_looks.size_mm)], _CORNER_PX) or plane
                if abs(self.board_looks.size_mm[0] / before - 1) < _SETTLED:
                    break
        self._best_plane = plane or self.plane

    def fit_board(self) -> Fit | None:
        """The board on its edges; None where there is none."""
        if self.board is None or not self.has_plane:
            return None
        pose, _ = self.plane.pose_of(self.board.quad_px, self.board_looks.size_mm)
        start = np.array([[pose.x_mm, pose.y_mm, pose.angle_rad]])
        return fit_edges(self.rgb, self.plane, start, [edges_of(self.board_looks, 0)], None, (4.0, 2.0, 1.2))[0]

    def grounds(self) -> Array | None:
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
