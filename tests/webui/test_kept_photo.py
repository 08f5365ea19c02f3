"""Photos that come before something was told: they are sent once, and judged as soon as it is told."""

from __future__ import annotations

from tests.webui.cactus_fakes import CactusTable
from tests.webui.conex_fakes import ConexTable


def _photo_before_the_roll(cactus: CactusTable) -> tuple[str, int]:
    """One piece hangs, the next player hangs another one and sends a photo before the die is told."""
    cactus.source.state = "lost"
    cactus.sit_down(cactus.form())
    cactus.photo(cactus.cacti.frame())
    first, second = cactus.may()[:2]
    cactus.cacti.hang(first, "K1")
    cactus.photo(cactus.cacti.frame())
    cactus.done("confirm")
    seq = cactus.match.seq
    cactus.cacti.hang(second, "K2")
    assert cactus.photo(cactus.cacti.frame()) == ""
    return second, seq


def test_photo_before_the_roll_is_judged_once_the_die_is_told(cactus: CactusTable) -> None:
    """Nothing is written yet and nothing is called wrong; the roll is the only tap."""
    second, seq = _photo_before_the_roll(cactus)
    assert (cactus.match.seq, cactus.match.phase, cactus.snapshot.hint) == (seq, "rolling", "kept-roll")
    page = cactus.page()
    assert "judged as soon as you tell what the die shows" in page
    assert "does not follow from the record" not in page
    cactus.done("cactus_roll", face="special")
    assert (cactus.turn.key, cactus.match.phase) == (second, "verdict")
    assert 'id="kept"' not in cactus.page()


def test_what_was_taken_back_lets_no_photo_wait(cactus: CactusTable) -> None:
    """After an undo the same photo is not judged by itself."""
    second, _ = _photo_before_the_roll(cactus)
    cactus.done("cactus_roll", face="special")
    cactus.done("undo")
    cactus.done("undo")
    assert (cactus.match.phase, cactus.snapshot.hint.startswith("kept")) == ("rolling", False)
    cactus.done("cactus_roll", face="special")
    assert cactus.turn.key is None
    assert second not in {h.key for s in cactus.match.scene.stands for h in s.hung}


def test_another_photo_takes_the_place_of_the_one_that_waits(cactus: CactusTable) -> None:
    """Only what lies in the newest photo is judged."""
    second, _ = _photo_before_the_roll(cactus)
    cactus.cacti.take(second)
    assert cactus.photo(cactus.cacti.frame()) == "Nothing new hangs on the cacti."
    cactus.done("cactus_roll", face="special")
    assert (cactus.turn.key, cactus.match.phase) == (None, "turn")


def test_a_die_card_shows_the_die_at_once(conex: ConexTable) -> None:
    """One tap agrees to the points and tells the die."""
    conex.begin()
    conex.lay(conex.free_face("die"))
    page = conex.page()
    assert (conex.match.phase, page.count('class="die')) == ("verdict", 4)
    assert page.index('id="die-card"') < page.index('id="confirm"')
    assert "agrees to it by itself" not in page, "the next card does not: the die comes first"
    points = conex.laid.points
    conex.done("accept_roll", face="2x")
    assert (conex.match.to_play, conex.match.star("2x").holder) == ("west", "south")
    assert conex.match.player("south").total == points


def test_the_next_card_waits_for_the_die(conex: ConexTable) -> None:
    """A photo of the next card is judged once the die of the card before it is told."""
    conex.begin()
    conex.source.state = "lost"
    conex.runner.step()
    conex.layout.lay(conex.free_face("die"))
    assert conex.photo(conex.layout.frame()) == ""
    conex.layout.lay(next(iter(conex.free_faces())))
    assert conex.photo(conex.layout.frame()) == ""
    assert conex.snapshot.hint == "kept-roll"
    conex.done("accept_roll", face="card")
    assert (conex.match.to_play, conex.match.phase) == ("west", "verdict")
