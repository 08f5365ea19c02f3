"""Whole Rox tables with exact truth, for measuring, for closed-loop tests and for the demo.

    python -m tests.render.rox_table OUT --decks DECK_FOLDER [DECK_FOLDER ...] --count 100 --seed 7

writes case folders (`OUT/rox/NAME/00.jpg`, `truth.json`) in the form of the contract's section 3.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tests.render.scene import CLUTTER, Table, View, clutter, look_at, random_sensor

Pose = tuple[float, float, float]
_REACH = {"plate": 125.0, "mug": 80.0, "phone": 85.0, "pencil": 100.0, "hand": 60.0}
"""How far clutter reaches from its middle, in mm: it may lie on the heap, not on a row."""
SEATS = ("south", "west", "north", "east")
_FACING = {"south": 0.0, "west": np.pi / 2, "north": np.pi, "east": -np.pi / 2}
"""Direction of a card's x axis for the owner at each side (x right, y down)."""


@dataclass(frozen=True, slots=True, eq=False)
class DeckArt:
    """A Rox deck folder with its pictures in memory."""

    folder: pathlib.Path
    data: dict[str, Any]
    pictures: dict[str, NDArray[np.uint8]]

    @classmethod
    def load(cls, folder: pathlib.Path) -> DeckArt:
        data = json.loads((folder / "deck.json").read_text())
        pictures = {}
        for f in [*data["faces"], *data.get("scoring_cards", {}).get("faces", [])]:
            pictures[f["id"]] = _read(folder / f["image"])
        if data.get("back"):
            pictures["back"] = _read(folder / data["back"])
        return cls(folder, data, pictures)

    @property
    def size_mm(self) -> tuple[float, float]:
        w, h = self.data["card_mm"]
        return float(w), float(h)

    def face(self, face_id: str) -> dict[str, Any]:
        return next(f for f in self.data["faces"] if f["id"] == face_id)

    def leader(self, face_id: str) -> str:
        edge = self.face(face_id)["edge"]
        return str(max(edge, key=edge.get))


def _read(path: pathlib.Path) -> NDArray[np.uint8]:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(path)
    return np.ascontiguousarray(picture[..., ::-1])


@dataclass(slots=True)
class RoxScene:
    """What lies where, before it is drawn: rows by seat, pool, scoring cards, face-down cards, in mm."""

    rows: dict[str, list[tuple[str, Pose]]]
    pool: list[tuple[str, Pose]]
    scoring: list[tuple[str, Pose]]
    face_down: list[Pose]
    region_mm: tuple[float, float]


def chain(rng: np.random.Generator, deck: DeckArt, length: int, free: list[str], slip: float) -> list[str]:
    """Card ids that follow each other by the rule, with a wrong one now and then; taken out of `free`."""
    out = [free.pop(int(rng.integers(len(free))))]
    while len(out) < length and free:
        need = deck.leader(out[-1])
        fits = [i for i, f in enumerate(free) if (deck.face(f)["center"] == need) == (rng.random() >= slip)]
        out.append(free.pop(int(rng.choice(fits)) if fits else 0))
    return out


