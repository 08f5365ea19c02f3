"""The page of CONEX: what it shows of a table and a match, and what its buttons do."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from scoring.align import Rigid
from scoring.games.conex_same import renamed
from scoring.table import Pose
from scoring.verdicts import Call
from tests.webui.conex_fakes import AREA, ConexFrame, ConexTable, Layout, conex_table, to_px
from webui.log.store import Store
from webui.shown.snapshot import as_json

FIRST = "C01"
"""A card that finds a place on the empty board."""


def with_bonus(table: ConexTable) -> str:
    """Lay a plain card onto a +2 card; returns its face."""
    for face in table.free_faces():
        place = next((i for i, s in enumerate(table.layout.places(face)) if s.bonus), None)
        if place is not None:
            table.lay(face, place)
            return face
    raise AssertionError("no card fits onto the +2 card")


def test_setting_up_names_what_is_missing(conex: ConexTable) -> None:
    """Before the first turn the page says whether board and area are there, and begins when it is told to."""
    conex.client.post("/matches/new", data=conex.form())
    full, conex.layout.table = conex.layout.table, replace(conex.layout.table, board=None, tokens=(), area=())
    conex.see()
    page = conex.page()
    assert "It is not seen yet" in page
    assert "No playing area is agreed yet" in page
    assert conex.post("take", seq=str(conex.match.seq)).status_code == 422
    conex.layout.table = full
    conex.see()
    page = conex.page()
    assert "The board is found." in page
    assert "Begin: Nele starts" in page
    assert conex.match.phase == "layout"
    assert conex.post("take", seq=str(conex.match.seq)).status_code == 200
    assert (conex.match.phase, conex.match.to_play) == ("turn", "south")


def test_legal_card_is_told_with_every_margin(conex: ConexTable) -> None:
    """Allowed, with the number of its corner, and each rule with what was measured."""
    conex.begin()
    conex.lay(FIRST)
    assert (conex.match.phase, conex.laid.call) == ("verdict", "legal")
    page = conex.page()
    assert "Allowed" in page
    assert f"Agreed: {conex.laid.points} points" in page
    assert "mm inside the border; it needs more than 0." in page
    for title in ("Attached by a corner", "Colour on its own colour", "Inside the playing area"):
        assert title in page
    assert conex.news()["state"] == "judged"


def test_next_card_agrees_by_itself(conex: ConexTable) -> None:
    """Nobody needs to touch the screen: the next card counts the one before, and a tap can be asked for instead."""
    conex.begin()
    conex.lay(FIRST)
    points = conex.laid.points
    conex.lay(conex.free_face())
    assert conex.match.turns[0].points == points
    assert (conex.match.to_play, conex.turn.number) == ("west", 2)


def test_with_the_house_rule_every_card_waits_for_a_tap(conex: ConexTable) -> None:
    """With the option ``tap`` the next card is told to be too early."""
    conex.begin(accept="tap")
    conex.lay(FIRST)
    conex.lay(conex.free_face())
    assert (conex.turn.number, conex.snapshot.state) == (1, "out-of-step")
    assert "First decide about the last card" in conex.page()
    conex.done("confirm")
    conex.see()
    assert conex.turn.number == 2
    assert conex.match.phase == "verdict"


def test_points_are_worked_out_before_everybodys_eyes(conex: ConexTable) -> None:
    """Two more on a +2 card, all doubled under the 2x star: (4 + 2) x 2."""
    conex.begin()
    conex.play(FIRST)
    assert conex.layout.deck.faces[FIRST].symbol == "plus2"
    conex.done("declare_star", kind="2x", seat="west")
    with_bonus(conex)
    value = conex.laid.value
    assert conex.laid.bonus == 2
    assert f"{value} + 2 = {value + 2}" in conex.page()
    conex.layout.star("2x", conex.laid.key)
    conex.see()
    assert (conex.laid.doubled, conex.laid.points) == (True, 2 * (value + 2))
    page = conex.page()
    assert f"({value} + 2) × 2 = {2 * (value + 2)}" in page
    assert "doubled by the 2x star" in page
    conex.done("declare_double", doubled="no")
    assert conex.laid.points == value + 2
    conex.done("undo")
    assert conex.laid.doubled


def test_violation_marks_its_place_and_costs_nothing_yet(conex: ConexTable) -> None:
    """The rule is named with its measure, the place is marked in plan and picture, and nothing counts."""
    conex.begin()
    conex.play(FIRST)
    conex.play(conex.free_face())
    key = conex.find(Call.VIOLATION, "conex.single-contact")
    assert conex.laid.call == "violation"
    assert "confirm_round" not in conex.match.can
    page = conex.page()
    assert "Not allowed" in page
    assert "deep; it needs to be free." in page
    assert "Take the card back or lay it anew" in page
    assert conex.match.plan.places[0].call == "violation"
    assert 'class="place violation"' in page
    drawn = [c for c in conex.news()["cards"] if "violation" in c["kind"]]
    assert drawn
    assert all("✕" in c["label"] and "mm" in c["label"] for c in drawn)
    place = conex.match.plan.places[0].points[0]
    assert [list(to_px(place))] == [[pytest.approx(v, abs=0.2) for v in drawn[0]["quad"][0]]]
    conex.layout.take(key)
    conex.see()
    assert (conex.match.phase, conex.turn.number) == ("turn", 3)


def test_players_overrule_a_violation(conex: ConexTable) -> None:
    """One tap: it is allowed; then it can be agreed to, and it says whose word it is."""
    conex.begin()
    conex.play(FIRST)
    conex.play(conex.free_face())
    key = conex.find(Call.VIOLATION, "conex.single-contact")
    conex.done("declare_call", key=key, call="legal")
    assert (conex.laid.call, conex.laid.overruled) == ("legal", True)
    assert "the players say so" in conex.page()
    conex.done("confirm")
    assert conex.match.turns[-1].points > 0


def test_uncertain_call_asks_and_shows_where(conex: ConexTable) -> None:
    """An open question is asked with the place magnified, and either answer settles it."""
    conex.begin()
    conex.play(FIRST)
    conex.play(conex.free_face())
    key = conex.find(Call.UNCERTAIN, "conex.single-contact")
    page = conex.page()
    assert "Please look: is it allowed?" in page
    assert "too close to tell" in page
    assert 'class="magnified"' in page
    assert "confirm_round" not in conex.match.can
    assert conex.match.plan.places[0].call == "uncertain"
    conex.done("declare_call", key=key, call="violation")
    assert conex.laid.call == "violation"
    conex.done("undo")
    conex.done("declare_call", key=key, call="legal")
    conex.done("confirm")
    assert len(conex.match.turns) == 3


def test_card_corner_and_ground_are_put_right_in_one_tap_each(conex: ConexTable) -> None:
    """Each choice offers everything, not only what the program thought of; undo takes it back."""
    conex.begin()
    conex.lay(FIRST)
    key, face = conex.laid.key, conex.laid.face
    assert face is not None
    chooser = conex.page(f"/turns/1/cards/{key}")
    assert all(f'value="{f}"' in chooser for f in conex.layout.deck.faces)
    other = next(f for f in conex.layout.deck.faces if f != FIRST)
    conex.done("declare_face", key=key, face=other)
    assert conex.laid.face is not None
    assert (conex.laid.face.id, conex.laid.declared) == (other, True)
    conex.done("undo")
    ground = conex.page("/turns/1/ground")
    assert ground.count('name="corner"') == len(face.corners)
    assert ground.count('value="space:') == 4
    conex.done("declare_ground", key=key, onto="space:0", corner="1")
    assert conex.laid.onto is not None
    assert (conex.laid.onto.space, conex.laid.corner) == (0, 1)
    assert conex.laid.value == face.corners[1].value


def test_die_is_told_and_gives_a_star_that_must_wait(conex: ConexTable) -> None:
    """After a die card the four faces are offered; a star won now can be used from the next own turn on."""
    conex.begin()
    die = conex.free_face("die")
    conex.play(die)
    assert conex.match.phase == "rolling"
    page = conex.page()
    assert "Nele rolls the die" in page
    assert page.count('class="die') == 4
    conex.done("roll", face="2x")
    star = conex.match.star("2x")
    assert (star.holder, star.since, star.usable) == ("south", 1, False)
    assert "usable from their next turn on" in conex.page()
    conex.done("draw")
    conex.done("draw")
    assert (conex.match.to_play, conex.match.star("2x").usable) == ("south", True)
    page = conex.page()
    assert "Nele may lay the 2x star on the new card" in page
    assert "may be used now" in page


def test_drawing_counts_hands_and_pile(conex: ConexTable) -> None:
    """Two cards from pile to hand; what the camera cannot see can be put right."""
    conex.begin()
    pile = conex.match.pile
    conex.done("draw")
    assert conex.match.pile == pile - 2
    assert conex.match.players[0].cards == 7
    assert conex.do("pass").status_code == 422
    conex.done("declare_pile", cards="0")
    assert "Passes: the pile is empty" in conex.page()
    conex.done("declare_hand", seat="north", cards="3")
    assert next(p for p in conex.match.players if p.seat == "north").cards == 3
    conex.done("pass")
    assert conex.match.turns[-1].deed == "passed"


def test_lightning_takes_a_free_card_seen_or_told(conex: ConexTable) -> None:
    """The star takes a card off: the camera sees it, or a tap on the card says so."""
    conex.begin()
    conex.play(FIRST)
    conex.done("declare_star", kind="lightning", seat="west")
    assert "Use the lightning star" in conex.page()
    key = conex.layout.table.placements[0].key
    conex.layout.take(key)
    conex.see()
    assert conex.turn.took
    assert conex.turn.taken is not None
    assert conex.turn.taken.id == FIRST
    assert "The lightning star took the yellow card C01" in conex.page()
    assert conex.match.star("lightning").holder is None
    conex.done("undo")
    assert not conex.turn.took
    conex.done("lightning", key=conex.match.plan.cards[0].key)
    assert conex.turn.took


def test_table_that_does_not_follow_says_what_to_do(conex: ConexTable) -> None:
    """A card that is gone: out of step, nothing guessed; put back all is well; or the table is taken as it lies."""
    conex.begin()
    conex.play(FIRST)
    before = conex.layout.table
    conex.layout.take(before.placements[0].key)
    conex.see()
    assert conex.snapshot.state == "out-of-step"
    page = conex.page()
    assert "A card is gone. Put it back" in page
    assert FIRST in page
    assert conex.match.seq == len(conex.store.events(conex.match.id))
    gone = conex.layout.table
    conex.layout.table = before
    conex.see()
    assert conex.snapshot.state == "settled"
    conex.layout.table = gone
    conex.see()
    assert conex.post("take", seq=str(conex.match.seq)).status_code == 200
    assert conex.match.plan.cards == ()
    assert conex.match.turns[0].points > 0
    assert conex.snapshot.state == "settled"


def test_pawns_are_compared_and_never_adopted(conex: ConexTable) -> None:
    """A pawn on another square is told beside the points; the points stay."""
    conex.begin()
    conex.play(FIRST)
    total = conex.match.players[0].total
    conex.layout.pawn("white", 1)
    conex.see()
    nele = conex.match.players[0]
    assert (nele.total, nele.square, nele.shown) == (total, total, 1)
    assert f"The white pawn stands on square 1. By the points it belongs on square {total}." in conex.page()
    conex.layout.pawn("white", total)
    conex.see()
    assert conex.match.players[0].shown is None


def test_laps_are_counted_and_nobody_loses_one(conex: ConexTable) -> None:
    """Behind the goal the square starts at 1, the lap is told, and the total goes on."""
    conex.begin(goal="6")
    conex.play(FIRST)
    conex.done("draw")
    conex.done("draw")
    conex.done("declare_points", points="9")
    conex.done("confirm")
    nele = conex.match.players[0]
    assert nele.total == 9 + conex.match.turns[0].points
    assert (nele.lap, nele.square) == ((nele.total - 1) // 6, (nele.total - 1) % 6 + 1)
    assert f"lap {nele.lap + 1}" in conex.page()
    assert conex.match.last_round


def test_end_names_winners_and_why(conex: ConexTable) -> None:
    """The goal ends the match with the round; equal points share the victory."""
    conex.begin(goal="5")
    for points in ("7", "7", "1"):
        conex.done("declare_points", points=points)
        conex.done("confirm")
    assert (conex.match.phase, conex.match.winners, conex.match.ending) == ("finished", ("south", "west"), "goal")
    page = conex.page()
    assert "Shared victory: Nele, Max" in page
    assert "The goal was reached, and the round is played to its end." in page
    conex.done("undo")
    assert conex.match.phase != "finished"


def test_turn_page_explains_and_corrects_a_turn_that_is_over(conex: ConexTable) -> None:
    """An earlier turn keeps its picture, its reasons and its versions; a correction changes what follows."""
    conex.begin()
    conex.play(FIRST)
    points = conex.match.turns[0].points
    page = conex.page("/turns/1")
    assert "Turn 1: Nele" in page
    assert "Attached by a corner" in page
    assert conex.match.turns[0].evidence in page
    assert "declare_points" in conex.page("/turns/1/points")
    conex.done("declare_points", points=str(points + 3), round="1")
    assert conex.match.players[0].total == points + 3
    assert conex.match.turns[0].stated == points + 3
    assert f"settled by the players: {points + 3}" in conex.page()


def test_coach_draws_legal_places_best_first(conex: ConexTable) -> None:
    """The places are the coach's, numbered by points, and a rule is explained; a strange card is not known."""
    conex.begin()
    conex.play(FIRST)
    face = next(f for f in conex.free_faces() if len(conex.layout.places(f)) > 1)
    page = conex.page(f"/coach?face={face}")
    places = conex.layout.places(face)
    assert page.count('class="spot') - page.count('class="spots"') == min(len(places), 6)
    assert f'<b class="points">{places[0].points}</b>' in page
    assert 'class="lesson"' in page
    assert conex.client.get(f"/matches/{conex.match.id}/coach?face=nonsense").status_code == 404


