"""The board of CONEX: its outline, the four coloured spaces, and the track's squares."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture.cards import LaidCard, cut_out, find_laid_cards
from calibration.capture.conex.track import read_track
from calibration.capture.grounds import lab_of
from vision.cards.quads import fit_quad, is_convex, overlap, side_lengths, signed_area
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

SIZE_MM = 120.0
"""Side of the board: the game's own; it can be stated otherwise in the deck."""

_PX_PER_MM = 8.0
_SIDE = 700  # long side of the picture in which the board is looked for
_LEAST, _MOST = 0.02, 0.9  # of the picture's area
_SQUARE = 1.9  # how much longer one side may look than the next
_TRIED = 12
_SAME = 0.97  # overlap from which two outlines are one
_PATTERN = 21  # pixels of that picture
_COLOURFUL = (12.0, 20.0, 30.0, 45.0)  # difference from the table in a* and b*
_PATCHES = 7
_LEAST_PATCH = 0.0015  # of the picture's area
_ALIKE_PATCH = 0.35  # area of the smallest of four, as a share of the largest's
_COVERED = (0.1, 0.6)  # of the board's area, by its spaces
_LEAST_SPACE, _UNEQUAL = 0.1, 1.2  # of the board's side; how much longer one side of a space is than another
_SAME_COLOUR = 16.0
_SHADE, _GREY = 0.5, 12.0  # how much lightness counts, and from which chroma on it counts less
_GAP = 8  # pixels of another colour at which a space has ended
_ROUND = 1.03  # of the board's outline, so that its edge is covered, too
_AGREEING = 0.9  # the least side that a card tells, as a share of the greatest
_LIKELY_MM = (95.0, 130.0)  # of a board's side: what seems to be of another is asked about
_CARD_SHAPE = 0.12  # by how much the shape of a card beside the board may seem another, as a logarithm
_CHROMA = 18.0  # from which a place has a colour


@dataclass(frozen=True, slots=True, eq=False)
class ReadBoard:
    """What `deck.json` says of the board, its picture, its outline in px, and what a person must confirm."""

    fields: dict[str, Any]
    picture: NDArray[np.uint8]
    quad_px: Quad
    asks: tuple[str, ...]


def read_board(
    rgb: Rgb,
    palette: Array,
    names: Sequence[str],
    card_mm: tuple[float, float] | None = None,
    side_mm: float | None = None,
) -> ReadBoard | None:
    """Read the board of a photograph; None where no board is found.

    Parameters
    ----------
    palette, names
        (4, 3) Lab and names of the cards' colours.
    card_mm
        Size of the cards: one that lies beside the board tells how large the board is.
    side_mm
        How large a person says that it is.
    """
    for quad in find_boards(rgb):
        face = cut_out(rgb, LaidCard(0, quad, (SIZE_MM, SIZE_MM)), _PX_PER_MM)
        spaces = _spaces(face)
        if spaces is not None:
            break
    else:
        return None
    track = read_track(face, [r / SIZE_MM for r in spaces[0]])
    if track is not None and track.quarter:
        face = np.ascontiguousarray(np.rot90(face, track.quarter))
        quad = np.roll(quad, -track.quarter, 0)
        spaces = _spaces(face) or spaces
    regions, colours = spaces
    off = np.linalg.norm((colours[:, None] - palette[None]) * [0.35, 1, 1], axis=2)
    # one lamp over the board and another over the cards: what all four differ by is the lamp's
    rows, columns = linear_sum_assignment(off)
    shift = np.median(colours[rows] - palette[columns], axis=0)
    off = np.linalg.norm((colours[:, None] - shift - palette[None]) * [0.35, 1, 1], axis=2)
    rows, columns = linear_sum_assignment(off)
    seen_mm = None if side_mm is not None or card_mm is None else _side_beside_cards(rgb, quad, card_mm)
    side = side_mm or seen_mm or SIZE_MM
    fields: dict[str, Any] = {
        "image": "board.png",
        "size_mm": side,
        "spaces": [
            {"color": names[int(c)], "region": np.round(regions[int(r)] * (side / SIZE_MM), 2).tolist()}
            for r, c in zip(rows, columns, strict=True)
        ],
    }
    if side_mm is None and seen_mm is None:
        fields["size_taken"] = True
    if track is not None:
        fields["track"] = np.round(track.squares * side, 1).tolist()
        fields["goal"] = len(track.squares) - 1
    asks = ["track"] if track is None or not track.sure else []
    if side_mm is None and seen_mm is None:
        asks.append("size_mm")
    return ReadBoard(fields, face, quad, tuple(asks))