def random_scene(rng: np.random.Generator, deck: DeckArt) -> RoxScene:
    """A table as in the middle of a game: rows along two to four sides, a heap between them."""
    w, h = deck.size_mm
    seats = [["south", "north"], ["south", "west", "north"], ["south", "north", "east"], list(SEATS)][
        int(rng.choice(4, p=[0.45, 0.2, 0.15, 0.2]))
    ]
    wide = max(7.4 * w, rng.uniform(560, 900))
    deep = max(2.2 * h + 220 if len(seats) < 3 else 2.2 * h + 4.3 * w, rng.uniform(0.52, 0.66) * wide)
    free = [f["id"] for f in deck.data["faces"]]
    rows: dict[str, list[tuple[str, Pose]]] = {}
    for seat in seats:
        along = wide if seat in ("south", "north") else deep - 2 * h - 60
        room = int(along / (w + 26))
        length = int(rng.integers(2, max(3, min(6, room) + 1)))
        ids = chain(rng, deck, length, free, 0.12)
        gap = rng.uniform(2, 24)
        sloppy = rng.uniform(0, 1)
        span = length * w + (length - 1) * gap
        start = rng.uniform(-0.5, 0.5) * max(0.0, along - span - 20) - span / 2
        inset = h / 2 + rng.uniform(6, 26)
        edge = {"south": deep / 2, "north": deep / 2, "west": wide / 2, "east": wide / 2}[seat] - inset
        row = []
        for i, face in enumerate(ids):
            a = start + w / 2 + i * (w + gap) + rng.normal(0, 2.5 * sloppy)
            d = edge + rng.normal(0, 4 * sloppy)
            turn = _FACING[seat] + np.radians(rng.normal(0, 3.5 * sloppy)) + (np.pi if rng.random() < 0.04 else 0)
            c, s = np.cos(_FACING[seat]), np.sin(_FACING[seat])
            row.append((face, (float(a * c - d * s), float(a * s + d * c), float(turn))))
        rows[seat] = row
    taken = [p for row in rows.values() for _, p in row]

    def clear(x: float, y: float, need: float) -> bool:
        return all(np.hypot(x - p[0], y - p[1]) > need for p in taken)

    reach = np.hypot(w, h)
    scoring: list[tuple[str, Pose]] = []
    faces = deck.data.get("scoring_cards", {}).get("faces", [])
    if faces and rng.random() < 0.35:
        x0, y0 = (
            (rng.uniform(0.05, 0.2) if rng.random() < 0.5 else rng.uniform(-0.4, -0.25)) * wide,
            rng.uniform(-0.05, 0.05) * deep,
        )
        chosen = rng.choice(len(faces), size=len(seats) - 1, replace=False)
        for i, f in enumerate(chosen):
            p = (float(x0 + i * (w + 6)), float(y0 + rng.normal(0, 2)), float(rng.normal(0, 0.04)))
            if clear(p[0], p[1], reach):
                scoring.append((faces[int(f)]["id"], p))
    taken_too = [p for _, p in scoring]
    pool: list[tuple[str, Pose]] = []
    cx, cy = rng.uniform(-0.15, 0.15) * wide, rng.uniform(-0.05, 0.05) * deep
    spread = rng.uniform(0.09, 0.24) * wide
    for _ in range(int(rng.integers(5, 36))):
        for _ in range(30):
            x, y = cx + rng.normal(0, spread), cy + rng.normal(0, 0.5 * spread)
            inside = abs(x) < wide / 2 - reach / 2 and abs(y) < deep / 2 - reach / 2
            if (
                inside
                and clear(x, y, reach + 12)
                and all(np.hypot(x - p[0], y - p[1]) > reach for p in taken_too)
                and free
            ):
                pool.append(
                    (free.pop(int(rng.integers(len(free)))), (float(x), float(y), float(rng.uniform(0, 2 * np.pi))))
                )
                break
    down = [
        pool.pop()[1]
        for _ in range(int(rng.integers(0, 3)))
        if len(pool) > 4 and rng.random() < 0.4 and "back" in deck.pictures
    ]
    return RoxScene(rows, pool, scoring, down, (wide, deep))


def framed_view(
    rng: np.random.Generator,
    region_mm: tuple[float, float],
    size_px: tuple[int, int],
    tilt_deg: float,
    hfov_deg: float,
    k1: float = 0.0,
) -> View:
    """A camera as near as it can be with the whole region in the picture."""
    w, h = region_mm
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    around, roll = rng.normal(0, 6), rng.normal(0, 2.5)
    near, far = 150.0, 6000.0
    view = look_at(size_px, hfov_deg, far, tilt_deg, around, roll, (0.0, 0.0), k1)
    for _ in range(26):
        middle = (near + far) / 2
        v = look_at(size_px, hfov_deg, middle, tilt_deg, around, roll, (0.0, 0.0), k1)
        p = v.project(corners)
        # keep the picture's middle on the region's middle although the far side is foreshortened
        off = (p.min(0) + p.max(0)) / 2 - np.array(size_px) / 2
        aim = v.table_points(np.array(size_px)[None] / 2 + off)[0]
        v = look_at(size_px, hfov_deg, middle, tilt_deg, around, roll, (float(aim[0]), float(aim[1])), k1)
        p = v.project(corners)
        fits = bool((p.min(0) > 2).all() and (p.max(0) < np.array(size_px) - 3).all())
        if fits:
            far, view = middle, v
        else:
            near = middle
    return view


