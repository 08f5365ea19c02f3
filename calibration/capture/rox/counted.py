"""Values of scoring cards, held against what a game has: every value is there, most of them once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from calibration.capture.deck import Part
from calibration.capture.rox.values import VALUES


def counted_values(parts: Sequence[Part], most: int) -> list[Part]:
    """Scoring cards, asked about where together they cannot be what was read.

    A value that none of all `most` cards shows was read as another one: as one that several show, if only it is
    missing. Where more are missing the typeface, or the hand that wrote them, is not understood.
    """
    seen = Counter(p.fields["value"] for p in parts if not p.asks)
    open_ones = sum(bool(p.asks) for p in parts)
    missing = len([v for v in VALUES if v not in seen]) - open_ones
    if len(parts) < most or missing <= 0:
        return list(parts)
    return [
        p if p.asks or (missing == 1 and seen[p.fields["value"]] == 1) else replace(p, asks=("value",)) for p in parts
    ]
