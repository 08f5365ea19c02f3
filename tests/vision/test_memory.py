"""The memory of a table on which cards are laid to stay: photo by photo, as a game of CONEX is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scoring.games.conex_step import Step, read_step
from scoring.table import BOARD, Placement, Side, TableState
from tests.vision.laid_table import AREA_MM, ARM, BOARD_MM, CARD_MM, SIZE_PX, Card, Table, Thing, mug, pawn, star
from vision.deck import DeckAppearance, LookSet
from vision.live import Eye
from vision.scene import Observation, SceneModel
from vision.tracking.change import Change, find_regions
from vision.tracking.settled import Settled
from vision.tracking.tracker import Tracker
from vision.types import Detection, Frame

A, B, C, D = Card("C01", -120, -40, 20), Card("C02", 100, 30, -30), Card("C03", 140, 105, 10), Card("C04", -150, 60, 80)
START = Table((A, B, C, D))


class Photos:
    """Photographs of one table, one after the other; `told` is what the memory makes of the newest."""

    def __init__(self, area_px: np.ndarray | None = None) -> None:
        self.tracker = Tracker(lasting=True, area_px=area_px)
        self.tables: list[TableState] = []
        self.seed = 100

    def see(self, table: Table, light: float = 1.0, **how: object) -> Settled:
        self.seed += 1
        seen = table.observation(self.seed, **how)  # type: ignore[arg-type]
        told = self.tracker.update(seen, picture=table.picture(self.seed, light), alone=True)
        self.tables.append(told.table)
        return told


def by_face(told: Settled) -> dict[str | None, Placement]:
    found = {p.face: p for p in told.table.placements}
    assert len(found) == len(told.table.placements)
    return found


def keys(told: Settled) -> dict[str | None, str]:
    return {face: p.key for face, p in by_face(told).items()}


def covers(told: Settled) -> set[tuple[str | None, str | None]]:
    names = {p.key: p.face for p in told.table.placements}
    return {(names[a], names[b]) for a, b in told.table.covers}


def off_mm(a: Placement, b: Placement) -> float:
    return max(float(np.hypot(*np.subtract(p, q))) for p, q in zip(a.corners(), b.corners(), strict=True))


def photos(*tables: Table) -> tuple[Photos, Settled]:
    camera = Photos()
    for table in tables:
        told = camera.see(table)
    return camera, told


# ---- a game ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_followed_card_by_card(seed: int) -> None:
    """Under drift, noise, missed cards and planes of their own: keys last, every step and every cover is right."""
    rng = np.random.default_rng(seed)
    table, camera = Table(()), Photos()
    known: dict[str | None, str] = {}
    for n in range(9):
        before = table
        if n and n % 4 == 3:
            top = max(range(len(table.cards)), key=lambda k: k * (table.visible(k) > 0.999))
            table = table.without(table.cards[top].face)
        elif n:
            a = 2 * np.pi * n / 8 + rng.normal(0, 0.1)
            table = table.with_(Card(f"C{n:02d}", 180 * np.cos(a), 120 * np.sin(a), float(rng.uniform(0, 360))))
        drift = tuple(rng.normal(0, 1.0, 2))
        old = [c.face for c in before.cards if c in table.cards]
        missed = list(rng.choice(old, 1)) if old and n % 2 else []
        told = camera.see(replace(table, drift_px=drift), light=float(rng.uniform(0.9, 1.1)), missed=missed)
        assert set(by_face(told)) == {c.face for c in table.cards}
        assert covers(told) == table.covers
        assert all(keys(told)[face] == key for face, key in known.items() if face in by_face(told))
        known |= keys(told)
        if n:
            step = read_step(*camera.tables[-2:])
            laid = {c.face for c in table.cards} - {c.face for c in before.cards}
            assert {step.placed.face if step.placed else None} == (laid or {None})
            assert {p.face for p in step.removed} == {c.face for c in before.cards} - {c.face for c in table.cards}
            assert not step.shifted
            assert not step.others


def test_millimetres_mean_the_same_in_every_photo() -> None:
    """Every look has a plane of its own, yet what nobody touched stays within a millimetre, the board too."""
    camera = Photos()
    rng = np.random.default_rng(5)
    first = camera.see(START)
    for n in range(8):
        drift = tuple(rng.normal(0, 1.5, 2))
        told = camera.see(replace(START.with_(Card("C09", 0, -110, 15.0 * n)), drift_px=drift))
        for face, piece in by_face(first).items():
            assert off_mm(by_face(told)[face], piece) < 0.8
        assert told.table.board is not None
        assert first.table.board is not None
        assert off_mm(told.table.board, first.table.board) < 0.8


def test_distances_are_those_of_the_table() -> None:
    """From card to card and from card to board, in mm, within what is said of their corners."""
    _, told = photos(START, *[replace(START, drift_px=(0.5 * n, -0.4 * n)) for n in range(5)])
    found = by_face(told)
    assert told.table.board is not None
    spots = {c.face: ((c.x, c.y), found[c.face].pose) for c in START.cards}
    spots[BOARD] = ((0.0, 0.0), told.table.board.pose)
    for a, (true_a, pose_a) in spots.items():
        for b, (true_b, pose_b) in spots.items():
            measured = np.hypot(pose_a.x_mm - pose_b.x_mm, pose_a.y_mm - pose_b.y_mm)
            assert measured == pytest.approx(np.hypot(*np.subtract(true_a, true_b)), abs=0.6), (a, b)
    assert all(p.size_mm == CARD_MM for p in found.values())


def test_outlines_are_those_of_the_newest_photo() -> None:
    """The outlines go with the drift of the camera, also where a card or the board is not found."""
    camera, _ = photos(START)
    table = replace(START, drift_px=(3.0, -2.0))
    told = camera.see(table, missed=("C02",), sees_board=False)
    for card in table.cards:
        outline = told.quads_px[keys(told)[card.face]]
        np.testing.assert_allclose(outline, table.px(card.corners), atol=0.6)
    assert told.board_px is not None
    before = START.observation(101).board
    assert before is not None
    np.testing.assert_allclose(told.board_px, before.quad_px + table.drift_px, atol=0.8)
    assert BOARD not in told.seen
    assert told.seen == {keys(told)[face] for face in ("C01", "C03", "C04")}


def test_more_looks_lower_the_error_and_the_stated_sigma_only_so_far() -> None:
    """Sigma shrinks with the looks, but never below what all looks have in common."""
    camera, told = photos(START)
    once = by_face(told)["C01"].sigma_mm
    for _ in range(12):
        told = camera.see(START)
    assert 0.85 * once < by_face(told)["C01"].sigma_mm < 0.99 * once
    outline = told.quads_px[keys(told)["C01"]]
    assert np.abs(outline - START.px(A.corners)).max() < 0.15


def test_playing_area_is_kept_in_millimetres() -> None:
    """The area drawn in the first picture is the same piece of table in every later one."""
    camera = Photos(area_px=START.px(np.array(AREA_MM)))
    for drift in ((0.0, 0.0), (2.0, 1.0), (-1.5, 2.5)):
        told = camera.see(replace(START, drift_px=drift))
        assert told.area_px is not None
        np.testing.assert_allclose(told.area_px, replace(START, drift_px=drift).px(np.array(AREA_MM)), atol=0.5)
        sides = np.hypot(*(np.roll(told.table.area, -1, axis=0) - np.array(told.table.area)).T)
        np.testing.assert_allclose(sides, [600, 300, 600, 300], atol=4)
        assert told.table.board is not None
        centre = np.mean(told.table.area, axis=0)
        assert centre == pytest.approx([told.table.board.pose.x_mm, told.table.board.pose.y_mm], abs=1.5)


def test_camera_moved_aside_keeps_table_and_names() -> None:
    """After a push of the camera by a good part of a card nothing was laid, moved or taken."""
    camera, first = photos(START)
    told = camera.see(replace(START, drift_px=(45.0, -30.0)), missed=("C04",))
    assert keys(told) == keys(first)
    step = read_step(*camera.tables)
    assert step.quiet
    assert not step.shifted
    assert covers(told) == START.covers


# ---- what is not found -----------------------------------------------------------------------------------------------


def test_card_in_glare_stays_as_it_was() -> None:
    """A card that is not found where nothing changed is there, as visible as before, in photo after photo."""
    camera, first = photos(START)
    for _ in range(9):
        told = camera.see(START, missed=("C02",))
        assert keys(told) == keys(first)
        assert by_face(told)["C02"].visible == by_face(first)["C02"].visible > 0.5
        assert keys(told)["C02"] not in told.seen
        assert covers(told) == START.covers


def test_card_that_was_taken_is_gone_at_once() -> None:
    """Its place shows the table, or the card below: removed, and nothing else changes."""
    camera, first = photos(START)
    told = camera.see(START.without("C03"))
    assert keys(told) == {face: key for face, key in keys(first).items() if face != "C03"}
    assert covers(told) == START.without("C03").covers
    assert [p.face for p in read_step(*camera.tables).removed] == ["C03"]


def test_card_taken_off_another_is_gone_though_the_other_fills_its_place() -> None:
    """A card that lay on half of another is removed, not taken to lie under it now."""
    on_b = Card("C07", 110, 40, -30)
    camera, _ = photos(START, START.with_(on_b))
    told = camera.see(START)
    assert set(by_face(told)) == {"C01", "C02", "C03", "C04"}
    assert covers(told) == START.covers


def test_arm_over_cards_takes_none_away() -> None:
    """Cards under an arm stay with their last pose, hidden; which of them is taken meanwhile shows when it is gone."""
    camera, first = photos(START)
    told = camera.see(replace(START, things=(ARM,)))
    assert keys(told) == keys(first)
    hidden = keys(told).keys() - {face for face, key in keys(told).items() if key in told.seen}
    assert hidden == {"C03"}
    assert by_face(told)["C03"].visible == 0.0
    assert off_mm(by_face(told)["C03"], by_face(first)["C03"]) < 0.5
    told = camera.see(START.without("C03"))
    assert set(by_face(told)) == {"C01", "C02", "C04"}


def test_mug_on_a_card_hides_it() -> None:
    """A mug set onto a card does not remove it; when the mug is taken away the card is the same one."""
    camera, first = photos(START)
    for _ in range(3):
        told = camera.see(replace(START, things=(mug(-120, -40),)))
        assert keys(told) == keys(first)
        assert by_face(told)["C01"].visible == 0.0
    told = camera.see(START)
    assert keys(told) == keys(first)
    assert keys(told)["C01"] in told.seen


def test_card_buried_under_others_stays() -> None:
    """Cards laid all over another hide it; it lies below them and keeps its place."""
    camera, first = photos(START)
    over = START.with_(Card("C07", -135, -40, 20), Card("C08", -100, -40, 20))
    told = camera.see(over)
    assert keys(told)["C01"] == keys(first)["C01"]
    assert by_face(told)["C01"].visible == 0.0
    assert {("C07", "C01"), ("C08", "C01")} < covers(told)
    assert by_face(told)["C01"].layer < by_face(told)["C07"].layer


def test_card_overlooked_at_first_was_laid_by_nobody() -> None:
    """A card found only now, where nothing changed, is told as overlooked; one that was laid is not."""
    camera = Photos()
    camera.see(START, missed=("C01",))
    told = camera.see(START.with_(Card("C09", 0, -110)))
    assert told.overlooked == {keys(told)["C01"]}


# ---- what moves ------------------------------------------------------------------------------------------------------


def test_card_that_lies_again_exactly_where_it_was_was_laid_by_nobody() -> None:
    """A card told to be gone that comes back to the very place was hidden all the time; elsewhere it is laid."""
    camera, before = photos(START)
    gone = camera.see(START.without("C02"))
    assert "C02" not in by_face(gone)
    again = camera.see(START)
    assert keys(again)["C02"] == keys(before)["C02"]
    assert keys(again)["C02"] in again.overlooked

    camera, before = photos(START)
    camera.see(START.without("C02"))
    laid = camera.see(START.without("C02").with_(B.moved(6, 0)))
    assert keys(laid)["C02"] not in laid.overlooked


def test_pushed_cards_are_shifted_and_keep_their_names() -> None:
    """Several cards pushed by some millimetres: the same keys, no placement, and they lie where they were pushed."""
    camera, first = photos(START)
    told = camera.see(START.pushed(C02=(3.5, 2.0), C03=(4.0, 2.5)))
    assert keys(told) == keys(first)
    step = read_step(*camera.tables)
    assert step.quiet
    assert {m.after.face for m in step.shifted} == {"C02", "C03"}
    assert covers(told) == START.covers
    assert off_mm(by_face(told)["C02"], by_face(first)["C02"]) == pytest.approx(np.hypot(3.5, 2.0), abs=0.6)


def test_card_taken_up_and_laid_elsewhere_is_the_same_card_on_top() -> None:
    """It keeps its key, is told as removed and placed, and lies on what it is laid on now."""
    camera, first = photos(START)
    there = START.with_(Card("C01", 145, 125, 70))
    told = camera.see(there)
    assert keys(told) == keys(first)
    step = read_step(*camera.tables)
    assert step.relaid
    assert step.placed is not None
    assert (step.placed.face, [p.face for p in step.removed]) == ("C01", ["C01"])
    assert covers(told) == there.covers == {("C03", "C02"), ("C01", "C03")}


def test_card_laid_anew_close_by_is_removed_and_placed() -> None:
    """A centimetre away is no push either, and the card is the upper one of those it lies on."""
    camera, first = photos(START)
    told = camera.see(START.with_(C.moved(8.0, -6.5, 2.0)))
    assert keys(told) == keys(first)
    assert read_step(*camera.tables).relaid


def test_other_card_in_the_place_of_one_is_another_card() -> None:
    """A card taken back and another laid in its place, a little otherwise: one removed, one placed."""
    camera, first = photos(START)
    told = camera.see(START.without("C03").with_(replace(C, face="C11", x=C.x + 5, deg=C.deg + 3)))
    assert set(by_face(told)) == {"C01", "C02", "C04", "C11"}
    assert keys(told)["C11"] not in keys(first).values()
    step = read_step(*camera.tables)
    assert step.placed is not None
    assert (step.placed.face, [p.face for p in step.removed]) == ("C11", ["C03"])


def test_outline_that_begins_at_the_other_corner_is_no_move() -> None:
    """A card that cannot be read for once, and whose outline begins at its opposite corner, was not turned."""
    camera, first = photos(START)
    seen = START.observation(7, read={"C01": {None: 0.8}})
    n = next(i for i, d in enumerate(seen.detections) if d.face is None)
    turned = replace(seen.detections[n], quad_px=np.roll(seen.detections[n].quad_px, 2, axis=0))
    pose = seen.table.placements[n].pose
    placed = replace(seen.table.placements[n], pose=replace(pose, angle_rad=pose.angle_rad + np.pi))
    detections = (*seen.detections[:n], turned, *seen.detections[n + 1 :])
    placements = (*seen.table.placements[:n], placed, *seen.table.placements[n + 1 :])
    seen = replace(seen, detections=detections, table=replace(seen.table, placements=placements))
    told = camera.tracker.update(seen, picture=START.picture(7), alone=True)
    assert keys(told) == keys(first)
    assert off_mm(by_face(told)["C01"], by_face(first)["C01"]) < 0.5


def test_outline_far_off_on_an_unchanged_picture_is_not_believed() -> None:
    """A card whose outline is fitted to the wrong edges for once lies where it lay."""
    camera, first = photos(START)
    seen = START.observation(8)
    n = next(i for i, d in enumerate(seen.detections) if d.face == "C01")
    wrong = replace(seen.detections[n], quad_px=seen.detections[n].quad_px + [14, 9])
    seen = replace(seen, detections=(*seen.detections[:n], wrong, *seen.detections[n + 1 :]))
    told = camera.tracker.update(seen, picture=START.picture(8), alone=True)
    assert off_mm(by_face(told)["C01"], by_face(first)["C01"]) < 0.5


def outlined(table: Table, seed: int, face: str, corners_mm: np.ndarray, *, instead: bool) -> Observation:
    """A look in which an outline without a name lies somewhere, in place of a card or besides it."""
    seen = table.observation(seed, missed=(face,) if instead else ())
    quad = table.px(corners_mm)
    assert seen.plane is not None
    number = str(len(seen.detections))
    piece = Placement(number, None, seen.plane.pose_of(quad, CARD_MM)[0], CARD_MM, 0.4, 0.9, (), 0.5, Side.UNKNOWN)
    detections = (*seen.detections, Detection(quad, None, 0.9, 0.5, 0.8))
    return replace(seen, detections=detections, table=replace(seen.table, placements=(*seen.table.placements, piece)))


@pytest.mark.parametrize("instead", [True, False], ids=["not found", "found"])
def test_outline_around_a_hand_on_a_card_is_neither_that_card_nor_another(instead: bool) -> None:
    """A hand that lies partly on a card gives an outline without a name: the card stays what and where it was."""
    camera, first = photos(START)
    hand = Thing(tuple((x - 25.0, y + 30.0) for x, y in ARM.outline))
    table = replace(START, things=(hand,))
    seen = outlined(table, 11, "C03", C.moved(-12, 9, 20).corners, instead=instead)
    told = camera.tracker.update(seen, picture=table.picture(11), alone=True)
    assert keys(told) == keys(first)
    assert off_mm(by_face(told)["C03"], by_face(first)["C03"]) < 0.5


def test_unreadable_card_keeps_its_name() -> None:
    """A card half under a hand, found where it lay but without a name, is the card that lay there."""
    camera, first = photos(START)
    table = replace(START, things=(Thing(tuple((x - 10.0, y + 50.0) for x, y in ARM.outline)),))
    seen = table.observation(12, read={"C03": {None: 0.8}})
    told = camera.tracker.update(seen, picture=table.picture(12), alone=True)
    assert keys(told) == keys(first)
    assert by_face(told)["C03"].confidence > 0.9


# ---- names -----------------------------------------------------------------------------------------------------------


def test_known_card_keeps_its_name_through_a_wrong_reading() -> None:
    """Glare that makes one card look like another changes no name where nothing happened."""
    camera, first = photos(START)
    told = camera.see(START, read={"C01": {"C05": 0.85, "C01": 0.1}})
    assert keys(told) == keys(first)


def test_laid_card_is_none_that_lies_elsewhere() -> None:
    """A laid card that reads like one that is seen elsewhere is the next that it may be; the other keeps its name."""
    camera, first = photos(START)
    told = camera.see(START.with_(Card("C09", 0, -110)), read={"C09": {"C02": 0.7, "C09": 0.25}})
    assert keys(told) | keys(first) == keys(told)
    new = by_face(told)["C09"]
    assert new.confidence > 0.25
    assert all(c.face != "C02" for c in new.candidates)


def test_laid_card_that_could_only_be_a_taken_one_has_no_sure_name() -> None:
    """Where nothing else comes into question the laid card is told, but hardly named."""
    camera, first = photos(START)
    told = camera.see(START.with_(Card("C09", 0, -110)), read={"C09": {"C02": 0.97, None: 0.03}})
    (new,) = [p for p in told.table.placements if p.key not in keys(first).values()]
    assert new.face is None or new.confidence < 0.3


def test_two_cards_that_read_alike_share_no_name() -> None:
    """Of two newly laid cards with one reading the surer one has the name."""
    camera, _ = photos(START)
    laid = START.with_(Card("C09", 0, -110), Card("C10", 40, 130))
    told = camera.see(laid, read={"C09": {"C09": 0.9, "C10": 0.1}, "C10": {"C09": 0.6, "C10": 0.4}})
    assert {"C09", "C10"} < set(by_face(told))


# ---- who lies on whom ------------------------------------------------------------------------------------------------


def test_first_photo_tells_who_lies_on_whom_by_what_is_seen_whole() -> None:
    """Where the eye says nothing, the card of which more is seen lies above; three in a pile too."""
    pile = Table((A, B, B.moved(40, 55), B.moved(85, 100, 25)))
    pile = replace(pile, cards=tuple(replace(c, face=f"C{n + 1:02d}") for n, c in enumerate(pile.cards)))
    assert len(pile.covers) == 2
    assert covers(Photos().see(pile, shown=False)) == pile.covers


def test_first_photo_tells_who_lies_on_whom_as_the_eye_shows_it() -> None:
    """What the eye shows decides, and is remembered by a look in which it says nothing."""
    camera = Photos()
    assert covers(camera.see(START)) == START.covers == {("C03", "C02")}
    assert covers(camera.see(START, shown=False)) == START.covers


def test_laid_card_lies_on_top_whatever_is_said_of_it_once() -> None:
    """A card that was laid later lies above; the eye alone does not put it below."""
    camera, _ = photos(START)
    on = START.with_(Card("C09", -95, -105, 20))
    seen = on.observation(9)
    swapped = tuple((b, a) for a, b in seen.table.covers)
    told = camera.tracker.update(
        replace(seen, table=replace(seen.table, covers=swapped)), picture=on.picture(9), alone=True
    )
    assert ("C09", "C01") in covers(told)


def test_card_pushed_under_another_lies_below() -> None:
    """Where the picture shows the later card below, and less of it is seen, it was pushed under."""
    camera, _ = photos(Table((A,)))
    under = Table((Card("C09", -110, -110, 20), A))
    assert covers(camera.see(under)) == {("C01", "C09")}


def test_layers_count_the_cards_below() -> None:
    """A card on a card on the table has two below it; a free card on the table has none."""
    steps = [START, START.with_(Card("C05", 185, 165, 40))]
    _, told = photos(*steps)
    assert {face: p.layer for face, p in by_face(told).items()} == {"C01": 0, "C02": 0, "C03": 1, "C04": 0, "C05": 2}


# ---- pawns and stars -------------------------------------------------------------------------------------------------

TOKENS = (pawn("green", (10, 5), 3), pawn("white", (-20, 30), 7), star("2x", (-120, -40), "C01"))


def test_tokens_name_the_card_they_lie_on_by_its_lasting_key() -> None:
    """A star's card is told by the key that lasts, a pawn stands on the board, and both have lasting millimetres."""
    camera, first = photos(replace(START, tokens=TOKENS))
    told = camera.see(replace(START, tokens=TOKENS, drift_px=(2.0, 1.0)))
    assert [(t.name, t.on, t.square) for t in told.table.tokens] == [
        ("green", BOARD, 3),
        ("white", BOARD, 7),
        ("2x", keys(told)["C01"], None),
    ]
    for before, after in zip(first.table.tokens, told.table.tokens, strict=True):
        assert after.at == pytest.approx(before.at, abs=0.6)
    assert len(told.tokens_px) == 3


