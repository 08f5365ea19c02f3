"""From a proposed outline to a named card: lay it every way it can lie, align the best face, say how sure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.face_bank import FaceBank, Layer, face_bank
from vision.cards.faces import Alignment, Comparison, Freedom, Laid, align, compare, lay_flat
from vision.cards.rectify import Pyramid, face_to_px
from vision.cards.symbols import Opinion, symbol_reader
from vision.deck import Grid, Look, LookSet
from vision.types import Quad, Reading

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_LEFT_HALF = 0.36  # unexplained share at which a reading is as likely as not
_LEFT_WIDTH = 0.035
_SHARP = 40.0  # largest weight of a difference between two faces
_CONTRADICTED = 2.2  # edge symbols that clearly read otherwise, at which a reading is as likely as not
_GOOD = 0.2  # unexplained share at which no other way of lying needs to be tried
_ROUGHLY = 0.65  # unexplained share on the roughest grid above which a place further off is not worth an alignment
_HOPELESS = 0.75  # unexplained share, before the fine alignment, from which none is tried
_WELL = 0.1  # unexplained share up to which no other face is laid
_RIVALS, _NEAR, _CLEARLY = 4, 0.65, 0.7  # faces that are, how near they come, and what they must leave unexplained
_HERE = np.zeros((1, 2))
_AROUND = np.array([(x, y) for x in (-0.11, 0.0, 0.11) for y in (-0.09, 0.0, 0.09)])  # shares of width and height
_MOST = 0.55  # share of a card from which its perspective can be told from itself
_GROUND = 0.25  # mean agreement round a symbol from which it is the card's own
_FITS_WELL, _UNSURE = 0.18, 0.4
_SIXTY = 0.6  # a card seen to this share or more is named


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """What a proposal turned out to be.

    Parameters
    ----------
    look
        The best look of the deck.
    quad_px
        (4, 2) aligned corners in printed order.
    left
        Share of the picture's contrast that the look leaves unexplained.
    belongs
        Probability that this is a card of the deck at all.
    readings
        Faces and their probabilities, likeliest first, `belongs` included.
    visible
        Share of the face that agrees with the picture.
    alignment
        The fit itself.
    """

    look: Look
    quad_px: Quad
    left: float
    belongs: float
    readings: tuple[Reading, ...]
    visible: float
    alignment: Alignment

    @property
    def confidence(self) -> float:
        """Probability of the likeliest face."""
        return self.readings[0].probability if self.readings else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Which part of a card is visible, as a map over the picture (True where it is); None: all of it."""

    map: NDArray[np.uint8] | None
    cell_px: tuple[float, float]

    def on(self, H: Array, grid: Grid) -> Floats:
        """(rows, columns) 0..1 over the grid."""
        if self.map is None:
            return np.ones(grid.shape, np.float32)
        to_cell = np.array(
            [
                [1 / self.cell_px[0], 0, 0.5 / self.cell_px[0] - 0.5],
                [0, 1 / self.cell_px[1], 0.5 / self.cell_px[1] - 0.5],
                [0, 0, 1.0],
            ]
        )
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        out = cv2.warpPerspective(self.map, to_cell @ H, grid.shape[::-1], flags=flags, borderMode=cv2.BORDER_CONSTANT)
        return np.clip(out.astype(np.float32) / 128, 0, 1)


def turns(quad: Quad, looks: LookSet) -> tuple[int, ...]:
    """By how many corners the quad may have to be rolled to start at the printed top-left corner."""
    d = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    across, along = d[0] + d[2], d[1] + d[3]
    w, h = looks.size_mm
    ratio = np.log(max(across, 1e-6) / max(along, 1e-6))
    expected = np.log(w / h)
    if looks.square or (abs(abs(ratio) - abs(expected)) > 0.5 * abs(expected) and abs(ratio) < 0.6 * abs(expected)):
        return (0, 1, 2, 3)
    return (0, 2) if abs(ratio - expected) < abs(ratio + expected) else (1, 3)