def draw(
    rng: np.random.Generator,
    scene: RoxScene,
    deck: DeckArt,
    view: View,
    *,
    things: tuple[str, ...] = (),
    foreign: NDArray[np.uint8] | None = None,
    curl: float = 0.0,
    sleeves: bool = False,
    surface: NDArray[np.float32] | None = None,
    scale: int = 2,
) -> tuple[Table, dict[str, Any]]:
    """Lay the scene on a table; returns it unfinished, with the truth but for what light and lens decide."""
    table = Table.start(rng, view, surface, scale)
    w, h = deck.size_mm
    radius = float(deck.data.get("corner_radius_mm", 3))
    shadow = (float(rng.normal(0, 1.2)), float(rng.normal(0, 1.2)), float(rng.uniform(0.1, 0.5)))

    def lay(name: str, picture: NDArray[np.uint8], pose: Pose, size: tuple[float, float], face_up: bool = True) -> int:
        bend = float(rng.uniform(0.3, curl)) if curl and rng.random() < 0.35 else 0.0
        grow = 2.5 if sleeves else 0.0
        return table.lay(
            name, picture, size, pose, radius, bend, shadow, grow_mm=grow, sleeve=0.25 * sleeves, face_up=face_up
        )

    numbers: dict[str, int] = {}
    order: list[tuple[str, str, Pose]] = [("pool", f, p) for f, p in scene.pool] + [
        ("down", "back", p) for p in scene.face_down
    ]
    rng.shuffle(order)  # type: ignore[arg-type]
    downs: list[int] = []
    for kind, face, pose in order:
        n = lay(face, deck.pictures[face], pose, (w, h), kind == "pool")
        if kind == "pool":
            numbers[face] = n
        else:
            downs.append(n)
    if foreign is not None:
        downs.append(
            lay(
                "foreign",
                foreign,
                (float(rng.normal(0, 80)), float(rng.normal(0, 40)), float(rng.uniform(0, 6))),
                (w, h),
                False,
            )
        )
    size = tuple(float(v) for v in deck.data.get("scoring_cards", {}).get("card_mm", (w, h)))
    for face, pose in scene.scoring:
        numbers[face] = lay(face, deck.pictures[face], pose, (size[0], size[1]))
    for row in scene.rows.values():
        for face, pose in row:
            numbers[face] = lay(face, deck.pictures[face], pose, (w, h))
    for kind in things:
        for _ in range(20):
            x, y = rng.uniform(-0.5, 0.5) * scene.region_mm[0], rng.uniform(-0.4, 0.4) * scene.region_mm[1]
            need = np.hypot(w, h) / 2 + _REACH.get(kind, 60.0)
            if all(np.hypot(x - p[0], y - p[1]) > need for row in scene.rows.values() for _, p in row):
                clutter(rng, table, (float(x), float(y)), kind)
                break
    return table, {"numbers": numbers, "downs": downs}