def test_pawn_that_is_not_found_where_nothing_changed_stands_still() -> None:
    """One look that misses a pawn does not take it off the track; one that was moved stands elsewhere."""
    table = replace(START, tokens=TOKENS)
    camera, _ = photos(table)
    seen = replace(table, tokens=TOKENS[1:]).observation(3)
    told = camera.tracker.update(seen, picture=table.picture(3), alone=True)
    assert [(t.name, t.square) for t in told.table.tokens] == [("green", 3), ("white", 7), ("2x", None)]
    moved = replace(START, tokens=(pawn("green", (30, -30), 9), TOKENS[1]))
    told = camera.see(moved)
    assert [(t.name, t.square) for t in told.table.tokens] == [("green", 9), ("white", 7)]


def test_pawn_that_one_photo_imagines_does_not_stay() -> None:
    """A pawn seen once where nothing happened, and not again, never stood there."""
    camera, _ = photos(START, START)
    seen = replace(START, tokens=TOKENS[:1]).observation(5)
    camera.tracker.update(seen, picture=START.picture(5), alone=True)
    assert camera.see(START).table.tokens == ()


def test_pawns_under_an_arm_stay() -> None:
    """An arm over the board takes no pawn away."""
    table = replace(START, tokens=TOKENS)
    camera, _ = photos(table)
    arm = replace(ARM, outline=((-60.0, -60.0), (60.0, -60.0), (60.0, 400.0), (-60.0, 400.0)))
    hidden = replace(table, things=(arm,))
    seen = replace(hidden, tokens=TOKENS[2:]).observation(4, sees_board=False)
    told = camera.tracker.update(seen, picture=hidden.picture(4), alone=True)
    assert [(t.name, t.square) for t in told.table.tokens] == [("green", 3), ("white", 7), ("2x", None)]
    assert told.table.board is not None


