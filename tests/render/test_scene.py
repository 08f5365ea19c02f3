"""The scene generator tells the truth: what it says lies there is what its pictures show."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render.anycard import random_face
from tests.render.scene import CLUTTER, OTHER, TABLE, Sensor, Table, View, clutter, hand, look_at, random_sensor
from tests.render.textures import any_surface, table_top

SIZE = (480, 320)
RED = np.full((90, 60, 3), (220, 20, 20), np.uint8)


def table(view: View | None = None, scale: int = 1) -> Table:
    """A grey table."""
    view = view or look_at(SIZE, 64, 400)
    return Table.start(np.random.default_rng(0), view, np.full((320, 480, 3), 0.4, np.float32), scale)


def finished(t: Table, sensor: Sensor | None = None) -> tuple[np.ndarray, np.ndarray]:
    return t.finish(np.random.default_rng(0), sensor or Sensor(jpeg=100))


@given(st.floats(0, 45), st.floats(0, 360), st.floats(-20, 20), st.floats(-0.12, 0.12))
@settings(max_examples=40, deadline=None)
def test_the_camera_sees_what_it_projects(tilt: float, around: float, roll: float, k1: float) -> None:
    """Table point to pixel and back, lens included; the point aimed at is in the picture's middle."""
    view = look_at(SIZE, 64, 500, tilt, around, roll, (10, -5), k1)
    points = np.array([[10.0, -5], [60, 40], [-80, -60], [0, 90]])
    np.testing.assert_allclose(view.table_points(view.project(points)), points, atol=1e-3)
    np.testing.assert_allclose(view.project([[10.0, -5]]), [[SIZE[0] / 2 - 0.5, SIZE[1] / 2 - 0.5]], atol=1e-6)
    assert (view.project(points)[:, 0][1:2] > view.project(points)[:, 0][2:3]).all()


