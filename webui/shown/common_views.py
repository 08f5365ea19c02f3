"""From a match of any game to those fields of its view that every game fills alike; see `webui.shown.head`."""

from __future__ import annotations

from typing import Any

from scoring.games.turns import Turn, TurnByTurn
from scoring.match import MatchState, legal_commands
from scoring.play import Standing
from scoring.verdicts import Call
from webui.log.store import MatchRecord
from webui.shown.head import JudgedTurn, RuleView


def head_fields(record: MatchRecord, state: MatchState, seq: int) -> dict[str, Any]:
    """The fields of `Head` but for the players.

    Parameters
    ----------
    record
        Its head.
    state
        The fold of its events.
    seq
        How many events that are.
    """
    undoable = state.undoable
    return {
        "id": record.id,
        "title": record.title,
        "game": record.game,
        "deck": record.deck,
        "created_at": record.created_at,
        "seq": seq,
        "phase": state.phase.value,
        "options": dict(state.options),
        "winners": state.winners,
        "undo": undoable.kinds[0] if undoable else None,
    }


def player_fields(number: int, standing: Standing) -> dict[str, Any]:
    """The fields of `PlayerView`; `number` is the key to press."""
    return {
        "number": number,
        "seat": standing.seat,
        "name": standing.name,
        "total": standing.total,
        "place": standing.place,
        "rounds": standing.rounds,
    }


def turns_fields(play: TurnByTurn[Any], state: MatchState, turns: tuple[JudgedTurn, ...]) -> dict[str, Any]:
    """The fields that `TurnsHead` adds to `Head`.

    Parameters
    ----------
    play
        The match as its game knows it.
    state
        The fold of its events.
    turns
        The views of all its turns, the running one last.
    """
    running = turns[-1] if play.turn is not None else None
    return {
        "to_play": play.to_play,
        "turn": running,
        "turns": turns[:-1] if running is not None else turns,
        "order": play.seats,
        "ending": str(play.ending or ""),
        "can": tuple(str(c) for c in legal_commands(state)),
    }


def turn_fields(record: Turn) -> dict[str, Any]:
    """The fields of `JudgedTurn`."""
    ruling = record.ruling
    verdicts = ruling.verdicts if ruling is not None else ()
    asked = {(q.rule, q.about) for q in ruling.questions} if ruling is not None else set()
    return {
        "number": record.number,
        "seat": record.seat,
        "rolled": str(record.rolled) if record.rolled is not None else None,
        "status": ruling.status.value if ruling is not None else "",
        "rules": tuple(RuleView(v.rule, v.call.value, v.about, dict(v.facts)) for v in verdicts),
        "open": tuple(i for i, v in enumerate(verdicts) if v.call is Call.UNCERTAIN and (v.rule, v.about) in asked),
        "settled": ruling is not None and ruling.is_settled,
        "confirmed": record.confirmed,
        "evidence": record.evidence,
        "versions": 1 + len(record.versions),
    }
