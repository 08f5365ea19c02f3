"""The demonstration's recording: two rounds of Rox on a drawn table, and the script that goes with it.

python -m tests.render.demo webui/demo --deck calibration/decks/rox-proxy
"""

from __future__ import annotations

import argparse
import copy
import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tests.render.rox_table import DeckArt, Pose, framed_view
from tests.render.scene import Sensor, Table, View, hand
from tests.render.textures import wood

FPS = 10
SIZE = (1280, 720)
REGION_MM = (700.0, 430.0)
PLAYERS = {"south": "Ada", "west": "Ben", "north": "Cleo"}
_SKIN = {"south": (0.86, 0.64, 0.52), "west": (0.55, 0.38, 0.28), "north": (0.93, 0.75, 0.64)}
_SLEEVE = {"south": (0.15, 0.3, 0.55), "west": (0.62, 0.2, 0.2), "north": (0.2, 0.42, 0.28)}
_ARM = {"south": np.pi / 2, "west": np.pi, "north": -np.pi / 2}
_FACING = {"south": 0.0, "west": np.pi / 2, "north": np.pi}


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """One round: rows as they will be, how many cards of each lie at the start, who lays when, who calls."""

    rows: dict[str, list[str]]
    at_start: dict[str, int]
    turns: list[str]
    caller: str
    values: list[int]


@dataclass(slots=True)
class Film:
    """Frames in the making."""

    view: View
    sensor: Sensor
    rng: np.random.Generator
    writer: cv2.VideoWriter
    frames: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    def show(self, table: Table, seat: str | None = None, tip: tuple[float, float] | None = None) -> None:
        """Add a frame, with a hand over the table if one is given."""
        frame = table
        if seat is not None and tip is not None:
            frame = copy.copy(table)
            frame.rgb, frame.owner = table.rgb.copy(), table.owner.copy()
            hand(frame, tip, _ARM[seat] + 0.12, _SKIN[seat], _SLEEVE[seat])
        rgb, _ = frame.finish(self.rng, self.sensor)
        self.writer.write(rgb[..., ::-1])
        self.frames += 1

    def say(self, **step: Any) -> None:
        """Add a step of the script at this moment."""
        self.steps.append({"at_s": round(self.frames / FPS, 1), **step})


def place(deck: DeckArt, seat: str, index: int, total: int, rng: np.random.Generator) -> Pose:
    """Where card `index` of a row of up to `total` lies, seen by its owner from left to right."""
    w, h = deck.size_mm
    a = (index - (total - 1) / 2) * (w + 9) + rng.normal(0, 1.2)
    edge = (
        {"south": REGION_MM[1], "north": REGION_MM[1], "west": REGION_MM[0]}[seat] / 2 - h / 2 - 14 + rng.normal(0, 1.5)
    )
    c, s = np.cos(_FACING[seat]), np.sin(_FACING[seat])
    return float(a * c - edge * s), float(a * s + edge * c), float(_FACING[seat] + np.radians(rng.normal(0, 2)))


def plan_round(
    rng: np.random.Generator,
    deck: DeckArt,
    free: list[str],
    caller: str,
    lengths: dict[str, int],
    slip: tuple[str, int],
    values: list[int],
) -> RoundPlan:
    """Rows that fit, but for one card: the seat and the place where it goes wrong."""
    rows = {}
    for seat, length in lengths.items():
        row = [free.pop(int(rng.integers(len(free))))]
        while len(row) < length:
            need = deck.leader(row[-1])
            wrong = slip == (seat, len(row))
            fits = [i for i, f in enumerate(free) if (deck.face(f)["center"] == need) != wrong]
            row.append(free.pop(int(rng.choice(fits))))
        rows[seat] = row
    start = {seat: max(1, n - 3) if seat == caller else max(1, n - 2) for seat, n in lengths.items()}
    left = [seat for seat, n in lengths.items() for _ in range(n - start[seat])]
    turns = [seat for seat in left if seat != caller]
    for k in range(left.count(caller)):
        turns.insert(min(len(turns), 2 * k), caller)
    turns.remove(caller)
    return RoundPlan(rows, start, [*turns, caller], caller, values)


