"""What stands on a base behind its cactus: its lowest point is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.flat_hung import cactus_set
from vision.cactus.piece_search import FINE_MM, Sheet, bank_of, turned
from vision.cactus.piece_stand import find_standing

OWN, STEM, GROUND = 0, 5, 6
HIDERS = np.arange(256) == STEM
LOW_MM = 1.2


def sheet(name: str, x_mm: float, angle_rad: float, stem_mm: tuple[float, float] | None) -> Sheet:
    """A piece that stands on the base, with a stem before it from one x to another."""
    labels = np.full((160, 200), GROUND, np.uint8)
    shape = next(s for s in bank_of(cactus_set()).shapes["red"] if s.piece.id == name)
    outline = turned(shape.outline_mm, angle_rad)
    outline += (x_mm, LOW_MM - outline[:, 1].min())
    plane = Sheet(labels, -50.0, 60.0)
    cv2.fillPoly(labels, [np.round(plane.cell(outline) * 16).astype(np.int32)], OWN, shift=4)
    if stem_mm is not None:
        left, right = (round((x - plane.left_mm) / FINE_MM) for x in stem_mm)
        labels[:, left:right] = STEM
    return plane


@pytest.mark.parametrize(("x_mm", "angle_rad"), [(2.0, 0.4), (-4.0, 2.0)])
def test_piece_behind_the_stem_is_guessed_first(x_mm: float, angle_rad: float) -> None:
    """Of all pieces of the colour the one of which ends show on both sides, where it stands."""
    plane = sheet("bar-red", x_mm, angle_rad, (-6.0, 6.0))
    guesses = find_standing(bank_of(cactus_set()), "red", plane, OWN, HIDERS, (), LOW_MM)
    best = guesses[0]
    assert best.shape.piece.id == "bar-red"
    assert best.x_mm == pytest.approx(x_mm, abs=1.5)
    assert best.outline_mm()[:, 1].min() == pytest.approx(LOW_MM, abs=1.5)
    assert [g.score for g in guesses] == sorted((g.score for g in guesses), reverse=True)


def test_what_hangs_elsewhere_is_not_guessed() -> None:
    """A piece that is found already stands nowhere else, and a bare stem hides nothing that is known."""
    bank, plane = bank_of(cactus_set()), sheet("bar-red", 2.0, 0.4, (-6.0, 6.0))
    taken = find_standing(bank, "red", plane, OWN, HIDERS, {"bar-red"}, LOW_MM)
    assert "bar-red" not in {g.shape.piece.id for g in taken}
    plane.labels[plane.labels == OWN] = GROUND
    assert find_standing(bank, "red", plane, OWN, HIDERS, (), LOW_MM) == []
