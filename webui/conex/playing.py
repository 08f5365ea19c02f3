"""CONEX at the table: every picture that lies still and tells something new is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scoring.align import alignment
from scoring.deck import ConexDeck, Deck
from scoring.games.conex_carry import carried
from scoring.games.conex_match import CONEX
from scoring.games.conex_play import LIGHTNING, ConexPlay
from scoring.games.conex_same import renamed
from scoring.games.conex_track import as_known, look
from scoring.play import OutOfStep, Phase
from scoring.table import Placement, Side, TableState, TokenKind
from scoring.verdicts import Call, Verdict
from webui.conex.plan import plan_of
from webui.conex.snapshot import AstrayView, LiveConex, MatchConex, PictureMark
from webui.conex.views import faces_of, play_of, ruling_verdicts, view_conex
from webui.shown.snapshot import CardSeen
from webui.table.desk import Current
from webui.table.playing import Playing, Shown
from webui.table.seeing import Reading, Sight
from webui.table.watched import SURE, WatchedMoves, die_shown, rounded

NOTHING_NEW = "Nothing new lies on the table."
TOKEN_SURE = 0.5


class ConexDisplay:
    """CONEX behind the `playing.Display` protocol."""

    def show(self, current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
        """The match, the table to scale, and what is drawn over the picture."""
        state = current.state if current else None
        play = play_of(state) if state else None
        deck = play.deck if play is not None else deck
        seq = current.seq if current else 0
        if not isinstance(deck, ConexDeck):
            return Shown(current, seq, reading)
        known = _known(play, reading) if reading else None
        table = known.table if known is not None else None
        astray = CONEX.out_of_step(play, table) if play is not None and table is not None else None
        last = play.turns[-1].placed if play is not None and play.turns else None
        live = _live(play, deck, known, astray) if known else None
        return Shown(
            current,
            seq,
            reading,
            match=view_conex(current.record, current.state, seq, table) if current else None,
            cards=tuple(_outlines(known, deck, last)) if known else (),
            phase=state.phase if state else None,
            astray=astray is not None,
            conex=live,
        )

    def word(self, shown: Shown, sight: Sight, still: str) -> tuple[str, str]:
        """What the eye does; a card that was judged; a table that does not follow."""
        if shown.astray and sight.word == "settled":
            return "out-of-step", "put-back"
        if shown.phase is Phase.VERDICT and sight.word == "settled":
            turn = shown.match.turn if isinstance(shown.match, MatchConex) else None
            return ("by-hand" if turn is not None and turn.laid is None and turn.stated is not None else "judged"), ""
        return sight.word, sight.hint or still


def _known(play: ConexPlay | None, reading: Reading) -> Reading:
    """The table on the plane of the match and with its keys: a restarted program and a photo have their own."""
    if play is None or play.table is None:
        return reading
    move = alignment(play.table, reading.table)
    table = move.table(reading.table)
    keys = as_known(play, table)
    table = renamed(table, keys)
    if reading.alone:
        table = carried(play.table, table, free=play.ledger.stars[LIGHTNING].usable)
    project, back = reading.project, move.back()
    return replace(
        reading,
        table=table,
        quads={keys.get(k, k): q for k, q in reading.quads.items()},
        unseen=frozenset(keys.get(k, k) for k in reading.unseen),
        project=None if project is None else lambda points: project([back(p) for p in points]),
    )


def _live(
    play: ConexPlay | None,
    deck: ConexDeck,
    reading: Reading,
    astray: OutOfStep | None,
) -> LiveConex:
    table = reading.table
    faces = faces_of(deck)
    record = play.turns[-1] if play is not None and play.turns else None
    verdicts = ruling_verdicts(record)
    known = _counted(play)
    here = {p.face: p for p in table.placements}
    loose = [f for f, p in here.items() if f in faces and f not in known and p.side is not Side.BACK]
    start = [t.name for t in table.tokens if t.kind is TokenKind.PAWN and t.square == 0 and t.confidence >= TOKEN_SURE]
    return LiveConex(
        plan=plan_of(table, deck, faces, record.placed if record is not None else None, verdicts),
        marks=tuple(_marks(reading, verdicts)),
        board=table.board is not None,
        pawns=tuple(sorted(start)),
        die=die_shown(table),
        loose=tuple(sorted(f for f in loose if f is not None)),
        astray=None
        if astray is None
        else AstrayView(str(astray.reason), tuple(faces[f] for f in astray.faces if f in faces), tuple(astray.keys)),
        unjudged=_unjudged(play, table) if play is not None and reading.final and not play.finished else "",
        table=table,
        deck=deck,
    )


def _unjudged(play: ConexPlay, table: TableState) -> str:
    """See `LiveConex.unjudged`."""
    if not CONEX.news(play, table):
        return ""
    return "laid" if look(play, table).placed is not None else "changed"


def _counted(play: ConexPlay | None) -> set[str | None]:
    """Faces of the cards that lie in the record, attached to something."""
    if play is None or play.table is None:
        return set()
    record = play.turns[-1] if play.turns else None
    placement = record.ruling.placement if record is not None and record.ruling is not None else None
    apart = placement.key if placement is not None and placement.onto is None else None
    return {p.face for p in play.table.placements if p.key != apart}


def _marks(reading: Reading, verdicts: Iterable[Verdict]) -> Iterable[PictureMark]:
    """The area, and the places of what is not kept or open, in pixels of the picture."""
    if reading.area:
        yield PictureMark("area", rounded(reading.area))
    if reading.project is None:
        return
    for v in verdicts:
        if v.call is Call.LEGAL or len(v.where) < 2:
            continue
        points = reading.project(v.where)
        gap = v.facts.get("gap_mm")
        yield PictureMark(
            str(v.call),
            rounded(points),
            float(gap) if isinstance(gap, int | float) else None,
        )


def _outlines(reading: Reading, deck: ConexDeck, last: str | None) -> Iterable[CardSeen]:
    for p in (*reading.table.placements, *([reading.table.board] if reading.table.board is not None else [])):
        if p.key in reading.quads and p.visible > 0.0:
            sure = p.confidence >= SURE
            yield CardSeen(reading.quads[p.key], _kind(p, deck, last), p.face, None, None, round(p.confidence, 3), sure)


def _kind(piece: Placement, deck: ConexDeck, last: str | None) -> str:
    if piece.side is Side.BACK:
        return "back"
    if piece.key == last:
        return "last"
    if piece.face in deck.faces:
        return "card"
    return "board" if piece.face is not None else "unknown"


CONEX_PLAYING = Playing(
    WatchedMoves(CONEX, NOTHING_NEW, lambda state, reading: _known(play_of(state), reading)), ConexDisplay()
)
