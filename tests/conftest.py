"""What tests of several rooms share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import vision.deck
from vision.deck import DeckAppearance, load_appearance

ROOT = Path(__file__).parents[1]


@cache
def _read_once(folder: Path) -> DeckAppearance:
    return load_appearance(folder)


def _remembered(folder: Path) -> DeckAppearance:
    """As `load_appearance`. A deck of the repository never changes: its pictures, a second's work, are read once."""
    here = folder.resolve()
    return _read_once(here) if here.is_relative_to(ROOT) else load_appearance(folder)


# Before any other module takes the name over.
vision.deck.load_appearance = _remembered

from tests import colour_eye  # noqa: E402


@pytest.fixture(scope="session")
def colour_deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the deck that `colour_eye` knows."""
    return colour_eye.write_deck(tmp_path_factory.mktemp("decks") / "colours")