def film_round(film: Film, deck: DeckArt, plan: RoundPlan, pool: list[str], surface: NDArray[np.float32]) -> None:
    """Draw one round from its start cards to the call."""
    rng = film.rng
    table = Table.start(rng, film.view, surface, scale=1, warp_surface=False)
    radius = float(deck.data.get("corner_radius_mm", 3))

    def lay(face: str, pose: Pose) -> None:
        table.lay(face, deck.pictures[face], deck.size_mm, pose, radius, shadow=(1.2, 1.5, 0.35))

    for face in pool:
        lay(face, (float(rng.normal(35, 75)), float(rng.normal(0, 24)), float(rng.uniform(0, 2 * np.pi))))
    values = {f["value"]: f["id"] for f in deck.data["scoring_cards"]["faces"]}
    for i, value in enumerate(plan.values):
        lay(values[value], (REGION_MM[0] / 2 - 45.0 - 66 * i, float(rng.normal(0, 2)), float(rng.normal(0, 0.03))))
    laid = dict.fromkeys(plan.rows, 0)
    for seat, n in plan.at_start.items():
        for _ in range(n):
            lay(plan.rows[seat][laid[seat]], place(deck, seat, laid[seat], 6 if seat != "west" else 4, rng))
            laid[seat] += 1
    for _ in range(2 * FPS):
        film.show(table)
    film.say(do="deal", values=plan.values)
    for _ in range(FPS):
        film.show(table)
    film.say(do="start")
    for seat in plan.turns:
        pose = place(deck, seat, laid[seat], 6 if seat != "west" else 4, rng)
        arm = _ARM[seat] + 0.12
        away = np.array([np.cos(arm), np.sin(arm)])
        target = np.array(pose[:2])
        reach = np.array([35.0, 0.0]) + rng.normal(0, 20, 2)
        path = [target + away * 260, reach, reach, target, target, target + away * 260]
        for k in range(12):
            t = k / 11 * (len(path) - 1)
            i = min(int(t), len(path) - 2)
            tip = path[i] * (1 - (t - i)) + path[i + 1] * (t - i)
            if k == 7:
                lay(plan.rows[seat][laid[seat]], pose)
                laid[seat] += 1
            film.show(table, seat, (float(tip[0]), float(tip[1])))
        for _ in range(7):
            film.show(table)
    film.say(do="call", seat=plan.caller)
    for _ in range(7 * FPS):
        film.show(table)
    film.say(do="confirm")
    for _ in range(3 * FPS):
        film.show(table)


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--deck", type=pathlib.Path, required=True)
    o = a.parse_args()
    rng = np.random.default_rng(20)
    deck = DeckArt.load(o.deck)
    o.out.mkdir(parents=True, exist_ok=True)
    view = framed_view(np.random.default_rng(4), REGION_MM, SIZE, 11.0, 64.0, -0.03)
    yy, xx = np.mgrid[-1:1:24j, -1:1:24j].astype(np.float32)
    light = (1.06 - 0.1 * xx - 0.06 * yy - 0.1 * (xx**2 + yy**2))[..., None].repeat(3, 2)
    sensor = Sensor(light=light, gain=(1.04, 1.0, 0.93), noise=0.5, blur=0.45, jpeg=100)
    surface = wood(np.random.default_rng(12), SIZE[1], SIZE[0])
    writer = cv2.VideoWriter(str(o.out / "rox.mp4"), cv2.VideoWriter_fourcc(*"mp4v"), FPS, SIZE)
    film = Film(view, sensor, rng, writer)
    free = [f["id"] for f in deck.data["faces"]]
    first = plan_round(rng, deck, free, "south", {"south": 6, "west": 3, "north": 5}, ("north", 3), [8, 4])
    pool = [free.pop(int(rng.integers(len(free)))) for _ in range(22)]
    everything = [f["id"] for f in deck.data["faces"]]
    film_round(film, deck, first, pool, surface)
    free = [f for f in everything if f not in pool]
    second = plan_round(rng, deck, free, "north", {"north": 6, "south": 5, "west": 4}, ("south", 4), [10, 3])
    film_round(film, deck, second, pool, surface)
    writer.release()
    script = {"players": PLAYERS, "loop_s": film.frames / FPS, "steps": film.steps}
    (o.out / "rox.json").write_text(json.dumps(script, indent=1) + "\n")
    truth = {"rounds": [{"rows": p.rows, "caller": p.caller, "values": p.values} for p in (first, second)]}
    (o.out / "rox-truth.json").write_text(json.dumps(truth, indent=1) + "\n")
    tqdm.write(f"{film.frames} frames, {(o.out / 'rox.mp4').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