def truth_of(
    scene: RoxScene, deck: DeckArt, table: Table, owner: NDArray[np.int16], marks: dict[str, Any]
) -> dict[str, Any]:
    """The finished picture's truth in the shape of the contract."""
    seen = table.visible(owner)
    size = np.array(table.view.size_px)

    def card(face: str, **more: Any) -> dict[str, Any]:
        n = marks["numbers"][face]
        quad = table.cards[n].quad_px
        inside = bool((quad > -0.5).all() and (quad < size - 0.5).all())
        return {
            "id": face,
            "quad": np.round(quad, 2).tolist(),
            **more,
            "visible": round(min(1.0, seen[n] * 1.02) if inside else min(seen[n], 0.89), 3),
        }

    rows = []
    for seat, row in scene.rows.items():
        cards, broken = [], None
        for i, (face, _) in enumerate(row):
            f = deck.face(face)
            link = None if i == 0 else ("valid" if deck.leader(row[i - 1][0]) == f["center"] else "broken")
            broken = i if link == "broken" and broken is None else broken
            cards.append(card(face, center=f["center"], edge=f["edge"], next=deck.leader(face), link=link))
        length = len(row) if broken is None else broken
        rows.append(
            {
                "seat": seat,
                "verdict": "valid" if broken is None else "broken",
                "valid_length": length,
                "counts": length >= 3,
                "break_at": broken,
                "cards": cards,
            }
        )
    values = {f["id"]: f["value"] for f in deck.data.get("scoring_cards", {}).get("faces", [])}
    down = [
        {"id": None, "quad": np.round(table.cards[n].quad_px, 2).tolist(), "visible": round(seen[n], 3)}
        for n in marks["downs"]
    ]
    return {
        "game": "rox",
        "rows": rows,
        "pool": [card(f) for f, _ in scene.pool],
        "scoring_cards": [{**card(f), "value": values[f]} for f, _ in scene.scoring],
        "face_down": down,
    }


def write_case(rng: np.random.Generator, out: pathlib.Path, deck: DeckArt, others: list[DeckArt]) -> None:
    """One random case folder."""
    scene = random_scene(rng, deck)
    size = [(1280, 720), (1920, 1080), (1600, 1200), (1024, 768)][int(rng.choice(4, p=[0.5, 0.25, 0.15, 0.1]))]
    tilt = float(min(45, abs(rng.normal(12, 12))))
    k1 = float(rng.uniform(-0.12, 0.1)) if rng.random() < 0.5 else 0.0
    view = framed_view(rng, scene.region_mm, size, tilt, float(rng.uniform(55, 80)), k1)
    things = tuple(
        str(t) for t in rng.choice([c for c in CLUTTER if c not in ("sheet", "book")], size=int(rng.integers(0, 4)))
    )
    foreign = None
    if others and rng.random() < 0.3:
        other = others[int(rng.integers(len(others)))]
        foreign = other.pictures[other.data["faces"][int(rng.integers(len(other.data["faces"])))]["id"]]
    curl, sleeves = float(rng.choice([0, 2.5])), bool(rng.random() < 0.12)
    # what is to be judged can be seen: an arm across a row is no fair question
    for kinds in (things, ()):
        table, marks = draw(rng, scene, deck, view, things=kinds, foreign=foreign, curl=curl, sleeves=sleeves)
        rgb, owner = table.finish(rng, random_sensor(rng, gentle=True))
        truth = truth_of(scene, deck, table, owner, marks)
        asked = [c for r in truth["rows"] for c in r["cards"]] + truth["scoring_cards"]
        if all(c["visible"] > 0.9 for c in asked):
            break
    out.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(out / "00.jpg"), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(65, 95))])
    w, h = size
    record = {
        "deck": str(deck.folder),
        "area": [[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]],
        "photos": [{"photo": "00.jpg", **truth}],
        "camera": {"size": size, "K": view.K.tolist(), "k1": view.k1, "tilt_deg": tilt},
    }
    (out / "truth.json").write_text(json.dumps(record))


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--decks", type=pathlib.Path, nargs="+", required=True)
    a.add_argument("--count", type=int, default=100)
    a.add_argument("--seed", type=int, default=7)
    o = a.parse_args()
    decks = [DeckArt.load(d) for d in o.decks]
    link = o.out / "decks"
    link.mkdir(parents=True, exist_ok=True)
    for d in decks:
        if not (link / d.folder.name).exists():
            (link / d.folder.name).symlink_to(d.folder.resolve())
    for i in tqdm(range(o.count)):
        rng = np.random.default_rng([o.seed, i])
        deck = decks[i % len(decks)]
        write_case(rng, o.out / "rox" / f"{i:03d}-{deck.folder.name}", deck, [d for d in decks if d is not deck])


if __name__ == "__main__":
    main()
