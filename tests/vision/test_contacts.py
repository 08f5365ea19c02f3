"""What comes near what among hung pieces, and when a single picture settles whether it touches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.table import Contact, ContactKind
from tests.vision.flat_hung import cactus_set, hang, stage
from vision.cactus.contacts import find_contacts, sight
from vision.cactus.plates import Block, Outline, Plate, gaps, gaps_along
from vision.cactus.upright import HungPiece, Rigid

T = cactus_set().thickness_mm
BAR_HIGH = 8.0
"""Height of a bar of the set; its width is 30."""
STACK = (("bar-red", (0.0, 60.0), 0.0), ("wedge-red", (0.0, 68.0), 2 * T + 0.2))
"""Two plates that cross in the picture, with room for one between them."""


def contacts(*hung: HungPiece) -> tuple[Contact, ...]:
    return find_contacts(cactus_set(), stage(), hung)


def pair(gap_mm: float, z: float = 0.0, depth_sigma_mm: float = 1.0, sigma_mm: float = 0.2) -> Contact:
    """Two red pieces one above the other with that gap, the upper one `z` nearer to the viewer."""
    low = hang("bar-red", "K3", (0, 60), depth_sigma_mm=depth_sigma_mm, sigma_mm=sigma_mm)
    high = hang(
        "wedge-red", "K3", (0, 60 + BAR_HIGH / 2 + 10 + gap_mm), z=z, depth_sigma_mm=depth_sigma_mm, sigma_mm=sigma_mm
    )
    (contact,) = contacts(low, high)
    return contact


def flat(x: float, y: float, z: float = 0.0) -> Plate:
    square = np.array([[-10.0, -10], [10, -10], [10, 10], [-10, 10]])
    return Plate.placed(Outline.of(square), 4.0, Rigid(np.eye(3), np.array([x, y, z])))


@pytest.mark.parametrize(
    ("at", "gap"),
    [((25, 0, 0), 5.0), ((0, 0, 9), 5.0), ((23, 24, 0), 5.0), ((23, 0, 8), 5.0), ((20, 0, 0), 0.0), ((0, 0, 4), 0.0)],
)
def test_gap_of_two_plates_is_measured_in_space(at: tuple[float, float, float], gap: float) -> None:
    """Beside, before and askew: the shortest way from one plate to the other."""
    (found,) = gaps(flat(*at), flat(0, 0), np.zeros((1, 3)))
    assert found == pytest.approx(gap, abs=0.02)
    shifted = gaps(flat(0, 0), flat(0, 0), np.array([at], float))
    assert shifted[0] == pytest.approx(gap, abs=0.02)


def test_plates_that_share_space_have_a_negative_gap() -> None:
    """The depth of the overlap is told where plates cannot both be."""
    assert gaps(flat(19, 0), flat(0, 0), np.zeros((1, 3)))[0] == pytest.approx(-1.0, abs=0.05)


def test_gap_to_a_block() -> None:
    """A plate above, beside and within a block."""
    block = Block(np.array([-20.0, -8, -7]), np.array([20.0, 0, 7]))
    above, beside, within = (gaps(p, block, np.zeros((1, 3)))[0] for p in (flat(0, 13), flat(33, 2), flat(0, 6)))
    assert above == pytest.approx(3.0, abs=0.02)
    assert beside == pytest.approx(3.0, abs=0.02)
    assert within < -1.5


@pytest.mark.parametrize("turn", [0.0, 0.15])
def test_gaps_along_a_line_are_those_of_each_place(turn: float) -> None:
    """What passes by too far aside to matter is left out, and nothing else."""
    along = np.array([0.2, 0.3, 0.93])
    at = np.linspace(-9, 9, 13)
    c, s = np.cos(turn), np.sin(turn)
    leaning = Plate.placed(flat(0, 0).outline, 4.0, Rigid(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.zeros(3)))
    for other in (
        flat(12, 8),
        flat(21.5, 0, 2),
        flat(40, 0),
        Block(np.array([-20.0, -30, -7]), np.array([20.0, -8, 7])),
    ):
        expected = np.minimum(gaps(leaning, other, at[:, None] * along), 3.0)
        np.testing.assert_allclose(gaps_along(leaning, other, along, at, 3.0), expected, atol=1e-9)


def test_edge_on_edge_touches() -> None:
    """Edges that meet in the picture belong to pieces that lean on each other."""
    contact = pair(0.0)
    assert (contact.kind, contact.a, contact.b) == (ContactKind.SAME_COLOR, "bar-red", "wedge-red")
    assert contact.touching > 0.8
    assert contact.gap_mm < 0.3


def test_gap_in_the_picture_is_clear() -> None:
    """Outlines that are apart by more than their doubt do not touch, however little is known of depth."""
    for depth in (0.5, 2.0, 6.0):
        contact = pair(2.5, depth_sigma_mm=depth)
        assert contact.touching < 0.1
        assert contact.gap_mm > 2.0


def test_gap_within_the_doubt_is_unsure() -> None:
    """A gap of a millimetre is neither, where outlines are known to no better than half of one."""
    assert 0.1 < pair(1.0, sigma_mm=0.4).touching < 0.9


def test_side_of_a_base_holds_nothing() -> None:
    """A piece that touches the block from beside it must stand on the table, though it seems nearer and above."""
    width, height, _ = cactus_set().base_mm
    raised = 1.6 * T * np.tan(0.17)
    there = hang("bar-red", "K3", (-width / 2 - 15.1, BAR_HIGH / 2 - height + raised), depth_sigma_mm=0.8)
    assert next(c for c in contacts(there) if c.kind is ContactKind.TABLE).touching > 0.9


def test_crossing_outlines_of_unknown_depth_are_unsure() -> None:
    """Where one plate may hang before the other, one picture does not tell whether they meet."""
    contact = pair(-6.0, depth_sigma_mm=3.0)
    assert 0.02 < contact.touching < 0.9
    assert contact.sigma_mm > 0.5


def test_crossing_outlines_of_known_depth_are_clear() -> None:
    """Of three plates before one another the first and the last do not touch: the one between holds them apart."""
    low, high = (hang(name, "K3", at, z=z, depth_sigma_mm=0.5) for name, at, z in STACK)
    between = hang("gate-blue", "K3", (0, 62), z=T + 0.1, depth_sigma_mm=0.5)
    contact = next(c for c in contacts(low, between, high) if c.b == "wedge-red")
    assert contact.touching < 0.1
    assert contact.gap_mm == pytest.approx(T, abs=1.0)


def test_what_holds_a_piece_touches_it() -> None:
    """Nothing hangs in the air: a piece that nothing else can hold touches the one that it crosses."""
    top = max(float(y) for _, y in next(c for c in cactus_set().cacti if c.id == "K3").outline_mm)
    low = hang("bar-red", "K3", (0, top + BAR_HIGH / 2))
    high = hang("wedge-red", "K3", (0, top + 2.5 + 10), z=T + 0.6)
    assert contacts(low, high)[0].touching > 0.85
    between = hang("bar-blue", "K3", (0, top + BAR_HIGH / 2), z=T + 0.2)
    higher = replace(high, to_cactus=Rigid(np.eye(3), high.to_cactus.t + [0, 0, T]))
    assert next(c for c in contacts(low, between, higher) if c.b == "wedge-red").touching < 0.5


def test_who_is_seen_before_whom_counts() -> None:
    """Where depth is hardly known, a piece that is seen before another does not hang behind it."""
    low = hang("bar-red", "K3", (0, 60), z=2.0, depth_sigma_mm=2.0)
    high = hang("wedge-red", "K3", STACK[1][1], z=2.0, depth_sigma_mm=2.0)
    stem = ("bar-red", "K3")
    behind = find_contacts(cactus_set(), stage(), (low, high), {stem, ("K3", "wedge-red")})[0]
    ahead = find_contacts(cactus_set(), stage(), (low, high), {stem, ("wedge-red", "bar-red")})[0]
    assert behind.touching < 0.5 < ahead.touching


def test_shallow_crossing_in_one_layer_touches() -> None:
    """Outlines that cross by less than they are uncertain are edges that meet."""
    assert pair(-0.25, sigma_mm=0.25).touching > 0.8


@pytest.mark.parametrize("sigma_mm", [0.3, 0.6, 1.2])
def test_more_doubt_makes_no_call_surer(sigma_mm: float) -> None:
    """The less exactly outlines are known, the less is called touching or clear."""
    assert pair(0.0, sigma_mm=sigma_mm).touching <= pair(0.0, sigma_mm=0.15).touching
    assert pair(2.5, sigma_mm=sigma_mm).touching >= pair(2.5, sigma_mm=0.15).touching


def test_only_what_must_not_touch_is_told() -> None:
    """Other colours and shapes may touch; a pair alike in both is told for both; other cacti are far away."""
    assert contacts(hang("bar-red", "K3", (0, 60)), hang("wedge-blue", "K3", (0, 74))) == ()
    alike = contacts(hang("bar-red", "K3", (0, 60)), hang("bar-blue", "K3", (0, 68)))
    assert [c.kind for c in alike] == [ContactKind.SAME_SHAPE]
    assert contacts(hang("bar-red", "K2", (47, 60)), hang("bar-blue", "K3", (-47, 60))) == ()


def test_far_pairs_are_not_told() -> None:
    """What is eight millimetres apart or more is not worth a word."""
    assert contacts(hang("bar-red", "K3", (0, 60)), hang("wedge-red", "K3", (0, 60 + 4 + 10 + 9.5))) == ()


def test_piece_on_the_base_touches_it() -> None:
    """A piece that stands on the block is told with its distance from the table, too."""
    told = {c.kind: c for c in contacts(hang("bar-red", "K3", (0, BAR_HIGH / 2)))}
    assert told[ContactKind.BASE].touching > 0.9
    assert told[ContactKind.BASE].b is None
    assert ContactKind.TABLE not in told or told[ContactKind.TABLE].touching < 0.1


def test_piece_on_the_table_touches_it() -> None:
    """A piece that reaches down beside the block to the table."""
    height = cactus_set().base_mm[1]
    told = {c.kind: c for c in contacts(hang("bar-red", "K3", (45, BAR_HIGH / 2 - height)))}
    assert told[ContactKind.TABLE].touching > 0.9
    assert ContactKind.BASE not in told or told[ContactKind.BASE].touching < 0.9


@pytest.mark.parametrize("z", [-7.0, 7.0])
def test_piece_that_can_stand_on_the_table_stands_there(z: float) -> None:
    """Thought to hang too far behind or before, it seems to float or to have sunk in; nothing else could hold it."""
    there = hang("bar-red", "K3", (45, BAR_HIGH / 2 - cactus_set().base_mm[1]))
    upright = next(u for u in stage().cacti if u.id == "K3")
    t = there.to_cactus.t + z * sight(upright, there)
    found = replace(there, to_cactus=Rigid(np.eye(3), t), depth_sigma_mm=3.0)
    assert abs(t[1] - there.to_cactus.t[1]) > 1.0
    told = {c.kind: c for c in contacts(found)}
    assert told[ContactKind.TABLE].touching > 0.9


def test_tilted_plates_are_measured_as_they_hang() -> None:
    """A piece that leans out of its plane away from the other leaves a gap that flat outlines would not have."""
    low = hang("bar-red", "K3", (0, 60), depth_sigma_mm=0.5)
    upright = contacts(low, hang("bar-blue", "K3", (0, 60 + BAR_HIGH + 0.0), depth_sigma_mm=0.5))[0]
    leaning = contacts(low, hang("bar-blue", "K3", (0, 60 + BAR_HIGH + 3.0), tilt=0.3, depth_sigma_mm=0.5))[0]
    assert upright.touching > 0.85
    assert leaning.touching < 0.1
