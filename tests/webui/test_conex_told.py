"""How the page of CONEX tells what people decided: points by hand, second tries, stars that do not count."""

from __future__ import annotations

import io
import re
import time
from dataclasses import replace

import pytest

from scoring.table import Pose
from scoring.verdicts import Call
from tests.webui.conex_fakes import ConexTable
from webui.refusals import refusal
from webui.rendering import local_time
from webui.texts import translations

FIRST = "C01"


def test_points_by_hand_are_headed_as_such(conex: ConexTable) -> None:
    """No card was judged: neither the state nor the heading says so, and there is no list of rules."""
    conex.begin()
    conex.done("declare_points", points="35")
    conex.see()
    news = conex.news()
    assert (news["word"], news["hint"]) == ("By hand", "The points were set by the players.")
    page = conex.page()
    assert news["announce"] == "Nele: 35 points by hand"
    assert "Nele: 35 points by hand" in page
    assert "lawbox" not in page
    conex.done("confirm")
    assert "settled by the players: 35" in conex.page()
    assert "corrected" not in conex.page()


def test_a_verdict_runs_no_words_together(conex: ConexTable) -> None:
    """Neither on the screen, nor read aloud: how the points come about is set apart, and they are called points."""
    conex.begin()
    conex.lay(FIRST)
    counted = conex.laid.points
    told = " ".join(re.sub(r"<[^>]*>", "", conex.page()).split())
    assert f"{counted} points ({counted} on the corner)" in told
    assert "Attached by a corner A new card" in told
    assert conex.news()["announce"].endswith(f" {counted} points.")


def test_corrected_points_are_the_large_number(conex: ConexTable) -> None:
    """What counts stands where the points stand; what the referee counted stands beside it."""
    conex.begin()
    conex.lay(FIRST)
    counted = conex.laid.points
    assert f"<b>{counted}</b> point" in conex.page()
    conex.done("declare_points", points="9")
    page = conex.page()
    assert "<b>9</b> points by hand" in page
    assert f"By the referee {counted}:" in page
    conex.done("confirm")
    assert "<b>9</b> points by hand" in conex.page("/turns/1")
    assert "· corrected" in conex.page()


def test_a_card_laid_anew_is_no_correction(conex: ConexTable) -> None:
    """A card that was not allowed and was put right counts at the second try; nobody corrected the referee."""
    conex.begin()
    face = conex.free_face()
    place = conex.layout.places(face)[0]
    conex.layout.put(face, Pose(place.pose.x_mm, place.pose.y_mm + 90, place.pose.angle_rad))
    conex.see()
    assert conex.laid.call == "violation"
    conex.layout.take(conex.laid.key)
    conex.lay(face)
    assert conex.laid.call == "legal"
    conex.done("confirm")
    page = conex.page()
    assert "· at the second try" in page
    assert "corrected" not in page


def test_a_star_laid_in_vain_is_not_counted(conex: ConexTable) -> None:
    """The card is allowed, so no rule of laying is broken: the star has a word of its own."""
    conex.begin()
    key = conex.layout.lay(FIRST).key
    conex.layout.star("2x", key)
    conex.see()
    assert (conex.laid.call, conex.laid.doubled) == ("legal", False)
    assert [r.call for r in conex.turn.rules if r.rule == "conex.star"] == [Call.VIOLATION.value]
    page = conex.page()
    assert "not counted" in page
    assert "broken</span>" not in page


def test_what_lightning_took_is_told_with_where_it_goes(conex: ConexTable) -> None:
    """Under the pile; the list of turns names the card, too."""
    conex.begin()
    face = conex.free_face()
    key = conex.play(face)
    conex.done("declare_star", kind="lightning", seat="west")
    assert "It goes under the pile, and so does a card of each other player." in conex.page()
    conex.layout.take(key)
    conex.done("lightning", key=key)
    conex.see()
    assert "It goes under the pile, and so does a card of each other player." in conex.page()
    conex.done("draw")
    assert f"drew two cards · lightning star: {face} under the pile" in conex.page()


def test_a_form_that_is_refused_keeps_what_was_typed(conex: ConexTable) -> None:
    """Names, pawns, options and title come back with the sentence that says what is wrong."""
    form = conex.form(title="Abend", exact="on", hand="7", **{"pawn-west": "white", "player-east": "Ida"})
    answer = conex.client.post("/matches/new", data=form)
    assert answer.status_code == 400
    page = " ".join(answer.text.split())
    assert "Two players have the same pawn." in page
    for typed in ('value="Nele"', 'value="Max"', 'value="Felix"', 'value="Ida"', 'value="Abend"', 'value="7"'):
        assert typed in page
    assert 'name="exact" value="on" checked' in page
    assert page.count('<option value="white" selected>') == 2
    same = conex.client.post("/matches/new", data=conex.form(**{"player-west": "Nele"}))
    assert (same.status_code, same.text.count('value="Nele"')) == (422, 2)
    assert conex.store.matches() == ()


def test_ending_a_match_asks_first(conex: ConexTable) -> None:
    """Each way to end it lies behind a question of its own."""
    conex.begin()
    page = conex.page()
    assert "Do all agree that nobody can lay a card?" in page
    assert page.index('id="stop-asked"') < page.index('id="finish"')
    assert page.index('id="end-asked"') < page.index('id="agree-end"')


def test_the_coach_offers_no_card_that_lies_there(conex: ConexTable) -> None:
    """A card exists once."""
    conex.begin()
    assert f"face={FIRST}" in conex.page("/coach")
    conex.play(FIRST)
    assert f"face={FIRST}" not in conex.page("/coach")