def test_surer_reading_of_a_pawn_holds_while_it_stands() -> None:
    """A doubtful look at a pawn that nobody touched does not move it to another square."""
    camera, _ = photos(replace(START, tokens=TOKENS))
    told = camera.see(replace(START, tokens=(pawn("green", (10.5, 5), 4, 0.5), *TOKENS[1:])))
    assert told.table.tokens[0].square == 3


# ---- a recording -----------------------------------------------------------------------------------------------------


class Recording:
    """Looks at a recording: what changed is told by the moving picture, and one table may be looked at again."""

    def __init__(self, table: Table) -> None:
        self.tracker = Tracker(lasting=True)
        self.table = table
        self.tracker.update(table.observation(1), None, table.picture(1))

    def change(self, table: Table) -> Change:
        """What the moving picture tells of the change from the table before."""
        before, now = self.table.picture(0).astype(int), table.picture(0).astype(int)
        changed = (np.abs(now - before).max(axis=2) > 25)[::4, ::4]
        return find_regions(changed, changed, (4.0, 4.0), SIZE_PX, 1.5e-4)

    def looks(self, table: Table, seeds: Sequence[int], **how: object) -> list[Settled]:
        change = self.change(table)
        self.table = table
        return [
            self.tracker.update(table.observation(seed, **how), change, table.picture(seed))  # type: ignore[arg-type]
            for seed in seeds
        ]


