"""All cards of one picture: proposals, the plane they share, names, and the outlines that follow from it all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.anycard import find_any
from vision.camera import CameraModel
from vision.deck import DeckAppearance, LookSet
from vision.features import guess_by_print
from vision.identify import Identity, Seen, identify
from vision.outlines import WHOLE, Cells, Outline, estimate_cells, find_outlines, typical_short_side
from vision.plane import Plane, estimate_plane, upright_on_a_plane
from vision.quads import is_convex, overlap, side_lengths, signed_area
from vision.rectify import Pyramid
from vision.types import Detection, Quad, Reading, Rgb

Array = NDArray[np.float64]

_FIRST_SIDE = 384  # long side of the network's first picture, from which the right scale is read
_CARD = 48.0  # short side of a card, in network pixels, at which it sees best
_SIDES = (256, 1344)
_PLANE_CARDS = 6  # as many tell the plane well enough for a start
_ENOUGH = 0.42  # visible share from which a name is tried
_WORTH_MORE = 0.6  # visible share from which a card that could not be named is worth more attempts
_OPEN = 0.4  # share of a card, by the network, from which it is worth more attempts
_EXPLAINED = 0.4  # of the area where the network sees cards
_FEW = 4
_LEFT_OVER = 0.4  # of a card's area: what is left unnamed in one piece before it is looked at again
_DOUBTFUL = 0.25  # unexplained share from which it is
_SAME = 0.45  # overlap (IoU) from which two outlines are one card


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The cards of a picture and the plane they lie on (None where no plane could be found)."""

    detections: tuple[Detection, ...]
    plane: Plane | None


def cells_at_scale(rgb: Rgb) -> tuple[Cells, int]:
    """The network's answer at the scale that suits this picture's cards, and the long side that it was shown."""
    longest = max(rgb.shape[:2])
    side = _FIRST_SIDE
    cells = estimate_cells(rgb, side)
    for _ in range(2):
        short = typical_short_side(cells)
        if short is None:
            break
        better = _within(side * _CARD / short, longest)
        if 0.75 < better / side < 1.3:
            break
        side = better
        cells = estimate_cells(rgb, side)
    return cells, side


def _within(side: float, longest: int) -> int:
    return int(np.clip(side, _SIDES[0], min(_SIDES[1], max(longest, _FIRST_SIDE))))


def locate(rgb: Rgb, deck: DeckAppearance | None, camera: CameraModel | None = None) -> Located:
    """Every card of a picture.

    Parameters
    ----------
    rgb
        The picture, (H, W, 3).
    deck
        The deck to name cards of; None outlines any card.
    camera
        Calibration of the lens for pictures of this size, or None.
    """
    if deck is None:
        return Located(tuple(find_any(rgb)), None)
    return _locate_deck(rgb, deck, camera)


