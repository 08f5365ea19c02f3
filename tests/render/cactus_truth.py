"""What the truth says of a photograph of Cactus, in the shape of the contract."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.render.cactus_game import CLOSE_MM, NEAR_MM, TOUCH_MM
from tests.render.cactus_geometry import Plate, depth_gap, gap, in_view, seen
from tests.render.cactus_play import Match
from tests.render.scene import Array, View

Json = dict[str, Any]


def _points(p: Array) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in p]


def _pose(m: Array) -> list[list[float]]:
    return [[round(float(v), 4) for v in row] for row in m]


def camera_of(view: View) -> Json:
    """The camera as the truth writes it, in metres."""
    return {
        "K": view.K.tolist(),
        "dist": [view.k1, view.k2, 0.0, 0.0, 0.0],
        "RT": np.c_[view.R, view.t / 1000].tolist(),
        "note": "RT takes metres (world x right, y away, z up) to the camera; poses are plate frame to world in mm",
    }


def _verdict(mm: float) -> Json:
    return {
        "gap_mm": round(max(mm, 0.0), 3),
        "verdict": "touching" if mm <= TOUCH_MM else "clear",
        "close": bool(TOUCH_MM < mm < CLOSE_MM),
    }


def contacts(match: Match, view: View) -> list[Json]:
    """Every pair that must not touch and is near, and the placed piece above base and table."""
    game, out = match.game, []
    for cactus in game.cacti:
        names = game.on(cactus)
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                kind = game.kind(a, b)
                if kind is None:
                    continue
                p, q = game.plate(a), game.plate(b)
                mm = gap(p, q)
                if mm < NEAR_MM:
                    px, crosses = in_view(p, q, view)
                    out.append(
                        {
                            "a": a,
                            "b": b,
                            "kind": kind,
                            **_verdict(mm),
                            "view_gap_px": round(px, 2),
                            "overlap_in_view": crosses,
                            "depth_gap_mm": round(depth_gap(p, q, view), 3),
                            "cactus": cactus,
                        }
                    )
        if match.placed in names:
            plate = game.plate(match.placed)
            scale = float(np.hypot(*np.diff(view.project(plate.world(np.array([[0.0, 0], [1.0, 0]]), 0.0)), axis=0)[0]))
            base, table = game.low(match.placed, cactus, plate)
            px, crosses = in_view(plate, game.base(cactus), view)
            if base < NEAR_MM:
                out.append(
                    {
                        "a": match.placed,
                        "b": None,
                        "kind": "base",
                        **_verdict(base),
                        "view_gap_px": round(px, 2),
                        "overlap_in_view": crosses,
                        "cactus": cactus,
                    }
                )
            if table < NEAR_MM:
                out.append(
                    {
                        "a": match.placed,
                        "b": None,
                        "kind": "table",
                        **_verdict(table),
                        "view_gap_px": round(table * scale, 2),
                        "overlap_in_view": False,
                        "cactus": cactus,
                    }
                )
    return out


def truth_of(match: Match, view: View, shares: dict[str, float]) -> Json:
    """One photograph's truth in the shape of the contract."""
    game, art = match.game, match.game.art

    def entry(name: str, plate: Plate) -> Json:
        f = art.facts[name]
        out = {k: f[k] for k in ("id", "color", "shape", "special")}
        return out | {
            "outline": _points(seen(plate, view)),
            "visible": round(shares[name], 3),
            "flipped": plate.front < 0,
        }

    def on_table(name: str, plate: Plate) -> Json:
        side = 1.0 if plate.pose[2, 2] > 0 else -1.0
        rim = view.project(plate.world(plate.form.outline, side * plate.thickness / 2))
        return entry(name, plate) | {"outline": _points(rim), "flipped": side < 0}

    cacti = []
    w, h, d = (float(art.data["base"][k]) for k in ("width_mm", "height_mm", "depth_mm"))
    for name, pose in sorted(game.cacti.items(), key=lambda c: c[1][0, 3]):
        corners = np.array([[-w / 2, 0, d / 2], [w / 2, 0, d / 2], [w / 2, -h, d / 2], [-w / 2, -h, d / 2]])
        front = view.project(corners @ pose[:, :3].T + pose[:, 3])
        cacti.append(
            {"id": name, "base": _points(front), "outline": _points(seen(game.plate(name), view)), "pose": _pose(pose)}
        )
    pieces = []
    for cactus in game.cacti:
        for n in game.on(cactus):
            plate = game.plate(n)
            e = entry(n, plate)
            pieces.append(
                {
                    **{k: e[k] for k in ("id", "color", "shape", "special")},
                    "cactus": cactus,
                    **{k: e[k] for k in ("outline", "visible", "flipped")},
                    "pose": _pose(plate.pose),
                }
            )
    near = contacts(match, view)
    violations = []
    for c in near:
        if c["verdict"] == "touching" and match.placed in (c["a"], c["b"]):
            rule = {"base": "touches-base", "table": "touches-table"}.get(c["kind"], c["kind"])
            violations.append({"rule": rule, "pieces": [n for n in (c["a"], c["b"]) if n]})
    return {
        "game": "cactus",
        "cacti": cacti,
        "pieces": pieces,
        "contacts": near,
        "event": match.event,
        "placed": match.placed,
        "moved": sorted(set(match.moved)),
        "fallen": list(match.fell),
        "violations": violations,
        "claims": match.claims,
        "penalties": [{"why": "fallen", "flowers": -1, "piece": n} for n in match.fell],
        "totals": {"colors": game.count("color"), "shapes": game.count("shape")},
        "fallen_pieces": [on_table(f.name, f.plate(art)) | {"pose": _pose(f.pose)} for f in match.fallen.values()],
        "supply": [on_table(s.name, s.plate(art)) for s in match.supply.values()],
    }
