"""The page of Cactus: what it shows of the cacti and of a match, and what its buttons do."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest

from scoring.table import TableState
from tests.webui.cactus_fakes import CactusFrame, CactusTable, Hanging, cactus_table
from webui.rendering import _layout, news_of
from webui.shown.snapshot import as_json
from webui.table.seeing import Sight


def pair(table: CactusTable) -> tuple[str, str]:
    """Two basic pieces of one colour."""
    basic = [p for p in table.cacti.deck.pieces.values() if not p.special]
    return next((a.id, b.id) for a in basic for b in basic if a.color == b.color and a.shape != b.shape)


def to_contact(table: CactusTable, touching: float, gap: float, sigma: float) -> tuple[str, str]:
    """After a round of all cacti the first one is due: hang a second piece of one shape there, near the first."""
    first, _ = pair(table)
    table.play(first)
    for _ in range(4):
        table.play(roll="special")
    table.done("cactus_roll", face="shape")
    second = table.may()[0]
    table.cacti.hang(second, "K1", (10.0, -95.0))
    table.cacti.touch("same-shape", first, second, gap, sigma, touching)
    table.see()
    return first, second


def test_setting_up_says_which_cacti_are_found(cactus: CactusTable) -> None:
    """Before the first turn the page says how many stand there, and begins when it is told to."""
    cactus.client.post("/matches/new", data=cactus.form())
    cactus.cacti.table = TableState((), cactus.cacti.table.view, cacti=("K1", "K2"))
    cactus.see()
    page = cactus.page()
    assert "2 of 5 cacti are found" in page
    assert page.count('class="lacking"') == 3
    assert "What stands there all the same is hidden, or it does not look as in the drawing" in page
    assert page.count("</svg> not found</span>") == 3, "an unseen cactus is said to be neither empty nor away"
    cactus.cacti = Hanging()
    cactus.see()
    page = cactus.page()
    assert "All cacti are found." in page
    assert "Begin: Nele starts" in page
    assert cactus.post("take", seq=str(cactus.match.seq)).status_code == 200
    assert (cactus.match.phase, cactus.match.to_play) == ("turn", "1")


def test_turn_is_a_checklist_from_roll_to_pass(cactus: CactusTable) -> None:
    """Roll, take, hang, pass: one step at a time is to be done now, and what was done is ticked off."""
    cactus.begin()
    first, _ = pair(cactus)
    assert cactus.page().count('<li class="job now"') == 1
    cactus.play(first)
    page = cactus.page()
    assert "Roll the die. What does it show?" in page
    assert page.count('class="cube"') == 3
    assert [t.job for t in cactus.match.todo if t.state == "now"] == ["roll"]
    cactus.done("cactus_roll", face="color")
    color = cactus.cacti.deck.pieces[first].color
    page = cactus.page()
    assert "Rolled: COLOUR" in page
    assert f"Take a basic piece in {color}" in page
    assert "Hang it on Cactus 2" in page
    assert "Hang it here" in page
    may = cactus.may()
    assert len(may) == 4
    assert all(f'id="hang-{p}"' in page for p in may)
    cactus.hang(may[0])
    page = cactus.page()
    assert "Pass the die to Felix" in page
    assert [t.state for t in cactus.match.todo] == ["done", "done", "done", "now"]
    cactus.done("confirm")
    assert cactus.match.to_play == "3"


def test_piece_of_the_turn_and_the_due_cactus_are_marked(cactus: CactusTable) -> None:
    """In the drawing the placed piece has a rim, its cactus is framed, and every piece is told in words."""
    cactus.begin()
    first, _ = pair(cactus)
    cactus.hang(first, "K3")
    page = cactus.page()
    assert page.count('class="hung placed"') == 1
    assert "Cactus 3 with" in page
    stand = cactus.match.scene.stand("K3")
    assert stand is not None
    assert [h.mark for h in stand.hung] == ["placed"]
    cactus.done("confirm")
    assert [s.active for s in cactus.match.scene.stands] == [False, False, False, True, False]
    assert 'figure class="stand active"' in cactus.page()


def test_wrong_piece_and_wrong_cactus_are_put_right_or_allowed(cactus: CactusTable) -> None:
    """Both are told with what would be right; taken back all is well, or the players let it count."""
    cactus.begin()
    first, second = pair(cactus)
    cactus.play(first)
    cactus.done("cactus_roll", face="shape")
    cactus.hang(second, "K4")
    page = cactus.page()
    assert "What may be taken: a basic piece of the shape" in page
    assert "It belongs on Cactus 2, the next one clockwise." in page
    assert "confirm_round" not in cactus.match.can
    cactus.cacti.take(second)
    cactus.see()
    assert cactus.match.phase == "turn"
    cactus.hang(second, "K4")
    cactus.done("declare_call", key=second, call="legal")
    assert "confirm_round" in cactus.match.can
    assert "The players say that it is right." in cactus.page()


def test_contact_is_told_marked_and_repaired(cactus: CactusTable) -> None:
    """Touching pieces of one shape: a ring with the gap, a step to put it right, and no way round it by passing."""
    cactus.begin()
    to_contact(cactus, 1.0, 0.0, 0.1)
    stand = cactus.match.scene.stand("K1")
    assert stand is not None
    assert [(t.call, t.gap_mm) for t in stand.touches] == [("touching", 0.0)]
    page = cactus.page()
    assert 'class="touch touching"' in page
    assert "touch, and have one shape" in page
    assert 'class="magnified"' in page
    assert cactus.do("confirm").status_code == 422
    cactus.cacti.apart()
    second = cactus.turn.key
    assert second is not None
    cactus.cacti.hang(second, "K1", (40.0, -40.0))
    cactus.see()
    assert "confirm_round" in cactus.match.can
    assert 'class="touch touching"' not in cactus.page()


def test_doubtful_contact_asks_and_costs_nothing(cactus: CactusTable) -> None:
    """An unsure contact is shown magnified with two buttons; whatever is answered settles it."""
    cactus.begin()
    first, second = to_contact(cactus, 0.5, 0.6, 0.5)
    page = cactus.page()
    assert "may touch: 0.6 mm, give or take 1.0 mm." in page
    assert "Without an answer it counts as not touching. Touching costs no flower either" in page
    assert 'class="touch unsure"' in page
    assert "They do not touch" in page
    assert cactus.turn.paid == 0
    assert "confirm_round" in cactus.match.can
    a, b = sorted((first, second))
    cactus.done("declare_contact", kind="same-shape", a=a, b=b, touching="yes")
    assert "confirm_round" not in cactus.match.can
    assert "the players looked" in cactus.page()
    cactus.done("declare_contact", kind="same-shape", a=a, b=b, touching="no")
    stand = cactus.match.scene.stand("K1")
    assert stand is not None
    assert [(t.call, t.gap_mm) for t in stand.touches] == [("clear", None)]


def test_the_button_says_who_gets_what(cactus: CactusTable) -> None:
    """The third piece of a colour earns a flower: that stands on the button that passes the die, with the name."""
    cactus.begin()
    cactus.hang(next(iter(cactus.cacti.deck.pieces)))
    for n in range(2):
        assert "gets 1 flower" not in cactus.page()
        cactus.done("confirm")
        cactus.done("cactus_roll", face="color")
        cactus.hang(cactus.may()[n])
    owner = cactus.match.name(cactus.match.to_play)
    assert f"{owner} gets 1 flower" in cactus.page()


def test_second_photo_settles_what_the_first_leaves_open(cactus: CactusTable) -> None:
    """A photo from the side answers the question; one that settles nothing, and one that is none, are told."""
    cactus.begin()
    first, second = to_contact(cactus, 0.5, 0.6, 0.5)
    assert "Take another look, from the side" in cactus.page()

    def send() -> tuple[int, str]:
        photo = (io.BytesIO(b"\xff\xd8 photo"), "b.jpg")
        answer = cactus.post("second", seq=str(cactus.match.seq), photo=photo)
        assert answer.json is not None
        return answer.status_code, answer.json["message"]

    cactus.eye.photo = CactusFrame(cactus.cacti.table)  # type: ignore[assignment]
    assert send() == (422, "The second photo settles nothing more: please look yourselves.")
    cactus.cacti.touch("same-shape", first, second, 1.4, 0.1, 0.001)
    cactus.eye.photo = CactusFrame(cactus.cacti.table)  # type: ignore[assignment]
    assert send() == (200, "")
    stand = cactus.match.scene.stand("K1")
    assert stand is not None
    assert [(t.call, t.gap_mm) for t in stand.touches] == [("clear", 1.4)]
    assert cactus.post("second", seq=str(cactus.match.seq)).status_code == 400
    cactus.eye.photo = None
    assert send()[0] == 422


def test_coach_announces_flowers_and_pays_them(cactus: CactusTable) -> None:
    """The third of a colour is announced before the die is passed, and drawn in the purse after it."""
    cactus.begin()
    first, _ = pair(cactus)
    for _ in range(3):
        if cactus.match.phase == "rolling":
            cactus.done("cactus_roll", face="color")
        piece = first if not cactus.match.turns else cactus.may()[0]
        cactus.hang(piece)
        if cactus.turn.number < 3:
            cactus.done("confirm")
    assert [(r.why, r.flowers) for r in cactus.turn.rewards] == [("color-3", 1)]
    assert "third of its colour: 1 flower" in cactus.page()
    assert "It makes 3 " in cactus.page("/turns/3")
    cactus.done("confirm")
    felix = cactus.match.player("3")
    assert felix is not None
    assert (felix.total, cactus.match.reserve) == (4, 9)
    assert "+1" in cactus.page()


def test_strict_match_says_nothing_before_the_claim(cactus: CactusTable) -> None:
    """What a turn brings is neither on the page nor in the snapshot; claims are buttons, and a wrong one is free."""
    cactus.begin(claims="strict")
    first, _ = pair(cactus)
    cactus.play(first)
    cactus.play(roll="color")
    cactus.done("cactus_roll", face="color")
    cactus.hang(cactus.may()[0])
    page = cactus.page()
    assert "third of its colour: 1 flower" not in page
    assert "color-3" not in json.dumps(as_json(cactus.match.turn))
    assert {n for _, n in (*cactus.match.tally.colors, *cactus.match.tally.shapes)} == {None}
    assert page.count('id="claim-') == 5
    cactus.done("claim", why=["shape-5"])
    assert "not earned" in cactus.page()
    cactus.done("claim", why=["color-3"])
    assert cactus.turn.claimed == ("shape-5", "color-3")
    assert (cactus.turn.earned, cactus.turn.paid) == (1, 0)
    cactus.done("confirm")
    assert cactus.match.turns[-1].change == 1


def test_wrong_claims_are_no_broken_rule_and_counted_as_a_house_rule(cactus: CactusTable) -> None:
    """A claim that is not earned is told without the sign of a broken rule; the house may count them by player."""
    cactus.begin(claims="strict", wrong_claims="counted")
    cactus.play(next(p for p in cactus.may()))
    cactus.play(roll="color")
    seat = cactus.match.to_play
    assert seat is not None
    cactus.done("cactus_roll", face="color")
    cactus.hang(cactus.may()[0])
    cactus.done("claim", why=["shape-5"])
    page = cactus.page()
    law = page[page.index('id="rule-cactus-claim"') - 120 :]
    assert 'class="rule doubt"' in law[:120]
    assert "not earned" in law[:600]
    assert [p.wrong_claims for p in cactus.match.players if p.seat == seat] == [1]
    assert "1 claim not earned" in page


def test_fallen_pieces_cost_and_lie_below(cactus: CactusTable) -> None:
    """A piece that hung and lies now costs a flower and cancels rewards; it is shown below the cacti."""
    cactus.begin()
    first, _ = pair(cactus)
    cactus.play(first)
    cactus.done("cactus_roll", face="color")
    cactus.cacti.drop(first)
    cactus.hang(cactus.may()[0])
    assert [p.id for p in cactus.turn.fallen] == [first]
    page = cactus.page()
    assert "Fallen in this turn:" in page
    assert "pays 1 flower" in page
    cactus.done("declare_fall", piece=first, what="late")
    assert cactus.turn.paid == 0
    cactus.done("undo")
    cactus.done("confirm")
    max_ = cactus.match.player("2")
    assert max_ is not None
    assert max_.total == 2
    cell = next(c for row in cactus.match.tally.cells for c in row if c.piece and c.piece.id == first)
    assert cell.state == "gone"


def test_hand_is_counted_up_and_down(cactus: CactusTable) -> None:
    """Each touch is one flower; a tap too many is taken back."""
    cactus.begin()
    cactus.done("touched", times="1")
    cactus.done("touched", times="2")
    assert (cactus.turn.touches, cactus.turn.paid) == (2, 2)
    page = cactus.page()
    assert "A hand touched: −1 <b>(2)</b>" in page
    assert "one less" in page
    cactus.done("touched", times="1")
    assert cactus.turn.paid == 1


def test_whole_turns_are_played_by_hand(cactus: CactusTable) -> None:
    """Without any camera: begin, tap the piece and its cactus, say what touches and what fell, pass."""
    cactus.by_hand()
    first, second = pair(cactus)
    assert f"/where/{first}" in cactus.page(), "the first piece asks for its cactus"
    assert cactus.page(f"/where/{first}").count('name="cactus"') == 5
    cactus.done("hang", piece=first, cactus="K5")
    assert (cactus.match.phase, cactus.turn.cactus and cactus.turn.cactus.id) == ("verdict", "K5")
    cactus.done("confirm")
    for _ in range(4):
        cactus.done("cactus_roll", face="special")
        cactus.done("hang", piece=cactus.may()[0], cactus=cactus.due())
        cactus.done("confirm")
    cactus.done("cactus_roll", face="shape")
    piece = cactus.may()[0]
    cactus.done("hang", piece=piece, cactus="K5")
    contacts = cactus.page(f"/hangs/{cactus.turn.number}/contacts")
    assert contacts.count('name="kind" value="same-shape"') == 1
    a, b = sorted((f"+{piece}", f"+{first}"))
    cactus.done("declare_contact", kind="same-shape", a=a, b=b, touching="yes")
    assert "confirm_round" not in cactus.match.can
    cactus.done("declare_contact", kind="same-shape", a=a, b=b, touching="no")
    assert f'value="{second}"' not in cactus.page(f"/hangs/{cactus.turn.number}/falls")
    cactus.done("declare_fall", piece=first, what="fell")
    cactus.done("confirm")
    assert cactus.match.turns[-1].change == -1


def test_table_that_does_not_follow_says_what_to_do(cactus: CactusTable) -> None:
    """A piece that hangs before the roll: out of step, nothing guessed; taken back all is well."""
    cactus.begin()
    first, second = pair(cactus)
    cactus.play(first)
    seq = cactus.match.seq
    cactus.hang(second, "K2")
    assert (cactus.snapshot.state, cactus.match.seq) == ("out-of-step", seq)
    assert "A piece hangs before the die was rolled." in cactus.page()
    cactus.cacti.take(second)
    cactus.see()
    assert cactus.snapshot.state == "settled"
    cactus.hang(second, "K2")
    assert cactus.post("take", seq=str(cactus.match.seq)).status_code == 200
    assert second in [h.key for s in cactus.match.scene.stands for h in s.hung]


def test_wrong_name_and_wrong_cactus_are_corrected(cactus: CactusTable) -> None:
    """Every piece of the set is offered; after the correction the ruling is new, in a turn that is over too."""
    cactus.begin()
    first, second = pair(cactus)
    cactus.hang(first, "K2")
    chooser = cactus.page(f"/hangs/1/pieces/{first}")
    assert all(f'name="face" value="{p}"' in chooser for p in cactus.cacti.deck.pieces)
    cactus.done("declare_face", key=first, face=second)
    assert cactus.turn.piece is not None
    assert cactus.turn.piece.id == second
    cactus.done("confirm")
    cactus.done("declare_face", key=first, face=first, round="1")
    assert cactus.match.turns[0].piece is not None
    assert cactus.match.turns[0].piece.id == first


def test_turn_page_explains_with_evidence(cactus: CactusTable) -> None:
    """A turn that is over keeps its picture with outlines, its reasons, and the ways to correct it."""
    cactus.begin()
    first, _ = pair(cactus)
    cactus.play(first)
    page = cactus.page("/turns/1")
    assert "Turn 1: Nele" in page
    assert cactus.match.turns[0].evidence in page
    assert 'class="cactus placed"' in page
    assert "The right piece" in page
    assert 'name="round" value="1"' in page
    assert cactus.client.get(f"/matches/{cactus.match.id}/turns/9").status_code == 404


def test_tally_shows_where_everything_is(cactus: CactusTable) -> None:
    """Five by five with totals, the row of specials with its leftmost one, and what is one short of flowers."""
    cactus.begin()
    first, _ = pair(cactus)
    cactus.play(first)
    cactus.play(roll="special")
    tally = cactus.match.tally
    assert [len(row) for row in tally.cells] == [5] * 5
    piece = cactus.cacti.deck.pieces[first]
    special = cactus.cacti.deck.pieces[cactus.cacti.deck.specials[0]]
    assert dict(tally.colors)[piece.color] == 1 + (special.color == piece.color)
    assert dict(tally.shapes)[piece.shape or ""] == 1
    assert [c.state for c in tally.specials] == ["supply"] * 9 + ["hung"]
    page = cactus.page()
    assert "hangs on cactus 1" in page
    assert 'class="supply first"' in page


def test_row_and_flowers_can_be_set(cactus: CactusTable) -> None:
    """What differs on the table is put right: the worth of somebody's flowers, the row of special pieces."""
    cactus.begin()
    cactus.done("declare_flowers", seat="2", flowers="7")
    max_ = cactus.match.player("2")
    assert max_ is not None
    assert (max_.total, cactus.match.reserve) == (7, 6)
    row = list(reversed([c.piece.id for c in cactus.match.tally.specials if c.piece]))
    cactus.done("declare_specials", piece=row)
    assert [c.piece.id for c in cactus.match.tally.specials if c.piece] == row
    assert cactus.page("/stock").count("<select") == 10


