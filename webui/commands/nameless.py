"""Kinds of a copy that nobody named: what each looks like, where it lies, and how it is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.deck import Enrolled, Part, Photo
from vision.types import Rgb

SORTS = {"center": "stone", "color": "colour", "shape": "shape"}
"""What a field of a part tells of it, as its kinds are called here."""
FOLDER = "kinds"
_NO_NAME = re.compile(r"(kind|shape)-\d+")
_AROUND = 0.2  # of a part's longer side, what is shown beside it
_MOST_PX = 480


@dataclass(frozen=True, slots=True)
class Nameless:
    """A kind without a name, what it is a kind of, and a part that shows it: on which photo, and a pixel of it."""

    name: str
    sort: str
    part: Part
    photo: str
    at_px: tuple[int, int]

    @property
    def picture(self) -> str:
        """The file that shows it, in the deck's folder."""
        return f"{FOLDER}/{self.sort}-{self.name}.png"


def nameless(parts: Sequence[Part]) -> tuple[Nameless, ...]:
    """The kinds that have no name, each with the first part that shows it."""
    found: dict[tuple[str, str], Nameless] = {}
    for part in parts:
        for sort, name in _kinds(part):
            if (sort, name) not in found and part.sightings:
                where = part.sightings[0]
                found[sort, name] = Nameless(name, sort, part, str(where["photo"]), _inside(_outline(where)))
    return tuple(found[key] for key in sorted(found))


def with_pictures(found: Enrolled, kinds: Sequence[Nameless], photos: Sequence[Photo]) -> Enrolled:
    """The deck with a picture of each of these kinds beside its own."""
    by_name = {p.name: p.rgb for p in photos}
    cut = {k.picture: _cut(by_name[k.photo], _outline(k.part.sightings[0])) for k in kinds}
    return replace(found, pictures={**found.pictures, **cut})


def told(kind: Nameless, folder: Path, photo: str) -> str:
    """What a kind is, where it is seen, and how it is named, by what its photo is called beside the others."""
    example = json.dumps({f"NAME OF THE {kind.sort.upper()}": {"photo": photo, "at": list(kind.at_px)}})
    return (
        f"{kind.name} is a {kind.sort} without a name: {kind.part.id} on {photo} shows it, and so does "
        f"{folder / kind.picture}; to name it write {example} in --examples FILE"
    )


def _kinds(part: Part) -> Iterator[tuple[str, str]]:
    for field, sort in SORTS.items():
        name = part.fields.get(field)
        if isinstance(name, str) and _NO_NAME.fullmatch(name):
            yield sort, name


def _outline(sighting: Mapping[str, object]) -> NDArray[np.float64]:
    """(n, 2) px the outline of a part on its photo."""
    return np.asarray(sighting.get("quad", sighting.get("outline")), float)


def _inside(outline: NDArray[np.float64]) -> tuple[int, int]:
    """A pixel well within an outline: the middle of a card, and of a bent piece where it is broadest."""
    low = outline.min(0) - 1
    size = np.ceil(outline.max(0) - low).astype(int) + 2
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(outline - low).astype(np.int32)], 1)
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, 5)
    middle = np.indices(mask.shape)[::-1].reshape(2, -1).T - (outline.mean(0) - low)
    # a card is as deep all along its middle
    worth = depth.ravel() - 0.1 * np.hypot(*middle.T)
    y, x = np.unravel_index(int(worth.argmax()), mask.shape)
    return round(float(x + low[0])), round(float(y + low[1]))


def _cut(rgb: Rgb, outline: NDArray[np.float64]) -> Rgb:
    """A part with a little of what lies round it, not larger than a page shows it."""
    around = _AROUND * float((outline.max(0) - outline.min(0)).max())
    (x, y), (right, bottom) = outline.min(0) - around, outline.max(0) + around
    own = rgb[max(0, int(y)) : int(bottom) + 1, max(0, int(x)) : int(right) + 1]
    scale = min(1.0, _MOST_PX / max(own.shape[:2]))
    return np.asarray(cv2.resize(own, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
