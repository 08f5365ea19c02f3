"""The deck's colours in today's light: each as it is known and as the picture shows it, and which look alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.upright import HungPiece
from vision.cards.rectify import apply, homography
from vision.deck import DeckAppearance
from vision.types import Detection, Rgb

Array = NDArray[np.float64]
Colour = tuple[float, float, float]

_WELL_SEEN = 0.8
"""Share of a card or piece that must be seen."""
_VIVID = 0.2
"""Share of a face's pixels, the most vivid ones, that stand for its colour."""
_LEAST = 30
"""Pixels that a colour is read from."""
_ALIKE = 12.0
"""Distance in CIE Lab below which two colours are hard to tell apart."""
_APART = 1.6
"""... where the deck itself holds them so many times further apart."""


@dataclass(frozen=True, slots=True)
class Shade:
    """One colour of the deck: its name, red, green and blue from 0 to 255 as it is known and as it is seen now.

    `alike` names the colours that look nearly the same in this light.
    """

    name: str
    known: Colour
    seen: Colour
    alike: tuple[str, ...] = ()


def card_shades(
    rgb: Rgb, detections: Sequence[Detection], deck: DeckAppearance, names: Mapping[str, str]
) -> tuple[Shade, ...]:
    """The colours of the cards that lie there.

    Parameters
    ----------
    rgb
        The picture.
    detections
        The cards in it.
    deck
        What they look like.
    names
        The colour of each face, by its id.
    """
    looks = {look.id: look for look in deck.looks}
    found: dict[str, list[tuple[Array, Array]]] = defaultdict(list)
    for d in detections:
        look, name = looks.get(d.face or ""), names.get(d.face or "")
        if look is None or not name or d.visible < _WELL_SEEN:
            continue
        face = look.colour
        h, w = face.shape[:2]
        step = max(1, min(h, w) // 40)
        ys, xs = (v.ravel() for v in np.mgrid[step:h:step, step:w:step])
        printed = face[ys, xs].astype(np.float64)
        vivid = printed.max(1) - printed.min(1)
        chosen = np.argsort(-vivid, kind="stable")[: max(_LEAST, round(_VIVID * len(vivid)))]
        corners = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]])
        at = apply(homography(corners, d.quad_px), np.c_[xs, ys][chosen].astype(np.float64))
        p = np.round(at).astype(int)
        inside = (p >= 0).all(1) & (p[:, 0] < rgb.shape[1]) & (p[:, 1] < rgb.shape[0])
        found[name].append((printed[chosen][inside], rgb[p[inside, 1], p[inside, 0]].astype(np.float64)))
    return _shades(found)


def piece_shades(rgb: Rgb, hung: Sequence[HungPiece], cactus: CactusSet) -> tuple[Shade, ...]:
    """The colours of the pieces that hang there; see `card_shades`."""
    found: dict[str, list[tuple[Array, Array]]] = defaultdict(list)
    for piece in hung:
        if piece.visible < _WELL_SEEN:
            continue
        name = cactus.piece(piece.id).color
        mask = np.zeros(rgb.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(piece.outline_px).astype(np.int32)], 1)
        seen = rgb[cv2.erode(mask, np.ones((5, 5), np.uint8)) > 0].astype(np.float64)
        found[name].append((np.tile(np.array(cactus.colors[name], np.float64), (len(seen), 1)), seen))
    return _shades(found)


def _shades(found: Mapping[str, Sequence[tuple[Array, Array]]]) -> tuple[Shade, ...]:
    known, seen = {}, {}
    for name, parts in sorted(found.items()):
        there, here = (np.concatenate(p) for p in zip(*parts, strict=True))
        if len(here) >= _LEAST:
            known[name], seen[name] = np.median(there, axis=0), np.median(here, axis=0)

    def alike(name: str) -> tuple[str, ...]:
        near = []
        for other in seen:
            off = _apart(seen[name], seen[other])
            if other != name and off < _ALIKE and _apart(known[name], known[other]) > _APART * off:
                near.append(other)
        return tuple(near)

    return tuple(Shade(name, _rgb(known[name]), _rgb(seen[name]), alike(name)) for name in seen)


def _apart(a: Array, b: Array) -> float:
    pair = np.array([[a, b]], np.float32) / 255
    lab = cv2.cvtColor(pair, cv2.COLOR_RGB2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


def _rgb(colour: Array) -> Colour:
    r, g, b = (round(float(v), 1) for v in colour)
    return (r, g, b)