def test_rules_with_nothing_near_are_listed_as_kept(conex: ConexTable) -> None:
    """The first card on the board can touch nothing else, and the page says so for each rule of laying."""
    conex.begin()
    conex.lay(FIRST)
    page = conex.page()
    for title in (
        "Attached by a corner",
        "Colour on its own colour",
        "Touches one thing only",
        "Other corners stay free",
    ):
        assert f"<b>{title}</b>" in page


def test_a_player_has_one_mark_in_the_colour_of_the_pawn(conex: ConexTable) -> None:
    """No second colour stands beside it; a player without a pawn has the mark of the seat."""
    conex.begin(**{"pawn-north": ""})
    page = conex.page()
    assert f'fill="{conex.layout.deck.pawns["white"]}"></circle><text class="whose dark">1</text>' in page
    assert "seat-1" not in page
    assert "seat-2" not in page
    assert "seat-3" in page


def test_a_setting_leads_back_to_the_settings(conex: ConexTable) -> None:
    """Without a script, too, the page of cards and stars stays until it is left."""
    conex.begin()
    fields = {"command": "declare_pile", "cards": "20", "back": "counts", "seq": str(conex.match.seq)}
    answer = conex.client.post(f"/matches/{conex.match.id}/do", data={**fields, "token": conex.token()})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/matches/{conex.match.id}/counts")


def test_a_link_stands_apart_from_the_sentence_before(conex: ConexTable) -> None:
    """There is a space between them."""
    conex.layout.table = replace(conex.layout.table, area=())
    conex.client.post("/matches/new", data=conex.form())
    conex.see()
    assert "nothing is said about its border. <a" in conex.page()


def test_times_are_those_of_this_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of matches shows no UTC; a time that is none stays what it is."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert local_time("2026-11-30T20:15:00.000+00:00") == "2026-12-01 05:15"
        assert local_time("some time long ago") == "some time long a"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "sentence",
    [
        "Turn 3 is over: that cannot be corrected in it.",
        "Turn 9 has not been played.",
        "CONEX knows no command CallEnd.",
        "Nobody can state DeclaredLink in CONEX.",
        "There is no card 7.2 in the picture.",
        "There is no card 7 on the table.",
        "The card 7 was not laid in this turn.",
        "The deck has no card X99.",
        "A turn cannot bring 120 points.",
        "There cannot be 1200 cards.",
        "Conex is for 2 to 4 players, not 1.",
        "/tmp/m.sqlite: the database was moved or deleted while it was in use; nothing was changed. Put it back, or",
    ],
)
def test_refusals_are_said_in_the_language_of_the_page(sentence: str) -> None:
    """None of what a person can meet stays English on a German page."""
    said = refusal(sentence, translations("de"))
    assert said not in (sentence, refusal(sentence, translations("en")))


def test_a_command_of_another_game_is_refused_in_german(conex: ConexTable) -> None:
    """As it is really worded."""
    conex.begin()
    conex.client.set_cookie("referee-language", "de")
    answer = conex.do("call", seat="south")
    assert (answer.status_code, answer.json["message"]) == (422, "Das gibt es in diesem Spiel nicht.")
    conex.play(FIRST)
    assert conex.do("declare_seat", seat="north", round="1").json["message"].startswith("Zug 1 ist vorbei")


def test_a_card_hidden_in_a_photo_is_not_gone(conex: ConexTable) -> None:
    """What lies below others stays on the table of the match; the photo is judged and not out of step."""
    conex.begin()
    below = conex.play(FIRST)
    place = conex.layout.table.placement(below).pose
    lid = conex.layout.put(conex.free_face(), Pose(place.x_mm + 12, place.y_mm, place.angle_rad), below)
    conex.see()
    conex.done("declare_call", key=lid.key, call="legal")
    conex.done("declare_points", points="2")
    conex.done("confirm")
    whole = conex.layout.table
    conex.layout.take(below)
    face = conex.free_face()
    conex.layout.table = whole
    conex.layout.lay(face)
    shown = conex.layout.table
    conex.layout.take(below)
    conex.eye.photo = conex.layout.frame()
    conex.layout.table = shown
    sent = {"photo": (io.BytesIO(b"\xff\xd8 a photo"), "p.jpg"), "seq": str(conex.match.seq)}
    answer = conex.post("photo", **sent)
    assert answer.status_code == 200, answer.text
    assert conex.laid.face is not None
    assert conex.laid.face.id == face
    assert FIRST in {c.face.id for c in conex.match.plan.cards if c.face is not None}


def test_a_star_is_no_reason_against_a_card(conex: ConexTable) -> None:
    """Where a card is not allowed the sentence beside it names what is wrong with the card."""
    conex.begin()
    place = conex.layout.places(FIRST)[0]
    key = conex.layout.put(FIRST, Pose(place.pose.x_mm, place.pose.y_mm + 90, place.pose.angle_rad)).key
    conex.layout.star("2x", key)
    conex.see()
    assert conex.laid.call == "violation"
    told = conex.page().split('class="because"', 1)[1].split("</p>", 1)[0]
    assert "star" not in told
    assert "touches" in told


def test_a_card_that_is_gone_after_a_step_back_is_asked_about(conex: ConexTable) -> None:
    """It is no card that lies there: the button has words of its own."""
    conex.begin()
    key = conex.play(conex.free_face())
    conex.done("declare_star", kind="lightning", seat="west")
    conex.layout.take(key)
    conex.see()
    assert conex.turn.took
    conex.done("undo")
    conex.runner.step()
    page = conex.page()
    assert "The table has changed: judge it" in page
    assert "A card lies there" not in page