def _side_beside_cards(rgb: Rgb, board: Quad, card_mm: tuple[float, float]) -> float | None:
    """Side of the board in mm, from the cards that lie beside it; None where there are none."""
    # the board's own fields may look like cards: the table's colour is laid over them, too
    around = board.mean(0) + _ROUND * (board - board.mean(0))
    hidden = rgb.copy()
    rim = np.concatenate([rgb[:4].reshape(-1, 3), rgb[-4:].reshape(-1, 3)])
    cv2.fillConvexPoly(hidden, np.round(around).astype(np.int32), tuple(float(v) for v in np.median(rim, axis=0)))
    for picture in (rgb, hidden):
        sides = _sides(find_laid_cards(picture, 0, [card_mm]), board, card_mm)
        if sides and min(sides) > _AGREEING * max(sides) and _LIKELY_MM[0] <= np.median(sides) <= _LIKELY_MM[1]:
            return round(float(np.median(sides)), 1)
    return None


def _sides(cards: Sequence[LaidCard], board: Quad, card_mm: tuple[float, float]) -> list[float]:
    """Side of the board in mm as each card outside it tells."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    flat = cv2.getPerspectiveTransform(board.astype(np.float32), square)
    sides = []
    for card in cards:
        if cv2.pointPolygonTest(board.astype(np.float32), tuple(map(float, card.quad_px.mean(0))), False) >= 0:
            continue
        laid = cv2.perspectiveTransform(card.quad_px[None].astype(np.float32), flat)[0].astype(float)
        a, b = side_lengths(laid)
        if abs(np.log(max(a, b) / min(a, b) / (max(card_mm) / min(card_mm)))) < _CARD_SHAPE:
            sides.append(float(np.sqrt(card_mm[0] * card_mm[1] / (a * b))))
    return sides


def find_boards(rgb: Rgb) -> Iterator[Quad]:
    """Outlines that may be the board's, (4, 2) clockwise from the top left, the likeliest first."""
    scale = min(1.0, _SIDE / max(rgb.shape[:2]))
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    # a pattern of the table's is smoothed away, and so are the board's own corners
    looks = [lab_of(cv2.bilateralFilter(small, 7, 40, 5)), lab_of(cv2.medianBlur(small, _PATTERN))]
    tables = [np.median(_rim(lab), 0) for lab in looks]
    found = [f for lab, table in zip(looks, tables, strict=True) for f in _outlines(lab, table, scale)]
    found.sort(key=lambda f: -f[0])
    seen: list[Quad] = []
    for _, quad in found[:_TRIED]:
        if any(overlap(quad, q) > _SAME for q in seen):
            continue
        seen.append(quad)
        fitted = fit_quad(rgb, quad, search=0.05, prior=0.03)
        again = fit_quad(rgb, fitted.quad_px, search=0.015, prior=0.01)
        yield again.quad_px if again.support.min() > 0.3 else fitted.quad_px
    # on a table that looks like the board its four spaces tell where it lies
    for quad in [q for lab, table in zip(looks, tables, strict=True) for q in _round_four_spaces(lab, table)]:
        full = (quad + 0.5) / scale - 0.5
        fitted = fit_quad(rgb, full, search=0.02, prior=0.01)
        if fitted.support.min() > 0.3:
            yield fitted.quad_px
        yield full


def _rim(lab: Array) -> Array:
    """(n, 3) what lies along the picture's edge: the table."""
    sides = (lab[:6], lab[-6:], lab[:, :6], lab[:, -6:])
    return np.concatenate([side.reshape(-1, 3) for side in sides])


