"""Which way up CONEX cards stand: by their signs and numbers, else as most cards of their photograph lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.sign import Sign, heads_alike

PLUS = "plus2"
"""The sign that stands one way up only."""
_MOST = 2  # by how many more of a photo's cards must lie on their heads than upright


@dataclass(frozen=True, slots=True)
class Way:
    """Whether a card lies on its head, and whether anything printed on it tells that."""

    turned: bool
    told: bool


def ways_of(
    signs: Sequence[Sign], faces: Sequence[NDArray[np.uint8]], heads: Sequence[int], photos: Sequence[int]
) -> list[Way]:
    """The way of each card.

    Parameters
    ----------
    signs, faces
        The sign of each card, and its picture as it lies.
    heads
        1 where its numbers stand upright, -1 where on their heads, 0 where they do not tell.
    photos
        The photograph on which each lies.
    """
    head = [0 if s.name != PLUS else -1 if s.turned else 1 for s in signs]
    head = [h or n for h, n in zip(head, heads, strict=True)]
    other = [i for i, s in enumerate(signs) if s.name not in (None, PLUS)]
    alike = heads_alike([faces[i] for i in other])
    for i, h in zip(other, alike, strict=True):
        head[i] = head[i] or h
    usual: dict[int, int] = {}
    for h, photo in zip(head, photos, strict=True):
        usual[photo] = usual.get(photo, 0) + h
    return [
        Way(h < 0, True) if h else Way(usual[photo] <= -_MOST, False) for h, photo in zip(head, photos, strict=True)
    ]
