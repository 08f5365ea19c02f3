"""The decks that a table can play with: the bundled ones, one that was named, and the user's own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.deck import Deck
from scoring.errors import DeckError, RefereeError
from vision.scene import SceneModel
from webui.decks.here import NAMED, DeckChoice, OpenDeck, alike
from webui.paths import called, decks_folder, own_decks
from webui.sight.decks.art import DeckArt
from webui.sight.decks.folders import bundled_deck, model_of, read_deck

GONE = "This deck is not there any more."


class DeckShelf:
    """See `webui.decks.here.Decks`.

    Parameters
    ----------
    game
        Of which game the table begins.
    named
        The folder that the command line names, or None.
    own
        Where the user's own decks are.
    others
        Other games that may be played there.
    """

    def __init__(
        self,
        game: str,
        named: Path | None = None,
        own: Callable[[], Path] = decks_folder,
        others: Sequence[str] = (),
    ) -> None:
        self._game = game
        self._others = [other for other in others if other != game]
        self._own = own
        self._named = named
        self.first = ""
        """Key of the deck that the table begins with."""
        if named is not None:
            self.first = named.name if named.resolve().parent == own().resolve() else NAMED

    def choices(self) -> tuple[DeckChoice, ...]:
        """See `webui.decks.here.Decks`."""
        found = [DeckChoice("", read_deck(bundled_deck(self._game)).name, game=self._game)]
        if self.first == NAMED and self._named is not None:
            with contextlib.suppress(RefereeError):  # gone meanwhile: nothing to choose
                name = called(read_deck(self._named).name, self._game, self._named)
                found.append(DeckChoice(NAMED, name, game=self._game))
        found += self._own_of(self._game)
        for game in self._others:
            found.append(DeckChoice(f"/{game}", read_deck(bundled_deck(game)).name, game=game))
            found += self._own_of(game)
        return tuple(found)

    def _own_of(self, game: str) -> list[DeckChoice]:
        return [DeckChoice(key, name, own=True, game=game) for key, name in own_decks(game, self._own())]

    def folder(self, key: str) -> Path:
        """Where a deck is; raises RefereeError for one that is none of the choices."""
        if key == "":
            return bundled_deck(self._game)
        if key == NAMED and self._named is not None:
            return self._named
        if key[1:] in self._others and key.startswith("/"):
            return bundled_deck(key[1:])
        if key not in {c.key for game in (self._game, *self._others) for c in self._own_of(game)}:
            raise RefereeError(GONE)
        return self._own() / key

    def open(self, key: str) -> OpenDeck:
        """See `webui.decks.here.Decks`."""
        folder = self.folder(key)
        deck = read_deck(folder)
        if deck.game not in (self._game, *self._others):
            raise DeckError(str(folder), "game", f"this is a deck of {deck.game}; give one of {self._game}")
        return OpenDeck(key, deck, self._look(folder, deck.game))

    def of(self, deck: Deck) -> OpenDeck | None:
        """See `webui.decks.here.Decks`."""
        likely = []
        for choice in self.choices():
            if choice.game != deck.game:
                continue
            try:
                known = read_deck(self.folder(choice.key))
            except RefereeError:
                continue
            if alike(known, deck):
                likely.append((known != deck, choice.key))
        return self.open(min(likely)[1]) if likely else None

    def _look(self, folder: Path, game: str) -> SceneModel:
        return model_of(folder, game)


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
