"""Anything may be asked of a match of Cactus in any order: it is refused in a sentence, or the log stays sound."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from scoring.commands import AcceptTable, Command, CommandName, ConfirmRound, Declare, RecordTable, RollDie, Undo
from scoring.errors import RefereeError
from scoring.events import decode, encode
from scoring.games.cactus_count import Why
from scoring.games.cactus_must import must_of
from scoring.games.cactus_play import CactusPlay
from scoring.games.cactus_todo import checklist
from scoring.match import decide, fold, judge_live, legal_commands, news, out_of_step, rejudge
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredCall,
    DeclaredClaim,
    DeclaredContact,
    DeclaredDie,
    DeclaredFace,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.play import Phase
from scoring.table import ContactKind, Placement, TableState
from scoring.verdicts import Call
from tests.scoring.cactus_game import DECK, Game
from tests.scoring.cactus_tables import contact, piece

PIECES = list(DECK.pieces)
CACTI = list(DECK.cacti)
STEPS = 60


class Monkey:
    """Hangs, drops, rolls and states at random, now and then something sensible."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        rng = self.rng
        self.game = Game(
            rng.randint(2, 5),
            {p: rng.choice(CACTI) for p in rng.sample(PIECES, rng.choice((0, 0, 5, 20)))},
            claims=rng.choice(("coach", "strict")),
            fallen=rng.choice(("discard", "return")),
            no_piece=rng.choice(("end", "reroll")),
            specials=rng.choice(("color", "none")),
            impossible=rng.choice(("discard", "off")),
        )

    def table(self) -> TableState:
        """What hangs now: a right move, or anything at all."""
        rng, game = self.rng, self.game
        must = must_of(game.play)
        if must is not None and must.pieces and rng.random() < 0.6:
            name = rng.choice(must.pieces)
            game.hung[name] = self.some(name, rng.choice(must.cacti))
            game.lying.pop(name, None)
        if rng.random() < 0.3:
            name = rng.choice(PIECES)
            game.hung[name] = self.some(name, rng.choice(CACTI))
        for name in list(game.hung):
            if rng.random() < 0.06:
                rng.choice((game.fall, game.take))(name)
        keys = list(game.hung) + list(game.lying)
        if len(keys) > 1:
            pairs = [rng.sample(keys, 2) for _ in range(rng.randint(0, 4))]
            kinds = ("color", "shape", "base", "table")
            chosen = [(rng.choice(kinds), a, b) for a, b in pairs]
            game.touch = tuple(
                contact(a, b if k in kinds[:2] else None, k, rng.choice((0.0, 0.5, 1.0))) for k, a, b in chosen
            )
        return game.table()

    def some(self, name: str, cactus: str) -> Placement:
        rng = self.rng
        there = piece(name, cactus, (rng.uniform(-30, 30), rng.uniform(-90, 0)), rng.choice((0.4, 0.8, 1.0)))
        return replace(there, face=rng.choice((name, name, name, None, rng.choice(PIECES))), visible=rng.random())

    def command(self) -> Command:
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return RecordTable("t", self.table())
        if kind < 0.4:
            return AcceptTable("t", self.table())
        if kind < 0.55:
            return RollDie("t", rng.choice(list(CactusDie)))
        if kind < 0.75:
            return ConfirmRound("t")
        if kind < 0.8:
            return Undo("t")
        number = rng.choice((None, None, None, rng.randint(1, 9)))
        return Declare("t", self.fact(), number)

    def fact(self) -> Declaration:
        rng, play = self.rng, self.game.play
        if not play.turns:
            return DeclaredImpossible()
        turn = play.turns[-1]
        keys = [p.key for p in turn.known.placements] or ["?"]
        name, cactus = rng.choice(PIECES), rng.choice(CACTI)
        row = list(play.ledger.row)
        rng.shuffle(row)
        facts: list[Declaration] = [
            DeclaredFace(turn.placed or rng.choice(keys), rng.choice((name, name, None))),
            DeclaredContact(
                rng.choice(list(ContactKind)),
                rng.choice(keys),
                rng.choice((rng.choice(keys), None)),
                rng.random() < 0.5,
            ),
            DeclaredFall(
                rng.choice([p.face or name for p in turn.before.placements] or [name]), rng.choice(list(Fall))
            ),
            DeclaredHung(name, cactus),
            DeclaredTouches(rng.randint(0, 3)),
            DeclaredClaim((rng.choice(list(Why)).value,)),
            DeclaredImpossible(),
            DeclaredCall(turn.placed or "?", rng.choice((Call.LEGAL, Call.LEGAL, Call.VIOLATION))),
            DeclaredFlowers(rng.choice(play.seats), rng.randint(0, 20)),
            DeclaredSpecials(tuple(row)),
            DeclaredDie(rng.choice(list(CactusDie))),
        ]
        return rng.choice(facts)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_breaks_a_match(seed: int) -> None:
    """Refusals are sentences; what is accepted folds, is stored, is judged again the same, and keeps its counts."""
    monkey = Monkey(seed)
    game = monkey.game
    refused: list[str] = []
    for _ in range(STEPS):
        command = monkey.command()
        offered = legal_commands(game.state)
        try:
            events = decide(game.state, command)
        except RefereeError as error:
            refused.append(error.message)
            events = ()
        if isinstance(command, ConfirmRound):
            assert bool(events) is (CommandName.CONFIRM_ROUND in offered)
        game.log += events
        game.state = fold(game.log)
        sound(game)
    assert all(message.endswith(".") for message in refused)
    assert [decode(encode(e)) for e in game.log] == game.log
    assert rejudge(game.log) == ()


def sound(game: Game) -> None:
    """What must hold of any match at any time."""
    play = game.play
    assert isinstance(play, CactusPlay)
    ledger = play.ledger
    assert ledger.bank.tokens == 3 * len(play.seats) + 10
    assert min(ledger.bank.reserve, *ledger.bank.values.values()) >= 0
    specials = [p for p in ledger.hung if DECK.pieces[p].special]
    assert sorted([*ledger.row, *specials]) == sorted(DECK.specials)
    basics = {*ledger.supply, *(p for p in ledger.hung if p not in specials)}
    assert basics | set(ledger.discarded) == {p.id for p in DECK.pieces.values() if not p.special}
    assert not set(ledger.supply) & ({*ledger.hung} | set(ledger.discarded))
    must, todo = must_of(play), checklist(play)
    assert (must is None) == (todo == ()) == (play.turn is None)
    if must is not None and game.state.phase is Phase.TURN:
        assert must.pieces or must.held or must.die is None
    assert len([t for t in todo if t.state == "now"]) <= 1
    table = game.table()
    judge_live(game.state, table)
    news(game.state, table)
    out_of_step(game.state, table)
