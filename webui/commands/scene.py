"""What the commands share: the deck, the lens, the playing area, and one line of output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scoring.deck import Deck
from scoring.errors import DeckError, RefereeError
from scoring.events import OptionValue
from scoring.table import BOARD
from vision.live import Look, Observe, observe_any
from vision.scene import Observation, SceneModel
from vision.types import Failure
from webui.cli import complain
from webui.reports import Outline, Seen
from webui.sight.cameras.known_camera import KnownCameras, given_calibration, with_profile
from webui.sight.decks.folders import bundled_deck, model_of, read_deck
from webui.table.showing import PLAYING
from webui.telling import check_told


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A game's deck for the rules, what the eye knows before it looks, and the cameras whose calibration is kept."""

    deck: Deck
    model: SceneModel
    cameras: KnownCameras


def open_scene(args: argparse.Namespace) -> Scene:
    """Load what the arguments name.

    Raises
    ------
    RefereeError
        Where the game cannot be judged yet, or deck or calibration cannot be used.
    """
    check_told(args.game)
    folder = args.deck or bundled_deck(args.game)
    deck = read_deck(folder)
    if deck.game != args.game:
        raise DeckError(str(folder / "deck.json"), "game", f"this is a deck of {deck.game}; give one of {args.game}")
    cameras = KnownCameras(given_calibration(args.calibration))
    model = open_model(folder, args, deck.game)
    source = str(getattr(args, "source", None) or "")
    cameras.first = source
    told = cameras.line(source)
    if told:
        complain(told)
    return Scene(deck, with_profile(model, cameras.of(source)), cameras)


def open_model(folder: Path | None, args: argparse.Namespace, game: str = "") -> SceneModel:
    """What the eye knows: the deck's look, the lens, the playing area."""
    model = SceneModel() if folder is None else model_of(folder, game)
    area = np.array(args.area, np.float64) if args.area else None
    return with_profile(replace(model, area_px=area), given_calibration(args.calibration))


def check_game(game: str) -> None:
    """Raises RefereeError where the page cannot show a game that decks exist for."""
    if game not in PLAYING:
        raise RefereeError(f"{game}: not yet in this version of table-referee, which plays {', '.join(PLAYING)}")


def options_of(args: argparse.Namespace) -> dict[str, OptionValue]:
    """House rules that were given."""
    given: dict[str, OptionValue] = {}
    if args.min_row is not None:
        given["min_row"] = args.min_row
    if args.exact:
        given["exact"] = "on"
    return given


def observer() -> Observe:
    """The close look at a frame."""
    return observe_any


def quads_of(observation: Observation) -> dict[str, Outline]:
    """Outlines in pixels by placement key, the board's too."""
    pairs = zip(observation.table.placements, observation.detections, strict=True)
    quads: dict[str, Outline] = {p.key: d.quad_px for p, d in pairs}
    if observation.board is not None:
        quads[BOARD] = observation.board.quad_px
    return quads


def seen_in(observation: Observation | Failure) -> Seen | Failure:
    """One picture by itself."""
    if isinstance(observation, Failure):
        return observation
    return Seen(observation.table, quads_of(observation))


def seen_over_time(look: Look) -> Seen | Failure:
    """A picture as the eye understands it that has seen the ones before."""
    if look.failure is not None:
        return look.failure
    if look.settled is None:
        return Failure("nothing settled")
    quads: dict[str, Outline] = dict(look.settled.quads_px)
    if look.observation is not None and look.observation.board is not None:
        quads.setdefault(BOARD, look.observation.board.quad_px)
    return Seen(look.settled.table, quads, look.settled.overlooked)


def tell(line: Mapping[str, Any]) -> None:
    """One JSON object on standard output, at once: somebody may be waiting for it."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        # A file's name may be no text at all, or the terminal may lack a letter: JSON has a way to write both.
        text = json.dumps(line, allow_nan=False)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
