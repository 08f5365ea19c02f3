"""What the network that finds rims is trained on: strips show the rims that their answers tell."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import Polygon

from calibration.capture.cactus.plate_edges import STEP, even
from calibration.capture.cactus.plate_view import PlateView
from calibration.capture.cactus.rim_net import EVERY, INSIDE, SMOOTH, strip
from tests.training.laid_data import Drawer
from tests.training.laid_scene import SAMPLES
from tests.training.rim_data import FARTHEST, PLACES, Strips, _rims, _told
from tests.training.rim_photos import Photo, PhotoStrips, told_by


def test_strips_do_not_end() -> None:
    """Each is seen in ten channels, its rim no farther away than was said, and known at most places."""
    strips = Strips(np.random.default_rng(3), Drawer(np.random.default_rng(3), 8, 2)).mixed(128)
    for _ in range(8):
        shown, (off, known) = next(strips)
        assert shown.shape[:2] == (10, PLACES)
        assert np.abs(off).max() <= FARTHEST
        assert known.mean() > 0.3
        assert np.ptp(shown[:3]) > 3


def test_an_outline_moved_as_was_told_lies_on_the_rim() -> None:
    """Whatever rough outline one begins with."""
    drawer = Drawer(np.random.default_rng(5), 8, 2)
    scene = drawer.scene(160)
    rims = _rims(scene)
    assert rims
    for rim, number in rims:
        points, normals = even(rim, EVERY, SMOOTH)
        off, known = _told(scene, points + normals * 1.5, normals, number, 160)
        straight = (known > 0) & (np.abs(np.roll(normals, 6, 0) * normals).sum(1) > 0.99)
        if straight.sum() > 20:
            assert np.median(off[straight]) == pytest.approx(-1.5, abs=0.2)


def test_rims_lie_where_faces_end() -> None:
    """On the side that is turned away, where no side is seen, the plate ends there, too."""
    scene = Drawer(np.random.default_rng(6), 8, 2).scene(160)
    away = -scene.side / max(float(np.hypot(*scene.side)), 1e-6)
    seen = (scene.relief.plate > 0).astype(np.float32)
    shares = []
    for rim, _ in _rims(scene):
        points, normals = even(rim, EVERY, SMOOTH)
        far = (normals @ away > 0.8) & ((points > 8) & (points < 152)).all(1)
        for by, want in ((-1.0, 1.0), (1.0, 0.0)):
            at = np.round((points[far] + normals[far] * by + 0.5) * SAMPLES - 0.5).astype(int)
            shares += (seen[at[:, 1], at[:, 0]] == want).tolist()
    assert np.mean(shares) > 0.85


def test_a_strip_shows_the_picture_across_the_outline() -> None:
    """From inside to outside, every place by itself; the side as far as it is seen there."""
    picture = np.zeros((60, 60, 3), np.float32)
    picture[20:40, 20:40] = [1, 0.5, 0]
    points = np.array([[x, 19.5] for x in range(22, 38)], float)
    normals = np.tile([0.0, -1.0], (len(points), 1))
    shown = strip(picture, np.zeros_like(picture), points, normals, np.tile([0.0, -5.0], (len(points), 1)))
    rim = round(INSIDE / STEP)
    assert shown.shape[0] == 10
    assert (shown[0, :, : rim - 2] == 1).all()
    assert (shown[0, :, rim + 2 :] == 0).all()
    assert shown[7].min() == shown[7].max() == pytest.approx(0.5)
    assert (shown[9] > 0.6).all()


def test_outlines_of_photographs_tell_their_rims() -> None:
    """However far outside or inside of it one begins, as long as it is near."""
    turn = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    rim = 60 + 30 * np.c_[np.cos(turn), np.sin(turn)]
    for off in (-3.0, 0.0, 2.0):
        points, normals = even(60 + (30 + off) * np.c_[np.cos(turn), np.sin(turn)], EVERY, SMOOTH)
        told, known = told_by(Polygon(rim), points, normals)
        assert known.all()
        assert np.abs(told + off).max() < 0.15
    levels = np.full((120, 120, 3), 200, np.uint8)
    photo = Photo(
        levels, levels / np.float32(255), PlateView.of(np.array([60.0, 200.0]), 5, 100, np.full(2, 60.0)), (rim,)
    )
    shown, target = next(PhotoStrips(np.random.default_rng(2), [photo]).mixed())
    assert shown.shape[:2] == (10, PLACES)
    assert np.abs(target[0]).max() < FARTHEST
