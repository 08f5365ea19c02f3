"""A match of any game for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scoring.errors import RefereeError
from scoring.match import MatchState
from webui.cactus.views import view_cactus
from webui.conex.views import view_conex
from webui.log.store import MatchRecord
from webui.rox.views import view_rox
from webui.shown.head import Head

VIEWS: Mapping[str, Callable[[MatchRecord, MatchState, int], Head]] = {
    "rox": view_rox,
    "conex": view_conex,
    "cactus": view_cactus,
}


def view_match(record: MatchRecord, state: MatchState, seq: int) -> Head:
    """A match for the page.

    Parameters
    ----------
    record
        Its head.
    state
        The fold of its events.
    seq
        How many events that are.

    Raises
    ------
    RefereeError
        Before the match was created.
    """
    if state.created is None:
        raise RefereeError("There is no match yet.")
    return VIEWS[state.created.game](record, state, seq)