@pytest.mark.parametrize("k1", [0.0, -0.1])
@pytest.mark.parametrize("scale", [1, 2])
def test_a_cards_corners_are_where_the_picture_shows_them(k1: float, scale: int) -> None:
    """What is red and what the card owns both fill the true outline: exactly, and to the pixel."""
    view = look_at(SIZE, 64, 400, 30, 40, 5, (0, 0), k1)
    t = table(view, scale)
    number = t.lay("card", RED, (60, 90), (12, -8, 0.7), radius_mm=0.0, shadow=(0, 0, 0))
    rgb, owner = finished(t)
    moments = cv2.moments(t.cards[number].quad_px.astype(np.float32))
    area, centre = moments["m00"], (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"])
    red = (rgb[..., 0].astype(float) - 102) / (220 - 102)  # share of each pixel, the table being 102
    for share, off, rel in ((red, 0.1, 0.01), ((owner == number).astype(float), 0.5, 0.02)):
        assert share.sum() == pytest.approx(area, rel=rel)
        ys, xs = np.indices(share.shape)
        assert (xs * share).sum() / share.sum() == pytest.approx(centre[0], abs=off)
        assert (ys * share).sum() / share.sum() == pytest.approx(centre[1], abs=off)


def test_corners_are_in_printed_order() -> None:
    """A face with a mark in its printed top-left corner shows it at the first corner of the quad, however it lies."""
    face = RED.copy()
    face[:30, :20] = (20, 200, 20)
    for angle in (0.0, 1.3, 3.0, -2.0):
        t = table()
        t.lay("card", face, (60, 90), (0, 0, angle), shadow=(0, 0, 0))
        rgb, _ = finished(t)
        quad = t.cards[0].quad_px
        greens = [rgb[tuple(np.round(0.75 * p + 0.25 * quad.mean(0)).astype(int)[::-1])][1] for p in quad]
        assert [g > 120 for g in greens] == [True, False, False, False]


def test_later_cards_cover_earlier_ones() -> None:
    """The owner of a pixel is the uppermost thing, and the visible shares say how much is left."""
    t = table()
    lower = t.lay("lower", RED, (60, 90), (0, 0, 0), radius_mm=0.0)
    upper = t.lay("upper", RED, (60, 90), (30, 0, 0), radius_mm=0.0)
    _, owner = finished(t)
    shares = t.visible(owner)
    assert shares[lower] == pytest.approx(0.5, abs=0.02)
    assert shares[upper] == pytest.approx(1.0, abs=0.02)
    middle = t.cards[upper].quad_px.mean(0).astype(int)
    assert owner[middle[1], middle[0]] == upper
    assert owner[2, 2] == TABLE


def test_a_card_that_leaves_the_picture_keeps_its_true_corners() -> None:
    """The quad goes on beyond the border, and the visible share counts only what the picture has."""
    t = table()
    half = t.view.table_points([[-0.5, SIZE[1] / 2]])[0]
    number = t.lay("card", RED, (60, 90), (half[0], half[1], 0.0), radius_mm=0.0)
    _, owner = finished(t)
    assert t.cards[number].quad_px[:, 0].min() < -20
    assert t.visible(owner)[number] == pytest.approx(0.5, abs=0.03)


def test_a_raised_card_is_seen_where_it_is() -> None:
    """The sides of a curled card stand up: they are nearer to the camera, so its outline is a little larger."""
    flat, curled = table(), table()
    for t, curl in ((flat, 0.0), (curled, 4.0)):
        t.lay("card", RED, (60, 90), (0, 0, 0), curl_mm=curl)
    width = [np.ptp(t.cards[0].quad_px[:, 0]) for t in (flat, curled)]
    assert width[1] / width[0] == pytest.approx(400 / 396, abs=0.002)


@pytest.mark.parametrize("kind", CLUTTER)
def test_clutter_covers_and_is_no_card(kind: str) -> None:
    """Every kind of clutter changes the picture and owns its pixels as something that is no card."""
    t = table()
    t.lay("card", RED, (60, 90), (0, 0, 0))
    clutter(np.random.default_rng(1), t, (10.0, 5.0), kind)
    _, owner = finished(t)
    assert (owner == OTHER).sum() > 50
    assert t.visible(owner)[0] < 1.0
    assert len(t.cards) == 1


def test_a_hand_reaches_in_from_where_its_arm_is() -> None:
    """The fingertips are at the named place, and the arm leaves the picture on its side."""
    t = table()
    hand(t, (0.0, 0.0), np.pi / 2, (0.9, 0.7, 0.6), (0.2, 0.3, 0.6))
    _, owner = finished(t)
    assert (owner[-1] == OTHER).any()
    assert not (owner[0] == OTHER).any()
    ys, _ = np.nonzero(owner == OTHER)
    assert ys.min() == pytest.approx(SIZE[1] / 2, abs=40)


def test_the_same_seed_gives_the_same_picture() -> None:
    """Light, lens and noise come from the generator alone; another seed gives another picture."""

    def shot(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        t = Table.start(rng, look_at(SIZE, 64, 400, 10, 20, 0, (0, 0), -0.05))
        t.lay("card", random_face(rng, 1.5), (60, 90), (0, 0, 0.2))
        return t.finish(rng, random_sensor(rng))[0]

    np.testing.assert_array_equal(shot(5), shot(5))
    assert (shot(5) != shot(6)).any()
    assert shot(5).shape == (SIZE[1], SIZE[0], 3)
    assert shot(5).dtype == np.uint8


def test_the_sensor_warms_blurs_and_adds_noise() -> None:
    """Each fault of a camera does what its name says."""
    t = table()
    t.lay("card", RED, (60, 90), (0, 0, 0))
    clean, _ = finished(t)
    warm, _ = finished(t, Sensor(gain=(1.2, 1, 0.7), jpeg=100))
    assert warm[..., 0].mean() > clean[..., 0].mean()
    assert warm[..., 2].mean() < clean[..., 2].mean()
    blurred, _ = finished(t, Sensor(blur=1.5, jpeg=100))
    noisy, _ = finished(t, Sensor(noise=6, jpeg=100))

    def sharpness(p: np.ndarray) -> float:
        return float(cv2.Laplacian(p[..., 0], cv2.CV_32F).var())

    assert sharpness(blurred) < sharpness(clean) < sharpness(noisy)
    dim, _ = finished(t, Sensor(light=np.full((4, 4, 3), 0.5, np.float32), jpeg=100))
    assert dim.mean() == pytest.approx(clean.mean() / 2, rel=0.03)


def test_surfaces_are_pictures() -> None:
    """Every surface is a float picture of the wanted size within 0 and 1 or little above."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        for picture in (any_surface(rng, 90, 130)[0], table_top(rng, 90, 130)):
            assert picture.shape == (90, 130, 3)
            assert picture.dtype == np.float32
            assert np.isfinite(picture).all()
            assert picture.min() >= 0
            assert picture.max() <= 1.3
