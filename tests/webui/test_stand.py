"""The drawing of the cacti: where a hung piece is drawn, what is marked, and that nothing covers anything."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from scoring.geometry import contained_share, signed_gap_mm
from scoring.table import Placement, Pose, Side
from tests.webui.cactus_fakes import Hanging, load_cactus
from webui.cactus.snapshot_stand import TouchView
from webui.cactus.stand import hung_outline, scene_of, set_view, touch_at


def placed(piece: str, angle: float = 0.0, side: Side = Side.FACE) -> Placement:
    return Placement(piece, piece, Pose(10.0, -50.0, angle, "K1"), (20, 20), side=side)


def test_outline_hangs_upright_where_its_pose_says() -> None:
    """What is up on the piece is up on the page, though the page's y runs down; a turn is clockwise."""
    deck = load_cactus()
    piece = next(p for p in deck.pieces.values() if p.special)
    outline = hung_outline(piece, placed(piece.id))
    for (x, y), (px, py) in zip(outline, piece.outline, strict=True):
        assert x == pytest.approx(10 + px, abs=0.06)
        assert y == pytest.approx(-50 - py, abs=0.06)
    turned = hung_outline(piece, placed(piece.id, math.pi / 2))
    # The piece's own right points down after a quarter turn clockwise.
    for (x, y), (px, py) in zip(turned, piece.outline, strict=True):
        assert x == pytest.approx(10 + py, abs=0.06)
        assert y == pytest.approx(-50 + px, abs=0.06)


def test_back_is_the_mirror_image() -> None:
    """A piece whose back is towards the viewer is drawn mirrored before it is turned."""
    deck = load_cactus()
    piece = deck.pieces[deck.specials[0]]
    front, back = hung_outline(piece, placed(piece.id)), hung_outline(piece, placed(piece.id, side=Side.BACK))
    for (fx, fy), (bx, by) in zip(front, back, strict=True):
        assert 20 - fx == pytest.approx(bx, abs=0.11)
        assert fy == by


def test_face_lies_inside_its_cactus() -> None:
    """Two eyes and a mouth have room in every cactus of the set."""
    for cactus in set_view(load_cactus()).cacti.values():
        x, y, r = cactus.face
        ring = [(x + r * math.cos(a), y + r * math.sin(a)) for a in (n * math.pi / 8 for n in range(16))]
        assert r > 2
        assert contained_share(ring, cactus.outline) > 0.98


def test_contact_is_marked_where_the_pieces_are_nearest() -> None:
    """The ring lies between the two outlines; a piece near its base is marked where it is lowest."""
    deck, cacti = load_cactus(), Hanging()
    a, b = (p.id for p in list(deck.pieces.values())[:2])
    one, other = cacti.hang(a, "K1", (-20.0, -60.0)), cacti.hang(b, "K1", (25.0, -60.0))
    x, y = touch_at(deck, one, other, "same-color")
    outlines = [hung_outline(deck.pieces[p.face or ""], p) for p in (one, other)]
    gap = signed_gap_mm(*outlines)
    near = [signed_gap_mm(((x - 0.1, y), (x + 0.1, y), (x, y + 0.1)), o) for o in outlines]
    assert near[0] == pytest.approx(gap / 2, abs=0.4)
    assert near[1] == pytest.approx(gap / 2, abs=0.4)
    low = max(outlines[0], key=lambda p: p[1])
    assert touch_at(deck, one, None, "base") == low


def test_tags_cover_neither_one_another_nor_leave_the_drawing() -> None:
    """Many contacts on one cactus: every measure can be read."""
    cacti = Hanging()
    for piece in list(cacti.deck.pieces)[:5]:
        cacti.hang(piece, "K2")
    touches = [TouchView("same-color", "a", "b", "clear", 1.0, 0.1, (x, -60.0 - x)) for x in (-20.0, -5.0, 0.0, 9.0)]
    scene = scene_of(cacti.deck, cacti.table.placements, {"K2": touches})
    stand = scene.stand("K2")
    assert stand is not None
    tags = [t.tag for t in stand.touches]
    left, top, width, height = scene.box
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in tags)
    assert all(abs(a[0] - b[0]) >= 30 or abs(a[1] - b[1]) >= 8 for i, a in enumerate(tags) for b in tags[:i])


def test_all_cacti_have_one_scale_that_does_not_tremble() -> None:
    """A reading that differs by a tenth of a millimetre does not change what is shown."""
    cacti = Hanging()
    p = cacti.hang(next(iter(cacti.deck.pieces)), "K3", (30.0, -100.0))
    box = scene_of(cacti.deck, [p]).box
    moved = replace(p, pose=replace(p.pose, x_mm=30.1, y_mm=-100.1))
    assert scene_of(cacti.deck, [moved]).box == box
    assert all(box[0] <= x <= box[0] + box[2] and box[1] <= y for x, y in hung_outline(cacti.deck.pieces[p.key], p))


def test_what_is_told_and_not_seen_is_drawn_beside_one_another() -> None:
    """Pieces that people tapped have no place of their own: each is drawn apart, and said to be so."""
    deck = load_cactus()
    top = max(y for _, y in deck.cacti["K1"].outline)
    told = [
        Placement(f"+{p}", p, Pose(0.0, -top, 0.0, "K1"), deck.size_mm(p), visible=0.0) for p in list(deck.pieces)[:4]
    ]
    stand = scene_of(deck, told).stand("K1")
    assert stand is not None
    assert {h.mark for h in stand.hung} == {"told"}
    middles = [h.middle for h in stand.hung]
    assert all(math.dist(a, b) > 12 for i, a in enumerate(middles) for b in middles[:i])


def test_what_is_far_away_or_unknown_breaks_no_drawing() -> None:
    """An error of reading is left out; a piece without a name is a box with a question mark."""
    deck = load_cactus()
    far = Placement("x", next(iter(deck.pieces)), Pose(9e9, 0.0, 0.0, "K1"), (20, 20))
    nameless = Placement("y", None, Pose(0.0, -40.0, 0.0, "K1"), (20, 20), confidence=0.2)
    elsewhere = Placement("z", next(iter(deck.pieces)), Pose(0.0, 0.0, 0.0, "table"), (20, 20))
    stand = scene_of(deck, [far, nameless, elsewhere]).stand("K1")
    assert stand is not None
    assert [(h.key, h.piece, h.mark) for h in stand.hung] == [("y", None, "guess")]


def test_cacti_are_numbered_in_the_order_of_play() -> None:
    """Another order than the set's: the first to be played is number one, and stands first."""
    deck = load_cactus()
    order = tuple(reversed(list(deck.cacti)))
    scene = scene_of(deck, [], order=order, active=(order[1],))
    assert [s.cactus.id for s in scene.stands] == list(order)
    assert [s.cactus.number for s in scene.stands] == [1, 2, 3, 4, 5]
    assert [s.active for s in scene.stands] == [False, True, False, False, False]
