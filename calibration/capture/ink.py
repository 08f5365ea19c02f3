"""Cards of any deck, which may differ in nothing but the colour of their print: named by pattern and ink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.deck_any import ink_of, likely_face, of_one_ink, pattern_of
from vision.cards.rectify import homography
from vision.deck import DeckAppearance
from vision.scene import Observation
from vision.types import Detection, Quad, Rgb

Floats = NDArray[np.float32]

_WHOLE = 0.85
"""Share of a card that is seen where its whole pattern is looked at."""


def named_by_ink(seen: Observation, rgb: Rgb, deck: DeckAppearance | None) -> Observation:
    """The same cards, where none has the name of a face that is printed in another colour.

    A card whose name its ink contradicts, or that has none, is named anew where one face of its ink is surely it.

    Parameters
    ----------
    seen
        One picture understood; `table.placements[i]` is `detections[i]`.
    rgb
        The picture, (H, W, 3).
    deck
        Whose faces they may be. Decks of a game have readers of their own, and are left alone.
    """
    if deck is None or deck.game != "any":
        return seen
    faces = {look.id: pattern_of(look.colour.astype(np.float32)) for look in deck.looks}
    cards = [_named(card, rgb, faces, deck.card_mm) for card in seen.detections]
    placements = tuple(
        p if new is old else replace(p, face=new.face, confidence=new.confidence, candidates=())
        for p, old, new in zip(seen.table.placements, seen.detections, cards, strict=True)
    )
    return replace(seen, detections=tuple(cards), table=replace(seen.table, placements=placements))


def _named(card: Detection, rgb: Rgb, faces: Mapping[str, Floats], size_mm: tuple[float, float]) -> Detection:
    quad = card.quad_px
    if card.face is None and np.hypot(*(quad[1] - quad[0])) > np.hypot(*(quad[2] - quad[1])):
        quad = np.roll(quad, -1, 0)  # an outline tells no top; a card is higher than wide
    shown = pattern_of(_laid_flat(rgb, quad, size_mm))
    ink = ink_of(shown)
    known = faces.get(card.face or "")
    if known is not None and of_one_ink(ink_of(known), ink):
        return card
    found = likely_face(shown, faces) if card.visible >= _WHOLE else None
    if found is None:
        return card if known is None else replace(card, face=None, readings=())
    name, likeness, on_its_head = found
    upright = np.roll(quad, -2, 0) if on_its_head else quad
    return replace(card, quad_px=upright, face=name, confidence=min(likeness, card.confidence), readings=())


def _laid_flat(rgb: Rgb, quad_px: Quad, size_mm: tuple[float, float]) -> Floats:
    """The card as the picture shows it, upright, about as large as a learned face is looked at."""
    w, h = (round(4 * side) for side in size_mm)
    corners = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]])
    flat = cv2.warpPerspective(rgb, homography(quad_px, corners), (w, h), flags=cv2.INTER_AREA)
    return np.asarray(flat, np.float32)
