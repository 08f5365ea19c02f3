"""Pawns on the board's track: what differs from the board's print in the colour of a pawn, and where its base stands.

A pawn stands up, so its head hides squares behind it; it is counted where its base is. The camera's place above the
plane tells which way a pawn of some height leans in the picture, so a base disc and a head disc with what is between
them are laid over the coloured samples. All pawns of a picture have one size, found together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.plane import Plane
from vision.tokens.light import BoardToPx, Sampled, sample_board
from vision.tokens.token_looks import BoardLook, TokenLooks
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_MARGIN = 2.0  # spacings of the track: how far beyond the board a head may be seen
_SHADES = (0.3, 0.45, 0.65, 0.85, 1.05, 1.25)  # how dark or bright a round thing of one colour shows itself
_GLOSS = (0.0, 0.13, 0.26, 0.4)  # share of white that a shine adds
_SHADOWS = (0.5, 0.62, 0.75, 0.88, 1.0, 1.1)  # a shadow on the board; deeper ones are no shadow
_NOISE = 16.0  # of a sample in the deck's own colours, 0 to 255
_STRANGE = 10.0  # cost of a sample that is neither board nor pawn
_MOST = 30.0  # more cost than that tells nothing more
_APART = 55.0  # least distance of a pawn's colour from paper and from other pawns that can be told, as above
_RADII = (0.34, 0.44, 0.56, 0.7)  # of a base, in spacings
_HEIGHTS = (0.0, 0.6, 1.2, 1.8, 2.4)  # of the head's middle, in spacings
_HEAD = 0.65  # radius of a head, in radii of the base
_LEAST = 0.05  # evidence inside a pawn's outline, from -1 (all board) to 1
_OWN = 0.15  # evidence inside the outline that there must be outside the other pawns' outlines
_CLEAR = 0.8  # how much more evidence there must be inside than around
_SPREAD = 0.45  # standard deviation of a base from its square's middle, in halves of the square
_OFF = 1.7  # halves of a square from which on a pawn stands on none


@dataclass(frozen=True, slots=True)
class PawnReading:
    """One pawn: colour, where its base stands (board mm and px), its square or None, and how sure that is."""

    name: str
    at_mm: tuple[float, float]
    at_px: tuple[float, float]
    square: int | None
    confidence: float


def readable_pawns(looks: TokenLooks) -> tuple[str, ...]:
    """The pawns whose colour can be told from the board's paper and from the other pawns'.

    A white pawn on a white board is hardly seen by a person either; it is declared, not read.
    """
    if looks.board is None:
        return ()
    ground = _paper(looks.board)
    told = []
    for name, rgb in looks.pawns.items():
        others = [np.array(v, float) for k, v in looks.pawns.items() if k != name]
        far = [np.linalg.norm(np.array(rgb, float) - v) for v in (ground, *others)]
        if min(far) >= _APART:
            told.append(name)
    return tuple(told)


def _paper(board: BoardLook) -> Array:
    """The brighter colour round the squares' middles, which is the ground that pawns stand on."""
    at = np.clip((board.track / board.sample_mm).astype(int), 0, len(board.picture) - 1)
    reach = max(1, round(0.3 * board.spacing_mm / board.sample_mm))
    around = [
        board.picture[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1].reshape(-1, 3)
        for x, y in at
    ]
    return np.asarray(np.percentile(np.concatenate(around), 75, axis=0))


def find_pawns(
    rgb: Rgb, board_to_px: BoardToPx, plane: Plane, covers: Sequence[Quad], looks: TokenLooks
) -> tuple[PawnReading, ...]:
    """The pawns that stand on or beside the board's track.

    Parameters
    ----------
    rgb
        (H, W, 3) picture.
    board_to_px
        (3, 3) homography or function from mm on the board's face to px.
    plane
        The table's plane; tells which way a pawn leans.
    covers
        (4, 2) px outlines of cards that may lie on the board; nothing is read there.
    looks
        The deck's small things.

    Returns
    -------
    tuple of PawnReading
        At most one a colour. A pawn that cannot be read is left out; one whose square is doubtful has a low confidence.
    """
    board = looks.board
    names = readable_pawns(looks)
    if board is None or not names:
        return ()
    seen = sample_board(rgb, board_to_px, board, covers, _MARGIN * board.spacing_mm)
    if seen is None:
        return ()
    evidence = _evidence(seen, {name: looks.pawns[name] for name in names})
    lean = _Lean.of(board, board_to_px, plane)
    found = _fit(evidence, seen, board, lean)
    return _share_squares(found, board)