def test_end_names_winners_and_why(cactus: CactusTable) -> None:
    """Equal flowers share the victory, and the page says what ended the match."""
    cactus.begin()
    cactus.done("agree_end")
    assert (cactus.match.phase, cactus.match.winners) == ("finished", ("1", "2", "3"))
    page = cactus.page()
    assert "Shared victory: Nele, Max, Felix" in page
    assert "All agreed to end it." in page
    cactus.done("undo")
    cactus.done("declare_flowers", seat="3", flowers="5")
    cactus.done("finish")
    assert "Felix is the champion of the cacti" in cactus.page()


def test_roll_that_finds_no_piece_says_which_and_can_be_repeated(cactus: CactusTable) -> None:
    """The end names what was rolled and what is lacking, and all can agree on the spot to roll again."""
    cactus.begin()
    color = None
    for n in range(20):
        if cactus.match.phase == "finished":
            break
        if n:
            cactus.done("cactus_roll", face="color")
            if cactus.match.phase == "finished":
                break
        piece = cactus.may()[0]
        color = cactus.match.look.pieces[piece].color
        cactus.hang(piece)
        cactus.done("confirm")
    page = cactus.page()
    assert f"COLOUR was rolled, and no basic piece in {color} is left in the supply." in page
    cactus.done("reroll")
    assert cactus.match.phase == "rolling"
    assert "no such piece is left. Roll again." in cactus.page()


