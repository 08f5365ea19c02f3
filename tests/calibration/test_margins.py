"""A line printed near the edge of cards is not taken for it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.margins import with_margins

_TABLE, _CARD, _LINE = (62, 52, 44), (48, 62, 82), (230, 232, 235)
_SIDE, _MARGIN = 150.0, 4.0


def _photo(shadow: tuple[int, int] | None = None) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """Six cards on a dark table, noise and blur; their edges, and the lines within."""
    rgb = np.full((520, 720, 3), _TABLE, np.float32)
    edges, lines = [], []
    for k in range(6):
        middle, turn = np.array([130 + 220 * (k % 3), 130 + 240 * (k // 3)], float), 0.05 * (k - 2)
        c, s = np.cos(turn), np.sin(turn)
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) @ np.array([[c, s], [-s, c]])
        edges.append(middle + square * _SIDE / 2)
        lines.append(middle + square * (_SIDE / 2 - _MARGIN))
        if shadow is not None:
            cv2.fillPoly(rgb, [np.round((edges[-1] + shadow) * 16).astype(np.int32)], [v * 0.6 for v in _TABLE], 16, 4)
        for outline, paint in ((edges[-1], _CARD), (lines[-1], _LINE), (middle + square * (_SIDE / 2 - 7), _CARD)):
            cv2.fillPoly(rgb, [np.round(outline * 16).astype(np.int32)], paint, 16, 4)
    rgb = cv2.GaussianBlur(rgb, (0, 0), 0.8) + np.random.default_rng(3).normal(0, 2.5, rgb.shape)
    return np.clip(rgb, 0, 255).astype(np.uint8), edges, lines


def test_cards_are_as_wide_as_their_ground_goes_on_beyond_the_line() -> None:
    """All of them, to half a pixel of four."""
    rgb, edges, lines = _photo()
    for told, edge in zip(with_margins(rgb, lines), edges, strict=True):
        assert told == pytest.approx(edge, abs=0.6)


def test_outlines_that_do_not_lie_evenly_on_the_line_are_widened_to_the_edge() -> None:
    """They may be off to one side: what is known is the cards' shape."""
    rgb, edges, lines = _photo()
    off = [line + [1.5, -1.0] for line in lines]
    for told, edge in zip(with_margins(rgb, off), edges, strict=True):
        assert told == pytest.approx(edge, abs=1.0)


@pytest.mark.parametrize("shadow", [None, (5, 5), (-6, 2)])
def test_nothing_is_added_to_cards_that_were_found_whole(shadow: tuple[int, int] | None) -> None:
    """Nor is their shadow."""
    rgb, edges, _ = _photo(shadow)
    assert all(told is edge for told, edge in zip(with_margins(rgb, edges), edges, strict=True))


def test_two_cards_tell_no_margin() -> None:
    """What few sides show together may be the table's."""
    rgb, _, lines = _photo()
    assert all(told is line for told, line in zip(with_margins(rgb, lines[:2]), lines[:2], strict=True))
