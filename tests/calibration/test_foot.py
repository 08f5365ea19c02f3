"""On which end a cactus stands that was photographed lying."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import box
from shapely.ops import unary_union

from calibration.capture.cactus.foot import standing


@pytest.mark.parametrize("turn", [0.0, 1.2, 2.6, 4.4])
@pytest.mark.parametrize("head", [10, 14, 24])
def test_arms_grow_upward(head: float, turn: float) -> None:
    """However wide and flat its head is, and whichever way it lies."""
    parts = [box(-6, 0, 6, 60), box(-head / 2, 55, head / 2, 90), box(-35, 30, 35, 42), box(-35, 30, -23, 70)]
    whole = unary_union([*parts, box(23, 30, 35, 62)])
    c, s = np.cos(turn), np.sin(turn)
    lying = np.array(whole.exterior.coords)[:-1] * [2.5, -2.5] @ np.array([[c, s], [-s, c]]) + 300
    stands = standing(lying)
    low = stands[stands[:, 1] < 60]
    assert np.ptp(low[:, 0]) == pytest.approx(30, abs=2)
    assert stands[:, 1].max() == pytest.approx(225, abs=2)
