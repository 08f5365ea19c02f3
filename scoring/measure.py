"""A measured value with its doubt, and the comparison with a limit that has three answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scoring.verdicts import Call

GUARD = 3.0
"""Standard deviations that a value must keep from the limit before a call is made: about one wrong in 700."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value and its standard deviation, both in the same unit."""

    value: float
    sigma: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.sigma >= 0):
            raise ValueError(f"no measurement: {self.value} ± {self.sigma}")

    def __add__(self, other: Measurement) -> Measurement:
        """Sum of two independent measurements."""
        return Measurement(self.value + other.value, math.hypot(self.sigma, other.sigma))

    def __sub__(self, other: Measurement) -> Measurement:
        """Difference of two independent measurements."""
        return Measurement(self.value - other.value, math.hypot(self.sigma, other.sigma))


def above(measured: Measurement, limit: float, guard: float = GUARD, band: float = 0.0) -> Call:
    """Whether a value that must lie above `limit` does.

    Parameters
    ----------
    measured
        The value with its doubt.
    limit
        The rule's limit.
    guard
        Width of the guard band in standard deviations.
    band
        Least half-width of the guard band in the value's unit, for limits that are soft by themselves.

    Returns
    -------
    Call
        LEGAL beyond the guard band above the limit, VIOLATION beyond it below, UNCERTAIN inside.
        A larger doubt only ever moves a call towards UNCERTAIN.
    """
    half = max(guard * measured.sigma, band)
    if measured.value - limit > half:
        return Call.LEGAL
    if limit - measured.value > half:
        return Call.VIOLATION
    return Call.UNCERTAIN


def below(measured: Measurement, limit: float, guard: float = GUARD, band: float = 0.0) -> Call:
    """Whether a value that must lie below `limit` does; see `above`."""
    return above(Measurement(-measured.value, measured.sigma), -limit, guard, band)


def likely(probability_true: float, probability_false: float, sure: float) -> Call:
    """The call on a statement that is read rather than measured.

    Parameters
    ----------
    probability_true, probability_false
        Probabilities that the statement holds and that it does not; what is missing to 1 is unread.
    sure
        Probability from which on a call is made, above 0.5.
    """
    if probability_true >= sure:
        return Call.LEGAL
    if probability_false >= sure:
        return Call.VIOLATION
    return Call.UNCERTAIN
