"""Reads the photographs of a copy and keeps what was read: parts, kinds, small pictures and near twins."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.sizes import LENGTH
from calibration.capture.conex.deck import BOARD
from calibration.capture.deck import Enrolled, Part, Photo, save_enrolled
from webui.sight.copies.twins import draw_matrix, likenesses, near_twins

Json = dict[str, Any]
Picture = NDArray[np.uint8]

THUMB_PX = 360
"""Longer side of a part's small picture."""
BOARD_FILE = f"{BOARD}.png"
STARS = ("2x", "lightning")
_MARGIN = 0.12  # of a piece's extent, kept round it
_TICK = 0.05  # of a picture: the ends of a ruler
_STONE = (0.2, 0.8, 0.25, 0.75)  # left, right, top and bottom of a face's middle, as shares
FIELD_OF = {"rox": (("elements", "center"),), "conex": (("colors", "color"),)}
CACTUS_FIELDS = (("colors", "color"), ("shapes", "shape"))


def sorts_of(game: str) -> tuple[tuple[str, str], ...]:
    """The sorts of kinds that a game has, each with the field of a part that names one."""
    return CACTUS_FIELDS if game == "cactus" else FIELD_OF[game]


def keep_reading(found: Enrolled, photos: Sequence[Photo], game: str, folder: Path) -> None:
    """Write all that was read into a new folder: the raw deck with its pictures, `parts.json`, small pictures."""
    save_enrolled(found, folder)
    parts = [*found.parts, *([] if found.board is None else [replace(found.board, picture=found.pictures[BOARD_FILE])])]
    shown = [_picture(p, photos) for p in parts]
    for n, picture in enumerate(shown):
        _write(folder / f"part-{n}.jpg", _with_ruler(parts[n], picture) if LENGTH in parts[n].asks else picture)
    signs = [sign for p in parts for sign in p.signs]
    for n, sign in enumerate(signs):
        _write(folder / f"sign-{n}.jpg", sign.picture)
    numbers = {id(sign): n for n, sign in enumerate(signs)}
    kinds: list[Json] = []
    for sort, field in sorts_of(game):
        for key in _keys(found.deck, sort, found.parts):
            best = _shows_best(found.parts, field, key)
            if best is None:
                continue
            picture = shown[best]
            if sort == "elements" and found.parts[best].fields["center"] == key:
                h, w = picture.shape[:2]
                left, right, top, bottom = _STONE
                picture = picture[round(top * h) : round(bottom * h), round(left * w) : round(right * w)]
            _write(folder / f"kind-{len(kinds)}.jpg", picture)
            kinds.append({"sort": sort, "key": key, "part": best})
    matrices = likenesses(found.parts, shown[: len(found.parts)], photos)
    for n, star in enumerate(STARS if found.board is not None else ()):
        _write(folder / f"star-{n}.jpg", _on_white(found.pictures[found.deck["stars"][star]["image"]]))
    for n, matrix in enumerate(matrices):
        _write(folder / f"twins-{n}.jpg", draw_matrix(matrix, [shown[i] for i in matrix.parts]))
    data = {
        "matrices": len(matrices),
        "parts": [
            {
                "id": p.id,
                "group": p.group,
                "fields": p.fields,
                "asks": list(p.asks),
                "sightings": list(p.sightings),
                "signs": [{"number": numbers[id(s)], "kind": s.kind, "field": s.field} for s in p.signs],
            }
            for p in parts
        ],
        "kinds": kinds,
        "remarks": list(found.remarks),
        "twins": near_twins(found.parts, matrices),
    }
    (folder / "parts.json").write_text(json.dumps(data), encoding="utf-8")


def leader(fields: Json) -> str:
    """The element of which a card shows most symbols."""
    edge = fields.get("edge") or {"": 0}
    return str(max(edge, key=lambda k: edge[k]))


def _keys(deck: Json, sort: str, parts: Sequence[Part]) -> list[str]:
    if sort == "shapes":
        return sorted({str(p.fields["shape"]) for p in parts if p.group == "pieces" and p.fields["shape"]})
    return [str(k) for k in deck[sort]]


def _shows_best(parts: Sequence[Part], field: str, key: str) -> int | None:
    """The part that shows a kind most surely."""
    own = [n for n, p in enumerate(parts) if p.group in ("faces", "pieces") and p.fields.get(field) == key]
    if not own and field == "center":
        own = [n for n, p in enumerate(parts) if p.group == "faces" and leader(p.fields) == key]
    return min(own, key=lambda n: (len(parts[n].asks), n), default=None)


def _picture(part: Part, photos: Sequence[Photo]) -> Picture:
    picture = part.picture if part.picture is not None else _cut(part, photos)
    scale = THUMB_PX / max(picture.shape[:2])
    if scale < 1:
        picture = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return picture


def _cut(part: Part, photos: Sequence[Photo]) -> Picture:
    seen = part.sightings[0]
    outline = np.asarray(seen["outline"], float)
    rgb = next(p.rgb for p in photos if p.name == seen["photo"])
    low, high = outline.min(0), outline.max(0)
    more = _MARGIN * float((high - low).max())
    x0, y0 = np.maximum(np.floor(low - more), 0).astype(int)
    x1, y1 = np.ceil(high + more).astype(int)
    return np.ascontiguousarray(rgb[y0 : y1 + 1, x0 : x1 + 1])


def _with_ruler(part: Part, picture: Picture) -> Picture:
    """A piece with a line along which its length is to be measured."""
    outline = np.asarray(part.sightings[0]["outline"], float)
    apart = np.hypot(*(outline[:, None] - outline[None]).transpose(2, 0, 1))
    ends = outline[list(np.unravel_index(int(apart.argmax()), apart.shape))]
    low, high = outline.min(0), outline.max(0)
    corner = np.maximum(np.floor(low - _MARGIN * float((high - low).max())), 0)
    scale = THUMB_PX / max(1.0, *(np.ceil(high + _MARGIN * float((high - low).max())) - corner + 1))
    a, b = (ends - corner) * min(scale, 1.0)
    out = np.ascontiguousarray(picture)
    along = (b - a) / max(float(np.hypot(*(b - a))), 1.0)
    across = np.array([-along[1], along[0]]) * _TICK * max(picture.shape[:2])
    lines = [(a, b), (a - across, a + across), (b - across, b + across)]
    for colour, width in (((255, 255, 255), 5), ((20, 20, 20), 2)):
        for p, q in lines:
            start, end = (np.round(v).astype(int).tolist() for v in (p, q))
            cv2.line(out, start, end, colour, width, cv2.LINE_AA)
    return out


def _on_white(picture: Picture) -> Picture:
    """A picture (n, n, 4) with opacity, laid on white."""
    opacity = picture[..., 3:] / 255
    return np.asarray(np.round(picture[..., :3] * opacity + 255 * (1 - opacity)), np.uint8)


def _write(path: Path, picture: Picture) -> None:
    done, data = cv2.imencode(".jpg", picture[..., 2::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
    if not done:
        raise OSError(f"{path}: the picture cannot be written")
    path.write_bytes(data.tobytes())
