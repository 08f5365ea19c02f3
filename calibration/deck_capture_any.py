"""Faces without meaning, of any deck of cards: enough for `referee cards --deck`."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture_light import averaged, light_fields, relit
from calibration.deck_capture import Enrolled, Json, Part, Photo, Said, Wishes, all_cards, faces_of, px_per_mm, sighting

Floats = NDArray[np.float32]

_GRID = (36, 24)  # rows and columns in which faces are compared
_SAME = 0.93  # correlation from which two pictures show one face


def enroll_any(photos: Sequence[Photo], wishes: Wishes, said: Said) -> Enrolled:
    """Cut the faces out of the photographs; what lies on two photos is one face."""
    cards = all_cards(photos, wishes, said)
    if not cards:
        return Enrolled({}, (), {}, ("no card found; lay the cards apart, none on another",))
    sizes = sorted({c.size_mm for c in cards}, key=lambda s: -sum(c.size_mm == s for c in cards))
    kept = [c for c in cards if c.size_mm == sizes[0]]
    remarks = [] if len(sizes) == 1 else ["cards of another size are left out: enroll them by themselves"]
    pictures = faces_of(photos, kept, px_per_mm(kept))
    clean = [relit(f, fit) for f, fit in zip(pictures, light_fields(pictures), strict=True)]
    said("faces")
    groups: list[list[tuple[int, bool]]] = []
    patterns = [_pattern(f) for f in clean]
    for i, card in enumerate(kept):
        for group in groups:
            first = group[0][0]
            if any(kept[j].photo == card.photo for j, _ in group):
                continue  # two of one photo are two cards
            upright, turned = (float((patterns[first] * p).mean()) for p in (patterns[i], patterns[i][::-1, ::-1]))
            if max(upright, turned) > _SAME:
                group.append((i, turned > upright))
                break
        else:
            groups.append([(i, False)])
    said("same faces")
    parts = []
    for number, group in enumerate(groups, 1):
        name = f"F{number:02d}"
        shown = [np.ascontiguousarray(clean[i][::-1, ::-1]) if half else clean[i] for i, half in group]
        seen = tuple(
            sighting(photos[kept[i].photo], np.roll(kept[i].quad_px, 2, 0) if half else kept[i].quad_px)
            for i, half in group
        )
        fields: Json = {"id": name, "image": f"{name}.jpg"}
        parts.append(Part(name, "faces", fields, seen, (), averaged(shown)).answered(wishes.answers))
    said("written")
    deck: Json = {
        "format": 1,
        "game": "any",
        "name": "my-deck",
        "card_mm": list(sizes[0]),
        "corner_radius_mm": round(0.05 * min(sizes[0]), 1),
        "faces": [p.fields for p in parts],
    }
    return Enrolled(deck, tuple(parts), {}, tuple(remarks))


def _pattern(face: Floats) -> Floats:
    """(rows, columns, 3) the face, small, without its mean and of unit spread."""
    small = cv2.resize(face, (_GRID[1], _GRID[0]), interpolation=cv2.INTER_AREA)
    centred = small - small.mean()
    return np.asarray(centred / (centred.std() + 1e-6), np.float32)
