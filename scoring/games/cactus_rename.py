"""A hung piece of Cactus gets another name, in everything that is recorded of it."""

from __future__ import annotations

from dataclasses import replace

from scoring.games.cactus_play import CactusPlay
from scoring.games.cactus_turn import TurnRecord
from scoring.table import TableState


def renamed(play: CactusPlay, key: str, old: str | None, new: str | None, after: int) -> CactusPlay:
    """The match in which the piece of that key is `new` instead of `old`.

    Parameters
    ----------
    play
        The match.
    key
        Key of the piece in the record's tables.
    old, new
        Its two names.
    after
        Number of the turn in which it was hung (it has the new name there already); 0: it hung at the beginning.
    """
    later = tuple(_in_turn(t, key, old, new) for t in play.turns[after:])
    return replace(play, turns=(*play.turns[:after], *later))


def on_table(table: TableState, key: str, old: str | None, new: str | None) -> TableState:
    """The table on which the piece of that key and name has the new one."""
    here = tuple(replace(p, face=new) if p.key == key and p.face == old else p for p in table.placements)
    return replace(table, placements=here)


def _in_turn(turn: TurnRecord, key: str, old: str | None, new: str | None) -> TurnRecord:
    if all(p.key != key or p.face != old for p in turn.before.placements):
        return turn

    def names(pieces: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if p == old and new is not None else p for p in pieces)

    return replace(
        turn,
        before=on_table(turn.before, key, old, new),
        table=None if turn.table is None else on_table(turn.table, key, old, new),
        left=None if turn.left is None else on_table(turn.left, key, old, new),
        hidden=names(turn.hidden),
        late=names(turn.late),
        fell=names(turn.fell),
        gone=names(turn.gone),
    )
