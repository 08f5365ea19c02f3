"""All cards of one picture: proposals, the plane they share, names, and the outlines that follow from it all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_side import BoardSide
from vision.camera import CameraModel
from vision.cards.anycard import find_any
from vision.cards.features import guess_by_print
from vision.cards.identify import Identity, Seen, identify
from vision.cards.outlines import Outline, estimate_cells
from vision.cards.plain import locate_plain
from vision.cards.plain_table import NOTHING_KNOWN, Known
from vision.cards.quads import is_convex, overlap, side_lengths, signed_area
from vision.cards.rectify import Pyramid
from vision.cards.survey import (
    CARD_PX,
    ENOUGH,
    SURE,
    Named,
    Survey,
    cells_at_scale,
    guesses,
    second_plane,
    seen_part,
    snap,
    survey,
    within,
)
from vision.deck import DeckAppearance
from vision.plane import Plane
from vision.types import Detection, Quad, Reading, Rgb

Array = NDArray[np.float64]

_OPEN = 0.3  # share of a card, by the network, from which it is worth more attempts
_FEW = 4
_LEFT_OVER = 0.4  # of a card's area: what is left unnamed in one piece before it is looked at again
_DOUBTFUL = 0.25  # unexplained share from which it is
_HONEST = 2.0  # the match peaks about twice as sharply as its corners are right on drawn tables
_SAME = 0.45  # overlap (IoU) from which two outlines are one card


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """What lies in a picture.

    Parameters
    ----------
    detections
        The cards.
    plane
        The plane they lie on, or None where none could be found.
    board
        The board, where the deck has one and it was found.
    covers
        Pairs (upper, lower) of indices of detections that overlap.
    side
        How large the board is, where the deck does not know it and the cards tell it.
    """

    detections: tuple[Detection, ...]
    plane: Plane | None
    board: Detection | None = None
    covers: tuple[tuple[int, int], ...] = ()
    side: BoardSide | None = None


def locate(
    rgb: Rgb, deck: DeckAppearance | None, camera: CameraModel | None = None, known: Known = NOTHING_KNOWN
) -> Located:
    """Every card of a picture.

    Parameters
    ----------
    rgb
        The picture, (H, W, 3).
    deck
        The deck to name cards of; None outlines any card.
    camera
        Calibration of the lens for pictures of this size, or None.
    known
        What earlier pictures told; used where the deck has a board.
    """
    if deck is None:
        return Located(tuple(find_any(rgb)), None)
    if deck.board is not None:
        # a deck whose cards are told by a board beside them has nearly no print of its own
        found = locate_plain(rgb, deck, camera, known)
        return Located(found.detections, found.plane, found.board, found.covers, found.side)
    return _locate_deck(rgb, deck, camera)


def _locate_deck(rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None) -> Located:
    pyramid = Pyramid(rgb)
    size = (rgb.shape[1], rgb.shape[0])
    cells, side = cells_at_scale(rgb)
    reading = survey(pyramid, deck, camera, cells)
    if not reading.convincing:
        # symbols were taken for cards, or cards for pieces of something larger
        reading = _better_scale(pyramid, deck, camera, reading, side)
    named = list(reading.named)
    plane = second_plane(named, size, camera) or reading.plane
    taken = [n.quad_px.astype(np.float32) for n in reading.sure]
    for i, (o, old) in enumerate(named):
        if o is None or (old is not None and old.left <= _DOUBTFUL) or not _open_enough(o, taken):
            continue
        new = identify(pyramid, guesses(o, deck, plane, precise=True), seen_part(o, reading.cells), thorough=True)
        if new is not None and (old is None or new.left < old.left):
            named[i] = (o, new)
            if new.belongs > SURE:
                taken.append(new.quad_px.astype(np.float32))
    reading = Survey(reading.cells, named, plane)
    region = _left_over(reading)
    if region is not None:
        named = named + _by_print(pyramid, deck, plane, region, reading)
    return Located(tuple(_resolve([_detection(o, n, plane, deck) for o, n in named])), plane)


def _open_enough(o: Outline, taken: list[NDArray[np.float32]]) -> bool:
    """Whether enough of a proposal lies outside the named cards for it to be a card that can be named."""
    cells = o.proposal.cells[::3].astype(np.float32)
    free = [p for p in cells if all(cv2.pointPolygonTest(q, (float(p[0]), float(p[1])), False) <= 0 for q in taken)]
    return len(free) > 0.7 * len(cells) and o.proposal.visible * len(free) / len(cells) > _OPEN


def _better_scale(
    pyramid: Pyramid, deck: DeckAppearance, camera: CameraModel | None, reading: Survey, side: int
) -> Survey:
    """Look again at the scale that the cards found by their print ask for, or else from nearer and from farther."""
    longest = max(pyramid.rgb.shape[:2])
    everywhere = np.ones(reading.cells.card.shape, np.uint8)
    printed = [n for _, n in _by_print(pyramid, deck, None, everywhere, reading) if n is not None]
    if printed:
        short = float(np.median([min(side_lengths(n.quad_px)) for n in printed]))
        sides = [within(longest * CARD_PX / short, longest)]
    else:
        sides = [within(side * factor, longest) for factor in (0.62, 1.6, 0.4)]
    plane = second_plane([(None, n) for n in printed], pyramid.rgb.shape[1::-1], camera)
    if plane is not None and len(printed) >= _FEW:
        # with the plane known, guesses that missed for want of perspective hit
        known = Survey(reading.cells, reading.named + [(None, n) for n in printed], plane)
        printed += [n for _, n in _by_print(pyramid, deck, plane, everywhere, known) if n is not None]
    for other in sides:
        again = survey(pyramid, deck, camera, estimate_cells(pyramid.rgb, other), plane)
        if len(again.sure) > len(reading.sure):
            reading = again
        if again.convincing:
            break
    return Survey(reading.cells, reading.named + [(None, n) for n in printed], reading.plane or plane)


def _left_over(reading: Survey) -> NDArray[np.uint8] | None:
    """Where the network saw cards (1 on its map of cells) that have no name yet; None where it is too little.

    Slivers of covered cards are thin; what is worth another look is as wide as a good part of a card.
    """
    cells = reading.cells
    left = (cells.card > 0.5).astype(np.uint8)
    sizes = []
    for n in reading.sure:
        quad = cells.on_map(n.quad_px)
        cv2.fillConvexPoly(left, np.round(quad).astype(np.int32), 0)
        sizes.append(abs(signed_area(quad)))
    if not sizes:
        return None
    card = float(np.median(sizes))
    cell = cells.cell_px[0] * cells.cell_px[1]
    for o, known in reading.named:
        if o is None or (known is not None and known.belongs > SURE) or o.proposal.visible >= ENOUGH:
            continue
        # a card of the right size of which little can be seen is understood, although it has no name
        if 0.65 < abs(signed_area(o.proposal.quad_px)) / cell / card < 1.5:
            at = cells.nearest(o.proposal.cells)
            left[at[:, 1], at[:, 0]] = 0
    wide = max(3, int(0.7 * np.sqrt(card / 1.5)) | 1)
    core = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((wide, wide), np.uint8)), np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=4)
    large = [i for i in range(1, len(stats)) if stats[i, cv2.CC_STAT_AREA] > _LEFT_OVER * card]
    if not large:
        return None
    reach = 2 * int(0.4 * np.sqrt(card)) + 1
    return np.asarray(cv2.dilate(np.isin(labels, large).astype(np.uint8), np.ones((reach, reach), np.uint8)), np.uint8)


def _by_print(
    pyramid: Pyramid, deck: DeckAppearance, plane: Plane | None, region: NDArray[np.uint8], reading: Survey
) -> list[Named]:
    """Cards in a region that the network could not tell apart, found by what is printed on them."""
    rgb = pyramid.rgb
    ys, xs = np.nonzero(region)
    cell = np.array(reading.cells.cell_px)
    low = np.maximum(np.array([xs.min(), ys.min()]) * cell, 0).astype(int)
    high = np.minimum(np.array([xs.max() + 1, ys.max() + 1]) * cell, rgb.shape[1::-1]).astype(int)
    part = np.ascontiguousarray(rgb[low[1] : high[1], low[0] : high[0]])
    whole = np.asarray(cv2.resize(region, rgb.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    mask = whole[low[1] : high[1], low[0] : high[0]]
    taken = [n.quad_px for n in reading.sure]
    scales = [np.sqrt(abs(signed_area(n.quad_px)) / (n.look.size_mm[0] * n.look.size_mm[1])) for n in reading.sure]
    px_per_mm = float(np.median(scales)) if scales else None
    if len(reading.sure) < _FEW:
        plane = None  # a plane that few cards tell of would spoil the guesses more than no plane
    found: list[Named] = []
    for looks in deck.sets:
        for g in guess_by_print(part, looks, mask, px_per_mm):
            quad = g.quad_px + low
            if any(overlap(quad, t) > _SAME for t in taken):
                continue
            if plane is not None:
                quad = plane.quad_of(plane.pose_of(quad, looks.size_mm)[0], looks.size_mm)
            n = identify(pyramid, [(quad, looks)], Seen(None, reading.cells.cell_px), thorough=False)
            if n is not None and n.belongs > SURE:
                found.append((None, n))
                taken.append(n.quad_px)
    return found


def _detection(o: Outline | None, n: Identity | None, plane: Plane | None, deck: DeckAppearance) -> Detection | None:
    """What is told of a proposal; None where it is not worth telling."""
    if n is not None and n.belongs > 0.3:
        quad, sigma = _join(n, plane)
        is_back = n.look.kind == "back"
        readings = n.readings if not is_back else ()
        return Detection(
            quad,
            None if is_back else n.look.id,
            n.confidence if not is_back else n.belongs,
            max(n.visible, min(1.0, o.proposal.visible)) if o is not None else n.visible,
            sigma,
            readings,
            is_back,
        )
    if o is None or not o.whole or not is_convex(o.quad):
        return None
    if plane is not None:
        misfits = [s[1] / min(looks.size_mm) for looks in deck.sets if (s := snap(o.quad, looks, plane)) is not None]
        if not misfits or min(misfits) > 0.12:
            return None
    return Detection(
        o.quad,
        None,
        o.proposal.belief * float(o.fitted.support.mean()),
        min(1.0, o.proposal.visible),
        o.fitted.sigma_px,
    )


def _join(n: Identity, plane: Plane | None) -> tuple[Quad, float]:
    """Corners from the aligned face and from the plane, each as far as it can be trusted."""
    C = n.alignment.covariance + np.eye(8) * 0.05**2
    sigma = float(np.sqrt(np.trace(C) / 8))
    if plane is None:
        return n.quad_px, _HONEST * sigma
    pose, _ = plane.pose_of(n.quad_px, n.look.size_mm)
    flat = plane.quad_of(pose, n.look.size_mm)
    off = float(np.sqrt(((flat - n.quad_px) ** 2).sum(1).mean()))
    # a card may lie on others or be curled: then the plane says less
    P = np.eye(8) * max(0.5, plane.residual_px, 0.5 * off if n.visible > 0.8 else 0.0) ** 2
    gain = C @ np.linalg.inv(C + P)
    joined = n.quad_px.reshape(-1) + gain @ (flat - n.quad_px).reshape(-1)
    left = C - gain @ C
    return joined.reshape(4, 2), _HONEST * float(np.sqrt(max(np.trace(left), 1e-4) / 8))


def _resolve(found: list[Detection | None]) -> list[Detection]:
    """One card one outline, and one outline one name: the better evidence stays."""
    some = sorted(
        (d for d in found if d is not None), key=lambda d: -(d.confidence * (1.2 if d.face else 1.0) * d.visible)
    )
    kept: list[Detection] = []
    for d in some:
        if any(overlap(d.quad_px, k.quad_px) > _SAME for k in kept):
            continue
        kept.append(d)
    used: set[str] = set()
    out: list[Detection] = []
    for d in kept:
        if d.face is not None and d.face in used and d.readings:
            # a deck holds every card once: a second one with that name is something else
            rest = tuple(Reading(r.face, r.probability) for r in d.readings if r.face not in used)
            best = rest[0] if rest and rest[0].probability > 0.3 else None
            d = replace(
                d,
                face=best.face if best else None,
                confidence=best.probability if best else min(d.confidence, 0.3),
                readings=rest,
            )
        if d.face is not None:
            used.add(d.face)
        out.append(d)
    return out
