"""What a browser sends to a match of CONEX: understood, or refused with one sentence and nothing changed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from scoring.commands import ConfirmRound, CreateMatch, Declare, DrawTwo, FinishMatch, RollDie, UseLightning
from scoring.deck import RoxDeck
from scoring.events import Player
from scoring.moves import DeclaredGround, DeclaredStar, DieFace
from scoring.verdicts import Ground
from tests.webui.conex_fakes import ConexTable
from tests.webui.conftest import Table
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource
from webui.conex.forms import parse_area, parse_conex
from webui.inputs import BadInputError
from webui.log.store import now
from webui.table.requests import Begin
from webui.table.runner import Runner


def form(**fields: str) -> MultiDict[str, str]:
    return MultiDict(fields)


def test_buttons_become_commands() -> None:
    """Each button of the page is one command, or two in a row."""
    assert [type(c) for c in parse_conex(form(command="accept_draw")) or ()] == [ConfirmRound, DrawTwo]
    assert [type(c) for c in parse_conex(form(command="accept_roll", face="2x")) or ()] == [ConfirmRound, RollDie]
    (roll,) = parse_conex(form(command="roll", face="two-cards")) or ()
    assert isinstance(roll, RollDie)
    assert roll.face is DieFace.TWO_CARDS
    (used,) = parse_conex(form(command="lightning", key="7")) or ()
    assert isinstance(used, UseLightning)
    assert used.key == "7"
    (over,) = parse_conex(form(command="agree_end")) or ()
    assert isinstance(over, FinishMatch)
    assert not over.early
    assert parse_conex(form(command="call", seat="south")) is None


def test_facts_may_leave_things_to_the_camera() -> None:
    """A corner without a ground, a ground without a corner, a star with nobody; an earlier turn by its number."""

    def fact(**fields: str) -> Declare:
        (said,) = parse_conex(form(**fields)) or ()
        assert isinstance(said, Declare)
        return said

    assert fact(command="declare_ground", key="3", corner="1").what == DeclaredGround("3", None, 1)
    assert fact(command="declare_ground", key="3", onto="card:5").what == DeclaredGround("3", Ground(key="5"), None)
    assert fact(command="declare_ground", key="3", onto="space:2").what == DeclaredGround("3", Ground(space=2), None)
    assert fact(command="declare_star", kind="2x", seat="").what == DeclaredStar("2x", None)
    assert fact(command="declare_points", points="4", round="2").round == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"command": "roll", "face": "7"},
        {"command": "roll"},
        {"command": "lightning", "key": ""},
        {"command": "lightning", "key": "x" * 65},
        {"command": "declare_ground", "key": "1", "onto": "table:1"},
        {"command": "declare_ground", "key": "1", "onto": "space:-1"},
        {"command": "declare_ground", "key": "1", "onto": "card:"},
        {"command": "declare_ground", "key": "1", "corner": "one"},
        {"command": "declare_call", "key": "1", "call": "uncertain"},
        {"command": "declare_double", "doubled": "perhaps"},
        {"command": "declare_seat", "seat": "up"},
        {"command": "declare_points", "points": "-3"},
        {"command": "declare_points", "points": "1e3"},
        {"command": "declare_hand", "seat": "south", "cards": "٣"},
        {"command": "declare_star", "kind": "sun", "seat": "south"},
        {"command": "declare_face", "key": "\x00", "face": "C01"},
    ],
)
def test_wrong_fields_are_named(conex: ConexTable, fields: dict[str, str]) -> None:
    """A field that cannot be understood is refused with status 400, and nothing is written."""
    conex.begin()
    seq = conex.match.seq
    answer = conex.do(fields.pop("command"), **fields)
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["message"]
    assert conex.match.seq == seq


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("roll", {"face": "2x"}),
        ("confirm", {}),
        ("end_turn", {}),
        ("pass", {}),
        ("lightning", {"key": "1"}),
        ("declare_face", {"key": "nobody", "face": "C01"}),
        ("declare_face", {"key": "1", "face": "C99"}),
        ("declare_ground", {"key": "1", "onto": "space:99"}),
        ("declare_ground", {"key": "1", "corner": "999999999"}),
        ("declare_points", {"points": "100"}),
        ("declare_seat", {"seat": "east"}),
        ("declare_hand", {"seat": "east", "cards": "3"}),
        ("declare_points", {"points": "3", "round": "77"}),
        ("declare_double", {"doubled": "yes"}),
    ],
)
def test_impossible_commands_are_refused_with_a_reason(conex: ConexTable, command: str, fields: dict[str, str]) -> None:
    """What cannot be done now is refused with status 422 and a sentence, and nothing is written."""
    conex.begin()
    seq = conex.match.seq
    answer = conex.do(command, **fields)
    assert answer.status_code == 422, answer.text
    assert answer.json is not None
    assert answer.json["message"].endswith(".")
    assert conex.match.seq == seq


def test_refusals_that_people_meet_are_translated(conex: ConexTable) -> None:
    """The rules' own refusals reach a German reader in German; the patterns fit what the rules really say."""
    conex.begin()

    def meet(command: str, **fields: str) -> None:
        answers = []
        for language in ("en", "de"):
            conex.client.get(f"/language/{language}")
            answer = conex.do(command, **fields)
            assert answer.status_code == 422
            answers.append((answer.json or {})["message"])
        assert answers[0] != answers[1], answers

    meet("pass")
    meet("confirm")
    meet("roll", face="card")
    meet("end_turn")
    meet("lightning", key="1")
    conex.done("declare_pile", cards="0")
    meet("draw")
    conex.lay("C01")
    meet("draw")
    meet("declare_double", doubled="yes")
    conex.done("declare_call", key=conex.laid.key, call="violation")
    meet("confirm")


