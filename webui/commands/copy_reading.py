"""Reads the photographs of a copy and keeps what was read: parts, kinds, small pictures and near twins."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.deck_capture import Enrolled, Part, Photo, save_enrolled

Json = dict[str, Any]
Picture = NDArray[np.uint8]

THUMB_PX = 360
"""Longer side of a part's small picture."""
TWINS_MAX = 6
_GRID = (36, 24)
_TWINS_LEAST, _SAME = 0.6, 0.93
_SAME_LAB = 25.0  # difference of colours at which pieces are alike by a third only
_MARGIN = 0.12  # of a piece's extent, kept round it
_STONE = (0.2, 0.8, 0.25, 0.75)  # left, right, top and bottom of a face's middle, as shares
FIELD_OF = {"rox": (("elements", "center"),), "conex": (("colors", "color"),)}
CACTUS_FIELDS = (("colors", "color"), ("shapes", "shape"))


def sorts_of(game: str) -> tuple[tuple[str, str], ...]:
    """The sorts of kinds that a game has, each with the field of a part that names one."""
    return CACTUS_FIELDS if game == "cactus" else FIELD_OF[game]


def keep_reading(found: Enrolled, photos: Sequence[Photo], game: str, folder: Path) -> None:
    """Write all that was read into a new folder: the raw deck with its pictures, `parts.json`, small pictures."""
    save_enrolled(found, folder)
    shown = [_picture(p, photos) for p in found.parts]
    for n, picture in enumerate(shown):
        _write(folder / f"part-{n}.jpg", picture)
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
    data = {
        "parts": [
            {
                "id": p.id,
                "group": p.group,
                "fields": p.fields,
                "asks": list(p.asks),
                "sightings": list(p.sightings),
            }
            for p in found.parts
        ],
        "kinds": kinds,
        "remarks": list(found.remarks),
        "twins": _twins(found.parts, shown, photos),
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


def _twins(parts: Sequence[Part], shown: Sequence[Picture], photos: Sequence[Photo]) -> list[Json]:
    """The pairs that look most alike, the most alike first."""
    out = []
    for group in ("faces", "pieces"):
        own = [n for n, p in enumerate(parts) if p.group == group]
        looks = [_pattern(shown[n]) for n in own] if group == "faces" else []
        colours = [] if group == "faces" else [_lab(parts[n], photos) for n in own]
        for i, a in enumerate(own):
            for j in range(i):
                b = own[j]
                if group == "faces":
                    alike = max(float((looks[i] * v).mean()) for v in (looks[j], looks[j][::-1, ::-1]))
                else:
                    alike = _alike(parts[a], parts[b]) * float(
                        np.exp(-np.linalg.norm(colours[i] - colours[j]) / _SAME_LAB)
                    )
                same = alike > _SAME and _reading(parts[a]) == _reading(parts[b])
                if same or alike > _TWINS_LEAST:
                    out.append({"a": b, "b": a, "similarity": round(min(max(alike, 0.0), 1.0), 3), "same": same})
    return sorted(out, key=lambda t: (not t["same"], -t["similarity"]))[:TWINS_MAX]


def _reading(part: Part) -> str:
    """What was read of a part; specials are told apart by their outlines only."""
    if part.group == "pieces":
        return json.dumps([part.fields["color"], part.fields["shape"] or part.id])
    kept = {k: v for k, v in part.fields.items() if k not in ("id", "image")}
    return json.dumps(kept, sort_keys=True)


def _pattern(picture: Picture) -> NDArray[np.float32]:
    small = cv2.resize(picture, (_GRID[1], _GRID[0]), interpolation=cv2.INTER_AREA).astype(np.float32)
    centred = small - small.mean((0, 1))
    return np.asarray(centred / (centred.std() + 1e-6), np.float32)


def _alike(a: Part, b: Part) -> float:
    p, q = (np.asarray(x.fields["outline"], np.float32)[:, None] for x in (a, b))
    sizes = cv2.contourArea(p), cv2.contourArea(q)
    return float(np.exp(-2 * cv2.matchShapes(p, q, cv2.CONTOURS_MATCH_I1, 0)) * min(sizes) / max(max(sizes), 1e-6))


def _lab(part: Part, photos: Sequence[Photo]) -> NDArray[np.float64]:
    seen = part.sightings[0]
    rgb = next(p.rgb for p in photos if p.name == seen["photo"])
    x, y, w, h = cv2.boundingRect(np.asarray(seen["outline"], np.float32))
    x, y = max(x, 0), max(y, 0)
    crop = np.ascontiguousarray(rgb[y : y + h, x : x + w])
    mask = np.zeros(crop.shape[:2], np.uint8)
    outline = np.round(np.asarray(seen["outline"]) - [x, y]).astype(np.int32)
    cv2.fillPoly(mask, [outline], 255)
    colour = np.asarray(cv2.mean(crop, mask)[:3], np.float32).reshape(1, 1, 3) / 255
    return np.asarray(cv2.cvtColor(colour, cv2.COLOR_RGB2Lab)[0, 0], float)


def _write(path: Path, picture: Picture) -> None:
    done, data = cv2.imencode(".jpg", picture[..., 2::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
    if not done:
        raise OSError(f"{path}: the picture cannot be written")
    path.write_bytes(data.tobytes())
