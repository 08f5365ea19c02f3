"""Whole sequences of CONEX photographs with exact truth, for measuring and for closed-loop tests.

    python -m tests.render.conex_table OUT --decks DECK_FOLDER [DECK_FOLDER ...] --count 60 --seed 7

writes case folders (`OUT/conex/NAME/00.jpg` ..., `truth.json`) in the form of the contract's section 3. Poses in the
truth are in mm and degrees with y up and angles counter-clockwise, as in the contract's own cases.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

import cv2
import numpy as np
from shapely.geometry import MultiPoint, Point, Polygon
from tqdm import tqdm

from tests.render.conex_game import Game
from tests.render.conex_geometry import BOARD, Array, ConexArt, Pose
from tests.render.conex_scene import draw, drifted, lay_area, reach_of, seen_again
from tests.render.conex_stage import Stage, random_area, random_stage, random_view
from tests.render.scene import View

Json = dict[str, Any]

STEPS = (
    "legal",
    "legal+2x",
    "near",
    "close",
    "contact",
    "color",
    "cover",
    "out",
    "plus2",
    "remove",
    "float",
    "shift",
    "rest",
)
_WEIGHT = (0.17, 0.09, 0.15, 0.06, 0.1, 0.08, 0.08, 0.07, 0.07, 0.06, 0.04, 0.06, 0.03)
_FAINT = 34.0
"""Difference in Lab below which a pawn is hardly seen on its square."""
_HIDDEN = 0.45
"""Share of a pawn below which it is hardly seen behind another."""


def new_game(rng: np.random.Generator, art: ConexArt) -> tuple[Game, Stage, View]:
    """A table with its board, the light, the camera, and what was laid before the first photograph."""
    view = None
    while view is None:
        area = random_area(rng)
        view = random_view(rng, area)
    w, h = view.size_px
    inset = np.array([[8, 8], [w - 9, 8], [w - 9, h - 9], [8, h - 9]], float)
    frame = Polygon(view.table_points(inset))
    shape = Polygon(area)
    while True:
        x, y = rng.uniform(-0.2, 0.2, 2) * np.ptp(area, axis=0)
        board = (float(x), float(y), float(rng.uniform(-np.pi, np.pi)))
        place = reach_of(board, art.size(BOARD))
        if shape.buffer(-60).contains(place):
            break
    corner = area[int(rng.integers(len(area)))] * rng.uniform(0.72, 0.95)
    stage = random_stage(rng, art, view, area, (float(corner[0]), float(corner[1])))
    barred = []
    if stage.mug is not None:
        barred.append(stage.mug.hull(view))
        if barred[0].distance(place) < 40:
            object.__setattr__(stage, "mug", None)
            barred = []
    game = Game(rng, art, area, board, barred, frame)
    game.free = list(art.faces)
    rng.shuffle(game.free)
    pawns = list(art.data["pawns"])
    chosen = sorted(rng.choice(len(pawns), size=int(rng.integers(2, 5)), replace=False))
    goal = int(art.data["board"]["goal"])
    for i in chosen:
        square = 0 if rng.random() < 0.35 else int(rng.integers(0, goal - 2))
        if game.pawns and rng.random() < 0.2:
            square = next(iter(game.pawns.values()))[0]
        while sum(s == square for s, _, _ in game.pawns.values()) > 1:
            square = int(rng.integers(0, goal - 2))
        game.stand(pawns[i], square)
    want = int(rng.integers(0, 5)) if rng.random() < 0.75 else int(rng.integers(6, 17))
    for _ in range(want):
        trial = game.find("legal", game.free[:16], tries=250)
        if trial is not None:
            game.lay(trial)
    if rng.random() < 0.3:
        game.star_beside("lightning")
    for name in art.faces:
        if rng.random() < 0.06:
            stage.curls[name] = float(rng.uniform(0.6, 2.2))
    return game, stage, view


def make_step(game: Game, kind: str) -> Json | None:
    """Make one step; what the photograph's truth says of it beside what lies there, or None if it cannot be made."""
    rng = game.rng
    hand = game.free[: 30 if kind in ("near", "close", "contact", "cover", "out") else 18]
    out: Json = {"placement": None, "removed": []}
    for star in [k for k, (on, _) in game.stars.items() if on is not None or (k == "2x" and rng.random() < 0.5)]:
        del game.stars[star]
    if kind == "rest":
        return out
    if kind == "remove":
        names = game.leaves()
        if not names:
            return None
        name = names[int(rng.integers(len(names)))]
        game.take(name)
        return out | {"removed": [name]}
    if kind == "float":
        placed = game.float_one()
        return None if placed is None else out | {"placement": placed}
    if kind == "shift" and game.push(set()) is None:
        return None
    sign = "plus2" if kind == "plus2" else None
    wanted = {"legal+2x": "legal", "plus2": "legal", "shift": "legal"}.get(kind, kind)
    trial = game.find(wanted, hand, sign)
    if trial is None:
        return None
    placed = game.lay(trial)
    if kind == "legal+2x":
        game.star_on("2x", placed["card"])
        placed["points"] *= 2
    if placed["verdict"] == "legal":
        game.advance(placed["points"])
        game.turn_of += 1
    return out | {"placement": placed}


