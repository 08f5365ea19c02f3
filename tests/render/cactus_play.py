"""Turns of Cactus for pictures: pieces hung rightly, nearly touching, touching, crossing in view, falling.

The supply lies on the table: basic pieces in a heap, specials in a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from shapely.ops import unary_union

from tests.render.cactus_game import CLOSE_MM, TOUCH_MM, Game, Hung
from tests.render.cactus_geometry import Plate, in_view, silhouette
from tests.render.cactus_supply import Lying, gap_all, leaning, lying_at
from tests.render.scene import Array, View

Json = dict[str, Any]
EVENTS = (
    "legal", "near-color", "near-shape", "close", "touch-color", "touch-shape", "depth", "base", "table", "special",
)  # fmt: skip
_WEIGHT = (0.24, 0.13, 0.1, 0.06, 0.11, 0.09, 0.13, 0.05, 0.04, 0.05)
_CLEAR_MM = 0.95


class StuckError(Exception):
    """A sequence found no place for a piece; another one is begun."""


@dataclass(slots=True, eq=False)
class Match:
    """A game with its supply, and what the last turn did."""

    game: Game
    view: View
    supply: dict[str, Lying] = field(default_factory=dict)
    fallen: dict[str, Lying] = field(default_factory=dict)
    turn: int = 0
    event: str | None = None
    placed: str | None = None
    moved: list[str] = field(default_factory=list)
    fell: list[str] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)

    @property
    def rng(self) -> np.random.Generator:
        """Where chance comes from."""
        return self.game.rng

    # ---- supply ----

    def lay_supply(self, before: bool) -> None:
        """Lay out what does not hang: basics in one or two heaps, specials in a row before or behind the cacti."""
        rng, art = self.rng, self.game.art
        row = art.specials.copy()
        rng.shuffle(row)
        row = [n for n in row if n not in self.game.hung]
        y0 = -rng.uniform(34, 50) if before else rng.uniform(52, 80)
        step, x0 = rng.uniform(34, 46), -rng.uniform(150, 190)
        ys = [c[1, 3] for c in self.game.cacti.values()]
        bend = rng.uniform(-0.0006, 0.0006)
        low = min(ys) if before else max(ys)
        for i, n in enumerate(row):
            x = x0 + i * step + rng.normal(0, 3)
            self._lay(n, x, low * 0.8 + y0 + bend * x * x + rng.normal(0, 4), rng.normal(0, 0.35))
        heaps = [(rng.uniform(-150, 170), low - rng.uniform(95, 150)) for _ in range(int(rng.integers(1, 3)))]
        tidy = rng.random() < 0.35
        spread = rng.uniform(18, 60)
        k = 0
        for n in art.basics:
            if n in self.game.hung:
                continue
            hx, hy = heaps[int(rng.integers(len(heaps)))]
            if tidy:
                x, y = heaps[0][0] - 90 + 44 * (k % 6), heaps[0][1] - 42 * (k // 6) + 25
                self._lay(n, x + rng.normal(0, 2), y + rng.normal(0, 2), rng.normal(0, 0.1))
            else:
                self._lay(n, hx + rng.normal(0, spread), hy + rng.normal(0, spread * 0.5), rng.uniform(-np.pi, np.pi))
            k += 1

    def _lay(self, name: str, x: float, y: float, angle: float, flipped: bool | None = None) -> None:
        self.supply[name] = self._flat(name, x, y, angle, flipped)

    def _flat(self, name: str, x: float, y: float, angle: float, flipped: bool | None = None) -> Lying:
        flip = self.rng.random() < 0.3 if flipped is None else flipped
        return lying_at(self.game.art, name, (x, y, angle), flip, [*self.supply.values(), *self.fallen.values()])

    # ---- turns ----

    def hang(self, name: str, cactus: str, local: Array) -> None:
        """Hang a piece and judge what it earns."""
        before = self.game.full(cactus)
        self.game.hung.pop(name, None)
        self.supply.pop(name, None)
        self.fallen.pop(name, None)
        self.game.hung[name] = Hung(name, cactus, local)
        self.claims = self.game.claims(name, before)

    def fill(self, count: int) -> None:
        """Hang that many pieces in peace before the first photograph."""
        names = list(self.rng.permutation(self.game.art.basics))
        if self.rng.random() < 0.6:
            names[2:2] = list(self.rng.permutation(self.game.art.specials))[:2]
        order = list(self.game.cacti)
        for i in range(count):
            cactus = order[self.turn % 5]
            self.turn += 1
            local = self.find("legal", names[i], cactus)
            if local is not None:
                self.hang(names[i], cactus, local)

    def find(self, event: str, name: str, cactus: str, tries: int = 70) -> Array | None:
        """A pose in which hanging that piece there is such an event."""
        game = self.game
        beside: list[str | None] = [None]
        if event in ("near-color", "near-shape", "touch-color", "touch-shape", "depth", "close"):
            want = {"color": "same-color", "shape": "same-shape"}.get(event.rpartition("-")[2])
            beside = [
                n
                for n in game.on(cactus)
                if n != name and game.kind(name, n) in ((want,) if want else ("same-color", "same-shape"))
            ]
            if not beside:
                return None
        partner = beside[int(self.rng.integers(len(beside)))]
        if event in ("base", "table"):
            return self._low(event, name, cactus)
        for local in game.proposals(name, cactus, partner, tries):
            plate = game.placed(name, cactus, local)
            to_base, to_table = game.low(name, cactus, plate)
            if min(to_base, to_table) < 2.5:
                continue
            alike = list(game.alike(name, cactus, plate))
            if not self._suits(event, partner, alike, plate):
                continue
            if game.room(name, cactus, plate) and self._shown(plate) and not self._hides(cactus, plate):
                return local
        return None

    def _hides(self, cactus: str, plate: Plate) -> bool:
        """Whether too much of it, or of a piece there, would be hidden; now and then that may be."""
        foot = self.game.cacti[cactus]
        names = [cactus, *self.game.on(cactus)]
        plates = [self.game.plate(n) for n in names] + [plate]
        depth = [float((p.pose[:, 3] - foot[:, 3]) @ foot[:, 2]) for p in plates]
        views = [silhouette(p, self.view) for p in plates]
        least = 0.62 if self.rng.random() < 0.9 else 0.35
        for i in range(1, len(plates)):
            mine = i == len(plates) - 1
            before = unary_union([v for v, z in zip(views, depth, strict=True) if z > depth[i] + 1.5])
            shown = views[i].difference(before).area / views[i].area
            if shown < (least if mine else 0.4) and (mine or views[i].intersects(views[-1])):
                return True
        return False

    def _suits(self, event: str, partner: str | None, alike: list[tuple[str, str, float]], plate: Plate) -> bool:
        mine = [mm for n, _, mm in alike if n == partner]
        rest = [mm for n, _, mm in alike if n != partner]
        if any(mm < _CLEAR_MM for mm in rest):
            return False
        if partner is None:
            return True
        if not mine:
            return False
        mm = mine[0]
        if event.startswith("near"):
            return _CLEAR_MM < mm < 3.6
        if event == "close":
            return TOUCH_MM * 2 < mm < CLOSE_MM
        if event.startswith("touch"):
            return mm < TOUCH_MM / 2
        return mm > _CLEAR_MM and in_view(plate, self.game.plate(partner), self.view)[1]

    def _shown(self, plate: Plate) -> bool:
        px = self.view.project(plate.shown())
        return bool((px > 3).all() and (px < np.array(self.view.size_px) - 4).all())

    def _low(self, event: str, name: str, cactus: str) -> Array | None:
        """Leaning against the foot of the cactus, down on its base or on the table."""
        game, rng = self.game, self.rng
        w, h = game.art.data["base"]["width_mm"], game.art.data["base"]["height_mm"]
        for _ in range(90):
            turned = game.turned(rng.uniform(-np.pi, np.pi), bool(rng.random() < 0.5))
            outline = game.art.forms[name].outline @ turned[:2, :2].T
            if event == "base":
                x, depth = rng.uniform(-0.25, 0.25) * w, rng.choice([1.0, -1.0]) * (game.art.thickness + 0.03)
                y = -outline[:, 1].min() + 0.03
            else:
                x = rng.choice([-1.0, 1.0]) * (w / 2 + rng.uniform(-6, 10) + np.abs(outline[:, 0]).max() * 0.5)
                depth, y = rng.choice([0.0, 1.0, -1.0]) * game.art.thickness, -h - outline[:, 1].min() + 0.03
                depth += rng.normal(0, 0.3)
            local = np.c_[turned, [x, y, depth]]
            plate = game.placed(name, cactus, local)
            others = [cactus, *game.on(cactus)]
            far = [c for c in game.cacti if c != cactus]
            if event == "table" and gap_all(game, plate, others) > min(12.0, gap_all(game, plate, far) - 6.0):
                continue
            base, table = game.low(name, cactus, plate)
            ok = abs(base) < 0.1 if event == "base" else base > 1.0 and table < 0.1
            if gap_all(game, plate, others) < 0.0 or not ok:
                continue
            if (
                all(mm > _CLEAR_MM for *_, mm in game.alike(name, cactus, plate))
                and game.room(name, cactus, plate)
                and self._shown(plate)
            ):
                return np.asarray(local)
        return None

    def play(self, wanted: str | None = None) -> str:
        """One turn; the kind of event that it became."""
        rng, game = self.rng, self.game
        last, was = self.placed, self.event
        self.moved, self.fell, self.claims = [], [], []
        if last is not None and was in ("touch-color", "touch-shape", "base", "table"):
            self._mend(last)
        for n in list(self.fallen):
            if rng.random() < 0.6:
                gone = self.fallen.pop(n)
                if game.art.facts[n]["special"]:
                    self._lay(
                        n,
                        200 + rng.normal(0, 4),
                        float(np.mean([s.pose[1, 3] for s in self.supply.values()] or [gone.pose[1, 3]])),
                        0.2,
                    )
        cactus = list(game.cacti)[self.turn % 5]
        self.turn += 1
        kinds = [wanted] if wanted else []
        kinds += [str(k) for k in rng.choice(EVENTS, size=5, p=np.array(_WEIGHT) / sum(_WEIGHT))] + ["legal"] * 3
        if rng.random() < 0.16:
            self._fall(cactus)
        for kind in kinds:
            pool = [n for n in self.supply if game.art.facts[n]["special"] == (kind == "special")]
            rng.shuffle(pool)
            for name in pool[:12]:
                local = self.find(kind, name, cactus, 40 if kind != "legal" else 70)
                if local is not None:
                    self.hang(name, cactus, local)
                    self.event, self.placed = kind, name
                    if kind in ("legal", "special") and rng.random() < 0.3:
                        self._push(name)
                    if self.fell:
                        self.claims = []
                    return kind
        raise StuckError

    def _mend(self, name: str) -> None:
        cactus = self.game.hung[name].cactus
        old = self.game.hung.pop(name)
        local = self.find("legal", name, cactus, 300)
        if local is None:
            raise StuckError
        old.local = local
        self.game.hung[name] = old
        self.moved.append(name)

    def _push(self, placed: str) -> None:
        """The placing has shifted another piece of that cactus a little."""
        game, rng = self.game, self.rng
        cactus = game.hung[placed].cactus
        names = [n for n in game.on(cactus) if n != placed]
        if not names:
            return
        name = names[int(rng.integers(len(names)))]
        old = game.hung[name].local
        for _ in range(40):
            a = rng.choice([-1.0, 1.0]) * rng.uniform(0.05, 0.35)
            c, s = np.cos(a), np.sin(a)
            turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ old[:, :3]
            local = np.c_[turned, old[:, 3] + [*rng.normal(0, 2.2, 2), 0.0]]
            del game.hung[name]
            towards = np.array([0.0, -1.0, 0.0]) if abs(old[2, 3]) < 2 else np.array([0.0, 0.0, -np.sign(old[2, 3])])
            local = game._settled(name, cactus, local, towards, 3.0)
            game.hung[name] = Hung(name, cactus, old)
            if local is None:
                continue
            plate = game.placed(name, cactus, local)
            if (
                min(game.low(name, cactus, plate)) > 2.5
                and all(mm > _CLEAR_MM for *_, mm in game.alike(name, cactus, plate))
                and self._shown(plate)
            ):
                game.hung[name].local = local
                self.moved.append(name)
                return

    def _fall(self, cactus: str) -> None:
        """One or two pieces fall, most from the cactus whose turn it is."""
        game, rng = self.game, self.rng
        groups = [g for g in game.loose() if game.hung[g[0]].cactus == cactus or rng.random() < 0.15]
        if not groups:
            return
        for name in groups[int(rng.integers(len(groups)))]:
            foot = game.cacti[game.hung[name].cactus]
            del game.hung[name]
            _h, d, _t = game.art.data["base"]["height_mm"], game.art.data["base"]["depth_mm"], game.art.thickness
            if rng.random() < 0.3:  # caught, leaning on the edge of the base
                lean = leaning(game, name, foot)
                if lean is not None:
                    self.fallen[name] = lean
                    self.fell.append(name)
                    continue
            x, y = (
                foot[0, 3] + rng.normal(0, 28),
                foot[1, 3] - (d / 2 + game.art.forms[name].radius + rng.uniform(4, 50)),
            )
            self.fallen[name] = self._flat(
                name, float(x), float(y), rng.uniform(-np.pi, np.pi), bool(rng.random() < 0.5)
            )
            self.fell.append(name)

    def nudge(self) -> None:
        """A cactus is shifted with all that hangs on it."""
        rng = self.rng
        name = list(self.game.cacti)[int(rng.integers(5))]
        old = self.game.cacti[name].copy()
        for _ in range(10):
            a = rng.normal(0, 0.06)
            c, s = np.cos(a), np.sin(a)
            turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
            self.game.cacti[name] = np.c_[turn @ old[:, :3], old[:, 3] + [*rng.normal(0, 5, 2), 0.0]]
            mine = {name, *self.game.on(name)}
            others = [n for n in (*self.game.cacti, *self.game.hung) if n not in mine]
            if all(
                gap_all(self.game, self.game.plate(m), others) > 2 and self._shown(self.game.plate(m)) for m in mine
            ):
                return
        self.game.cacti[name] = old