def test_laid_card_is_told_at_the_first_look() -> None:
    """A card that reads for sure where something changed needs no second look."""
    (told,) = Recording(START).looks(START.with_(Card("C09", 0, -110)), [2])
    assert "C09" in by_face(told)
    assert not told.doubtful


@pytest.mark.parametrize(
    ("table", "phantom", "probability"),
    [(START, Card("C09", 0, -110), 0.99), (replace(START, things=(mug(0, -110),)), Card("C09", 5, -105), 0.7)],
    ids=["sure, where nothing changed", "doubtful, where a mug was set down"],
)
def test_phantom_of_one_look_is_no_card(table: Table, phantom: Card, probability: float) -> None:
    """What one look sees and the next does not was never there."""
    recording = Recording(START)
    read = {"C09": {"C09": probability}}
    change = recording.change(table)
    seen = START.with_(phantom).observation(5, read=read)
    once = recording.tracker.update(seen, change, table.picture(5))
    again = recording.tracker.update(table.observation(6), change, table.picture(6))
    for told in (once, again):
        assert "C09" not in by_face(told)
    assert once.doubtful
    assert once.without_doubts() is None


def test_doubtful_card_waits_for_a_second_look() -> None:
    """A weakly read card where something changed is told when a second look agrees."""
    recording = Recording(START)
    read = {"C09": {"C09": 0.6, "C12": 0.3}}
    once, twice = recording.looks(START.with_(Card("C09", 0, -110)), [2, 3], read=read)
    assert "C09" not in by_face(once)
    assert once.doubtful
    assert "C09" in by_face(twice)


