"""Decks that the tests of the eye share: drawn once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.decks.draw import ensure_deck
from tests.render.conex_geometry import ConexArt
from tests.render.rox_table import DeckArt
from tests.vision.plain_photo import PlainPhoto, photograph
from vision.deck import DeckAppearance, load_appearance


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a small Rox deck: 60 faces, 15 scoring cards, a back."""
    return ensure_deck(tmp_path_factory.mktemp("drawn"), "small", 4.0)


@pytest.fixture(scope="session")
def small(small_folder: Path) -> DeckAppearance:
    """What the small deck looks like."""
    return load_appearance(small_folder)


@pytest.fixture(scope="session")
def small_art(small_folder: Path) -> DeckArt:
    """The small deck's pictures, to draw tables with."""
    return DeckArt.load(small_folder)


BUNDLED = Path(__file__).parents[2] / "calibration" / "decks" / "rox-proxy"


@pytest.fixture(scope="session")
def bundled() -> DeckAppearance:
    """What the bundled deck looks like."""
    return load_appearance(BUNDLED)


@pytest.fixture(scope="session")
def bundled_art() -> DeckArt:
    """The bundled deck's pictures."""
    return DeckArt.load(BUNDLED)


CONEX = BUNDLED.parent / "conex-proxy"


@pytest.fixture(scope="session")
def conex() -> DeckAppearance:
    """What the bundled CONEX deck looks like."""
    return load_appearance(CONEX)


@pytest.fixture(scope="session")
def conex_art() -> ConexArt:
    """Its pictures."""
    return ConexArt.load(CONEX)


@pytest.fixture(scope="session")
def game(conex_art: ConexArt) -> PlainPhoto:
    """A table of eight cards with a board, in layers."""
    return photograph(conex_art)
