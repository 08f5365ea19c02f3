"""What lies on a CONEX table over the photographs of a sequence: moves of every kind, with their exact truth.

`Game` holds the table; each method that makes a move returns what the truth says of it, or None where the table has
no place for such a move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from shapely.geometry import Point, Polygon

from tests.render.conex_geometry import BOARD, Array, ConexArt, Fit, Gap, Outline, Pose, fits, gaps, on_table
from tests.render.conex_scene import BOARD_MM, CARD_MM, LaidStar, Lying, Pawn, reach_of

Json = dict[str, Any]

CLOSE_MM = 1.5
"""Gaps nearer to the limit than this are within the photograph's own resolution."""
SPOKEN_MM = 12.0
"""Gaps below this are worth telling."""
CLEAR_MM = 2.5
"""From here on a gap is clear; up to `NEAR_MM` it is a near one."""
NEAR_MM = 4.0


@dataclass(slots=True)
class Card:
    """A card on the table."""

    pose: Pose
    z_mm: float
    onto: str | None


@dataclass(frozen=True, slots=True)
class Trial:
    """A place tried for a card, and what the rules would say of it."""

    fit: Fit
    pose: Pose
    measured: tuple[Gap, ...]
    color_fits: bool

    @property
    def broken(self) -> list[Gap]:
        return [g for g in self.measured if g.mm < 0]

    @property
    def unclear(self) -> list[Gap]:
        return [g for g in self.measured if abs(g.mm) < CLOSE_MM]

    @property
    def tightest(self) -> float:
        return min((g.mm for g in self.measured), default=99.0)

    def suits(self, kind: str) -> bool:
        """Whether this is a move of the wanted kind, and surely so."""
        rules = {g.rule for g in self.broken}
        sure = not self.unclear
        clear = all(g.mm > CLEAR_MM or g.mm < -2.0 for g in self.measured)
        if kind == "legal":
            return self.color_fits and not rules and self.tightest >= CLEAR_MM
        if kind == "near":
            return self.color_fits and not rules and CLEAR_MM <= self.tightest <= NEAR_MM
        if kind == "close":
            tight = self.unclear
            return self.color_fits and len(tight) == 1 and all(g is tight[0] or g.mm > CLEAR_MM for g in self.measured)
        if kind == "color":
            return not self.color_fits and not rules and self.tightest >= CLEAR_MM
        wanted = {"contact": "single-contact", "cover": "corner-covered", "out": "out-of-bounds"}[kind]
        return (
            self.color_fits and rules == {wanted} and sure and clear and self.tightest > (-40 if kind == "out" else -16)
        )