def take_back(game: Game, name: str) -> Json | None:
    """An illegal card is withdrawn and laid anew where it may lie, or just taken back."""
    game.take(name)
    if game.rng.random() < 0.75:
        trial = game.find("legal", [name], tries=400)
        if trial is not None:
            placed = game.lay(trial)
            game.advance(placed["points"])
            game.turn_of += 1
            return {"placement": placed, "removed": [name]}
    return {"placement": None, "removed": [name]}


def next_step(game: Game, last: Json, wanted: str | None = None) -> tuple[str, Json]:
    """Make the next step of a sequence: most broken placements are withdrawn, the others stay."""
    placed = last.get("placement")
    rng = game.rng
    if placed is not None and placed["verdict"] == "illegal" and not placed.get("close") and rng.random() < 0.45:
        done = take_back(game, placed["card"])
        if done is not None:
            return "relay" if done["placement"] else "withdraw", done
    for _ in range(12):
        kind = wanted or STEPS[int(rng.choice(len(STEPS), p=np.array(_WEIGHT) / sum(_WEIGHT)))]
        wanted = None
        done = make_step(game, kind)
        if done is not None:
            return kind, done
    return "rest", {"placement": None, "removed": []}


def hand_over(game: Game, spared: set[str]) -> tuple[float, float, float] | None:
    """A hand over a card that is in nobody's move, its arm clear of the board and of what is spared."""
    rng = game.rng
    names = [n for n in game.laid if n not in spared]
    rng.shuffle(names)
    keep = [reach_of(game.board, game.art.size(BOARD))]
    keep += [reach_of(game.laid[n].pose, game.art.size(n)) for n in spared if n in game.laid]
    for name in names[:4]:
        x, y, _ = game.laid[name].pose
        for towards in rng.uniform(-np.pi, np.pi, 10):
            d = np.array([np.cos(towards), np.sin(towards)])
            side = np.array([-d[1], d[0]])
            tip = np.array([x, y]) + rng.normal(0, 6, 2)
            ends = [
                tip - d * 12 + side * 75,
                tip - d * 12 - side * 75,
                tip + d * 800 + side * 75,
                tip + d * 800 - side * 75,
            ]
            if not any(k.intersects(Polygon(MultiPoint(ends).convex_hull)) for k in keep):
                return float(tip[0]), float(tip[1]), float(towards)
    return None


# ---- truth ---------------------------------------------------------------------------------------------------------


def outward(pose: Pose) -> list[float]:
    """A pose as the truth writes it: y up, degrees counter-clockwise."""
    return [round(pose[0], 3), round(-pose[1], 3), round(float(-np.degrees(pose[2])), 3)]


def _quad(points: Array) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def _faint(art: ConexArt, color: str, square: int) -> bool:
    picture = art.pictures[BOARD]
    k = picture.shape[0] / float(art.data["board"]["size_mm"])
    x, y = np.array(art.data["board"]["track"][square], float) * k
    r = max(2, round(3.0 * k))
    patch = picture[int(y) - r : int(y) + r, int(x) - r : int(x) + r, :3]
    tone = np.median(patch.reshape(-1, 3), axis=0)
    hexed = art.data["pawns"][color].lstrip("#")
    pawn = [int(hexed[i : i + 2], 16) for i in (0, 2, 4)]
    lab = cv2.cvtColor(np.array([[tone, pawn]], np.float32) / 255, cv2.COLOR_RGB2Lab)[0]
    return bool(np.linalg.norm(lab[0] - lab[1]) < _FAINT)


def truth_of(
    game: Game,
    stage: Stage,
    view: View,
    seen: dict[str, tuple[Array, float]],
    standing: dict[str, float],
    done: Json,
) -> Json:
    """One photograph's truth in the shape of the contract."""
    cards = []
    for name, card in game.laid.items():
        quad, share = seen[name]
        cards.append(
            {
                "id": name,
                "quad": _quad(quad),
                "covered_by": game.covered_by(name),
                "visible": round(share, 3),
                "pose_mm": outward(card.pose),
                "z_mm": round(card.z_mm, 2),
                "curl_mm": round(stage.curls.get(name, 0.0), 2),
            }
        )
    pawns = []
    for pawn in game.pawns_standing():
        square = game.pawns[pawn.color][0]
        at = view.project(np.array([[pawn.x, pawn.y, 0.0]]))[0]
        entry: Json = {"color": pawn.color, "square": square, "at": [round(float(v), 1) for v in at]}
        if _faint(game.art, pawn.color, square) or standing[pawn.color] < _HIDDEN:
            entry["faint"] = True
        pawns.append(entry)
    return {
        "game": "conex",
        "board": {"quad": _quad(seen[BOARD][0]), "visible": round(seen[BOARD][1], 3)},
        "cards": cards,
        "placement": done["placement"],
        "removed": done["removed"],
        "pawns": pawns,
        "stars": [{"kind": k, "on": on} for k, (on, _) in game.stars.items()],
        "camera_RT": np.c_[view.R, view.t].round(7).tolist(),
    }


