"""Which faces or pieces of a copy look alike: the near twins, and the whole matrix as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage

from calibration.capture.deck import Part, Photo

Json = dict[str, Any]
Picture = NDArray[np.uint8]

TWINS_MAX = 6
_GRID = (36, 24)
_TWINS_LEAST, _SAME = 0.6, 0.93
_SAME_LAB = 25.0  # difference of colours at which pieces are alike by a third only
_CELL_PX = 26
_PALE, _DARK = (250, 244, 230), (154, 52, 18)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How much the parts of a group look alike, each with each.

    Parameters
    ----------
    parts
        Their numbers.
    alike
        (n, n) from 0 to 1.
    """

    parts: tuple[int, ...]
    alike: NDArray[np.float64]


def likenesses(parts: Sequence[Part], shown: Sequence[Picture], photos: Sequence[Photo]) -> list[Likeness]:
    """Faces, and pieces, each with each; a group of one part has no likeness."""
    out = []
    for group in ("faces", "pieces"):
        own = tuple(n for n, p in enumerate(parts) if p.group == group)
        if len(own) < 2:
            continue
        if group == "faces":
            looks = np.array([_pattern(shown[n]).ravel() for n in own])
            turned = np.array([_pattern(shown[n])[::-1, ::-1].ravel() for n in own])
            alike = np.maximum(looks @ looks.T, looks @ turned.T) / looks.shape[1]
        else:
            colours = np.array([_lab(parts[n], photos) for n in own])
            far = np.linalg.norm(colours[:, None] - colours[None], axis=2)
            outlines = np.eye(len(own))
            for i in range(len(own)):
                for j in range(i):
                    outlines[i, j] = outlines[j, i] = _alike(parts[own[i]], parts[own[j]])
            alike = outlines * np.exp(-far / _SAME_LAB)
        out.append(Likeness(own, np.clip(alike, 0.0, 1.0)))
    return out


def near_twins(parts: Sequence[Part], matrices: Sequence[Likeness]) -> list[Json]:
    """The pairs that look most alike: first those that were read as the very same, then the most alike."""
    out = []
    for m in matrices:
        for i in range(len(m.parts)):
            for j in range(i):
                a, b, alike = m.parts[j], m.parts[i], float(m.alike[i, j])
                same = alike > _SAME and _reading(parts[a]) == _reading(parts[b])
                if same or alike > _TWINS_LEAST:
                    out.append({"a": a, "b": b, "similarity": round(alike, 3), "same": same})
    return sorted(out, key=lambda t: (not t["same"], -t["similarity"]))[:TWINS_MAX]


def draw_matrix(likeness: Likeness, shown: Sequence[Picture]) -> Picture:
    """The matrix as a picture: families side by side, the darker a square the more alike, near twins with a frame."""
    n, c = len(likeness.parts), _CELL_PX
    order = _in_families(likeness.alike)
    alike, shown = likeness.alike[np.ix_(order, order)], [shown[i] for i in order]
    others = alike[~np.eye(n, dtype=bool)]
    usual, most = float(np.median(others)), float(others.max())
    framed = np.sort(others)[-2 * TWINS_MAX :][0]
    out = np.full(((n + 1) * c, (n + 1) * c, 3), 255, np.uint8)
    for i, picture in enumerate(shown, 1):
        small = _fitted(picture, c - 2)
        h, w = small.shape[:2]
        out[i * c + 1 : i * c + 1 + h, 1 : 1 + w] = small
        out[1 : 1 + h, i * c + 1 : i * c + 1 + w] = small
    pale, dark = np.array(_PALE, float), np.array(_DARK, float)
    for i in range(n):
        for j in range(n):
            x, y = (j + 1) * c, (i + 1) * c
            share = min(max((float(alike[i, j]) - usual) / max(most - usual, 1e-6), 0.0), 1.0)
            out[y : y + c - 1, x : x + c - 1] = np.round(pale + share * (dark - pale)) if i != j else 225
            if i != j and alike[i, j] >= framed and alike[i, j] > _TWINS_LEAST:
                cv2.rectangle(out, (x + 2, y + 2), (x + c - 4, y + c - 4), (20, 12, 8), 2)
    return out


def _in_families(alike: NDArray[np.float64]) -> NDArray[np.intp]:
    """An order in which those that look alike stand side by side."""
    apart = 1.0 - (alike + alike.T) / 2
    rows, columns = np.triu_indices(len(apart), 1)
    return np.asarray(leaves_list(linkage(apart[rows, columns], "average")), np.intp)


def _fitted(picture: Picture, side: int) -> Picture:
    scale = side / max(picture.shape[:2])
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    return np.asarray(cv2.resize(picture[..., :3], size, interpolation=cv2.INTER_AREA), np.uint8)


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