@dataclass(frozen=True, slots=True, eq=False)
class _Lean:
    """The camera's foot in board mm and its height above the board in mm."""

    foot: Array
    height: float

    @classmethod
    def of(cls, board: BoardLook, board_to_px: BoardToPx, plane: Plane) -> _Lean:
        side = board.size_mm
        corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], float)
        m = plane.unproject(board_to_px(corners))
        # the rigid map from the plane to the board that fits the corners best
        a, b = m - m.mean(0), corners - corners.mean(0)
        angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
        c, s = np.cos(angle), np.sin(angle)
        x, y, height = plane.camera_at()
        foot = (np.array([x, y]) - m.mean(0)) @ np.array([[c, s], [-s, c]]) + corners.mean(0)
        return cls(foot, float(height))

    def shift(self, at: Array, height_mm: float) -> Array:
        """(2,) mm by which a point of that height above `at` is seen displaced on the board."""
        return np.asarray((at - self.foot) * height_mm / max(self.height - height_mm, height_mm + 1.0))


def _evidence(seen: Sampled, colours: Mapping[str, tuple[int, int, int]]) -> dict[str, Floats]:
    """Colour to (rows, columns): 1 where a sample surely shows that pawn, -1 where it surely shows the board."""
    n, ref = np.maximum(seen.colour, 0), seen.ref
    kernel = np.ones((3, 3), np.uint8)
    low, high = cv2.erode(ref, kernel), cv2.dilate(ref, kernel)
    board = np.full(n.shape[:2], np.inf, np.float32)
    for s in (v for v in _SHADOWS if v > 0.8):  # print that is misplaced by a sample is still print
        d = np.maximum(np.maximum(s * low - n, n - s * high), 0)
        board = np.minimum(board, np.einsum("ijk,ijk->ij", d, d) / _NOISE**2 + 20.0 * (1 - s) ** 2)
    rows, columns = np.nonzero(board > 1.0)
    deep = board[rows, columns]
    for s in (v for v in _SHADOWS if v <= 0.8):
        d = n[rows, columns] - s * ref[rows, columns]
        deep = np.minimum(deep, np.einsum("ij,ij->i", d, d) / _NOISE**2 + 20.0 * (1 - s) ** 2)
    board[rows, columns] = deep
    known = seen.known
    strange = np.asarray(known & (board > 2.0), np.uint8)
    strange = np.asarray(cv2.morphologyEx(strange, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    # dark print beside a dark pawn may be either, so the neighbours of what is odd are asked too
    odd = known & (cv2.dilate(strange, np.ones((7, 7), np.uint8)) > 0)
    rows, columns = np.nonzero(odd)
    base = np.where(known, -1.0, -0.25).astype(np.float32)
    if not len(rows):
        return {name: base.copy() for name in colours}
    fields = np.full((*n.shape[:2], len(colours) + 1), _MOST, np.float32)
    fields[..., 0] = np.minimum(board, _MOST)
    samples = n[rows, columns]
    for k, rgb in enumerate(colours.values(), 1):
        shades = np.array([(s, g) for s in _SHADES for g in _GLOSS], np.float32)
        swatch = shades[:, :1] * (1 - shades[:, 1:]) * np.array(rgb, np.float32) + shades[:, 1:] * seen.white
        extra = 2.5 * np.abs(np.log(shades[:, 0])) + 4.0 * shades[:, 1]
        d = (swatch * swatch).sum(1) - 2 * samples @ swatch.T + (samples * samples).sum(1)[:, None]
        d = d / _NOISE**2 + extra
        fields[rows, columns, k] = np.minimum(d.min(1), _MOST)
    # a pawn is larger than a sample: neighbours decide together
    costs = cv2.blur(fields, (3, 3))[rows, columns]
    p = np.exp(-np.c_[costs, np.full((len(rows), 1), _STRANGE, np.float32)] / 2)
    p /= p.sum(1, keepdims=True)
    out = {}
    for k, name in enumerate(colours, 1):
        e = base.copy()
        # a sample of another pawn or of something unknown says nothing; one of the board speaks against
        e[rows, columns] = p[:, k] - p[:, 0]
        out[name] = e
    return out


def _outline(radius: float, shift: Array) -> tuple[Floats, tuple[int, int]]:
    """Filled hull of base disc and head disc in samples, and the column and row of the base's middle in it."""
    turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    head = radius * _HEAD if shift.any() else radius
    ring = np.c_[np.cos(turn), np.sin(turn)]
    points = np.concatenate([ring * radius, ring * head + shift])
    low = np.floor(points.min(0)).astype(int) - 1
    high = np.ceil(points.max(0)).astype(int) + 1
    canvas = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    hull = cv2.convexHull(((points - low) * 16).round().astype(np.int32).reshape(-1, 1, 2))
    cv2.fillConvexPoly(canvas, hull, 1, lineType=cv2.LINE_8, shift=4)
    return canvas.astype(np.float32), (int(-low[0]), int(-low[1]))


def _score(e: Floats, outline: tuple[Floats, tuple[int, int]]) -> Floats:
    """(rows, columns) sum of evidence inside a pawn's outline whose base is at each sample."""
    kernel, anchor = outline
    return np.asarray(cv2.filter2D(e, cv2.CV_32F, kernel, anchor=anchor, borderType=cv2.BORDER_CONSTANT), np.float32)


def _placed(size: tuple[int, ...], outline: Floats, at: tuple[int, int]) -> NDArray[np.uint8]:
    """(rows, columns) 1 inside an outline whose top-left sample is at (column, row)."""
    h, w = outline.shape
    out = np.zeros((size[0] + 2 * h, size[1] + 2 * w), np.uint8)
    out[at[1] + h : at[1] + 2 * h, at[0] + w : at[0] + 2 * w] = outline > 0
    return out[h:-h, w:-w]


def _around(e: Floats, outline: Floats, at: tuple[int, int], width: int) -> float:
    """Mean evidence in a band round an outline whose top-left sample is at (column, row)."""
    place = _placed(e.shape, outline, at)
    gap = cv2.dilate(place, np.ones((3, 3), np.uint8))
    band = (cv2.dilate(place, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * width + 3,) * 2)) > 0) & (gap == 0)
    return float(e[band].mean()) if band.any() else -1.0


