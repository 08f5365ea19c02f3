"""What tests of several rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import colour_eye


@pytest.fixture(scope="session")
def colour_deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the deck that `colour_eye` knows."""
    return colour_eye.write_deck(tmp_path_factory.mktemp("decks") / "colours")
