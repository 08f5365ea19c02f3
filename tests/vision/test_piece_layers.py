"""Depths of crossing plates come in whole plates, told by whose paint shows where they cross."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import box

from vision.cactus.piece_layers import Leaf, order_of, settle_depths


@pytest.mark.parametrize(("shows", "side"), [(0, 1.0), (5, -1.0)])
def test_whose_paint_shows_where_two_cross_is_in_front(shows: int, side: float) -> None:
    """A piece across a cactus hangs a plate before it where its own paint shows, and behind where it does not."""
    labels = np.full((60, 60), 255, np.uint8)
    labels[:, 20:40], labels[20:40, :20], labels[20:40, 40:] = 5, 0, 0
    labels[20:40, 20:40] = shows
    body = Leaf(box(20, 0, 40, 60), 5, 0.0, 0.0, 2.0)
    leaves = [Leaf(box(0, 20, 60, 40), 0, 0.0, 3.0, 2.0)]
    ((depth, sigma),) = settle_depths(order_of(labels, body, leaves), leaves, 4.0)
    assert depth == pytest.approx(side * 4.3, abs=0.4)
    assert sigma < 1.2


def test_what_crosses_nothing_hangs_in_the_plane_of_its_cactus() -> None:
    """A piece beside a cactus, measured three millimetres off, is in its plane, and doubt remains."""
    labels = np.full((60, 60), 255, np.uint8)
    body = Leaf(box(0, 0, 10, 60), 5, 0.0, 0.0, 2.0)
    leaves = [Leaf(box(20, 20, 50, 40), 0, 1.5, 3.0, 2.0)]
    ((depth, sigma),) = settle_depths(order_of(labels, body, leaves), leaves, 4.0)
    assert abs(depth) < 1.0
    assert sigma > 0.7