def test_free_choice_runs_shape_by_shape_with_the_colours_below_one_another(cactus: CactusTable) -> None:
    """The first choice of all basic pieces is in the order of the grid: each shape in all colours of the set."""
    match = cactus.begin()
    job = cactus.match.job("take")
    assert job is not None
    assert [(p.shape, p.color) for p in job.pieces] == [(s, c) for s in match.look.shapes for c in match.look.colors]


def test_page_without_a_camera_has_no_empty_picture(cactus: CactusTable) -> None:
    """As long as there is neither a camera nor a photo, the place of the picture is left out."""
    cactus.begin()
    with_camera = replace(cactus.snapshot, camera=replace(cactus.snapshot.camera, state="connected"))
    assert with_camera.match is not None
    assert "blind" not in _layout(with_camera.match, with_camera).split()
    without = replace(with_camera, camera=replace(with_camera.camera, state="none"), picture_size=None)
    assert "blind" in _layout(with_camera.match, without).split()


def test_photos_without_a_camera_are_judged(cactus: CactusTable) -> None:
    """One photo begins the match, one after each turn is enough; one that shows nothing new is answered."""
    cactus.client.post("/matches/new", data=cactus.form())

    def send() -> tuple[int, str]:
        cactus.eye.photo = CactusFrame(cactus.cacti.table)  # type: ignore[assignment]
        data = {"seq": str(cactus.match.seq), "photo": (io.BytesIO(b"\xff\xd8 photo"), "a.jpg")}
        answer = cactus.post("photo", **data)
        assert answer.json is not None
        return answer.status_code, answer.json["message"]

    assert send() == (200, "")
    assert cactus.match.phase == "turn"
    assert send() == (422, "Nothing new hangs on the cacti.")
    cactus.cacti.hang(pair(cactus)[0], "K1")
    assert send() == (200, "")
    assert cactus.match.phase == "verdict"