def write_case(
    rng: np.random.Generator, out: pathlib.Path, art: ConexArt, wanted: list[str], scale: int | None = None
) -> None:
    """One random sequence as a case folder, trying the wanted kinds of steps first."""
    game, stage, view = new_game(rng, art)
    out.mkdir(parents=True, exist_ok=True)
    quality = int(rng.integers(82, 97))
    photos: list[Json] = []
    names: list[str] = []
    done: Json = {"placement": None, "removed": []}
    first = view
    empty = lay_area(rng, stage, view, scale or (1 if view.size_px[0] > 1600 else 2))
    for i in range(int(rng.integers(5, 9))):
        if i:
            kind, done = next_step(game, done, wanted[i - 1] if i <= len(wanted) else None)
            names.append(kind)
            view = drifted(rng, first)
        placed = done["placement"]
        spared = set()
        if placed is not None:
            spared = {
                placed["card"],
                *(g["other"]["card"] for g in placed["near"] if g["other"] and "card" in g["other"]),
            }
            spared |= {placed["onto"]["card"]} if placed["onto"] and "card" in placed["onto"] else set()
        spared |= {on for on, _ in game.stars.values() if on}
        hands = [hand_over(game, spared)] if i and rng.random() < 0.22 else []
        arms = [h for h in hands if h is not None]
        if arms and placed is None:
            arms = arms if rng.random() < 0.5 else []
        if any(on is None and _under(arms, pose) for on, pose in game.stars.values()):
            arms = []
        table = seen_again(empty, view)
        picture, seen, standing = draw(
            rng, art, stage, table, game.lying(), game.pawns_standing(), game.stars_lying(), arms
        )
        name = f"{i:02d}.jpg"
        cv2.imwrite(str(out / name), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        truth = truth_of(game, stage, view, seen, standing, done)
        if arms:
            truth["occluders"] = [{"kind": "hand"}]
            names[-1] += "+hand"
        photos.append({"photo": name, **truth})
    ring = game.area
    dense = np.concatenate(
        [
            a + (b - a) * np.linspace(0, 1, 6, endpoint=False)[:, None]
            for a, b in zip(ring, np.roll(ring, -1, 0), strict=True)
        ]
    )
    record = {
        "game": "conex",
        "deck": art.folder.name,
        "area": [[round(float(x), 1), round(float(y), 1)] for x, y in first.project(dense)],
        "camera": {"size": list(first.size_px), "K": first.K.tolist(), "dist": [first.k1, first.k2, 0.0, 0.0, 0.0]},
        "board_pose_mm": outward(game.board),
        "area_mm": [[round(float(x), 2), round(float(-y), 2)] for x, y in ring],
        "steps": names,
        "photos": photos,
    }
    (out / "truth.json").write_text(json.dumps(record), encoding="utf-8")


def _under(arms: list[tuple[float, float, float]], pose: Pose) -> bool:
    for x, y, a in arms:
        d = np.array([pose[0] - x, pose[1] - y])
        along = float(d @ [np.cos(a), np.sin(a)])
        if along > -40 and Point(d).distance(Point(along * np.cos(a), along * np.sin(a))) < 95:
            return True
    return False


def plan(i: int) -> list[str]:
    """Kinds to try in the i-th case, so that a set of cases has all of them about evenly."""
    rng = np.random.default_rng([911, i])
    return [str(k) for k in rng.choice(STEPS, size=7, p=np.array(_WEIGHT) / sum(_WEIGHT))]


def main() -> None:
    """Write the cases."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--decks", type=pathlib.Path, nargs="+", required=True)
    a.add_argument("--count", type=int, default=60)
    a.add_argument("--first", type=int, default=0, help="number of the first case")
    a.add_argument("--seed", type=int, default=7)
    o = a.parse_args()
    decks = [ConexArt.load(d) for d in o.decks]
    link = o.out / "decks"
    link.mkdir(parents=True, exist_ok=True)
    for d in decks:
        if not (link / d.folder.name).exists():
            (link / d.folder.name).symlink_to(d.folder.resolve())
    for i in tqdm(range(o.first, o.first + o.count), unit="case"):
        rng = np.random.default_rng([o.seed, i])
        art = decks[i % len(decks)]
        write_case(rng, o.out / "conex" / f"{i:03d}-{art.folder.name}", art, plan(i))


if __name__ == "__main__":
    main()