def _outlines(lab: Array, table: Array, scale: float) -> list[tuple[float, Quad]]:
    """Four-sided patches unlike the table, in pixels of the photo, and how good each is."""
    h, w = lab.shape[:2]
    spread = np.percentile(np.linalg.norm(_rim(lab) - table, axis=1), 90)
    found: list[tuple[float, Quad]] = []
    for factor in (1.0, 1.6, 0.7, 2.4):
        off = np.linalg.norm(lab - table, axis=2) > max(8.0, factor * spread)
        mask = cv2.morphologyEx(off.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            hull = cv2.convexHull(contour)
            area = cv2.contourArea(hull)
            if not _LEAST * h * w < area < _MOST * h * w:
                continue
            quad = _four(np.asarray(hull, np.int32))
            if quad is None:
                continue
            a, b = side_lengths(quad)
            if max(a, b) > _SQUARE * min(a, b):
                continue
            fill = area / max(abs(signed_area(quad)), 1.0) * cv2.contourArea(contour) / area
            found.append((float(fill * np.sqrt(area)), (quad + 0.5) / scale - 0.5))
    return found


def _round_four_spaces(lab: Array, table: Array) -> list[Quad]:
    """Outlines round four coloured patches of about one size that stand in a square."""
    off = np.linalg.norm((lab - table)[..., 1:], axis=2)
    out: list[Quad] = []
    for level in _COLOURFUL:
        mask = cv2.morphologyEx((off > level).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        patches = [
            c
            for c in sorted(contours, key=cv2.contourArea, reverse=True)[:_PATCHES]
            if cv2.contourArea(c) > _LEAST_PATCH * mask.size
        ]
        for four in itertools.combinations(patches, 4):
            areas = [cv2.contourArea(c) for c in four]
            if min(areas) < _ALIKE_PATCH * max(areas):
                continue
            hull = cv2.convexHull(np.concatenate(four))
            quad = _four(np.asarray(hull, np.int32))
            if quad is None or max(side_lengths(quad)) > _SQUARE * min(side_lengths(quad)):
                continue
            share = sum(areas) / max(abs(signed_area(quad)), 1.0)
            if _COVERED[0] < share < _COVERED[1]:
                out.append(quad)
    return out[:4]


def _four(hull: NDArray[np.int32]) -> Quad | None:
    length = cv2.arcLength(hull, True)
    for share in (0.02, 0.03, 0.045, 0.06):
        few = cv2.approxPolyDP(hull, share * length, True)[:, 0].astype(float)
        if len(few) == 4:
            quad = few if signed_area(few) > 0 else few[::-1]
            quad = np.roll(quad, -int(np.argmin(quad.sum(1))), 0)
            return np.asarray(quad) if is_convex(quad) else None
    return None


def _spaces(face: NDArray[np.uint8]) -> tuple[list[Array], Array] | None:
    """Outlines in mm and Lab colours of the four coloured places at the corners, clockwise from the top left."""
    lab = lab_of(cv2.bilateralFilter(face, 7, 30, 5))
    h, w = lab.shape[:2]
    inset = round(0.04 * w)
    out, colours = [], []
    for x, y in ((inset, inset), (w - 1 - inset, inset), (w - 1 - inset, h - 1 - inset), (inset, h - 1 - inset)):
        patch = lab[max(0, y - inset // 2) : y + inset // 2, max(0, x - inset // 2) : x + inset // 2].reshape(-1, 3)
        colour = np.median(patch, 0)
        # light falls off across a space; of a grey one lightness is all that tells it from paper
        light = _SHADE if np.hypot(*colour[1:]) > _GREY else 1.0
        near = np.linalg.norm((lab - colour) * [light, 1, 1], axis=2) < _SAME_COLOUR
        # how far the colour reaches from the corner, in the usual row and column
        right, down = x < w // 2, y < h // 2
        rows = near[y - inset // 2 : y + inset // 2, :: 1 if right else -1]
        columns = near[:: 1 if down else -1, x - inset // 2 : x + inset // 2].T
        wide, high = _reach(rows, inset) / _PX_PER_MM, _reach(columns, inset) / _PX_PER_MM
        x0, x1 = (0.0, wide) if right else (SIZE_MM - wide, SIZE_MM)
        y0, y1 = (0.0, high) if down else (SIZE_MM - high, SIZE_MM)
        out.append(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
        colours.append(colour)
    if float(np.median(np.hypot(*np.array(colours).T[1:]))) < _CHROMA:
        return None
    sides = np.array([np.ptp(o, axis=0) for o in out])
    if sides.min() < _LEAST_SPACE * SIZE_MM or sides.max() > min(_UNEQUAL * sides.min(), SIZE_MM / 2):
        return None
    return out, np.array(colours)


def _reach(lines: NDArray[np.bool_], start: int) -> float:
    """How far the usual line (n, length) is of one colour, from its beginning on."""
    ends = []
    for line in lines:
        other = np.convolve(~line[start:], np.ones(_GAP), "valid") >= _GAP
        ends.append(start + int(other.argmax()) if other.any() else len(line))
    return float(np.median(ends)) if ends else 0.0
