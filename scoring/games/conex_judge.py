"""The ruling on one turn of CONEX: the laid card, the stars, and whether the pawns stand where the log says."""

from __future__ import annotations

from dataclasses import replace

from scoring import geometry
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import CONEX_RULES, NOT_ATTACHED, Stated, doubling, judge_placement
from scoring.games.conex_play import DOUBLE, LIGHTNING, ConexPlay, Deed, Ledger, TurnRecord, ledger_of, named
from scoring.measure import Measurement, below
from scoring.moves import DeclaredCall, DeclaredDouble, DeclaredFace, DeclaredGround
from scoring.table import Placement, TableState, TokenKind
from scoring.verdicts import Award, Call, Fact, PlacementRuling, Question, Ruling, RulingStatus, Verdict

GAME = "conex"
STAR_RULE = "conex.star"
LIGHTNING_RULE = "conex.lightning"
PAWN_RULE = "conex.pawn"
RULE_IDS = (*CONEX_RULES, STAR_RULE, LIGHTNING_RULE, PAWN_RULE)


def judge_turn(play: ConexPlay, turn: TurnRecord) -> Ruling:
    """All that the rules say about a turn as it is recorded; never raises for a bad move.

    Parameters
    ----------
    play
        The match; its turns before this one say who holds the stars and where the pawns belong.
    turn
        The turn, which need not be part of `play` yet.
    """
    verdicts: list[Verdict] = []
    questions: list[Question] = []
    placement: PlacementRuling | None = None
    if turn.lightning is not None:
        verdicts.append(_lightning(play, turn))
    if turn.table is not None and turn.placed is not None:
        placement, held = _placement(play, turn, named(turn.table, turn))
        stars = before_deed(play, turn, Deed.LAID)
        placement, star = _doubled(play, placement, turn, stars)
        verdicts += [*held, *star]
        if placement.call is Call.UNCERTAIN:
            questions += [Question(v.rule, v.about, turn.seat) for v in held if v.call is Call.UNCERTAIN]
        elif placement.call is Call.LEGAL and placement.value == 0:
            # The players allow it, but nobody knows yet which number counts.
            questions.append(Question(NOT_ATTACHED, (turn.placed,), turn.seat))
        questions += [Question(v.rule, v.about, turn.seat) for v in star if v.call is Call.UNCERTAIN]
    awards: tuple[Award, ...] = ()
    settled = turn.settled_points
    if settled is not None:
        questions = []
        awards = (Award(turn.seat, settled, placement.face if placement else None),)
    elif placement is not None and placement.call is Call.LEGAL and not questions:
        awards = (Award(turn.seat, placement.points, placement.face),)
    if turn.table is not None:
        verdicts += pawn_verdicts(play, turn, turn.table, sum(a.points for a in awards))
    return Ruling(
        GAME,
        RulingStatus.CONFIRMED if turn.confirmed else RulingStatus.PROVISIONAL,
        tuple(verdicts),
        awards=awards,
        questions=tuple(questions),
        placement=placement,
    )


def square_of(total: int, goal: int) -> int:
    """Where a pawn of that total stands: 0 is the start, and after the goal the squares are counted from 1 again."""
    return (total - 1) % goal + 1 if total > 0 else 0


def pawn_verdicts(play: ConexPlay, turn: TurnRecord, table: TableState, points: int = 0) -> list[Verdict]:
    """Each pawn that was read against the points of its player; a difference is told and never adopted.

    Parameters
    ----------
    play, turn
        The match, and the turn in which the table was seen.
    table
        Its tokens.
    points
        What a card that waits would bring.

    Notes
    -----
    People move their pawn a little before or after it counts: the seat that is at it, and the one before it as long as
    nothing was laid since, may stand before or after the points of the turn.
    """
    totals = dict(before_deed(play, turn, None).totals)
    may = {s: {square_of(t, play.goal)} for s, t in totals.items()}
    if turn.confirmed:
        totals[turn.seat] += turn.points
        points = 0
    may[turn.seat].add(square_of(totals[turn.seat] + points, play.goal))
    last = play.turns[turn.number - 2] if turn.number > 1 else None
    if last is not None and turn.table is None:
        may[last.seat].add(square_of(totals[last.seat] - last.points, play.goal))
    owners = {p.pawn: p.seat for p in play.players if p.pawn is not None}
    verdicts = []
    for token in sorted(table.tokens, key=lambda t: (t.name, t.at)):
        seat = owners.get(token.name)
        if token.kind is not TokenKind.PAWN or seat is None or token.square is None:
            continue
        sure = token.confidence >= play.options.sure
        call = Call.LEGAL if token.square in may[seat] else Call.VIOLATION if sure else Call.UNCERTAIN
        due = totals[seat]
        facts: dict[str, Fact] = {
            "pawn": token.name,
            "square": token.square,
            "expected": square_of(due, play.goal),
            "points": due,
        }
        verdicts.append(Verdict(PAWN_RULE, call, (), seat, facts, (token.at,)))
    return verdicts


