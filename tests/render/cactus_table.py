"""Whole sequences of Cactus photographs with exact truth, for measuring and for closed-loop tests.

    python -m tests.render.cactus_table OUT --decks SET_FOLDER [SET_FOLDER ...] --count 64 --seed 7

writes case folders (`OUT/cactus/NAME/00.jpg` ..., `truth.json`) in the form of the contract's section 3. A photograph
that is judged by its contacts may have a second one from another place, `NNb.jpg`, under the key `second`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from shapely.geometry import LineString
from tqdm import tqdm

from tests.render.cactus_game import Game, SetArt
from tests.render.cactus_play import EVENTS, Match, StuckError
from tests.render.cactus_room import Room, front_view, furnish, random_lamps, random_room
from tests.render.cactus_scene import Canvas, linear
from tests.render.cactus_truth import camera_of, truth_of
from tests.render.conex_stage import random_sensor
from tests.render.scene import Array, Sensor, View

Json = dict[str, Any]
_SECOND = ("touch-color", "touch-shape", "depth", "near-color", "near-shape", "close")


def stand(rng: np.random.Generator, art: SetArt) -> dict[str, Array]:
    """The cacti in a row, an arc or part of a circle, in any order."""
    names = [c["id"] for c in art.data["cacti"]]
    if rng.random() < 0.35:
        rng.shuffle(names)
    step = rng.uniform(84, 99)
    kind = rng.choice(4, p=[0.35, 0.3, 0.2, 0.15])
    height = float(art.data["base"]["height_mm"])
    out = {}
    for i, name in enumerate(names):
        u = i - 2
        y = (0.0, -9.0 * u * u, 7.0 * u * u, (0.0, 55.0, -20.0, 60.0, 5.0)[i])[int(kind)] + rng.normal(0, 4)
        yaw = rng.normal(0, 0.09) - (0.07 * u if kind == 1 else 0.0)
        c, s = np.cos(yaw), np.sin(yaw)
        pose = np.array([[c, 0, s, u * step + rng.normal(0, 4)], [s, 0, -c, y], [0, 1.0, 0, height]])
        out[name] = pose
    return out


def random_view(rng: np.random.Generator, cacti: dict[str, Array], around: float = 0.0) -> View:
    """A camera before the cacti that sees them all, with what hangs on them."""
    size = (1280, 720) if rng.random() < 0.75 else (1920, 1080)
    px = rng.uniform(1.8, 2.5) if size[0] == 1280 else rng.uniform(2.2, 3.0)
    down, turn = np.radians(rng.uniform(5, 25)), around + np.radians(rng.normal(0, 5))
    distance, roll = rng.uniform(430, 1000), np.radians(rng.normal(0, 0.7))
    aim = np.array([rng.normal(0, 8), 0.0, rng.uniform(42, 66)])
    k1 = float(rng.uniform(-0.1, 0.04))
    points = np.array(
        [[*(c[:2, 3] + c[:2, 0] * dx), z] for c in cacti.values() for dx in (-42, 42) for z in (0.0, 150.0)]
    )
    while True:
        view = front_view(size, px, distance, down, turn, roll, aim, k1)
        p = view.project(points)
        if (p > 8).all() and (p < np.array(size) - 9).all():
            return view
        px *= 0.96
        distance *= 1.02


def _marks(art: SetArt, name: str) -> list[Array]:
    """What is drawn on a cactus, as outlines: the set's own marks, or a face where it says that there is one."""
    if "marks" in art.facts[name]:
        lines = [LineString(m).buffer(0.3, quad_segs=3) for m in art.facts[name]["marks"]]
        return [np.asarray(line.exterior.coords)[:-1] for line in lines]
    face = art.facts[name].get("face")
    if face is None:
        return []
    a = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ring = np.c_[np.cos(a), np.sin(a)]
    at = np.array(face, float)
    smile = np.linspace(np.pi * 1.15, np.pi * 1.85, 9)
    arc = np.c_[np.cos(smile), np.sin(smile)]
    mouth = np.concatenate([arc * 3.1, (arc * 2.5)[::-1]]) + at + [0, 0.6]
    return [ring * 0.9 + at + [-2.6, 2.4], ring * 0.9 + at + [2.6, 2.4], mouth]


def draw(
    rng: np.random.Generator, match: Match, empty: Canvas, room: Room, sensor: Sensor, look: tuple[float, float]
) -> tuple[Any, dict[str, float]]:
    """One photograph, RGB uint8, and the visible share of every piece and cactus; `look` is exposure and softness."""
    game, art = match.game, match.game.art
    canvas = empty.again(empty.view)
    colors = {k: linear(v) for k, v in art.data["colors"].items()}
    numbers = {}
    for name in game.cacti:
        tone = linear(art.facts[name]["color"])
        numbers[name] = canvas.plate(game.plate(name), tone, room.rim_rgb, _marks(art, name))[1]
        canvas.plate(game.base(name), room.base_rgb, room.base_rgb)
    for name in game.hung:
        numbers[name] = canvas.plate(game.plate(name), colors[art.facts[name]["color"]], room.rim_rgb)[1]
    for lying in (*match.supply.values(), *match.fallen.values()):
        numbers[lying.name] = canvas.plate(lying.plate(art), colors[art.facts[lying.name]["color"]], room.rim_rgb)[1]
    shares = {n: canvas.share(k) for n, k in numbers.items()}
    return canvas.photograph(rng, sensor, *look), shares