def test_removed_card_needs_two_looks_and_a_moved_mug_removes_none() -> None:
    """In a recording a taken card goes at the second look; a mug moved onto a card only hides it."""
    recording = Recording(replace(START, things=(mug(0, -120),)))
    once, twice = recording.looks(replace(START, things=(mug(-120, -40),)), [2, 3])
    assert set(by_face(once)) == set(by_face(twice)) == {"C01", "C02", "C03", "C04"}
    assert not twice.doubtful
    once, twice = recording.looks(replace(START.without("C03"), things=(mug(-120, -40),)), [4, 5])
    assert set(by_face(once)) == {"C01", "C02", "C03", "C04"}
    assert set(by_face(twice)) == {"C01", "C02", "C04"}
    assert once.doubtful
    assert not twice.doubtful


# ---- through the eye -------------------------------------------------------------------------------------------------


def model_with_board(area_px: np.ndarray | None = None) -> SceneModel:
    """What an eye knows of a game with a board; the looks themselves are made here."""
    return SceneModel(DeckAppearance("drawn", "conex", CARD_MM, 3.0, (), LookSet(BOARD_MM, 0.0, ())), None, area_px)


class Film:
    """A recording of tables, six frames a second, and an eye that is told what is really there."""

    def __init__(self) -> None:
        self.frames: dict[float, Table] = {}
        self.eye = Eye(
            model_with_board(), lambda frame, model: self.frames[frame.at_s].observation(round(6 * frame.at_s))
        )
        self.said: list[tuple[str, ...]] = []
        self.before: TableState | None = None

    def show(self, table: Table, seconds: float, light: float = 1.0) -> None:
        for _ in range(round(6 * seconds)):
            at_s = len(self.frames) / 6
            self.frames[at_s] = table
            look = self.eye.look(Frame(table.picture(len(self.frames), light), at_s, len(self.frames)))
            if not look.final or look.settled is None:
                continue
            after = look.settled.table
            step = read_step(self.before, after) if self.before is not None else Step()
            self.before = after
            told = tuple(f"removed {p.face}" for p in step.removed)
            told += (f"placed {step.placed.face}",) if step.placed is not None else ()
            if told or step.others:
                self.said.append((*told, *(f"also {p.face}" for p in step.others)))

    def reach(self, during: Table) -> None:
        """A hand comes in and goes, over the cards on the right."""
        self.show(replace(during, things=(*during.things, ARM)), 0.5)
        arm = tuple((x - 25.0, y + 30.0) for x, y in ARM.outline)
        self.show(replace(during, things=(*during.things, Thing(arm))), 0.5)


