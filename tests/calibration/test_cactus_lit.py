"""Pieces of Cactus on coloured tables, in shadows and under the light of each photograph."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.cactus.paints import sort_paints
from calibration.capture.cactus.pieces import find_pieces
from calibration.capture.grounds import lab_of
from vision.types import Rgb

PAINTS = np.array([[220, 137, 51], [110, 78, 150], [245, 230, 77], [41, 41, 45], [73, 185, 183]], float)


def _table(light: tuple[int, int, int]) -> Rgb:
    noise = np.random.default_rng(1).normal(0, 1.5, (270, 480, 3))
    return np.clip(np.array(light) + noise, 0, 255).astype(np.uint8)


def _dimmed(rgb: Rgb, box: tuple[slice, slice], share: float) -> None:
    """A soft shadow that takes a share of all light."""
    light = np.ones(rgb.shape[:2], np.float32)
    light[box] = share
    soft = cv2.GaussianBlur(light, (0, 0), 3.0)[..., None]
    linear = (rgb / 255.0) ** 2.2 * soft
    rgb[:] = np.round(linear ** (1 / 2.2) * 255)


@pytest.mark.parametrize(
    ("table", "piece"),
    [((60, 85, 120), (28, 36, 82)), ((30, 29, 33), (150, 60, 50)), ((150, 120, 85), (205, 170, 110))],
)
def test_a_piece_is_told_from_a_shadow_on_a_coloured_table(
    table: tuple[int, int, int], piece: tuple[int, int, int]
) -> None:
    """Of a narrow shadow and a piece, dark or pale, only the piece is found, as large as it is."""
    rgb = _table(table)
    _dimmed(rgb, (slice(60, 200), slice(90, 97)), 0.45)
    cv2.rectangle(rgb, (250, 90), (329, 169), piece, -1)
    found = find_pieces(rgb)
    assert len(found) == 1
    low, high = (getattr(found.traced.outer[0], how)(0) for how in ("min", "max"))
    np.testing.assert_allclose([*low, *high], [250, 90, 329, 169], atol=2.0)


def test_two_pieces_that_nearly_touch_are_two() -> None:
    """A dark and a light piece side by side, with a shadow between them, are found both."""
    rgb = _table((190, 190, 195))
    cv2.rectangle(rgb, (150, 90), (229, 169), (45, 60, 110), -1)
    cv2.rectangle(rgb, (230, 90), (233, 169), (90, 90, 95), -1)
    cv2.rectangle(rgb, (234, 90), (313, 169), (190, 95, 105), -1)
    assert len(find_pieces(rgb)) == 2


@pytest.mark.parametrize("gains", [(1.0, 0.28, 0.8), (0.5, 1.0, 1.0)])
def test_paints_are_sorted_whatever_the_light_of_each_photo(gains: tuple[float, ...]) -> None:
    """Photos lit bright, dim and warm show the same five paints, seven pieces of each."""
    rng = np.random.default_rng(3)
    kinds = rng.permutation(np.repeat(np.arange(5), 7))
    photos = np.minimum(np.arange(35) // 12, 2)
    warm = np.array([[1.0, 1.0, 1.0], [1.0, 0.97, 0.9], [1.05, 1.0, 0.85]])
    lit = ((PAINTS[kinds] / 255) ** 2.2 * np.array(gains)[photos, None] * warm[photos]) ** (1 / 2.2) * 255
    seen = lab_of(np.clip(lit + rng.normal(0, 1.0, lit.shape), 0, 255))
    sorted_ = sort_paints(list(seen), photos.tolist(), 5, 7)
    pairs = {(int(a), int(b)) for a, b in zip(sorted_.kinds, kinds, strict=True)}
    assert len(pairs) == 5
    assert sorted_.doubt.max() < 0.8


def test_an_overexposed_or_shining_piece_keeps_its_paint() -> None:
    """A piece made paler by a reflection still counts as of its own paint."""
    kinds = np.repeat(np.arange(5), 7)
    shown = PAINTS[kinds].copy()
    shown[3] = 0.8 * shown[3] + 0.2 * 255
    sorted_ = sort_paints(list(lab_of(shown)), [0] * 35, 5, 7)
    assert len({*sorted_.kinds[:7].tolist()}) == 1
