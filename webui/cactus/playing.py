"""Cactus at the table: every picture that stands still and tells something new is judged."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.deck import CactusDeck, Deck
from scoring.games.cactus_match import CACTUS
from scoring.games.cactus_play import CactusPlay
from scoring.match import MatchState
from scoring.play import OutOfStep, Phase
from scoring.table import TableState
from webui.cactus.snapshot import AstrayCactus, LiveCactus, Loop
from webui.cactus.stand import set_view
from webui.cactus.views import live_scene, play_of, tally_with, view_cactus
from webui.table.desk import Current
from webui.table.playing import Playing, Shown
from webui.table.seeing import Reading, Sight
from webui.table.watched import SURE, WatchedMoves, die_shown, rounded

NOTHING_NEW = "Nothing new hangs on the cacti."


class CactusDisplay:
    """Cactus behind the `playing.Display` protocol."""

    def show(self, current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
        """The match, the cacti as they stand, and what is drawn over the picture."""
        state = current.state if current else None
        play = play_of(state) if state else None
        deck = play.deck if play is not None else deck
        seq = current.seq if current else 0
        if not isinstance(deck, CactusDeck):
            return Shown(current, seq, reading)
        live = _live(play, deck, reading) if reading is not None else None
        return Shown(
            current,
            seq,
            reading,
            match=view_cactus(current.record, current.state, seq) if current else None,
            phase=state.phase if state else None,
            astray=live is not None and live.astray is not None,
            cactus=live,
        )

    def word(self, shown: Shown, sight: Sight, still: str) -> tuple[str, str]:
        """What the eye does; a piece that was judged; a table that does not follow."""
        if shown.astray and sight.word == "settled":
            return "out-of-step", "put-back"
        if shown.phase is Phase.VERDICT and sight.word == "settled":
            return "judged", "hung"
        hint = sight.hint or still
        return sight.word, "no-cactus" if hint == "unread" else hint


def _live(play: CactusPlay | None, deck: CactusDeck, reading: Reading) -> LiveCactus:
    table = reading.table
    astray = CACTUS.out_of_step(play, table) if play is not None else None
    placed = play.turn.placed if play is not None and play.turn is not None else None
    return LiveCactus(
        scene=live_scene(play, deck, table),
        loops=tuple(_loops(reading, deck, placed)),
        cacti=table.cacti,
        die=die_shown(table),
        astray=_astray(astray, deck) if astray is not None else None,
        tally=tally_with(play, table) if play is not None and play.start is None else None,
        table=table,
    )


def _astray(astray: OutOfStep, deck: CactusDeck) -> AstrayCactus:
    pieces = set_view(deck).pieces
    return AstrayCactus(str(astray.reason), tuple(pieces[f] for f in astray.faces if f in pieces))


def _loops(reading: Reading, deck: CactusDeck, placed: str | None) -> Iterable[Loop]:
    """Outlines of what hangs in pixels of the picture, and the playing area."""
    if reading.area:
        yield Loop("area", rounded(reading.area))
    for p in reading.table.placements:
        outline = reading.outlines.get(p.key) or reading.quads.get(p.key)
        if not outline or p.pose.plane not in deck.cacti:
            continue
        kind = "placed" if p.key == placed else "hung" if p.confidence >= SURE else "guess"
        yield Loop(kind, rounded(outline), p.face)


def _asks_first(state: MatchState, table: TableState) -> bool:
    """Whether something hangs already, or a cactus is not found: what hangs on that one is not seen."""
    missing = set(play_of(state).deck.cacti) - set(table.cacti)
    return bool(missing) or any(p.pose.plane in table.cacti for p in table.placements)


_MOVES = WatchedMoves(CACTUS, NOTHING_NEW, asks_first=_asks_first)
CACTUS_PLAYING = Playing(_MOVES, CactusDisplay())
