"""Paints of a copy of Cactus stand in one light, and its cacti stand upright."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.capture.cactus.foot import standing
from calibration.capture.cactus.lamps import common_paint, even_paints, lab_of_light, linear
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]
PAINTS = linear(np.array([[236, 232, 225], [200, 60, 50], [60, 100, 180], [225, 140, 170], [235, 190, 70]], float))
CACTUS = linear(np.array([70, 140, 80], float))
WARM, COLD, LIT = np.array([1.15, 1.0, 0.8]), np.array([0.5, 0.55, 0.7]), np.array([2.2, 2.0, 1.8])
GREY = np.array([0.3, 0.3, 0.3])


def _seen(light: Array) -> Array:
    """Lab as a camera with eight bits keeps it."""
    return lab_of(np.round(np.clip(cv2.cvtColor(_row(lab_of_light(light)), cv2.COLOR_Lab2RGB)[0], 0, 1) * 255))


def _row(lab: Array) -> NDArray[np.float32]:
    return np.asarray(np.atleast_2d(lab)[None], np.float32)


def _even(lamps: list[Array], grounds: list[Array]) -> tuple[Array, NDArray[np.bool_], NDArray[np.intp]]:
    """Five paints under each lamp but the last, which shines on a cactus."""
    light = [PAINTS * lamp for lamp in lamps[:-1]] + [CACTUS[None] * lamps[-1]]
    counts = [len(one) for one in light]
    tables = np.repeat([lamp * ground for lamp, ground in zip(lamps, grounds, strict=True)], counts, axis=0)
    photos = np.repeat(np.arange(len(lamps)), counts)
    kinds = np.r_[np.tile(np.arange(5), len(lamps) - 1), -1]
    return *even_paints(_seen(np.vstack(light)), _seen(tables), photos, kinds), kinds


def _tint(light: Array) -> Array:
    return np.asarray(light / light.sum(axis=-1, keepdims=True))


def test_pieces_and_cacti_of_differently_lit_photos_have_their_own_tints() -> None:
    """A warm lamp over one photo and a cold one over another leave no tint where the ground is grey."""
    light, sure, kinds = _even([WARM * 0.7, COLD, WARM * 0.9], [GREY, GREY, GREY])
    assert sure.all()
    for k, paint in enumerate(PAINTS):
        assert _tint(common_paint(light[kinds == k], sure[kinds == k])) == pytest.approx(_tint(paint), abs=0.025)
    assert _tint(light[-1]) == pytest.approx(_tint(CACTUS), abs=0.025)


def test_an_overexposed_photo_does_not_tell_the_paints() -> None:
    """Where channels are full the colours come from the other photos."""
    light, sure, kinds = _even([LIT, COLD, COLD], [GREY, GREY, GREY])
    assert not sure[:5].any()
    assert sure[5:10].all()
    for k, paint in enumerate(PAINTS):
        assert common_paint(light[kinds == k], sure[kinds == k]) == pytest.approx(light[5 + k])
        assert _tint(light[5 + k]) == pytest.approx(_tint(paint), abs=0.025)


def test_a_green_cloth_is_no_green_lamp() -> None:
    """A ground of a colour that no lamp has leaves the paints much as they were."""
    light, _, _ = _even([np.ones(3), np.ones(3), np.ones(3)], [np.array([0.1, 0.4, 0.1])] * 3)
    assert _tint(light[0]) == pytest.approx(_tint(PAINTS[0]), abs=0.03)


def test_a_wooden_table_is_no_paper_under_a_warm_lamp() -> None:
    """What is brown and darker than the lightest paint leaves that one nearly white; white paper tells the lamp."""
    warm = np.array([1.2, 1.0, 0.75])
    light, _, _ = _even([np.ones(3), np.ones(3), np.ones(3)], [np.array([0.35, 0.21, 0.12])] * 3)
    assert _tint(light[0]) == pytest.approx(_tint(PAINTS[0]), abs=0.04)
    light, _, _ = _even([warm, warm, warm], [np.full(3, 0.8)] * 3)
    assert _tint(light[0]) == pytest.approx(_tint(PAINTS[0]), abs=0.02)


def test_cacti_lie_on_the_table_that_pieces_lay_on() -> None:
    """What is no paper under the pieces is none under the cacti, though by themselves they would not tell."""
    cork = np.array([0.34, 0.21, 0.12])
    light, _, _ = _even([0.8 * np.ones(3), np.ones(3), 0.9 * np.ones(3)], [cork, cork, cork * [1.02, 1.0, 0.98]])
    assert _tint(light[-1]) == pytest.approx(_tint(CACTUS), abs=0.04)


def test_the_lightest_paint_is_nearly_white_however_dark_the_photo() -> None:
    """Brightness comes from the paints: nothing tells how much light a photo had."""
    light, _, _ = _even([0.4 * np.ones(3), 0.4 * np.ones(3)], [GREY, GREY])
    assert float(light[0].max()) == pytest.approx(0.85, abs=0.01)


def _lying(turn: float, skew: float) -> Array:
    """A trunk with two arms, 80 high, 14 wide at an end that seems aslant by `skew` on either side; in px, y down."""
    half = [[7, 30], [20, 30], [20, 55], [13, 55], [13, 38], [7, 38], [7, 80]]
    mirrored = [[-x, y] for x, y in half[::-1]]
    outline = 3.0 * np.array([[-7, skew], [7, -skew], *half, *mirrored], float) * [1, -1]
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(outline @ np.array([[c, s], [-s, c]]) + [400, 300])


@pytest.mark.parametrize("turn", [0.0, 2.0, 4.4])
@pytest.mark.parametrize("skew", [0.0, 0.5])
def test_a_cactus_stands_upright_though_its_end_seems_aslant(turn: float, skew: float) -> None:
    """Whichever way it lay, its walls and its balance tell what an end of which the side is seen does not."""
    up = standing(_lying(turn, skew))
    top = up[up[:, 1] > 0.97 * up[:, 1].max()].mean(axis=0)
    assert abs(np.degrees(np.arctan2(top[0], top[1]))) < 1.0
    assert up[:, 1].max() == pytest.approx(240, abs=4)


def test_photos_without_cacti_have_no_paint_of_them() -> None:
    """A copy whose cacti were not photographed yet is read all the same."""
    assert lab_of_light(PAINTS[:0]).shape == (0, 3)
