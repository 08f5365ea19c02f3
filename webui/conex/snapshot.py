"""What the page shows of CONEX, as immutable values (see `webui.shown.snapshot`): numbers, ids, calls, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scoring.deck import ConexDeck
from scoring.table import Point, TableState
from webui.conex.snapshot_plan import DeckView, FaceView, PlanView
from webui.shown.head import JudgedTurn, PlayerView, TurnsHead


@dataclass(frozen=True, slots=True)
class PictureMark:
    """A line or an outline over the live picture, in pixels.

    `kind` is ``violation`` or ``uncertain`` (a place that a rule speaks of), ``area`` or ``board``.
    """

    kind: str
    points: tuple[Point, ...]
    gap_mm: float | None = None


@dataclass(frozen=True, slots=True)
class AstrayView:
    """Why the table does not follow from the record; see `scoring.games.conex_track.OutOfStep`."""

    reason: str
    faces: tuple[FaceView, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LiveConex:
    """The table as it lies now.

    Parameters
    ----------
    plan
        To scale.
    marks
        What is drawn over the picture besides the cards.
    board
        Whether the board is seen.
    pawns
        Colours of the pawns that are seen on the start square.
    die
        What the die shows, where it is read; else None.
    loose
        Cards that lie there and are not in the record: what a newcomer may want to lay.
    astray
        Why the table does not follow from the record, or None.
    unjudged
        ``laid`` or ``changed`` where something new lies there (or is gone) that is not judged by itself, as after a
        step was taken back; else empty.
    table, deck
        The table itself and the deck on it. Not part of the JSON.
    """

    plan: PlanView
    marks: tuple[PictureMark, ...] = ()
    board: bool = False
    pawns: tuple[str, ...] = ()
    die: str | None = None
    loose: tuple[str, ...] = ()
    astray: AstrayView | None = None
    unjudged: str = ""
    table: TableState | None = field(default=None, repr=False)
    deck: ConexDeck | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class StarView:
    """A star: its kind, the seat that holds it or None, since which turn, and whether it may be used now."""

    kind: str
    holder: str | None
    since: int
    usable: bool


@dataclass(frozen=True, slots=True)
class PlayerConex(PlayerView):
    """A player.

    Parameters
    ----------
    pawn
        Colour of the pawn, or None.
    cards
        Cards in hand, as counted.
    square, lap
        Where the pawn belongs: the square of the track, and how often it passed the goal.
    shown
        Square on which the camera sees the pawn, where that is another one; else None.
    last
        Points of this player's last turn, or None.
    """

    pawn: str | None = None
    cards: int = 0
    square: int = 0
    lap: int = 0
    shown: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class GroundView:
    """What a card can be laid onto: a card by key with its face, or a space of the board with its colour."""

    key: str | None
    face: FaceView | None
    space: int | None
    color: str | None


@dataclass(frozen=True, slots=True)
class LaidView:
    """A laid card with its ruling; see `scoring.verdicts.PlacementRuling`."""

    key: str
    face: FaceView | None
    onto: GroundView | None
    corner: int | None
    call: str
    value: int
    bonus: int
    doubled: bool
    points: int
    candidates: tuple[tuple[GroundView, int], ...]
    faces: tuple[str, ...]
    confidence: float
    declared: bool
    overruled: bool


@dataclass(frozen=True, slots=True)
class TurnConex(JudgedTurn):
    """One turn.

    Parameters
    ----------
    deed
        ``laid``, ``drew``, ``passed``, or None where nothing was done yet.
    laid
        The laid card, or None.
    points
        What it scores or scored.
    stated
        Points by which the players settled it, or None.
    taken
        Face of the card that the lightning star took, or None.
    took
        Whether the lightning star took a card.
    rolls
        Whether its card waits to be accepted and lets the seat roll the die then.
    corrected
        Whether the players put something right in it.
    again
        How often a card that was not allowed was laid anew.
    plan
        The table of that turn, or None where no picture was judged.
    """

    deed: str | None
    laid: LaidView | None
    points: int
    stated: int | None
    taken: FaceView | None
    took: bool
    rolls: bool = False
    corrected: bool = False
    again: int = 0
    plan: PlanView | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MatchConex(TurnsHead[TurnConex]):
    """A match of CONEX.

    Parameters
    ----------
    players
        Clockwise from the bottom of the picture.
    round
        Round of the table, from 1.
    last_round
        Whether the goal is reached and the round is only played to its end.
    goal
        Number of the goal square.
    stars, pile
        The stars; cards left to draw, as counted.
    plan
        The table as the match knows it.
    look, faces
        The deck and its cards. Not part of the JSON: it is the deck, not the match.
    """

    players: tuple[PlayerConex, ...]
    round: int
    last_round: bool
    goal: int
    stars: tuple[StarView, ...]
    pile: int
    plan: PlanView
    look: DeckView = field(repr=False)
    faces: Mapping[str, FaceView] = field(default_factory=dict, repr=False)

    def star(self, kind: str) -> StarView:
        """The star of that kind."""
        return next(s for s in self.stars if s.kind == kind)