def test_photo_without_cacti_is_told_as_one(cactus: CactusTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """It speaks of the cacti of the set, not of cards, in both languages; the match stays as it was."""
    cactus.client.post("/matches/new", data=cactus.form())
    cactus.eye.photo = CactusFrame(cactus.cacti.table)  # type: ignore[assignment]
    monkeypatch.setattr(cactus.eye, "read", lambda _: Sight("looking", "unread"))

    def told() -> str:
        data = {"seq": str(cactus.match.seq), "photo": (io.BytesIO(b"\xff\xd8 photo"), "a.jpg")}
        answer = cactus.post("photo", **data)
        assert (answer.status_code, answer.json is None) == (422, False)
        assert answer.json is not None
        return str(answer.json["message"])

    assert "No cactus of the set that you play with" in told()
    cactus.client.get("/language/de")
    assert "Kaktus" in told()
    assert cactus.match.phase == "layout"


def test_photos_without_a_camera_are_what_the_page_asks_for(cactus: CactusTable) -> None:
    """Nobody waits for a camera that is not there: hanging and putting right both end with a photo."""
    cactus.begin()
    first, second = pair(cactus)

    def told(state: str) -> str:
        seen = replace(cactus.snapshot, camera=replace(cactus.snapshot.camera, state=state))
        app = cactus.client.application
        with app.test_request_context():
            app.preprocess_request()
            return str(news_of(cactus.match, seen)["parts"]["stage"])

    assert "then take a photo" not in told("connected")
    assert "Hang it, then take a photo." in told("none")
    assert 'for="photo"' not in told("connected")
    assert 'for="photo"' in told("none")
    cactus.play(first)
    cactus.done("cactus_roll", face="shape")
    cactus.hang(second, "K4")
    assert "the referee looks again by itself" in told("connected")
    assert "then take another photo" in told("none")
    assert 'for="photo"' in told("none")


def test_moving_and_doubtful_pictures_are_not_judged(cactus: CactusTable) -> None:
    """Only what stands still and needs no further look becomes a turn; a second look at the same writes nothing."""
    cactus.begin()
    cactus.cacti.hang(pair(cactus)[0], "K1")
    cactus.see(moving=True)
    assert cactus.match.phase == "turn"
    cactus.see(final=False)
    assert cactus.match.phase == "turn"
    cactus.see()
    assert cactus.match.phase == "verdict"
    seq = cactus.match.seq
    cactus.see()
    assert cactus.match.seq == seq


def test_snapshot_is_plain_json(cactus: CactusTable) -> None:
    """Everything that the page shows is JSON, without the set and without the table behind the drawing."""
    cactus.begin()
    cactus.hang(pair(cactus)[0], "K1")
    told = as_json(cactus.snapshot)
    json.dumps(told, allow_nan=False)
    assert told["cactus"]["scene"]["stands"][0]["hung"][0]["key"] == pair(cactus)[0]
    assert "table" not in told["cactus"]
    assert "look" not in told["match"]
    drawn = cactus.news()["cards"]
    assert [(c["label"], c["kind"]) for c in drawn] == [("", "cactus placed")]
    assert len(drawn[0]["quad"]) == len(cactus.cacti.deck.pieces[pair(cactus)[0]].outline)


def test_match_elsewhere_can_be_watched(cactus: CactusTable) -> None:
    """A second table sees the match without buttons."""
    cactus.begin()
    cactus.play(pair(cactus)[0])
    other = cactus_table(cactus.store)
    page = " ".join(other.client.get(f"/matches/{cactus.match.id}").text.split())
    assert "You are watching" in page
    assert 'id="roll-color"' not in page
    assert "match cactus alone" in page


def test_new_match_keeps_what_was_typed(cactus: CactusTable) -> None:
    """A refused form comes back with names and rules, and says why; another match begins as the last one was."""
    form = cactus.form(**{"player-2": "Nele", "claims": "strict", "order-K1": "1", "order-K2": "1"})
    answer = cactus.client.post("/matches/new", data=form)
    assert answer.status_code == 400
    assert 'value="Felix"' in answer.text
    assert 'name="claims" value="strict" checked' in answer.text
    assert "Give every cactus a number of its own" in answer.text
    answer = cactus.client.post("/matches/new", data={**form, "order-K1": "", "order-K2": ""})
    assert answer.status_code == 422
    assert "Two players have the same name." in answer.text
    assert answer.text.count('value="Nele"') == 2
    order = {f"order-K{n}": str(6 - n) for n in range(1, 6)}
    match = cactus.begin(claims="strict", fallen="return", start="2", **order)
    assert match.to_play == "2"
    assert [s.cactus.id for s in match.scene.stands] == ["K5", "K4", "K3", "K2", "K1"]
    again = cactus.client.get(f"/matches/new?again={match.id}").text
    assert 'name="fallen" value="return" checked' in again
    assert '<option value="2" selected>' in again
    assert 'value="Max"' in again


@pytest.mark.parametrize("language", ["en", "de"])
def test_lesson_leads_through_a_turn(cactus: CactusTable, language: str) -> None:
    """Seven steps; each wrong answer says why, each right one leads on, and nothing else does."""
    cactus.client.get(f"/language/{language}")
    answers = {2: "right", 4: "1", 5: "pay", 6: "right"}
    for step in range(1, 8):
        page = cactus.client.get(f"/help/cactus/lesson?step={step}")
        assert page.status_code == 200
        if step in answers:
            assert 'id="next"' not in page.text
            right = cactus.client.get(f"/help/cactus/lesson?step={step}&answer={answers[step]}").text
            assert f"step={step + 1}" in right
    wrong = cactus.client.get("/help/cactus/lesson?step=5&answer=end").text
    assert 'id="next"' not in wrong
    assert 'class="notice bad" id="answer"' in wrong
    assert 'id="trial"' in cactus.client.get("/help/cactus/lesson?step=3").text
    for query in ("step=0", "step=8", "step=99999999999"):
        assert cactus.client.get(f"/help/cactus/lesson?{query}").status_code == 404
    assert 'id="answer"' not in cactus.client.get("/help/cactus/lesson?step=2&answer=<b>").text


def test_rules_are_explained_with_pieces_of_this_set(cactus: CactusTable) -> None:
    """How to play, in own words; the other games are not explained at a table of Cactus."""
    page = " ".join(cactus.client.get("/help/cactus").text.split())
    assert "How to play Cactus" in page
    assert page.count('class="piecepic big"') == 2
    assert cactus.client.get("/help/conex").status_code == 404


def test_pieces_that_hang_before_the_match_are_asked_about(cactus: CactusTable) -> None:
    """The set-up counts them, and the table of pieces shows where they hang; with none it says nothing."""
    assert cactus.client.post("/matches/new", data=cactus.form()).status_code == 303
    cactus.see()
    assert 'id="hang-already"' not in cactus.page()
    pieces = list(cactus.cacti.deck.pieces)[:2]
    for piece, place in zip(pieces, ("K1", "K2"), strict=True):
        cactus.cacti.hang(piece, place)
    cactus.see()
    page = cactus.page()
    assert "2 pieces hang already: is that right?" in page
    assert "Begin with what hangs: " in page
    assert "hangs on cactus 2" in page
    assert cactus.post("take", seq=str(cactus.match.seq), sure="yes").status_code == 200
    page = cactus.page()
    assert "hang already" not in page
    assert "hangs on cactus 2" in page
    assert "2 pieces hung when the match began: they count." in page


def test_a_photo_of_what_hangs_already_begins_nothing(cactus: CactusTable) -> None:
    """It is shown and asked about, each time; one more tap takes it as the start, and bare cacti begin at once."""
    assert cactus.client.post("/matches/new", data=cactus.form()).status_code == 303
    cactus.cacti.hang(next(iter(cactus.cacti.deck.pieces)), "K1")
    for _ in range(2):
        cactus.eye.photo = CactusFrame(cactus.cacti.table)  # type: ignore[assignment]
        answer = cactus.post("photo", seq=str(cactus.match.seq), photo=(io.BytesIO(b"\xff\xd8 photo"), "a.jpg"))
        assert (answer.status_code, answer.get_json()["message"]) == (200, ""), "one place tells it: the page"
        assert cactus.match.phase == "layout"
        assert "1 piece hangs already: is that right?" in cactus.page()
        assert "a photo that is sent now is its start again, and no turn" in cactus.page()
    assert cactus.post("take", seq=str(cactus.match.seq), sure="yes").status_code == 200
    assert cactus.match.phase == "turn"


def test_match_begins_without_a_cactus_only_where_people_want_it(cactus: CactusTable) -> None:
    """A cactus that is not found is asked about: neither a tap on an older page nor a photo passes over it."""
    cactus.client.post("/matches/new", data=cactus.form())
    cactus.cacti.table = replace(cactus.cacti.table, cacti=("K1", "K2", "K3", "K4"))
    cactus.see()
    page = cactus.page()
    assert page.index('id="begin-anyway"') < page.index('id="begin-play"'), "the way on stands behind a question"
    assert page.count('id="begin-play"') == 1
    assert cactus.post("take", seq=str(cactus.match.seq)).status_code == 200
    assert cactus.photo(CactusFrame(cactus.cacti.table)) == ""
    assert cactus.match.phase == "layout"
    assert cactus.post("take", seq=str(cactus.match.seq), sure="yes").status_code == 200
    assert cactus.match.phase == "turn"
    assert "Cactus 5" in cactus.page()


def test_undo_names_what_was_hung_and_what_was_passed(cactus: CactusTable) -> None:
    """Each last step has its own name on the button that takes it back."""
    cactus.by_hand()
    cactus.done("hang", piece=cactus.may()[0], cactus="K1")
    assert "Take back: what was hung" in cactus.page()
    cactus.done("touched", times="1")
    assert "Take back: what was told" in cactus.page()
    cactus.done("confirm")
    assert "Take back: the passing of the die" in cactus.page()


def test_die_is_put_right_by_a_dialog(cactus: CactusTable) -> None:
    """It offers every face, marks the one that was told, and changes the turn; no other turn has one."""
    cactus.begin()
    cactus.play()
    cactus.done("cactus_roll", face="color")
    cactus.hang(cactus.may()[0])
    number = cactus.turn.number
    assert re.search(rf'href="/matches/[^"]*/hangs/{number}/die" data-dialog', cactus.page())
    page = cactus.page(f"/hangs/{number}/die")
    assert page.count('value="cactus_die"') == 3
    assert page.count('aria-pressed="true"') == 1
    cactus.done("cactus_die", face="shape")
    assert cactus.turn.rolled == "shape"
    first = f"/matches/{cactus.match.id}/hangs/1/die"
    assert cactus.client.get(first).status_code == 404


def test_lots_decide_who_starts(cactus: CactusTable) -> None:
    """Whoever is drawn has a name, and not always the same one does."""
    drawn = set()
    for _ in range(40):
        assert cactus.client.post("/matches/new", data=cactus.form(start="lots")).status_code == 303
        drawn.add(cactus.match.order[0])
    assert drawn == {"1", "2", "3"}
    assert 'value="lots"' in cactus.client.get("/matches/new").text


def test_the_end_is_asked_about_before_it_comes(cactus: CactusTable) -> None:
    """Both ways to end the match lie behind a question."""
    cactus.begin()
    page = cactus.page()
    for box, button in (("end-asked", "agree-end"), ("stop-asked", "finish")):
        asked = page[page.index(f'id="{box}"') :]
        assert asked.index(f'id="{button}"') < asked.index("</details>")
