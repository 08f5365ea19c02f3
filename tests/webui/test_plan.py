"""The plan: a table of CONEX to scale, whatever lies on it and however it was read."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.table import Placement, Pose, Side, TableState
from scoring.verdicts import Call, Verdict
from tests.conex_table import VIEW, board, card, deck, pawn, star, table
from webui.conex.plan import face_view, plan_of
from webui.conex.rendering import arithmetic, ink
from webui.conex.snapshot import LaidView
from webui.conex.snapshot_plan import PlanView
from webui.conex.views import faces_of

FACES = faces_of(deck())


def plan(state: TableState, **more: object) -> PlanView:
    return plan_of(state, deck(), FACES, **more)  # type: ignore[arg-type]


def test_what_lies_above_is_drawn_later() -> None:
    """A card is drawn behind all that lie on it, in whatever order they were read; a ring of covers is no trap."""
    a, b, c = card("1", "C01", 0, 0), card("2", "C02", 20, 20), card("3", "C03", 40, 40)
    drawn = plan(table(c, b, a, covers=(("2", "1"), ("3", "2"))))
    assert [x.key for x in drawn.cards] == ["1", "2", "3"]
    drawn = plan(table(a, b, c, covers=(("1", "2"), ("2", "3"))))
    assert [x.key for x in drawn.cards] == ["3", "2", "1"]
    assert len(plan(table(a, b, c, covers=(("1", "2"), ("2", "1")))).cards) == 3


def test_marks_tell_how_sure_a_card_is() -> None:
    """The card of the turn, covered ones, doubtful ones, unread ones and backs are told apart."""
    cards = (
        card("1", "C01", 0, 0),
        card("2", "C02", 20, 20),
        card("3", "C03", 200, 0, confidence=0.6),
        card("4", None, 300, 0),
        card("5", None, -200, 0, side=Side.BACK),
        card("6", "C04", -300, 0),
    )
    marks = {c.key: c.mark for c in plan(table(*cards, covers=(("2", "1"),)), last="2").cards}
    assert marks == {"1": "covered", "2": "last", "3": "guess", "4": "guess", "5": "down", "6": "free"}


@given(
    st.lists(st.tuples(st.floats(-600, 600), st.floats(-400, 400), st.floats(-7, 7)), max_size=8),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_everything_is_inside_what_is_shown(
    poses: list[tuple[float, float, float]], with_area: bool, with_board: bool
) -> None:
    """Every card, also one that reaches beyond the area, lies in the box; the box has the shape of a screen."""
    cards = [card(str(i), "C01", x, y, a) for i, (x, y, a) in enumerate(poses)]
    area = ((-350.0, -200.0), (350.0, -200.0), (350.0, 200.0), (-350.0, 200.0)) if with_area else ()
    state = TableState(tuple(cards), VIEW, board=board() if with_board else None, area=area)
    left, top, width, height = plan(state).box
    for piece in cards:
        for x, y in piece.corners():
            assert left - 1 <= x <= left + width + 1
            assert top - 1 <= y <= top + height + 1
    assert 1.6 < width / height < 1.95


def test_errors_of_the_plane_break_no_page() -> None:
    """What lies kilometres away, by a plane gone wrong, is not drawn, and the rest is."""
    far = card("2", "C02", 4e7, 0)
    drawn = plan(table(card("1", "C01", 0, 0), far, area=((0.0, 0.0), (1e9, 0.0), (0.0, 1e9))))
    assert [c.key for c in drawn.cards] == ["1"]
    assert drawn.area == ()
    assert all(math.isfinite(v) and abs(v) < 5000 for v in drawn.box)


def test_tokens_stand_where_they_were_seen() -> None:
    """Pawns and stars at their places; one that is hardly one is left out."""
    drawn = plan(table(tokens=(pawn("white", 3), pawn("black", 4, 0.2), star("2x", None, (10.0, 20.0)))))
    assert [(p.color, p.square) for p in drawn.pawns] == [("white", 3)]
    assert [(s.kind, s.x, s.y) for s in drawn.stars] == [("2x", 10.0, 20.0)]


def test_places_are_marked_for_what_is_not_kept() -> None:
    """A kept rule marks nothing; tags of several places do not lie upon each other."""
    ends = ((10.0, 10.0), (12.0, 10.0))
    verdicts = (
        Verdict("conex.color", Call.LEGAL, where=((0.0, 0.0), (5.0, 0.0), (5.0, 5.0))),
        Verdict("conex.single-contact", Call.UNCERTAIN, facts={"gap_mm": 0.4}, where=ends),
        Verdict("conex.corner-covered", Call.VIOLATION, facts={"gap_mm": -3.1}, where=ends),
        Verdict("conex.not-attached", Call.VIOLATION),
    )
    places = plan(table(card("1", "C01", 0, 0)), verdicts=verdicts).places
    assert [(p.call, p.gap_mm) for p in places] == [("violation", -3.1), ("uncertain", 0.4)]
    (x1, y1), (x2, y2) = (p.tag for p in places)
    assert abs(x1 - x2) > 60 or abs(y1 - y2) > 18


def test_numbers_are_written_inside_their_corner() -> None:
    """The label stands at the middle of the region by area, and no number is larger than its corner."""
    for face in deck().faces.values():
        for corner, view in zip(face.corners, face_view(face).corners, strict=True):
            xs, ys = [p[0] for p in corner.region], [p[1] for p in corner.region]
            assert min(xs) < view.label[0] < max(xs)
            assert min(ys) < view.label[1] < max(ys)
            assert 7 <= view.height <= min(max(xs) - min(xs), max(ys) - min(ys))


def laid(value: int, bonus: int, doubled: bool) -> LaidView:
    points = (value + bonus) * (2 if doubled else 1)
    return LaidView("1", None, None, 0, "legal", value, bonus, doubled, points, (), (), 1.0, False, False)


def test_arithmetic_is_written_as_people_do() -> None:
    """The bonus is added before it is doubled; a bare number needs no sum."""
    assert arithmetic(laid(5, 0, False)) == "5"
    assert arithmetic(laid(4, 2, False)) == "4 + 2 = 6"
    assert arithmetic(laid(5, 0, True)) == "5 × 2 = 10"
    assert arithmetic(laid(4, 2, True)) == "(4 + 2) × 2 = 12"


def test_writing_stands_out_from_its_ground() -> None:
    """Dark on light and light on dark, by the ground that the deck has; a colour that is none does no harm."""

    def brightness(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = ((c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for color in [*deck().colors.values(), "#ffffff", "#000000", "#808080", "#da313d"]:
        ground = brightness(color)
        written = brightness("#17120c" if ink(color) == "dark" else "#ffffff")
        contrast = (max(ground, written) + 0.05) / (min(ground, written) + 0.05)
        assert contrast >= 3.9, color
    assert ink("nonsense") == "dark"


def test_turn_of_the_table_turns_the_plan() -> None:
    """Angles are degrees clockwise as the camera sees them, and nothing else is changed on the way."""
    drawn = plan(table(Placement("1", "C01", Pose(12.34, -5.67, math.radians(30)), (60, 90))))
    assert (drawn.cards[0].x, drawn.cards[0].y, drawn.cards[0].turn) == (12.3, -5.7, 30.0)
    assert plan(replace(table(), board=None)).board is None