def _second(rng: np.random.Generator, match: Match, first: View, cactus: str | None) -> View:
    """Another camera, a step to the side and a little higher or lower."""
    side = rng.choice([-1.0, 1.0]) * np.radians(rng.uniform(14, 38))
    while True:
        view = random_view(rng, match.game.cacti, float(side))
        if view.size_px == first.size_px:
            return view


def write_case(
    rng: np.random.Generator, out: pathlib.Path, art: SetArt, wanted: list[str], second: float = 0.4
) -> None:
    """One random sequence as a case folder, trying the wanted kinds of events first."""
    cacti = stand(rng, art)
    view = random_view(rng, cacti)
    match = Match(Game(rng, art, cacti), view)
    match.fill(int(rng.integers(4, 15)))
    match.turn = int(rng.integers(5))
    match.claims = []
    match.lay_supply(before=bool(rng.random() < 0.65))
    lamps, ambient = random_lamps(rng)
    room = random_room(rng, list(art.data["colors"].values()), 900, 1200)
    seed = int(rng.integers(1 << 30))
    empty = Canvas.start(rng, view, lamps, ambient)
    furnish(np.random.default_rng(seed), empty, room)
    lit = empty.lit(np.array([0.0, 0, 60]), np.array([0.0, -0.97, 0.24]))
    white = lit[0] * ambient.mean() + sum(v * lamp.rgb.mean() for v, lamp in zip(lit[1:], lamps, strict=True))
    look = (float(rng.uniform(0.62, 1.15) / white), float(rng.choice([0.0, rng.uniform(0.1, 0.9)])))
    sensor = _sensor(rng)
    out.mkdir(parents=True, exist_ok=True)
    quality = int(rng.integers(80, 96))
    photos: list[Json] = []
    for i in range(int(rng.integers(5, 8))):
        if i:
            if rng.random() < 0.07:
                match.nudge()
            match.play(wanted[i - 1] if i <= len(wanted) else None)
        picture, shares = draw(rng, match, empty, room, sensor, look)
        name = f"{i:02d}.jpg"
        cv2.imwrite(str(out / name), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        truth = truth_of(match, view, shares)
        if i and rng.random() < (second if match.event in _SECOND else second / 5):
            other = _second(rng, match, view, None)
            again = Canvas.start(rng, other, lamps, ambient)
            furnish(np.random.default_rng(seed), again, room)
            picture, there = draw(rng, match, again, room, sensor, look)
            cv2.imwrite(str(out / f"{i:02d}b.jpg"), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
            told = truth_of(match, other, there)
            truth["second"] = {
                "photo": f"{i:02d}b.jpg",
                "camera": camera_of(other),
                "cacti": told["cacti"],
                "pieces": told["pieces"],
            }
        photos.append({"photo": name, **truth})
    w, h = view.size_px
    px = float(np.median([np.hypot(*np.subtract(c["base"][1], c["base"][0])) for c in photos[0]["cacti"]]))
    record = {
        "deck": art.folder.name,
        "game": "cactus",
        "area": [[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]],
        "camera": camera_of(view),
        "size": [w, h],
        "px_per_mm": round(px / float(art.data["base"]["width_mm"]), 2),
        "photos": photos,
    }
    (out / "truth.json").write_text(json.dumps(record), encoding="utf-8")


def _sensor(rng: np.random.Generator) -> Sensor:
    s = random_sensor(rng, 0.4)
    return Sensor(
        None,
        None,
        (1.0, 1.0, 1.0),
        float(rng.uniform(0.9, 1.12)),
        s.blur * 0.9,
        float(rng.uniform(0.6, 4.5)),
        s.sharpen * 0.6,
        100,
    )


def plan(i: int) -> list[str]:
    """Kinds to try in the i-th case, so that a set of cases has all of them."""
    rng = np.random.default_rng([417, i])
    return [
        str(k) for k in rng.choice(EVENTS, size=7, p=np.array((2, 1.6, 1.3, 0.8, 1.4, 1.3, 1.7, 0.8, 0.7, 0.7)) / 12.3)
    ]


def draw_games(
    out: pathlib.Path, decks: Sequence[pathlib.Path], count: int, first: int = 0, seed: int = 7, second: float = 0.4
) -> None:
    """Write so many cases, of the sets in turn, unless they are there."""
    sets = [SetArt.load(d) for d in decks]
    for i in tqdm(range(first, first + count), unit="case", disable=not sys.stderr.isatty()):
        art = sets[i % len(sets)]
        folder = out / f"{i:03d}-{art.folder.name}"
        if (folder / "truth.json").exists():
            continue
        for attempt in range(9):
            try:
                write_case(np.random.default_rng([seed, i, attempt]), folder, art, plan(i), second)
                break
            except StuckError:
                continue


def main() -> None:
    """Write the cases."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--decks", type=pathlib.Path, nargs="+", required=True)
    a.add_argument("--count", type=int, default=64)
    a.add_argument("--first", type=int, default=0, help="number of the first case")
    a.add_argument("--seed", type=int, default=7)
    a.add_argument("--second", type=float, default=0.4, help="share of the contacts that are photographed twice")
    o = a.parse_args()
    link = o.out / "decks"
    link.mkdir(parents=True, exist_ok=True)
    for deck in o.decks:
        if not (link / deck.name).exists():
            (link / deck.name).symlink_to(deck.resolve())
    draw_games(o.out / "cactus", o.decks, o.count, o.first, o.seed, o.second)


if __name__ == "__main__":
    main()
