"""Where a card of CONEX was laid, and whether the rules of laying are kept.

How the printed rules are read:

- ``conex.color``: the ground under the laid corner has the corner's colour: a card's ground, or a space of the board.
  A corner beside the space, on the plain part of the board, lies on no colour.
- ``conex.single-contact``: the card touches what it is laid on and nothing else: on a card, neither another card nor
  the board; on the board, no card (option ``contact`` of ``board-too`` lets a card laid on a card touch the board).
  Touching means that the rounded outlines meet. What another card covers cannot be touched.
- ``conex.corner-covered``: no other corner is touched or covered, be it of the ground card or of another one.
- ``conex.out-of-bounds``: no part of the card leaves the agreed area. Without an area it is not judged.
- ``conex.not-attached``: a corner of the card lies on something. A card that touches nothing, or touches something with
  none of its corners, breaks it. Which corner lies on what is read from the geometry: the overlap of card and ground
  is the corner's region. Hands miss by a few millimetres (option ``tolerance_mm``), which is allowed. Where the
  overlap is another one, no printed rule is certainly broken: that is unclear, and the players are asked.
- ``conex.exact`` (option ``exact``): the overlap must be the corner's region within the tolerance.

The number printed on the laid corner counts, two more on a plus-2 card, all doubled under a 2x star. A doubtful reading
of card, ground or corner breaks no rule and gives no points where these depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.deck import ConexDeck
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_readings import Reading, find_readings
from scoring.games.conex_rules import (
    COLOR,
    CONEX_RULES,
    CORNER_COVERED,
    EXACT,
    NOT_ATTACHED,
    OUT_OF_BOUNDS,
    SINGLE_CONTACT,
    Judge,
)
from scoring.games.conex_scene import Scene, faces_of
from scoring.measure import likely
from scoring.table import Candidate, Side, TableState, TokenKind
from scoring.verdicts import Call, Ground, PlacementRuling, Verdict

__all__ = [
    "COLOR",
    "CONEX_RULES",
    "CORNER_COVERED",
    "EXACT",
    "NOT_ATTACHED",
    "OUT_OF_BOUNDS",
    "SINGLE_CONTACT",
    "Stated",
    "doubling",
    "judge_placement",
]

PLUS_TWO = 2
"""Points for laying on a plus-2 card."""
_MOST_CANDIDATES = 8
_LEAST_WEIGHT = 1e-4
"""What is less likely changes no call."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a person says of a laid card; None leaves it to the camera.

    Parameters
    ----------
    face
        Face id of the card.
    onto
        What it was laid onto.
    corner
        Index of the corner that was laid.
    call
        Whether it is allowed, whatever the geometry says.
    """

    face: str | None = None
    onto: Ground | None = None
    corner: int | None = None
    call: Call | None = None


def judge_placement(
    table: TableState,
    key: str,
    deck: ConexDeck,
    options: ConexOptions | None = None,
    declared: Stated | None = None,
) -> tuple[PlacementRuling, tuple[Verdict, ...]]:
    """Judge the card of that key as the last one laid.

    Parameters
    ----------
    table
        The settled table with the card on it.
    key
        Key of the laid card; KeyError where the table has none of it.
    deck
        The deck that lies on the table.
    options
        House rules; None plays the defaults.
    declared
        What a person stated about this card.

    Returns
    -------
    PlacementRuling, tuple of Verdict
        The card's ruling, and every rule that was held against it, the kept ones too. A wrong or unclear move is a
        value, never an exception. `Verdict.about` is (key, key of the other thing | ``board`` | ``area``).
    """
    options = options or ConexOptions()
    said = declared or Stated()
    table = _with_face(table, key, said.face)
    scene = Scene(table, table.placement(key), deck, options.touch_band_mm)
    judge = Judge(scene, options)
    every = find_readings(scene, judge.touched, said.corner, said.onto)
    readings = [r for r in every if r.weight >= _LEAST_WEIGHT] or list(every[:1])
    judged = [judge.verdicts(r) for r in readings]
    verdicts = _merged(readings, judged, options.sure)

    best = readings[0]
    outcomes: dict[tuple[int, int] | None, float] = {}
    for r in readings:
        worth = _worth(judge, r)
        outcomes[worth] = outcomes.get(worth, 0.0) + r.weight
    worth = _worth(judge, best)
    if worth is None or outcomes[worth] < options.sure:
        worth = (0, 0)
        verdicts = _doubted(verdicts, scene.card.key)
    if best.face is None and said.face is None:
        verdicts = _unproven(verdicts)
    value, bonus = worth
    doubled = doubling(table, key, STAR_SURE) is Call.LEGAL
    ruling = PlacementRuling(
        key,
        best.face.id if best.face else None,
        best.spot.ground if best.spot and not judge.is_loose(best) else None,
        None if judge.is_loose(best) else best.corner,
        said.call or overall(verdicts),
        value,
        bonus,
        doubled,
        (value + bonus) * (2 if doubled else 1),
        _candidates(every),
        said.face is not None or best.stated,
        said.call is not None,
    )
    return ruling, verdicts


def _unproven(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """What has no name may be no card of the game: it breaks nothing for certain."""
    return tuple(replace(v, call=Call.UNCERTAIN) if v.call is Call.VIOLATION else v for v in verdicts)


def overall(verdicts: Sequence[Verdict]) -> Call:
    """One certain violation breaks the placement; else one doubt makes it uncertain."""
    calls = {v.call for v in verdicts}
    return next((c for c in (Call.VIOLATION, Call.UNCERTAIN) if c in calls), Call.LEGAL)


STAR_SURE = 0.7
"""Probability from which a star that was read counts: it is large, and nothing else looks like it."""


def doubling(table: TableState, key: str, sure: float) -> Call:
    """Whether a 2x star lies on that card: legal yes, violation no, uncertain where one was read with doubt."""
    stars = [t for t in table.tokens if t.kind is TokenKind.STAR and t.name == "2x" and t.on == key]
    if not stars:
        return Call.VIOLATION
    return Call.LEGAL if max(t.confidence for t in stars) >= sure else Call.UNCERTAIN


def _with_face(table: TableState, key: str, face: str | None) -> TableState:
    if face is None:
        return table
    stated = replace(
        table.placement(key), face=face, confidence=1.0, candidates=(Candidate(face, 1.0),), side=Side.FACE
    )
    # A card exists once: whatever else was read as this face is another one.
    others = tuple(
        replace(p, face=None, candidates=()) if p.face == face and p.key != key else p for p in table.placements
    )
    return replace(table, placements=tuple(stated if p.key == key else p for p in others))


def _worth(judge: Judge, reading: Reading) -> tuple[int, int] | None:
    """Value and bonus of a reading; None where they cannot be told."""
    if reading.spot is None:
        return (0, 0)
    if reading.face is None or reading.corner is None:
        return None
    if reading.fit is not None and reading.fit.share < 0.5 and not (reading.stated or judge.fits(reading)):
        # Most of this corner lies elsewhere: it is the likeliest of many bad ones, no more.
        return None
    if reading.fit is None or reading.spot.thing.is_board:
        bonus = Call.VIOLATION
    else:
        plus = plain = 0.0
        for face, p in faces_of(reading.spot.thing.belief, judge.scene.deck):
            if face is not None and face.symbol == "plus2":
                plus += p
            elif face is not None:
                plain += p
        bonus = likely(plus, plain, judge.options.sure)
    if bonus is Call.UNCERTAIN:
        return None
    return (reading.face.corners[reading.corner].value, PLUS_TWO if bonus is Call.LEGAL else 0)


def _merged(readings: Sequence[Reading], judged: Sequence[tuple[Verdict, ...]], sure: float) -> tuple[Verdict, ...]:
    """The likeliest reading's verdicts, each as sure as the other readings leave it."""
    broken: dict[str, float] = {}
    doubtful: dict[tuple[object, ...], float] = {}
    for r, verdicts in zip(readings, judged, strict=True):
        for rule in {v.rule for v in verdicts if v.call is Call.VIOLATION}:
            broken[rule] = broken.get(rule, 0.0) + r.weight
        for name in {_name(v) for v in verdicts if v.call is not Call.LEGAL}:
            doubtful[name] = doubtful.get(name, 0.0) + r.weight
    merged = []
    for v in judged[0]:
        unsure = broken[v.rule] < sure if v.call is Call.VIOLATION else doubtful.get(_name(v), 0.0) > 1 - sure
        merged.append(replace(v, call=Call.UNCERTAIN) if unsure else v)
    for verdicts in judged[1:]:
        # What only another reading breaks is told once, as a doubt.
        for v in verdicts:
            told = any(m.rule == v.rule and m.call is not Call.LEGAL for m in merged)
            if v.call is Call.VIOLATION and broken[v.rule] > 1 - sure and not told:
                merged.append(replace(v, call=Call.UNCERTAIN))
    return tuple(merged)


