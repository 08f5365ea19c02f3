"""What tests of several rooms share."""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path

import pytest

BESIDE_OTHERS = "PYTEST_XDIST_WORKER" in os.environ
"""Other processes run tests beside this one, one a core: threads would only take each other's core away."""

if BESIDE_OTHERS:  # before numpy is imported, which makes its threads then
    os.environ["OMP_NUM_THREADS"] = "1"

import cv2  # noqa: E402

import vision.deck  # noqa: E402
import vision.network  # noqa: E402
from vision.deck import DeckAppearance, load_appearance  # noqa: E402

if BESIDE_OTHERS:
    cv2.setNumThreads(1)
    # Before any other module takes the name over.
    vision.network.session = partial(vision.network.session, threads=1)

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
