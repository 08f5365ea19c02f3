"""Cards that an edge does not show, as on a table of their own colour, lie where what is printed alike on all is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.card_edges import drawn_to_edges, edge_along
from calibration.capture.cards import LaidCard
from calibration.capture.rox.prints import fitted, inked, inner, inset, likeness
from vision.cards.rectify import apply, homography
from vision.plane import Plane, estimate_plane
from vision.types import Failure, Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_WIDTH, _MARGIN = 64, 14  # columns of a card, and of what is looked at round it
_FEW = 12  # cards that tell what is printed alike
_SCALES, _ANGLES = (0.94, 0.97, 1.0, 1.03, 1.06), (-4.0, -2.0, 0.0, 2.0, 4.0)  # and degrees, in which it is looked for
_LARGER, _SOME = (
    np.append(np.geomspace(0.6, 1.9, 20), 1.0),
    4,
)  # by how much all cards of a photo may be larger, tried on some
_NEAR, _ROUGHLY = (0.985, 1.015), 0.85  # steps between those, and share of the likeness that must be reached for such
_POOR = 0.85  # of the usual likeness: what is less alike is looked for all around
_ALIKE, _GAIN = 0.9, 0.04  # share of the usual likeness that must be reached, and by how much it must have grown
_LONE_ALIKE, _LONE_GAIN = 0.75, 0.25  # the same of a card that is unlike where most of its photo are alike
_ASTRAY = 0.012  # of the width: corners less far off are left where the edges are
_MANY = 0.4  # share of a photo's cards from which on their plane is astray, too
_LESS, _EDGE = (
    0.15,
    0.4,
)  # how much less of an edge there may be where outlines are moved to, and the share there must be
_CLEAR_GAIN, _UNCLEAR = 0.12, 0.65  # gain of likeness that counts for more than edges that are no more than this
_LESS_ALIKE = 0.02  # how much of the likeness may be lost for edges
_SIGMA_PX = 1.5
_FINER = 120  # columns of a card that is brought in line with the others
_NEARBY, _FAR = 0.04, 0.08  # of its width: farther off no card is cut out; and if it fits as well as others then
_LIKELIER = 0.03  # how much more alike a face must be for it


def by_their_print(photos: Sequence[Rgb], cards: Sequence[LaidCard], at: Sequence[int]) -> list[LaidCard]:
    """The cards, those moved on which what is printed alike on most of them is clearly elsewhere.

    Parameters
    ----------
    photos
        The pictures by number.
    cards
        Of one size; most of them where they belong.
    at
        Numbers of the cards that share a print, all others stay.
    """
    out = list(cards)
    if len(at) < _FEW:
        return out
    inks = {i: _ink(photos[cards[i].photo], cards[i]) for i in at}
    usual = np.median([_within(k) for k in inks.values()], axis=0).astype(np.float32)
    patterns = (usual, np.ascontiguousarray(usual[::-1, ::-1]))
    here = {i: max(likeness(_within(k), p) for p in patterns) for i, k in inks.items()}
    typical = float(np.median(list(here.values())))
    for n in sorted({cards[i].photo for i in at}):
        shared = [i for i in at if cards[i].photo == n]
        starts = {i: cards[i] for i in shared}
        poor = bool(np.median([here[i] for i in shared]) < _POOR * typical)
        if poor:
            larger = _larger(photos[n], [cards[i] for i in shared], patterns, _ALIKE * typical)
            starts = {i: _grown(c, larger) for i, c in starts.items()}
        moved: dict[int, Quad] = {}
        gains: list[float] = []
        for i, card in starts.items():
            ink = inks[i] if card is cards[i] else _ink(photos[n], card)
            found = [_fitted(ink, p, here[i] < _POOR * typical) for p in patterns]
            like, corners = max(found, key=lambda f: f[0])
            quad = apply(homography(_corners(ink.shape), card.quad_px), corners)
            width = float(np.linalg.norm(quad[1] - quad[0]))
            off = float(np.linalg.norm(quad - cards[i].quad_px, axis=1).max())
            alike = like > max(_ALIKE * typical, here[i] + _GAIN)
            alike |= not poor and like > max(_LONE_ALIKE * typical, here[i] + _LONE_GAIN)
            if alike and off > _ASTRAY * width:
                moved[i] = quad
                gains.append(like - here[i])
        if moved:
            clear = float(np.median(gains)) > _CLEAR_GAIN
            for i, quad in _on_their_plane(photos[n], n, cards, at, moved, patterns, clear).items():
                out[i] = replace(cards[i], quad_px=quad)
    return out


def in_line(faces: Sequence[Floats]) -> list[Array | None]:
    """How upright faces lie to what is printed alike on all of them.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, of one size.

    Returns
    -------
    For each a (2, 3) map from the pixels where its print belongs to those where it is; None where it is in line, or
    nothing tells.
    """
    h, w = faces[0].shape[:2]
    scale = _FINER / w
    size = (_FINER, round(h * scale))
    inks = [inked(np.asarray(cv2.resize(f, size, interpolation=cv2.INTER_AREA))) for f in faces]
    usual = np.asarray(np.median(inks, 0), np.float32)
    fits = [fitted(ink, usual, np.eye(2, 3)) for ink in inks]
    typical = float(np.median([like for like, _ in fits]))
    out: list[Array | None] = []
    for ink, (like, by) in zip(inks, fits, strict=True):
        corners = np.array([[0, 0, 1], [size[0], 0, 1], [*size, 1], [0, size[1], 1]], float)
        off = np.hypot(*(corners @ by.T - corners[:, :2]).T).max() / _FINER
        near = off < _NEARBY or (off < _FAR and like > _ALIKE * typical)
        if like - likeness(ink, usual) < _LIKELIER or not near:
            out.append(None)
            continue
        full = by.copy()
        full[:, 2] = (by[:, 2] + by[:, :2].sum(1) * 0.5 - 0.5) / scale - by[:, :2].sum(1) * 0.5 + 0.5
        out.append(full)
    return out


def moved(face: Floats, by: Array | None) -> Floats:
    """A face with its print where it belongs."""
    if by is None:
        return face
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(face, by, face.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def outline_of(quad_px: Array, by: Array | None, shape: tuple[int, ...]) -> Array:
    """The corners (4, 2) in its photo of a card cut out as `shape` (rows, columns, ...), as its print tells."""
    if by is None:
        return quad_px
    h, w = shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5
    return apply(homography(corners, quad_px), np.c_[corners, np.ones(4)] @ by.T)


def _larger(rgb: Rgb, cards: Sequence[LaidCard], patterns: Sequence[Floats], enough: float) -> float:
    """How much larger the cards are than their outlines, which may run round something printed; 1 where none fits."""
    some = cards[:: max(1, len(cards) // _SOME)][:_SOME]
    tried = []
    for larger in _LARGER:
        inks = [_ink(rgb, _grown(c, float(larger))) for c in some]
        likes = [max(_placed(k, p, s, a)[0] for p in patterns for s in _NEAR for a in (-2.0, 0.0, 2.0)) for k in inks]
        tried.append((float(np.median(likes)), float(larger)))
    best = max(tried)
    return best[1] if best[0] > _ROUGHLY * enough else 1.0


def _grown(card: LaidCard, larger: float) -> LaidCard:
    middle = card.quad_px.mean(0)
    return card if larger == 1.0 else replace(card, quad_px=middle + larger * (card.quad_px - middle))


def _on_their_plane(
    rgb: Rgb,
    photo: int,
    cards: Sequence[LaidCard],
    at: Sequence[int],
    moved: dict[int, Quad],
    patterns: Sequence[Floats],
    clear: bool,
) -> dict[int, Quad]:
    """The cards of one photo that were moved, as cards of their size on one plane; none where edges speak against it.

    `clear`: their print fits so much better that unclear edges do not count.
    """
    there = [i for i, c in enumerate(cards) if c.photo == photo]
    astray = [i for i in there if i in moved]
    shared = [i for i in there if i in at]
    many = len(astray) >= _MANY * len(shared)
    told = astray if many else [i for i in there if i not in moved]
    size, size_px = cards[astray[0]].size_mm, (rgb.shape[1], rgb.shape[0])

    def plane_of(quads: Sequence[Quad]) -> Plane | Failure:
        return estimate_plane(quads, [size] * len(quads), size_px, None, _SIGMA_PX)

    plane = plane_of([moved.get(i, cards[i].quad_px) for i in told])
    former = plane_of([cards[i].quad_px for i in there])
    if not plane or not former:
        return {}
    mine = shared if many else astray
    out = {i: plane.quad_of(plane.pose_of(moved.get(i, cards[i].quad_px), size)[0], size) for i in mine}
    before = edge_along(rgb, former, [cards[i].quad_px for i in out], size)
    tried = [list(out.values()), *drawn_to_edges(rgb, plane, list(out.values()), size)]
    likes = [
        np.median([_best_like(rgb, replace(cards[i], quad_px=q), patterns) for i, q in zip(out, quads, strict=True)])
        for quads in tried
    ]
    edges = [
        edge_along(rgb, plane_of(quads) or plane, quads, size) if like > max(likes) - _LESS_ALIKE else 0.0
        for quads, like in zip(tried, likes, strict=True)
    ]
    best = int(np.argmax(edges))
    enough = edges[best] > max(before - _LESS, _EDGE * before) or (clear and before < _UNCLEAR)
    return dict(zip(out, tried[best], strict=True)) if enough else {}


def _best_like(rgb: Rgb, card: LaidCard, patterns: Sequence[Floats]) -> float:
    """How alike what is printed on a card is to that on most, whichever way up."""
    inner = _within(_ink(rgb, card))
    return max(likeness(inner, p) for p in patterns)


def _corners(shape: tuple[int, ...]) -> Array:
    """(4, 2) where the card's corners lie in a picture with a margin."""
    w, h = shape[1] - 2 * _MARGIN, shape[0] - 2 * _MARGIN
    return np.asarray(np.array([[0, 0], [w, 0], [w, h], [0, h]], float) + _MARGIN - 0.5)


