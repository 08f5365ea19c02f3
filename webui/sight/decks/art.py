"""Small pictures of a deck's faces, for the page."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import cv2

from scoring.deck import CactusDeck, Deck, RoxDeck
from scoring.errors import RefereeError
from vision.sources.photos import load_bytes
from vision.types import Rgb
from webui.sight.cameras.camera import jpeg


class DeckArt:
    """Small pictures of a deck's faces, made when they are first asked for. Only known ids have a file."""

    def __init__(self, folder: Path, deck: Deck, height_px: int = 368) -> None:
        self._files: dict[str, Path] = {}
        if not isinstance(deck, CactusDeck):  # its pieces are drawn from their outlines
            self._files |= {f.id: folder / f.image for f in deck.faces.values()}
        if isinstance(deck, RoxDeck):
            self._files |= {c.id: folder / c.image for c in deck.scoring_cards.values()}
        self._height_px = height_px
        self._made: dict[str, tuple[bytes, str] | None] = {}

    def has(self, face: str) -> bool:
        """Whether the deck has that face."""
        return face in self._files

    def card(self, face: str) -> tuple[bytes, str] | None:
        """A face's picture and its MIME type."""
        if face not in self._files:
            return None
        if face not in self._made:
            try:
                rgb = load_bytes(self._files[face].read_bytes(), face)
            except (OSError, RefereeError):
                self._made[face] = None
            else:
                width = round(rgb.shape[1] * self._height_px / rgb.shape[0])
                small = cv2.resize(rgb, (max(1, width), self._height_px), interpolation=cv2.INTER_AREA)
                self._made[face] = (jpeg(cast(Rgb, small), 10_000, 85), "image/jpeg")
        return self._made[face]
