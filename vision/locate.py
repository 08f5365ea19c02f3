"""All cards of one picture: proposals, the plane they share, names, and the outlines that follow from all of it together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.anycard import find_any
from vision.camera import CameraModel
from vision.deck import DeckAppearance, LookSet
from vision.identify import Identity, Seen, identify
from vision.outlines import WHOLE, Cells, Outline, Proposal, estimate_cells, find_outlines, typical_short_side
from vision.plane import Plane, estimate_plane, upright_on_a_plane
from vision.quads import is_convex, overlap
from vision.rectify import Pyramid
from vision.types import Detection, Quad, Reading, Rgb

Array = NDArray[np.float64]

_FIRST_SIDE = 448  # long side of the network's first picture, from which the right scale is read
_CARD = 58.0  # short side of a card, in network pixels, at which it sees best
_SIDES = (256, 1344)
_PLANE_CARDS = 14
_ENOUGH = 0.4  # visible share from which a name is tried
_WORTH_MORE = 0.5  # visible share from which a card that could not be named is worth more attempts
_DOUBTFUL = 0.25  # unexplained share from which it is
_SAME = 0.45  # overlap (IoU) from which two outlines are one card


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The cards of a picture and the plane they lie on (None where no plane could be found)."""

    detections: tuple[Detection, ...]
    plane: Plane | None


def propose(rgb: Rgb) -> tuple[Cells, list[Proposal]]:
    """Outlines from the network, at the scale that suits the cards in the picture."""
    longest = max(rgb.shape[:2])
    side = _FIRST_SIDE
    cells = estimate_cells(rgb, side)
    for _ in range(2):
        short = typical_short_side(cells)
        if short is None:
            break
        better = int(np.clip(side * _CARD / short, _SIDES[0], min(_SIDES[1], max(longest, _FIRST_SIDE))))
        if 0.75 < better / side < 1.3:
            break
        side = better
        cells = estimate_cells(rgb, side)
    return cells, find_outlines(cells)


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
    cells, proposals = propose(rgb)
    outlines = [Outline(p, rgb, cells) for p in proposals]
    return _locate_deck(rgb, deck, camera, cells, outlines)


def _locate_deck(rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None, cells: Cells, outlines: list[Outline]) -> Located:
    size = (rgb.shape[1], rgb.shape[0])
    plane = _first_plane(outlines, deck, size, camera)
    pyramid = Pyramid(rgb)
    named: list[tuple[Outline, Identity | None]] = []
    for o in outlines:
        # too little of a card is left below this for a name; what is said of it comes from the network alone
        one = None if o.proposal.visible < _ENOUGH else identify(pyramid, _guesses(o, deck, plane), _seen(o, cells), thorough=False)
        named.append((o, one))
    better = _second_plane(named, size, camera) or plane
    for i, (o, old) in enumerate(named):
        if (old is None or old.left > _DOUBTFUL) and o.proposal.visible >= _ENOUGH:
            new = identify(pyramid, _guesses(o, deck, better, precise=True), _seen(o, cells), thorough=o.proposal.visible > _WORTH_MORE)
            if new is not None and (old is None or new.left < old.left):
                named[i] = (o, new)
    return Located(tuple(_resolve([_detection(o, n, better, deck) for o, n in named])), better)


def _guesses(o: Outline, deck: DeckAppearance, plane: Plane | None, precise: bool = False) -> list[tuple[Quad, LookSet]]:
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
    return centre + np.array([-u - v, u - v, u + v, v - u])


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
    m = cv2.morphologyEx(m, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return Seen(np.asarray(m, np.uint8), cells.cell_px)


def _first_plane(outlines: list[Outline], deck: DeckAppearance, size: tuple[int, int], camera: CameraModel | None) -> Plane | None:
    """The plane from the fitted outlines of whole cards, before any has a name."""
    # a dozen cards tell the plane as well as forty do
    likely = sorted((o for o in outlines if o.proposal.visible > WHOLE), key=lambda o: -o.proposal.belief)[:_PLANE_CARDS]
    whole = [o for o in likely if o.whole] or likely[:6]
    if not whole:
        return None
    quads = upright_on_a_plane([o.quad for o in whole], deck.card_mm, size)
    plane = estimate_plane(quads, [deck.card_mm] * len(quads), size, camera, 1.5)
    if not plane:
        return None
    # which way round, which size, and is it a card of this deck at all: decide again on the plane
    for _ in range(2):
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
        if not again:
            return plane
        plane = again
    return plane


def _second_plane(named: list[tuple[Outline, Identity | None]], size: tuple[int, int], camera: CameraModel | None) -> Plane | None:
    """The plane from the aligned corners of named cards: a few tenths of a pixel."""
    good = [n for _, n in named if n is not None and n.confidence > 0.9 and n.visible > 0.75]
    if not good:
        return None
    plane = estimate_plane([n.quad_px for n in good], [n.look.size_mm for n in good], size, camera, 0.5)
    return plane or None


def _detection(o: Outline, n: Identity | None, plane: Plane | None, deck: DeckAppearance) -> Detection | None:
    """What is told of a proposal; None where it is not worth telling."""
    if n is not None and n.belongs > 0.3:
        quad, sigma = _join(n, plane)
        is_back = n.look.kind == "back"
        readings = n.readings if not is_back else ()
        return Detection(quad, None if is_back else n.look.id, n.confidence if not is_back else n.belongs, n.visible, sigma, readings, is_back)
    if not o.whole or not is_convex(o.quad):
        return None
    if plane is not None:
        misfits = [s[1] / min(looks.size_mm) for looks in deck.sets if (s := _snap(o.quad, looks, plane)) is not None]
        if not misfits or min(misfits) > 0.12:
            return None
    return Detection(o.quad, None, o.proposal.belief * float(o.fitted.support.mean()), min(1.0, o.proposal.visible), o.fitted.sigma_px)


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
    some = sorted((d for d in found if d is not None), key=lambda d: -(d.confidence * (1.2 if d.face else 1.0) * d.visible))
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
            d = replace(d, face=best.face if best else None, confidence=best.probability if best else min(d.confidence, 0.3), readings=rest)
        if d.face is not None:
            used.add(d.face)
        out.append(d)
    return out
