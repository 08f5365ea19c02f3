"""The deck that lies on this table: which there are, which one it is, and laying another one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from scoring.deck import CactusDeck, Deck, RoxDeck
from scoring.errors import RefereeError
from scoring.play import Phase
from webui.log.database import StoreError
from webui.table.desk import Desk
from webui.table.requests import LayDeck, Outcome, Reply

log = logging.getLogger(__name__)

IN_PROGRESS = "A match with another deck is being played at this table: put it aside first."
NOT_THERE = "This table has not the deck of this match: start the referee with --deck and its folder."
NAMED = "/named"
"""Key of a deck that the command line names and that is none of the user's own: no folder has such a name."""
DEMONSTRATION = "The demonstration is played with its own deck."


@dataclass(frozen=True, slots=True)
class DeckChoice:
    """A deck that this table could play with.

    Parameters
    ----------
    key
        Names it here; empty for the one that comes with the program.
    name
        What it is called.
    own
        Whether it was learned from this user's copy.
    game
        Of which game.
    """

    key: str
    name: str
    own: bool = False
    game: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class OpenDeck:
    """A deck that was read: for the rules, and what the eye knows of it, which is passed on as it is."""

    key: str
    deck: Deck
    look: object


class Decks(Protocol):
    """The decks that this table can be played with. For any thread."""

    def choices(self) -> tuple[DeckChoice, ...]:
        """All that there are, the program's own first."""
        ...

    def open(self, key: str) -> OpenDeck:
        """Read one; raises RefereeError where it is gone or damaged."""
        ...

    def of(self, deck: Deck) -> OpenDeck | None:
        """The one with which a match was begun, or None where it is not there any more."""
        ...


class DeckHere:
    """The deck on this table. Changed in the runner's thread; for any thread to read.

    Parameters
    ----------
    deck
        The one of the start.
    key
        Its key among `decks`.
    decks
        What there is; None where the table keeps its deck.
    desk
        The match at this table.
    take_up
        Lets the eye know of another deck, and forget what it saw.
    """

    def __init__(
        self, deck: Deck, key: str, decks: Decks | None, desk: Desk, take_up: Callable[[object], None]
    ) -> None:
        self.deck = deck
        self.key = key
        self.version = 0
        """Grows whenever another one is laid."""
        self._decks = decks
        self._desk = desk
        self._take_up = take_up

    def choices(self) -> tuple[DeckChoice, ...]:
        """What this table could play with; empty where it keeps its deck."""
        return self._decks.choices() if self._decks is not None else ()

    def lay(self, request: LayDeck) -> Reply:
        """Play with another deck from now on; a match that is being played is put aside only where that is said."""
        if self._decks is None:
            return Reply(Outcome.REFUSED, message=DEMONSTRATION)
        new, current = self._decks.open(request.key), self._desk.current
        if current is not None and current.state.deck is not None and not alike(current.state.deck, new.deck):
            if current.state.phase is not Phase.FINISHED and not request.aside:
                return Reply(Outcome.REFUSED, current.record.id, current.seq, IN_PROGRESS)
            self._desk.put_aside()
        self._put(new)
        self._desk.note_deck(new.key)
        return Reply(Outcome.DONE)

    def games(self) -> set[str]:
        """The games that can be played here."""
        return {self.deck.game, *(c.game for c in self.choices())}

    def lay_noted(self) -> None:
        """Lay the deck that was chosen last for this game, where it is still there. Before the runner starts."""
        key, game = self._desk.noted_deck(), self.deck.game
        if self._decks is not None and key and any(c.key == key and c.game == game for c in self._decks.choices()):
            try:
                self._put(self._decks.open(key))
            except RefereeError as error:
                log.warning("%s", error)

    def is_of(self, match: str) -> bool:
        """Whether a match is played with the deck that lies here."""
        try:
            deck = self._desk.load(match).state.deck
        except (RefereeError, StoreError):
            return False
        return deck is not None and alike(deck, self.deck)

    def suit(self, deck: Deck) -> bool:
        """Bring the deck of a match here; tells whether it lies here now."""
        if self._decks is None or alike(deck, self.deck):
            return True
        found = self._decks.of(deck)
        if found is None:
            return False
        self._put(found)
        return True

    def _put(self, new: OpenDeck) -> None:
        self._take_up(new.look)
        if new.deck.game != self.deck.game:
            self._desk.play(new.deck.game)
        self.deck, self.key = new.deck, new.key
        self.version += 1


def alike(a: Deck, b: Deck) -> bool:
    """Whether two decks are one copy, perhaps corrected between: a match of either can be watched with the other."""
    return a == b or (a.game == b.game and a.name == b.name and _ids(a) == _ids(b))


def _ids(deck: Deck) -> frozenset[str]:
    if isinstance(deck, CactusDeck):
        return frozenset(deck.pieces)
    more = deck.scoring_cards if isinstance(deck, RoxDeck) else ()
    return frozenset((*deck.faces, *more))
