"""Whether the log of a match that comes from elsewhere could have been written here. That it folds is not enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.commands import CreateMatch
from scoring.deck import CactusDeck, Deck
from scoring.deck_cactus import PLANES
from scoring.errors import LogError, RefereeError
from scoring.events import Event, FactDeclared, MatchCreated, RoundEdited, TableAccepted, TableRecorded
from scoring.games.cactus_check import MOST_TOUCHES
from scoring.match import check_creation
from scoring.moves import (
    DeclaredFace,
    DeclaredFall,
    DeclaredHung,
    DeclaredRow,
    DeclaredSpecials,
    DeclaredTouches,
)
from scoring.table import BOARD, Placement, Point, TableState

MOST_MM = 1e5
"""No table is so large: what lies farther away was never measured."""


def check_log(events: Iterable[Event]) -> None:
    """Hold a log against what a match of its game can be.

    Parameters
    ----------
    events
        A log that folds.

    Raises
    ------
    LogError
        Where a set-up like its own would be refused, where it speaks of a card that its deck does not have, or where
        a number is none that a table can have.
    """
    deck: Deck | None = None
    for event in events:
        if isinstance(event, MatchCreated):
            deck = event.deck
            command = CreateMatch(event.at, event.game, event.players, event.deck, event.options, event.scoring)
            try:
                check_creation(command)
            except RefereeError as e:
                raise LogError(f"such a match cannot begin: {e.message}") from e
        elif isinstance(event, TableRecorded | TableAccepted):
            _check_table(event.table)
        if deck is not None:
            _check_faces(event, deck)


def _check_faces(event: Event, deck: Deck) -> None:
    if isinstance(deck, CactusDeck):
        _check_cactus(event, deck)
        return
    known = {*getattr(deck, "faces", ()), *getattr(deck, "scoring_cards", ())}
    if not known:
        return  # the pieces of this deck have no faces
    for face in _faces(event):
        if face is not None and face not in known and face != BOARD:
            raise LogError(f"the deck has no card {face[:40]}")


def _check_cactus(event: Event, deck: CactusDeck) -> None:
    """Pieces, cacti and numbers that the set and the hands of players do not have."""
    pieces, cacti = [f for f in _faces(event) if f is not None], list[str]()
    if isinstance(event, TableRecorded | TableAccepted):
        cacti += [*event.table.cacti, *(p.pose.plane for p in event.table.placements if p.pose.plane not in PLANES)]
        for contact in event.table.contacts:
            if not (abs(contact.gap_mm) < MOST_MM and 0 <= contact.sigma_mm < MOST_MM and 0 <= contact.touching <= 1):
                raise LogError("a contact is none that can be measured")
    elif isinstance(event, FactDeclared | RoundEdited):
        match event.move.what:
            case DeclaredHung(piece=piece, cactus=cactus):
                pieces.append(piece)
                cacti.append(cactus)
            case DeclaredFall(piece=piece):
                pieces.append(piece)
            case DeclaredSpecials(pieces=row):
                pieces += row
            case DeclaredTouches(times=times) if not 0 <= times <= MOST_TOUCHES:
                raise LogError(f"nobody touches {times} times in a turn")
    for piece in pieces:
        if piece not in deck.pieces:
            raise LogError(f"the set has no piece {piece[:40]}")
    for cactus in cacti:
        if cactus not in deck.cacti:
            raise LogError(f"the set has no cactus {cactus[:40]}")


def _faces(event: Event) -> Iterator[str | None]:
    if isinstance(event, TableRecorded | TableAccepted):
        for piece in event.table.placements:
            yield piece.face
            yield from (c.face for c in piece.candidates)
    elif isinstance(event, FactDeclared | RoundEdited):
        what = event.move.what
        if isinstance(what, DeclaredFace):
            yield what.face
        elif isinstance(what, DeclaredRow):
            yield from (card.face for card in what.cards)


def _check_table(table: TableState) -> None:
    pieces = (*table.placements, *([table.board] if table.board is not None else []))
    numbers = [v for p in pieces for v in _numbers(p)]
    numbers += [v for point in _points(table) for v in point]
    if not all(abs(v) < MOST_MM for v in (*numbers, table.area_sigma_mm)):
        raise LogError("a table lies farther away than any table does")


def _numbers(piece: Placement) -> tuple[float, ...]:
    pose = piece.pose
    return (pose.x_mm, pose.y_mm, pose.angle_rad, *piece.size_mm, piece.sigma_mm)


def _points(table: TableState) -> Iterator[Point]:
    yield from table.view
    yield from table.area
    yield from (t.at for t in table.tokens)
