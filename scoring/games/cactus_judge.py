"""The ruling on one turn of Cactus: the piece, its cactus, what touches, what fell, and what it earns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from scoring.beliefs import beliefs
from scoring.games.cactus_count import BROKEN, FALLEN_COST, FLOWERS, Broken, Why, broken_rules, rewards, totals
from scoring.games.cactus_must import asked_of, opening
from scoring.games.cactus_play import CactusPlay, Ledger, allowed
from scoring.games.cactus_stand import FallOf, How, Stand, stand_of
from scoring.games.cactus_turn import TurnRecord
from scoring.measure import likely
from scoring.moves import DeclaredCall, DeclaredContact
from scoring.table import Placement, Point, Side
from scoring.verdicts import Award, Call, Fact, Penalty, Question, Ruling, RulingStatus, Verdict

GAME = "cactus"
PIECE = "cactus.piece"
CACTUS = "cactus.cactus"
SAME_COLOR = "cactus.same-color"
SAME_SHAPE = "cactus.same-shape"
TOUCHES_BASE = "cactus.touches-base"
TOUCHES_TABLE = "cactus.touches-table"
IMPOSSIBLE = "cactus.impossible"
FALLEN = "cactus.fallen"
HAND = "cactus.hand"
COLOR_COUNT = "cactus.color-count"
SHAPE_COUNT = "cactus.shape-count"
ALL_COLORS = "cactus.all-colors"
CLAIM = "cactus.claim"
RULE_IDS = (
    PIECE,
    CACTUS,
    SAME_COLOR,
    SAME_SHAPE,
    TOUCHES_BASE,
    TOUCHES_TABLE,
    IMPOSSIBLE,
    FALLEN,
    HAND,
    COLOR_COUNT,
    SHAPE_COUNT,
    ALL_COLORS,
    CLAIM,
)
REPAIRED = (PIECE, CACTUS, SAME_COLOR, SAME_SHAPE, TOUCHES_BASE, TOUCHES_TABLE)
"""What is put right before the die is passed, and costs nothing."""
REWARDS: Mapping[Why, str] = {
    Why.COLOR_3: COLOR_COUNT,
    Why.COLOR_5: COLOR_COUNT,
    Why.SHAPE_3: SHAPE_COUNT,
    Why.SHAPE_5: SHAPE_COUNT,
    Why.ALL_COLORS: ALL_COLORS,
}
"""The rule by which each reward is earned."""
PRIOR = 10.0
"""How much likelier a player takes a piece that may be taken than any other."""
RATHER = 0.5
"""What a piece must at least be read as, before that counts."""
STILL_MM = 3.0
"""A piece none of whose corners moved by more than this hangs as it did when people looked at it."""


def judge_turn(play: CactusPlay, turn: TurnRecord) -> Ruling:
    """All that the rules say about a turn as it is recorded; never raises for a bad move.

    Parameters
    ----------
    play
        The match; its turns before this one say what could be taken and what hung.
    turn
        The turn, which need not be part of `play` yet.
    """
    sure = play.options.sure
    stand = stand_of(play.deck, turn, sure)
    verdicts: list[Verdict] = []
    questions: list[Question] = []
    if turn.impossible:
        verdicts.append(Verdict(IMPOSSIBLE, Call.LEGAL, seat=turn.seat, facts={"piece": turn.own}))
    elif stand.placed is not None:
        before = opening(play, turn)
        verdicts += [_piece(play, turn, stand, before), _cactus(play, turn, stand, before)]
        verdicts += _contacts(play, turn, stand)
        for v in verdicts:
            if v.call is Call.UNCERTAIN:
                questions.append(Question(v.rule, v.about, turn.seat, blocking=v.rule == PIECE))
    fallen = [_fallen(turn, stand, f) for f in stand.falls]
    for f, v in zip(stand.falls, fallen, strict=True):
        if f.call is Call.UNCERTAIN:
            questions.append(Question(FALLEN, v.about, turn.seat, blocking=f.how is not How.LOW))
    verdicts += fallen
    penalties = [Penalty(turn.seat, FALLEN, FALLEN_COST) for f in stand.falls if f.call is Call.VIOLATION]
    if turn.touches:
        verdicts.append(Verdict(HAND, Call.VIOLATION, seat=turn.seat, facts={"times": turn.touches}))
        penalties.append(Penalty(turn.seat, HAND, turn.touches))
    awards: tuple[Award, ...] = ()
    if stand.own is not None:
        told, awards = _earned(play, turn, stand, open_=any(q.blocking for q in questions))
        verdicts += told
    return Ruling(
        GAME,
        RulingStatus.CONFIRMED if turn.confirmed else RulingStatus.PROVISIONAL,
        tuple(verdicts),
        awards=awards,
        penalties=tuple(penalties),
        questions=tuple(questions),
    )


def hindrances(ruling: Ruling | None) -> tuple[Verdict, ...]:
    """What must be put right before the die can be passed."""
    return (
        () if ruling is None else tuple(v for v in ruling.verdicts if v.call is Call.VIOLATION and v.rule in REPAIRED)
    )


def _piece(play: CactusPlay, turn: TurnRecord, stand: Stand, before: Ledger) -> Verdict:
    """Whether the piece is one that may be taken, and the one that was in the hand."""
    may = allowed(play, before, turn.rolled)
    key = stand.placed or ""
    # The back of a piece is painted like its front.
    painted = replace(stand.table, placements=tuple(replace(p, side=Side.FACE) for p in stand.table.placements))
    belief = beliefs(painted, play.deck.pieces).get(key, {})
    right = sum(p for f, p in belief.items() if f in may)
    wrong = sum(belief.values()) - right
    call = likely(right, wrong, play.options.sure)
    own = stand.own
    named = belief.get(own or "", 0.0)
    if own in may and named > RATHER:
        # Nearly always the right piece is taken, so what it might be besides weighs little where that is forbidden.
        named = PRIOR * named / (PRIOR * (1.0 - wrong) + wrong)
        call = Call.LEGAL if named >= play.options.sure else call
    facts: dict[str, Fact] = {"piece": own, "die": None if turn.rolled is None else str(turn.rolled)}
    asked = asked_of(play, before, turn.rolled)
    facts |= {"color": asked.color, "shape": asked.shape, "special": asked.special, "reference": asked.reference}
    if own is None or named < play.options.sure:
        # It may be allowed whatever it is, but what it earns depends on its name.
        call = Call.UNCERTAIN
    elif call is Call.LEGAL and turn.held in may and own != turn.held:
        call, facts = Call.VIOLATION, {**facts, "held": turn.held}
    if call is Call.VIOLATION and _stated(turn, key) is Call.LEGAL:
        call, facts = Call.LEGAL, {**facts, "declared": 1}
    return Verdict(PIECE, call, (key,), turn.seat, facts)


def _cactus(play: CactusPlay, turn: TurnRecord, stand: Stand, before: Ledger) -> Verdict:
    key = stand.placed or ""
    there = stand.table.placement(key).pose.plane
    due_there = play.after(before.cactus)
    facts: dict[str, Fact] = {"cactus": there, "expected": due_there}
    call = Call.LEGAL if due_there in (None, there) else Call.VIOLATION
    if call is Call.VIOLATION and _stated(turn, key) is Call.LEGAL:
        call, facts = Call.LEGAL, {**facts, "declared": 1}
    return Verdict(CACTUS, call, (key,), turn.seat, facts)


def _stated(turn: TurnRecord, key: str) -> Call | None:
    stated = [d.call for d in turn.declarations if isinstance(d, DeclaredCall) and d.key == key]
    return stated[-1] if stated else None


def _contacts(play: CactusPlay, turn: TurnRecord, stand: Stand) -> list[Verdict]:
    """Everything that comes near on the cactus of this turn, whoever made it so."""
    table, key = stand.table, stand.placed or ""
    cactus = table.placement(key).pose.plane
    options = play.options
    found = broken_rules(play.deck, table, stand.own, (cactus,), options.sure, options.specials_count)
    off = {f.piece for f in stand.falls if not f.hangs}
    return [_contact(play, turn, stand, b) for b in found if not off & set(b.pieces)]


def _contact(play: CactusPlay, turn: TurnRecord, stand: Stand, broken: Broken) -> Verdict:
    c, call = broken.contact, broken.call
    about = (c.a,) if c.b is None else (c.a, c.b)
    facts: dict[str, Fact] = {"gap_mm": c.gap_mm, "sigma_mm": c.sigma_mm, "touching": c.touching}
    facts |= {"a": broken.pieces[0], "b": broken.pieces[1] if len(broken.pieces) > 1 else None}
    piece = play.deck.pieces[broken.pieces[0]]
    facts |= {"color": piece.color, "shape": piece.shape}
    stated = [d for d in turn.declarations if isinstance(d, DeclaredContact) and d.kind is c.kind]
    if any({d.a, d.b} == {c.a, c.b} for d in stated):
        facts["declared"] = 1
    elif (earlier := _settled_before(play, turn, stand, broken)) is not None:
        call, facts["declared"] = Call.VIOLATION if earlier.touching else Call.LEGAL, 1
    where = tuple(_at(stand.table.placement(k)) for k in about)
    return Verdict(f"cactus.{broken.rule}", call, about, turn.seat, facts, where)


def _settled_before(play: CactusPlay, turn: TurnRecord, stand: Stand, broken: Broken) -> DeclaredContact | None:
    """What people stated of these two in an earlier turn, as long as both hang as they did then."""
    now = {p.face: p for p in stand.table.placements}
    for old in reversed(play.turns[: turn.number - 1]):
        then = {p.face: p for p in (old.left or old.before).placements}
        if not all(p in then and _still(then[p], now[p]) for p in broken.pieces):
            return None
        names = {p.key: p.face for p in old.known.placements}
        for said in reversed(old.declarations):
            if isinstance(said, DeclaredContact) and BROKEN[said.kind] == broken.rule:
                pair = {names.get(k) for k in (said.a, said.b) if k is not None}
                if pair == set(broken.pieces):
                    return said
    return None


def _still(a: Placement, b: Placement) -> bool:
    if a.pose.plane != b.pose.plane:
        return False
    off = max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))
    return off <= max(STILL_MM, 3 * math.hypot(a.sigma_mm, b.sigma_mm))


def _at(p: Placement) -> Point:
    return (p.pose.x_mm, p.pose.y_mm)


def _fallen(turn: TurnRecord, stand: Stand, fall: FallOf) -> Verdict:
    keys = [p.key for p in (*stand.table.placements, *turn.before.placements) if p.face == fall.piece]
    facts: dict[str, Fact] = {"piece": fall.piece, "how": str(fall.how)}
    return Verdict(FALLEN, fall.call, tuple(keys[:1]), turn.seat, facts)


def _earned(
    play: CactusPlay, turn: TurnRecord, stand: Stand, *, open_: bool
) -> tuple[list[Verdict], tuple[Award, ...]]:
    """What the piece earns, as verdicts and awards; in strict mode only what was claimed is spoken of."""
    assert stand.own is not None
    options, seat, key = play.options, turn.seat, stand.placed or ""
    earned = [c.why for c in rewards(play.deck, stand.hung, stand.own, options.specials_count)]
    cancelled = any(f.call is Call.VIOLATION for f in stand.falls)
    strict = options.claims == "strict"
    told: list[Verdict] = []
    awards: list[Award] = []
    counts = totals(play.deck, stand.hung, options.specials_count)
    piece = play.deck.pieces[stand.own]
    for why in earned:
        if strict and str(why) not in turn.claimed:
            continue
        facts: dict[str, Fact] = {"why": str(why), "flowers": 0 if cancelled else FLOWERS[why], "piece": piece.id}
        if why in (Why.COLOR_3, Why.COLOR_5):
            facts |= {"color": piece.color, "count": counts.colors[piece.color]}
        elif why in (Why.SHAPE_3, Why.SHAPE_5):
            facts |= {"shape": piece.shape, "count": counts.shapes[piece.shape or ""]}
        else:
            facts |= {"cactus": stand.hung[piece.id]}
        if cancelled:
            facts["cancelled"] = 1
        told.append(Verdict(REWARDS[why], Call.UNCERTAIN if open_ else Call.LEGAL, (key,), seat, facts))
        if not cancelled and not open_:
            awards.append(Award(seat, FLOWERS[why], str(why)))
    for claim in turn.claimed:
        right = claim in earned
        call = Call.UNCERTAIN if open_ else Call.LEGAL if right and not cancelled else Call.VIOLATION
        claim_facts: dict[str, Fact] = {"why": claim, "flowers": FLOWERS[Why(claim)]}
        if right and cancelled:
            claim_facts["cancelled"] = 1
        told.append(Verdict(CLAIM, call, (key,), seat, claim_facts))
    return told, tuple(awards)