def _ink(rgb: Rgb, card: LaidCard) -> Floats:
    """How much is printed where, 0 to 1, on a card and round it, whatever the light."""
    h = round(_WIDTH * card.size_mm[1] / card.size_mm[0])
    size = (_WIDTH + 2 * _MARGIN, h + 2 * _MARGIN)
    H = homography(_corners((size[1], size[0])), card.quad_px)
    seen = cv2.warpPerspective(
        cv2.GaussianBlur(rgb, (0, 0), _pixel(card)), H, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    )
    return inked(np.asarray(seen, np.uint8), _MARGIN)


def _pixel(card: LaidCard) -> float:
    """How soft a picture must be to be looked at in so few columns."""
    across = float(np.linalg.norm(card.quad_px[1] - card.quad_px[0]))
    return max(0.4, 0.4 * across / _WIDTH)


def _within(ink: Floats) -> Floats:
    return inner(ink, _MARGIN)


def _fitted(ink: Floats, pattern: Floats, far: bool) -> tuple[float, Array]:
    """How alike the pattern is where it fits best, and where the corners (4, 2) are then; `far`: not only close by."""
    edge = inset(ink, _MARGIN)
    start = np.array([[1, 0, edge], [0, 1, edge]], np.float64)
    if far:
        start = max((_placed(ink, pattern, s, a) for s in _SCALES for a in _ANGLES), key=lambda f: f[0])[1]
    like, found = fitted(ink, pattern, start)
    return like, np.asarray((_corners(ink.shape) - edge) @ found[:, :2].T + found[:, 2], float)


def _placed(ink: Floats, pattern: Floats, scale: float, degrees: float) -> tuple[float, Array]:
    """How alike the pattern is where it fits best in that size and direction, and where that is (2, 3)."""
    middle = np.array([(ink.shape[1] - 1) / 2, (ink.shape[0] - 1) / 2])
    turn = scale * cv2.getRotationMatrix2D((0, 0), degrees, 1.0)[:, :2]
    whole = np.c_[turn, middle - turn @ middle]
    seen = cv2.warpAffine(ink, whole, (ink.shape[1], ink.shape[0]), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    like = cv2.matchTemplate(seen, pattern, cv2.TM_CCOEFF_NORMED)
    y, x = np.unravel_index(int(like.argmax()), like.shape)
    return float(like.max()), np.c_[turn, turn @ [x, y] + whole[:, 2]]