def _fit(evidence: Mapping[str, Floats], seen: Sampled, board: BoardLook, lean: _Lean) -> list[PawnReading]:
    per_mm = 1 / board.sample_mm
    spacing = board.spacing_mm
    windows: dict[str, tuple[Floats, Array, Array]] = {}
    for name, e in evidence.items():
        window = _window(e, seen, board)
        if window is not None:
            windows[name] = window
    if not windows:
        return []
    # the size is searched on every second sample, all pawns leaning as one in their middle does
    half = [
        np.asarray(cv2.resize(w[0], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.float32)
        for w in windows.values()
    ]
    centre = np.mean([w[2] for w in windows.values()], axis=0)
    best = (0.0, _RADII[0], _HEIGHTS[0])
    for h in _HEIGHTS:
        shift = lean.shift(centre, h * spacing) * per_mm / 2
        for r in _RADII:
            outline = _outline(r * spacing * per_mm / 2, shift)
            total = float(np.sum([_score(e, outline).max() for e in half]))
            if total > best[0] + 1e-3:
                best = (total, r, h)
    _, r, h = best
    found: list[tuple[float, PawnReading, NDArray[np.uint8]]] = []
    for name, (e, origin, middle) in windows.items():
        radius = r * spacing * per_mm
        shift = lean.shift(middle, h * spacing) * per_mm
        shape, anchor = _outline(radius, shift)
        score = _score(e, (shape, anchor))
        whole = float(shape.sum())
        y, x = (int(v) for v in np.unravel_index(int(score.argmax()), score.shape))
        share = float(score[y, x]) / whole
        clear = share - _around(e, shape, (x - anchor[0], y - anchor[1]), max(2, round(0.3 * spacing * per_mm)))
        if share < _LEAST or clear < _CLEAR:
            continue
        peak = score >= score[y, x] - 0.04 * whole  # the middle of the top is finer than a sample
        label = cv2.connectedComponents(peak.astype(np.uint8))[1]
        rows, columns = np.nonzero(label == label[y, x])
        at = (np.array([columns.mean(), rows.mean()]) + origin + 0.5) * board.sample_mm - seen.margin_mm
        square, sure = _square(at, board)
        sure *= float(np.clip(0.5 + (clear - _CLEAR) / (2 * (1 - _CLEAR)), 0, 1))
        px = seen.to_px(at[None])[0]
        corner = (x + int(origin[0]) - anchor[0], y + int(origin[1]) - anchor[1])
        place = _placed(seen.known.shape, shape, corner)
        found.append((share, PawnReading(name, tuple(at.tolist()), tuple(px.tolist()), square, sure), place))
    # a colour that is not on the table may be found in another's shade: it has no place of its own
    kept: list[PawnReading] = []
    taken = np.zeros(seen.known.shape, np.uint8)
    for _, pawn, place in sorted(found, key=lambda v: -v[0]):
        own = np.maximum(evidence[pawn.name], 0) * ((place > 0) & (taken == 0))
        if own.sum() >= _OWN * place.sum():
            kept.append(pawn)
            taken = np.asarray(cv2.bitwise_or(taken, cv2.dilate(place, np.ones((3, 3), np.uint8))), np.uint8)
    return kept


def _window(e: Floats, seen: Sampled, board: BoardLook) -> tuple[Floats, Array, Array] | None:
    """The part of the evidence round the largest heap of it: samples, (2,) origin in samples, (2,) middle in mm."""
    spacing = board.spacing_mm / board.sample_mm
    reach = round(2.2 * spacing)
    heap = cv2.boxFilter(
        np.maximum(e, 0), cv2.CV_32F, (round(spacing), round(spacing)), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    low, high = board.track.min(0) - _MARGIN * board.spacing_mm, board.track.max(0) + _MARGIN * board.spacing_mm
    a = np.maximum(((low + seen.margin_mm) / board.sample_mm).astype(int), 0)
    b = ((high + seen.margin_mm) / board.sample_mm).astype(int)
    part = heap[a[1] : b[1], a[0] : b[0]]
    if not part.size or part.max() < 0.12 * spacing**2:
        return None
    row, column = np.unravel_index(int(part.argmax()), part.shape)
    x, y = int(column) + int(a[0]), int(row) + int(a[1])
    x0, y0 = max(0, x - reach), max(0, y - reach)
    middle = (np.array([x, y]) + 0.5) * board.sample_mm - seen.margin_mm
    return e[y0 : y + reach + 1, x0 : x + reach + 1], np.array([x0, y0], float), middle


def _square(at: Array, board: BoardLook) -> tuple[int | None, float]:
    """The square that a base stands on, and the probability of that."""
    u = np.linalg.norm(board.track - at, axis=1) / board.half_mm
    best = int(u.argmin())
    if u[best] > _OFF:
        return None, 0.5
    p = np.exp(-(u**2 - u[best] ** 2) / (2 * _SPREAD**2))
    return best, float(1 / p.sum())


def _share_squares(found: Sequence[PawnReading], board: BoardLook) -> tuple[PawnReading, ...]:
    """Two pawns that share a square stand on its rims: together they tell it, each alone would be doubtful."""
    out = list(found)
    for i in range(len(out)):
        for j in range(i):
            a, b = np.array(out[i].at_mm), np.array(out[j].at_mm)
            u = np.linalg.norm(board.track - (a + b) / 2, axis=1) / board.half_mm
            s = int(u.argmin())
            ua, ub = (float(np.linalg.norm(board.track[s] - v)) / float(board.half_mm[s]) for v in (a, b))
            doubtful = min(out[i].confidence, out[j].confidence) < 0.9
            if doubtful and u[s] < 0.4 and max(ua, ub) < 1.35:
                out[i], out[j] = (replace(v, square=s, confidence=max(v.confidence, 0.7)) for v in (out[i], out[j]))
    return tuple(out)
