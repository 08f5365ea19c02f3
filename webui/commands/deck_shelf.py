"""The decks that a table of a game can play with: the bundled one, one that was named, and the user's own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from scoring.deck import Deck
from scoring.errors import DeckError, RefereeError
from vision.types import SceneModel
from webui.commands.deck_art import DeckArt
from webui.commands.scene import bundled_deck, model_of, read_deck
from webui.decks import DeckChoice, OpenDeck, alike
from webui.paths import decks_folder, own_decks

NAMED = "/named"
"""Key of a deck that the command line names and that is none of the user's own: no folder has such a name."""
GONE = "This deck is not there any more."


class DeckShelf:
    """See `webui.decks.Decks`.

    Parameters
    ----------
    game
        Of which game.
    named
        The folder that the command line names, or None.
    own
        Where the user's own decks are.
    """

    def __init__(self, game: str, named: Path | None = None, own: Callable[[], Path] = decks_folder) -> None:
        self._game = game
        self._own = own
        self._named = named
        self.first = ""
        """Key of the deck that the table begins with."""
        if named is not None:
            self.first = named.name if named.resolve().parent == own().resolve() else NAMED

    def choices(self) -> tuple[DeckChoice, ...]:
        """See `webui.decks.Decks`."""
        found = [DeckChoice("", read_deck(bundled_deck(self._game)).name)]
        if self.first == NAMED and self._named is not None:
            with contextlib.suppress(RefereeError):  # gone meanwhile: nothing to choose
                found.append(DeckChoice(NAMED, read_deck(self._named).name))
        return (*found, *(DeckChoice(key, name, own=True) for key, name in own_decks(self._game, self._own())))

    def folder(self, key: str) -> Path:
        """Where a deck is; raises RefereeError for one that is none of the choices."""
        if key == "":
            return bundled_deck(self._game)
        if key == NAMED and self._named is not None:
            return self._named
        if key not in {k for k, _ in own_decks(self._game, self._own())}:
            raise RefereeError(GONE)
        return self._own() / key

    def open(self, key: str) -> OpenDeck:
        """See `webui.decks.Decks`."""
        folder = self.folder(key)
        deck, look = read_deck(folder), self._look(folder)
        if deck.game != self._game:
            raise DeckError(str(folder), "game", f"this is a deck of {deck.game}; give one of {self._game}")
        return OpenDeck(key, deck, look)

    def of(self, deck: Deck) -> OpenDeck | None:
        """See `webui.decks.Decks`."""
        likely = []
        for choice in self.choices():
            try:
                known = read_deck(self.folder(choice.key))
            except RefereeError:
                continue
            if alike(known, deck):
                likely.append((known != deck, choice.key))
        return self.open(min(likely)[1]) if likely else None

    def _look(self, folder: Path) -> SceneModel:
        return model_of(folder, self._game)


class TableArt:
    """Pictures of the deck that lies on the table; see `webui.services.Art`.

    Parameters
    ----------
    shelf
        Where decks are.
    here
        The deck on the table: its key, how often one was laid, and its rules.
    """

    def __init__(self, shelf: DeckShelf, here: Callable[[], tuple[str, int, Deck]]) -> None:
        self._shelf = shelf
        self._here = here
        self._made: tuple[int, DeckArt] | None = None

    def has(self, face: str) -> bool:
        """Whether the deck has that face."""
        return self._art().has(face)

    def card(self, face: str) -> tuple[bytes, str] | None:
        """A face's picture and its MIME type."""
        return self._art().card(face)

    def _art(self) -> DeckArt:
        key, version, deck = self._here()
        made = self._made
        if made is None or made[0] != version:
            made = self._made = version, DeckArt(self._shelf.folder(key), deck)
        return made[1]