def test_second_tap_is_late(conex: ConexTable) -> None:
    """A command carries what the person saw: after another one it is refused, and nobody draws twice."""
    conex.begin()
    seq = conex.match.seq
    assert conex.do("draw", seq=seq).status_code == 200
    assert conex.do("draw", seq=seq).status_code == 409
    assert conex.match.turns[-1].number == 1
    assert conex.post("take", seq=str(seq)).status_code == 409


@pytest.mark.parametrize(
    "fields",
    [
        {"player-west": ""},
        {"pawn-west": "white"},
        {"pawn-west": "pink"},
        {"start": "east"},
        {"start": "up"},
        {"hand": "-1"},
        {"goal": "x"},
        {"exact": "maybe"},
        {"accept": ""},
        {"player-south": "N" * 25},
    ],
)
def test_wrong_match_is_refused(conex: ConexTable, fields: dict[str, str]) -> None:
    """Too few players, one pawn for two, a start player who is not there, values that are none."""
    data = {**conex.form(), "player-north": "", **fields}
    answer = conex.client.post("/matches/new", data=data, headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert conex.snapshot.match is None


@pytest.mark.parametrize(
    "area",
    [
        "1,2 3,4",
        "a,b c,d e,f",
        "nan,1 5,5 9,1",
        "inf,1 500,5 9,900",
        "0,0 10,0 10,10",
        "0,0 900,600 900,0 0,600",
        " ".join(f"{n},{n * n}" for n in range(97)),
        "1 2 3",
        "0,0 100,0 100,100 0,0 100,0 100,100",
    ],
)
def test_area_that_is_none_is_refused(conex: ConexTable, area: str) -> None:
    """Too few corners, no numbers, nothing enclosed, crossed sides: refused, and the old area stays."""
    conex.begin()
    assert conex.post("area", area=area, width="1290", height="726").status_code == 400
    assert conex.eye.area == ()


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), min_size=0, max_size=9))
@settings(max_examples=60)
def test_any_area_is_inside_the_picture_or_refused(points: list[tuple[float, float]]) -> None:
    """Whatever is drawn, what comes out lies in the picture."""
    drawn = " ".join(f"{x},{y}" for x, y in points)
    try:
        area = parse_area(form(area=drawn, width="800", height="600"))
    except BadInputError:
        return
    assert all(0 <= x <= 800 and 0 <= y <= 600 for x, y in area)
    assert len(area) in (0, len(points))


def test_names_are_text_and_no_markup(conex: ConexTable) -> None:
    """A player's name and a strange key in an address are shown as they are, never carried out."""
    conex.begin(**{"player-south": "<img src=x>"})
    page = conex.page()
    assert "<img src=x>" not in page
    assert "&lt;img src=x&gt;" in page
    for path in (
        "/turns/1/cards/<b>",
        "/turns/0",
        "/turns/99",
        "/turns/1/cards/1",
        "/turns/1/ground",
        "/coach?face=%00",
    ):
        assert conex.client.get(f"/matches/{conex.match.id}{path}").status_code == 404, path


def test_commands_need_the_token_of_the_page(conex: ConexTable) -> None:
    """Nobody else's page can take the table or move the border."""
    conex.begin()
    for what in ("take", "area", "do"):
        answer = conex.client.post(f"/matches/{conex.match.id}/{what}", data={"area": "", "seq": "2"})
        assert answer.status_code == 403


def test_pages_of_one_game_are_not_those_of_the_other(conex: ConexTable, table: Table, three_rows: FakeFrame) -> None:
    """A round of Rox has no turn page, a turn of CONEX no page of rows; a strange match is a 404."""
    conex.begin()
    assert conex.client.get(f"/matches/{conex.match.id}/rounds/1").status_code == 404
    table.begin()
    table.to_verdict(three_rows)
    for path in ("turns/1", "counts", "coach", "area", "turns/1/points"):
        assert table.client.get(f"/matches/{table.match.id}/{path}").status_code == 404
    assert table.do("draw").status_code == 422
    assert conex.do("call", seat="south").status_code == 422
    assert conex.client.get("/matches/none/turns/1").status_code == 404


def test_match_of_another_game_stays_where_it_is(conex: ConexTable, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """A match of Rox in the same database can be read at a table of CONEX, and not be gone on with there."""
    conex.begin()
    store = conex.store
    runner = Runner(store, FakeEye(), deck, FakeSource())
    rox = runner._answer(Begin("Rox", CreateMatch(now(), "rox", (Player("A", "south"), Player("B", "west")), deck)))
    page = conex.client.get(f"/matches/{rox.match}")
    assert page.status_code == 200
    assert "Continue it at this table" not in page.text
    headers = {"Accept": "application/json", "X-Referee-Token": conex.token()}
    answer = conex.client.post(f"/matches/{rox.match}/attend", headers=headers)
    assert (answer.status_code, (answer.json or {})["message"][:29]) == (422, "This table plays another game")
    assert conex.match.game == "conex"


def test_area_of_a_picture_without_size_is_refused() -> None:
    """An area that holds nothing would put every card outside."""
    with pytest.raises(BadInputError, match="too small"):
        parse_area(form(area="0,0 5,0 5,5", width="0", height="0"))


def test_name_of_a_card_has_a_length() -> None:
    """What is sent for a card's name is not said back in full."""
    with pytest.raises(BadInputError, match="face"):
        parse_conex(form(command="declare_face", key="1", face="z" * 5000))