def _name(v: Verdict) -> tuple[object, ...]:
    return (v.rule, v.about, v.facts.get("corner") if v.rule == CORNER_COVERED else None)


def _doubted(verdicts: Sequence[Verdict], key: str) -> tuple[Verdict, ...]:
    """The same, with the doubt about what lies where told."""
    if any(v.rule == NOT_ATTACHED and v.call is not Call.LEGAL for v in verdicts):
        return tuple(verdicts)
    found = [v for v in verdicts if v.rule == NOT_ATTACHED]
    facts: Mapping[str, str] = {"why": "reading"}
    if not found:
        return (*verdicts, Verdict(NOT_ATTACHED, Call.UNCERTAIN, (key,), facts=facts))
    return tuple(replace(v, call=Call.UNCERTAIN, facts={**v.facts, **facts}) if v is found[0] else v for v in verdicts)


def _candidates(readings: Sequence[Reading]) -> tuple[tuple[Ground, int], ...]:
    found: dict[tuple[Ground, int], float] = {}
    for r in readings:
        if r.spot is not None and r.corner is not None:
            name = (r.spot.ground, r.corner)
            found[name] = found.get(name, 0.0) + r.weight
    first = readings[0]
    taken = (first.spot.ground, first.corner) if first.spot and first.corner is not None else None
    return tuple(c for c in sorted(found, key=lambda c: -round(found[c], 9)) if c != taken)[:_MOST_CANDIDATES]
