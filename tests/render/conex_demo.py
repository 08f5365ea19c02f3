"""The demonstration's recording of CONEX: a short game on a drawn table, and the script that goes with it.

    python -m tests.render.conex_demo webui/demo --deck calibration/decks/conex-proxy

Ada lays a die card and rolls the 2x star; Ben lays onto a +2 card but touches another, and puts it right; Ada doubles
her next card with the star. Hands come and go; pawns move when the points are agreed to.
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
from shapely.geometry import Polygon
from tqdm import tqdm

from tests.render.conex_game import Game, Trial
from tests.render.conex_geometry import BOARD, ConexArt
from tests.render.conex_scene import compose, lay_area
from tests.render.conex_stage import Stage
from tests.render.scene import Sensor, Table, hand, look_at
from tests.render.textures import noise

Json = dict[str, Any]

FPS = 10
SIZE = (1024, 576)
AREA = np.array([[-300.0, -165.0], [300.0, -165.0], [300.0, 165.0], [-300.0, 165.0]])
PLAYERS = {"south": "Ada", "west": "Ben"}
_PAWNS = {"south": "blue", "west": "green"}
_SKIN = {"south": (0.86, 0.64, 0.52), "west": (0.55, 0.38, 0.28)}
_SLEEVE = {"south": (0.15, 0.3, 0.55), "west": (0.62, 0.2, 0.2)}
_ARM = {"south": np.pi / 2 + 0.12, "west": np.pi + 0.1}
_AWAY = {"south": (0.0, 250.0), "west": (-380.0, 0.0)}
READ = 75
"""Frames for which a verdict can be read."""


class NoPlaceError(Exception):
    """The table has no place for the next move of the story."""


@dataclass(slots=True)
class Film:
    """Frames in the making."""

    art: ConexArt
    game: Game
    stage: Stage
    empty: Table
    writer: cv2.VideoWriter | None = None
    frames: int = 0
    steps: list[Json] = field(default_factory=list)
    told: list[Json] = field(default_factory=list)

    def settled(self) -> Table:
        """The table as it lies now, without a hand."""
        if self.writer is None:
            return self.empty
        table = copy.copy(self.empty)
        table.rgb, table.owner, table.cards = self.empty.rgb.copy(), self.empty.owner.copy(), []
        game = self.game
        compose(self.art, self.stage, table, game.lying(), game.pawns_standing(), game.stars_lying())
        return table

    def write(self, table: Table, count: int = 1) -> None:
        """Add a picture for so many frames; without a writer they are only counted."""
        self.frames += count
        if self.writer is None:
            return
        rgb, _ = table.finish(np.random.default_rng(0), self.stage.sensor)
        for _ in range(count):
            self.writer.write(rgb[..., ::-1])

    def still(self, count: int) -> None:
        """Nobody moves."""
        self.write(self.settled(), count)

    def reach(self, seat: str, stops: list[tuple[float, float]], changes: dict[int, Any]) -> None:
        """A hand comes, rests at each of the stops and goes; `changes` are made to the table at the stops."""
        away = np.array(_AWAY[seat])
        path = [np.array(stops[0]) + away]
        for stop in stops:
            path += [np.array(stop), np.array(stop)]
        path.append(np.array(stops[-1]) + away)
        table = self.settled()
        for leg in range(len(path) - 1):
            resting = leg % 2 == 1
            if resting and leg // 2 in changes:
                changes[leg // 2]()
                table = self.settled()
            for t in np.linspace(0, 1, 3 if resting else 5, endpoint=False):
                tip = path[leg] * (1 - t) + path[leg + 1] * t
                if self.writer is None:
                    self.frames += 1
                    continue
                frame = copy.copy(table)
                frame.rgb, frame.owner = table.rgb.copy(), table.owner.copy()
                hand(frame, (float(tip[0]), float(tip[1])), _ARM[seat], _SKIN[seat], _SLEEVE[seat], (10.0, 14.0))
                self.write(frame)

    def say(self, **step: Any) -> None:
        """Add a step of the script at this moment."""
        self.steps.append({"at_s": round(self.frames / FPS, 1), **step})

    def lay(self, seat: str, trial: Trial, star: bool = False) -> Json:
        """A card is laid by hand, with a star on it if there is one."""
        told: Json = {}

        def down() -> None:
            told.update(self.game.lay(trial))
            if star:
                self.game.star_on("2x", trial.fit.card)
                told["points"] *= 2

        at = trial.pose
        hold = (at[0] + 0.12 * _AWAY[seat][0], at[1] + 0.12 * _AWAY[seat][1])
        self.reach(seat, [hold], {0: down})
        self.told.append({"at_s": round(self.frames / FPS, 1), "seat": seat, "placement": told})
        return told

    def move_pawn(self, seat: str, points: int) -> None:
        """The pawn goes its way on the track."""
        color = _PAWNS[seat]
        before = next(p for p in self.game.pawns_standing() if p.color == color)
        goal = int(self.art.data["board"]["goal"])
        square = self.game.pawns[color][0] + points
        square -= goal if square > goal else 0
        track = np.array(self.art.data["board"]["track"][square]) - self.art.size(BOARD)[0] / 2
        after = reach_point(track, self.game.board)
        self.reach(seat, [(before.x, before.y), after], {1: lambda: self.game.stand(color, square)})


def reach_point(local: Any, pose: tuple[float, float, float]) -> tuple[float, float]:
    """A point of the board, from its middle, on the table."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return float(pose[0] + c * local[0] - s * local[1]), float(pose[1] + s * local[0] + c * local[1])


