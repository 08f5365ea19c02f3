"""Faces without meaning, of any deck of cards: enough for `referee cards --deck`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.deck import Enrolled, Json, Part, Photo, Said, Wishes, all_cards, faces_of, px_per_mm, sighting
from calibration.capture.light import averaged, light_fields, relit

Floats = NDArray[np.float32]

_GRID = (54, 36)  # rows and columns in which faces are compared
_SHADE, _SOFT, _RIM = 9.0, 0.7, 3  # of these: how far light and shade reach, how exactly print lies, what is left out
_SHIFT = 2  # ... and how far faces may be shifted
_DARK = 8.0  # grey levels: what is darker is all alike
_SAME = 0.92  # correlation from which two pictures show one face
_COLOURLESS, _ONE_HUE = 0.01, 0.75  # what is paler may be of any colour; cosine between two of one
_PERHAPS, _AHEAD = 0.895, 0.07  # ... that of the likest, and by how much it must be likest


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
    groups = same_faces([pattern_of(f) for f in clean], [c.photo for c in kept])
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


def same_faces(patterns: Sequence[Floats], photos: Sequence[int]) -> list[list[tuple[int, bool]]]:
    """Cards that show one face, each with whether it lies on its head against the first; no two are of one photo.

    Pictures show one face where they are much alike, or where each is by far the likest of the other's photo.
    """
    n = len(patterns)
    like, head = np.full((n, n), -1.0), np.zeros((n, n), bool)
    colours = [ink_of(p) for p in patterns]
    for i in range(n):
        for j in range(i + 1, n):
            if photos[i] != photos[j] and of_one_ink(colours[i], colours[j]):
                both = [_likeness(patterns[i], p) for p in (patterns[j], patterns[j][::-1, ::-1])]
                like[i, j] = like[j, i] = max(both)
                head[i, j] = head[j, i] = both[1] > both[0]
    group = list(range(n))
    turned = [False] * n
    on = np.array(photos)

    def ahead(i: int, j: int) -> float:
        """By how much j is more like i than any other card of its photo is."""
        others = like[i][(on == on[j]) & (np.arange(n) != j)]
        return float(like[i, j] - others.max(initial=-1.0))

    for i, j in sorted(zip(*np.nonzero(like > _PERHAPS), strict=True), key=lambda p: -like[p]):
        clear = like[i, j] > _SAME or min(ahead(i, j), ahead(j, i)) > _AHEAD
        mine, other = ([k for k in range(n) if group[k] == group[m]] for m in (i, j))
        if group[i] != group[j] and clear and not set(on[mine]) & set(on[other]):
            flip = turned[i] ^ turned[j] ^ bool(head[i, j])
            for k in other:
                group[k], turned[k] = group[i], turned[k] ^ flip
    out = []
    for first in dict.fromkeys(group):
        members = [k for k in range(n) if group[k] == first]
        out.append([(k, turned[k] ^ turned[members[0]]) for k in members])
    return out


def likely_face(pattern: Floats, faces: Mapping[str, Floats]) -> tuple[str, float, bool] | None:
    """The face of its ink that a card shows for sure, how alike they are, and whether it lies on its head."""
    ink = ink_of(pattern)
    found = [
        (_likeness(face, shown), name, on_its_head)
        for name, face in faces.items()
        if of_one_ink(ink_of(face), ink)
        for on_its_head, shown in ((False, pattern), (True, pattern[::-1, ::-1]))
    ]
    if not found:
        return None
    best, name, on_its_head = max(found)
    others = max((like for like, other, _ in found if other != name), default=-1.0)
    return (name, best, on_its_head) if best > _SAME and best - others > _AHEAD else None


def _likeness(a: Floats, b: Floats) -> float:
    """Correlation of two patterns, a little shifted if need be."""
    inner = np.ascontiguousarray(b[_SHIFT:-_SHIFT, _SHIFT:-_SHIFT])
    return float(cv2.matchTemplate(a, inner, cv2.TM_CCOEFF_NORMED).max())


def ink_of(pattern: Floats) -> Floats:
    """(3,) in which direction, and how much, what is printed differs from its card in colour."""
    depth = pattern.mean(2, keepdims=True)
    weight = np.abs(depth)
    return np.asarray(((pattern - depth) * weight).sum((0, 1)) / max(float(weight.sum()), 1e-6), np.float32)


def of_one_ink(a: Floats, b: Floats) -> bool:
    """Whether two prints may be of one colour; thin lines look paler, of the same hue."""
    sizes = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    return min(sizes) < _COLOURLESS or float(a @ b) > _ONE_HUE * sizes[0] * sizes[1]


def pattern_of(face: Floats) -> Floats:
    """(rows, columns, 3) what is printed on a face, small, without light and shade and without its rim."""
    small = np.maximum(cv2.resize(face, (_GRID[1], _GRID[0]), interpolation=cv2.INTER_AREA), _DARK)
    around = np.maximum(cv2.GaussianBlur(small, (0, 0), _SHADE), _DARK)
    printed = cv2.GaussianBlur(np.log(small / around), (0, 0), _SOFT)
    return np.ascontiguousarray(printed[_RIM:-_RIM, _RIM:-_RIM], np.float32)
