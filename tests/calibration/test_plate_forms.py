"""Outlines of flat parts are written so that a deck can be read again."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import Polygon

from calibration.capture.cactus.plate_forms import few_points


def test_an_outline_that_crosses_itself_becomes_its_largest_part() -> None:
    """Whatever a noisy rim does to it, a deck's outline encloses one part, with two decimals too."""
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    body = 20 * np.stack([np.cos(turn), np.sin(turn)], 1)
    loop = np.array([[20.0, 0], [24, 3], [24, -3]])
    outline = np.vstack([loop, body[1:]])
    assert not Polygon(outline).is_valid
    few = Polygon(np.round(few_points(outline, 0.06), 2))
    assert few.is_valid
    assert few.area == pytest.approx(Polygon(body).area, rel=0.05)


def test_an_outline_keeps_its_form_with_fewer_points() -> None:
    """No point is farther off than was asked."""
    turn = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    outline = 30 * np.stack([np.cos(turn), 0.6 * np.sin(turn)], 1)
    few = few_points(outline, 0.06)
    assert len(few) < 100
    assert Polygon(few).hausdorff_distance(Polygon(outline)) < 0.07
