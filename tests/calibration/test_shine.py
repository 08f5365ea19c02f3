"""Paints of a learned set are told without the shine that lamps lay over some pieces."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.capture.cactus.shine import without_shine

PAINTS = np.array([[0.85, 0.8, 0.7], [0.6, 0.03, 0.04], [0.02, 0.2, 0.25], [0.6, 0.35, 0.02]])
LIT = np.array([1.0, 1.1, 0.92, 1.05, 0.97, 1.0])


def _pieces(shine: np.ndarray, light: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Six pieces of each paint, half of them on either of two photos."""
    kinds = np.repeat(np.arange(4), 6)
    photos = np.tile(np.repeat([0, 1], 3), 4)
    lit = np.tile(LIT, 4)[:, None]
    return (PAINTS[kinds] * lit + shine[:, None]) * np.exp(light[photos]), photos, kinds


def _chroma(paints: np.ndarray) -> np.ndarray:
    return np.asarray(paints / paints.sum(axis=1, keepdims=True))


def test_paints_are_what_pieces_without_shine_show() -> None:
    """Though most pieces of each paint shine more or less."""
    shine = np.tile([0.0, 0.02, 0.06, 0.0, 0.1, 0.03], 4)
    light, photos, kinds = _pieces(shine, np.zeros((2, 3)))
    plain = np.stack([np.median(light[kinds == k], axis=0) for k in range(4)])
    paints, _ = without_shine(light, photos, kinds, 2)
    assert np.abs(_chroma(plain) - _chroma(PAINTS)).max() > 0.03
    assert _chroma(paints) == pytest.approx(_chroma(PAINTS), abs=0.015)


def test_light_that_two_photos_have_more_and_less_of_is_told_in_spite_of_shine() -> None:
    """One of the photos is warmer than its table says, the other colder."""
    shine = np.tile([0.0, 0.02, 0.04, 0.0, 0.05, 0.02], 4)
    warm = np.array([0.15, 0.0, -0.15])
    light, photos, kinds = _pieces(shine, np.stack([warm, -warm]))
    _, more = without_shine(light, photos, kinds, 2)
    assert more - more.mean(axis=1, keepdims=True) == pytest.approx(np.stack([warm, -warm]), abs=0.04)


def test_pieces_that_do_not_shine_are_left_as_they_are() -> None:
    """Nothing is taken from a dull set."""
    light, photos, kinds = _pieces(np.zeros(24), np.zeros((2, 3)))
    paints, more = without_shine(light, photos, kinds, 2)
    assert paints == pytest.approx(PAINTS, rel=0.08, abs=0.004)
    assert np.abs(more).max() < 0.03