_Named = tuple[Outline | None, Identity | None]
"""An outline of the network (None: found by its print) and what it turned out to be (None: unknown)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """What one look at the picture found: proposals with their identities, and the plane."""

    cells: Cells
    named: list[_Named]
    plane: Plane | None

    @property
    def sure(self) -> list[Identity]:
        """The cards that have a name."""
        return [n for _, n in self.named if n is not None and n.belongs > 0.5]

    @property
    def convincing(self) -> bool:
        """Whether the cards that have a name explain a good part of where the network sees cards."""
        cell = self.cells.cell_px[0] * self.cells.cell_px[1]
        seen = float((self.cells.card > 0.5).sum()) * cell
        explained = sum(abs(signed_area(n.quad_px)) * n.visible for n in self.sure)
        whole = sum(o is not None and o.proposal.visible > WHOLE for o, _ in self.named)
        return explained > _EXPLAINED * seen and len(self.sure) >= 0.5 * whole


def _locate_deck(rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None) -> Located:
    pyramid = Pyramid(rgb)
    size = (rgb.shape[1], rgb.shape[0])
    cells, side = cells_at_scale(rgb)
    reading = _read(pyramid, deck, camera, cells)
    if not reading.convincing:
        # symbols were taken for cards, or cards for pieces of something larger
        reading = _better_scale(pyramid, deck, camera, reading, side)
    named = reading.named
    plane = _second_plane(named, size, camera) or reading.plane
    taken = [n.quad_px.astype(np.float32) for _, n in named if n is not None and n.belongs > 0.5]
    for i, (o, old) in enumerate(named):
        if o is None or (old is not None and old.left <= _DOUBTFUL) or not _open_enough(o, taken):
            continue
        new = identify(pyramid, _guesses(o, deck, plane, precise=True), _seen(o, reading.cells), thorough=True)
        if new is not None and (old is None or new.left < old.left):
            named[i] = (o, new)
            if new.belongs > 0.5:
                taken.append(new.quad_px.astype(np.float32))
    reading = _Reading(reading.cells, named, plane)
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
    pyramid: Pyramid, deck: DeckAppearance, camera: CameraModel | None, reading: _Reading, side: int
) -> _Reading:
    """Look again at the scale that the cards found by their print ask for, or else from nearer and from farther."""
    longest = max(pyramid.rgb.shape[:2])
    everywhere = np.ones(reading.cells.card.shape, np.uint8)
    printed = [n for _, n in _by_print(pyramid, deck, None, everywhere, reading) if n is not None]
    if printed:
        short = float(np.median([min(side_lengths(n.quad_px)) for n in printed]))
        sides = [_within(longest * _CARD / short, longest)]
    else:
        sides = [_within(side * factor, longest) for factor in (0.62, 1.6, 0.4)]
    plane = _second_plane([(None, n) for n in printed], pyramid.rgb.shape[1::-1], camera)
    for other in sides:
        again = _read(pyramid, deck, camera, estimate_cells(pyramid.rgb, other), plane)
        if len(again.sure) > len(reading.sure):
            reading = again
        if again.convincing:
            break
    return _Reading(reading.cells, reading.named + [(None, n) for n in printed], reading.plane or plane)


def _left_over(reading: _Reading) -> NDArray[np.uint8] | None:
    """Where the network saw cards (1 on its map of cells) that have no name yet; None where it is too little.

    Slivers of covered cards are thin; what is worth another look is as wide as a good part of a card.
    """
    cells = reading.cells
    left = (cells.card > 0.5).astype(np.uint8)
    sizes = []
    for n in reading.sure:
        quad = (n.quad_px + 0.5) / np.array(cells.cell_px) - 0.5
        cv2.fillConvexPoly(left, np.round(quad).astype(np.int32), 0)
        sizes.append(abs(signed_area(quad)))
    if not sizes:
        return None
    card = float(np.median(sizes))
    cell = cells.cell_px[0] * cells.cell_px[1]
    for o, known in reading.named:
        if o is None or (known is not None and known.belongs > 0.5) or o.proposal.visible >= _ENOUGH:
            continue
        # a card of the right size of which little can be seen is understood, although it has no name
        if 0.65 < abs(signed_area(o.proposal.quad_px)) / cell / card < 1.5:
            at = np.round((o.proposal.cells + 0.5) / np.array(cells.cell_px) - 0.5).astype(int)
            at = np.clip(at, 0, np.array(left.shape[::-1]) - 1)
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
    pyramid: Pyramid, deck: DeckAppearance, plane: Plane | None, region: NDArray[np.uint8], reading: _Reading
) -> list[_Named]:
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
    found: list[_Named] = []
    for looks in deck.sets:
        for g in guess_by_print(part, looks, mask, px_per_mm):
            quad = g.quad_px + low
            if any(overlap(quad, t) > _SAME for t in taken):
                continue
            if plane is not None:
                quad = plane.quad_of(plane.pose_of(quad, looks.size_mm)[0], looks.size_mm)
            n = identify(pyramid, [(quad, looks)], Seen(None, reading.cells.cell_px), thorough=False)
            if n is not None and n.belongs > 0.5:
                found.append((None, n))
                taken.append(n.quad_px)
    return found


def _read(
    pyramid: Pyramid, deck: DeckAppearance, camera: CameraModel | None, cells: Cells, plane: Plane | None = None
) -> _Reading:
    """Propose cards from the network's answer, find their plane and name them."""
    rgb = pyramid.rgb
    outlines = [Outline(p, rgb, cells) for p in find_outlines(cells)]
    plane = plane or _first_plane(outlines, deck, (rgb.shape[1], rgb.shape[0]), camera)
    named: list[_Named] = []
    for o in outlines:
        # too little of a card is left below this for a name; what is said of it comes from the network alone
        one = (
            None
            if o.proposal.visible < _ENOUGH
            else identify(pyramid, _guesses(o, deck, plane), _seen(o, cells), thorough=False)
        )
        named.append((o, one))
    return _Reading(cells, named, plane)


def _guesses(
    o: Outline, deck: DeckAppearance, plane: Plane | None, precise: bool = False
) -> list[tuple[Quad, LookSet]]:
    """Outlines to try for a proposal: as a card of each size would lie there on the plane."""
    out: list[tuple[Quad, LookSet]] = []
    quad = o.quad if plane is None or precise else o.proposal.quad_px
    for looks in deck.sets:
        snapped = None if plane is None else _snap(quad, looks, plane)
        if snapped is not None:
            flat, misfit = snapped
            if misfit > 0.3 * min(looks.size_mm):
                continue
            # the plane knows the perspective of a card better than its own four sides do
            out.append((flat, looks))
        else:
            out.append((_parallelogram(quad), looks))
    return out


