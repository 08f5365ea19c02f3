"""How the page of CONEX tells what people decided: points by hand, second tries, stars that do not count."""

from __future__ import annotations

from scoring.table import Pose
from scoring.verdicts import Call
from tests.webui.conex_fakes import ConexTable

FIRST = "C01"


def test_points_by_hand_are_headed_as_such(conex: ConexTable) -> None:
    """No card was judged: neither the state nor the heading says so, and there is no list of rules."""
    conex.begin()
    conex.done("declare_points", points="35")
    conex.see()
    news = conex.news()
    assert (news["word"], news["hint"]) == ("By hand", "The points were set by the players.")
    page = conex.page()
    assert "Nele: 35 points by hand" in page
    assert "lawbox" not in page
    conex.done("confirm")
    assert "settled by the players: 35" in conex.page()
    assert "corrected" not in conex.page()


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
