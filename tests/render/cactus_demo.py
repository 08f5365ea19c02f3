"""The demonstration's recording of Cactus: seven turns before a drawn camera, and the script that goes with them.

    python -m tests.render.cactus_demo webui/demo --deck calibration/decks/cactus-proxy --stills sample_images

Ada hangs the first piece; colour, shape and a special piece follow; Ben's piece touches another of its colour and he
puts it right, which earns a flower; Ada's last piece knocks another down. Hands come and go. Stills of the last four
settled tables can be kept with their truth, as sample photos.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tests.render.cactus_game import Game, SetArt
from tests.render.cactus_geometry import in_view
from tests.render.cactus_light import Lamp
from tests.render.cactus_play import Match
from tests.render.cactus_room import Room, front_view, furnish
from tests.render.cactus_scene import Canvas
from tests.render.cactus_supply import lying_at
from tests.render.cactus_table import draw
from tests.render.cactus_truth import truth_of
from tests.render.scene import Array, Sensor
from tests.render.textures import noise, wood

Json = dict[str, Any]
Rgb = NDArray[np.uint8]

FPS = 10
SIZE = (1280, 720)
PLAYERS = {"1": "Ada", "2": "Ben"}
_SIDE = {"1": 1.0, "2": -1.0}
_SKIN = {"1": (226, 176, 146), "2": (150, 104, 78)}
_SLEEVE = {"1": (48, 84, 150), "2": (160, 62, 58)}
_TOLD = ("cacti", "pieces", "contacts", "placed", "moved", "fallen", "violations", "claims", "penalties")
_KEPT = {
    "cacti": ("id", "base"),
    "pieces": ("id", "color", "shape", "special", "cactus", "outline", "visible"),
}
STILLS = 4
READ = 72
"""Frames for which a verdict can be read."""
_REACH = 7
_REST = 4


class NoPlaceError(Exception):
    """The cacti have no place for the next move of the story."""


@dataclass(slots=True)
class Film:
    """Frames in the making; without a writer they are only counted."""

    match: Match
    room: Room
    empty: Canvas | None = None
    writer: cv2.VideoWriter | None = None
    frames: int = 0
    steps: list[Json] = field(default_factory=list)
    told: list[Json] = field(default_factory=list)
    picture: Rgb | None = None
    shares: dict[str, float] = field(default_factory=dict)
    stills: list[tuple[Rgb, Json]] = field(default_factory=list)

    def settle(self) -> None:
        """The table has changed: it is drawn anew."""
        if self.writer is None or self.empty is None:
            return
        sensor = Sensor(None, None, (1.02, 1.0, 0.96), 1.0, 0.4, 0.0, 0.0, 100)
        light = np.random.default_rng(5)
        self.picture, self.shares = draw(light, self.match, self.empty, self.room, sensor, (0.82, 0.0))

    def still(self, count: int) -> None:
        """Nobody moves."""
        self.frames += count
        if self.writer is not None and self.picture is not None:
            for _ in range(count):
                self.writer.write(self.picture[..., ::-1])

    def reach(self, seat: str, at_px: list[Array], changes: list[Any]) -> None:
        """A hand comes from the side of a player, rests at each place while something changes there, and goes."""
        away = np.array([_SIDE[seat] * 760.0, 240.0])
        stops = [at_px[0] + away, *at_px, at_px[-1] + away]
        for k in range(len(stops) - 1):
            for t in np.linspace(0, 1, _REACH, endpoint=False):
                self._hand(seat, stops[k] * (1 - t) + stops[k + 1] * t)
            if k < len(changes):
                self._hand(seat, stops[k + 1])
                changes[k]()
                self.settle()
                for _ in range(_REST):
                    self._hand(seat, stops[k + 1])

    def _hand(self, seat: str, tip: Array) -> None:
        self.frames += 1
        if self.writer is not None and self.picture is not None:
            self.writer.write(with_hand(self.picture, tip, _SIDE[seat], _SKIN[seat], _SLEEVE[seat])[..., ::-1])

    def say(self, **step: Any) -> None:
        """Add a step of the script at this moment."""
        self.steps.append({"at_s": round(self.frames / FPS, 1), **step})

    def tell(self, **what: Any) -> None:
        """Add to the truth of the film what now hangs."""
        if self.picture is not None:
            truth = truth_of(self.match, self.match.view, self.shares)
            told = {k: truth[k] for k in _TOLD}
            for key, kept in _KEPT.items():
                told[key] = [{k: thing[k] for k in kept} for thing in told[key]]
            self.stills.append((self.picture, told))
        hung = {h.name: h.cactus for h in self.match.game.hung.values()}
        self.told.append({"at_s": round(self.frames / FPS, 1), **what, "hung": hung})

    def place_px(self, name: str) -> Array:
        """Where a hung piece is in the picture."""
        return np.asarray(self.match.view.project(self.match.game.plate(name).shown()).mean(0))


def with_hand(picture: Rgb, tip: Array, side: float, skin: tuple[int, int, int], sleeve: tuple[int, int, int]) -> Rgb:
    """A hand with an arm that comes from one side, its finger tips at `tip` (px)."""
    h, w = picture.shape[:2]
    mask = np.zeros((h, w), np.uint8)
    cloth = np.zeros((h, w), np.uint8)

    def at(along: float, across: float) -> tuple[int, int]:
        # the arm rises towards its hand
        x = tip[0] + side * (along * 0.94 - across * 0.33)
        return round(x), round(tip[1] + along * 0.33 + across * 0.94)

    for start, end, thick in (((6, -9), (52, -12), 15), ((0, 6), (50, 4), 16), ((10, 21), (52, 20), 15)):
        cv2.line(mask, at(*start), at(*end), 255, thick, cv2.LINE_AA)
    cv2.ellipse(
        mask, at(78, 6), (46, 34), float(np.degrees(np.arctan2(0.33, 0.94)) * side), 0, 360, 255, -1, cv2.LINE_AA
    )
    cv2.line(mask, at(90, 8), at(190, 16), 255, 52, cv2.LINE_AA)
    cv2.line(cloth, at(180, 16), at(1600, 40), 255, 78, cv2.LINE_AA)
    out = picture.astype(np.float32)
    for shape, tone in ((mask, skin), (cloth, sleeve)):
        deep = cv2.distanceTransform(np.where(shape > 127, 255, 0).astype(np.uint8), cv2.DIST_L2, 3)
        round_ = 0.62 + 0.38 * np.clip(deep / 24, 0, 1) ** 0.5
        alpha = cv2.GaussianBlur(shape, (0, 0), 1.2).astype(np.float32)[..., None] / 255
        out = out * (1 - alpha) + np.array(tone, np.float32) * round_[..., None] * alpha
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def _hang(film: Film, seat: str, name: str, cactus: str, event: str = "legal", knock: str | None = None) -> None:
    """A hand hangs a piece; one that it knocks falls before the cactus."""
    match = film.match
    game = match.game
    fallen = None
    if knock is not None:
        fallen = game.hung.pop(knock)
    local = _place(match, event, name, cactus)
    if fallen is not None:
        game.hung[fallen.name] = fallen

    def up() -> None:
        if fallen is not None:
            del game.hung[fallen.name]
            foot = game.cacti[cactus]
            spot = (float(foot[0, 3]) + 12, float(foot[1, 3]) - 30, 0.6)
            match.fallen[fallen.name] = lying_at(game.art, fallen.name, spot, False, list(match.supply.values()))
        match.hang(name, cactus, local)
        match.placed, match.moved, match.fell = name, [], [knock] if knock else []
        match.claims = [] if knock else match.claims

    middle = match.view.project(game.placed(name, cactus, local).shown()).mean(0)
    film.reach(seat, [np.asarray(middle)], [up])
    film.tell(seat=seat, placed=name, cactus=cactus, fallen=[knock] if knock else [])


def _place(match: Match, event: str, name: str, cactus: str) -> Array:
    """Where the piece hangs; two that touch do so edge to edge, for all to see."""
    for _ in range(60):
        local = match.find(event, name, cactus, 400)
        if local is None:
            break
        plate = match.game.placed(name, cactus, local)
        alike = [match.game.plate(n) for n, _, _ in match.game.alike(name, cactus, plate)]
        if event == "legal" or not any(in_view(plate, other, match.view)[1] for other in alike):
            return local
    raise NoPlaceError(name)


def _mend(film: Film, seat: str, name: str) -> None:
    """The piece is taken off again and hung where it touches nothing of its kind."""
    match = film.match
    old = match.game.hung.pop(name)
    local = _place(match, "legal", name, old.cactus)
    match.game.hung[name] = old

    def again() -> None:
        match.game.hung[name].local = local
        match.placed, match.moved, match.claims = None, [name], []

    before = film.place_px(name)
    after = match.view.project(match.game.placed(name, old.cactus, local).shown()).mean(0)
    film.reach(seat, [before, np.asarray(after)], [lambda: None, again])
    film.tell(seat=seat, moved=name, cactus=old.cactus, fallen=[])


def play(film: Film) -> None:
    """The seven turns."""
    art = film.match.game.art
    cacti = list(film.match.game.cacti)

    def basic(color: str, shape: str) -> str:
        return next(n for n in art.basics if (art.facts[n]["color"], art.facts[n]["shape"]) == (color, shape))

    shapes = list(dict.fromkeys(art.facts[n]["shape"] for n in art.basics))
    special = art.specials[0]
    tone = art.facts[special]["color"]
    first, second = [c for c in art.data["colors"] if c != tone][:2]
    film.settle()
    film.still(2 * FPS)
    film.say(do="begin")
    film.still(2 * FPS)
    story: list[tuple[str | None, str, str]] = [
        (None, basic(first, shapes[0]), "legal"),
        ("color", basic(first, shapes[1]), "legal"),
        ("shape", basic(second, shapes[1]), "legal"),
        ("special", special, "legal"),
        ("color", basic(tone, shapes[2]), "legal"),
        ("shape", basic(first, shapes[2]), "touch-color"),
        ("color", basic(first, shapes[3]), "legal"),
    ]
    for turn, (face, name, event) in enumerate(story):
        seat = str(turn % 2 + 1)
        if face is not None:
            film.say(do="roll", face=face)
            film.still(3 * FPS)
        knock = story[1][1] if turn == 6 else None
        _hang(film, seat, name, cacti[turn % 5], event, knock)
        if event != "legal":
            film.still(6 * FPS)
            _mend(film, seat, name)
        film.still(READ)
        film.say(do="confirm")
        film.still(FPS)
    film.say(do="finish", early=True)
    film.still(3 * FPS)


def open_film(art: SetArt, seed: int) -> Film:
    """Bare cacti in a slight arc, the supply before them, special pieces in a row from the left."""
    cacti = {}
    height = float(art.data["base"]["height_mm"])
    for i, c in enumerate(art.data["cacti"]):
        u = i - 2
        yaw = -0.06 * u
        s, t = np.sin(yaw), np.cos(yaw)
        cacti[c["id"]] = np.array([[t, 0, s, 92.0 * u], [s, 0, -t, -8.0 * u * u], [0, 1.0, 0, height]])
    view = front_view(SIZE, 2.55, 820.0, np.radians(13), 0.02, 0.004, np.array([0.0, 0.0, 44.0]), -0.01)
    match = Match(Game(np.random.default_rng(seed), art, cacti), view)
    for i, name in enumerate(art.specials):
        match.supply[name] = lying_at(art, name, (-190 + 42.0 * i, -84.0, 0.1 * (-1) ** i), False, [])
    for i, name in enumerate(art.basics):
        at = (-180 + 45.0 * (i % 9), -128 - 40.0 * (i // 9), 0.5 * ((i * 7) % 11 - 5))
        match.supply[name] = lying_at(art, name, at, False, [])
    rng = np.random.default_rng(2)
    wall = np.asarray(np.array([0.72, 0.74, 0.7]) + 0.012 * noise(rng, 500, 900, 200, 2)[..., None], np.float32)
    table = np.asarray(cv2.GaussianBlur(wood(np.random.default_rng(9), 900, 1200), (0, 0), 1.2), np.float32)
    room = Room(table, wall, 260.0, None, np.array([0.5, 0.34, 0.2]), np.array([0.55, 0.4, 0.26]))
    return Film(match, room)


def light(film: Film) -> Canvas:
    """The empty room under two lamps."""
    aim = np.array([0.0, 60.0, 40.0])
    lamps = [
        Lamp(np.array([-700.0, -700, 1000]), 80.0, np.array([0.62, 0.58, 0.5]), aim, 620.0),
        Lamp(np.array([800.0, -500, 700]), 90.0, np.array([0.26, 0.27, 0.28]), aim, 620.0),
    ]
    empty = Canvas.start(np.random.default_rng(1), film.match.view, lamps, np.array([0.5, 0.5, 0.5]))
    furnish(np.random.default_rng(8), empty, film.room)
    return empty


def playable(art: SetArt, seed: int) -> int:
    """The first seed from this one on with which the whole story finds its places."""
    while True:
        try:
            play(open_film(art, seed))
        except NoPlaceError:
            seed += 1
        else:
            return seed


def keep(film: Film, folder: pathlib.Path) -> None:
    """Write the last settled tables as photos, and their truth as one label."""
    photos = []
    for i, (picture, truth) in enumerate(film.stills[-STILLS:]):
        name = f"cactus-with-a-fall-{i + 1}.jpg"
        cv2.imwrite(str(folder / name), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])
        # the first photo of a sequence has none before it
        fresh = {"placed": None, "moved": [], "fallen": [], "violations": [], "claims": [], "penalties": []}
        photos.append({"photo": name, **truth, **(fresh if i == 0 else {})})
    label = {"deck": "cactus-proxy", "game": "cactus", "size": list(SIZE), "photos": photos}
    (folder / "cactus-with-a-fall.json").write_text(json.dumps(label) + "\n")


def main() -> None:
    """Draw the film and write its script."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--deck", type=pathlib.Path, required=True)
    a.add_argument("--seed", type=int, default=3)
    a.add_argument("--stills", type=pathlib.Path, help="keep sample photos there, with their truth")
    o = a.parse_args()
    art = SetArt.load(o.deck)
    film = open_film(art, playable(art, o.seed))
    o.out.mkdir(parents=True, exist_ok=True)
    film.empty = light(film)
    film.writer = cv2.VideoWriter(str(o.out / "cactus.mp4"), cv2.VideoWriter_fourcc(*"mp4v"), FPS, SIZE)
    play(film)
    film.writer.release()
    script = {"players": PLAYERS, "loop_s": film.frames / FPS, "steps": film.steps}
    (o.out / "cactus.json").write_text(json.dumps(script, indent=1) + "\n")
    (o.out / "cactus-truth.json").write_text(json.dumps({"moves": film.told}, indent=1) + "\n")
    if o.stills is not None:
        keep(film, o.stills)
    tqdm.write(f"{film.frames} frames, {(o.out / 'cactus.mp4').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