def _parallelogram(quad: Quad) -> Quad:
    """The nearest outline without perspective: what is safe to start from where no plane is known."""
    centre = quad.mean(0)
    u, v = (quad[1] + quad[2] - quad[0] - quad[3]) / 4, (quad[2] + quad[3] - quad[0] - quad[1]) / 4
    return np.asarray(centre + np.array([-u - v, u - v, u + v, v - u]))


def _snap(quad: Quad, looks: LookSet, plane: Plane) -> tuple[Quad, float] | None:
    """An outline as a card of known size on the plane, and its misfit in mm."""
    best: tuple[Quad, float] | None = None
    for k in (0, 1):
        q = np.roll(quad, -k, 0)
        pose, misfit = plane.pose_of(q, looks.size_mm)
        if not np.isfinite(misfit):
            return None
        if best is None or misfit < best[1]:
            best = (plane.quad_of(pose, looks.size_mm), misfit)
    return best


def _seen(o: Outline, cells: Cells) -> Seen:
    if o.proposal.visible > 0.93:
        return Seen(None, cells.cell_px)
    m = np.zeros(cells.card.shape, np.uint8)
    at = np.round((o.proposal.cells + 0.5) / np.array(cells.cell_px) - 0.5).astype(int)
    at = np.clip(at, 0, np.array(m.shape[::-1]) - 1)
    m[at[:, 1], at[:, 0]] = 255
    closed = cv2.morphologyEx(m, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return Seen(np.asarray(closed, np.uint8), cells.cell_px)


def _first_plane(
    outlines: list[Outline], deck: DeckAppearance, size: tuple[int, int], camera: CameraModel | None
) -> Plane | None:
    """The plane from the fitted outlines of whole cards, before any has a name."""
    likely = sorted((o for o in outlines if o.proposal.visible > WHOLE), key=lambda o: -o.proposal.belief)[
        :_PLANE_CARDS
    ]
    whole = [o for o in likely if o.whole] or likely[:6]
    if not whole:
        return None
    quads = upright_on_a_plane([o.quad for o in whole], deck.card_mm, size)
    plane = estimate_plane(quads, [deck.card_mm] * len(quads), size, camera, 1.5)
    if not plane:
        return None
    # which way round, which size, and is it a card of this deck at all: decide again on the plane
    chosen: list[tuple[Quad, tuple[float, float]]] = []
    for o in whole:
        options = []
        for looks in deck.sets:
            for k in (0, 1):
                q = np.roll(o.quad, -k, 0)
                options.append((plane.pose_of(q, looks.size_mm)[1] / min(looks.size_mm), q, looks.size_mm))
        misfit, q, mm = min(options, key=lambda v: v[0])
        if misfit < 0.1:
            chosen.append((q, mm))
    if len(chosen) < max(1, 0.3 * len(whole)):
        return plane
    again = estimate_plane([q for q, _ in chosen], [mm for _, mm in chosen], size, camera, 1.5)
    return again if again else plane


def _second_plane(named: list[_Named], size: tuple[int, int], camera: CameraModel | None) -> Plane | None:
    """The plane from the aligned corners of named cards: a few tenths of a pixel."""
    good = [n for _, n in named if n is not None and n.confidence > 0.9 and n.visible > 0.75]
    if not good:
        return None
    plane = estimate_plane([n.quad_px for n in good], [n.look.size_mm for n in good], size, camera, 0.5)
    return plane if plane else None


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
            n.visible,
            sigma,
            readings,
            is_back,
        )
    if o is None or not o.whole or not is_convex(o.quad):
        return None
    if plane is not None:
        misfits = [s[1] / min(looks.size_mm) for looks in deck.sets if (s := _snap(o.quad, looks, plane)) is not None]
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
        return n.quad_px, sigma
    pose, _ = plane.pose_of(n.quad_px, n.look.size_mm)
    flat = plane.quad_of(pose, n.look.size_mm)
    off = float(np.sqrt(((flat - n.quad_px) ** 2).sum(1).mean()))
    # a card may lie on others or be curled: then the plane says less
    P = np.eye(8) * max(0.5, plane.residual_px, 0.5 * off if n.visible > 0.8 else 0.0) ** 2
    gain = C @ np.linalg.inv(C + P)
    joined = n.quad_px.reshape(-1) + gain @ (flat - n.quad_px).reshape(-1)
    left = C - gain @ C
    return joined.reshape(4, 2), float(np.sqrt(max(np.trace(left), 1e-4) / 8))


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
