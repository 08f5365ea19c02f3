"""Properties of the ruling on a turn of Cactus: what must never change a call, and what may only make it unsure."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.commands import RecordTable
from scoring.events import decode, encode
from scoring.match import decide, judge_live
from scoring.table import Contact, Placement, TableState
from scoring.verdicts import Call, Ruling
from tests.scoring.cactus_game import Game
from tests.scoring.cactus_tables import contact

START = {"hook-red": "K2", "gate-blue": "K2", "bar-green": "K3", "cloud": "K2", "stair-violet": "K5"}
NEAR = (("color", "hook-red", "cloud"), ("color", "gate-blue", "hook-blue"), ("shape", "hook-red", "hook-blue"))


def ready() -> Game:
    """A blue piece is to be hung on K2."""
    game = Game(2, START)
    game.turns(("", "bar-blue", "K1"))
    game.roll("color")
    return game


READY = ready()


def seen(rng: random.Random, near: tuple[float, ...]) -> TableState:
    """The blue hook hangs there; some pieces may have fallen, and some come near each other."""
    game = READY
    pieces = dict(game.hung)
    lying: list[Placement] = []
    for name in sorted(pieces):
        if name != "bar-blue" and rng.random() < 0.15:
            lying.append(replace(pieces.pop(name), pose=replace(game.hung[name].pose, plane="table")))
    hook = replace(game.hung["hook-red"], key="hook-blue", face="hook-blue")
    hook = replace(hook, pose=replace(hook.pose, x_mm=25.0, y_mm=-60.0, plane=rng.choice(("K2", "K2", "K4"))))
    touch = [contact(a, b, kind, p) for (kind, a, b), p in zip(NEAR, near, strict=True)]
    touch.append(contact("hook-blue", None, "base", near[0]))
    keys = {*pieces, "hook-blue"}
    contacts = tuple(c for c in touch if c.a in keys and (c.b is None or c.b in keys))
    return replace(game.table(), placements=(*pieces.values(), hook, *lying), contacts=contacts)


def said(ruling: Ruling) -> dict[tuple[str, frozenset[str]], Call]:
    """Call of each rule by what it is about."""
    return {(v.rule, frozenset(v.about)): v.call for v in ruling.verdicts}


nears = st.tuples(*([st.floats(0.0, 1.0)] * len(NEAR)))


@given(st.randoms(use_true_random=False), nears)
def test_the_order_of_pieces_and_contacts_changes_nothing(rng: random.Random, near: tuple[float, ...]) -> None:
    """A table is a set of pieces; a contact has no direction."""
    table = seen(rng, near)
    before = judge_live(READY.state, table)
    pieces, contacts = list(table.placements), list(table.contacts)
    rng.shuffle(pieces)
    rng.shuffle(contacts)
    turned = [c if c.b is None else replace(c, a=c.b, b=c.a) for c in contacts]
    again = judge_live(READY.state, replace(table, placements=tuple(pieces), contacts=tuple(turned)))
    assert said(again) == said(before)
    assert again.awards == before.awards
    assert sorted(p.rule for p in again.penalties) == sorted(p.rule for p in before.penalties)


@given(st.randoms(use_true_random=False), nears, st.floats(0, 40), st.floats(-40, 40))
def test_where_the_pieces_hang_on_their_cactus_changes_no_call(
    rng: random.Random, near: tuple[float, ...], dx: float, dy: float
) -> None:
    """What touches is measured; of what was pushed in the turn the rules do not care where to."""
    table = seen(rng, near)

    def shifted(x_mm: float, y_mm: float) -> TableState:
        poses = [replace(p.pose, x_mm=p.pose.x_mm + x_mm, y_mm=p.pose.y_mm + y_mm) for p in table.placements]
        return replace(
            table, placements=tuple(replace(p, pose=q) for p, q in zip(table.placements, poses, strict=True))
        )

    before, after = (judge_live(READY.state, shifted(*by)) for by in ((3.0, 0.0), (3.0 + dx, dy)))
    assert said(after) == said(before)
    assert (after.awards, after.penalties) == (before.awards, before.penalties)


@given(st.randoms(use_true_random=False), nears, st.floats(0.0, 1.0))
def test_more_doubt_only_makes_a_contact_unsure(rng: random.Random, near: tuple[float, ...], doubt: float) -> None:
    """Drawn towards one half a probability may turn a call into uncertain, never into the opposite."""
    table = seen(rng, near)

    def doubtful(c: Contact) -> Contact:
        return replace(c, touching=c.touching + doubt * (0.5 - c.touching))

    less = said(judge_live(READY.state, table))
    more = said(judge_live(READY.state, replace(table, contacts=tuple(doubtful(c) for c in table.contacts))))
    assert less.keys() == more.keys()
    for key, call in more.items():
        assert call in (less[key], Call.UNCERTAIN), key


@given(st.randoms(use_true_random=False), nears)
def test_penalties_are_those_of_the_fallen_and_cancel_the_rewards(rng: random.Random, near: tuple[float, ...]) -> None:
    """One flower for each piece that hung and lies; then nothing is earned."""
    table = seen(rng, near)
    lying = {p.face for p in table.placements if p.pose.plane == "table"}
    ruling = judge_live(READY.state, table)
    assert sum(p.points for p in ruling.penalties) == len(lying)
    assert not (ruling.awards and lying)
    where = {p.face: p.pose.plane for p in table.placements if p.pose.plane != "table"}
    third = sum(f.endswith("blue") for f in where if f) == 3
    alone = where["hook-blue"]
    assert [a.item for a in ruling.awards] == (["color-3"] if third and not lying else [])
    assert alone in ("K2", "K4")


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), nears)
def test_events_survive_being_stored(rng: random.Random, near: tuple[float, ...]) -> None:
    """decode(encode(e)) == e for whatever a table leads to."""
    for event in decide(READY.state, RecordTable("t", seen(rng, near))):
        assert decode(encode(event)) == event
