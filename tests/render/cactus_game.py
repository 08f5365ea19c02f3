"""Hanging pieces on cacti as players do: what rests on what, in true 3D, and what the rules say of it.

A piece either stands or hangs in the plane of its cactus, dropped until it rests and rolled to a lower place, or it
leans against the front or the back of what hangs there, a little aslant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from tests.render.cactus_geometry import Form, Plate, gap, table_gap
from tests.render.scene import Array

Json = dict[str, Any]
NEAR_MM = 8.0
"""Pairs nearer than this are told."""
TOUCH_MM = 0.12
CLOSE_MM = 0.8
"""Gaps between these two are within what a photograph resolves."""


@dataclass(frozen=True, slots=True, eq=False)
class SetArt:
    """A set of Cactus from its folder."""

    folder: Path
    data: Json
    forms: dict[str, Form]
    facts: dict[str, Json]
    base: Form

    @classmethod
    def load(cls, folder: Path) -> SetArt:
        """Read `deck.json`."""
        data = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
        facts = {p["id"]: p for p in (*data["pieces"], *data["cacti"])}
        forms = {k: Form.of(np.array(p["outline"], float)) for k, p in facts.items()}
        w, h = data["base"]["width_mm"] / 2, data["base"]["height_mm"]
        base = Form.of(np.array([[-w, -h], [w, -h], [w, 0.0], [-w, 0.0]]))
        return cls(folder, data, forms, facts, base)

    @property
    def thickness(self) -> float:
        """Of pieces and cacti, in mm."""
        return float(self.data["thickness_mm"])

    @property
    def basics(self) -> list[str]:
        """Ids of the basic pieces."""
        return [p["id"] for p in self.data["pieces"] if not p["special"]]

    @property
    def specials(self) -> list[str]:
        """Ids of the special pieces."""
        return [p["id"] for p in self.data["pieces"] if p["special"]]


@dataclass(slots=True, eq=False)
class Hung:
    """A piece and its pose in the frame of its cactus (x right, y up, z towards the viewer)."""

    name: str
    cactus: str
    local: Array


@dataclass(slots=True, eq=False)
class Game:
    """What hangs where."""

    rng: np.random.Generator
    art: SetArt
    cacti: dict[str, Array]
    """Pose of each cactus in the world, in playing order."""
    hung: dict[str, Hung] = field(default_factory=dict)

    # ---- space ----

    def plate(self, name: str) -> Plate:
        """A hung piece or a cactus in the world."""
        if name in self.cacti:
            return Plate(self.art.forms[name], self.cacti[name], self.art.thickness)
        h = self.hung[name]
        return self.placed(name, h.cactus, h.local)

    def placed(self, name: str, cactus: str, local: Array) -> Plate:
        """A piece at a pose in the frame of a cactus."""
        c = self.cacti[cactus]
        pose = np.c_[c[:, :3] @ local[:, :3], c[:, :3] @ local[:, 3] + c[:, 3]]
        return Plate(self.art.forms[name], pose, self.art.thickness)

    def base(self, cactus: str) -> Plate:
        """The block below a cactus."""
        return Plate(self.art.base, self.cacti[cactus], float(self.art.data["base"]["depth_mm"]))

    def on(self, cactus: str) -> list[str]:
        """Pieces that hang on a cactus."""
        return [n for n, h in self.hung.items() if h.cactus == cactus]

    # ---- proposals ----

    def proposals(self, name: str, cactus: str, beside: str | None = None, tries: int = 60) -> Iterator[Array]:
        """Poses in which a piece hangs on a cactus; near `beside` where one is given."""
        for _ in range(tries):
            flat = self.rng.random() < 0.5
            pose = self._standing(name, cactus, beside) if flat else self._leaning(name, cactus, beside)
            if pose is not None:
                yield pose

    def turned(self, angle: float, flipped: bool, tilt: tuple[float, float] = (0.0, 0.0)) -> Array:
        """A rotation in the frame of a cactus, tilted by (about x, about y) rad out of its plane."""
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        if flipped:
            R = R @ np.diag([-1.0, 1.0, -1.0])
        a, b = tilt
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        return np.asarray(about_x @ about_y @ R)

    def _flat(self, name: str) -> tuple[Array, float]:
        """Outline of a hung piece or a cactus in the plane of its cactus, and its z."""
        outline = self.art.forms[name].outline
        if name in self.cacti:
            return outline, 0.0
        m = self.hung[name].local
        return outline @ m[:2, :2].T + m[:2, 3], float(m[2, 3])

    def _standing(self, name: str, cactus: str, beside: str | None) -> Array | None:
        """In the plane of the cactus: dropped, then rolled a few times to where it lies lower."""
        rng = self.rng
        shapes = [self._flat(n) for n in (cactus, *self.on(cactus))]
        fixed = [o for o, z in shapes if abs(z) < self.art.thickness]
        flipped = bool(rng.random() < 0.5)
        outline = self.art.forms[name].outline * ([-1, 1] if flipped else [1, 1])
        solid = [Polygon(o).buffer(0) for o in fixed]
        target = np.concatenate(fixed)
        if beside is not None:
            target = self._flat(beside)[0]
        middle = target[int(rng.integers(len(target)))]
        at = np.array([middle[0] + rng.normal(0, 9), middle[1] + rng.uniform(-6, 34)])
        if rng.random() < 0.3:
            at[1] = target[:, 1].max() + 30
        angle = rng.uniform(-np.pi, np.pi)

        def dropped(x: float, y: float, a: float) -> float | None:
            c, s = np.cos(a), np.sin(a)
            moved = outline @ np.array([[c, s], [-s, c]]) + [x, y]
            if any(p.intersects(Polygon(moved).buffer(0)) for p in solid):
                return None
            fall = min(_fall(moved, o) for o in fixed)
            return None if not np.isfinite(fall) else y - fall

        rest = dropped(at[0], at[1], angle)
        if rest is None:
            return None
        best = (at[0], rest, angle)
        for k in range(8):
            size = 1.0 - k / 10
            x, a = best[0] + rng.normal(0, 2.0) * size, best[2] + rng.normal(0, 0.16) * size
            lower = dropped(x, best[1] + 2.5, a)
            if lower is not None and lower < best[1] - 0.05:
                best = (x, lower, a)
        slant = (0.0, 0.0) if rng.random() < 0.55 else tuple(np.clip(rng.normal(0, 0.07, 2), -0.26, 0.26))
        local = np.c_[
            self.turned(best[2], flipped, (float(slant[0]), float(slant[1]))), [best[0], best[1], rng.normal(0, 0.12)]
        ]
        return self._settled(name, cactus, local, np.array([0.0, -1.0, 0.0]), 3.0)

    def _leaning(self, name: str, cactus: str, beside: str | None) -> Array | None:
        """Before or behind the plane, against what is there."""
        rng = self.rng
        target = self._flat(beside if beside is not None else cactus)[0]
        high = target[target[:, 1] > 0.38 * self.art.forms[cactus].outline[:, 1].max()]
        if not len(high):
            high = target
        middle = high[int(rng.integers(len(high)))] + rng.normal(0, 7, 2)
        side = 1.0 if rng.random() < 0.66 else -1.0
        spread = 0.04 if rng.random() < 0.85 else 0.13
        tilt = np.clip(rng.normal(0, spread, 2), -0.26, 0.26)
        R = self.turned(rng.uniform(-np.pi, np.pi), bool(rng.random() < 0.5), (float(tilt[0]), float(tilt[1])))
        local = np.c_[R, [middle[0], middle[1], side * (6 * self.art.thickness)]]
        settled = self._settled(name, cactus, local, np.array([0.0, 0.0, -side]), 30.0)
        if (
            settled is None
            or abs(settled[2, 3]) > 3.1 * self.art.thickness
            or side * settled[2, 3] < 0.5 * self.art.thickness
        ):
            return None
        return settled

    def _settled(self, name: str, cactus: str, local: Array, towards: Array, reach: float) -> Array | None:
        """Moved on until it just touches something there; None where nothing is within reach or it is stuck."""
        world = self.cacti[cactus][:, :3] @ towards
        others = [self.plate(n) for n in (cactus, *self.on(cactus))]
        plate = self.placed(name, cactus, local)
        gone = 0.0
        for _ in range(4):  # first out of what it runs into
            if min(gap(plate, o) for o in others) > 0.004:
                break
            plate, gone = plate.moved(-0.45 * world), gone - 0.45
        for _ in range(26):
            free = min(gap(plate, o) for o in others)
            if free < 0.0:
                return None
            if free < 0.03:
                back = self.cacti[cactus]
                return np.asarray(np.c_[local[:, :3], back[:, :3].T @ (plate.pose[:, 3] - back[:, 3])])
            step = free - 0.008
            plate, gone = plate.moved(step * world), gone + step
            if gone > reach:
                return None
        return None

    # ---- what the rules see ----

    def kind(self, a: str, b: str) -> str | None:
        """By what two pieces must not touch."""
        p, q = self.art.facts[a], self.art.facts[b]
        if p["color"] == q["color"]:
            return "same-color"
        return "same-shape" if p["shape"] is not None and p["shape"] == q["shape"] else None

    def alike(self, name: str, cactus: str, plate: Plate) -> list[tuple[str, str, float]]:
        """Pieces of one colour or shape on that cactus with their gap to a plate, within 8 mm."""
        out = []
        for n in self.on(cactus):
            kind = self.kind(name, n)
            if kind is not None and n != name:
                mm = gap(plate, self.plate(n))
                if mm < NEAR_MM:
                    out.append((n, kind, mm))
        return out

    def room(self, name: str, cactus: str, plate: Plate) -> bool:
        """Whether it stays clear of the other cacti and what hangs there."""
        others = [n for n in self.cacti if n != cactus] + [n for n, h in self.hung.items() if h.cactus != cactus]
        return all(gap(plate, self.plate(n)) > 2.0 for n in others)

    def count(self, by: str) -> dict[str, int]:
        """How many pieces of each colour or shape hang."""
        out: dict[str, int] = {}
        for n in self.hung:
            v = self.art.facts[n][by]
            if v is not None:
                out[v] = out.get(v, 0) + 1
        return out

    def claims(self, name: str, full_before: bool) -> list[Json]:
        """What a piece that was just hung earns; `full_before`: its cactus had all five colours already."""
        out = []
        for by in ("color", "shape"):
            n = self.count(by).get(self.art.facts[name][by], 0)
            if n in (3, 5):
                out.append({"why": f"{by}-{n}", "flowers": 1 if n == 3 else 2})
        if not full_before and self.full(self.hung[name].cactus):
            out.append({"why": "all-colors", "flowers": 2})
        return out

    def full(self, cactus: str) -> bool:
        """Whether all five colours hang on a cactus."""
        return len({self.art.facts[n]["color"] for n in self.on(cactus)}) == 5

    def loose(self) -> list[list[str]]:
        """Pieces that can fall without another hanging in the air: one, or one and the only one on it."""
        touching: dict[str, set[str]] = {n: set() for n in self.hung}
        plates = {n: self.plate(n) for n in self.hung}
        for a in self.hung:
            for b in self.on(self.hung[a].cactus):
                if a < b and gap(plates[a], plates[b]) < 0.1:
                    touching[a].add(b)
                    touching[b].add(a)
        alone = [[n] for n, t in touching.items() if not t]
        pairs = [[n, m] for n, t in touching.items() for m in t if n < m and len(t) == 1 and len(touching[m]) == 1]
        return alone + pairs

    def low(self, name: str, cactus: str, plate: Plate) -> tuple[float, float]:
        """Gaps to the base and to the table."""
        return gap(plate, self.base(cactus)), table_gap(plate)


def _fall(moving: Array, fixed: Array) -> float:
    """How far an outline falls until it lies on another, both (n, 2) with y up; inf where it misses."""
    best = np.inf
    for points, line, sign in ((moving, fixed, 1.0), (fixed, moving, -1.0)):
        a, b = line, np.roll(line, -1, axis=0)
        x = points[:, None, 0]
        within = (np.minimum(a[:, 0], b[:, 0]) <= x) & (x <= np.maximum(a[:, 0], b[:, 0]))
        width = np.where(np.abs(b[:, 0] - a[:, 0]) < 1e-9, 1e-9, b[:, 0] - a[:, 0])
        y = a[:, 1] + (x - a[:, 0]) / width * (b[:, 1] - a[:, 1])
        way = sign * (points[:, None, 1] - y)
        way = np.where(within & (way > -1e-6), way, np.inf)
        best = min(best, float(way.min()))
    return best
