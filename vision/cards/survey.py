"""One pass over a picture: the network's proposals at one scale, the plane that they share, and their names."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.cards.identify import Identity, Seen, identify
from vision.cards.outlines import WHOLE, Cells, Outline, estimate_cells, find_outlines, typical_short_side
from vision.cards.quads import signed_area
from vision.cards.rectify import Pyramid
from vision.deck import DeckAppearance, LookSet
from vision.plane import Plane, estimate_plane, upright_on_a_plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

CARD_PX = 48.0
"""Short side of a card, in network pixels, at which the network sees best."""
ENOUGH = 0.42
"""Visible share of a card from which a name is tried."""
SURE = 0.5
"""Probability of belonging to the deck from which a card has a name."""

_FIRST_SIDE = 384  # long side of the network's first picture, from which the right scale is read
_OTHER_SIDES = (640, 1024)
_OFF_SCALE = 0.6  # logarithm of how much larger or smaller than they should be the cards of a wrong scale are
_SIDES = (256, 1344)
_PLANE_CARDS = 6  # as many tell the plane well enough for a start
_EXPLAINED = 0.4  # of the area where the network sees cards


Named = tuple[Outline | None, Identity | None]
"""An outline of the network (None: found by its print) and what it turned out to be (None: unknown)."""


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What one look at the picture found: proposals with their identities, and the plane."""

    cells: Cells
    named: list[Named]
    plane: Plane | None

    @property
    def sure(self) -> list[Identity]:
        """The cards that have a name."""
        return [n for _, n in self.named if n is not None and n.belongs > SURE]

    @property
    def convincing(self) -> bool:
        """Whether the cards that have a name explain a good part of where the network sees cards."""
        cell = self.cells.cell_px[0] * self.cells.cell_px[1]
        seen = float((self.cells.card > 0.5).sum()) * cell
        explained = sum(abs(signed_area(n.quad_px)) * n.visible for n in self.sure)
        whole = sum(o is not None and o.proposal.visible > WHOLE for o, _ in self.named)
        return explained > _EXPLAINED * seen and len(self.sure) >= 0.5 * whole


def cells_at_scale(rgb: Rgb) -> tuple[Cells, int]:
    """The network's answer at the scale that suits this picture's cards, and the long side that it was shown."""
    longest = max(rgb.shape[:2])
    side = _FIRST_SIDE
    cells = estimate_cells(rgb, side)
    for _ in range(2):
        short = typical_short_side(cells)
        if short is None:
            break
        better = within(side * CARD_PX / short, longest)
        if 0.75 < better / side < 1.3:
            break
        side = better
        cells = estimate_cells(rgb, side)
    short = typical_short_side(cells)
    off = 0.0 if short is None else abs(float(np.log(short / CARD_PX)))
    for other in _OTHER_SIDES if off > _OFF_SCALE else ():
        # what it takes for cards changes with the scale: of all scales the one whose cards have the right size is true
        again = estimate_cells(rgb, min(other, longest))
        short = typical_short_side(again)
        if short is not None and abs(float(np.log(short / CARD_PX))) < off:
            cells, side, off = again, min(other, longest), abs(float(np.log(short / CARD_PX)))
    return cells, side


def within(side: float, longest: int) -> int:
    """A long side for the network's picture, held to what it can use."""
    return int(np.clip(side, _SIDES[0], min(_SIDES[1], max(longest, _FIRST_SIDE))))


def survey(
    pyramid: Pyramid, deck: DeckAppearance, camera: CameraModel | None, cells: Cells, plane: Plane | None = None
) -> Survey:
    """Propose cards from the network's answer, find their plane and name them."""
    rgb = pyramid.rgb
    outlines = [Outline(p, rgb, cells) for p in find_outlines(cells)]
    plane = plane or first_plane(outlines, deck, (rgb.shape[1], rgb.shape[0]), camera)
    named: list[Named] = []
    for o in outlines:
        # too little of a card is left below this for a name; what is said of it comes from the network alone
        one = (
            None
            if o.proposal.visible < ENOUGH
            else identify(pyramid, guesses(o, deck, plane), seen_part(o, cells), thorough=False)
        )
        named.append((o, one))
    return Survey(cells, named, plane)


def guesses(o: Outline, deck: DeckAppearance, plane: Plane | None, precise: bool = False) -> list[tuple[Quad, LookSet]]:
    """Outlines to try for a proposal: as a card of each size would lie there on the plane."""
    out: list[tuple[Quad, LookSet]] = []
    quad = o.quad if plane is None or precise else o.proposal.quad_px
    for looks in deck.sets:
        snapped = None if plane is None else snap(quad, looks, plane)
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


def snap(quad: Quad, looks: LookSet, plane: Plane) -> tuple[Quad, float] | None:
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


def seen_part(o: Outline, cells: Cells) -> Seen:
    if o.proposal.visible > 0.93:
        return Seen(None, cells.cell_px)
    m = np.zeros(cells.card.shape, np.uint8)
    at = cells.nearest(o.proposal.cells)
    m[at[:, 1], at[:, 0]] = 255
    closed = cv2.morphologyEx(m, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return Seen(np.asarray(closed, np.uint8), cells.cell_px)


def first_plane(
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


def second_plane(named: list[Named], size: tuple[int, int], camera: CameraModel | None) -> Plane | None:
    """The plane from the aligned corners of named cards: a few tenths of a pixel."""
    good = [n for _, n in named if n is not None and n.confidence > 0.9 and n.visible > 0.75]
    if not good:
        return None
    plane = estimate_plane([n.quad_px for n in good], [n.look.size_mm for n in good], size, camera, 0.5)
    return plane if plane else None
