"""What the network that cuts out laid pieces is trained on: pictures show what their answers say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.training.laid_data import Drawer, kept, table_of
from tests.training.laid_looks import lit, textures
from tests.training.laid_scene import SAMPLES, Bench, distance, outlines

SQUARE = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20.0]])


def test_distance_is_measured_from_the_outline_itself() -> None:
    """To a fraction of a sample, within and outside of it."""
    turn = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = 60 + 25.3 * np.c_[np.cos(turn), np.sin(turn)]
    found = distance(circle, (120, 120))
    assert found is not None
    own, box = found
    y, x = np.mgrid[box]
    true = 25.3 - np.hypot(x - 60, y - 60)
    near = np.abs(true) < 12
    assert np.abs(own - true)[near].max() < 0.7
    assert abs(float((own - true)[near].mean())) < 0.2


def _square(side: tuple[float, float], bevel: float) -> tuple[Bench, np.ndarray]:
    bench = Bench(60)
    bench._put(SQUARE + bench.side / 2)
    relief = bench.seen(12.0, np.array(side), bevel, 3)
    return bench, np.where(relief.plate > 0, np.where(relief.depth > 0, 2, 1), 0)


def test_the_side_is_seen_towards_the_point_below_the_camera() -> None:
    """As wide as it was said to be, and nothing of it on the other side."""
    _, shown = _square((0.0, 9.0), 0.0)
    column = shown[:, shown.shape[1] // 2]
    assert np.count_nonzero(column == 1) == pytest.approx(40, abs=1)
    assert np.count_nonzero(column == 2) == pytest.approx(9, abs=1.5)
    assert np.flatnonzero(column == 2).min() > np.flatnonzero(column == 1).max()


def test_a_rounded_rim_lies_within_the_outline() -> None:
    """From straight above a plate looks no larger for it, and its rim looks outward."""
    bench = Bench(60)
    bench._put(SQUARE + bench.side / 2)
    relief = bench.seen(12.0, np.zeros(2), 3.0, 3)
    assert np.count_nonzero(relief.plate > 0) == pytest.approx(1600, rel=0.08)
    middle = relief.plate.shape[0] // 2
    rim = np.flatnonzero(relief.broken[middle])
    assert 4 <= len(rim) <= 8
    assert relief.normal[middle, rim[0], 0] < 0 < relief.normal[middle, rim[-1], 0]


def test_no_plate_lies_on_another() -> None:
    """However crowded; and those laid near each other keep their gap."""
    rng = np.random.default_rng(2)
    bench = Bench(100)
    put = sum(bench.lay(rng, SQUARE / 20 * 8, 2.0, np.eye(2) * SAMPLES, True) for _ in range(8))
    assert put >= 2
    areas = np.bincount(bench.plate[bench.rim > 0])
    assert (areas[1:] <= (16 * SAMPLES + 1) ** 2).all()


def test_light_and_camera_leave_a_picture() -> None:
    """Whatever their lot: finite light, and pixels of many levels."""
    rng = np.random.default_rng(7)
    pool = textures(rng, 2)
    bench = Bench(48)
    bench._put(SQUARE + bench.side / 2)
    relief = bench.seen(10.0, np.array([4.0, 2.0]), 2.0, 2)
    for _ in range(3):
        light = lit(rng, relief, pool)
        assert np.isfinite(light).all()
        levels = kept(rng, light, 48)
        assert levels.shape == (48, 48, 3)
        assert np.ptp(levels) > 10


def test_the_table_is_told_from_where_nothing_lies() -> None:
    """About as light as it is there, whatever lies on the rest."""
    levels = np.full((64, 64, 3), 40, np.uint8)
    levels[:, 20:] = 200
    bare = np.zeros((64, 64), np.uint8)
    bare[:, 24:] = 1
    rng = np.random.default_rng(1)
    told = [float(table_of(rng, levels, bare).mean()) for _ in range(20)]
    assert np.median(told) == pytest.approx(200, abs=10)


def test_training_pictures_do_not_end() -> None:
    """Each comes with how deep in a face its pixels lie, and their share that shows a plate; faces are of plates."""
    drawer = Drawer(np.random.default_rng(3), 6, 2)
    assert all(len(o) >= 3 for o in outlines(np.random.default_rng(4), 5))
    pictures = drawer.mixed(64)
    faces = 0
    for _ in range(6):
        rgb, (depth, plate) = next(pictures)
        assert rgb.shape == (64, 64, 6)
        assert depth.shape == plate.shape == (64, 64)
        assert plate[depth > 2.5].min(initial=1.0) > 0.9
        faces += int((depth > 0).any())
    assert faces
