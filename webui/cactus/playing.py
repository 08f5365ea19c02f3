"""Cactus at the table: every picture that stands still and tells something new is judged."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.commands import AcceptTable, Command, RecordTable
from scoring.deck import CactusDeck, Deck
from scoring.games.cactus_match import CACTUS
from scoring.games.cactus_play import CactusPlay
from scoring.match import MatchState
from scoring.play import OutOfStep, Phase
from scoring.table import TableState, TokenKind
from webui.cactus.snapshot import AstrayCactus, LiveCactus, Loop
from webui.cactus.stand import set_view
from webui.cactus.views import live_scene, play_of, tally_with, view_cactus
from webui.desk import Current
from webui.playing import Shown
from webui.seeing import Reading, Sight

NOTHING_NEW = "Nothing new hangs on the cacti."
SURE = 0.9
"""Confidence from which on the referee would rely on a reading."""


class CactusPlaying:
    """Cactus behind the `playing.Playing` protocol."""

    def awaits(self, state: MatchState, reading: Reading) -> bool:
        """Once the match has begun: whatever changed on the cacti."""
        if state.phase in (Phase.LAYOUT, Phase.FINISHED):
            return False
        return CACTUS.news(play_of(state), reading.table)

    def judges(self, state: MatchState, reading: Reading) -> bool:
        """A photo that was asked for begins the match, or tells what a settled picture would."""
        return state.phase is not Phase.FINISHED

    def refuses(self, state: MatchState, reading: Reading) -> str:
        """Where nothing has changed there is nothing to judge."""
        if state.phase is Phase.LAYOUT or self.awaits(state, reading):
            return ""
        if CACTUS.out_of_step(play_of(state), reading.table) is not None:
            return ""  # the rules refuse it, and say why
        return NOTHING_NEW

    def known(self, state: MatchState, reading: Reading) -> Reading:
        """As it was read: pieces have their names, and each cactus is a plane of its own."""
        return reading

    def command(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """What hangs is judged; the first table is where the match begins."""
        return AcceptTable(at, table, evidence) if state.phase is Phase.LAYOUT else RecordTable(at, table, evidence)

    def accept(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """The table is taken as it stands."""
        return AcceptTable(at, table, evidence)

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
    dice = [t for t in table.tokens if t.kind is TokenKind.DIE and t.confidence >= SURE]
    return LiveCactus(
        scene=live_scene(play, deck, table),
        loops=tuple(_loops(reading, deck, placed)),
        cacti=table.cacti,
        die=dice[0].name if len(dice) == 1 else None,
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
        yield Loop("area", tuple((round(x, 1), round(y, 1)) for x, y in reading.area))
    for p in reading.table.placements:
        outline = reading.outlines.get(p.key) or reading.quads.get(p.key)
        if not outline or p.pose.plane not in deck.cacti:
            continue
        kind = "placed" if p.key == placed else "hung" if p.confidence >= SURE else "guess"
        yield Loop(kind, tuple((round(x, 1), round(y, 1)) for x, y in outline), p.face)
