"""Edges farther out than the outlines that were found are the cards' own, unless hardly an edge is left along them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import calibration.capture.cards as cards


@pytest.mark.parametrize(("left", "kept"), [(0.5, True), (0.3, False)])
def test_outlines_that_lost_their_edge_are_not_taken(left: float, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame's outer edge may be fainter than the frame; stripes of a table are far fainter than a card's edge."""

    def settled(*args: Any) -> tuple[str, Any]:
        return "outward" if args[-1] else "as found", np.zeros((1, 3))

    monkeypatch.setattr(cards, "settled", settled)
    monkeypatch.setattr(cards, "edge_support", lambda _, plane, *__: left if plane == "outward" else 0.9)
    monkeypatch.setattr(cards, "edge_along", lambda *_: 0.8)
    best = cards._best_settled(np.zeros((9, 9, 3), np.uint8), ((60.0, 90.0), None, []), 1.0)  # type: ignore[arg-type]
    assert (best.plane == "outward") is kept  # type: ignore[comparison-overlap]
