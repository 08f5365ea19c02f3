"""What the page shows of Cactus, as immutable values (see `webui.shown.snapshot`): numbers, ids, calls, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.table import Point, TableState
from webui.cactus.snapshot_stand import CactusView, PieceView, SceneView, SetView
from webui.shown.head import JudgedTurn, PlayerView, RuleView, TurnsHead


@dataclass(frozen=True, slots=True)
class Loop:
    """An outline over the live picture, in pixels: `kind` is ``hung``, ``placed``, ``guess``, ``base`` or ``area``."""

    kind: str
    points: tuple[Point, ...]
    piece: str | None = None


@dataclass(frozen=True, slots=True)
class AstrayCactus:
    """Why the table does not follow from the record, and the pieces concerned."""

    reason: str
    pieces: tuple[PieceView, ...]


@dataclass(frozen=True, slots=True)
class LiveCactus:
    """The table as it stands now.

    Parameters
    ----------
    scene
        What hangs where.
    loops
        What is drawn over the picture.
    cacti
        Names of the cacti that are seen.
    die
        What the die shows, where it is read; else None.
    astray
        Why the table does not follow from the record, or None.
    tally
        The pieces as they would be counted if the match began now; None once it has begun.
    table
        The table itself. Not part of the JSON.
    """

    scene: SceneView
    loops: tuple[Loop, ...] = ()
    cacti: tuple[str, ...] = ()
    die: str | None = None
    astray: AstrayCactus | None = None
    tally: TallyView | None = None
    table: TableState | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PlayerCactus(PlayerView):
    """A player.

    Parameters
    ----------
    ones, threes
        Flowers with the dot down and up.
    last
        What the last turn changed, in flowers, or None.
    wrong_claims
        How many claims were not earned, where the house counts them; else None.
    """

    ones: int = 0
    threes: int = 0
    last: int | None = None
    wrong_claims: int | None = None


@dataclass(frozen=True, slots=True)
class RewardView:
    """What a piece brings: why (``color-3`` …), how many flowers, and whether it was claimed."""

    why: str
    flowers: int
    claimed: bool = False


@dataclass(frozen=True, slots=True)
class TurnCactus(JudgedTurn):
    """One turn.

    Parameters
    ----------
    void
        Rolls before the last one, for which no piece was left.
    piece, cactus, key
        What was hung and where; its key on the table; None where nothing was.
    rewards
        What it brings, or brought; empty where a rule keeps it secret.
    claimed
        What the player claimed.
    touches
        How often the hand touched.
    fallen, late
        Pieces that fell in it, and before the roll.
    earned, paid
        Flowers that come in and go out.
    impossible
        Whether all agreed that the piece cannot be hung by the rules.
    scene
        The cacti in that turn. Not part of the JSON.
    """

    void: tuple[str, ...]
    piece: PieceView | None
    cactus: CactusView | None
    key: str | None
    rewards: tuple[RewardView, ...]
    claimed: tuple[str, ...]
    touches: int
    fallen: tuple[PieceView, ...]
    late: tuple[PieceView, ...]
    earned: int
    paid: int
    impossible: bool
    scene: SceneView | None = field(default=None, repr=False)

    @property
    def change(self) -> int:
        """What it changes, in flowers."""
        return self.earned - self.paid


@dataclass(frozen=True, slots=True)
class TodoView:
    """One step of the turn; see `scoring.games.cactus_todo.Todo`.

    Parameters
    ----------
    job, state
        ``roll``, ``take``, ``hang``, ``fix``, ``answer``, ``claim`` or ``pass``;
        ``done``, ``now``, ``later`` or ``may``.
    pieces, cacti
        Pieces that may be taken or are concerned; cacti on which it may be hung.
    rule
        The verdict that it is about, or None.
    facts
        The numbers and names that its sentence needs.
    """

    job: str
    state: str
    pieces: tuple[PieceView, ...] = ()
    cacti: tuple[CactusView, ...] = ()
    rule: RuleView | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CellView:
    """One basic piece in the grid of colours and shapes, or a special one.

    `state` is ``hung`` (on the cactus of that number), ``supply``, ``gone`` (fallen and out of the match) or ``none``
    (the set lacks it).
    """

    piece: PieceView | None
    state: str
    cactus: int | None = None


@dataclass(frozen=True, slots=True)
class TallyView:
    """What hangs on all cacti, counted.

    Parameters
    ----------
    colors, shapes
        Name and total, in the order of the set; None where a strict match leaves the counting to the players.
    cells
        One row a colour, one cell a shape.
    specials
        The special pieces: those in the row from the left, then the hung ones.
    """

    colors: tuple[tuple[str, int | None], ...]
    shapes: tuple[tuple[str, int | None], ...]
    cells: tuple[tuple[CellView, ...], ...]
    specials: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class LackingView:
    """A roll that found no piece: what was rolled, the colour or shape asked for, and whether it can be repeated."""

    rolled: str
    name: str | None
    again: bool


@dataclass(frozen=True, slots=True)
class MatchCactus(TurnsHead[TurnCactus]):
    """A match of Cactus.

    Parameters
    ----------
    players
        In the order of their seats.
    scene
        The cacti as the match knows them.
    tally
        What hangs, counted.
    todo
        The running turn step by step.
    reserve
        Flowers in the reserve.
    strict
        Whether flowers count only where they are claimed.
    lacking
        The roll that ended it because no such piece is left, what it asked for (name of a colour or shape, or None),
        and whether it could be repeated; None where it ended otherwise.
    look
        The set. Not part of the JSON: it is the deck, not the match.
    """

    players: tuple[PlayerCactus, ...]
    scene: SceneView
    tally: TallyView
    todo: tuple[TodoView, ...]
    reserve: int
    strict: bool
    lacking: LackingView | None
    look: SetView = field(repr=False)

    def job(self, name: str) -> TodoView | None:
        """The step of that name in the running turn."""
        return next((t for t in self.todo if t.job == name), None)

    def after(self, seat: str | None) -> str | None:
        """The seat that plays after that one."""
        return self.order[(self.order.index(seat) + 1) % len(self.order)] if seat in self.order else None
