"""Form fields of Cactus: what becomes of a button, and what is refused, whatever a browser sends."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from scoring.commands import AcceptTable, Declare, RollDie
from scoring.moves import (
    CactusDie,
    DeclaredClaim,
    DeclaredContact,
    DeclaredFall,
    DeclaredHung,
    DeclaredSpecials,
    Fall,
)
from scoring.table import ContactKind
from tests.webui.cactus_fakes import CactusTable
from tests.webui.conex_fakes import ConexTable
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from webui.cactus.forms import listed, parse_cactus


def form(**fields: str) -> MultiDict[str, str]:
    return MultiDict(fields)


def fact(**fields: str) -> object:
    (said,) = parse_cactus(form(**fields)) or ()
    assert isinstance(said, Declare)
    return said.what


def test_buttons_become_commands() -> None:
    """Each button of the page is one command; those of other games are none of its own."""
    (roll,) = parse_cactus(form(command="cactus_roll", face="special")) or ()
    assert isinstance(roll, RollDie)
    assert roll.face is CactusDie.SPECIAL
    (begin,) = parse_cactus(form(command="begin_by_hand", cacti="K1, K2,,K3")) or ()
    assert isinstance(begin, AcceptTable)
    assert begin.table.cacti == ("K1", "K2", "K3")
    assert fact(command="hang", piece="hook-red", cactus="K2") == DeclaredHung("hook-red", "K2")
    assert fact(command="declare_fall", piece="hook-red", what="late") == DeclaredFall("hook-red", Fall.LATE)
    for other in ("draw", "roll", "confirm", "declare_die", ""):
        assert parse_cactus(form(command=other)) is None


def test_facts_of_several_things_keep_their_order() -> None:
    """Claims are told once each, the row of specials as it stands, a contact with base or table without a partner."""
    many = MultiDict([("command", "claim"), ("why", "color-3"), ("why", "shape-5"), ("why", "color-3")])
    (said,) = parse_cactus(many) or ()
    assert isinstance(said, Declare)
    assert said.what == DeclaredClaim(("color-3", "shape-5"))
    row = MultiDict([("command", "declare_specials"), ("piece", "hat"), ("piece", ""), ("piece", "bird")])
    (said,) = parse_cactus(row) or ()
    assert isinstance(said, Declare)
    assert said.what == DeclaredSpecials(("hat", "bird"))
    contact = fact(command="declare_contact", kind="base", a="3", b="", touching="yes")
    assert contact == DeclaredContact(ContactKind.BASE, "3", None, True)
    (said,) = parse_cactus(form(command="touched", times="2", round="4")) or ()
    assert isinstance(said, Declare)
    assert said.round == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"command": "cactus_roll", "face": "7"},
        {"command": "cactus_roll"},
        {"command": "hang", "piece": "", "cactus": "K1"},
        {"command": "hang", "piece": "x" * 65, "cactus": "K1"},
        {"command": "hang", "piece": "hook-red", "cactus": "\x00"},
        {"command": "declare_contact", "kind": "smell", "a": "1", "touching": "yes"},
        {"command": "declare_contact", "kind": "base", "a": "1", "touching": "perhaps"},
        {"command": "declare_fall", "piece": "hook-red", "what": "flew"},
        {"command": "touched", "times": "-1"},
        {"command": "touched", "times": "1e3"},
        {"command": "touched", "times": "٣"},
        {"command": "claim"},
        {"command": "claim", "why": "beauty"},
        {"command": "declare_flowers", "seat": "6", "flowers": "3"},
        {"command": "declare_flowers", "seat": "1", "flowers": ""},
        {"command": "declare_specials", "piece": "x" * 65},
        {"command": "cactus_die", "face": "2x"},
        {"command": "begin_by_hand", "cacti": ""},
        {"command": "begin_by_hand", "cacti": "K" * 500},
    ],
)
def test_wrong_fields_are_named(cactus: CactusTable, fields: dict[str, Any]) -> None:
    """A field that cannot be understood is refused with status 400, and nothing is written."""
    cactus.begin()
    seq = cactus.match.seq
    answer = cactus.do(fields["command"], **{k: v for k, v in fields.items() if k != "command"})
    assert answer.status_code == 400
    assert answer.json is not None
    assert len(answer.json["message"]) < 300
    assert cactus.match.seq == seq


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("cactus_roll", {"face": "color"}),
        ("confirm", {}),
        ("hang", {"piece": "nothing", "cactus": "K1"}),
        ("hang", {"piece": "hook-red", "cactus": "K9"}),
        ("declare_contact", {"kind": "same-color", "a": "hook-red", "b": "moon-red", "touching": "yes"}),
        ("declare_fall", {"piece": "hook-red", "what": "fell"}),
        ("touched", {"times": "99"}),
        ("claim", {"why": "color-3"}),
        ("impossible", {}),
        ("declare_flowers", {"seat": "5", "flowers": "3"}),
        ("declare_flowers", {"seat": "1", "flowers": "999999999"}),
        ("declare_specials", {"piece": "hat"}),
        ("declare_call", {"key": "1", "call": "legal"}),
        ("declare_face", {"key": "nobody", "face": "hook-red"}),
        ("touched", {"times": "1", "round": "77"}),
        ("begin_by_hand", {"cacti": "K1,K2,K3,K4,K5"}),
        ("draw", {}),
        ("roll", {"face": "2x"}),
        ("call", {"seat": "south"}),
    ],
)
def test_impossible_commands_are_refused_with_a_reason(
    cactus: CactusTable, command: str, fields: dict[str, Any]
) -> None:
    """What cannot be done now is refused with status 422 and a sentence, and nothing is written."""
    cactus.begin()
    seq = cactus.match.seq
    answer = cactus.do(command, **fields)
    assert answer.status_code == 422, answer.text
    assert answer.json is not None
    assert answer.json["message"].endswith(".")
    assert cactus.match.seq == seq


def test_refusals_that_people_meet_are_translated(cactus: CactusTable) -> None:
    """The rules' own refusals reach a German reader in German; the patterns fit what the rules really say."""
    cactus.begin()

    def meet(command: str, **fields: Any) -> None:
        answers = []
        for language in ("en", "de"):
            cactus.client.get(f"/language/{language}")
            answer = cactus.do(command, **fields)
            assert answer.status_code == 422
            answers.append((answer.json or {})["message"])
        assert answers[0] != answers[1], answers

    meet("confirm")
    meet("declare_specials", piece="hat")
    meet("declare_flowers", seat="1", flowers="500")
    meet("declare_fall", piece="hook-red", what="fell")
    first = cactus.play()
    meet("confirm")
    meet("hang", piece=first, cactus="K2")
    cactus.done("cactus_roll", face="special")
    meet("cactus_roll", face="color")
    cactus.hang(cactus.may()[0], "K4")
    meet("confirm")
    assert cactus.turn.key is not None
    meet("declare_call", key=cactus.turn.key, call="violation")
    meet("declare_contact", kind="base", a="nobody", b="", touching="yes")
    meet("declare_fall", piece=first, what="hangs", round="1")
    cactus.done("finish")
    meet("confirm")