def test_recording_of_a_game_tells_what_happened_and_nothing_else() -> None:
    """Laid, a hand that only points, another lamp, a mug moved onto a card, laid anew, taken off."""
    film = Film()
    table = replace(START, things=(mug(0, -120, 30),))
    film.show(table, 1.5)
    film.reach(table)
    table = table.with_(Card("C05", 205, 170, 40))
    film.show(table, 1.5)
    film.reach(table)
    film.show(table, 1.5)
    film.show(table, 1.5, light=0.75)
    table = replace(table, things=(mug(-120, -40, 45),))
    film.show(table, 2.0, light=0.75)
    table = table.with_(Card("C05", 195, 20, 130))
    film.reach(table)
    film.show(table, 1.5, light=0.75)
    table = table.without("C05")
    film.reach(table)
    film.show(table, 2.0, light=0.75)
    assert film.said == [("placed C05",), ("removed C05", "placed C05"), ("removed C05",)]
    assert film.before is not None
    assert {p.face for p in film.before.placements} == {"C01", "C02", "C03", "C04"}


def test_stills_are_settled_each_by_itself() -> None:
    """An eye that reads photographs needs no second look, and remembers from one to the next."""
    tables = [START, START.with_(Card("C09", 0, -110)), START.with_(Card("C09", 0, -110)).without("C03")]
    area = START.px(np.array(AREA_MM))
    eye = Eye(model_with_board(area), lambda frame, model: tables[frame.index].observation(frame.index))
    looks = [eye.read(Frame(t.picture(n), float(n), n)) for n, t in enumerate(tables)]
    states = [look.settled.table for look in looks if look.settled is not None and look.final]
    assert [{p.face for p in s.placements} for s in states] == [{c.face for c in t.cards} for t in tables]
    assert all(len(s.area) == 4 for s in states)
    assert read_step(states[1], states[2]).quiet is False
