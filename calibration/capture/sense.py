"""Whether what was found on photographs can be a copy of the game at all, or is whatever lay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.deck import CARDS as CONEX_CARDS
from calibration.capture.deck import Enrolled, Part

Array = NDArray[np.float64]

_MANY = 0.5
"""With so large a share of the game's cards it is the game, however badly it is lit."""
_READ = 0.25
"""Share of the cards on which something must be read."""
_SLENDER = 1.3
"""A card may look so many times as slender as it is, or as stout, because the camera looks at a slant."""


def nonsense(game: str, found: Enrolled, card_mm: tuple[float, float]) -> str:
    """Why it is no copy of the game, in words; empty where it may be one.

    What has as many symbols round its edge as a card of Rox is one: its reader finds nothing else.

    Parameters
    ----------
    game
        Which one, or "any".
    found
        What was read.
    card_mm
        Width and height of a card.
    """
    faces = [p for p in found.parts if p.group == "faces"]
    match game:
        case "conex" if faces and not _are_read(faces, lambda part: bool(part.fields.get("corners"))):
            return "hardly anything of what looks like a card has a coloured corner"
        case "conex" if len(faces) < _MANY * CONEX_CARDS and not _are_read(faces, _has_corner):
            return "on hardly any of what looks like a card a coloured corner with its number is read"
        case "cactus" if not any(p.group == "cacti" or p.fields.get("shape") for p in found.parts):
            return "no two of the things that lie there have one form, so they are no pieces of the game"
        case "any" if 2 * sum(_is_slender(p, card_mm) for p in faces) <= len(faces):
            return f"what lies there has not the form of a card of {card_mm[0]:g} x {card_mm[1]:g} mm"
    return ""


def _are_read(faces: Sequence[Part], reads: Callable[[Part], bool]) -> bool:
    return sum(reads(p) for p in faces) > _READ * len(faces)


def _has_corner(part: Part) -> bool:
    return any(c.get("value") is not None for c in part.fields.get("corners", ()))


def _is_slender(part: Part, card_mm: tuple[float, float]) -> bool:
    if not part.sightings:
        return True
    quad: Array = np.asarray(part.sightings[0]["quad"], np.float64)
    sides = np.hypot(*(np.roll(quad, -1, 0) - quad).T)
    across, along = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    off = along / max(across, 1e-6) / (card_mm[1] / card_mm[0])
    return 1 / _SLENDER < off < _SLENDER