def test_second_tap_is_late(cactus: CactusTable) -> None:
    """A command carries what the person saw: after another one it is refused, and nobody pays twice."""
    cactus.begin()
    seq = cactus.match.seq
    assert cactus.do("touched", seq=seq, times="1").status_code == 200
    assert cactus.do("touched", seq=seq, times="2").status_code == 409
    assert cactus.turn.touches == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"player-2": "", "player-3": ""},
        {"player-1": "N" * 25},
        {"start": "5"},
        {"start": "south"},
        {"claims": "perhaps"},
        {"fallen": ""},
        {"specials": "x"},
        {"no_piece": "x"},
        {"impossible": "x"},
        {"order-K1": "1"},
        {"order-K1": "٣", "order-K2": "1"},
    ],
)
def test_wrong_match_is_refused(cactus: CactusTable, fields: dict[str, Any]) -> None:
    """Too few players, a start player who is not there, values that are none."""
    data = {**cactus.form(), **fields}
    answer = cactus.client.post("/matches/new", data=data, headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert cactus.snapshot.match is None


def test_names_are_text_and_no_markup(cactus: CactusTable) -> None:
    """A player's name and a strange key in an address are shown as they are, never carried out."""
    cactus.begin(**{"player-1": "<img src=x>"})
    page = cactus.page()
    assert "<img src=x>" not in page
    assert "&lt;img src=x&gt;" in page
    for path in (
        "/hangs/1/pieces/<b>",
        "/hangs/0/falls",
        "/hangs/99/contacts",
        "/turns/0",
        "/where/nothing",
        "/where/%00",
    ):
        assert cactus.client.get(f"/matches/{cactus.match.id}{path}").status_code == 404, path
    refused = cactus.client.post("/matches/new", data={**cactus.form(), "player-2": '"><script>', "start": "5"})
    assert "<script>" not in refused.text.replace("<script src=", "")


def test_commands_need_the_token_of_the_page(cactus: CactusTable) -> None:
    """Nobody else's page can roll or take the cacti."""
    cactus.begin()
    for what in ("take", "do", "look"):
        answer = cactus.client.post(f"/matches/{cactus.match.id}/{what}", data={"seq": "2"})
        assert answer.status_code == 403


def test_pages_of_one_game_are_not_those_of_the_other(
    cactus: CactusTable, conex: ConexTable, table: Table, three_rows: FakeFrame
) -> None:
    """No other game has pages of hung pieces, and Cactus has none of theirs."""
    cactus.begin()
    for path in ("rounds/1", "coach", "counts", "area", "turns/1/points", "turns/1/cards/1"):
        assert cactus.client.get(f"/matches/{cactus.match.id}/{path}").status_code == 404, path
    conex.begin()
    table.begin()
    table.to_verdict(three_rows)
    for path in ("hangs/1/falls", "hangs/1/contacts", "stock", "where/hook-red"):
        assert conex.client.get(f"/matches/{conex.match.id}/{path}").status_code == 404
        assert table.client.get(f"/matches/{table.match.id}/{path}").status_code == 404
    assert conex.do("cactus_roll", face="color").status_code == 422


def test_list_of_names_is_a_list_whatever_comes() -> None:
    """An option of an imported match may be anything."""
    assert listed(" a, b ,,c") == ("a", "b", "c")
    assert listed(7) == listed(None) == listed("") == ()
