"""One entry a game: how it is played at the table, and what the page shows of it."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.deck import Deck
from scoring.match import MatchState
from webui.cactus.playing import CACTUS_PLAYING
from webui.conex.playing import CONEX_PLAYING
from webui.rox.playing import ROX_PLAYING
from webui.table.desk import Current
from webui.table.playing import Display, Playing, Recording, Shown
from webui.table.seeing import Reading, Sight

PLAYING: Mapping[str, Playing] = {"rox": ROX_PLAYING, "conex": CONEX_PLAYING, "cactus": CACTUS_PLAYING}


def playing_of(state: MatchState) -> Playing:
    """How the game of a match is played at the table."""
    assert state.created is not None
    return PLAYING[state.created.game]


def recording_of(state: MatchState) -> Recording:
    """What becomes of a picture in the log of a match."""
    return playing_of(state).recording


def show(current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
    """Work out what the page shows.

    Parameters
    ----------
    current
        The match at this table, or None.
    reading
        The table as it lies, or None where it moves or was not read.
    deck
        The deck on this table, where no match says otherwise.
    """
    return _display(current, deck).show(current, reading, deck)


def plain_word(shown: Shown, sight: Sight, deck: Deck, still: str, *, lost: bool) -> tuple[str, str]:
    """The plain word for the state (`Snapshot.state`), and the key of a hint.

    Parameters
    ----------
    shown
        What is shown.
    sight
        What the eye made of the newest frame.
    deck
        The deck on this table, where no match says otherwise.
    still
        Hint where no other picture is to be expected: ``photo``, ``ended`` or empty.
    lost
        Whether no picture comes.
    """
    return ("no-camera", "") if lost else _display(shown.current, deck).word(shown, sight, still)


def _display(current: Current | None, deck: Deck) -> Display:
    return (PLAYING[deck.game] if current is None else playing_of(current.state)).display