def test_coach_offers_the_card_that_is_shown(conex: ConexTable) -> None:
    """A card that lies apart and is in no record comes first in the choice."""
    conex.begin()
    face = conex.free_face()
    conex.layout.put(face, Pose(-330.0, 150.0, 0.2))
    conex.see()
    page = conex.page("/coach")
    seen = page.index("Seen on the table")
    assert f"face={face}" in page[seen : page.index("Any card of the deck")]
    assert conex.laid.call == "violation"
    assert "Where could it lie?" in conex.page()


def test_playing_area_is_noted_with_the_match(conex: ConexTable) -> None:
    """What was drawn goes to the eye at once, and again when the match comes back to the table."""
    conex.begin()
    assert 'id="areadraw"' in conex.page("/area")
    drawn = "10,10 900,12 890,600 15.5,590"
    assert conex.post("area", area=drawn, width="1290", height="726").status_code == 200
    assert conex.eye.area == ((10.0, 10.0), (900.0, 12.0), (890.0, 600.0), (15.5, 590.0))
    again = conex_table(conex.store)
    again.runner.resume()
    assert again.eye.area == conex.eye.area
    assert conex.post("area", area="").status_code == 200
    assert conex.eye.area == ()


def test_playing_area_follows_the_size_of_the_pictures(conex: ConexTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another camera at the next start: the area grows with its pictures; in those of another shape it is none."""
    conex.begin()
    conex.post("area", area="100,100 900,100 900,600 100,600", width="1290", height="726")
    there = conex.eye.area
    again = conex_table(conex.store)
    again.runner.resume()
    assert again.eye.area == there
    monkeypatch.setattr(again.eye, "size", lambda frame: (2580, 1452))
    again.see()
    assert again.eye.area == tuple((2 * x, 2 * y) for x, y in there)
    monkeypatch.setattr(again.eye, "size", lambda frame: (1290, 967))
    again.see()
    assert again.eye.area == ()
    monkeypatch.undo()
    again.see()
    assert again.eye.area == there


def test_restart_on_another_plane_goes_on(conex: ConexTable) -> None:
    """A restarted program measures the table anew; the match knows it again by what lies there."""
    conex.begin()
    conex.play(FIRST)
    conex.play(conex.free_face())
    again = conex_table(conex.store, Layout(table=Rigid(0.4, 210.0, -90.0).table(conex.layout.table), _next=50))
    again.runner.resume()
    again.see()
    assert again.snapshot.state == "settled"
    face = again.free_face()
    again.lay(face)
    assert (again.match.phase, again.laid.call) == ("verdict", "legal")


def test_photo_from_elsewhere_is_judged(conex: ConexTable) -> None:
    """Without a camera one photo a turn is enough, from whichever side it was taken."""
    conex.begin()
    face = conex.free_face()
    conex.layout.lay(face)
    conex.eye.photo = ConexFrame(Rigid(3.0, 40.0, 80.0).table(conex.layout.table))  # type: ignore[assignment]
    answer = conex.post("photo", seq=str(conex.match.seq), photo=(io.BytesIO(b"\xff\xd8 photo"), "a.jpg"))
    assert answer.status_code == 200, answer.text
    assert (conex.match.phase, conex.laid.call) == ("verdict", "legal")


def send_photo(conex: ConexTable) -> tuple[int, str]:
    """Send a photo of the table as it lies; gives the status and what the page says."""
    conex.eye.photo = ConexFrame(conex.layout.table)  # type: ignore[assignment]
    answer = conex.post("photo", seq=str(conex.match.seq), photo=(io.BytesIO(b"\xff\xd8 photo"), "a.jpg"))
    assert answer.json is not None
    return answer.status_code, answer.json["message"]


def test_photo_begins_a_match_and_says_when_nothing_is_new(conex: ConexTable) -> None:
    """The first photo is the table at the start; one that shows nothing new, or what cannot be, is answered."""
    conex.client.post("/matches/new", data=conex.form())
    assert send_photo(conex) == (200, "")
    assert conex.match.phase == "turn"
    assert send_photo(conex) == (422, "Nothing new lies on the table.")
    conex.layout.lay(FIRST)
    assert send_photo(conex) == (200, "")
    conex.done("confirm")
    conex.layout.take(conex.layout.table.placements[0].key)
    status, message = send_photo(conex)
    assert status == 422
    assert message.startswith("A card is gone. Put it back")


def test_shifted_card_and_still_table_write_nothing(conex: ConexTable) -> None:
    """A push of a few millimetres and a second look at the same table are no events."""
    conex.begin()
    conex.play(FIRST)
    seq = conex.match.seq
    conex.see()
    old = conex.layout.table.placements[0]
    pushed = replace(old, pose=Pose(old.pose.x_mm + 3, old.pose.y_mm - 1, old.pose.angle_rad))
    conex.layout.table = replace(conex.layout.table, placements=(pushed,))
    conex.see()
    assert (conex.match.seq, conex.snapshot.state) == (seq, "settled")


def test_moving_and_doubtful_pictures_are_not_judged(conex: ConexTable) -> None:
    """Only what lies still and needs no further look becomes a turn."""
    conex.begin()
    conex.layout.lay(FIRST)
    conex.see(moving=True)
    assert conex.match.phase == "turn"
    assert conex.news()["state"] == "moving"
    conex.see(final=False)
    assert conex.match.phase == "turn"
    conex.see()
    assert conex.match.phase == "verdict"


def test_snapshot_is_plain_json(conex: ConexTable) -> None:
    """Everything that the page shows is JSON, without the deck and without the table behind the plan."""
    conex.begin()
    conex.lay(FIRST)
    told = as_json(conex.snapshot)
    json.dumps(told, allow_nan=False)
    assert told["conex"]["plan"]["cards"][0]["face"]["id"] == FIRST
    assert "table" not in told["conex"]
    assert not {"faces", "look"} & told["match"].keys()
    assert conex.client.get("/api/snapshot").status_code == 200


def test_plan_shows_the_area_and_who_stands_where(conex: ConexTable) -> None:
    """Board, cards, pawns with their players' numbers, and the border, all in millimetres."""
    conex.begin()
    conex.lay(FIRST)
    plan = conex.match.plan
    assert plan.area == AREA
    assert plan.board is not None
    assert [c.mark for c in plan.cards] == ["last"]
    assert {p.color for p in plan.pawns} == set(conex.layout.deck.pawns)
    page = conex.page()
    assert 'class="card last"' in page
    assert 'class="area"' in page


def test_new_match_keeps_names_pawns_and_house_rules(conex: ConexTable) -> None:
    """Another match starts filled in as the last one was."""
    match = conex.begin(exact="on", contact="board-too", hand="4", start="west")
    assert match.to_play == "west"
    form = " ".join(conex.client.get(f"/matches/new?again={match.id}").text.split())
    assert 'value="Nele"' in form
    assert '<option value="black" selected>' in form
    assert 'name="exact" value="on" checked' in form
    assert 'name="contact" value="board-too" checked' in form
    assert '<option value="west" selected>' in form
    assert 'name="hand" min="1" max="12" value="4"' in form


def test_match_elsewhere_can_be_watched_and_fetched(conex: ConexTable) -> None:
    """A second table sees the turns of a match without buttons, and can go on with it."""
    conex.begin()
    conex.play(FIRST)
    other = conex_table(conex.store)
    page = " ".join(other.client.get(f"/matches/{conex.match.id}").text.split())
    assert "You are watching" in page
    assert 'id="draw"' not in page
    assert other.client.get(f"/matches/{conex.match.id}/area").status_code == 404


def test_rules_are_explained_with_a_card_of_this_deck(conex: ConexTable) -> None:
    """How to play, in own words, on a page of its own; Rox is not explained at a table of CONEX."""
    page = " ".join(conex.client.get("/help/conex").text.split())
    assert "How to play CONEX" in page
    assert 'class="cardpic big"' in page
    assert conex.client.get("/help/rox").status_code == 404


def test_no_area_is_said_and_not_judged(conex: ConexTable) -> None:
    """Without an agreed area nothing is said about the border, and the page says so."""
    conex.layout.table = replace(conex.layout.table, area=())
    conex.begin()
    conex.lay(FIRST)
    assert all(v.rule != "conex.out-of-bounds" for v in conex.turn.rules)
    assert "No playing area was agreed" in conex.page()


def test_store_survives_a_note_that_is_none(conex: ConexTable) -> None:
    """A torn note about the area is no area, not an error."""
    conex.begin()
    conex.store.remember(f"area {conex.match.id}", "{oops")
    again = conex_table(conex.store)
    again.runner.resume()
    assert again.eye.area == ()
    assert isinstance(again.store, Store)


def test_a_correction_names_the_card_that_was_laid(conex: ConexTable) -> None:
    """Judged, taken back and looked at anew, where the picture counts its cards in another order."""
    conex.begin()
    below = conex.play(FIRST)
    face = conex.free_face()
    conex.lay(face)
    conex.done("undo")
    names = {p.key: str(n) for n, p in enumerate(reversed(conex.layout.table.placements), start=1)}
    conex.layout.table = renamed(conex.layout.table, names)
    conex.runner.picture.show(conex.layout.frame())
    assert conex.post("look", seq=str(conex.match.seq)).status_code == 200
    assert conex.laid.face is not None
    assert (conex.laid.face.id, conex.laid.key != below) == (face, True)
    assert [c.kind for c in conex.snapshot.cards if c.face == face] == ["last"]
    assert face in conex.page(f"/turns/{conex.match.turn.number}/cards/{conex.laid.key}")
    conex.done("declare_face", key=conex.laid.key, face="C02")
    assert conex.laid.face.id == "C02"
    assert {c.face.id for c in conex.turn.plan.cards if c.face is not None} == {FIRST, "C02"}


def test_a_card_left_lying_after_a_step_back_is_asked_about(conex: ConexTable) -> None:
    """It is not judged again by itself; the main button does it, and then it is gone."""
    conex.begin()
    key = conex.lay(FIRST)
    assert "A card lies there: judge it" not in conex.page()
    conex.done("undo")
    conex.runner.step()
    assert (conex.match.phase, conex.turn.laid) == ("turn", None)
    assert "A card lies there: judge it" in conex.page()
    assert conex.post("look", seq=str(conex.match.seq), lying="yes").status_code == 200
    assert (conex.match.phase, conex.laid.key) == ("verdict", key)
    assert "A card lies there: judge it" not in conex.page()


def test_while_the_camera_is_gone_a_photo_is_asked_for(conex: ConexTable) -> None:
    """The main button sends one as long as the cable is out, and nothing says that the camera sees what is laid."""
    conex.begin()
    assert "It is judged as soon as the hand is away." in conex.page()
    conex.source.state = "lost"
    conex.runner.step()
    page = conex.page()
    assert '<label class="button main" for="photo">' in page
    assert "then take a photo of the whole table." in page
    conex.source.state = "connected"
    conex.see()
    assert '<label class="button main" for="photo">' not in conex.page()


def test_a_camera_that_never_came_is_not_waited_for(conex: ConexTable) -> None:
    """The page asks for photos, the newest of them does not grow old, and a photo is the main button."""
    conex.source.state = "lost"
    conex.client.post("/matches/new", data=conex.form())
    assert conex.news()["hint"] == "Lay a card, then take a photo: no camera sends pictures."
    conex.eye.photo = conex.layout.frame()
    sent = {"photo": (io.BytesIO(b"\xff\xd8 a photo"), "p.jpg"), "seq": str(conex.match.seq)}
    assert conex.post("photo", **sent).status_code == 200
    assert conex.match.phase == "turn"
    news = conex.news()
    assert (news["state"], news["hint"]) == ("settled", "This is a photo. Take another one when the table has changed.")
    assert news["picture_age_s"] is None
    page = conex.page()
    assert '<label class="button main" for="photo">' in page
    assert "then take a photo of the whole table." in page
    key = conex.layout.lay(FIRST).key
    conex.eye.photo = conex.layout.frame()
    sent = {"photo": (io.BytesIO(b"\xff\xd8 a photo"), "p.jpg"), "seq": str(conex.match.seq)}
    assert conex.post("photo", **sent).status_code == 200
    conex.done("undo")
    assert conex.turn.laid is None
    assert conex.post("look", seq=str(conex.match.seq), lying="yes").status_code == 200
    assert conex.laid.key == key
    conex.done("undo")
    conex.source.state = "connected"
    conex.layout.take(key)
    conex.see()
    assert '<label class="button main" for="photo">' not in conex.page()
    assert "as soon as the hand is away" in conex.page()


def test_the_way_in_for_phones_is_that_of_the_game(conex: ConexTable) -> None:
    """The command that lets phones in starts CONEX."""
    assert "referee play conex --host 0.0.0.0" in conex.client.get("/invite").text
