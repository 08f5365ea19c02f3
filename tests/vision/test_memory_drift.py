"""How the picture moved, told by the pieces in it, and the lasting millimetres that follow it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.render.scene import look_at
from tests.vision.laid_table import CARD_MM, SIZE_PX, VIEW, Card, Table
from vision.tracking.chart import Chart, Fixed, aligned
from vision.tracking.drift import STILL, Anchor, Motion, estimate_motion
from vision.tracking.memory import sightings

CARDS = tuple(Card(f"C{n + 1:02d}", -150 + 75 * (n % 5), -70 + 120 * (n // 5), 20.0 * n) for n in range(10))
TABLE = Table(CARDS)
RNG = np.random.default_rng(3)


def quads(view: object = VIEW) -> list[np.ndarray]:
    return [Table(CARDS, view=view).px(c.corners) for c in CARDS]  # type: ignore[arg-type]


def anchors(
    before: list[np.ndarray], now: list[np.ndarray], noise_px: float = 0.15, weights: tuple[float, ...] = ()
) -> list[Anchor]:
    some = [q + RNG.normal(0, noise_px, q.shape) for q in now]
    return [Anchor(b, n, noise_px, w) for b, n, w in zip(before, some, weights or (1.0,) * len(before), strict=True)]


def assert_still(motion: Motion, within_px: float = 0.35) -> None:
    """Hardly anything moved, anywhere in the picture."""
    corners = np.array([[0, 0], [SIZE_PX[0], 0], SIZE_PX, [0, SIZE_PX[1]]], float)
    assert not motion.bumped
    np.testing.assert_allclose(motion(corners), corners, atol=within_px)


def test_still_picture_is_still() -> None:
    """Noise is no movement, and nothing to go by is none either."""
    assert_still(estimate_motion(anchors(quads(), quads())))
    assert estimate_motion([]) is STILL


def test_drift_is_told_to_a_fraction_of_a_pixel() -> None:
    """A small shift with a small turn, from noisy corners."""
    turn = 8e-4
    true = np.array([[1, -turn, 1.4], [turn, 1, -0.9], [0, 0, 1.0]])
    moved = [Motion(true)(q) for q in quads()]
    motion = estimate_motion(anchors(quads(), moved))
    assert not motion.bumped
    for before, now in zip(quads(), moved, strict=True):
        np.testing.assert_allclose(motion(before), now, atol=0.25)


def test_pushed_cards_are_no_drift() -> None:
    """Four of ten cards pushed the same way move, the camera does not; nor for a card turned about its middle."""
    moved = [q + (3.0, 2.0) if n < 4 else q for n, q in enumerate(quads())]
    assert_still(estimate_motion(anchors(quads(), moved)))
    moved = [np.roll(q, 1, 0) if n < 2 else q + (1.5, 0.5) for n, q in enumerate(quads())]
    np.testing.assert_allclose(estimate_motion(anchors(quads(), moved))(quads()[9]), moved[9], atol=0.25)


def test_heavier_anchor_decides_between_equal_parties() -> None:
    """Of two cards and a board, the board tells what stands still."""
    before = quads()[:3]
    now = [before[0] + (4, 0), before[1] + (4, 0), before[2]]
    assert_still(estimate_motion(anchors(before, now, weights=(1, 1, 2))), 0.7)
    now = [before[0], before[1], before[2] + (4, 0)]
    assert_still(estimate_motion(anchors(before, now)), 0.7)


def test_bump_is_told_as_one() -> None:
    """A shift by a good part of a card, with one card laid elsewhere meanwhile."""
    moved = [q + (60, -35) if n else q + (200, 100) for n, q in enumerate(quads())]
    motion = estimate_motion(anchors(quads(), moved))
    assert motion.bumped
    np.testing.assert_allclose(motion(quads()[4]), moved[4], atol=1.0)


def test_camera_put_elsewhere_is_followed() -> None:
    """A view from another side is told by most of the cards."""
    other = look_at(SIZE_PX, 62, 650, 32, 100, 25, (20, -10))
    motion = estimate_motion(anchors(quads(), quads(other)))
    assert motion.bumped
    for before, now in zip(quads(), quads(other), strict=True):
        np.testing.assert_allclose(motion(before), now, atol=1.5)


def test_pieces_without_a_common_movement_leave_it_to_the_picture() -> None:
    """A shuffled table tells nothing of the camera; the shift of the picture as a whole does, where it is known."""
    scattered = [q + RNG.uniform(-300, 300, 2) for q in quads()]
    assert estimate_motion(anchors(quads(), scattered)).none
    motion = estimate_motion(anchors(quads(), scattered), np.array([[1, 0, 20.0], [0, 1, 5.0], [0, 0, 1]]))
    np.testing.assert_allclose(motion([[0, 0]]), [[20, 5]])


# ---- the map ---------------------------------------------------------------------------------------------------------


def test_map_lasts_from_look_to_look() -> None:
    """Each look has an origin of its own; with what lies still the map keeps its own."""
    chart = Chart()
    assert not chart.known
    seen = TABLE.observation(1, noise_px=0.02)
    chart.consider(seen, sightings(seen), [])
    spots = {c.face: chart.pose(TABLE.px(c.corners), CARD_MM) for c in CARDS}
    fixed = [Fixed(TABLE.px(c.corners), CARD_MM, spots[c.face]) for c in CARDS]
    for seed in range(2, 9):
        seen = TABLE.observation(seed, noise_px=0.02)
        chart.consider(seen, sightings(seen), fixed)
        for c in CARDS:
            pose = chart.pose(TABLE.px(c.corners), CARD_MM)
            assert (pose.x_mm, pose.y_mm) == pytest.approx((spots[c.face].x_mm, spots[c.face].y_mm), abs=0.5)
            assert pose.angle_rad == pytest.approx(spots[c.face].angle_rad, abs=0.005)


def test_map_goes_with_the_picture() -> None:
    """After a drift the same millimetres are elsewhere in the picture."""
    chart = Chart()
    seen = TABLE.observation(1, noise_px=0.02)
    chart.consider(seen, sightings(seen), [])
    before = chart.mm(TABLE.px(CARDS[0].corners))
    motion = Motion(np.array([[1, 0, 2.0], [0, 1, -3.0], [0, 0, 1]]))
    chart.follow(motion)
    np.testing.assert_allclose(chart.mm(motion(TABLE.px(CARDS[0].corners))), before, atol=1e-6)


def test_poor_look_does_not_spoil_the_map() -> None:
    """A look that sees two cards of ten changes nothing of a map that ten cards made."""
    chart = Chart()
    seen = TABLE.observation(1, noise_px=0.02)
    chart.consider(seen, sightings(seen), [])
    before = chart.mm(TABLE.px(CARDS[0].corners))
    poor = TABLE.observation(2, missed=[c.face for c in CARDS[2:]], sees_board=False)
    chart.consider(poor, sightings(poor), [])
    np.testing.assert_array_equal(chart.mm(TABLE.px(CARDS[0].corners)), before)


def test_map_without_a_plane_comes_from_the_pieces() -> None:
    """Where a look tells no plane, its pieces' corners in both pictures are the map."""
    chart = Chart()
    seen = replace(TABLE.observation(1, noise_px=0.0), plane=None)
    found = sightings(seen)
    chart.consider(seen, found, [])
    for s in found:
        pose = chart.pose(s.quad_px, CARD_MM)
        assert (pose.x_mm, pose.y_mm) == pytest.approx((s.placement.pose.x_mm, s.placement.pose.y_mm), abs=0.3)


def test_alignment_of_nothing_is_none() -> None:
    """Without a common piece points stay where they are."""
    assert aligned([], [])(((1.0, 2.0),)) == ((1.0, 2.0),)