def identify(
    pyramid: Pyramid, guesses: list[tuple[Quad, LookSet]], seen: Seen, thorough: bool = True
) -> Identity | None:
    """Name the card at one of the guessed outlines.

    Parameters
    ----------
    guesses
        Outlines to try, corners clockwise from any corner, each with the looks of its size.
    seen
        Where the card is visible.
    thorough
        Try again from other guesses where the first one leads nowhere.

    Returns
    -------
    Identity or None
        None where no face can be laid there at all. A face of another deck comes back with a low `belongs`.
    """
    found: Identity | None = None
    for shifts in (_HERE, _AROUND)[: 2 if thorough else 1]:
        tried = _rank(pyramid, guesses, seen, shifts)
        for error, look, quad, looks in tried[: 3 if thorough else 1]:
            if found is not None and error > tried[0][0] + 0.12:
                break
            if shifts is _AROUND and error > _ROUGHLY:
                break
            for start in (0, 1) if thorough else (0,):
                one = _settle(pyramid, quad, looks, look, seen, start)
                if one is not None and (found is None or one.left < found.left):
                    found = one
                if found is not None and found.left < _GOOD:
                    return found
    return found


def _rank(
    pyramid: Pyramid, guesses: list[tuple[Quad, LookSet]], seen: Seen, shifts: Array
) -> list[tuple[float, int, Quad, LookSet]]:
    """All ways in which the card can lie, with the best look of each: (error, look, quad, looks), best first."""
    tried: list[tuple[float, int, Quad, LookSet]] = []
    for quad, looks in guesses:
        layer = face_bank(looks).rough
        for k in turns(quad, looks):
            for sx, sy in shifts:
                q = np.roll(quad, -k, 0)
                q = q + sx * (q[1] - q[0]) + sy * (q[3] - q[0])
                try:
                    H = face_to_px(q, layer.grid)
                except ValueError:
                    continue
                c = compare(pyramid.patch(H, layer.grid.shape), seen.on(H, layer.grid), layer)
                best = int(np.argmin(c.error))
                tried.append((float(c.error[best]), best, q, looks))
    return sorted(tried, key=lambda t: t[0])