def _find(game: Game, kind: str, names: list[str], sign: str | None = None, clear_mm: float = 6.0) -> Trial:
    """A place for one of the cards, with room to spare, or clearly wrong."""
    for _ in range(12):
        trial = game.find(kind, names, sign, tries=2000)
        if trial is not None and (trial.tightest > clear_mm if kind == "legal" else trial.tightest < -clear_mm):
            return trial
    raise NoPlaceError(kind)


def play(film: Film) -> None:
    """The game."""
    game, art = film.game, film.art
    film.still(2 * FPS)
    film.say(do="begin")
    film.still(2 * FPS)

    dice = [n for n in game.free if art.faces[n]["symbol"] == "die"]
    told = film.lay("south", _find(game, "legal", dice))
    film.still(READ)
    film.say(do="confirm")
    film.still(FPS)
    film.say(do="roll", face="2x")
    film.move_pawn("south", told["points"])
    star = game.stars["2x"][1]
    film.reach("south", [(star[0], star[1])], {0: lambda: game.stars.pop("2x")})
    film.still(FPS)

    wrong = _find(game, "contact", _plain(game), "plus2")
    film.lay("west", wrong)
    film.still(5 * FPS)
    name = wrong.fit.card
    lifted = game.laid[name]
    game.take(name)
    right = _find(game, "legal", [name], "plus2")
    game.laid[name] = lifted
    game.free.remove(name)

    relaid: Json = {}

    def again() -> None:
        relaid.update(game.lay(right))

    hold = [(p[0] - 30, p[1]) for p in (wrong.pose, right.pose)]
    film.reach("west", hold, {0: lambda: game.take(name), 1: again})
    at_s = round(film.frames / FPS, 1)
    film.told.append({"at_s": at_s, "seat": "west", "placement": relaid, "removed": [name]})
    film.still(READ)
    film.say(do="confirm")
    film.move_pawn("west", relaid["points"])
    film.still(FPS)

    told = film.lay("south", _find(game, "legal", _plain(game)), star=True)
    film.still(READ)
    film.say(do="confirm")
    film.move_pawn("south", told["points"])
    film.still(FPS)
    film.say(do="finish")
    film.still(3 * FPS)


def _plain(game: Game) -> list[str]:
    return [n for n in game.free if game.art.faces[n]["symbol"] is None]


def open_film(art: ConexArt, seed: int) -> Film:
    """The table at the start: the board with its pawns, three cards, both stars."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[-1:1:24j, -1:1:24j].astype(np.float32)
    light = (1.06 - 0.1 * xx - 0.06 * yy - 0.1 * (xx**2 + yy**2))[..., None].repeat(3, 2)
    sensor = Sensor(light=light, gain=(1.04, 1.0, 0.93), noise=0.0, blur=0.45, jpeg=100)
    # a calm table: every few frames the whole picture is stored anew
    felt = noise(np.random.default_rng(12), SIZE[1], SIZE[0], 300, 2)[..., None] * 0.02 + 1
    surface = (np.array([0.36, 0.46, 0.5]) * felt).astype(np.float32)
    stage = Stage(surface, None, None, AREA, None, (0.5, 0.7), 0.3, 0.35, (), 0.0, 0.0, sensor, None, 0)
    view = look_at(SIZE, 60.0, 560.0, 12.0, 4.0, 1.0, (0.0, 6.0), -0.03, 0.0009)
    corners = np.array([[6, 6], [SIZE[0] - 7, 6], [SIZE[0] - 7, SIZE[1] - 7], [6, SIZE[1] - 7]], float)
    game = Game(rng, art, AREA, (-10.0, 4.0, 0.14), [], Polygon(view.table_points(corners)))
    game.free = list(art.faces)
    rng.shuffle(game.free)
    for color in _PAWNS.values():
        game.stand(color, 0)  # nobody has points yet
    plus = [n for n in game.free if art.faces[n]["symbol"] == "plus2"]
    game.lay(_find(game, "legal", plus))
    for _ in range(2):
        game.lay(_find(game, "legal", _plain(game)))
    for kind in ("2x", "lightning"):
        game.star_beside(kind)
    return Film(art, game, stage, lay_area(rng, stage, view, 1))


def playable(art: ConexArt, seed: int) -> int:
    """The first seed from this one on with which the whole story finds its places."""
    while True:
        try:
            play(open_film(art, seed))
        except NoPlaceError:
            seed += 1
        else:
            return seed


def main() -> None:
    """Draw the film and write its script."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--deck", type=pathlib.Path, required=True)
    a.add_argument("--seed", type=int, default=3)
    o = a.parse_args()
    art = ConexArt.load(o.deck)
    film = open_film(art, playable(art, o.seed))
    o.out.mkdir(parents=True, exist_ok=True)
    film.writer = cv2.VideoWriter(str(o.out / "conex.mp4"), cv2.VideoWriter_fourcc(*"mp4v"), FPS, SIZE)
    play(film)
    film.writer.release()
    script = {"players": PLAYERS, "pawns": _PAWNS, "loop_s": film.frames / FPS, "steps": film.steps}
    (o.out / "conex.json").write_text(json.dumps(script, indent=1) + "\n")
    (o.out / "conex-truth.json").write_text(json.dumps({"moves": film.told}, indent=1) + "\n")
    tqdm.write(f"{film.frames} frames, {(o.out / 'conex.mp4').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
