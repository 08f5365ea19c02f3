"""The state of a Rox match, and what can be said about it and what cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from scoring.events import DealtCard, Player, ScoringSource
from scoring.games.rox import ROW_CARDS, SEATS, RoxOptions
from scoring.moves import Declaration, DeclaredAwards, DeclaredCaller, DeclaredFace, DeclaredLink, DeclaredRow
from scoring.seats import check_seat, taken
from scoring.table import TableState
from scoring.verdicts import Call, Ruling, RulingStatus


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round.

    Parameters
    ----------
    number
        From 1.
    dealt
        Its scoring cards.
    started
        Whether the race has begun.
    caller
        The seat that ended it, or None.
    table
        The settled table that is judged, or None.
    evidence
        Where the picture of that table is kept.
    declarations
        What people stated, in order.
    ruling
        The ruling in force, or None.
    versions
        Earlier rulings of this round, oldest first, all overruled.
    confirmed
        Whether the round counts.
    agreed
        Whether people stated the scoring cards after the table was judged: its picture asks about them no more.
    """

    number: int
    dealt: tuple[DealtCard, ...] = ()
    started: bool = False
    caller: str | None = None
    table: TableState | None = None
    evidence: str = ""
    declarations: tuple[Declaration, ...] = ()
    ruling: Ruling | None = None
    versions: tuple[Ruling, ...] = ()
    confirmed: bool = False
    agreed: bool = False

    @property
    def ender(self) -> str | None:
        """The seat that ended the round, as last stated."""
        stated = [d.seat for d in self.declarations if isinstance(d, DeclaredCaller)]
        return stated[-1] if stated else self.caller

    def ruled(self, ruling: Ruling) -> RoundRecord:
        """The round with a new ruling; the one before it is kept as overruled."""
        older = () if self.ruling is None else (replace(self.ruling, status=RulingStatus.OVERRULED),)
        return replace(self, ruling=ruling, versions=(*self.versions, *older))


@dataclass(frozen=True, slots=True)
class RoxPlay:
    """A Rox match as it stands."""

    players: tuple[Player, ...]
    options: RoxOptions
    deck: RoxDeck
    scoring: ScoringSource
    rounds: tuple[RoundRecord, ...] = ()
    finished: bool = False
    early: bool = False

    @property
    def seats(self) -> tuple[str, ...]:
        """Taken seats, clockwise from south."""
        return taken(SEATS, self.players)


def check_deal(play: RoxPlay, cards: tuple[DealtCard, ...], number: int) -> tuple[DealtCard, ...]:
    """The dealt cards with their values; scoring cards of earlier rounds are gone for good."""
    need = len(play.players) - 1
    if len(cards) != need:
        raise RefereeError(
            f"{len(play.players)} players play for {need} scoring card{'s' if need > 1 else ''} a round, "
            f"not for {len(cards)}."
        )
    known = play.deck.scoring_cards
    for card in cards:
        if card.id is not None and (card.id not in known or known[card.id].value != card.value):
            raise RefereeError(f"This deck has no scoring card {card.id} with {card.value} points.")
        if card.value < 0:
            raise RefereeError(f"A scoring card cannot have {card.value} points.")
    for earlier in play.rounds:
        ids = {c.id for c in earlier.dealt if c.id is not None}
        again = next((c.id for c in cards if c.id in ids), None)
        if earlier.number != number and again is not None:
            raise RefereeError(f"Scoring card {again} was already dealt in round {earlier.number}.")
    ids_now = [c.id for c in cards if c.id is not None]
    if len(set(ids_now)) != len(ids_now):
        raise RefereeError("The same scoring card was named twice.")
    if known:
        stock = Counter(c.value for c in known.values())
        gone = Counter(c.value for r in play.rounds if r.number != number for c in r.dealt)
        for value, count in Counter(c.value for c in cards).items():
            if count + gone[value] > stock[value]:
                raise RefereeError(
                    f"This deck has {stock[value]} scoring card{'' if stock[value] == 1 else 's'} with {value} points, "
                    f"and {gone[value]} of them {'was' if gone[value] == 1 else 'were'} dealt before."
                )
    return tuple(cards)


def check_declaration(play: RoxPlay, record: RoundRecord, what: Declaration) -> None:
    keys = {p.key for p in record.table.placements} if record.table is not None else set()
    match what:
        case DeclaredFace():
            if what.key not in keys:
                raise RefereeError(f"There is no card {what.key} in the picture of round {record.number}.")
            if what.face is not None and what.face not in play.deck.faces and what.face not in play.deck.scoring_cards:
                raise RefereeError(f"The deck has no card {what.face}.")
        case DeclaredLink():
            rows = record.ruling.rows if record.ruling is not None else ()
            if not any(c.key == what.key and c.link is not None for r in rows for c in r.cards):
                raise RefereeError(f"No link leads to the card {what.key}.")
            if what.call is Call.UNCERTAIN:
                raise RefereeError("A link can be stated as right or as wrong.")
        case DeclaredRow():
            check_seat(play.seats, what.seat)
            _check_declared_row(play, what, keys)
        case DeclaredCaller():
            check_seat(play.seats, what.seat)
        case DeclaredAwards():
            _check_awards(play, record, what)


def _check_declared_row(play: RoxPlay, what: DeclaredRow, keys: set[str]) -> None:
    if len(what.cards) > ROW_CARDS:
        raise RefereeError(f"A row has at most {ROW_CARDS} cards.")
    for card in what.cards:
        if card.key is not None and card.key not in keys:
            raise RefereeError(f"There is no card {card.key} in the picture.")
        if card.key is None and card.face is None:
            raise RefereeError("Each card of a stated row needs its place in the picture or its face.")
        if card.face is not None and card.face not in play.deck.faces:
            raise RefereeError(f"The deck has no card {card.face}.")
    named = [c.key or c.face for c in what.cards]
    if len(set(named)) != len(named):
        raise RefereeError("The same card was named twice.")


def _check_awards(play: RoxPlay, record: RoundRecord, what: DeclaredAwards) -> None:
    left = Counter(c.value for c in record.dealt)
    for award in what.awards:
        check_seat(play.seats, award.seat)
        left[award.points] -= 1
        if left[award.points] < 0:
            raise RefereeError(f"No scoring card with {award.points} points is left in round {record.number}.")
    if len({a.seat for a in what.awards}) != len(what.awards):
        raise RefereeError("A player gets one scoring card a round at most.")