def _settle(pyramid: Pyramid, quad: Quad, looks: LookSet, look: int, seen: Seen, start: int = 0) -> Identity | None:
    """Align coarsely, name again, align finely, name for good, and hear what the symbols say."""
    bank = face_bank(looks)
    fine = bank.fine
    covered = seen.map is not None
    for layer in (bank.rough, bank.coarse)[start:]:
        try:
            H = face_to_px(quad, layer.grid)
        except ValueError:
            return None
        mask = seen.on(H, layer.grid)
        if layer is bank.coarse:
            error = compare(pyramid.patch(H, layer.grid.shape), mask, layer).error
            look = int(np.argmin(error))
            if error[look] > _HOPELESS:
                return None
        a = align(pyramid, H, layer, look, mask, 4, Freedom.AFFINE)
        if a is None:
            return None
        quad = a.quad_px
    try:
        H = face_to_px(quad, fine.grid)
    except ValueError:
        return None
    inside = pyramid.inside(H, fine.grid.shape).astype(np.float32)
    if covered:
        a = align(pyramid, H, fine, look, seen.on(H, fine.grid), 3, Freedom.AFFINE, precise=True)
        if a is None:
            return None
        # the pose is good now: what disagrees with the face covers it, and needs no mask from the network any more
        visible = float(seen.on(a.H, fine.grid)[fine.rim].mean())
        free = Freedom.BEND if a.agreement * visible > _MOST else Freedom.AFFINE
        a = align(pyramid, a.H, fine, look, inside, 5, free, precise=True) or a
    else:
        a = align(pyramid, H, fine, look, inside, 6, Freedom.BEND, precise=True)
        if a is None:
            return None
    patch = pyramid.patch(a.H, fine.grid.shape, a.bend)
    laid = lay_flat(patch, fine, look, inside)
    mask = inside * np.maximum(seen.on(a.H, fine.grid), laid.weight > 0.5)
    c = compare(patch, mask, fine)
    best = int(np.argmin(c.error))
    if best != look:
        b = align(pyramid, a.H, fine, best, mask, 4, Freedom.AFFINE, precise=True)
        if b is not None:
            a = b
            patch = pyramid.patch(a.H, fine.grid.shape, a.bend)
            laid = lay_flat(patch, fine, best, inside)
            c = compare(patch, mask, fine)
            best = int(np.argmin(c.error))
    if c.error[best] > _WELL:
        a, c = _laid_themselves(pyramid, fine, a, c, mask)
        best = int(np.argmin(c.error))
        laid = lay_flat(pyramid.patch(a.H, fine.grid.shape, a.bend), fine, best, inside)
    agree = _agreement(laid, inside, fine.rim)
    reader = symbol_reader(looks)
    # a symbol contradicts only where the plain ground round it is the card's: what lies on the card is no symbol of it
    around = 2 * (min(fine.grid.shape) // 7) + 1
    clear = mask * (cv2.blur(laid.weight, (around, around)) > _GROUND)
    opinion = None if reader is None or bank.looks[best].kind != "face" else reader.read(laid.flat, clear, best)
    belongs, readings = _readings(c, bank, best, agree, opinion)
    return Identity(bank.looks[best], a.quad_px, float(c.error[best]), belongs, readings, agree, a)


def _laid_themselves(
    pyramid: Pyramid, layer: Layer, a: Alignment, c: Comparison, mask: Floats
) -> tuple[Alignment, Comparison]:
    """The fit and comparison of that of the likeliest faces which fits clearly best when it is laid by itself.

    Pictures of faces that were learned are cut a little askew: where one is laid well, its neighbour is not.
    """
    likeliest = np.argsort(c.error)
    for rival in likeliest[1:_RIVALS].tolist():
        if c.error[rival] < _NEAR:
            b = align(pyramid, a.H, layer, rival, mask, 4, Freedom.AFFINE, precise=True)
            own = None if b is None else compare(pyramid.patch(b.H, layer.grid.shape, b.bend), mask, layer)
            if b is not None and own is not None and own.error.min() < _CLEARLY * c.error.min():
                return b, own
    return a, c


def _agreement(laid: Laid, inside: Floats, rim: NDArray[np.bool_]) -> float:
    """Share of the face that is in the picture and looks as it should."""
    return float(((laid.weight > 0.3) & (inside > 0.5))[rim].mean())


def _readings(
    c: Comparison, bank: FaceBank, best: int, visible: float, opinion: Opinion | None
) -> tuple[float, tuple[Reading, ...]]:
    left = float(c.error[best])
    belongs = 1 / (1 + np.exp(np.clip((left - _LEFT_HALF) / _LEFT_WIDTH, -30, 30)))
    # little of a card says little about it, however well that little fits
    belongs *= 1 / (1 + np.exp(-(visible - 0.8 * _SIXTY) / 0.04))
    if opinion is not None:
        doubt = 1 / (1 + np.exp(np.clip((opinion.disagree - _CONTRADICTED) / 0.35, -30, 30)))
        # washed-out symbols read wrong: where the whole face fits well the card keeps its name, but without certainty
        belongs *= max(doubt, _UNSURE) if left < _FITS_WELL else doubt
    weight = min(_SHARP, c.samples / 20)
    p = np.exp(-weight * np.log(c.error / left))
    p = p / p.sum()
    order = np.argsort(-p)
    readings = tuple(Reading(bank.looks[i].id, float(p[i] * belongs)) for i in order if p[i] > 1e-3)
    return float(belongs), readings
