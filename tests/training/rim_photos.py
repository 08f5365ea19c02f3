"""Training strips from photographs, or rendered ones, of laid pieces whose outlines are known: enrolment cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import shapely
from shapely.geometry import Polygon

from calibration.capture.cactus.outlines import outline_pieces
from calibration.capture.cactus.pieces import find_pieces
from calibration.capture.cactus.plate_edges import even
from calibration.capture.cactus.plate_view import PlateView
from calibration.capture.cactus.rim_net import EVERY, SMOOTH, strip
from calibration.capture.cactus.shapes import sort_shapes
from tests.training.laid_data import Levels, by_lot
from tests.training.laid_scene import Array, Floats
from tests.training.rim_data import FARTHEST, LEAST, cut, rough

_SHAPES = 5
_FINE = 0.25  # pixels between places at which it is looked where an outline ends
_NEARER = 0.3  # pixels by which the nearest place of an outline may be off the one straight ahead
_WAITING = 400


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """One photograph.

    Parameters
    ----------
    picture
        (h, w, 3) RGB 0..255.
    bare
        (h, w, 3) the table as it would be with nothing on it, 0..1.
    view
        How it sees plates, as far as can be told.
    outlines
        Of the faces, (n, 2) px.
    """

    picture: Levels
    bare: Floats
    view: PlateView
    outlines: tuple[Array, ...]


def read_photos(folder: Path) -> list[Photo]:
    """The photographs of one enrolment case of Cactus: a folder with `truth.json`."""
    truth = [p for p in json.loads((folder / "truth.json").read_text())["photos"] if p.get("pieces")]
    every = [cv2.imread(str(folder / p["photo"])) for p in truth]
    found = [find_pieces(np.asarray(cv2.cvtColor(one, cv2.COLOR_BGR2RGB), np.uint8)) for one in every]
    whose = [k for k, f in enumerate(found) for _ in f.labs]
    told = outline_pieces(found, range(len(found)), lambda o: sort_shapes(o, list(range(len(o))), _SHAPES, whose))
    out = []
    for k, (p, f) in enumerate(zip(truth, found, strict=True)):
        outlines = tuple((np.array(piece["outline"]) + 0.5) * f.zoom - 0.5 for piece in p["pieces"])
        levels = np.asarray(f.traced.rgb * 255 + 0.5, np.uint8)
        out.append(Photo(levels, f.traced.bare, told.views[k], outlines))
    return out


class PhotoStrips:
    """Draws training strips from photographs without end."""

    def __init__(self, rng: np.random.Generator, photos: Sequence[Photo]) -> None:
        self.rng = rng
        self.photos = photos

    def draw(self) -> list[tuple[Levels, Floats]]:
        """Strips of one piece, in the colours of another lamp; what they hold is told by `rim_data.Strips`."""
        rng = self.rng
        photo = self.photos[int(rng.integers(len(self.photos)))]
        outline = photo.outlines[int(rng.integers(len(photo.outlines)))]
        face = Polygon(outline).buffer(0)
        points, normals = even(outline, EVERY, SMOOTH)
        if face.geom_type != "Polygon" or len(points) < LEAST:
            return []
        side = photo.view.side(points)
        start, normals = even(rough(rng, points, normals, side.mean(0)), EVERY, SMOOTH)
        mixed = rng.permutation(3)
        gain = np.exp(rng.normal(0, 0.15, 3)).astype(np.float32)
        power = np.float32(np.exp(rng.normal(0, 0.15)))
        picture, bare = (
            np.clip(one[..., mixed] * gain, 0, 1) ** power
            for one in (photo.picture.astype(np.float32) / 255, photo.bare)
        )
        shown = strip(picture, bare, start, normals, photo.view.side(start))
        return cut(rng, shown, told_by(face, start, normals))

    def mixed(self) -> Iterator[tuple[Levels, Floats]]:
        """Strips without end; those of one piece do not follow each other."""
        return by_lot(self.rng, self.draw, _WAITING)


def told_by(face: Polygon, points: Array, normals: Array) -> Floats:
    """(2, n) how far outward the outline of a face lies, in px, and 1 where that is known."""
    x = np.arange(-FARTHEST, FARTHEST + _FINE / 2, _FINE)
    at = points[:, None] + normals[:, None] * x[None, :, None]
    inside = shapely.contains_xy(face, at[..., 0], at[..., 1])
    where = np.where(inside[:, :-1] & ~inside[:, 1:], x[:-1] + _FINE / 2, np.inf)
    off = where[np.arange(len(points)), np.abs(where).argmin(1)]
    known = np.isfinite(off)
    places = shapely.points(points)
    nearest = shapely.distance(places, face.exterior) * np.where(shapely.contains(face, places), 1, -1)
    exact = known & (np.abs(off - nearest) < _NEARER)
    return np.stack([np.where(known, np.where(exact, nearest, off), 0.0), known]).astype(np.float32)
