"""Numbers that are printed upright tell how their card lies, where they are legible one way up only."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from calibration.capture.conex.numbers import _upright
from calibration.capture.deck import Part


def _ink(up: float, down: float) -> Any:
    """Ink of which a digit is legible so well, either way up."""

    def read(heads_rad: list[float], _: float) -> Any:
        return SimpleNamespace(reading=SimpleNamespace(probability=down if heads_rad[0] > np.pi / 2 else up))

    return SimpleNamespace(read=read)


@pytest.mark.parametrize(
    ("numbers", "head"),
    [
        ([(0.9, 0.01), (0.85, 0.02)], 1),
        ([(0.02, 0.95), (0.01, 0.7), (0.03, 0.9)], -1),
        ([(0.09, 0.6), (0.08, 0.51), (0.93, 0.83)], 0),
        ([(0.8, 0.87), (0.09, 0.44)], 0),
        ([(0.05, 0.04)], 0),
    ],
)
def test_only_what_is_legible_one_way_up_tells(numbers: list[tuple[float, float]], head: int) -> None:
    """A number that is as legible on its head, or not at all, does not."""
    assert _upright([[_ink(*n) for n in numbers]])[1] == [head]


def test_a_number_that_could_not_be_read_is_told_as_0() -> None:
    """Whoever reads what the command prints finds a number there; the deck has none."""
    part = Part("C01", "faces", {"corners": [{"color": "red", "value": None}, {"color": "red", "value": 3}]}, (), ())
    assert [c["value"] for c in part.told()["corners"]] == [0, 3]
    assert part.fields["corners"][0]["value"] is None
