"""Measurements against a limit have three answers, and doubt only ever asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measure import Measurement, above, below, likely
from scoring.verdicts import Call

VALUES = st.floats(-100, 100)
SIGMAS = st.floats(0, 50)


@pytest.mark.parametrize(
    ("value", "sigma", "call"),
    [(3.1, 0.5, Call.LEGAL), (1.0, 0.5, Call.UNCERTAIN), (-1.0, 0.5, Call.UNCERTAIN), (-3.1, 0.5, Call.VIOLATION)],
)
def test_three_calls_round_a_limit(value: float, sigma: float, call: Call) -> None:
    """Three standard deviations on either side of zero are open."""
    assert above(Measurement(value, sigma), 0.0) is call


def test_a_soft_limit_has_a_band_of_its_own() -> None:
    """A perfectly measured gap of 1 mm is still too close to call where the rule itself is soft by 2 mm."""
    assert above(Measurement(1.0, 0.0), 0.0, band=2.0) is Call.UNCERTAIN
    assert above(Measurement(2.1, 0.0), 0.0, band=2.0) is Call.LEGAL


@given(VALUES, SIGMAS, SIGMAS, VALUES)
def test_a_larger_doubt_only_moves_a_call_towards_uncertain(value: float, a: float, b: float, limit: float) -> None:
    """With more doubt the call stays or becomes uncertain."""
    small, large = sorted((a, b))
    sure, doubtful = above(Measurement(value, small), limit), above(Measurement(value, large), limit)
    assert doubtful in (sure, Call.UNCERTAIN)


@given(VALUES, SIGMAS, VALUES)
def test_below_is_above_mirrored(value: float, sigma: float, limit: float) -> None:
    """What is legal above a limit is a violation below it."""
    other = {Call.LEGAL: Call.VIOLATION, Call.VIOLATION: Call.LEGAL, Call.UNCERTAIN: Call.UNCERTAIN}
    assert below(Measurement(value, sigma), limit) is other[above(Measurement(value, sigma), limit)]


def test_sums_and_differences_add_their_variances() -> None:
    """3 and 4 make 5."""
    assert Measurement(10, 3) - Measurement(2, 4) == Measurement(8, 5)
    assert Measurement(10, 3) + Measurement(2, 4) == Measurement(12, 5)


@pytest.mark.parametrize(("value", "sigma"), [(float("nan"), 1.0), (1.0, -1.0), (1.0, float("nan"))])
def test_nonsense_is_no_measurement(value: float, sigma: float) -> None:
    """Neither a missing value nor a negative doubt can be compared."""
    with pytest.raises(ValueError, match="no measurement"):
        Measurement(value, sigma)


@pytest.mark.parametrize(
    ("yes", "no", "call"),
    [(0.95, 0.05, Call.LEGAL), (0.05, 0.95, Call.VIOLATION), (0.5, 0.5, Call.UNCERTAIN), (0.05, 0.2, Call.UNCERTAIN)],
)
def test_what_is_unread_speaks_for_neither_side(yes: float, no: float, call: Call) -> None:
    """A statement with little support is not wrong for that."""
    assert likely(yes, no, 0.9) is call
