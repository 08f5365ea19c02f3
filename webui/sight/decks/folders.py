"""Deck folders as they lie on the disk: the bundled ones, the rules' half of one, and what its parts look like."""

from __future__ import annotations

from pathlib import Path

import calibration
from scoring.deck import Deck, parse_deck
from vision.cactus.cactus_set import load_cactus_set
from vision.deck import load_appearance
from vision.deck_file import read_json
from vision.scene import SceneModel


def bundled_deck(game: str) -> Path:
    """Folder of the printable deck that comes with the program."""
    return Path(calibration.__path__[0]) / "decks" / f"{game}-proxy"


def read_deck(folder: Path) -> Deck:
    """The rules' half of a deck folder; raises DeckError."""
    path = folder / "deck.json"
    return parse_deck(read_json(path), str(path))


def model_of(folder: Path, game: str) -> SceneModel:
    """What the cards or pieces of a deck folder look like; raises DeckError."""
    if game == "cactus":
        return SceneModel(cactus=load_cactus_set(folder))
    return SceneModel(load_appearance(folder))