@dataclass(slots=True)
class Game:
    """The table at the moment."""

    rng: np.random.Generator
    art: ConexArt
    area: Array
    board: Pose
    barred: list[Polygon]
    frame: Polygon
    laid: dict[str, Card] = field(default_factory=dict)
    free: list[str] = field(default_factory=list)
    pawns: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    stars: dict[str, tuple[str | None, Pose]] = field(default_factory=dict)
    turn_of: int = 0

    # ---- looking ----

    def poses(self) -> dict[str, Pose]:
        """Everything on the table with its pose."""
        return {BOARD: self.board} | {n: c.pose for n, c in self.laid.items()}

    def covered_by(self, name: str) -> list[str]:
        """Cards that lie on a card: laid later, outlines overlapping."""
        names = list(self.laid)
        mine = self.art.outline(name, self.laid[name].pose)
        later = names[names.index(name) + 1 :]
        return [n for n in later if mine.gap(self.art.outline(n, self.laid[n].pose)) < -0.05]

    def leaves(self) -> list[str]:
        """Cards that no card lies on."""
        return [n for n in self.laid if not self.covered_by(n)]

    def height(self, name: str, pose: Pose, below: list[str]) -> float:
        """Height of a card's face above the table when it lies on what is below it."""
        mine = self.art.outline(name, pose)
        under = [0.0]
        if mine.gap(self.art.outline(BOARD, self.board)) < 0:
            under.append(BOARD_MM)
        under += [self.laid[n].z_mm for n in below if mine.gap(self.art.outline(n, self.laid[n].pose)) < 0]
        return max(under) + CARD_MM

    def lying(self) -> list[Lying]:
        """Board and cards in the order in which they are drawn."""
        return [Lying(BOARD, self.board, BOARD_MM), *(Lying(n, c.pose, c.z_mm) for n, c in self.laid.items())]

    def cell(self) -> float:
        """Width of a square of the track in mm."""
        track = np.asarray(self.art.data["board"]["track"], float)
        return float(np.linalg.norm(np.diff(track, axis=0), axis=1).min())

    def pawns_standing(self) -> list[Pawn]:
        """The pawns, in mm on the table."""
        size = self.art.size(BOARD)
        out = []
        for color, (square, dx, dy) in self.pawns.items():
            at = np.array(self.art.data["board"]["track"][square], float) + [dx, dy]
            x, y = on_table(at[None], size, self.board)[0]
            out.append(Pawn(color, float(x), float(y), self.pawn_radius()))
        return out

    def pawn_radius(self) -> float:
        return float(np.clip(0.4 * self.cell(), 2.6, 4.2))

    def stars_lying(self) -> list[LaidStar]:
        """The stars on the table."""
        return [LaidStar(k, pose, self.laid[on].z_mm if on else 0.0) for k, (on, pose) in self.stars.items()]

    # ---- places ----

    def _shaken(self, fit: Fit) -> Pose:
        """Where a hand really puts it."""
        d = self.rng.normal(0, 0.7, 2)
        return (
            fit.pose[0] + float(d[0]),
            fit.pose[1] + float(d[1]),
            fit.pose[2] + float(np.radians(self.rng.normal(0, 1.1))),
        )

    def _allowed(self, name: str, pose: Pose) -> bool:
        shape = reach_of(pose, self.art.size(name))
        if not self.frame.contains(shape) or any(shape.intersects(b) for b in self.barred):
            return False
        for kind, (on, at) in self.stars.items():
            if on is None and shape.distance(Point(at[:2])) < 0.5 * float(self.art.data["stars"][kind]["size_mm"]) + 2:
                return False
        return not any(shape.distance(Point(p.x, p.y)) < p.radius + 1.5 for p in self.pawns_standing())

    def _grounds(self) -> list[tuple[str, int | None, str, Pose]]:
        spaces = [(BOARD, i, s["color"], self.board) for i, s in enumerate(self.art.regions(BOARD))]
        cards = [(n, None, self.art.faces[n]["color"], c.pose) for n, c in self.laid.items()]
        return [*spaces, *cards]

    def find(self, kind: str, names: list[str], ground_sign: str | None = None, tries: int = 700) -> Trial | None:
        """A place for one of the cards where laying it is a move of that kind."""
        options = [
            (n, i, c["color"], g)
            for n in names
            for i, c in enumerate(self.art.regions(n))
            for g in self._grounds()
            if (c["color"] == g[2]) != (kind == "color")
        ]
        if ground_sign is not None:
            options = [o for o in options if o[3][1] is None and self.art.faces[o[3][0]]["symbol"] == ground_sign]
        self.rng.shuffle(options)  # type: ignore[arg-type]
        laid = self.poses()
        for name, corner, _, (ground, space, _, pose) in options:
            for fit in fits(self.rng, self.art, name, corner, ground, pose, space):
                tries -= 1
                if tries < 0:
                    return None
                if not self._allowed(name, fit.pose) or not self._exact(fit):
                    continue
                for _ in range(2 if kind in ("legal", "contact", "cover", "out", "color") else 6):
                    at = self._shaken(fit)
                    measured = gaps(self.art, name, at, ground, laid, self.area)
                    trial = Trial(fit, at, tuple(measured), kind != "color")
                    if trial.suits(kind):
                        return trial
        return None

    def _exact(self, fit: Fit) -> bool:
        """Whether the overlap really is the region, all of it on the ground's colour."""
        own, size = self.art.size(fit.card), self.art.size(fit.ground)
        ground = self.board if fit.ground == BOARD else self.laid[fit.ground].pose
        region = Polygon(on_table(np.asarray(self.art.regions(fit.card)[fit.corner]["region"]), own, fit.pose))
        overlap = reach_of(fit.pose, own).intersection(reach_of(ground, size))
        if overlap.symmetric_difference(region, grid_size=1e-4).area > 3:
            return False
        if fit.space is None:
            return True
        space = Polygon(on_table(np.asarray(self.art.regions(BOARD)[fit.space]["region"]), size, ground))
        return bool(region.difference(space, grid_size=1e-4).area < 1)

    # ---- moves ----

    def lay(self, trial: Trial) -> Json:
        """Put the card down; returns the truth of the placement."""
        fit = trial.fit
        ground = fit.ground
        z = self.height(fit.card, trial.pose, list(self.laid))
        self.laid[fit.card] = Card(trial.pose, z, ground)
        if fit.card in self.free:
            self.free.remove(fit.card)
        onto: Json = {"space": fit.space} if fit.space is not None else {"card": ground}
        corner = self.art.regions(fit.card)[fit.corner]
        on_sign = ground != BOARD and self.art.faces[ground]["symbol"] == "plus2"
        violations: list[Json] = [] if trial.color_fits else [{"rule": "color", "other": onto, "gap_mm": None}]
        violations += [_told(g) for g in sorted(trial.broken, key=lambda g: g.mm)]
        value, bonus = int(corner["value"]), 2 if on_sign else 0
        out: Json = {
            "card": fit.card,
            "onto": onto,
            "corner": fit.corner,
            "verdict": "illegal" if violations else "legal",
            "violations": violations,
            "value": value,
            "bonus": bonus,
            "points": value + bonus,
            "gap_mm": round(trial.tightest, 3) if trial.measured else None,
            "near": [_told(g) for g in sorted(trial.measured, key=lambda g: g.mm) if g.mm < SPOKEN_MM],
        }
        if trial.unclear:
            out["close"] = True
        return out

    def float_one(self) -> Json | None:
        """A card laid where nothing is."""
        name = self.free[int(self.rng.integers(len(self.free)))]
        low, high = self.area.min(0), self.area.max(0)
        laid = self.poses()
        for _ in range(150):
            x, y = self.rng.uniform(low, high)
            pose = (float(x), float(y), float(self.rng.uniform(-np.pi, np.pi)))
            mine = self.art.outline(name, pose)
            nearest = min(mine.gap(self.art.outline(n, p)) for n, p in laid.items())
            if nearest > 12 and mine.margin(self.area) > 4 and self._allowed(name, pose):
                measured = gaps(self.art, name, pose, None, laid, self.area)
                self.laid[name] = Card(pose, CARD_MM, None)
                self.free.remove(name)
                violation = {"rule": "not-attached", "other": None, "gap_mm": round(nearest, 3)}
                return {
                    "card": name,
                    "onto": None,
                    "corner": None,
                    "verdict": "illegal",
                    "violations": [violation],
                    "value": 0,
                    "bonus": 0,
                    "points": 0,
                    "gap_mm": round(nearest, 3),
                    "near": [_told(g) for g in sorted(measured, key=lambda g: g.mm) if g.mm < SPOKEN_MM],
                }
        return None

    def push(self, spared: set[str]) -> str | None:
        """A card that nothing lies on is pushed a few mm and still touches nothing new; its name."""
        names = [n for n in self.leaves() if n not in spared and self.laid[n].onto is not None]
        self.rng.shuffle(names)
        for name in names:
            card = self.laid[name]
            others = {n: p for n, p in self.poses().items() if n not in (name, card.onto)}
            for _ in range(20):
                a, d = self.rng.uniform(0, 2 * np.pi), self.rng.uniform(3.0, 6.0)
                pose = (
                    card.pose[0] + float(d * np.cos(a)),
                    card.pose[1] + float(d * np.sin(a)),
                    card.pose[2] + float(np.radians(self.rng.normal(0, 1.5))),
                )
                mine = self.art.outline(name, pose)
                ground = self.art.outline(card.onto or BOARD, self.poses()[card.onto or BOARD])
                still = -22 < mine.gap(ground) < -3
                free = all(mine.gap(self.art.outline(n, p)) > CLEAR_MM for n, p in others.items())
                if still and free and mine.margin(self.area) > CLEAR_MM and self._allowed(name, pose):
                    self.laid[name] = replace_pose(card, pose)
                    return name
        return None

    def take(self, name: str) -> None:
        """Take a card off; it may come back."""
        del self.laid[name]
        self.free.append(name)

    def advance(self, points: int) -> None:
        """The pawn whose turn it is moves; past the goal it counts on from 1."""
        names = list(self.pawns)
        if not names:
            return
        color = names[self.turn_of % len(names)]
        square = self.pawns[color][0] + points
        goal = int(self.art.data["board"]["goal"])
        if square > goal:
            square -= goal
        if sum(s == square for c, (s, _, _) in self.pawns.items() if c != color) < 2:
            self.stand(color, square)

    def stand(self, color: str, square: int) -> None:
        """Put a pawn on a square, beside another that stands there."""
        wobble = self.rng.normal(0, 0.06 * self.cell(), 2).clip(-0.12 * self.cell(), 0.12 * self.cell())
        there = [c for c, (s, _, _) in self.pawns.items() if s == square and c != color]
        self.pawns.pop(color, None)
        if there:
            a = self.rng.uniform(0, 2 * np.pi)
            d = 0.36 * self.cell() * np.array([np.cos(a), np.sin(a)])
            self.pawns[there[0]] = (square, float(-d[0]), float(-d[1]))
            self.pawns[color] = (square, float(d[0]), float(d[1]))
        else:
            self.pawns[color] = (square, float(wobble[0]), float(wobble[1]))
        order = list(self.art.data["pawns"])
        self.pawns = dict(sorted(self.pawns.items(), key=lambda kv: order.index(kv[0])))

    def star_on(self, kind: str, name: str) -> None:
        """Lay a star about the middle of a card."""
        card = self.laid[name]
        d = self.rng.normal(0, 4, 2)
        at = (card.pose[0] + float(d[0]), card.pose[1] + float(d[1]), float(self.rng.uniform(-np.pi, np.pi)))
        self.stars[kind] = (name, at)

    def star_beside(self, kind: str) -> None:
        """Lay a star on the table where nothing else lies."""
        low, high = self.area.min(0), self.area.max(0)
        side = float(self.art.data["stars"][kind]["size_mm"])
        for _ in range(200):
            x, y = self.rng.uniform(low, high)
            pose = (float(x), float(y), float(self.rng.uniform(-np.pi, np.pi)))
            disc = Outline(np.array([[x, y], [x + 0.1, y], [x, y + 0.1]]), side / 2 + 6)
            far = all(disc.gap(self.art.outline(n, p)) > 0 for n, p in self.poses().items())
            if far and disc.margin(self.area) > 0 and not any(b.distance(Point(x, y)) < side for b in self.barred):
                self.stars[kind] = (None, pose)
                return


def replace_pose(card: Card, pose: Pose) -> Card:
    """The same card elsewhere."""
    return replace(card, pose=pose)


def _told(gap: Gap) -> Json:
    return {"rule": gap.rule, "other": gap.other, "gap_mm": round(gap.mm, 3)}
