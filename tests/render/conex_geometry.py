"""Exact geometry of laid CONEX cards: where a corner fits, and the signed gaps that the rules ask for.

Poses are (x, y, angle) in mm and rad of a face's centre on the table, x right, y down, angle clockwise. Outlines are
rounded: a card is its inner rectangle grown by the corner radius, so that gaps are exact and no arc is approximated.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon

Array = NDArray[np.float64]
Json = dict[str, Any]
Pose = tuple[float, float, float]
BOARD = "board"
FAR_MM = 15.0
"""Gaps beyond this are not worked out."""


def turn(angle: float) -> Array:
    """(2, 2) matrix that turns column vectors clockwise as the camera sees them."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def on_table(points: Array, size: tuple[float, float], pose: Pose) -> Array:
    """Face mm (n, 2), from the face's top-left corner -> table mm."""
    return np.asarray((np.asarray(points, float) - np.array(size) / 2) @ turn(pose[2]).T + pose[:2])


def separation(a: Array, b: Array) -> float:
    """Signed distance of two convex polygons in mm; negative is the shortest way to part them."""
    best = max(_widest(a, b), _widest(b, a))
    return float(Polygon(a).distance(Polygon(b))) if best > 0 else best


def _widest(a: Array, b: Array) -> float:
    edges = np.roll(a, -1, axis=0) - a
    x, y = a[:, 0], a[:, 1]
    sign = 1.0 if (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() > 0 else -1.0
    normals = sign * np.column_stack([edges[:, 1], -edges[:, 0]]) / np.linalg.norm(edges, axis=1, keepdims=True)
    return float(((b @ normals.T) - (a * normals).sum(1)).min(0).max())


@dataclass(frozen=True, slots=True)
class Outline:
    """A convex core on the table and by how much it is grown."""

    core: Array
    radius: float

    def gap(self, other: Outline) -> float:
        """Signed gap in mm."""
        return separation(self.core, other.core) - self.radius - other.radius

    def margin(self, area: Array) -> float:
        """How far the outline stays inside a polygon; negative: how far it reaches beyond."""
        shape = Polygon(area)
        sides = [shape.exterior.distance(Point(p)) * (1 if shape.contains(Point(p)) else -1) for p in self.core]
        return float(min(sides)) - self.radius


@dataclass(frozen=True, eq=False)
class ConexArt:
    """A CONEX deck folder with its pictures in memory."""

    folder: pathlib.Path
    data: Json
    pictures: dict[str, NDArray[np.uint8]]

    @classmethod
    def load(cls, folder: pathlib.Path) -> ConexArt:
        """Read the folder with all its pictures."""
        data = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
        wanted = {f["id"]: f["image"] for f in data["faces"]} | {BOARD: data["board"]["image"]}
        wanted |= {kind: star["image"] for kind, star in data["stars"].items()}
        pictures = {}
        for name, file in wanted.items():
            picture = cv2.imread(str(folder / file), cv2.IMREAD_UNCHANGED)
            if picture is None:
                raise FileNotFoundError(folder / file)
            pictures[name] = np.ascontiguousarray(picture[..., [2, 1, 0, 3][: picture.shape[2]]])
        return cls(folder, data, pictures)

    @classmethod
    def facts(cls, folder: pathlib.Path) -> ConexArt:
        """Read what the rules need, without the pictures."""
        return cls(folder, json.loads((folder / "deck.json").read_text(encoding="utf-8")), {})

    @cached_property
    def radius(self) -> float:
        return float(self.data["corner_radius_mm"])

    @cached_property
    def faces(self) -> dict[str, Json]:
        return {f["id"]: f for f in self.data["faces"]}

    def size(self, name: str) -> tuple[float, float]:
        """Width and height of a face or the board."""
        w, h = (self.data["board"]["size_mm"],) * 2 if name == BOARD else self.data["card_mm"]
        return float(w), float(h)

    def regions(self, name: str) -> list[Json]:
        """The corners of a face, or the spaces of the board."""
        return list(self.data["board"]["spaces"] if name == BOARD else self.faces[name]["corners"])

    def outline(self, name: str, pose: Pose) -> Outline:
        """The rounded outline on the table."""
        w, h = self.size(name)
        r = self.radius
        core = np.array([[r, r], [w - r, r], [w - r, h - r], [r, h - r]])
        return Outline(on_table(core, (w, h), pose), r)

    @cache  # noqa: B019 - a deck lives as long as the program
    def printed(self, name: str, index: int) -> Array:
        """A corner's region as far as the rounded card shows it, in face mm."""
        w, h = self.size(name)
        r = self.radius
        whole = Polygon([(r, r), (w - r, r), (w - r, h - r), (r, h - r)]).buffer(r, quad_segs=32) if r else None
        region = Polygon(self.regions(name)[index]["region"])
        clipped = region if whole is None else region.intersection(whole)
        return np.asarray(clipped.exterior.coords, float)[:-1]

    def corner(self, name: str, index: int, pose: Pose) -> Outline:
        """A CONEX corner of a laid card, on the table."""
        return Outline(on_table(self.printed(name, index), self.size(name), pose), 0.0)


@dataclass(frozen=True, slots=True)
class Fit:
    """A place where a corner of a card lies exactly on a ground."""

    card: str
    corner: int
    ground: str
    space: int | None
    pose: Pose


def _apex(region: Array, size: tuple[float, float]) -> tuple[int | None, Array]:
    """Index of the region's vertex inside the card, and the ends of its inner line where there is none."""
    w, h = size
    depth = np.min(np.column_stack([region[:, 0], w - region[:, 0], region[:, 1], h - region[:, 1]]), axis=1)
    inner = int(np.argmax(depth))
    if depth[inner] > 0.5:
        return inner, region[[inner]]
    for a, b in zip(region, np.roll(region, -1, axis=0), strict=True):
        m = (a + b) / 2
        if min(m[0], w - m[0], m[1], h - m[1]) > 0.5:
            return None, np.array([a, b])
    raise ValueError("a region along the outline only")


def fits(
    rng: np.random.Generator, deck: ConexArt, card: str, corner: int, ground: str, pose: Pose, space: int | None
) -> Iterator[Fit]:
    """Poses in which a corner's region is exactly the overlap with the ground card, or with a space of the board.

    Each of the ground's corners takes the apex of a region that has one; a region cut off by one line slides along
    the ground's edges, at a place drawn at random.
    """
    size, own = deck.size(ground), deck.size(card)
    region = np.asarray(deck.regions(card)[corner]["region"], float)
    apex, line = _apex(region, own)
    w, h = size
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    allowed = list(range(4))
    if space is not None:
        outer = np.asarray(deck.regions(ground)[space]["region"], float)
        allowed = [k for k in allowed if np.abs(outer - corners[k]).sum(1).min() < 0.01]
    for k in allowed:
        if apex is not None:
            # the two inner sides of the region run along the ground's edges from its corner k
            before, after = region[apex - 1] - line[0], region[(apex + 1) % len(region)] - line[0]
            first = corners[(k - 1) % 4] - corners[k]
            for side in (before, after):
                angle = np.arctan2(first[1], first[0]) - np.arctan2(side[1], side[0])
                other = after if side is before else before
                second = corners[(k + 1) % 4] - corners[k]
                turned = turn(angle) @ other
                if turned @ second < 0.9 * np.linalg.norm(turned) * np.linalg.norm(second):
                    continue
                yield Fit(card, corner, ground, space, _pose_of(line[0], corners[k], angle, own, size, pose))
        else:
            a, b = line
            length = float(np.linalg.norm(b - a))
            p, q = corners[k], corners[(k + 1) % 4]
            edge = q - p
            room = float(np.linalg.norm(edge))
            low, high = 4.0, room - length - 4.0
            if space is not None:
                along = (np.asarray(deck.regions(ground)[space]["region"], float) - p) @ edge / room
                away = np.abs(
                    (np.asarray(deck.regions(ground)[space]["region"], float) - p) @ np.array([edge[1], -edge[0]])
                )
                on = along[away / room < 0.01]
                if len(on) < 2:
                    continue
                low, high = max(4.0, on.min() + 0.5), min(room - length - 4.0, on.max() - length - 0.5)
            elif not 0 <= low < high:
                continue
            if high <= low:
                continue
            start = p + edge / room * float(rng.uniform(low, high))
            # the region lies inside the ground: the card's middle must lie beyond the edge
            for u, v in ((a, b), (b, a)):
                angle = np.arctan2(edge[1], edge[0]) - np.arctan2(*(v - u)[::-1])
                fit = Fit(card, corner, ground, space, _pose_of(u, start, float(angle), own, size, pose))
                middle = turn(angle) @ (np.array(own) / 2 - u) + start
                if edge[0] * (middle - p)[1] - edge[1] * (middle - p)[0] < 0:
                    yield fit


def _pose_of(
    own_mm: Array, at_mm: Array, angle: float, own: tuple[float, float], size: tuple[float, float], ground: Pose
) -> Pose:
    """Pose of a card turned by `angle` against the ground, whose point `own_mm` lies on the ground's `at_mm`."""
    whole = angle + ground[2]
    at = on_table(at_mm[None], size, ground)[0]
    middle = at + turn(whole) @ (np.array(own) / 2 - own_mm)
    return float(middle[0]), float(middle[1]), float((whole + np.pi) % (2 * np.pi) - np.pi)


@dataclass(frozen=True, slots=True)
class Gap:
    """One measured rule: its name, what it is about, and the exact gap in mm."""

    rule: str
    other: Json | None
    mm: float


def gaps(
    deck: ConexArt, card: str, pose: Pose, ground: str | None, laid: dict[str, Pose], area: Array | None
) -> list[Gap]:
    """All gaps that the rules ask for when a card is laid, `laid` being everything else on the table with the board.

    What is surely farther away than `FAR_MM` is left out.
    """
    mine = deck.outline(card, pose)
    reach = float(np.hypot(*deck.size(card))) / 2
    out = []
    for name, at in laid.items():
        if np.hypot(pose[0] - at[0], pose[1] - at[1]) > reach + np.hypot(*deck.size(name)) / 2 + FAR_MM:
            continue
        if name != ground:
            out.append(
                Gap(
                    "single-contact",
                    {"board": True} if name == BOARD else {"card": name},
                    mine.gap(deck.outline(name, at)),
                )
            )
        if name != BOARD:
            for i in range(len(deck.regions(name))):
                out.append(Gap("corner-covered", {"card": name, "corner": i}, mine.gap(deck.corner(name, i, at))))
    if area is not None:
        out.append(Gap("out-of-bounds", None, mine.margin(area)))
    return out
