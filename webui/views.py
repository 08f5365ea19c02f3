"""A match of any game for the page."""

from __future__ import annotations

from scoring.match import MatchState
from webui.snapshot import Head
from webui.store import MatchRecord
from webui.views_rox import view_rox


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
    """
    return view_rox(record, state, seq)