def lightning_disputed(turn: TurnRecord) -> bool:
    """Whether a card was taken off that the rules did not let go (yet)."""
    if turn.lightning is None:
        return False
    verdicts = turn.ruling.verdicts if turn.ruling is not None else ()
    return not any(v.rule == LIGHTNING_RULE and v.call is Call.LEGAL for v in verdicts)


def before_deed(play: ConexPlay, turn: TurnRecord, deed: Deed | None) -> Ledger:
    """The ledger in this turn before that deed (None: before anything counts)."""
    story = turn.story if deed is not None else ()
    if deed is not None and deed in story:
        story = story[: story.index(deed)]
    now = replace(turn, story=story, confirmed=False)
    return ledger_of(play, (*play.turns[: turn.number - 1], now))


def _placement(play: ConexPlay, turn: TurnRecord, table: TableState) -> tuple[PlacementRuling, tuple[Verdict, ...]]:
    key = turn.placed or ""
    stated = Stated()
    for said in turn.declarations:
        match said:
            case DeclaredFace() if said.key == key and said.face is not None:
                stated = replace(stated, face=said.face)
            case DeclaredGround() if said.key == key:
                onto = said.onto if said.onto is not None else stated.onto
                corner = said.corner if said.corner is not None else stated.corner
                stated = replace(stated, onto=onto, corner=corner)
            case DeclaredCall() if said.key == key:
                stated = replace(stated, call=said.call)
    return judge_placement(table, key, play.deck, play.options, stated)


def _doubled(
    play: ConexPlay, placement: PlacementRuling, turn: TurnRecord, ledger: Ledger
) -> tuple[PlacementRuling, list[Verdict]]:
    """The placement with its points doubled or not, and what is to say about the star.

    Whoever may use a star that nobody has photographed is asked: it may lie there and not be known.
    """
    assert turn.table is not None
    star = ledger.stars[DOUBLE]
    facts: dict[str, Fact] = {"star": DOUBLE, "holder": star.holder or "", "since": star.since}
    stated = [d.doubled for d in turn.declarations if isinstance(d, DeclaredDouble)]
    seen = doubling(turn.table, placement.key, play.options.sure)
    look = play.deck.stars.get(DOUBLE)
    if seen is Call.VIOLATION and look is not None and look.guessed:
        seen = Call.UNCERTAIN
    if stated:
        seen = Call.LEGAL if stated[-1] else Call.VIOLATION
    verdicts = []
    if seen is Call.LEGAL:
        verdicts.append(
            Verdict(STAR_RULE, Call.LEGAL if star.usable else Call.VIOLATION, (placement.key,), turn.seat, facts)
        )
    elif seen is Call.UNCERTAIN and star.usable:
        verdicts.append(Verdict(STAR_RULE, Call.UNCERTAIN, (placement.key,), turn.seat, facts))
    doubled = seen is Call.LEGAL and star.usable
    points = (placement.value + placement.bonus) * (2 if doubled else 1)
    return replace(placement, doubled=doubled, points=points), verdicts


def _lightning(play: ConexPlay, turn: TurnRecord) -> Verdict:
    """Whether the card that the lightning star took was free, and the star the seat's to use."""
    taken = turn.lightning
    assert taken is not None
    table = turn.before
    if taken.at_end:
        table = turn.table if turn.table is not None else turn.base
    star = before_deed(play, turn, Deed.LIGHTNING).stars[LIGHTNING]
    pieces = {p.key: p for p in table.placements} if table is not None else {}
    above = sorted(u for u, lower in table.covers if lower == taken.key) if table is not None else []
    facts: dict[str, Fact] = {
        "star": LIGHTNING,
        "holder": star.holder or "",
        "since": star.since,
        "covered_by": len(above),
    }
    call = Call.LEGAL if star.usable else Call.VIOLATION
    if star.usable and taken.key in pieces:
        calls = [_free_of(pieces[taken.key], pieces[u], play.options) for u in above if u in pieces]
        call = next((c for c in (Call.VIOLATION, Call.UNCERTAIN) if c in calls), Call.LEGAL)
    stated = [d.call for d in turn.declarations if isinstance(d, DeclaredCall) and d.key == taken.key]
    if stated:
        call, facts = stated[-1], {**facts, "declared": 1}
    return Verdict(LIGHTNING_RULE, call, (taken.key, *above), turn.seat, facts)


def _free_of(lower: Placement, upper: Placement, options: ConexOptions) -> Call:
    """Whether `upper`, which lies on `lower` by the record, might only seem to."""
    gap = geometry.signed_gap_mm(lower.corners(), upper.corners())
    depth = Measurement(max(-gap, 0.0), (lower.sigma_mm**2 + upper.sigma_mm**2) ** 0.5)
    said = below(depth, 0.0, band=options.touch_band_mm)
    return Call.UNCERTAIN if said is Call.LEGAL else said
